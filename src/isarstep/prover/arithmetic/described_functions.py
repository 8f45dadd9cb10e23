"""Functions that premises describe, `∀x. f x = t`: which terms are described, at which arguments, by which terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.normal_forms import beta_normal
from isarstep.isabelle.terms.terms import Abs, Bound, Free, Term, Typ, Type, frees, strip_comb, substitute
from isarstep.prover.arithmetic.rings import number_of
from isarstep.prover.values.domains import number_term

LONGEST_RECURSION = 24  # instances of a recursion, between the least and the largest argument


def binders_and_body(formula: Term) -> tuple[list[Typ | None], Term]:
    """Types of the variables that `∀` binds, from the outside in, and the body."""
    binders: list[Typ | None] = []
    while (binder := hol.dest_quantifier(hol.ALL, formula)) is not None:
        binders.append(binder.type)
        formula = binder.body
    return binders, formula


def describes_function(term: Term, count: int) -> bool:
    """`f x y` with all bound variables, each alone or with a number added."""
    head, arguments = strip_comb(term)
    if type(head) is not Free or not arguments:
        return False
    places = [place_of_argument(argument) for argument in arguments]
    return {place[0] for place in places if place is not None} == set(range(count)) and None not in places


def place_of_argument(argument: Term) -> tuple[int, int] | None:
    """The bound variable and what is added to it; -1 for an argument without bound variables."""
    if type(argument) is Bound:
        return argument.index, 0
    sum_of = hol.dest_binary("Groups.plus_class.plus", argument)
    if sum_of is not None and type(sum_of[0]) is Bound:
        added = number_of(sum_of[1])
        return None if added is None else (sum_of[0].index, added)
    return None


def matched_arguments(
    patterns: Sequence[Term], arguments: Sequence[Term], binders: Sequence[Typ | None]
) -> tuple[Term, ...] | None:
    """The values of the bound variables, the outermost first."""
    values: dict[int, Term] = {}
    for pattern, argument in zip(patterns, arguments, strict=True):
        place = place_of_argument(pattern)
        assert place is not None
        index, added = place
        value: Term = argument
        if added:
            number = number_of(argument)
            typ = binders[len(binders) - 1 - index]
            if number is None or typ is None or (number < added and typ == Type("Nat.nat")):
                return None
            value = number_term(Fraction(number - added), typ)
        if values.setdefault(index, value) != value:
            return None
    return tuple(values[index] for index in reversed(range(len(binders))))


def range_of_recursion(pattern: Term, occurring: Sequence[Term]) -> range:
    """Where a recursion over natural numbers is unfolded: from the least to the largest argument."""
    (argument,) = strip_comb(pattern)[1][-1:]
    place = place_of_argument(argument)
    numbers = [n for n in (number_of(strip_comb(t)[1][-1]) for t in occurring) if n is not None]
    if place is None or not numbers or max(numbers) - min(numbers) > LONGEST_RECURSION:
        return range(0)
    return range(max(0, min(numbers) - place[1]), max(0, max(numbers) - place[1] + 1))


def described_functions(rules: Sequence[Term]) -> dict[Free, tuple[Term, int]]:
    """Functions with `λx y. t`, by the place of the rule `∀x y. f x y = t`; t is not about f."""
    found: dict[Free, tuple[Term, int]] = {}
    for place, rule in enumerate(rules):
        binders, body = binders_and_body(rule)
        sides = hol.dest_binary(hol.EQ, body)
        head, arguments = strip_comb(sides[0]) if sides is not None else (body, [])
        if sides is None or type(head) is not Free or head in found or head in frees(sides[1]):
            continue
        if arguments != [Bound(n) for n in reversed(range(len(binders)))]:
            continue
        value = sides[1]
        for typ in reversed(binders):
            value = Abs("x", typ, value)
        found[head] = value, place
    return found


def replaced_by(term: Term, values: Mapping[Free, Term]) -> Term:
    """With variables replaced as often as they occur in what replaced others."""
    for _ in range(3):
        if not any(leaf in values for leaf in frees(term)):
            break
        term = beta_normal(substitute(term, lambda leaf: values.get(leaf) if type(leaf) is Free else None))
    return term
