"""Which inductions to try for a goal, and in which order.

Rules are looked up by the names that packages give them: `f.induct` of a function that the goal mentions, `T.induct` of
a variable's type, `p.induct` and `p.cases` of an inductive predicate or set among the premises, and some that the
library proves by hand. Then come rules that authors proved for types and predicates of their own: of 14,834 inductions
in the texts of 249 entries 62 % name no rule, 14 % an `X.induct` and 21 % another rule. A variable where functions
recurse comes before others. Everything is tried as it stands first, then with the other variables of the goal
arbitrary: 28 % of the inductions that say what they go over have such variables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from isarstep.isabelle.context.monomorphisation import LOGICAL, Named
from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.signature import Signature
from isarstep.isabelle.terms.terms import (
    Abs,
    App,
    Const,
    Free,
    MaybeTyp,
    Term,
    Type,
    applied_constant,
    frees,
    loose,
    subterms,
)
from isarstep.premises.fact_base import RULES, Library
from isarstep.prover.induct.goal_parts import opened_goal
from isarstep.prover.induct.induction import Case, Induction, RuleForm, apply_rule, fixed_apart, rule_form
from isarstep.prover.outcomes.verdict import OpenedGoal

MOST_MOVES = 16
NEAREST = 48  # rules of authors that are looked at, the latest ones
GOAL = "goal"  # how hypotheses of the goal itself are called: goal(1), ...
# Rules with premises of their own, which must be among the given ones.
WITH_PREMISES = (
    "Finite_Set.finite_induct",
    "List.list_induct2",
    "Finite_Set.finite_ne_induct",
    "Nat.dec_induct",
    "Int.int_ge_induct",
    "List.list_nonempty_induct",
)
# Rules for any value of a type.
BY_TYPE = {
    "Set.set": ("Finite_Set.infinite_finite_induct",),
    "Nat.nat": ("Nat.nat_less_induct",),
    "List.list": ("List.rev_induct", "List.length_induct"),
    "Multiset.multiset": ("Multiset.multiset_induct",),
    "FSet.fset": ("FSet.fset_induct",),
}


@dataclass(frozen=True)
class InductionChoice:
    """The moves for one goal. `may` says which facts can be used where it stands."""

    library: Library
    may: Callable[[int], bool]
    signature: Signature
    premises: tuple[Named, ...]
    goal: Term
    own: Sequence[Named] = ()  # rules and equations of the asker's own theory

    @cached_property
    def _inside(self) -> Case:
        """The goal from its own hypotheses."""
        taken = {v.name for term in (self.goal, *(p.prop for p in self.premises)) for v in frees(term)}
        return fixed_apart(self.goal, taken, GOAL)

    @property
    def _stated(self) -> tuple[tuple[Named, ...], Term]:
        """Premises and goal, the goal's own hypotheses among the premises."""
        return (*self.premises, *self._inside.premises), self._inside.goal

    @property
    def opened(self) -> OpenedGoal | None:
        """How the goal is taken apart before an induction."""
        return opened_goal(self.goal, self._inside.variables, self._inside.premises, self._inside.goal)

    def moves(self) -> list[Induction]:
        """Cheapest first."""
        found: dict[tuple[str, tuple[Term, ...], tuple[Free, ...]], tuple[float, Induction]] = {}
        for cost, form, targets in sorted(self._candidates(), key=lambda each: each[0]):
            if len(found) >= 2 * MOST_MOVES:
                break
            for further, arbitrary in self._generalised(targets):
                premises, goal = self._stated
                made = apply_rule(form, premises, goal, targets, arbitrary, self.signature)
                if made is not None:
                    found.setdefault((made.rule, made.targets, made.arbitrary), (cost + further, made))
        return [induction for _, induction in sorted(found.values(), key=lambda move: move[0])[:MOST_MOVES]]

    def _generalised(self, targets: Sequence[Term | None]) -> Iterator[tuple[float, tuple[Free, ...]]]:
        """Nothing arbitrary, then all variables of the goal that are values and not what the induction goes over."""
        yield 0.0, ()
        variables = dict.fromkeys(frees(self._stated[1]))
        others = tuple(v for v in variables if v not in targets and _constructor(v.type) not in ("", "fun"))
        if others:
            yield 1.5, others

    def _candidates(self) -> Iterator[tuple[float, RuleForm, tuple[Term | None, ...]]]:
        yield from self._by_function()
        yield from self._by_type()
        yield from self._by_premise()
        yield from self._by_hand()

    def _forms(self, name: str) -> Iterator[RuleForm]:
        library = [self.library.fact(number) for number in self.library.rules(name) if self.may(number)]
        for fact in (*library, *(each for each in self.own if each.name == name)):
            form = _form(fact)
            if form is not None:
                yield form

    def _by_function(self) -> Iterator[tuple[float, RuleForm, tuple[Term | None, ...]]]:
        """`f.induct` over the arguments of a function of the goal, or of a premise; first where they are variables."""
        seen: set[tuple[str, tuple[Term, ...]]] = set()
        premises, goal = self._stated
        places = [(0.0, goal), *((0.6, premise.prop) for premise in premises)]
        for further, name, arguments in ((cost, *each) for cost, term in places for each in _applications(term)):
            if (name, tuple(arguments)) in seen:
                continue
            seen.add((name, tuple(arguments)))
            for form in self._forms(f"{name}.induct"):
                targets = tuple(arguments)[-len(form.arguments) :] if form.arguments else ()
                variables = [t for t in targets if isinstance(t, Free)]
                if not variables or len(targets) != len(form.arguments) or any(map(loose, targets)):
                    continue
                plain = len(set(variables)) == len(targets)
                yield (1.0 if plain else 2.0) + further, form, targets

    def _by_type(self) -> Iterator[tuple[float, RuleForm, tuple[Term | None, ...]]]:
        recursed = self._recursed()
        for variable in dict.fromkeys(frees(self._stated[1])):
            if not isinstance(variable.type, Type):
                continue
            cost = 0.5 if recursed.get(variable) else 3.0 if recursed else 1.0
            for name in (f"{variable.type.name}.induct", *BY_TYPE.get(variable.type.name, ())):
                for form in self._forms(name):
                    if len(form.arguments) == 1 and not form.majors:
                        yield cost, form, (variable,)
                cost += 2.0

    def _by_premise(self) -> Iterator[tuple[float, RuleForm, tuple[Term | None, ...]]]:
        """Rules whose own premise is a given one: rule induction, and inversion."""
        names: dict[str, float] = {}
        for premise in self._stated[0]:
            formula = hol.dest_trueprop(premise.prop)
            member = None if formula is None else hol.dest_binary(hol.MEMBER, formula)
            if formula is not None and (owner := applied_constant(formula if member is None else member[1])[0]):
                names.setdefault(f"{owner}.induct", 1.2)
                names.setdefault(f"{owner}.cases", 2.5)
        for name, cost in (*names.items(), *((name, 1.1) for name in WITH_PREMISES)):
            for form in self._forms(name):
                if form.majors:
                    yield cost, form, (None,) * len(form.arguments)

    def _by_hand(self) -> Iterator[tuple[float, RuleForm, tuple[Term | None, ...]]]:
        """Rules that authors proved, for the types of the goal's variables and for given premises."""
        usable = [number for number in self.library.inductions if self.may(number)]
        own = [fact for fact in self.own if not fact.name.endswith(RULES)]
        variables = dict.fromkeys(frees(self._stated[1]))
        for fact in (*map(self.library.fact, usable[-NEAREST:]), *own):
            form = _form(fact)
            if form is None:
                continue
            if form.majors:
                yield 2.2, form, (None,) * len(form.arguments)
            elif len(form.arguments) == 1:
                for variable in variables:
                    if _constructor(form.arguments[0].type) == _constructor(variable.type) != "":
                        yield 2.7, form, (variable,)

    def _recursive_places(self, function: str) -> frozenset[int]:
        """Arguments where the equations of a function have constructors."""
        facts = [self.library.fact(number) for number in self.library.rules(f"{function}.simps")]
        facts += [fact for fact in self.own if ".simps" in fact.name]
        made = (_constructed(fact.prop) for fact in facts)
        return frozenset(place for name, places in made if name == function for place in places)

    def _recursed(self) -> dict[Free, int]:
        """For every variable how often it stands where a function of the goal recurses."""
        count: dict[Free, int] = {}
        for name, arguments in _applications(self._stated[1]):
            places = self._recursive_places(name)
            for place, argument in enumerate(arguments):
                if isinstance(argument, Free) and place in places:
                    count[argument] = count.get(argument, 0) + 1
        return count


def _applications(goal: Term) -> Iterator[tuple[str, list[Term]]]:
    for part in subterms(goal):
        name, arguments = applied_constant(part)
        if name and arguments and name not in LOGICAL:
            yield name, arguments


def _constructor(typ: MaybeTyp) -> str:
    """Of a type; empty where there is none."""
    return typ.name if isinstance(typ, Type) else ""


_form = lru_cache(maxsize=4096)(rule_form)


@lru_cache(maxsize=4096)
def _constructed(equation: Term) -> tuple[str, frozenset[int]]:
    """The function that an equation is about, and its arguments that are no variables."""
    formula = hol.dest_trueprop(hol.strip_pure_imp(equation)[1])
    sides = None if formula is None else hol.dest_binary(hol.EQ, formula)
    name, arguments = ("", []) if sides is None else applied_constant(sides[0])
    return name, frozenset(n for n, each in enumerate(arguments) if isinstance(each, App | Const | Abs))
