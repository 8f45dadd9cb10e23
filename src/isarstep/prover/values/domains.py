"""Values of HOL's executable types: which there are, small and random ones, when two are equal, what they are as terms.

Numbers are integers and fractions, lists and pairs are tuples, a value of a datatype is the name of its constructor
with its arguments. A function is anything that can be called. A set is a `frozenset`, all but the elements of one
(`CoSet`), or a predicate (`PredicateSet`). What cannot be decided raises `Undetermined`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import count, islice, product
from typing import Any, TypeAlias

from isarstep.isabelle.terms.terms import Abs, App, Const, Term, Typ, Type, fun, funs, list_comb

Value: TypeAlias = Any  # of which form is said by the HOL type
LONGEST_NUMERAL = 2**512
BOOL, NAT, INT = Type("HOL.bool"), Type("Nat.nat"), Type("Int.int")
RAT, REAL, COMPLEX = Type("Rat.rat"), Type("Real.real"), Type("Complex.complex")
MOST_CHOICES = 20_000  # that a random value of a type needs: functions of functions have exponentially many
MOST_VALUES = 64  # of a type that is gone through value by value


class Undetermined(Exception):
    """HOL leaves the value open, or it can't be computed here."""


def decided(truths: Iterable[Callable[[], Value]], whole: bool, decisive: bool) -> bool:
    """`∀` (a False decides) or `∃` (a True does) of truths, which are all there are or some of them."""
    unknown = not whole
    for truth in truths:
        try:
            if bool(truth()) is decisive:
                return decisive
        except Undetermined:
            unknown = True
    if unknown:
        raise Undetermined
    return not decisive


@dataclass(frozen=True, slots=True)
class Gauss:
    """A complex number with rational parts."""

    re: Fraction
    im: Fraction


@dataclass(frozen=True, slots=True)
class CoSet:
    """Everything but these elements of an infinite type."""

    missing: frozenset[Value]


@dataclass(frozen=True, slots=True, eq=False)
class PredicateSet:
    """The elements for which a predicate holds; of a type that can't be gone through."""

    holds: Callable[[Value], bool]
    infinite: bool = False


class FewValues:
    """A function that has one value but for few arguments: of a small type its value at the last argument."""

    __slots__ = ("default", "normal", "others")

    def __init__(self, others: dict[Value, Value], default: Value, normal: Callable[[Value], Value]) -> None:
        """`normal` makes an argument what it is among the others, or raises Undetermined."""
        self.others = {argument: result for argument, result in others.items() if result != default}
        self.default, self.normal = default, normal

    def __call__(self, argument: Value) -> Value:
        return self.others.get(self.normal(argument), self.default)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FewValues) and self.default == other.default and self.others == other.others

    def __hash__(self) -> int:
        return hash((self.default, frozenset(self.others.items())))


class Domain:
    """The values of one type without variables. `every`: all of them, where they are few; `infinite`: certainly so."""

    every: tuple[Value, ...] | None = None
    infinite = False
    choices = 1  # that a random value needs, roughly

    def __init__(self, typ: Type) -> None:
        self.type = typ

    def small(self, count: int) -> list[Value]:
        """The first values, simple ones first."""
        return list(islice(self.values(), count))

    def values(self) -> Iterator[Value]:
        yield from self.every or ()

    def random(self, chance: random.Random, size: int) -> Value:
        return chance.choice(self.small(max(2, size + 2)))

    def normal(self, value: Value) -> Value:
        """A form that is the same for equal values, and can be hashed."""
        return value

    def equal(self, left: Value, right: Value) -> bool:
        return bool(self.normal(left) == self.normal(right))

    def term(self, value: Value) -> Term:
        raise NotImplementedError


NATURAL, WHOLE = ("Nat.nat", "Num.num", "Code_Numeral.natural"), ("Int.int", "Code_Numeral.integer")
NUMBERS = frozenset((*NATURAL, *WHOLE, "Rat.rat", "Real.real", "Complex.complex"))


