"""Looking for values that make premises true and a conclusion false, as Quickcheck does.

Small values first, then random ones from a fixed seed, type variables at small finite types or at numbers. A premise
is asked as soon as its variables have values; `x = t` gives `x` its value. What is found is evaluated once more from
its terms before it is told: premises and conclusion with the values in place of the variables.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import count

from isarstep.isabelle.context.monomorphisation import term_type_variables
from isarstep.isabelle.terms.hol import dest_binary, dest_trueprop, fixed_and_assumed, pure_all, quantified
from isarstep.isabelle.terms.normal_forms import beta_normal
from isarstep.isabelle.terms.signature import Signature
from isarstep.isabelle.terms.terms import (
    Free,
    Term,
    TFree,
    TVar,
    Typ,
    Type,
    Var,
    schematics,
    substitute,
    substitute_types,
    subterms,
)
from isarstep.isabelle.terms.types import instantiate_type
from isarstep.prover.values.domains import Domain, Undetermined, Value
from isarstep.prover.values.executable import (
    FINITE,
    MOST_STEPS_OF_VALUE,
    BuiltInOnly,
    Code,
    Machine,
    environment,
    never,
)
from isarstep.prover.values.operations import OPERATIONS_OF_CONSTANTS

SEED = 2026
MANY = 20_000
# Sizes of values, and how often a variable gets one. Of small types all values are taken, at last whatever it takes.
ROUNDS = ((2, 400), (3, 400), (4, 400), (6, 400), (6, MANY))
PLAIN = frozenset(
    {"HOL.type", "Finite_Set.finite", "HOL.equal", "Countable.countable", "Typerep.typerep", "Code_Evaluation.term_of"}
)
INSTANCES = (
    Type("Nat.nat"), Type("Int.int"), Type(f"{FINITE}3"), Type("Set.set", (Type(f"{FINITE}2"),)), Type("Rat.rat"),
    Type(f"{FINITE}2"), Type("Real.real"), Type("HOL.bool"), Type("Complex.complex"), Type("Product_Type.unit"),
)  # fmt: skip
MOST_INSTANCES = 6
MOST_UNDETERMINED = 20  # assignments in one round without a value: nothing here can be computed
Variable = Free | Var


@dataclass(frozen=True)
class Counterexample:
    """Values of the variables, as terms, and what type variables stand for."""

    values: tuple[tuple[Variable, Term], ...]
    types: tuple[tuple[TFree | TVar, Typ], ...] = ()


@dataclass
class RefutationSearch:
    """What a search has seen: assignments that satisfy the premises, and how the conclusion came out."""

    satisfying: int = 0  # different ones, with a determined conclusion
    undetermined: int = 0
    tried: int = 0
    asked: int = 0  # ways to read type variables under which values were made
    why_not: str = "no type that the variables' sorts allow"  # where none was asked
    out_of_time: bool = False
    counterexample: Counterexample | None = None
    seen: set[object] = field(default_factory=set)


@dataclass(frozen=True)
class CheckedClaim:
    """A conclusion under premises, ready to be evaluated at some types: variables are bound, the last one
    innermost."""

    terms: Sequence[Term]  # the conclusion last
    types: dict[Typ, Typ] = field(hash=False)
    variables: tuple[Variable, ...]
    domains: tuple[Domain, ...]
    premises: tuple[tuple[int, Code], ...]  # each with the number of variables that it needs
    solved: dict[int, Code] = field(hash=False)  # place of a variable -> its value from those before it
    conclusion: Code


class Refuter:
    """Looks for counterexamples with one set of meanings."""

    def __init__(self, meanings: BuiltInOnly, signature: Signature, steps: int = MOST_STEPS_OF_VALUE) -> None:
        self.machine = Machine(meanings, OPERATIONS_OF_CONSTANTS, steps)
        self._meanings, self._signature = meanings, signature

    def search(
        self,
        premises: Sequence[Term],
        conclusion: Term,
        seconds: float = 1.0,
        wanted: int | None = None,
        hopeless: float | None = None,
    ) -> RefutationSearch:
        """Stops at a counterexample, at the time limit, or when `wanted` assignments satisfy the premises; after
        `hopeless` seconds where none has."""
        start = time.thread_time()
        until, first = start + seconds, start + (seconds if hopeless is None else hopeless)

        def end() -> float:
            return until if found.satisfying else first

        found = RefutationSearch()
        # A premise with schematic variables holds for all their values, not for those that are tried.
        given, numbers = [quantified(pure_all, schematics(premise), premise) for premise in premises], count(1)
        _, more, conclusion = fixed_and_assumed(conclusion, lambda name: f"{name or 'x'}~{next(numbers)}", pure=True)
        hopeful: Iterable[CheckedClaim] = self._claims((*given, *more, conclusion), found)
        for size, most in ROUNDS:  # small values at all types, then larger ones
            left = []
            for each in hopeful:
                satisfying, undetermined = found.satisfying, found.undetermined
                began = time.thread_time()
                # No type gets more than half of the time that is left.
                half = partial(lambda began: (began + end()) / 2, began)
                for values in self._assignments(each, size, most, half, found):
                    self._judge(each, values, found)
                    if found.counterexample or (wanted is not None and found.satisfying >= wanted):
                        return found
                if time.thread_time() > end():
                    return found
                if found.satisfying > satisfying or found.undetermined <= undetermined + MOST_UNDETERMINED:
                    left.append(each)
            hopeful = left
        return found

    def _claims(self, terms: Sequence[Term], found: RefutationSearch) -> Iterator[CheckedClaim]:
        """The claim at each choice of types for its type variables, where values can be made."""
        for types in self._instances(terms):
            instance = partial(instantiate_type, replacement=types)
            claim = self._claim([substitute_types(term, instance) for term in terms] if types else terms, types)
            if isinstance(claim, str):
                found.why_not = claim
            else:
                found.asked += 1
                yield claim

    def _judge(self, claim: CheckedClaim, values: Sequence[Value], found: RefutationSearch) -> None:
        known = (_key(domain, value) for domain, value in zip(claim.domains, values, strict=True))
        key = (*known, *claim.types.values())
        if key in found.seen:
            return
        try:
            holds = self.machine.evaluate(claim.conclusion, environment(values))
        except Undetermined:
            found.undetermined += 1
            return
        found.seen.add(key)
        found.satisfying += 1
        if not holds:
            shown = self._confirmed(claim, values)
            if shown is not None:
                found.counterexample = Counterexample(shown, tuple(claim.types.items()))  # type: ignore[arg-type]

    def _confirmed(self, claim: CheckedClaim, values: Sequence[Value]) -> tuple[tuple[Variable, Term], ...] | None:
        """The values as terms, where premises are true and the conclusion is false once more with these terms in place
        of the variables, read by a machine that has seen nothing yet."""
        fresh = Machine(self._meanings, OPERATIONS_OF_CONSTANTS)
        try:
            made = [domain.term(value) for domain, value in zip(claim.domains, values, strict=True)]
            known = dict(zip(claim.variables, made, strict=True))
            closed = [beta_normal(substitute(term, known.get)) for term in claim.terms]
            truths = [fresh.evaluate(fresh.code(term), ()) for term in closed]
        except (Undetermined, NotImplementedError):
            return None
        if not all(truths[:-1]) or truths[-1]:
            return None
        return tuple(zip(claim.variables, made, strict=True))

    def _instances(self, terms: Sequence[Term]) -> Iterator[dict[Typ, Typ]]:
        """What type variables stand for."""
        variables = list(dict.fromkeys(v for term in terms for v in term_type_variables(term)))
        if not variables:
            yield {}
            return
        choices = [self._types_for(variable) for variable in variables]
        if not all(choices):
            return
        for turn in range(max(map(len, choices))):
            yield {v: each[min(turn, len(each) - 1)] for v, each in zip(variables, choices, strict=True)}

    def _types_for(self, variable: TFree | TVar) -> Sequence[Typ]:
        if set(variable.sort) <= PLAIN:
            one, two, three = (Type(f"{FINITE}{count}") for count in (1, 2, 3))
            of_sort = self._signature.of_sort
            return [t for t in (two, one, three, Type("Nat.nat")) if t in (two, three) or of_sort(t, variable.sort)]
        return [typ for typ in INSTANCES if self._signature.of_sort(typ, variable.sort)][:MOST_INSTANCES]

    def _claim(self, whole: Sequence[Term], types: dict[Typ, Typ]) -> CheckedClaim | str:
        """Or why no values need be made: some part has none whatever they are."""
        *premises, conclusion = whole
        variables = list(dict.fromkeys(variable for term in whole for variable in _variables(term)))
        if len({(type(v), v.name, getattr(v, "index", 0)) for v in variables}) < len(variables):
            return "one name at two types"
        try:
            domains = {v: self.machine.domain(v.type or Type("")) for v in variables}
        except (Undetermined, RecursionError):
            return "a type without known values"
        defined = _definitions(premises, variables)
        order = [v for v in variables if v not in defined] + list(defined)
        solved = {}
        for place, variable in enumerate(order):
            if variable in defined:
                solved[place] = self.machine.code_over(order[:place], defined[variable])
        asked = []
        for premise in premises:
            needed = max((order.index(variable) + 1 for variable in _variables(premise)), default=0)
            asked.append((needed, self.machine.code_over(order[:needed], premise)))
        conclusion_code = self.machine.code_over(order, conclusion)
        if never in (conclusion_code, *solved.values(), *(code for _, code in asked)):
            return "a constant that nothing computes"
        made = tuple(domains[v] for v in order)
        return CheckedClaim(whole, types, tuple(order), made, tuple(asked), solved, conclusion_code)

    def _assignments(
        self, claim: CheckedClaim, size: int, most: int, until: Callable[[], float], found: RefutationSearch
    ) -> Iterator[tuple[Value, ...]]:
        """Values under which the premises hold: depth first, each variable through some values of this size."""
        chance = random.Random(SEED * 1_000 + size)
        count = len(claim.variables)
        per_variable = max(2, min(12 if most < MANY else 24, int(most ** (1 / max(1, count))) + size // 2))
        left = most
        at_depth: list[list[Code]] = [[] for _ in range(count + 1)]
        for needed, code in claim.premises:
            at_depth[needed].append(code)

        def choices(place: int, env: Value) -> Iterator[Value]:
            if place in claim.solved:
                with suppress(Undetermined):
                    yield self.machine.evaluate(claim.solved[place], env)
                return
            domain = claim.domains[place]
            if domain.every is not None and (most >= MANY or len(domain.every) <= per_variable):
                some = list(domain.every)
            else:
                try:
                    known = domain.small(min(size + 1, per_variable))
                    some = known + [domain.random(chance, size) for _ in range(per_variable - len(known) + 1)]
                except (Undetermined, RecursionError):
                    return
            if place:
                chance.shuffle(some)
            yield from some

        def go(place: int, env: Value, values: tuple[Value, ...]) -> Iterator[tuple[Value, ...]]:
            nonlocal left
            left -= 1
            if left >= 0 and time.thread_time() > until():
                left, found.out_of_time = -1, True
            if left < 0:
                return
            for code in at_depth[place]:
                try:
                    if not self.machine.evaluate(code, env):
                        return
                except Undetermined:
                    found.undetermined += 1
                    return
            if place == count:
                found.tried += 1
                yield values
                return
            for value in choices(place, env):
                yield from go(place + 1, (value, env), (*values, value))

        yield from go(0, (), ())


def _key(domain: Domain, value: Value) -> object:
    try:
        return domain.normal(value)
    except Undetermined:
        return id(value)


def _definitions(premises: Sequence[Term], variables: Sequence[Variable]) -> dict[Variable, Term]:
    """Variables that a premise `x = t` says, where `t` does not depend on them."""
    found: dict[Variable, Term] = {}
    for premise in premises:
        formula = dest_trueprop(premise)
        sides = dest_binary("HOL.eq", formula) if formula is not None else None
        if sides is None:
            continue
        for one, other in (sides, sides[::-1]):
            if (type(one) is Free or type(one) is Var) and one not in found and one in variables:
                inside, before = _variables(other), {v for t in found.values() for v in _variables(t)}
                if not inside.keys() & found.keys() and one not in inside and one not in before:
                    found[one] = other
                    break
    return found


def _variables(term: Term) -> dict[Variable, None]:
    return dict.fromkeys(node for node in subterms(term) if type(node) is Free or type(node) is Var)
