"""Inequalities by certificates: a goal that is a linear combination of what is given, of squares and of products of
what is given, with monomials as unknowns.

A prover for linear arithmetic finds which of them are needed; each is a step that Isabelle repeats by itself.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from itertools import combinations, combinations_with_replacement, islice

from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.hol import LESS, LESS_EQ, MINUS, PLUS, POWER, TIMES, UMINUS
from isarstep.isabelle.terms.signature import Signature
from isarstep.isabelle.terms.terms import (
    Const,
    Term,
    Typ,
    Type,
    applied_constant,
    funs,
    list_comb,
    loose,
    subterms,
)
from isarstep.isabelle.terms.types import first_argument_type
from isarstep.prover.arithmetic.calculation import IDENTITY
from isarstep.prover.arithmetic.ground_facts import GroundFact
from isarstep.prover.arithmetic.ground_problem import GroundProblem
from isarstep.prover.arithmetic.multipliers import multipliers
from isarstep.prover.arithmetic.rings import (
    Atom,
    Monomial,
    Normaliser,
    Polynomial,
    TooLarge,
    added,
    atom_terms,
    divide,
    minus,
    number_of,
    plus,
    product_of,
    sum_of,
    times,
    without_squares,
)
from isarstep.prover.encode.formula import REAL, Arith, Entailment, Eq, Formula, Number, Sym
from isarstep.prover.outcomes.verdict import Proved, ShownStep
from isarstep.prover.values.domains import INT, NAT, number_term

ORDERED = (Type("Real.real"), Type("Rat.rat"), Type("Int.int"))
SPLIT = (PLUS, MINUS, TIMES)
MOST_BASES = 14
MOST_PRODUCTS = 40
MOST_MIXED = 60
# Methods for identities of rings and of fields.
QUOTIENTS = (
    "((simp add: field_simps power2_eq_square power3_eq_cube; fail) | (simp add: divide_simps, algebra)"
    " | (auto simp add: field_simps power2_eq_square power3_eq_cube))"
)


class Inequality:
    """`low ≤ high`, `low < high` or `low = high` at an ordered type."""

    def __init__(self, fact: GroundFact | None, name: str, low: Term, high: Term, typ: Typ) -> None:
        self.fact, self.name, self.low, self.high, self.type = fact, name, low, high, typ

    @property
    def difference(self) -> Term:
        """What is not negative, or 0."""
        if number_of(self.low) == 0:
            return self.high
        return minus(self.high, self.low, self.type)


def inequality(formula: Term, fact: GroundFact | None = None) -> Inequality | None:
    name, arguments = applied_constant(formula)
    typ = first_argument_type(formula)
    if name not in (LESS, LESS_EQ, hol.EQ) or len(arguments) != 2 or typ not in ORDERED or loose(formula):
        return None
    return Inequality(fact, name, arguments[0], arguments[1], typ)


def inequalities(facts: Iterable[GroundFact]) -> list[Inequality]:
    """Those that facts say."""
    return [made for fact in facts if (made := inequality(fact.formula, fact)) is not None]


def with_certificates(problem: GroundProblem, signature: Signature) -> tuple[GroundProblem, Entailment] | None:
    """The problem with squares and products among its facts, and what of it is linear in monomials; None where the goal
    is no inequality."""
    formula = hol.dest_trueprop(problem.goal)
    goal = None if formula is None else inequality(formula)
    if goal is None or goal.name == hol.EQ:
        return None
    given = [each for each in inequalities(problem.facts) if each.type == goal.type]
    rings = Normaliser(signature)
    rings.assume_nonzero(problem.named(), goal.type)
    completed = list(completed_squares(rings, goal))
    hints = list(_hints(goal, given, len(problem.facts), completed, quotients=rings.divided))
    symbols: dict[Monomial, Sym] = {}
    known: list[tuple[str, Formula]] = []
    try:
        for each in (*given, *inequalities(hints)):
            assert each.fact is not None
            known.append((each.fact.name, over_monomials(_difference(rings, each), each.name, symbols)))
        wanted = over_monomials(_difference(rings, goal), goal.name, symbols)
    except (TooLarge, RecursionError):
        return None
    enlarged = replace(problem, facts=(*problem.facts, *hints))
    return enlarged, Entailment(tuple(known), (), wanted, "QF_LRA")


def as_sum(problem: GroundProblem, proof: Proved, signature: Signature) -> Proved:
    """A linear proof with the sum that it is: the goal's difference as multiples of those of known facts, an identity,
    from which and from the facts the goal is linear in terms as they stand. As it was where no sum is found."""
    shown, formula = problem.explained(proof), hol.dest_trueprop(problem.goal)
    goal = None if formula is None else inequality(formula)
    by_name = {fact.name: fact for fact in problem.facts}
    used = [made for name in proof.facts if (fact := by_name.get(name)) and (made := inequality(fact.formula, fact))]
    if goal is None or len(used) < len(proof.facts):
        return shown
    rings = Normaliser(signature)
    apart = rings.assume_nonzero(problem.named(), goal.type)
    try:
        compared = [(_difference(rings, each), each.name) for each in (*used, goal)]
    except (TooLarge, RecursionError):
        return shown
    found = multipliers(compared[:-1], compared[-1])
    if found is None:
        return shown
    times, factors, constant = found
    typ = goal.type
    # In a field the goal's side stays as it is: Isabelle would read 2 * (x / y) as another term than x / y.
    whole, divisor = (times, 1) if typ == INT else (1, times)
    total = total_of(zip(used, (Fraction(n, divisor) for n in factors), strict=True), Fraction(constant, divisor), typ)
    if total is None:
        return shown
    identity = hol.eq(scaled(minus(goal.high, goal.low, typ), whole, typ), total, typ)
    needed = tuple(name for name in apart if name in by_name) if rings.divided else ()
    premises = dict.fromkeys(fact.name for name in needed for fact in by_name[name].chain() if not fact.method)
    last = ShownStep(identity, QUOTIENTS if rings.divided else IDENTITY, tuple(premises), (), True)
    return replace(shown, steps=(*shown.steps, last), method="(linarith | argo)")


def total_of(parts: Iterable[tuple[Inequality, Fraction]], constant: Fraction, typ: Typ) -> Term | None:
    """The sum of multiples of differences and a number; None where nothing is added."""
    total = [scaled(each.difference, factor, typ) for each, factor in parts if factor]
    total += [number_term(constant, typ)] if constant else []
    return sum_of(total, typ) if total else None


def _difference(rings: Normaliser, compared: Inequality) -> Polynomial:
    """high - low, where the square of the root of a number is the number."""
    return without_squares(plain_difference(rings, compared), _under_root)


def plain_difference(rings: Normaliser, compared: Inequality) -> Polynomial:
    """high - low."""
    high, low = (rings.polynomial(each, compared.type) for each in (compared.high, compared.low))
    return added(high, low, Fraction(-1))


def _under_root(atom: Atom) -> Fraction | None:
    """The number of which an atom is the root."""
    match atom:
        case (Const(name="NthRoot.sqrt"), ("polynomial", (((), number),))) if (
            isinstance(number, Fraction) and number > 0
        ):
            return number
    return None


def completed_squares(rings: Normaliser, goal: Inequality) -> Iterator[Term]:
    """Terms whose squares complete those of the goal: `x - s / 2` for `x² - s * x`, after denominators are cleared."""
    typ = goal.type
    terms = atom_terms(rings, (goal.low, goal.high), typ)
    polynomial = _difference(rings, goal)
    below = {atom: -power for monomial in polynomial for atom, power in monomial if power < 0}
    for atom, power in below.items():
        polynomial = {product_of((*monomial, (atom, power))): c for monomial, c in polynomial.items()}
    for atom in terms:
        degrees = [dict(monomial).get(atom, 0) for monomial in polynomial]
        square = polynomial.get(((atom, 2),), Fraction(0))
        if max(degrees, default=0) != 2 or square <= 0:
            continue
        linear = {
            product_of((*m, (atom, -1))): c / (2 * square) for m, c in polynomial.items() if dict(m).get(atom) == 1
        }
        if not linear or any(other not in terms or power < 1 for m in linear for other, power in m):
            continue
        base = terms[atom]
        for monomial, coefficient in linear.items():
            factors = [terms[other] for other, power in monomial for _ in range(power)]
            part = number_term(abs(coefficient), typ) if not factors else reduce(lambda a, b: times(a, b, typ), factors)
            part = scaled(part, abs(coefficient), typ) if factors else part
            base = (plus if coefficient > 0 else minus)(base, part, typ)
        if typ != INT or all(c.denominator == 1 for c in linear.values()):
            yield base


def over_monomials(polynomial: Polynomial, name: str, symbols: dict[Monomial, Sym]) -> Formula:
    """That a polynomial is 0, at least 0 or greater, over constants for monomials, with whole numbers as factors."""
    by = math.lcm(*(c.denominator for c in polynomial.values())) if polynomial else 1
    total: Formula = Number(0, REAL)
    for monomial, coefficient in polynomial.items():
        number = Number(abs(int(coefficient * by)), REAL)
        part: Formula = Arith("neg", (number,)) if coefficient < 0 else number
        if monomial != ():
            part = Arith("*", (part, symbols.setdefault(monomial, Sym(f"$monomial{len(symbols)}", REAL))))
        total = Arith("+", (total, part))
    if name == hol.EQ:
        return Eq(total, Number(0, REAL))
    return Arith("<" if name == LESS else "<=", (Number(0, REAL), total))


def _hints(
    goal: Inequality, given: Sequence[Inequality], count: int, completed: Sequence[Term], *, quotients: bool
) -> Iterator[GroundFact]:
    """Squares, products of given inequalities, and squares times what is not negative."""
    names = (f"hint({number})" for number in itertools.count(count + 1))
    typ = goal.type
    found = dict.fromkeys((*completed, *islice(bases([goal, *given]), 4 * MOST_BASES)))
    squares = [square_of(base, typ) for base in found]
    signs = [each for each in given if each.name != hol.EQ]
    divided = [one for one in signs if quotients and one.name == LESS and typ != INT]

    def simple(term: Term, needs: Sequence[GroundFact] = ()) -> GroundFact:
        return GroundFact(next(names), at_least_zero(term, typ, strict=False), "simp", tuple(needs))

    yield from map(simple, squares)
    for one, other in islice(combinations_with_replacement(signs, 2), MOST_PRODUCTS):
        yield product_of_signs(next(names), one, other)
    for one, square in islice(itertools.product(signs, squares), MOST_MIXED):
        yield simple(times(one.difference, square, typ), [one.fact] if one.fact else ())
    for one, square in islice(itertools.product(divided, squares), MOST_MIXED):
        yield simple(divide(square, one.difference, typ), [one.fact] if one.fact else ())


def product_of_signs(name: str, one: Inequality, other: Inequality) -> GroundFact:
    assert one.fact is not None
    assert other.fact is not None
    strict = one.name == other.name == LESS
    formula = at_least_zero(times(one.difference, other.difference, one.type), one.type, strict=strict)
    rule = "mult_pos_pos" if strict else "mult_nonneg_nonneg"
    method = f"((simp add: {rule}; fail) | (intro {rule}; linarith))"
    return GroundFact(name, formula, method, tuple(dict.fromkeys((one.fact, other.fact))))


def bases(compared: Sequence[Inequality]) -> Iterator[Term]:
    """Terms whose squares may help: those that are squared, variables and quotients, their products and differences."""
    typ = compared[0].type
    squared: dict[Term, None] = {}
    atoms: dict[Term, None] = {}
    for each in compared:
        for side in (each.low, each.high):
            for node in subterms(side):
                name, arguments = applied_constant(node)
                if name == POWER and len(arguments) == 2 and number_of(arguments[1]) == 2:
                    squared[arguments[0]] = None
            atoms.update(dict.fromkeys(atoms_of(side, typ)))
    few = list(atoms)[:5]
    multiples = [(scaled(a, m, typ), scaled(b, n, typ)) for a, b in combinations(list(squared)[:3], 2)
              for m, n in ((1, 1), (2, 1), (1, 2))]  # fmt: skip
    both = [made(a, b, typ) for a, b in multiples for made in (minus, plus)]
    differences = [minus(a, b, typ) for a, b in combinations(few, 2)]
    products = [times(a, b, typ) for a, b in combinations(few, 2)]
    one = number_term(Fraction(1), typ)
    shifted = [minus(a, one, typ) for a in few]
    yield from dict.fromkeys((*list(squared)[:4], *few, *both, *differences, *products, *shifted))
    yield from [minus(a, b, typ) for a, b in combinations(products[:3], 2)]


def atoms_of(term: Term, typ: Typ) -> Iterator[Term]:
    """What is no sum, product or power of others; quotients as they stand."""
    name, arguments = applied_constant(term)
    if name in SPLIT and len(arguments) == 2:
        for each in arguments:
            yield from atoms_of(each, typ)
    elif (name == UMINUS and len(arguments) == 1) or (
        name == POWER and len(arguments) == 2 and number_of(arguments[1]) is not None
    ):
        yield from atoms_of(arguments[0], typ)
    elif number_of(term) is None:
        yield term


def at_least_zero(term: Term, typ: Typ, *, strict: bool) -> Term:
    return hol.binary(LESS if strict else LESS_EQ, number_term(Fraction(0), typ), term, typ, hol.BOOL)


def scaled(term: Term, number: Fraction | int, typ: Typ) -> Term:
    return term if number == 1 else times(number_term(Fraction(number), typ), term, typ)


def square_of(base: Term, typ: Typ) -> Term:
    return list_comb(Const(POWER, funs((typ, NAT), typ)), (base, number_term(Fraction(2), NAT)))
