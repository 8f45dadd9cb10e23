"""Is a proposal the reference, the reference in another dress, or a piece of the source?"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

from isarstep.isabelle.terms.equality import numbered_schematics
from isarstep.isabelle.terms.hol import parts_of
from isarstep.isabelle.terms.normal_forms import TooLargeError, beta_eta_normal
from isarstep.isabelle.terms.terms import Abs, App, Bound, Const, Term, erase, increase, list_comb, strip_comb
from isarstep.isabelle.terms.tokens import encode_line
from isarstep.prover.outcomes.verdict import Likeness

SYMMETRIC = frozenset({"HOL.eq", "Pure.eq", "HOL.not_equal"})
TRUE, FALSE = Const("HOL.True"), Const("HOL.False")
UNITS = {"HOL.conj": (TRUE, FALSE), "HOL.disj": (FALSE, TRUE)}  # neutral element, absorbing element
ARGUMENTS = {"HOL.Not": 1, **dict.fromkeys((*SYMMETRIC, *UNITS), 2)}


def likeness(
    proposal: str, proposal_term: Term, reference: str, reference_term: Term, source: Iterable[str]
) -> Likeness:
    """Compare texts of tokens and terms; source propositions are texts. Terms may be typed and without
    abbreviations.
    """
    exact = proposal.split() == reference.split()
    left, right = (numbered_schematics(erase(term)) for term in (proposal_term, reference_term))
    padded = f" {' '.join(proposal.split())} "
    return Likeness(
        exact=exact,
        alpha=exact or left == right,
        equivalent=exact or left == right or simplified(left) == simplified(right),
        copy=any(padded in f" {' '.join(text.split())} " for text in source),
    )


def simplified(term: Term) -> Term:
    """A representative of a term up to symmetry, `∧ True`, `t = t`, double negation, order and repetition in ∧ and
    ∨.
    """
    try:
        return beta_eta_normal(_simplify(beta_eta_normal(erase(term))))
    except (RecursionError, TooLargeError):  # then it is like itself alone
        return term


def _simplify(term: Term) -> Term:
    if isinstance(term, Abs):
        return Abs("", None, _simplify(term.body))
    head, arguments = strip_comb(term)
    if not isinstance(head, Const):
        head = _simplify(head) if isinstance(head, Abs) else head
        return list_comb(head, [_simplify(a) for a in arguments])
    if len(arguments) < ARGUMENTS.get(head.name, 0):  # `∀x. a = x` has lost its variable, `∀x. x = a` has not
        given = [increase(argument, 1) for argument in arguments]
        return Abs("", None, _simplify(list_comb(head, [*given, Bound(0)])))
    if head.name in UNITS and len(arguments) == 2:
        return _junction(head.name, term)
    arguments = [_simplify(a) for a in arguments]
    if head.name == "HOL.Not" and len(arguments) == 1:
        return _negated(arguments[0])
    if head.name in SYMMETRIC and len(arguments) == 2:
        return _equation(head.name, *arguments)
    return list_comb(head, arguments)


def _equation(name: str, left: Term, right: Term) -> Term:
    if name == "HOL.not_equal":
        return _negated(_equation("HOL.eq", left, right))
    if left == right and name == "HOL.eq":
        return TRUE
    for one, other in ((left, right), (right, left)):
        if one == TRUE:
            return other
        if one == FALSE:
            return _negated(other)
    return list_comb(Const(name), sorted((left, right), key=encode_line))


def _negated(term: Term) -> Term:
    if term == TRUE:
        return FALSE
    if term == FALSE:
        return TRUE
    if isinstance(term, App) and term.fun == Const("HOL.Not"):
        return term.arg
    return App(Const("HOL.Not"), term)


def _junction(name: str, term: Term) -> Term:
    neutral, absorbing = UNITS[name]
    parts = {encode_line(part): part for part in map(_simplify, parts_of(name, term)) if part != neutral}
    if absorbing in parts.values():
        return absorbing
    ordered = [parts[key] for key in sorted(parts)]
    if not ordered:
        return neutral
    return reduce(lambda rest, part: list_comb(Const(name), [part, rest]), reversed(ordered))
