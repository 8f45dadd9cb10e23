"""Rewriting with a context's simp rules, as `simp` does it: conditions are solved by rewriting too, an implication's
premise and the test of an `if` are known inside it. What is proved is proved by the rules that it names.

Rules are matched with their types (`check/matching.py`). Left out are rules that could not be applied by looking at
terms alone: with variables that the left side does not fix or applies to anything but bound ones, or with both sides
alike but for the order of variables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import TypeAlias

from isarstep.common.cancellation import check_deadline
from isarstep.isabelle.context.matching import Matching
from isarstep.isabelle.context.monomorphisation import Named, is_general, term_type_variables
from isarstep.isabelle.terms.hol import BOOL, dest_binary, dest_trueprop, strip_pure_imp
from isarstep.isabelle.terms.normal_forms import TooLargeError, beta_normal
from isarstep.isabelle.terms.signature import Signature
from isarstep.isabelle.terms.terms import (
    Abs,
    App,
    Bound,
    Const,
    Free,
    Term,
    Type,
    Var,
    applied_constant,
    frees,
    head_name,
    instantiate,
    list_comb,
    loose,
    occurs_bound,
    schematics,
    strip_comb,
    subterms,
)

Names: TypeAlias = tuple[str, ...]
TRUE, FALSE = Const("HOL.True", BOOL), Const("HOL.False", BOOL)
MOST_STEPS = 1_000
MOST_MATCHINGS = 8_000  # of rules with terms
DEEPEST_CONDITION = 4


@dataclass(frozen=True, slots=True)
class Rewrite:
    """The left side is the right one where the conditions hold."""

    name: str
    conditions: tuple[Term, ...]
    left: Term
    right: Term

    @property
    def head(self) -> str:
        return head_name(self.left)


def rewrites_of(fact: Named) -> Iterator[Rewrite]:
    """The rule that a fact is; none where it can't be used as one. Without types: unless its types forbid it."""
    if fact.here or is_general(fact.prop):
        yield from filter(_applicable, rule_said(fact))


def rule_said(fact: Named) -> Iterator[Rewrite]:
    """What a fact says as a rule, whether it can be applied or not."""
    premises, conclusion = strip_pure_imp(fact.prop)
    conditions = [dest_trueprop(premise) for premise in premises]
    known = tuple(condition for condition in conditions if condition is not None)
    if len(known) == len(conditions):
        yield from _oriented(fact.name, known, conclusion)


def _oriented(name: str, conditions: tuple[Term, ...], conclusion: Term) -> Iterator[Rewrite]:
    sides, formula = dest_binary("Pure.eq", conclusion), dest_trueprop(conclusion)
    if sides is not None:
        yield Rewrite(name, conditions, *sides)
    if formula is None:
        return
    match applied_constant(formula):
        case "HOL.eq", [left, right]:
            yield Rewrite(name, conditions, left, right)
        case "HOL.Not", [negated]:
            yield Rewrite(name, conditions, negated, FALSE)
        case "HOL.implies", [premise, rest]:
            yield from _oriented(name, (*conditions, premise), App(Const("HOL.Trueprop"), rest))
        case _:
            yield Rewrite(name, conditions, formula, TRUE)


def _applicable(rule: Rewrite) -> bool:
    if not rule.head or (type(rule.left) is Const and rule.head in (TRUE.name, FALSE.name)):
        return False
    if not all(map(_matchable, subterms(rule.left))):
        return False
    fixed, fixed_types = set(schematics(rule.left)), set(term_type_variables(rule.left))
    rest = (rule.right, *rule.conditions)
    if any(not set(schematics(part)) <= fixed or not set(term_type_variables(part)) <= fixed_types for part in rest):
        return False
    return shape(rule.left) != shape(rule.right)


def _matchable(node: Term) -> bool:
    """A variable is applied to nothing but different bound ones."""
    head, arguments = strip_comb(node)
    bound = {argument.index for argument in arguments if type(argument) is Bound}
    return type(head) is not Var or len(bound) == len(arguments)


def shape(term: Term) -> tuple[str, ...]:
    """The term without its variables."""
    return tuple(node.name if type(node) is Const else type(node).__name__ for node in subterms(term))


