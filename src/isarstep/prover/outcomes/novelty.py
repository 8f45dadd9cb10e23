"""What a statement adds to others: its conjuncts, each up to symmetry of =, repetition and names that mean nothing."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from isarstep.common.errors import UserError
from isarstep.isabelle.inference.typed_lines import TypedLine, like, term_of, types_carried
from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.normal_names import normalise
from isarstep.isabelle.terms.terms import Term, Var, schematics
from isarstep.isabelle.terms.tokens import decode, encode_line
from isarstep.isabelle.terms.variables import match_term, with_bound
from isarstep.prover.outcomes.likeness import TRUE, simplified

TRUTH = encode_line(hol.trueprop(TRUE))


def schematics_in_order(tokens: str) -> str | None:
    """The tokens with schematic variables numbered by first occurrence; None: no term at all."""
    try:
        return like(tokens, normalise(term_of(tokens), ()))
    except UserError:
        return None


def conjuncts(tokens: str) -> list[str]:
    """A proposition as the statements that it joins by ∧, each once; `p ⟹ a ∧ b` is one statement."""
    parts = _parts(term_of(tokens))
    if len(parts) < 2:
        return [tokens]
    return list(dict.fromkeys(_stated(tokens, part) for part in parts))


def without_repetition(tokens: str) -> str:
    """`A ∧ B ∧ A` says `A ∧ B`."""
    parts = _parts(term_of(tokens))
    distinct = list(dict.fromkeys(parts))
    if len(distinct) == len(parts):
        return tokens
    return _stated(tokens, hol.list_conj(distinct, typed=isinstance(tokens, TypedLine)))


def _stated(tokens: str, formula: Term) -> str:
    """The line of a formula that was made of another line."""
    return like(tokens, normalise(hol.trueprop(formula, typed=isinstance(tokens, TypedLine)), ()))


def _parts(proposition: Term) -> list[Term]:
    """Formulas joined by ∧; none where the proposition is no formula."""
    formula = hol.dest_trueprop(proposition)
    return [] if formula is None else hol.parts_of(hol.CONJ, formula)


@lru_cache(maxsize=1024)  # that of a goal is asked for with every proposal
def essence(tokens: str) -> str:
    """The same for statements that say the same in another dress: `a = b` and `b = a`, `A` and `A ∧ A`. Of a line that
    carries types with all types in it, whatever their order."""
    return encode_line(normalise(simplified(decode(tokens)), ())) + types_carried(tokens)


def shown_by_a_value(proposition: Term | None) -> bool:
    """`∃x. 2 * b = 2 * x`, typed: true whatever the facts say, because a value for x stands there."""
    formula = None if proposition is None else hol.dest_trueprop(proposition)
    values = 0
    while formula is not None and (inner := hol.dest_quantifier(hol.EX, formula)) is not None:
        formula = with_bound(inner.body, 0, Var("value", values, inner.type))
        values += 1
    sides = None if formula is None or not values else hol.dest_binary(hol.EQ, formula)
    return sides is not None and any(
        not schematics(value) and match_term(pattern, value) is not None for pattern, value in (sides, sides[::-1])
    )


class KnownStatements:
    """What is known already. A statement is new if one of its conjuncts is.

    Lines that carry types are told apart by them. A line without types, such as a model's answer, is known where its
    tokens are.
    """

    def __init__(self, lines: Iterable[str] = ()) -> None:
        self._essences = {TRUTH}
        for line in lines:
            self.add(line)

    def add(self, tokens: str) -> None:
        for line in (tokens, *conjuncts(tokens)):
            self._essences |= {essence(line), essence(str(line))}

    def __contains__(self, tokens: str) -> bool:
        return all(essence(part) in self._essences for part in conjuncts(tokens))

    def restates(self, goal: str, tokens: str) -> bool:
        """Does a statement say the goal itself: among other things, or under premises that are known?"""
        wanted = essence(goal)
        for part in conjuncts(tokens):
            premises, conclusion = hol.strip_pure_imp(term_of(part))
            known = all(like(part, normalise(premise, ())) in self for premise in premises)
            said = like(part, normalise(conclusion, ()))
            if known and essence(said) == (wanted if isinstance(said, TypedLine) else essence(str(goal))):
                return True
        return False
