"""A rule instead of a model: what is left of F.4 when it is applied to F.3.

Where the conclusion of a rule of F.4 matches F.3, its premises that no other fact of F.4 gives are answers. Where an
equation of F.4 rewrites F.3, the rewritten F.3 is one. Terms have no types here, as in the tokens.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from isarstep.benchmark.store.example import Example
from isarstep.isabelle.terms.hol import dest_binary, dest_quantifier, dest_trueprop, replaced, strip_pure_imp, trueprop
from isarstep.isabelle.terms.normal_forms import beta_eta_normal
from isarstep.isabelle.terms.terms import Term, Var, instantiate, loose, schematics, strip_comb, substitute, subterms
from isarstep.isabelle.terms.tokens import TokenError, decode, encode_line
from isarstep.isabelle.terms.variables import match_term

Found: TypeAlias = dict[Var, Term]

_LARGEST = 400  # tokens: a longer proposition is not matched
_EQUATIONS = ("HOL.eq", "Pure.eq", "HOL.iff")


def answers(example: Example, count: int) -> list[tuple[str, float]]:
    """What is left over, premises first; scores only order them."""
    known = {text for _, text in example.source(hints=False)}
    found: dict[str, None] = {}
    for term in _candidates(example):
        try:
            text = encode_line(beta_eta_normal(term, 10_000))
        except RuntimeError:
            continue  # not normal within the limit
        if text not in known and "VAR" not in text.split():
            found.setdefault(text)
        if len(found) == count:
            break
    return [(text, -float(place)) for place, text in enumerate(found)]


def _candidates(example: Example) -> Iterator[Term]:
    goal = None if example.f3 is None else _read(example.f3)
    if goal is None:
        return
    given = [term for term in map(_read, example.f4) if term is not None]
    rewritten: list[Term] = []
    for rule in given:
        premises, conclusion = rule_of(rule)
        others = [fact for fact in given if fact is not rule]
        if premises:
            found = match_term(conclusion, goal)
            if found is not None:
                yield from _left_over(premises, found, others)
        for left, right in _equations(conclusion):
            for changed, found in _rewritten(goal, left, right):
                rewritten.append(changed)
                rewritten.extend(_left_over(premises, found, others))
    yield from rewritten


def _read(text: str) -> Term | None:
    if text.count(" ") >= _LARGEST:
        return None
    try:
        return decode(text)
    except TokenError:
        return None


def rule_of(proposition: Term) -> tuple[list[Term], Term]:
    """Premises and conclusion, also of HOL's own implications and quantifiers; what these bind becomes schematic."""
    premises: list[Term] = []
    fresh = 0
    while True:
        more, proposition = strip_pure_imp(proposition)
        premises += more
        formula = dest_trueprop(proposition)
        binder = dest_quantifier("Pure.all", proposition)
        if binder is None and formula is not None:
            binder = dest_quantifier("HOL.All", formula)
            implication = dest_binary("HOL.implies", formula)
            if implication is not None:
                premises.append(trueprop(implication[0]))
                proposition = trueprop(implication[1])
                continue
        if binder is None:
            return premises, proposition
        body = instantiate(binder.body, Var("bound", fresh))
        fresh += 1
        proposition = body if formula is None else trueprop(body)


def _left_over(premises: Sequence[Term], found: Found, others: Sequence[Term]) -> Iterator[Term]:
    """Premises that no other fact gives; facts that give one also tell what its variables stand for."""
    waiting = list(premises)
    for fact in others:
        for premise in waiting:
            more = match_term(applied(premise, found), fact)
            if more is not None:
                found = {**{v: applied(t, more) for v, t in found.items()}, **more}
                waiting.remove(premise)
                break
    for premise in waiting:
        yield applied(premise, found)


def _equations(conclusion: Term) -> Iterator[tuple[Term, Term]]:
    """Both directions of an equation; a side that is only a variable matches everything and is left out."""
    formula = dest_trueprop(conclusion) or conclusion
    for name in _EQUATIONS:
        sides = dest_binary(name, formula)
        if sides is not None:
            for left, right in (sides, sides[::-1]):
                if type(strip_comb(left)[0]) is not Var:
                    yield left, right


def _rewritten(goal: Term, left: Term, right: Term) -> Iterator[tuple[Term, Found]]:
    """The goal with all occurrences of one instance of the left side replaced."""
    seen: set[Term] = set()
    for part in subterms(goal):
        if part in seen or loose(part):
            continue
        seen.add(part)
        found = match_term(left, part)
        if found is not None and all(variable in found for variable in schematics(right)):
            new = applied(right, found)
            yield replaced(goal, part, new) or new, found


def applied(term: Term, found: Mapping[Var, Term]) -> Term:
    """The term with schematic variables replaced, beta-normal."""
    replaced = substitute(term, lambda leaf: found.get(leaf) if type(leaf) is Var else None)
    return beta_eta_normal(replaced, 10_000)