def other_way_round(facts: Iterable[Named], declared: Callable[[str], Iterable[Rewrite]]) -> Names:
    """Names of facts whose rules are those of earlier ones, or declared ones, from right to left: with both of them
    rewriting does not end. Declared rules are found by their heads."""
    found: dict[str, None] = {}
    earlier: list[Rewrite] = []
    for rule in (rule for fact in facts for rule in rewrites_of(fact)):
        if any(map(partial(_turned, rule), chain(declared(head_name(rule.right)), earlier))):
            found[rule.name] = None
        else:
            earlier.append(rule)
    return tuple(found)


def _turned(rule: Rewrite, other: Rewrite) -> bool:
    return shape(other.left) == shape(rule.right) and shape(other.right) == shape(rule.left)


# What holds where a term stands: what a term is, and by which premises and rules.
Known: TypeAlias = dict[Term, tuple[Term, Names]]


def _assumed(formula: Term, names: Names) -> Iterator[tuple[Term, tuple[Term, Names]]]:
    if loose(formula):
        return
    match applied_constant(formula):
        case "HOL.conj", [left, right]:
            yield from _assumed(left, names)
            yield from _assumed(right, names)
        case "HOL.Not", [negated]:
            yield negated, (FALSE, names)
        case "HOL.eq", [left, Free() as right] if right not in frees(left) and type(left) is not Free:
            yield right, (left, names)
        case "HOL.eq", [left, right] if left not in subterms(right) and left not in (TRUE, FALSE):
            yield left, (right, names)
        case _:
            yield formula, (TRUE, names)


