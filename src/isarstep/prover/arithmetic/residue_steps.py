"""What Isabelle is shown of a proof by remainders: the remainders that are possible, and every term modulo d as one of
remainders, operation by operation.

A power with a variable as exponent is one of its exponent's remainder, where some power of its base is 1 modulo d.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from itertools import count

from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.hol import BALL, DVD, MEMBER, MINUS, MODULO, PLUS, POWER, TIMES, UMINUS
from isarstep.isabelle.terms.terms import (
    Abs,
    Const,
    Free,
    Term,
    Typ,
    abstract,
    applied_constant,
    frees,
    funs,
    list_comb,
    rebuilt,
    strip_comb,
    subterms,
)
from isarstep.isabelle.terms.types import first_argument_type
from isarstep.prover.arithmetic.rings import divide, nonlinear, number_of, times
from isarstep.prover.outcomes.verdict import ShownStep
from isarstep.prover.values.domains import BOOL, NAT, number_term

MOST_CASES = 12
MOST_TUPLES = 5_000
CONGRUENCES = {PLUS: "mod_add_cong", TIMES: "mod_mult_cong", MINUS: "mod_diff_cong", UMINUS: "mod_minus_cong"}
LEAF, SAME = "mod_mod_trivial[symmetric]", "refl"
IMAGE = "((simp only: refl simp_thms; fail) | metis)"
CASES = "((auto; fail) | presburger)"
WITHOUT_DVD = "((simp only: dvd_eq_mod_eq_0 not_False_eq_True; fail) | (simp add: dvd_eq_mod_eq_0))"


def residue_steps(goal: Term, given: Sequence[tuple[str, Term]]) -> tuple[tuple[ShownStep, ...], str, tuple[str, ...]]:
    """Steps, the method that ends the proof from them, and the premises that it needs: the method alone where all is
    linear and no remainders are given, where remainders by several numbers are in it, and where a power is beyond
    this."""
    alone = (), "presburger", tuple(name for name, _ in given)
    terms = list(dict.fromkeys(_moduli(goal)))
    if len({modulus for _, modulus, _ in terms}) != 1:
        return alone
    linear = not any(nonlinear(node) or _exponent(node) for term, _, _ in terms for node in subterms(term))
    shown = _Shown(terms[0][1], {node for _, formula in given for node in subterms(formula)})
    try:
        for term, _, typ in terms:
            shown.term(term, typ)
    except _Beyond:
        return alone
    if linear and (shown.cases or not shown.steps):
        return (_through_remainders(goal, given, terms[0][1]) if given else None) or alone
    count = len(shown.cases)
    moved = [replace(step, steps=tuple(place + count for place in step.steps)) for step in shown.steps]
    steps = (*shown.cases, *moved)
    if not any(type(node) is Const and node.name == DVD for node in subterms(goal)):
        return steps, CASES, alone[2]
    formula = hol.as_formula(goal)  # premises inside the goal become those of an implication
    assert formula is not None, "by_residues has read the goal as a formula"
    used = tuple(place for place, step in enumerate(steps) if step.used)
    steps = tuple(replace(step, used=False) for step in steps)
    last = ShownStep(rebuilt(formula, _without_dvd), CASES, alone[2], used, True)
    return (*steps, last), WITHOUT_DVD, ()


def _through_remainders(
    goal: Term, given: Sequence[tuple[str, Term]], modulus: int
) -> tuple[tuple[ShownStep, ...], str, tuple[str, ...]] | None:
    """All remainders that the variables can have are gone through, where premises and goal speak of remainders by one
    number alone; None where they do not, or where there are too many."""
    formulas = [hol.dest_trueprop(prop) for prop in (*(prop for _, prop in given), goal)]
    pairs = [pair for formula in formulas if formula is not None for pair in _moduli(formula)]
    variables = list(dict.fromkeys(leaf for formula in formulas if formula is not None for leaf in frees(formula)))
    if None in formulas or {number for _, number, _ in pairs} != {modulus} or len({typ for _, _, typ in pairs}) != 1:
        return None
    typ = pairs[0][2]
    if modulus < 3 or modulus ** len(variables) > MOST_TUPLES or any(leaf.type != typ for leaf in variables):
        return None
    remainders = {leaf: _mod(leaf, modulus, typ) for leaf in variables}
    shown = _Shown(modulus, set(remainders.values()))
    images: dict[Term, Term] = {}
    for term, _, _ in dict.fromkeys(pairs):
        image, why = shown.image(term, typ)
        images[_mod(term, modulus, typ)] = image if why == LEAF else _mod(image, modulus, typ)
    of_remainders = [rebuilt(formula, lambda node: images.get(node, node)) for formula in formulas if formula]
    stand_ins = {remainder: Free(f"{leaf.name}~mod", typ) for leaf, remainder in remainders.items()}
    abstracted = [rebuilt(formula, lambda node: stand_ins.get(node, node)) for formula in of_remainders]
    if any(leaf in variables for formula in abstracted for leaf in frees(formula)):
        return None  # a variable stands outside of remainders
    everywhere = reduce(lambda right, left: hol.implies(left, right, typed=True), reversed(abstracted))
    low, high, sets = number_term(Fraction(0), typ), number_term(Fraction(modulus), typ), hol.set_type(typ)
    below = hol.binary("Set_Interval.ord_class.atLeastLessThan", low, high, typ, sets)
    member = Const(MEMBER, funs((typ, sets), BOOL))
    for stand_in in reversed(stand_ins.values()):
        ball = Const(BALL, funs((sets, funs((typ,), BOOL)), BOOL))
        everywhere = list_comb(ball, (below, Abs("k", typ, abstract(everywhere, stand_in))))
    steps = [*(replace(step, used=True) for step in shown.steps), ShownStep(everywhere, "eval", (), (), False)]
    among = (list_comb(member, (remainder, below)) for remainder in remainders.values())
    steps += [ShownStep(each, "simp", (), (), False) for each in among]
    congruences, named = tuple(range(len(shown.steps))), zip(given, of_remainders, strict=False)
    steps += [ShownStep(formula, IMAGE, (name,), congruences, False) for (name, _), formula in named]
    steps.append(ShownStep(of_remainders[-1], "blast", (), tuple(range(len(congruences), len(steps))), True))
    return tuple(steps), IMAGE, ()


class _Beyond(Exception):
    """A power that has no steps here."""


class _Shown:
    """The steps for terms modulo one number."""

    def __init__(self, modulus: int, known: set[Term]) -> None:
        self.modulus, self.known = modulus, known
        self.cases: list[ShownStep] = []
        self.steps: list[ShownStep] = []

    def term(self, term: Term, typ: Typ) -> None:
        """`t mod d = t' mod d`, where t' has remainders alone."""
        image, why = self.image(term, typ)
        if isinstance(why, int):
            self.steps[why] = replace(self.steps[why], used=True)
        elif why == LEAF and image not in self.known:
            self._one_of(term, self.modulus, typ, range(self.modulus))

    def image(self, term: Term, typ: Typ) -> tuple[Term, int | str]:
        """The term of remainders, and why it has the same remainder: the place of a step, or a theorem."""
        head, arguments = strip_comb(term)
        name = head.name if type(head) is Const else ""
        if not frees(term):
            return term, SAME
        if name in CONGRUENCES:
            images = [self.image(each, typ) for each in arguments]
            places = tuple(why for _, why in images if isinstance(why, int))
            filled = " ".join("_" if isinstance(why, int) else why for _, why in images)
            rule = CONGRUENCES[name] + ("" if len(places) == len(images) else f"[OF {filled}]")
            return self._equal(term, list_comb(head, [image for image, _ in images]), typ, f"(rule {rule})", places)
        if name == POWER and len(arguments) == 2 and number_of(arguments[1]) is not None:
            image, why = self.image(arguments[0], typ)
            made = list_comb(head, (image, arguments[1]))
            if isinstance(why, int):
                return self._equal(term, made, typ, "(metis power_mod)", (why,))
            return self._equal(term, made, typ, "(rule power_mod[symmetric])", ())
        if name == POWER and len(arguments) == 2:
            return self._periodic(term, head, arguments[0], arguments[1], typ)
        remainder = _mod(term, self.modulus, typ)
        if type(term) is Free and remainder not in self.known and self.modulus <= MOST_CASES:
            self._one_of(term, self.modulus, typ, range(self.modulus))
        return remainder, LEAF

    def _periodic(self, term: Term, head: Term, base: Term, exponent: Term, typ: Typ) -> tuple[Term, int | str]:
        """`b ^ e = (b ^ p) ^ (e div p) * b ^ (e mod p)`, where b ^ p is 1 modulo d."""
        period = None if frees(base) else _order(_value(base, 0), self.modulus)
        if period is None or period > MOST_CASES:
            raise _Beyond
        rest = _mod(exponent, period, NAT)
        small = list_comb(head, (base, rest))
        length, one = number_term(Fraction(period), NAT), number_term(Fraction(1), typ)
        whole = list_comb(head, (list_comb(head, (base, length)), divide(exponent, length, NAT)))
        split = hol.eq(term, times(whole, small, typ), typ)
        laws = "power_mult[symmetric] power_add[symmetric] mult_div_mod_eq"
        self.steps.append(ShownStep(split, f"(simp only: {laws})", (), (), False))
        place = len(self.steps) - 1
        _, unit = self._equal(whole, one, typ, "(subst power_mod[symmetric], simp)", ())
        product = times(whole, small, typ), times(one, small, typ)
        _, both = self._equal(*product, typ, "(rule mod_mult_cong[OF _ refl])", (int(unit),))
        values = {_value(exponent, n) % period for n in range(period)}
        self._one_of(exponent, period, NAT, sorted(values))
        return self._equal(term, small, typ, "(simp only: mult_1)", (place, int(both)))

    def _equal(self, term: Term, image: Term, typ: Typ, method: str, places: tuple[int, ...]) -> tuple[Term, int | str]:
        equation = hol.eq(_mod(term, self.modulus, typ), _mod(image, self.modulus, typ), typ)
        self.steps.append(ShownStep(equation, method, (), places, False))
        return image, len(self.steps) - 1

    def _one_of(self, term: Term, modulus: int, typ: Typ, values: Sequence[int]) -> None:
        """`t mod d` is one of these."""
        equations = [hol.eq(_mod(term, modulus, typ), number_term(Fraction(n), typ), typ) for n in values]
        cases = hol.list_disj(equations, typed=True)
        step = ShownStep(cases, "presburger", (), (), True)
        if step not in self.cases:
            self.cases.append(step)