class NumberValues(Domain):
    """nat, int, rat, real, complex, the numbers of code, and `num`, whose least number is 1."""

    infinite = True

    def values(self) -> Iterator[Value]:
        name = self.type.name
        if name in NATURAL:
            yield from count(int(name == "Num.num"))
        if name in WHOLE:
            yield 0
            for size in count(1):
                yield from (size, -size)
        some = (0, 1, -1, 2, "1/2", -2, "-1/2", 3, "1/3", "3/2", 4, "-2/3", 5, -3, "5/4", 7, 10)
        parts = [Fraction(each) for each in some]
        if name != "Complex.complex":
            yield from parts
            return
        yield from (
            Gauss(re, im) for re, im in sorted(product(parts[:6], parts[:6]), key=lambda pair: sum(map(abs, pair)))
        )

    def random(self, chance: random.Random, size: int) -> Value:
        name, size = self.type.name, max(0, size)
        if name in NATURAL:
            return chance.randint(int(name == "Num.num"), 2 * size + 1)
        if name in WHOLE:
            return chance.randint(-size - 1, size + 1)
        one, two = (Fraction(chance.randint(-size - 1, size + 1), chance.randint(1, 3)) for _ in range(2))
        return Gauss(one, two) if name == "Complex.complex" else one

    def term(self, value: Value) -> Term:
        if self.type.name == "Num.num":
            return num_term(value)
        if isinstance(value, Gauss):
            real, imaginary = (NumberValues(REAL).term(part) for part in (value.re, value.im))
            return list_comb(Const("Complex.complex.Complex", funs((REAL, REAL), COMPLEX)), (real, imaginary))
        return number_term(Fraction(value), self.type)


def short_enough(value: Fraction | int) -> bool:
    """Can it be written as a term? Numerals are as deep as they have binary digits."""
    return max(abs(value.numerator), value.denominator) < LONGEST_NUMERAL


