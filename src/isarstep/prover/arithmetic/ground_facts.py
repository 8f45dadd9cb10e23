"""What a problem of arithmetic says without quantifiers: conjuncts of its premises, the equations that they give for
functions at the arguments that occur, values of terms that can be computed, and library facts at roots and logarithms.

Each is a step that Isabelle repeats by the method that is named with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import islice, product

from isarstep.isabelle.context.matching import Matching
from isarstep.isabelle.context.monomorphisation import Named
from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.hol import LESS, LESS_EQ, POWER
from isarstep.isabelle.terms.signature import Signature
from isarstep.isabelle.terms.terms import (
    Abs,
    App,
    Const,
    Free,
    Term,
    Type,
    applied_constant,
    frees,
    instantiate,
    list_comb,
    loose,
    rebuilt,
    schematics,
    strip_comb,
    substitute,
    subterms,
)
from isarstep.isabelle.terms.types import type_of
from isarstep.prover.arithmetic.calculation import method_of_value, without_variables
from isarstep.prover.arithmetic.described_functions import (
    binders_and_body,
    described_functions,
    describes_function,
    matched_arguments,
    range_of_recursion,
    replaced_by,
)
from isarstep.prover.arithmetic.enumeration import (
    Bounds,
    about,
    bounds,
    computable,
    for_all_within,
    powers_below,
    satisfying_within,
)
from isarstep.prover.arithmetic.linear_values import SOLVED, Equations
from isarstep.prover.arithmetic.rings import number_of
from isarstep.prover.arithmetic.roots import FACTORED, SOLUTIONS, one_of_roots, product_of_factors
from isarstep.prover.arithmetic.value_steps import REPLACED, has_value_steps, value_steps
from isarstep.prover.values.domains import (
    BOOL,
    COMPLEX,
    INT,
    NAT,
    RAT,
    REAL,
    Undetermined,
    Value,
    number_term,
    short_enough,
)
from isarstep.prover.values.executable import BuiltInOnly, Machine
from isarstep.prover.values.operations import OPERATIONS_OF_CONSTANTS

MOST_STEPS = 80
FIELDS = (RAT, REAL, COMPLEX)
OBTAINED, OBTAINED_MARK = (NAT, INT, RAT, REAL), "e"
ROUNDS = 4
NUMBERS = ("Nat.nat", "Int.int", "Rat.rat", "Real.real", "Complex.complex")
# What provers compute by themselves, where nothing else is in the term.
COMPUTED = "((simp; fail) | (simp add: numeral_eq_Suc))"
NONLINEAR = (
    "((simp add: algebra_simps power2_eq_square power3_eq_cube; fail) | algebra"
    " | (simp add: field_simps power2_eq_square; fail) | (auto simp add: field_simps power2_eq_square))"
)
LINEAR = frozenset(
    {"Groups.plus_class.plus", "Groups.minus_class.minus", "Groups.uminus_class.uminus", "Groups.times_class.times",
     "Groups.zero_class.zero", "Groups.one_class.one", "Num.numeral_class.numeral", "Num.num.Bit0", "Num.num.Bit1",
     "Num.num.One", "Rings.divide_class.divide", "Nat.semiring_1_class.of_nat", "Int.ring_1_class.of_int"}
)  # fmt: skip
# Library facts about a function, each at every argument at which it occurs; the theory, then the fact.
ABOUT = {
    "NthRoot.sqrt": ("real_sqrt_pow2", "real_sqrt_ge_zero"),
    "Transcendental.ln_class.ln": ("ln_gt_zero", "ln_less_zero", "ln_div", "ln_mult_pos", "ln_realpow"),
    "Transcendental.log": ("log_def",),
    "Transcendental.powr": ("powr_gt_zero",),
    "Transcendental.cos": ("sin_squared_eq", "cos_ge_minus_one", "cos_le_one"),
    "Transcendental.sin": ("sin_squared_eq", "sin_ge_minus_one", "sin_le_one"),
}


@dataclass(frozen=True, slots=True)
class GroundFact:
    """A formula of HOL, how it follows and from what; a premise itself has no method."""

    name: str
    formula: Term
    method: str = ""
    needs: tuple[GroundFact, ...] = ()
    obtained: Free | None = None  # a variable for a number that exists

    def chain(self) -> Iterator[GroundFact]:
        """With all that it needs, first things first."""
        for need in self.needs:
            yield from need.chain()
        yield self


Lookup = Callable[[str, str], Sequence[Named]]  # facts of the library by theory and name


@dataclass(slots=True)
class GroundFacts:
    """Those of one problem."""

    signature: Signature
    library: Lookup
    facts: dict[Term, GroundFact] = field(default_factory=dict)
    universal: list[GroundFact] = field(default_factory=list)
    machine: Machine = field(default_factory=lambda: Machine(BuiltInOnly(), OPERATIONS_OF_CONSTANTS))
    known: dict[Free, tuple[Term, GroundFact]] = field(default_factory=dict)  # values of variables
    solutions: dict[Free, tuple[list[Fraction], GroundFact]] = field(default_factory=dict)  # of equations
    _count: int = 0

    def gather(self, premises: Sequence[Named], goal: Term) -> list[GroundFact]:
        """Everything that is found for a goal without quantifiers."""
        for premise in premises:
            formula = None if premise.here or schematics(premise.prop) else hol.as_formula(premise.prop)
            if formula is not None:
                self._split(GroundFact(premise.name, formula))
        for _ in range(ROUNDS):
            before = len(self.facts)
            formulas = [goal, *self.facts]
            for rule in self.universal:
                for instance in self._instances(rule, formulas):
                    self._split(instance)
            if len(self.facts) in (before, MOST_STEPS):
                break
        formulas = [goal, *self.facts]
        self._values(formulas)
        self._from_library(formulas)
        return list(self.facts.values())

    def decided(self, goal: Term) -> list[GroundFact] | None:
        """The values of variables by which a goal is seen to hold."""
        functions = described_functions([rule.formula for rule in self.universal])
        values = {leaf: value for leaf, (value, _) in self.known.items()}
        values |= {leaf: value for leaf, (value, _) in functions.items() if leaf not in values}
        closed = replaced_by(goal, values)
        if closed == goal or self._value(closed) is not True:
            return None
        reached = dict.fromkeys(leaf for leaf in frees(goal) if leaf in values)
        for leaf in list(reached):
            reached |= dict.fromkeys(inner for inner in frees(values[leaf]) if inner in values)
        used = [self.known[leaf][1] if leaf in self.known else self.universal[functions[leaf][1]] for leaf in reached]
        return [*used, self._held(closed)]

    def _held(self, formula: Term) -> GroundFact:
        """That a formula without variables holds, with the steps that its value needs."""
        shown, method = value_steps(hol.trueprop(formula, typed=True), self.machine)
        made: list[GroundFact] = []
        for step in shown:
            made.append(self._named(step.formula, [made[place] for place in step.steps], step.method))
        used = [fact for fact, step in zip(made, shown, strict=True) if step.used]
        return self._named(formula, used, method if shown else method_of_value(formula, self.machine))

    def _named(self, formula: Term, needs: Sequence[GroundFact], method: str) -> GroundFact:
        self._count += 1
        return GroundFact(f"step({self._count})", formula, method, tuple(needs))

    def _split(self, fact: GroundFact) -> None:
        """Keep a fact by its parts."""
        both = hol.dest_binary(hol.CONJ, fact.formula)
        if both is not None:
            for part in both:
                self._split(self._named(part, (fact,), "blast"))
        elif hol.dest_quantifier(hol.ALL, fact.formula) is not None:
            self.universal.append(fact)
        elif (binder := hol.dest_quantifier(hol.EX, fact.formula)) is not None and binder.type in OBTAINED:
            self._count += 1
            variable = Free(f"{binder.name}~{OBTAINED_MARK}{self._count}", binder.type)
            made = self._named(instantiate(binder.body, variable), (fact,), "blast")
            self._split(replace(made, obtained=variable))
        elif len(self.facts) < MOST_STEPS:
            self.facts.setdefault(fact.formula, fact)

    # Functions that premises describe

    def _instances(self, rule: GroundFact, formulas: Sequence[Term]) -> Iterator[GroundFact]:
        binders, body = binders_and_body(rule.formula)
        patterns = [t for t in subterms(body) if describes_function(t, len(binders))]
        if not patterns and len(binders) == 1 and binders[0] in FIELDS and hol.dest_binary(hol.EQ, body) is not None:
            for number in (0, 1, -1):
                yield from self._instance(rule, (number_term(Fraction(number), binders[0]),))
        if not patterns or not all(isinstance(binder, Type) for binder in binders):
            return
        pattern = patterns[0]
        function = strip_comb(pattern)[0]
        occurring = [
            t for formula in formulas for t in subterms(formula) if strip_comb(t)[0] == function and not loose(t)
        ]
        occurring = [t for t in dict.fromkeys(occurring) if len(strip_comb(t)[1]) == len(strip_comb(pattern)[1])]
        recursive = len({t for t in subterms(body) if strip_comb(t)[0] == function and type(t) is App}) > 1
        found: dict[tuple[Term, ...], None] = {}
        if recursive:
            if len(binders) == 1 and binders[0] == Type("Nat.nat"):
                found = dict.fromkeys(
                    (number_term(Fraction(n), binders[0]),) for n in range_of_recursion(pattern, occurring)
                )
        else:
            for term in occurring:
                values = matched_arguments(strip_comb(pattern)[1], strip_comb(term)[1], binders)
                if values is not None:
                    found[values] = None
        for values in found:
            yield from self._instance(rule, values)

    def _instance(self, rule: GroundFact, values: Sequence[Term]) -> Iterator[GroundFact]:
        formula = rule.formula
        for value in values:
            binder = hol.dest_quantifier(hol.ALL, formula)
            assert binder is not None
            formula = instantiate(binder.body, value)
        plain = self._named(formula, (rule,), "blast")
        computed = self._computed(formula)
        if computed is None:
            return
        yield (plain if computed == formula else self._named(computed, (plain,), COMPUTED))

    def _computed(self, formula: Term) -> Term | None:
        """With arguments that are numbers computed, and without conditions that hold; None where one does not."""
        while (sides := hol.dest_binary(hol.IMPLIES, formula)) is not None:
            truth = self._value(sides[0])
            if truth is None:
                break
            if truth is False:
                return None
            formula = sides[1]

        def change(node: Term) -> Term:
            head, arguments = strip_comb(node)
            if type(head) is Const and head.name == POWER and arguments and not frees(node):
                return self._number(node) or node
            if type(head) is not Free or not arguments or loose(node):
                return node
            return list_comb(head, [self._number(each) or each for each in arguments])

        return rebuilt(formula, change)

    # Values

    def _value(self, term: Term) -> Value | None:
        return self.machine.value(term) if without_variables(term) else None

    def _number(self, term: Term) -> Term | None:
        """The numeral of a term without variables; None where it is one already or has no value."""
        typ = type_of(term)
        if not isinstance(typ, Type) or typ.name not in NUMBERS or is_numeral(term):
            return None
        value = self._value(term)
        if value is None or callable(value) or (isinstance(value, int | Fraction) and not short_enough(value)):
            return None
        return self.machine.domain(typ).term(value)

    def _values(self, formulas: Iterable[Term]) -> None:
        """Equations for terms with a value that arithmetic alone does not see: sums, powers, `gcd`."""
        self.known = known = self._known()
        for formula in list(formulas):
            for term in self._largest_computable(formula, known):
                used = [known[leaf][1] for leaf in dict.fromkeys(frees(term))]
                value = self._number(_with_known(term, known))
                if value is not None:
                    equation = hol.eq(term, value, type_of(term))
                    self._split(self._named(equation, used, "simp") if used else self._held(equation))

    def _known(self) -> dict[Free, tuple[Term, GroundFact]]:
        """Variables that premises give a value."""
        known: dict[Free, tuple[Term, GroundFact]] = {}
        for _ in range(ROUNDS):
            for fact in self.facts.values():
                sides = hol.dest_binary(hol.EQ, fact.formula)
                for left, right in (sides, sides[::-1]) if sides is not None else ():
                    if type(left) is not Free or left in known or not set(frees(right)) <= set(known):
                        continue
                    closed = _with_known(right, known)
                    value = closed if is_numeral(closed) else self._number(closed)
                    if value is not None:
                        needs = tuple(known[leaf][1] for leaf in dict.fromkeys(frees(right)))
                        equation = hol.eq(left, value, left.type)
                        if fact.formula == equation:
                            known[left] = value, fact
                        elif not needs and sides == (left, right) and has_value_steps(right):
                            by = (fact, self._held(hol.eq(right, value, left.type)))
                            known[left] = value, self._named(equation, by, "(rule trans)")
                        else:
                            known[left] = value, self._named(equation, (fact, *needs), "simp")
        by_name = {fact.name: fact for fact in self.facts.values()}
        stated = [Named(name, hol.trueprop(fact.formula, typed=True)) for name, fact in by_name.items()]
        equations = Equations(stated, self.signature)
        for leaf, value, names in equations.values():
            if leaf not in known:
                equation = hol.eq(leaf, value, leaf.type)
                needed = [by_name[name] for name in by_name if name in names]
                known[leaf] = value, self._named(equation, needed, SOLVED)
        for leaf, power, most, names in equations.upper_bounds():
            self._split(self._bounded(leaf, power, most, [by_name[name] for name in by_name if name in names]))
        for leaf, roots, names in equations.roots():
            factored = product_of_factors(leaf, roots)
            product = self._named(factored, [by_name[name] for name in by_name if name in names], FACTORED)
            solutions = self._named(one_of_roots(leaf, roots), (product,), SOLUTIONS)
            self._split(solutions)
            self.solutions.setdefault(leaf, (list(dict.fromkeys(roots)), solutions))
            if leaf not in known and (only := self._only_root(leaf, roots, solutions)) is not None:
                known[leaf] = only
        for _ in range(ROUNDS):
            before = len(known)
            self._roots_of_bounds()
            for each in bounds([fact.formula for fact in self.facts.values()]):
                if each.variable not in known and (found := self._only_value(each)) is not None:
                    known[each.variable] = found
            if len(known) == before:
                break
            self._with_values(known)
        for leaf, (value, fact) in known.items():
            self._split(fact)
            known[leaf] = value, self.facts.get(fact.formula, fact)
        return known

    def _roots_of_bounds(self) -> None:
        """`x < c` for natural numbers of which a power is at most as large as what bounded ones allow."""
        high = {each.variable: each for each in bounds([fact.formula for fact in self.facts.values()])}
        stated = list(self.facts.values())
        for fact in stated:
            for leaf, power, least in powers_below(fact.formula, {v: each.high for v, each in high.items()}):
                if leaf in high:
                    continue
                number = number_term(Fraction(least), NAT)
                by = [fact, *(stated[place] for v in frees(fact.formula) if v in high for place in high[v].places)]
                method = "((simp; fail) | linarith | (auto; fail) | arith)"
                larger = self._named(
                    hol.binary(LESS, _raised(leaf, power), _raised(number, power), NAT, BOOL), by, method
                )
                method = "(rule power_less_imp_less_base, simp)"
                self._split(self._named(hol.binary(LESS, leaf, number, NAT, BOOL), (larger,), method))

    def _with_values(self, known: Mapping[Free, tuple[Term, GroundFact]]) -> None:
        """Facts about whole numbers with the values of some of their variables."""
        for fact in list(self.facts.values()):
            inside = dict.fromkeys(leaf for leaf in frees(fact.formula) if leaf in known)
            others = [leaf for leaf in frees(fact.formula) if leaf not in known]
            if inside and others and all(leaf.type in (NAT, INT) for leaf in others):
                formula = _with_known(fact.formula, known)
                self._split(self._named(formula, (fact, *(known[leaf][1] for leaf in inside)), REPLACED))

    def _bounded(self, leaf: Free, power: int, most: int, by: list[GroundFact]) -> GroundFact:
        """`n ≤ c`, where n or a power of it is a part of a sum of natural numbers."""
        if power > 1:
            method = f"(simp add: power{power}_eq_{'square' if power == 2 else 'cube'})"
            by = [*by, self._named(hol.binary(LESS_EQ, leaf, _raised(leaf, power), NAT, BOOL), (), method)]
        at_most = hol.binary(LESS_EQ, leaf, number_term(Fraction(most), NAT), NAT, BOOL)
        return self._named(at_most, by, "linarith")

    def _only_root(
        self, leaf: Free, roots: Sequence[Fraction], solutions: GroundFact
    ) -> tuple[Term, GroundFact] | None:
        """The one solution with which all that is known of a variable alone holds."""
        among = [fact for fact in self.facts.values() if about(fact.formula, {leaf}) and fact is not solutions]
        left, excluding = list(dict.fromkeys(roots)), list[GroundFact]()
        for fact in among:
            values = {root: self._value(_at(fact.formula, {leaf: root})) for root in left}
            if False in values.values():
                excluding.append(fact)
                left = [root for root in left if values[root] is not False]
        if len(left) != 1 or leaf.type is None:
            return None
        value = number_term(left[0], leaf.type)
        return value, self._named(hol.eq(leaf, value, leaf.type), (solutions, *excluding), "((auto; fail) | arith)")

    def _only_value(self, within: Bounds) -> tuple[Term, GroundFact] | None:
        """The one value between its bounds with which all that is known of a variable alone holds."""
        leaf = within.variable
        among = self._asked_of([within])
        try:
            values = list(islice(satisfying_within(self.machine, [within], [fact.formula for fact in among]), 2))
        except Undetermined:
            return None
        if len(values) != 1 or leaf.type is None:
            return None
        value = number_term(Fraction(values[0][0]), leaf.type)
        equation = hol.eq(leaf, value, leaf.type)
        return value, self._named(equation, self._gone_through([within], among, equation), "blast")

    def _asked_of(self, within: Sequence[Bounds]) -> list[GroundFact]:
        """What is known of some variables alone, but their bounds."""
        stated = list(self.facts.values())
        their_own = {place for each in within for place in each.places}
        variables = {each.variable for each in within}
        return [
            fact
            for place, fact in enumerate(stated)
            if place not in their_own
            and about(fact.formula, variables)
            and computable(self.machine, within, fact.formula)
        ]

    def _gone_through(self, within: Sequence[Bounds], among: Sequence[GroundFact], goal: Term) -> list[GroundFact]:
        """That a formula holds for all values, that the variables have some of these, and what is known of them."""
        stated = list(self.facts.values())
        everywhere = self._named(for_all_within(within, [fact.formula for fact in among], goal), (), "eval")
        inside = [self._named(each.membership, [stated[n] for n in each.places], "simp") for each in within]
        return [everywhere, *inside, *among]

    def by_enumeration(self, goal: Term) -> list[GroundFact] | None:
        """Facts from which a goal follows at once, where it holds for all values that its variables can have."""
        everywhere = bounds([fact.formula for fact in self.facts.values()])
        within = [each for each in everywhere if each.variable in frees(goal)]
        if {each.variable for each in within} != set(frees(goal)) or not within:
            return None
        # Bounds alone, if they are enough; then with what is known of these variables, and of others beside them.
        for variables, among in (
            (within, []),
            (within, self._asked_of(within)),
            (everywhere, self._asked_of(everywhere)),
        ):
            try:
                found = satisfying_within(self.machine, variables, [fact.formula for fact in among], goal)
                if not any(True for _ in found):
                    return self._gone_through(variables, among, goal)
            except Undetermined:
                return None
        return None

    def by_solutions(self, goal: Term) -> list[GroundFact] | None:
        """Facts from which a goal follows by cases, where it holds for all solutions that its variables can have."""
        variables = list(dict.fromkeys(frees(goal)))
        if not variables or not all(variable in self.solutions for variable in variables):
            return None
        roots = [self.solutions[variable][0] for variable in variables]
        named = [self.solutions[variable][1] for variable in variables]
        among = [fact for fact in self.facts.values() if about(fact.formula, set(variables)) and fact not in named]
        excluding: dict[GroundFact, None] = {}
        for values in product(*roots):
            at = dict(zip(variables, values, strict=True))
            if self._value(_at(goal, at)) is True:
                continue
            found = next((fact for fact in among if self._value(_at(fact.formula, at)) is False), None)
            if found is None:
                return None
            excluding[found] = None
        return [*named, *excluding]

    def _largest_computable(self, term: Term, known: Mapping[Free, object]) -> Iterator[Term]:
        todo = [term]
        while todo:
            node = todo.pop()
            typ = type_of(node)
            if (
                isinstance(typ, Type)
                and typ.name in NUMBERS
                and not loose(node)
                and set(frees(node)) <= set(known)
                and any(type(c) is Const and c.name not in LINEAR for c in subterms(node))
            ):
                yield node
                continue
            todo += [node.fun, node.arg] if type(node) is App else [node.body] if type(node) is Abs else []

    # The library

    def _from_library(self, formulas: Iterable[Term]) -> None:
        for place in dict.fromkeys(term for formula in formulas for term in subterms(formula)):
            constant, arguments = applied_constant(place)
            for name in ABOUT.get(constant, ()) if arguments and not loose(place) else ():
                for fact in self.library(constant.partition(".")[0], name):
                    self._from_fact(fact, constant, place)

    def _from_fact(self, fact: Named, constant: str, place: Term) -> None:
        for part in subterms(fact.prop):
            name, arguments = applied_constant(part)
            if name == constant and arguments and not loose(part):
                matching = Matching(self.signature)
                if matching.fits(part, place):
                    formula = hol.as_formula(matching.instance(fact.prop))
                    if formula is not None and not schematics(matching.instance(fact.prop)):
                        under = hol.dest_binary(hol.IMPLIES, formula) is not None
                        method = f"(blast intro: {fact.name})" if under else f"(rule {fact.name})"
                        plain, computed = self._named(formula, (), method), self._computed(formula)
                        if computed is not None:  # a condition that does not hold leaves nothing to say
                            self._split(plain if computed == formula else self._named(computed, (plain,), "simp"))


def _with_known(term: Term, known: Mapping[Free, tuple[Term, GroundFact]]) -> Term:
    """With the values of variables."""
    return substitute(term, lambda leaf: known[leaf][0] if type(leaf) is Free and leaf in known else None)


def _at(term: Term, values: Mapping[Free, Fraction]) -> Term:
    """With numbers in the place of variables."""
    numbers = {leaf: number_term(value, leaf.type) for leaf, value in values.items() if leaf.type is not None}
    return substitute(term, lambda leaf: numbers.get(leaf) if type(leaf) is Free else None)


def _raised(base: Term, power: int) -> Term:
    """Of natural numbers."""
    return hol.binary(POWER, base, number_term(Fraction(power), NAT), NAT)


def is_numeral(term: Term) -> bool:
    """A number as it is written: 2, - 2, 1 / 2."""
    match applied_constant(term):
        case hol.DIVIDE, [left, right] if type_of(term) not in (NAT, INT):
            return number_of(left) is not None and (number_of(right) or 0) > 1
        case hol.UMINUS, [inner]:
            return is_numeral(inner)
    return number_of(term) is not None