def _order(base: int, modulus: int) -> int | None:
    """The least p > 0 with base ^ p = 1 modulo it; None where there is none."""
    if modulus < 2 or math.gcd(base, modulus) != 1:
        return None
    return next(power for power in count(1) if pow(base, power, modulus) == 1)


def _value(exponent: Term, n: int) -> int:
    """An exponent where its one variable is n."""
    match applied_constant(exponent):
        case hol.PLUS, [left, right]:
            return _value(left, n) + _value(right, n)
        case hol.TIMES, [left, right]:
            return _value(left, n) * _value(right, n)
        case "Nat.Suc", [inner]:
            return _value(inner, n) + 1
    number = number_of(exponent)
    if number is not None:
        return number
    if type(exponent) is not Free:
        raise _Beyond
    return n


def _moduli(formula: Term) -> Iterator[tuple[Term, int, Typ]]:
    """Terms of which a formula has remainders, by which number."""
    for node in subterms(formula):
        typ = first_argument_type(node)
        match applied_constant(node):
            case (hol.MODULO, [term, modulus]) | (hol.DVD, [modulus, term]) if typ is not None:
                number = number_of(modulus)
                if number:
                    yield term, number, typ


def _exponent(node: Term) -> bool:
    """Is it a power with a variable as exponent?"""
    sides = hol.dest_binary(POWER, node)
    return sides is not None and bool(frees(sides[1]))


def _without_dvd(node: Term) -> Term:
    """`d dvd t` as `t mod d = 0`."""
    sides, typ = hol.dest_binary(DVD, node), first_argument_type(node)
    if sides is None or typ is None:
        return node
    return hol.eq(hol.binary(MODULO, sides[1], sides[0], typ), number_term(Fraction(0), typ), typ)


def _mod(term: Term, modulus: int, typ: Typ) -> Term:
    return hol.binary(MODULO, term, number_term(Fraction(modulus), typ), typ)