def num_term(value: int) -> Term:
    num = Type("Num.num")
    if value == 1:
        return Const("Num.num.One", num)
    return App(Const(f"Num.num.Bit{value % 2}", fun(num, num)), num_term(value // 2))


def number_term(value: Fraction, typ: Typ) -> Term:
    if value < 0:
        return App(Const("Groups.uminus_class.uminus", fun(typ, typ)), number_term(-value, typ))
    if value.denominator != 1:
        parts = (number_term(Fraction(part), typ) for part in (value.numerator, value.denominator))
        return list_comb(Const("Rings.divide_class.divide", funs((typ, typ), typ)), parts)
    if value < 2:
        return Const("Groups.one_class.one" if value else "Groups.zero_class.zero", typ)
    return App(Const("Num.numeral_class.numeral", fun(Type("Num.num"), typ)), num_term(int(value)))


class FewConstants(Domain):
    """bool, unit, and the finite types that stand for type variables."""

    def __init__(self, typ: Type, every: tuple[Value, ...], names: Sequence[str]) -> None:
        super().__init__(typ)
        self.every = every
        self._names = dict(zip(every, names, strict=True))

    def term(self, value: Value) -> Term:
        return Const(self._names[value], self.type)


class CharacterValues(Domain):
    """Bytes."""

    def values(self) -> Iterator[Value]:
        yield from dict.fromkeys((97, 98, 99, 65, 32, 48, *range(256)))

    def term(self, value: Value) -> Term:
        bits = [Const("HOL.True" if value >> bit & 1 else "HOL.False", BOOL) for bit in range(8)]
        return list_comb(Const("String.char.Char", funs([BOOL] * 8, self.type)), bits)


class DatatypeValues(Domain):
    """A datatype. ListValues and pairs have forms of their own."""

    def __init__(self, typ: Type, constructors: Callable[[], Sequence[tuple[str, Sequence[Domain]]]]) -> None:
        """The constructors are asked for late: a type may occur in itself."""
        super().__init__(typ)
        self._made, self._levels, self._making = constructors, [list[Value]()], False

    @cached_property
    def constructors(self) -> Sequence[tuple[str, Sequence[Domain]]]:
        made = self._made()
        self.infinite = any(d is self or d.infinite for _, domains in made for d in domains)
        self.every = self._few(made)
        return made

    def _few(self, constructors: Sequence[tuple[str, Sequence[Domain]]]) -> tuple[Value, ...] | None:
        found: list[Value] = []
        for name, domains in constructors:
            total = 1
            for domain in domains:
                if domain is self or domain.every is None or (total := total * len(domain.every)) > MOST_VALUES:
                    return None
            found += [self.made(name, each) for each in product(*(d.every or () for d in domains))]
        return tuple(found) if len(found) <= MOST_VALUES else None

    def made(self, name: str, arguments: Iterable[Value]) -> Value:
        return (name, *arguments)

    def parts(self, value: Value) -> tuple[str, tuple[Value, ...]]:
        return value[0], value[1:]

    def values(self) -> Iterator[Value]:
        """Each once: whoever counts them relies on it."""
        seen = set[Value]()
        for level in range(6):
            for value in self._level(level):
                if value not in seen:
                    seen.add(value)
                    yield value

    def _level(self, level: int) -> list[Value]:
        """Values of at most this depth; a few of them. Inside a value that is being made, those known so far."""
        while len(self._levels) <= level and not self._making:
            known, self._making = self._levels[-1], True
            found = dict.fromkeys(known)
            try:
                for name, domains in self.constructors:
                    choices = [known[:4] if d is self else _first(d, 3) for d in domains]
                    for each in islice(product(*choices), 12):
                        found[self.made(name, each)] = None
            finally:
                self._making = False
            self._levels.append(list(found))
        return self._levels[min(level, len(self._levels) - 1)]

    def random(self, chance: random.Random, size: int) -> Value:
        usable = self.constructors
        if size <= 0:
            usable = [one for one in usable if all(d is not self for d in one[1])] or usable
        if size < -8:
            raise Undetermined
        name, domains = chance.choice(usable)
        return self.made(name, [d.random(chance, size - 1) for d in domains])

    def normal(self, value: Value) -> Value:
        name, arguments = self.parts(value)
        domains = next(domains for one, domains in self.constructors if one == name)
        return self.made(name, [d.normal(each) for d, each in zip(domains, arguments, strict=True)])

    def term(self, value: Value) -> Term:
        name, arguments = self.parts(value)
        domains = next(domains for one, domains in self.constructors if one == name)
        head = Const(name, funs([d.type for d in domains], self.type))
        return list_comb(head, [d.term(each) for d, each in zip(domains, arguments, strict=True)])


def _first(domain: Domain, count: int) -> list[Value]:
    try:
        return domain.small(count)
    except RecursionError:
        return []


class ListValues(Domain):
    infinite = True

    def __init__(self, typ: Type, element: Domain) -> None:
        super().__init__(typ)
        self.element, self.choices = element, 2 * element.choices
        if self.choices > MOST_CHOICES:
            raise Undetermined

    def values(self) -> Iterator[Value]:
        for length in range(5):
            yield from islice(product(self.element.small(3 if length < 3 else 2), repeat=length), 12)

    def random(self, chance: random.Random, size: int) -> Value:
        return tuple(self.element.random(chance, size - 1) for _ in range(chance.randint(0, max(1, size))))

    def normal(self, value: Value) -> Value:
        return tuple(map(self.element.normal, value))

    def term(self, value: Value) -> Term:
        made: Term = Const("List.list.Nil", self.type)
        cons = Const("List.list.Cons", funs((self.element.type, self.type), self.type))
        for each in reversed(value):
            made = list_comb(cons, (self.element.term(each), made))
        return made


class PairValues(DatatypeValues):
    def __init__(self, typ: Type, left: Domain, right: Domain) -> None:
        super().__init__(typ, lambda: [("Product_Type.Pair", (left, right))])
        self.choices = left.choices + right.choices
        if self.choices > MOST_CHOICES:
            raise Undetermined
        self.constructors  # both parts are known: whether the type is finite is, too  # noqa: B018

    def made(self, name: str, arguments: Iterable[Value]) -> Value:
        return tuple(arguments)

    def parts(self, value: Value) -> tuple[str, tuple[Value, ...]]:
        return "Product_Type.Pair", value


class SetValues(Domain):
    def __init__(self, typ: Type, element: Domain) -> None:
        super().__init__(typ)
        self.element, self.infinite, self.choices = element, element.infinite, 2 * element.choices
        if self.choices > MOST_CHOICES:
            raise Undetermined
        if element.every is not None and 2 ** len(element.every) <= MOST_VALUES:
            self.every = tuple(subsets(element.every))

    def values(self) -> Iterator[Value]:
        yield from self.every or islice(subsets(self.element.small(5)), 24)

    def random(self, chance: random.Random, size: int) -> Value:
        count = chance.randint(0, max(1, size))
        made = frozenset(self.element.normal(self.element.random(chance, size)) for _ in range(count))
        return CoSet(made) if self.element.infinite and not chance.randint(0, 7) else made

    def normal(self, value: Value) -> Value:
        if isinstance(value, PredicateSet):
            raise Undetermined
        return value

    def equal(self, left: Value, right: Value) -> bool:
        if isinstance(left, frozenset) and isinstance(right, frozenset):
            return left == right
        if isinstance(left, CoSet) and isinstance(right, CoSet):
            return left.missing == right.missing
        unlike = (isinstance(left, frozenset) and _infinite(right)) or (
            isinstance(right, frozenset) and _infinite(left)
        )
        if self.element.infinite and unlike:
            return False
        found = [*self.element.small(12), *(e for s in (left, right) for e in _mentioned(s))]
        if any(is_member(one, left) != is_member(one, right) for one in found):
            return False
        raise Undetermined

    def term(self, value: Value) -> Term:
        if isinstance(value, CoSet):
            return App(Const("Groups.uminus_class.uminus", fun(self.type, self.type)), self.term(value.missing))
        made: Term = Const("Set.empty", self.type)
        insert = Const("Set.insert", funs((self.element.type, self.type), self.type))
        for each in reversed(_ordered(value)):
            made = list_comb(insert, (self.element.term(each), made))
        return made


def is_member(element: Value, of: Value) -> bool:
    """`element` is in normal form."""
    if isinstance(of, frozenset):
        return element in of
    return element not in of.missing if isinstance(of, CoSet) else of.holds(element)


def _infinite(value: Value) -> bool:
    return isinstance(value, CoSet) or (isinstance(value, PredicateSet) and value.infinite)


def _mentioned(value: Value) -> Iterable[Value]:
    return value if isinstance(value, frozenset) else value.missing if isinstance(value, CoSet) else ()


def _ordered(values: Iterable[Value]) -> list[Value]:
    """The same order whatever the hashes are."""
    try:
        return sorted(values)
    except TypeError:
        return sorted(values, key=repr)


def subsets(elements: Sequence[Value]) -> Iterator[frozenset[Value]]:
    for chosen in sorted(range(2 ** len(elements)), key=lambda bits: (bits.bit_count(), bits)):
        yield frozenset(e for place, e in enumerate(elements) if chosen >> place & 1)


class FunctionValues(Domain):
    def __init__(self, typ: Type, argument: Domain, result: Domain) -> None:
        super().__init__(typ)
        self.argument, self.result = argument, result
        self.choices = 4 * (argument.choices + result.choices)
        if self.choices > MOST_CHOICES:
            raise Undetermined
        single = result.every is not None and len(result.every) == 1
        self.infinite = result.infinite or (argument.infinite and not single)
        count = 0 if argument.every is None else len(argument.every)
        if 0 < count <= 6 and result.every is not None and len(result.every) ** count <= MOST_VALUES:
            self.every = tuple(self._tables(result.every))

    def _table(self, results: Sequence[Value]) -> Value:
        """By its values at all arguments."""
        return FewValues(dict(zip(self.argument.every or (), results, strict=True)), results[-1], self.argument.normal)

    def _tables(self, results: Sequence[Value]) -> Iterator[Value]:
        return map(self._table, product(results, repeat=len(self.argument.every or ())))

    def values(self) -> Iterator[Value]:
        if self.every is not None:
            yield from self.every
        elif self.argument.every is not None:
            yield from islice(self._tables(self.result.small(3)), 24)
        else:
            normal = self.argument.normal
            some, results = self.argument.small(4), self.result.small(3)
            constant = [FewValues({}, default, normal) for default in results]
            more = [
                FewValues({some[0]: one, some[-1]: other}, default, normal)
                for default, one, other in islice(product(results, repeat=3), 24)
            ]
            yield from dict.fromkeys((*constant, *more))

    def random(self, chance: random.Random, size: int) -> Value:
        def result() -> Value:
            return self.result.normal(self.result.random(chance, size - 1))

        if self.argument.every is not None:
            return self._table([result() for _ in self.argument.every])
        some = [self.argument.normal(self.argument.random(chance, size)) for _ in range(max(2, size))]
        return FewValues({one: result() for one in some}, result(), self.argument.normal)

    def normal(self, value: Value) -> Value:
        if isinstance(value, FewValues):
            return value
        if self.argument.every is None:
            raise Undetermined
        return self._table([self.result.normal(value(one)) for one in self.argument.every])

    def equal(self, left: Value, right: Value) -> bool:
        if self.argument.every is not None:
            return all(self.result.equal(left(one), right(one)) for one in self.argument.every)
        if isinstance(left, FewValues) and isinstance(right, FewValues):
            return left == right
        found = [*self.argument.small(12)]
        for side in (left, right):
            found += side.others if isinstance(side, FewValues) else ()
        for one in found:
            try:
                if not self.result.equal(left(one), right(one)):
                    return False
            except Undetermined:
                continue
        raise Undetermined

    def term(self, value: Value) -> Term:
        value = self.normal(value)
        argument, result = self.argument.type, self.result.type
        made: Term = Abs("x", argument, self.result.term(value.default))
        update = Const("Fun.fun_upd", funs((self.type, argument, result), self.type))
        for one in self.argument.every or _ordered(value.others):
            if one in value.others:
                made = list_comb(update, (made, self.argument.term(one), self.result.term(value.others[one])))
        return made
