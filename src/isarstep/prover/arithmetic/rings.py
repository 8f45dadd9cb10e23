"""Commutative semirings, rings and fields: terms as polynomials over whatever is not an operation of them.

Only laws are used that hold at the type: subtraction counts in rings, division in fields of characteristic 0 and by
what is known not to be 0. An equation is proved where both sides have the same normal form, or in a field where it is
a combination of given equations.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial, reduce
from typing import TypeAlias, TypeVar

from isarstep.isabelle.context.monomorphisation import Named
from isarstep.isabelle.syntax.grammar import patterns
from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.hol import DIVIDE, LESS, LESS_EQ, MINUS, PLUS, TIMES, dest_trueprop, eq, strip_pure_imp
from isarstep.isabelle.terms.signature import Signature
from isarstep.isabelle.terms.terms import (
    Abs,
    Const,
    Free,
    Term,
    Typ,
    Type,
    Var,
    applied_constant,
    frees,
    loose,
    strip_comb,
    strip_fun,
    subterms,
)
from isarstep.isabelle.terms.types import first_argument_type, type_of
from isarstep.prover.values.domains import number_term

Atom: TypeAlias = Hashable
Monomial: TypeAlias = tuple[tuple[Atom, int], ...]
Polynomial: TypeAlias = dict[Monomial, Fraction]
Key = TypeVar("Key", bound=Hashable)
Row: TypeAlias = tuple[Polynomial, dict[Key, Fraction]]  # a sum of multiples of given ones, and the factors of these
_Given: TypeAlias = tuple[str, Polynomial, tuple[Term, Term]]  # an equation's name, difference and sides
MOST_TERMS = 300
LARGEST_EXPONENT = 40
LARGEST_COEFFICIENT = 4_000  # bits
ONE: Monomial = ()
NAT_TYPE = Type("Nat.nat")
IMAGINARY = Const("Complex.imaginary_unit", Type("Complex.complex"))
SEMIRING, RING, FIELD = ("Rings.comm_semiring_1",), ("Rings.comm_ring_1",), ("Fields.field_char_0",)
ORDERED_FIELD = ("Fields.linordered_field",)


# Given equations come before what is not 0: Isabelle's `algebra` fails on the other order.
ALGEBRA = "(algebra | (simp add: field_simps power2_eq_square))"
DIVIDED = (
    "((simp add: field_simps power2_eq_square; fail) | (simp add: divide_simps, algebra)"
    " | (simp add: field_simps, algebra) | algebra)"
)


plus, minus, times, divide = (partial(hol.binary, name) for name in (PLUS, MINUS, TIMES, DIVIDE))


def sum_of(parts: Sequence[Term], typ: Typ) -> Term:
    """Of one at least."""
    return reduce(lambda left, right: plus(left, right, typ), parts)


# Of powers whose exponents have variables.
EXPONENTS = "((simp add: power_add; fail) | (simp add: power_add power_mult algebra_simps; fail) | algebra)"


class TooLarge(Exception):
    """A polynomial has too many terms to be worth it."""


@dataclass(frozen=True)
class RingProof:
    """By which method of Isabelle, with which premises and collections of laws; the identity is that the difference of
    both sides is a sum of multiples of those of given equations."""

    by: str
    facts: tuple[str, ...]
    identity: Term | None = None
    method: str = ""  # of Isar, where it is none of the usual ones


def ring_proof(premises: Sequence[Named], goal: Term, signature: Signature) -> RingProof | None:
    """A proof of an equation by normal forms; None where there is none."""
    more, conclusion = strip_pure_imp(goal)
    given = [*premises, *(Named("F.3", premise) for premise in more)]
    formula = dest_trueprop(conclusion)
    if formula is None or loose(formula):
        return None
    try:
        proofs = [_equation(given, part, signature) for part in hol.parts_of(hol.CONJ, formula)]
    except (TooLarge, RecursionError):
        return None
    found = [proof for proof in proofs if proof is not None]
    if len(found) < len(proofs):
        return None
    if len(found) == 1:
        return found[0]
    by = next((proof.by for proof in found if proof.by == "algebra"), found[0].by)
    return RingProof(by, tuple(dict.fromkeys(fact for proof in found for fact in proof.facts)))


def _equation(premises: Sequence[Named], formula: Term, signature: Signature) -> RingProof | None:
    sides, typ = hol.dest_binary(hol.EQ, formula), first_argument_type(formula)
    if sides is None or typ is None or not signature.of_sort(typ, SEMIRING):
        return None
    rings = Normaliser(signature)
    used = rings.assume_nonzero(premises, typ)
    difference = rings.difference(*sides, typ)
    if not difference:
        if rings.divided:
            return RingProof("simp", ("field_simps", *used))
        of_powers = ("power2_eq_square", "power3_eq_cube") if rings.powers else ()
        of_exponents = ("power_add", "power_mult") if rings.exponents else ()
        return RingProof("simp", ("algebra_simps", *of_powers, *of_exponents))
    if not signature.of_sort(typ, FIELD):
        return None
    return _combined(rings, premises, sides, difference, typ, used)


def _combined(
    rings: Normaliser,
    premises: Sequence[Named],
    goal: tuple[Term, Term],
    wanted: Polynomial,
    typ: Typ,
    used: Sequence[str],
) -> RingProof | None:
    """Is it a sum of multiples of given equations, by numbers, atoms or products of two of these; as it stands or
    multiplied by what is not 0?"""
    given: list[_Given] = []
    for premise in premises:
        formula = dest_trueprop(premise.prop)
        sides = hol.dest_binary(hol.EQ, formula) if formula is not None and not loose(formula) else None
        if formula is None or sides is None or premise.here or first_argument_type(formula) != typ:
            continue
        given.append((premise.name, rings.difference(*sides, typ), sides))
    if not given or len(given) > 8:
        return None
    atoms = _atoms((wanted, *(row for _, row, _ in given)))[:8]
    multiples: list[tuple[int, Monomial]] = [(place, ONE) for place in range(len(given))]
    multiples += [(place, ((atom, 1),)) for place in range(len(given)) for atom in atoms]
    by_premise = _in_span(wanted, given, multiples)
    if by_premise is None:
        return _combined_further(rings, premises, given, wanted, typ, used)
    names = sorted(given[place][0] for place in by_premise)
    terms = atom_terms(rings, [*goal, *(side for _, _, sides in given for side in sides)], typ)
    if rings.divided:
        return RingProof("algebra", (*names, *used), method=DIVIDED)
    if rings.exponents:
        return RingProof("algebra", tuple(names), method=EXPONENTS)
    parts = [(by_premise[place], given[place][2]) for place in sorted(by_premise)]
    return RingProof("algebra", tuple(names), _identity(goal, parts, terms, typ))


def _combined_further(
    rings: Normaliser,
    premises: Sequence[Named],
    given: Sequence[_Given],
    wanted: Polynomial,
    typ: Typ,
    used: Sequence[str],
) -> RingProof | None:
    """With products of two atoms as factors, and of the goal multiplied by a difference that is known not to be 0."""
    if len(given) > 4:
        return None
    wanted = _without_quotients(wanted)
    given = [(name, _without_quotients(row), sides) for name, row, sides in given]
    atoms = _atoms((wanted, *(row for _, row, _ in given)))
    if len(atoms) > 5:
        return None
    monomials = [ONE, *(((a, 1),) for a in atoms), *(product_of([(a, 1), (b, 1)]) for a in atoms for b in atoms)]
    multiples = [(place, monomial) for place in range(len(given)) for monomial in dict.fromkeys(monomials)]
    apart = [(premise.name, row) for premise in premises if (row := rings.known_apart(premise, typ)) is not None][:4]
    for names, factor in (((), {ONE: Fraction(1)}), *(((name,), row) for name, row in apart)):
        found = _in_span(_times(wanted, factor), given, multiples)
        if found is not None:
            by = sorted({given[place][0] for place in found})
            apart_names = (*names, *(used if rings.divided else ()))
            method = DIVIDED if rings.divided else ALGEBRA
            return RingProof("algebra", (*by, *(name for name in apart_names if name not in by)), method=method)
    return None


def _without_quotients(found: Polynomial) -> Polynomial:
    """Times atoms that stand below, which are not 0."""
    below: dict[Atom, int] = {}
    for monomial in found:
        for atom, power in monomial:
            below[atom] = max(below.get(atom, 0), -power)
    return _times(found, {product_of((atom, power) for atom, power in below.items() if power > 0): Fraction(1)})


def _identity(
    goal: tuple[Term, Term],
    parts: Sequence[tuple[Polynomial, tuple[Term, Term]]],
    terms: Mapping[Atom, Term],
    typ: Typ,
) -> Term | None:
    """`l - r = p * (l1 - r1) + q * (l2 - r2)`; None where an atom has no term."""
    summands = []
    for factor, sides in parts:
        made = []
        for monomial, coefficient in factor.items():
            if any(atom not in terms for atom, _ in monomial):
                return None
            number = number_term(coefficient, typ)
            made.append(times(number, terms[monomial[0][0]], typ) if monomial else number)
        summands.append(times(sum_of(made, typ), minus(*sides, typ), typ))
    return eq(minus(*goal, typ), sum_of(summands, typ), typ)


def atom_terms(rings: Normaliser, terms: Iterable[Term], typ: Typ) -> dict[Atom, Term]:
    """For atoms of polynomials a term that is one, among the parts of some terms."""
    found: dict[Atom, Term] = {}
    for node in dict.fromkeys(node for term in terms for node in subterms(term)):
        if not loose(node) and type_of(node) == typ:
            match list(rings.polynomial(node, typ).items()):
                case [(((atom, 1),), 1)]:
                    found.setdefault(atom, node)
    return found


def _atoms(polynomials: Iterable[Polynomial]) -> list[Atom]:
    return list(dict.fromkeys(atom for row in polynomials for monomial in row for atom, _ in monomial))


def _in_span(
    wanted: Polynomial, given: Sequence[_Given], multiples: Iterable[tuple[int, Monomial]]
) -> dict[int, Polynomial] | None:
    """By which polynomials given ones are multiplied, by their places, where it is the sum of these multiples."""
    left: Row[tuple[int, Monomial]] = (wanted, {})
    rows = [(_times(given[place][1], {by: Fraction(1)}), {(place, by): Fraction(1)}) for place, by in multiples]
    for pivot, row in eliminated(rows):
        left = without(left, pivot, row)
    found: dict[int, Polynomial] = {}
    for (place, monomial), factor in left[1].items():
        found.setdefault(place, {})[monomial] = -factor
    return None if left[0] else found


def eliminated(rows: Iterable[Row[Key]]) -> list[tuple[Monomial, Row[Key]]]:
    """Each row with a monomial that no other row has, by Gaussian elimination; rows that say nothing are left out."""
    done: list[tuple[Monomial, Row[Key]]] = []
    for row in rows:
        for pivot, other in done:
            row = without(row, pivot, other)
        if row[0]:
            own = next((monomial for monomial in row[0] if monomial != ONE), ONE)
            done = [(pivot, without(other, own, row)) for pivot, other in done]
            done.append((own, row))
    return done


def without(row: Row[Key], pivot: Monomial, other: Row[Key]) -> Row[Key]:
    """A row less the multiple of another one that takes a monomial from it."""
    factor = row[0].get(pivot, Fraction(0)) / other[0][pivot]
    return (added(row[0], other[0], -factor), added(row[1], other[1], -factor)) if factor else row


class Normaliser:
    """Normal forms at one type; `nonzero` are atoms and polynomials that are known not to be 0."""

    def __init__(self, signature: Signature) -> None:
        self._signature = signature
        self._nonzero: set[Hashable] = set()
        self._denominators: dict[Hashable, Polynomial] = {}
        self.divided = self.powers = self.exponents = False

    def difference(self, left: Term, right: Term, typ: Typ) -> Polynomial:
        """0 where both are equal. In a semiring, where nothing can be subtracted, so is that of polynomials alone."""
        found = self._cleared(added(self.polynomial(left, typ), self.polynomial(right, typ), Fraction(-1)))
        return without_squares(found, lambda atom: -1 if atom == IMAGINARY else None)

    def assume_nonzero(self, premises: Sequence[Named], typ: Typ) -> tuple[str, ...]:
        """What premises say not to be 0, and their names."""
        names = []
        if not self._signature.of_sort(typ, FIELD):
            return ()
        for premise in premises:
            found = self.known_apart(premise, typ)
            if found is None:
                continue
            names.append(premise.name)
            if len(found) == 1:
                self._nonzero.update(atom for atom, _ in next(iter(found)))
            self._nonzero.add(_frozen(_monic(found)[1]))
        return tuple(names)

    def known_apart(self, premise: Named, typ: Typ) -> Polynomial | None:
        """What a premise says not to be 0."""
        formula = dest_trueprop(premise.prop)
        return None if formula is None or premise.here or loose(formula) else self._apart(formula, typ) or None

    def _apart(self, formula: Term, typ: Typ) -> Polynomial | None:
        """`a ≠ b`, `a < b`: their difference is not 0. `c ≤ a` with a number c > 0: neither is a."""
        name, arguments = applied_constant(formula)
        if name == "HOL.Not" and len(arguments) == 1:
            sides = hol.dest_binary(hol.EQ, arguments[0])
            if sides is None or first_argument_type(arguments[0]) != typ:
                return None
            return self.difference(*sides, typ)
        if name not in (LESS, LESS_EQ) or len(arguments) != 2 or first_argument_type(formula) != typ:
            return None
        if not self._signature.of_sort(typ, ORDERED_FIELD):
            return None
        low, high = (self.polynomial(each, typ) for each in arguments)
        if set(low) <= {ONE}:
            least = low.get(ONE, Fraction(0))
            return high if least > 0 or (least == 0 and name == LESS) else None
        return added(high, low, Fraction(-1)) if name == LESS else None

    def _cleared(self, found: Polynomial) -> Polynomial:
        """Multiplied by denominators that are not 0."""
        for atom, denominator in list(self._denominators.items()):
            most = max((dict(m).get(atom, 0) for m in found), default=0)
            if most == 0:
                continue
            made: Polynomial = {}
            for monomial, coefficient in found.items():
                rest = tuple(pair for pair in monomial if pair[0] != atom)
                power = _power(denominator, most - dict(monomial).get(atom, 0))
                made = added(made, _times({rest: coefficient}, power), Fraction(1))
            found = made
        return found

    def polynomial(self, term: Term, typ: Typ) -> Polynomial:
        number = number_of(term)
        if number is not None:
            return {ONE: Fraction(number)} if number else {}
        name, arguments = applied_constant(term)
        ring = self._signature.of_sort(typ, RING)
        match name, arguments:
            case "Nat.Suc", [inner] if typ == NAT_TYPE:
                return added(self.polynomial(inner, typ), {ONE: Fraction(1)}, Fraction(1))
            case "Groups.plus_class.plus", [left, right]:
                return added(self.polynomial(left, typ), self.polynomial(right, typ), Fraction(1))
            case "Groups.times_class.times", [left, right]:
                return _times(self.polynomial(left, typ), self.polynomial(right, typ))
            case "Groups.minus_class.minus", [left, right] if ring:
                return added(self.polynomial(left, typ), self.polynomial(right, typ), Fraction(-1))
            case "Groups.uminus_class.uminus", [inner] if ring:
                return added({}, self.polynomial(inner, typ), Fraction(-1))
            case "Power.power_class.power", [base, exponent]:
                return self._raised(base, exponent, typ, term)
        if self._signature.of_sort(typ, FIELD):
            match name, arguments:
                case "Rings.divide_class.divide", [left, right]:
                    return _times(self.polynomial(left, typ), self._inverse(self.polynomial(right, typ)))
                case "Fields.inverse_class.inverse", [inner]:
                    return self._inverse(self.polynomial(inner, typ))
        return self._converted(name, arguments, typ) or self._atom(term)

    def _raised(self, base: Term, exponent: Term, typ: Typ, term: Term) -> Polynomial:
        """x ^ (2 * n + 3) is (x ^ n)² * x³."""
        self.powers = True
        inside = self.polynomial(exponent, NAT_TYPE)
        low = self.polynomial(base, typ)
        if any(c.denominator != 1 or c < 0 or c > LARGEST_EXPONENT for c in inside.values()):
            if set(inside) <= {ONE} and set(low) <= {ONE} and inside[ONE] <= LARGEST_COEFFICIENT:
                return _power(low, int(inside[ONE]))
            return self._atom(term)
        made = _power(low, int(inside.get(ONE, Fraction(0))))
        for monomial, times in inside.items():
            if monomial != ONE:
                self.exponents = True
                made = _times(made, {((("power", _frozen(low), monomial), int(times)),): Fraction(1)})
        return made

    def _inverse(self, found: Polynomial) -> Polynomial:
        """1/p; 1/0 is 0. Of a product the product of inverses, which holds for 0, too."""
        if not found:
            return {}
        if len(found) == 1:
            ((monomial, coefficient),) = found.items()
            made: list[tuple[Atom, int]] = []
            for atom, power in monomial:
                if atom in self._nonzero:
                    made.append((atom, -power))
                elif isinstance(atom, tuple) and atom[:1] == ("inverse",):
                    made.append((atom[1], power))
                else:
                    made.append((("inverse", atom), power))
            self.divided |= bool(made)
            return {product_of(made): 1 / coefficient}
        self.divided = True
        factor, monic = _monic(found)
        key = ("inverse of", _frozen(monic))
        if _frozen(monic) in self._nonzero:
            self._denominators[key] = monic
        return {((key, 1),): 1 / factor}

    def _converted(self, name: str, arguments: Sequence[Term], typ: Typ) -> Polynomial | None:
        """of_nat, of_int and of_real of a sum are the sum of those."""
        source = {"Nat.semiring_1_class.of_nat": NAT_TYPE, "Int.ring_1_class.of_int": Type("Int.int"),
                  "Real_Vector_Spaces.of_real": Type("Real.real")}.get(name)  # fmt: skip
        if source is None or len(arguments) != 1:
            return None
        if name != "Nat.semiring_1_class.of_nat" and not self._signature.of_sort(typ, RING):
            return None
        if source == Type("Real.real") and typ not in (source, Type("Complex.complex")):
            return None
        inner = Normaliser(self._signature).polynomial(arguments[0], source)  # what is not 0 is so at the type alone
        made: Polynomial = {}
        for monomial, coefficient in inner.items():
            image = product_of([((name, atom) if source != typ else atom, power) for atom, power in monomial])
            made[image] = made.get(image, Fraction(0)) + coefficient
        return made

    def _atom(self, term: Term) -> Polynomial:
        return {((self._key(term), 1),): Fraction(1)}

    def _key(self, term: Term) -> Hashable:
        """Equal for terms that differ by the normal forms of their arguments alone."""
        if type(term) is Abs or loose(term):
            return term
        head, arguments = strip_comb(term)
        if not arguments or type(head) is Abs:
            return term
        of_head = head.type if isinstance(head, Const | Free | Var) else None
        types = strip_fun(of_head)[0] if of_head is not None else []
        keys: list[Hashable] = [head]
        for place, argument in enumerate(arguments):
            typ = types[place] if place < len(types) else None
            if typ is not None and self._signature.of_sort(typ, SEMIRING) and not loose(argument):
                keys.append(_frozen(Normaliser(self._signature).polynomial(argument, typ)))
            else:
                keys.append(self._key(argument))
        return tuple(keys)


def nonlinear(term: Term) -> bool:
    """Is it a product or a power of what are no numbers, or a quotient by one?"""
    match applied_constant(term):
        case "Groups.times_class.times", [left, right]:
            return bool(frees(left)) and bool(frees(right))
        case "Power.power_class.power", [base, _]:
            return bool(frees(base))
        case "Rings.divide_class.divide", [_, right]:
            return bool(frees(right))
    return False


def number_of(term: Term) -> int | None:
    """The value of a numeral that is not negative."""
    match applied_constant(term):
        case "Groups.zero_class.zero", []:
            return 0
        case "Groups.one_class.one", []:
            return 1
        case "Num.numeral_class.numeral", [digits]:
            return patterns.value_of_digits(digits)
    return None


def added(left: Mapping[Key, Fraction], right: Mapping[Key, Fraction], times: Fraction) -> dict[Key, Fraction]:
    """`left + times * right`, of polynomials or of factors."""
    made = dict(left)
    for key, coefficient in right.items():
        total = made.get(key, Fraction(0)) + times * coefficient
        if total:
            made[key] = total
        else:
            made.pop(key, None)
    return made


def _times(left: Mapping[Monomial, Fraction], right: Mapping[Monomial, Fraction]) -> Polynomial:
    if len(left) * len(right) > 20 * MOST_TERMS:
        raise TooLarge
    made: Polynomial = {}
    for one, a in left.items():
        for other, b in right.items():
            monomial = product_of([*one, *other])
            total = made.get(monomial, Fraction(0)) + a * b
            if total:
                made[monomial] = total
            else:
                made.pop(monomial, None)
    if len(made) > MOST_TERMS or any(c.numerator.bit_length() > LARGEST_COEFFICIENT for c in made.values()):
        raise TooLarge
    return made


def _power(base: Polynomial, exponent: int) -> Polynomial:
    if len(base) > 1 and exponent > LARGEST_EXPONENT:
        raise TooLarge
    made: Polynomial = {ONE: Fraction(1)}
    for _ in range(exponent):
        made = _times(made, base)
    return made


def product_of(factors: Iterable[tuple[Atom, int]]) -> Monomial:
    powers: dict[Atom, int] = {}
    for atom, power in factors:
        powers[atom] = powers.get(atom, 0) + power
    return tuple(sorted(((a, p) for a, p in powers.items() if p), key=repr))


def without_squares(found: Polynomial, number: Callable[[Atom], Fraction | int | None]) -> Polynomial:
    """With numbers in the place of the squares of some atoms: -1 is that of the imaginary unit."""
    made: Polynomial = {}
    for monomial, coefficient in found.items():
        rest: list[tuple[Atom, int]] = []
        for atom, power in monomial:
            square = number(atom)
            if square is not None:
                coefficient *= Fraction(square) ** (power // 2)
                power %= 2
            if power:
                rest.append((atom, power))
        key = tuple(rest)
        made[key] = made.get(key, Fraction(0)) + coefficient
    return {monomial: coefficient for monomial, coefficient in made.items() if coefficient}


def _monic(found: Polynomial) -> tuple[Fraction, Polynomial]:
    """A number and a polynomial whose first coefficient is 1."""
    factor = found[min(found, key=repr)]
    return factor, {monomial: coefficient / factor for monomial, coefficient in found.items()}


def _frozen(found: Polynomial) -> Hashable:
    return ("polynomial", tuple(sorted(found.items(), key=repr)))
