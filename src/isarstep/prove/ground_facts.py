"""What a problem of arithmetic says without quantifiers: conjuncts of its premises, the equations that they give for
functions at the arguments that occur, values of terms that can be computed, and library facts at roots and logarithms.

Each is a step that Isabelle repeats by the method that is named with it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import count, islice, product

from isarstep.logic import hol
from isarstep.logic.signature import Signature
from isarstep.logic.terms import (
    Abs,
    App,
    Const,
    Free,
    Term,
    Type,
    Var,
    frees,
    funs,
    instantiate,
    list_comb,
    loose,
    rebuilt,
    schematics,
    strip_comb,
    substitute,
    subterms,
)
from isarstep.prove.described_functions import (
    binders_and_body,
    describes_function,
    matched_arguments,
    range_of_recursion,
)
from isarstep.prove.domains import BOOL, COMPLEX, NAT, Undetermined, Value, number_term
from isarstep.prove.enumeration import Bounds, about, bounds, computable, for_all_within, satisfying
from isarstep.prove.executable import BuiltInOnly, Machine
from isarstep.prove.linear_values import SOLVED, Equations
from isarstep.prove.matching import Matching
from isarstep.prove.monomorphise import Named, term_type_variables
from isarstep.prove.operations import OPERATIONS_OF_CONSTANTS
from isarstep.prove.residues import CONG
from isarstep.prove.rings import nonlinear, number_of, type_of_application
from isarstep.prove.roots import FACTORED, SOLUTIONS, one_of_roots, product_of_factors
from isarstep.prove.value_steps import has_value_steps, value_steps
from isarstep.prove.verdict import OpenedGoal, Proved, ShownStep

MOST_STEPS = 80
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
    """A formula of HOL, the names of the premises from which it follows, and how; a premise itself has no method."""

    name: str
    formula: Term
    premises: tuple[str, ...]
    method: str = ""
    needs: tuple[GroundFact, ...] = ()

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
                self._split(GroundFact(premise.name, formula, (premise.name,)))
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
        known = self.known
        used = [known[leaf] for leaf in dict.fromkeys(frees(goal)) if leaf in known]
        closed = substitute(goal, lambda leaf: known[leaf][0] if type(leaf) is Free and leaf in known else None)
        return [fact for _, fact in used] if used and self._value(closed) is True else None

    def _named(self, formula: Term, needs: Sequence[GroundFact], method: str) -> GroundFact:
        self._count += 1
        premises = tuple(dict.fromkeys(name for need in needs for name in need.premises))
        return GroundFact(f"step({self._count})", formula, premises, method, tuple(needs))

    def _split(self, fact: GroundFact) -> None:
        """Keep a fact by its parts."""
        both = hol.dest_binary(hol.CONJ, fact.formula)
        if both is not None:
            for part in both:
                self._split(self._named(part, (fact,), "blast"))
        elif hol.dest_quantifier(hol.ALL, fact.formula) is not None:
            self.universal.append(fact)
        elif len(self.facts) < MOST_STEPS:
            self.facts.setdefault(fact.formula, fact)

    # Functions that premises describe

    def _instances(self, rule: GroundFact, formulas: Sequence[Term]) -> Iterator[GroundFact]:
        binders, body = binders_and_body(rule.formula)
        patterns = [t for t in subterms(body) if describes_function(t, len(binders))]
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
            if type(head) is not Free or not arguments or loose(node):
                return node
            return list_comb(head, [self._number(each) or each for each in arguments])

        return rebuilt(formula, change)

    # Values

    def _value(self, term: Term) -> Value | None:
        if frees(term) or schematics(term) or loose(term) or any(True for _ in term_type_variables(term)):
            return None
        try:
            return self.machine.evaluate(self.machine.code(term), ())
        except Undetermined:
            return None

    def _number(self, term: Term) -> Term | None:
        """The numeral of a term without variables; None where it is one already or has no value."""
        typ = type_of_application(term)
        if not isinstance(typ, Type) or typ.name not in NUMBERS or is_numeral(term):
            return None
        value = self._value(term)
        return None if value is None or callable(value) else self.machine.domain(typ).term(value)

    def _values(self, formulas: Iterable[Term]) -> None:
        """Equations for terms with a value that arithmetic alone does not see: sums, powers, `gcd`."""
        self.known = known = self._known()
        for formula in list(formulas):
            for term in self._largest_computable(formula, known):
                used = [known[leaf][1] for leaf in dict.fromkeys(frees(term))]
                closed = substitute(term, lambda leaf: known[leaf][0] if type(leaf) is Free and leaf in known else None)
                value = self._number(closed)
                if value is not None and not used:
                    self._split(self._computed_value(term, value))
                elif value is not None:
                    self._split(self._named(hol.eq(term, value, type_of_application(term)), used, "simp"))

    def _computed_value(self, term: Term, value: Term) -> GroundFact:
        """`t = v` of a term without variables, with the steps that its value needs."""
        equation = hol.eq(term, value, type_of_application(term))
        shown, method = value_steps(hol.trueprop(equation, typed=True), self.machine)
        made: list[GroundFact] = []
        for step in shown:
            made.append(self._named(step.formula, [made[place] for place in step.steps], step.method))
        used = [fact for fact, step in zip(made, shown, strict=True) if step.used]
        return self._named(equation, used, method if shown else "eval")

    def _known(self) -> dict[Free, tuple[Term, GroundFact]]:
        """Variables that premises give a value."""
        known: dict[Free, tuple[Term, GroundFact]] = {}
        for _ in range(ROUNDS):
            for fact in self.facts.values():
                sides = hol.dest_binary(hol.EQ, fact.formula)
                for left, right in (sides, sides[::-1]) if sides is not None else ():
                    if type(left) is not Free or left in known or not set(frees(right)) <= set(known):
                        continue
                    closed = substitute(
                        right, lambda leaf: known[leaf][0] if type(leaf) is Free and leaf in known else None
                    )
                    value = closed if is_numeral(closed) else self._number(closed)
                    if value is not None:
                        needs = tuple(known[leaf][1] for leaf in dict.fromkeys(frees(right)))
                        equation = hol.eq(left, value, left.type)
                        if fact.formula == equation:
                            known[left] = value, fact
                        elif not needs and sides == (left, right) and has_value_steps(right):
                            by = (fact, self._computed_value(right, value))
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
        for each in bounds([fact.formula for fact in self.facts.values()]):
            if each.variable not in known and (found := self._only_value(each)) is not None:
                known[each.variable] = found
        for leaf, (value, fact) in known.items():
            self._split(fact)
            known[leaf] = value, self.facts.get(fact.formula, fact)
        return known

    def _bounded(self, leaf: Free, power: int, most: int, by: list[GroundFact]) -> GroundFact:
        """`n ≤ c`, where n or a power of it is a part of a sum of natural numbers."""
        less_eq = Const("Orderings.ord_class.less_eq", funs((NAT, NAT), BOOL))
        if power > 1:
            raised = Const("Power.power_class.power", funs((NAT, NAT), NAT))
            larger = list_comb(raised, (leaf, number_term(Fraction(power), NAT)))
            method = f"(simp add: power{power}_eq_{'square' if power == 2 else 'cube'})"
            by = [*by, self._named(list_comb(less_eq, (leaf, larger)), (), method)]
        return self._named(list_comb(less_eq, (leaf, number_term(Fraction(most), NAT))), by, "linarith")

    def _only_root(
        self, leaf: Free, roots: Sequence[Fraction], solutions: GroundFact
    ) -> tuple[Term, GroundFact] | None:
        """The one solution with which all that is known of a variable alone holds."""
        among = [fact for fact in self.facts.values() if about(fact.formula, {leaf}) and fact is not solutions]
        left, excluding = list(dict.fromkeys(roots)), list[GroundFact]()
        for fact in among:
            values = {root: self._value(substitute(fact.formula, self._at(leaf, root))) for root in left}
            if False in values.values():
                excluding.append(fact)
                left = [root for root in left if values[root] is not False]
        if len(left) != 1 or leaf.type is None:
            return None
        value = number_term(left[0], leaf.type)
        return value, self._named(hol.eq(leaf, value, leaf.type), (solutions, *excluding), "((auto; fail) | arith)")

    @staticmethod
    def _at(leaf: Free, value: Fraction) -> Callable[[Free | Var], Term | None]:
        assert leaf.type is not None
        number = number_term(value, leaf.type)
        return lambda node: number if node == leaf else None

    def _only_value(self, within: Bounds) -> tuple[Term, GroundFact] | None:
        """The one value between its bounds with which all that is known of a variable alone holds."""
        leaf = within.variable
        among = self._asked_of([within])
        try:
            values = list(islice(satisfying(self.machine, [within], [fact.formula for fact in among]), 2))
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
        stated = [fact.formula for fact in self.facts.values()]
        within = [each for each in bounds(stated) if each.variable in frees(goal)]
        if {each.variable for each in within} != set(frees(goal)) or not within:
            return None
        for among in ([], self._asked_of(within)):  # bounds alone, if they are enough
            try:
                if not any(True for _ in satisfying(self.machine, within, [fact.formula for fact in among], goal)):
                    return self._gone_through(within, among, goal)
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
            at = {
                v: number_term(value, v.type) for v, value in zip(variables, values, strict=True) if v.type is not None
            }
            if self._value(substitute(goal, lambda leaf, at=at: at.get(leaf))) is True:  # type: ignore[misc]
                continue
            false = (f for f in among if self._value(substitute(f.formula, lambda leaf, at=at: at.get(leaf))) is False)  # type: ignore[misc]
            found = next(false, None)
            if found is None:
                return None
            excluding[found] = None
        return [*named, *excluding]

    def _largest_computable(self, term: Term, known: Mapping[Free, object]) -> Iterator[Term]:
        todo = [term]
        while todo:
            node = todo.pop()
            typ = type_of_application(node)
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
        places = dict.fromkeys(
            t
            for formula in formulas
            for t in subterms(formula)
            if type(strip_comb(t)[0]) is Const and strip_comb(t)[0].name in ABOUT and not loose(t)  # type: ignore[union-attr]
        )
        for place in places:
            head, arguments = strip_comb(place)
            assert isinstance(head, Const)
            for name in ABOUT[head.name] if arguments else ():
                for fact in self.library(head.name.partition(".")[0], name):
                    self._from_fact(fact, head.name, place)

    def _from_fact(self, fact: Named, constant: str, place: Term) -> None:
        for part in subterms(fact.prop):
            head, arguments = strip_comb(part)
            if type(head) is Const and head.name == constant and arguments and not loose(part):
                matching = Matching(self.signature)
                if matching.fits(part, place):
                    formula = hol.as_formula(matching.instance(fact.prop))
                    if formula is not None and not schematics(matching.instance(fact.prop)):
                        under = hol.dest_binary(hol.IMPLIES, formula) is not None
                        method = f"(blast intro: {fact.name})" if under else f"(rule {fact.name})"
                        plain, computed = self._named(formula, (), method), self._computed(formula)
                        if computed is not None:  # a condition that does not hold leaves nothing to say
                            self._split(plain if computed == formula else self._named(computed, (plain,), "simp"))


def is_numeral(term: Term) -> bool:
    """A number as it is written: 2, - 2, 1 / 2."""
    sides = hol.dest_binary("Rings.divide_class.divide", term)
    if sides is not None and type_of_application(term) not in (Type("Nat.nat"), Type("Int.int")):
        return number_of(sides[0]) is not None and (number_of(sides[1]) or 0) > 1
    if type(term) is App and type(term.fun) is Const and term.fun.name == "Groups.uminus_class.uminus":
        return is_numeral(term.arg)
    return number_of(term) is not None


@dataclass(frozen=True, slots=True)
class GroundProblem:
    """A goal without quantifiers in front and what is known for it."""

    facts: tuple[GroundFact, ...]
    goal: Term
    decided: tuple[str, ...] | None  # facts that give variables values with which the goal holds
    method: str = ""  # by which it follows from them
    opened: OpenedGoal | None = None  # what was asked, where that has variables or premises of its own

    def named(self) -> tuple[Named, ...]:
        return tuple(Named(fact.name, hol.trueprop(fact.formula, typed=True)) for fact in self.facts)

    def by_values(self) -> Proved | None:
        """A proof by the values of variables, to be explained."""
        if self.decided is None:
            return None
        complex_numbers = any(type_of_application(t) == COMPLEX for t in subterms(self.goal))
        if self.method:
            return Proved("eval", 0.0, self.decided, 0, self.method)
        return Proved("simp", 0.0, (*self.decided, *(("complex_eq_iff",) if complex_numbers else ())), 0)

    def explained(self, proof: Proved, last: Collection[str] | None = None) -> Proved:
        """The proof from the premises themselves, with the steps that it needs; `last`: those that its end needs."""
        by_name = {fact.name: fact for fact in self.facts}
        needed = [by_name[name] for name in proof.facts if name in by_name]
        used = [fact for fact in needed if last is None or fact.name in last]
        chain = dict.fromkeys(step for fact in needed for step in fact.chain())
        places = {step: place for place, step in enumerate(step for step in chain if step.method)}
        shown = tuple(
            ShownStep(
                step.formula,
                step.method,
                tuple(need.name for need in step.needs if not need.method),
                tuple(places[need] for need in step.needs if need.method),
                step in used,
            )
            for step in places
        )
        premises = dict.fromkeys(name for step in chain for name in step.premises)
        others = [name for name in proof.facts if name not in by_name]
        formulas = [*(fact.formula for fact in used), self.goal]
        method = method_for(formulas) if proof.by.startswith("cvc5") else proof.method
        given = tuple(dict.fromkeys(fact.name for fact in used if not fact.method))
        further = tuple(
            replace(
                step,
                steps=(
                    *(place + len(shown) for place in step.steps),
                    *(places[by_name[name]] for name in step.premises if name in by_name and by_name[name].method),
                ),
            )
            for step in proof.steps
        )
        shown = (*shown, *further)
        facts = (*premises, *others)
        return replace(proof, facts=facts, steps=shown, method=method, given=given, opened=self.opened)


def method_for(formulas: Iterable[Term]) -> str:
    """The method of Isabelle that decides such formulas."""
    nodes = [node for formula in formulas for node in subterms(formula)]
    names = {node.name for node in nodes if type(node) is Const}
    if any(map(nonlinear, nodes)):
        return NONLINEAR
    if CONG in names:
        return "(unfold cong_def, presburger)"
    whole = {"Rings.modulo_class.modulo", "Rings.dvd_class.dvd"} & names
    return "presburger" if whole else "(linarith | (simp; fail) | arith)"


def ground_problem(
    premises: Sequence[Named], goal: Term, signature: Signature, library: Lookup
) -> GroundProblem | None:
    """None where the goal says nothing about numbers."""
    formula = hol.as_formula(goal)
    if formula is None or schematics(formula):
        return None
    given, conclusion, variables = list(premises), formula, list[Free]()
    taken = {leaf.name for term in (formula, *(each.prop for each in premises)) for leaf in frees(term)}
    while True:
        binder, sides = hol.dest_quantifier(hol.ALL, conclusion), hol.dest_binary(hol.IMPLIES, conclusion)
        if binder is not None and binder.type is not None:
            name = next(name for n in count() if (name := f"{binder.name}~{n}") not in taken)
            taken.add(name)
            variables.append(Free(name, binder.type))
            conclusion = instantiate(binder.body, variables[-1])
        elif sides is not None:
            given.append(Named(f"goal({len(given)})", hol.trueprop(sides[0], typed=True)))
            conclusion = sides[1]
        else:
            break
    if not any(isinstance(t, Type) and t.name in NUMBERS for t in map(type_of_application, subterms(conclusion))):
        return None
    gathered = GroundFacts(signature, library)
    facts = gathered.gather(given, conclusion)
    decided, method = gathered.decided(conclusion), ""
    if decided is None and (decided := gathered.by_enumeration(conclusion)) is not None:
        method = "blast"
    elif decided is None and (decided := gathered.by_solutions(conclusion)) is not None:
        method = "((auto; fail) | (elim disjE; simp))"
    facts += [fact for fact in decided or () if fact not in facts]
    names = None if decided is None else tuple(fact.name for fact in decided)
    asked = hol.trueprop(conclusion, typed=True)
    if conclusion == formula:
        return GroundProblem(tuple(facts), asked, names, method)
    body = goal  # what is left without meta-connectives tells whether others are to be opened
    while (meta := hol.dest_quantifier(hol.PURE_ALL, body)) is not None or hol.dest_binary(hol.PURE_IMP, body):
        body = meta.body if meta is not None else hol.strip_pure_imp(body)[1]
    inner = hol.dest_trueprop(body)
    by_rules = inner is not None and (hol.dest_quantifier(hol.ALL, inner) or hol.dest_binary(hol.IMPLIES, inner))
    own = tuple((each.name, each.prop) for each in given[len(premises) :])
    opened = OpenedGoal(tuple(variables), own, asked, "(intro allI impI)" if by_rules else "-")
    return GroundProblem(tuple(facts), asked, names, method, opened)
