"""Examples that teach nothing, by their text and by their edges. They are marked, and never scored.

- `restated`: the target, or the consequence, is one of the other propositions (left out).
- `reflexive`: the target or the consequence is `t = t`.
- `class`: the consequence is that a type is of a class, or a class's predicate.
- `absurd`: False is among F.2, from which anything follows.
- `bundle`: the target came in with all hypotheses of a case, under one name, as `case Suc then show ?case` has it.
- `sorry`: nobody has proved the target, or the consequence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from isarstep.isabelle.process.proof_graph import Proof

RESTATED = "restated"
MARKS = (RESTATED, "reflexive", "class", "absurd", "bundle", "sorry")
FALSE = "CONST HOL.Trueprop $ CONST HOL.False"

_EQUATION = re.compile(r"(?:CONST HOL\.Trueprop \$ \( CONST HOL\.(?:eq|iff) \$ (.*) \)|CONST Pure\.eq \$ (.*))")
_CLASS = re.compile(
    r"CONST \S+_class \$ CONST Pure\.type|CONST HOL\.Trueprop \$ (?:\( )?CONST (?:\S+\.)?class\.[^\s.]+( .*)?"
)


@lru_cache(1 << 12)  # the propositions of a proof are asked about many times
def is_reflexive(text: str) -> bool:
    """Is the line of tokens an equation of a term with itself?"""
    found = _EQUATION.fullmatch(text)
    if found is None:
        return False
    sides = found[1] or found[2]
    half = len(sides) // 2
    left = sides[: half - 1]
    if sides[half - 1 : half + 2] != " $ " or left != sides[half + 2 :]:
        return False
    # `a $ b $ a $ b` is no equation of two equal sides.
    return left.startswith("( ") or left.count(" ") == 1


@lru_cache(1 << 12)
def is_class_predicate(text: str) -> bool:
    """Does the line of tokens say that a type is of a class, or that operations are as a class demands?"""
    return _CLASS.fullmatch(text) is not None


def unproved_steps(proof: Proof) -> frozenset[int]:
    """Steps whose goal was closed by `sorry`."""
    return frozenset(step.parent for step in proof.steps if step.command == "sorry" and step.parent is not None)


def case_bundles(proof: Proof) -> dict[int, frozenset[int]]:
    """For each hypothesis of a `case` with several: all of them."""
    together: dict[int, list[int]] = {}
    for number, fact in enumerate(proof.facts):
        if fact.kind == "assumption" and proof.steps[fact.step].command == "case":
            together.setdefault(fact.step, []).append(number)
    return {number: frozenset(members) for members in together.values() if len(members) > 1 for number in members}


def mark_of_texts(f1: str, f2: Sequence[str], f3: str) -> str:
    """The mark of an example by what its propositions say; empty: it may teach something."""
    if is_reflexive(f1) or is_reflexive(f3):
        return "reflexive"
    if is_class_predicate(f3):
        return "class"
    return "absurd" if FALSE in f2 else ""
