"""Goals about ordered numbers by contradiction, case by case: the goal's negation is assumed, with the sign of what
stands under an absolute value or which side of a disjunction holds, and a sum of products of what is then known is
less than 0 and equal to it.

A prover of linear arithmetic finds which products are needed; the sum is computed exactly, and is what is printed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial, reduce
from itertools import chain, combinations_with_replacement, islice

from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.hol import LESS, LESS_EQ
from isarstep.isabelle.terms.signature import Signature
from isarstep.isabelle.terms.terms import (
    Const,
    Term,
    Typ,
    applied_constant,
    loose,
    strip_comb,
    strip_fun,
    subterms,
)
from isarstep.prover.arithmetic.calculation import IDENTITY
from isarstep.prover.arithmetic.certificates import (
    QUOTIENTS,
    Inequality,
    at_least_zero,
    atoms_of,
    bases,
    completed_squares,
    inequalities,
    inequality,
    over_monomials,
    plain_difference,
    product_of_signs,
    square_of,
    total_of,
)
from isarstep.prover.arithmetic.ground_facts import GroundFact
from isarstep.prover.arithmetic.ground_problem import GroundProblem
from isarstep.prover.arithmetic.multipliers import contradiction
from isarstep.prover.arithmetic.rings import Monomial, Normaliser, TooLarge, minus, times
from isarstep.prover.encode.formula import Entailment, Sym, Truth
from isarstep.prover.outcomes.verdict import ASSUME, CLOSE, Proved
from isarstep.prover.values.domains import BOOL, number_term

MOST_CASES = 12
MOST_SPLITS = 4
MOST_SQUARES = 24
MOST_COMPLETED = 8
MOST_PRODUCTS = 60
MOST_EQUATIONS = 6
MOST_ATOMS = 6
LARGER_OR_SMALLER = ("Orderings.ord_class.max", "Orderings.ord_class.min")
FALSE = Const("HOL.False", BOOL)
# `linarith` takes 2 * (c - x * y) for another term than x * y; `argo` knows reals alone, `presburger` integers.
SUMMED = "(argo | linarith | presburger)"
LAST = "(linarith | argo | (auto; fail) | blast)"
CONDITION = "(argo | (simp add: not_less not_le; fail) | force)"
# Which facts of a linear problem contradict each other; None where they do not, or where nobody knows.
Core = Callable[[Entailment], Sequence[str] | None]
Alternatives = list[tuple[Term, ...]]  # one of these holds, each a list of comparisons that hold together


@dataclass(frozen=True)
class CaseSplit:
    """Cases of which one holds, and the fact that says so; none where that is known of all numbers."""

    cases: Alternatives = field(hash=False)
    fact: GroundFact | None


def by_contradiction(problem: GroundProblem, signature: Signature, core: Core) -> Proved | None:
    """A proof with its steps; None where none is found."""
    formula = hol.dest_trueprop(problem.goal)
    denied = None if formula is None else alternatives(formula, holds=False)
    if not denied or len(denied) > MOST_CASES:
        return None
    types = {made.type for case in denied for literal in case if (made := inequality(literal)) is not None}
    if len(types) != 1:
        return None
    search = _Search(problem, types.pop(), signature, core)
    try:
        denials = search.impossible(denied)
    except (TooLarge, RecursionError):
        return None
    if denials is None:
        return None
    # What blocks use of the outside is shown before they begin.
    inside = dict.fromkeys(fact for denial in denials for fact in denial.chain() if _made_here(fact))
    outside = dict.fromkeys(
        (*(need for fact in inside for need in fact.needs if not _made_here(need)), *search.split_by)
    )
    facts = tuple(dict.fromkeys((*problem.facts, *outside, *denials)))
    proof = Proved("cvc5-linear", 0.0, tuple(fact.name for fact in (*outside, *denials)), 0)
    last = {fact.name for fact in (*search.split_by, *denials)}
    return replace(replace(problem, facts=facts).explained(proof, last), method=LAST)


def alternatives(formula: Term, *, holds: bool) -> Alternatives | None:
    """Comparisons of ordered numbers that say that a formula holds, or does not; None where it says something else."""
    name, arguments = applied_constant(formula)
    if name == hol.NOT and len(arguments) == 1:
        return alternatives(arguments[0], holds=not holds)
    if name in (hol.CONJ, hol.DISJ, hol.IMPLIES) and len(arguments) == 2:
        left = alternatives(arguments[0], holds=holds if name != hol.IMPLIES else not holds)
        right = alternatives(arguments[1], holds=holds)
        if left is None or right is None:
            return None
        if (name == hol.CONJ) == holds:
            both = [(*one, *other) for one in left for other in right]
            return both if len(both) <= MOST_CASES else None
        return [*left, *right]
    compared = inequality(formula)
    if compared is None:
        return None
    low, high, typ = compared.low, compared.high, compared.type
    if holds:
        return [(formula,)]
    if compared.name == hol.EQ:
        return [(hol.binary(LESS, low, high, typ, BOOL),), (hol.binary(LESS, high, low, typ, BOOL),)]
    return [(hol.binary(LESS_EQ if compared.name == LESS else LESS, high, low, typ, BOOL),)]


def signs(terms: Sequence[Term], typ: Typ) -> Iterator[tuple[Term, ...]]:
    """Terms whose order decides what `abs`, `max` and `min` are: `0, t` for an absolute value."""
    seen: dict[tuple[Term, ...], None] = {}
    for node in (node for term in terms for node in subterms(term)):
        head, arguments = strip_comb(node)
        if type(head) is not Const or head.type is None or loose(node) or strip_fun(head.type)[1] != typ:
            continue
        if head.name == "Groups.abs_class.abs" and len(arguments) == 1:
            seen[number_term(Fraction(0), typ), arguments[0]] = None
        elif head.name in LARGER_OR_SMALLER and len(arguments) == 2:
            seen[tuple(arguments)] = None
    yield from seen


class _Search:
    """One problem: what is known, how it can be split, and which facts were used."""

    def __init__(self, problem: GroundProblem, typ: Typ, signature: Signature, core: Core) -> None:
        self.type, self.core, self.signature = typ, core, signature
        self.facts = problem.facts
        self.named = problem.named()
        self.split_by: dict[GroundFact, None] = {}
        self.known: list[Inequality] = []
        self.splits: list[CaseSplit] = []
        self.count = 0
        further: list[CaseSplit] = []
        for fact in problem.facts:
            found = alternatives(fact.formula, holds=True)
            if found is None or any((one := inequality(each)) is None or one.type != typ for c in found for each in c):
                continue
            if len(found) == 1:
                self.known += [self._literal(literal, fact) for literal in found[0]]
            else:
                further.append(CaseSplit(found, fact))
        further = [split for split in further if not self._condition_holds(split)]
        formula = hol.dest_trueprop(problem.goal)
        assert formula is not None
        for low, high in signs([formula, *(fact.formula for fact in problem.facts)], typ):
            self.splits.append(CaseSplit([(hol.binary(order, *pair, typ, BOOL),) for order, pair in
                                      ((LESS_EQ, (low, high)), (LESS, (high, low)))], None))  # fmt: skip
        self.splits = [*self.splits, *further][:MOST_SPLITS]

    def _literal(self, literal: Term, fact: GroundFact) -> Inequality:
        """A comparison that a fact says, perhaps in other words."""
        if literal != fact.formula:
            self.count += 1
            fact = GroundFact(f"literal({self.count})", literal, SUMMED, (fact,))
        made = inequality(literal, fact)
        assert made is not None
        return made

    def _condition_holds(self, split: CaseSplit) -> bool:
        """Of `A ⟶ B`, where A is a comparison that is known to hold: then B is known, too."""
        sides = None if split.fact is None else hol.dest_binary(hol.IMPLIES, split.fact.formula)
        condition = None if sides is None else alternatives(sides[0], holds=False)
        if sides is None or split.fact is None or condition is None or len(condition) != 1:
            return False
        denial = self._denial(condition[0])
        if denial is None:
            return False
        self.count += 1
        fact = GroundFact(f"known({self.count})", sides[1], CONDITION, (split.fact, denial))
        self.known += [made] if (made := inequality(sides[1], fact)) is not None else []
        return True

    def impossible(self, cases: Alternatives) -> list[GroundFact] | None:
        """That none of some cases holds."""
        denials: list[GroundFact] = []
        for case in cases:
            found = self._split(case, 0, MOST_CASES - len(denials))
            if found is None:
                return None
            denials += found
        return denials

    def _split(self, case: tuple[Term, ...], place: int, most: int) -> list[GroundFact] | None:
        """That a case does not hold, as it is or with further ones."""
        if most <= 0:
            return None
        found = self._denial(case)
        if found is not None:
            return [found]
        if place == len(self.splits):
            return None
        split, made = self.splits[place], list[GroundFact]()
        for each in split.cases:
            below = self._split((*case, *each), place + 1, most - len(made))
            if below is None:
                return None
            made += below
        if split.fact is not None:
            self.split_by[split.fact] = None
        return made

    def _denial(self, case: tuple[Term, ...]) -> GroundFact | None:
        """That some comparisons do not hold together, with what is known."""
        assumed = self._named(reduce(partial(hol.conj, typed=True), case), (), ASSUME)
        literals = [assumed] if len(case) == 1 else [self._named(each, (assumed,), "blast") for each in case]
        hypotheses = inequalities([*literals, *self._values(case, literals)])
        rings = Normaliser(self.signature)
        apart = rings.assume_nonzero(self.named, self.type)
        among = [*hypotheses, *self.known]
        among += inequalities(self._products(among, rings))
        named = [(each.fact.name, each, plain_difference(rings, each)) for each in among if each.fact is not None]
        symbols: dict[Monomial, Sym] = {}
        premises = tuple((name, over_monomials(row, each.name, symbols)) for name, each, row in named)
        names = self.core(Entailment(premises, (), Truth(False), "QF_LRA"))
        if names is None:
            return None
        needed = [(each, row) for name, each, row in named if name in names]
        found = contradiction([(row, each.name) for each, row in needed])
        if found is None:
            return None
        parts = [(each, Fraction(n)) for (each, _), n in zip(needed, found[0], strict=True) if n]
        total = total_of(parts, Fraction(found[1]), self.type)
        assert total is not None
        identity = hol.eq(total, number_term(Fraction(0), self.type), self.type)
        by_name = {fact.name: fact for fact in self.facts}
        dividing = [by_name[name] for name in apart if name in by_name] if rings.divided else []
        summed = self._named(identity, dividing, QUOTIENTS if rings.divided else IDENTITY)
        given = [each.fact for each, _ in parts if each.fact is not None]
        false = self._named(FALSE, (*given, summed), SUMMED)
        denial = hol.negation(assumed.formula)
        return self._named(denial, (false,), CLOSE)

    def _values(self, case: Sequence[Term], literals: Sequence[GroundFact]) -> Iterator[GroundFact]:
        """What absolute values, larger and smaller ones are, by the signs that are assumed."""
        zero = number_term(Fraction(0), self.type)
        nodes = dict.fromkeys(
            node for term in (*case, *(each.formula for each in self.facts)) for node in subterms(term)
        )
        for literal, fact in zip(case, literals, strict=True):
            compared = inequality(literal)
            if compared is None or compared.name == hol.EQ:
                continue
            low, high = compared.low, compared.high
            for node in nodes:
                value: Term | None = None
                match applied_constant(node):
                    case "Groups.abs_class.abs", [inner]:
                        values = {(zero, inner): inner, (inner, zero): minus(zero, inner, self.type)}
                        value = values.get((low, high))
                    case name, [left, right] if name in LARGER_OR_SMALLER and {left, right} == {low, high}:
                        value = high if name == LARGER_OR_SMALLER[0] else low
                if value is not None and not loose(node):
                    yield self._named(hol.eq(node, value, self.type), (fact,), "simp")

    def _products(self, known: Sequence[Inequality], rings: Normaliser) -> Iterator[GroundFact]:
        """Squares, products of two comparisons, and equations times terms."""
        ordered = [each for each in known if each.name != hol.EQ]
        turned = [Inequality(None, each.name, each.high, each.low, each.type) for each in known[:MOST_COMPLETED]]
        completed = [base for each in (*known[:MOST_COMPLETED], *turned) for base in completed_squares(rings, each)]
        for base in dict.fromkeys((*completed, *islice(bases(known), MOST_SQUARES))):
            yield self._named(at_least_zero(square_of(base, self.type), self.type, strict=False), (), "simp")
        for one, other in islice(combinations_with_replacement(ordered, 2), MOST_PRODUCTS):
            self.count += 1
            yield product_of_signs(f"made({self.count})", one, other)
        atoms = dict.fromkeys(
            chain.from_iterable(atoms_of(side, self.type) for each in known for side in (each.low, each.high))
        )
        equations = [each for each in known if each.name == hol.EQ][:MOST_EQUATIONS]
        zero = number_term(Fraction(0), self.type)
        for each in equations:
            assert each.fact is not None
            for atom in islice(atoms, MOST_ATOMS):
                product = times(minus(each.high, each.low, self.type), atom, self.type)
                yield self._named(hol.eq(zero, product, self.type), (each.fact,), "simp")

    def _named(self, formula: Term, needs: Sequence[GroundFact], method: str) -> GroundFact:
        self.count += 1
        return GroundFact(f"made({self.count})", formula, method, tuple(needs))


def _made_here(fact: GroundFact) -> bool:
    return fact.name.startswith("made(")