class Rewriter:
    """Simplifies formulas with some rules; `used` are the names of all that it used."""

    def __init__(
        self,
        rules: Iterable[Rewrite],
        signature: Signature,
        more: Callable[[str], Iterable[Rewrite]] = lambda _head: (),
    ) -> None:
        """`more` are the rules for a head beside the given ones: those of a library are typed when they are wanted."""
        self._given: dict[str, list[Rewrite]] = {}
        for rule in rules:
            self._given.setdefault(rule.head, []).append(rule)
        self._more = more
        self._rules: dict[str, list[Rewrite]] = {}
        self._signature = signature
        self._left, self._matchings = MOST_STEPS, MOST_MATCHINGS
        self._declared: set[str] = set()
        self.used: dict[str, None] = {}

    @property
    def declared(self) -> tuple[str, ...]:
        """Of all that it used what is not given: simp rules of the context."""
        return tuple(name for name in self.used if name in self._declared)

    def _for(self, head: str) -> list[Rewrite]:
        if head not in self._rules:
            more = list(self._more(head))
            self._declared.update(rule.name for rule in more)
            self._rules[head] = [*self._given.get(head, ()), *more]
        return self._rules[head]

    def goal(self, premises: Sequence[Named], goal: Term) -> Term | None:
        """The goal's formula as far as it is simplified; TRUE: it is proved. None: it is no formula."""
        formula = dest_trueprop(goal)
        if formula is None:
            return None
        for premise in premises:
            if schematics(premise.prop):
                for rule in rewrites_of(replace(premise, here=True)):
                    self._for(rule.head).append(rule)
        try:
            known = self._known(premises)
            return TRUE if known is None else self._visit(beta_normal(formula), known, 0)
        except (RecursionError, TooLargeError):
            return None

    def _known(self, premises: Sequence[Named]) -> Known | None:
        """What the premises say, each also as the others make it simpler; None: they contradict each other."""
        stated = [(premise.name, dest_trueprop(premise.prop)) for premise in premises]
        formulas = [(name, formula) for name, formula in stated if formula is not None]
        known: Known = {}
        for place, (name, formula) in enumerate(formulas):
            others = known
            for other, (beside, said) in enumerate(formulas):
                if other > place:
                    others = others | dict(_assumed(said, (beside,)))
            before, self.used = self.used, {}
            simpler = self._visit(beta_normal(formula), others, 0)
            names = (name, *self.used)
            self.used = before
            if simpler == FALSE:
                self.used.update(dict.fromkeys(names))
                return None
            known = known | dict(_assumed(formula, (name,)))
            if simpler not in (formula, TRUE):
                known = known | dict(_assumed(simpler, names))
        return known

    def _visit(self, term: Term, known: Known, depth: int) -> Term:
        """The normal form of a term, arguments first."""
        while True:
            check_deadline()
            term = self._inside(term, known, depth)
            simpler = self._at_root(term, known, depth)
            if simpler is None or self._left <= 0:
                return term
            self._left -= 1
            term = beta_normal(simpler)

    def _inside(self, term: Term, known: Known, depth: int) -> Term:
        if type(term) is Abs:
            body = self._visit(term.body, known, depth)
            return term if body is term.body else Abs(term.name, term.type, body)
        if type(term) is not App:
            return term
        head, arguments = strip_comb(term)
        name = head.name if type(head) is Const else ""
        if name in ("HOL.implies", "HOL.conj") and len(arguments) == 2:
            first = self._visit(arguments[0], known, depth)
            inside = known if loose(first) else known | dict(_assumed(first, ()))
            return list_comb(head, [first, self._visit(arguments[1], inside, depth)])
        if name == "HOL.If" and len(arguments) == 3:
            test = self._visit(arguments[0], known, depth)
            if loose(test) or test in (TRUE, FALSE):
                return list_comb(head, [test, *arguments[1:]])
            negated = App(Const("HOL.Not", Type("fun", (BOOL, BOOL))), test)
            yes = self._visit(arguments[1], known | dict(_assumed(test, ())), depth)
            no = self._visit(arguments[2], known | dict(_assumed(negated, ())), depth)
            return list_comb(head, [test, yes, no])
        return list_comb(head, [self._visit(argument, known, depth) for argument in arguments])

    def _at_root(self, term: Term, known: Known, depth: int) -> Term | None:
        found = known.get(term)
        if found is not None:
            self.used.update(dict.fromkeys(found[1]))
            return found[0]
        head, arguments = strip_comb(term)
        function = known.get(head) if arguments else None
        if function is not None:
            self.used.update(dict.fromkeys(function[1]))
            return list_comb(function[0], arguments)
        if type(head) is not Const:
            return None
        simpler = _by_logic(head.name, arguments)
        if simpler is not None:
            return simpler
        for rule in self._for(head.name):
            self._matchings -= 1
            if self._matchings < 0:
                return None
            # An equation between functions is one wherever they are applied.
            count = len(strip_comb(rule.left)[1])
            part = term if count == len(arguments) else list_comb(head, arguments[:count])
            matching = Matching(self._signature)
            if matching.fits(rule.left, part) and self._conditions_hold(rule, matching, known, depth):
                self.used[rule.name] = None
                return list_comb(matching.instance(rule.right), arguments[count:])
        return None

    def _conditions_hold(self, rule: Rewrite, matching: Matching, known: Known, depth: int) -> bool:
        if not rule.conditions:
            return True
        if depth >= DEEPEST_CONDITION:
            return False
        before = dict(self.used)
        for condition in rule.conditions:
            self._left -= 1
            if self._left <= 0 or self._visit(matching.instance(condition), known, depth + 1) != TRUE:
                self.used = before
                return False
        return True


def _by_logic(name: str, arguments: Sequence[Term]) -> Term | None:
    """What the connectives themselves say."""
    match name, arguments:
        case "HOL.Not", [inner] if inner in (TRUE, FALSE):
            return FALSE if inner == TRUE else TRUE
        case "HOL.Not", [App(fun=Const(name="HOL.Not"), arg=inner)]:
            return inner
        case "HOL.conj", [left, right]:
            return FALSE if FALSE in (left, right) else right if left == TRUE else left if right == TRUE else None
        case "HOL.disj", [left, right]:
            return TRUE if TRUE in (left, right) else right if left == FALSE else left if right == FALSE else None
        case "HOL.implies", [left, right]:
            return TRUE if left in (FALSE, right) or right == TRUE else right if left == TRUE else None
        case "HOL.eq", [left, right]:
            return TRUE if left == right else right if left == TRUE else left if right == TRUE else None
        case "HOL.If", [test, yes, no]:
            return yes if test == TRUE or yes == no else no if test == FALSE else None
        case (("HOL.All" | "HOL.Ex"), [Abs() as binder]) if not occurs_bound(binder.body, 0):
            return instantiate(binder.body, TRUE)  # types have elements; nothing is put anywhere
    return None
