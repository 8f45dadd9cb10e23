"""Instances of library facts that fit a question as it stands, found by matching before any search.

A fact whose conclusion is the goal is put where it fits, then facts whose conclusions are its premises, a few levels
deep; an equation is put where its left side occurs. Provers find such instances too, but badly where they are
functions: `λn. 2 * X n` is a new symbol to them. All is bounded; what is left out can only lose proofs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from isarstep.isabelle.context.matching import Matching
from isarstep.isabelle.context.monomorphisation import LOGICAL, Named, is_general, term_type_variables
from isarstep.isabelle.terms.hol import dest_binary, dest_trueprop, strip_pure_imp
from isarstep.isabelle.terms.signature import Signature
from isarstep.isabelle.terms.terms import Term, head_name, loose, schematics, subterms

LEVELS = 3
PER_GOAL = 6  # facts that may lead to one goal
MOST = 32


@dataclass(frozen=True, slots=True)
class _Rule:
    """A fact by what it says: its conclusion, and the left side where that is an equation."""

    fact: Named
    premises: tuple[Term, ...]
    conclusion: Term
    left: Term | None


@lru_cache(maxsize=20_000)
def _rule(fact: Named) -> _Rule | None:
    premises, conclusion = strip_pure_imp(fact.prop)
    formula = dest_trueprop(conclusion)
    if formula is None or not (fact.here or is_general(fact.prop)):
        return None
    stated = [dest_trueprop(premise) for premise in premises]
    sides = dest_binary("HOL.eq", formula)
    left = sides[0] if sides is not None and head_name(sides[0]) not in ("", *LOGICAL) else None
    return _Rule(fact, tuple(each for each in stated if each is not None), formula, left)


def fitting(facts: Iterable[Named], premises: Sequence[Named], goal: Term, signature: Signature) -> list[Named]:
    """Instances of the facts, without type variables, that may be what the goal needs, best facts first."""
    rules = [rule for rule in map(_rule, facts) if rule is not None]
    wanted = dest_trueprop(goal)
    if wanted is None:
        return []
    known = {dest_trueprop(premise.prop) for premise in premises}
    found: dict[Term, Named] = {}
    for instance in (*_backwards(rules, wanted, known, signature), *_equations(rules, wanted, signature)):
        found.setdefault(instance.prop, instance)
        if len(found) == MOST:
            break
    return list(found.values())


def _backwards(rules: Sequence[_Rule], goal: Term, known: set[Term | None], signature: Signature) -> Iterator[Named]:
    level, seen = [goal], {goal}
    for _ in range(LEVELS):
        following: list[Term] = []
        for wanted in level:
            for rule, matching in islice(_leading(rules, wanted, signature), PER_GOAL):
                yield Named(rule.fact.name, matching.instance(rule.fact.prop))
                for premise in map(matching.instance, rule.premises):
                    if premise not in seen and premise not in known and not schematics(premise):
                        seen.add(premise)
                        following.append(premise)
        level = following


def _leading(rules: Sequence[_Rule], wanted: Term, signature: Signature) -> Iterator[tuple[_Rule, Matching]]:
    head = head_name(wanted)
    for rule in (each for each in rules if head and head_name(each.conclusion) == head):
        matching = Matching(signature)
        if matching.fits(rule.conclusion, wanted) and matching.complete(term_type_variables(rule.fact.prop)):
            yield rule, matching


def _equations(rules: Sequence[_Rule], formula: Term, signature: Signature) -> Iterator[Named]:
    places: dict[str, dict[Term, None]] = {}
    for part in subterms(formula):
        if head_name(part) and not loose(part):
            places.setdefault(head_name(part), {})[part] = None
    for rule in rules:
        if rule.left is None:
            continue
        for part in places.get(head_name(rule.left), ()):
            matching = Matching(signature)
            if matching.fits(rule.left, part) and matching.complete(term_type_variables(rule.fact.prop)):
                yield Named(rule.fact.name, matching.instance(rule.fact.prop))
