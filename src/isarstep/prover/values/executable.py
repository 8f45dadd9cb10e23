"""The executable part of HOL: terms without type variables become functions of Python that compute their values.

What a constant means is said in `prover/values/operations.py` where it is built in, and otherwise by theorems of the
library that are equations for it (`prover/values/equations.py`). Whatever is not determined, not computed or too long
raises `Undetermined`: a value that comes back is the one that HOL proves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any, TypeAlias

from isarstep.common.cancellation import check_deadline
from isarstep.isabelle.terms.terms import (
    Abs,
    App,
    Bound,
    Const,
    Free,
    Term,
    Typ,
    Type,
    Var,
    abstract,
    applied_constant,
    increase,
    list_comb,
    occurs_bound,
    strip_comb,
    strip_fun,
)
from isarstep.prover.values.domains import (
    NAT,
    NUMBERS,
    CharacterValues,
    DatatypeValues,
    Domain,
    FewConstants,
    FunctionValues,
    ListValues,
    NumberValues,
    PairValues,
    PredicateSet,
    SetValues,
    Undetermined,
    Value,
    decided,
    is_member,
)

Environment: TypeAlias = Any  # () or (value of the innermost bound variable, those outside)
Code: TypeAlias = Callable[[Environment], Value]
MOST_STEPS_OF_VALUE = 20_000
LARGEST_VALUE = 50_000  # parts of one value, those of its parts counted as often as they are in it
MOST_PARTS = 2_000_000  # of all values that are made on the way to one
LOOK = 256  # steps after which it is looked whether there is time left
LARGEST_NUMBER = 1_000  # up to which a bounded variable is asked about
SAMPLE = 8  # values of an infinite type that a quantifier looks at
FINITE = "Enum.finite_"


@dataclass(frozen=True, slots=True)
class Computation:
    """A function of so many arguments, all computed first. `has_value`: False where no arguments ever give one."""

    arity: int
    run: Callable[..., Value]
    has_value: Callable[[], bool] = lambda: True


class BuiltInOnly:
    """Where the evaluator looks up what it does not know itself: without a library nowhere."""

    def datatype(self, typ: Type) -> Sequence[tuple[str, Sequence[Typ]]] | None:
        """The free constructors of a type."""
        return None

    def function(self, machine: Machine, name: str, typ: Typ) -> Computation | None:
        """What equations say about a constant at a type."""
        return None


BuiltIn: TypeAlias = Callable[["Machine", Typ], Computation | None]
Form: TypeAlias = Callable[["Machine", Typ, Sequence[Term]], Code]


class Machine:
    """Compiles terms and has the domains of their types. Steps are counted from one `evaluate` to the next."""

    def __init__(
        self, meanings: BuiltInOnly, built_in: Mapping[str, BuiltIn], steps: int = MOST_STEPS_OF_VALUE
    ) -> None:
        self.meanings, self._steps = meanings, steps
        self._built_in = built_in
        self._domains: dict[Typ, Domain | None] = {}
        self._operations: dict[tuple[str, Typ], Computation | None] = {}
        self.left, self.parts = self._steps, MOST_PARTS
        self._sizes: dict[int, tuple[Value, int]] = {}  # of values with parts, by identity: they are kept meanwhile

    def step(self) -> None:
        self.left -= 1
        if not self.left % LOOK:
            check_deadline()
        if self.left < 0:
            raise Undetermined

    def kept(self, value: Value) -> Value:
        """The value that an operation has made; Undetermined where it has too many parts. A value with the same part
        twice takes no memory for that, but whoever compares it goes through all of it."""
        if type(value) is not tuple and type(value) is not frozenset:
            return value
        sizes, size = self._sizes, len(value)
        self.parts -= size
        size += sum(sizes[id(part)][1] for part in value if id(part) in sizes)
        if self.parts < 0 or size > LARGEST_VALUE:
            raise Undetermined
        sizes[id(value)] = value, size
        return value

    def counted(self, values: Iterable[Value]) -> Iterator[Value]:
        """The values, each of which is a step."""
        for value in values:
            self.step()
            yield value

    def evaluate(self, code: Code, environment: Environment) -> Value:
        """The value; Undetermined, too, where it takes too long or is too large."""
        self.left, self.parts, self._sizes = self._steps, MOST_PARTS, {}
        try:
            return code(environment)
        except (RecursionError, OverflowError, MemoryError):
            raise Undetermined from None

    def value(self, term: Term) -> Value | None:
        """Of a term without variables; None where it has none."""
        try:
            return self.evaluate(self.code(term), ())
        except Undetermined:
            return None

    def code_over(self, variables: Iterable[Free | Var], term: Term) -> Code:
        """The code of a term of these variables, to be evaluated in an `environment` of their values."""
        return self.code(reduce(abstract, variables, term))

    def domain(self, typ: Typ) -> Domain:
        if typ not in self._domains:
            try:
                self._domains[typ] = self._made(typ)
            except Undetermined:
                self._domains[typ] = None
        found = self._domains[typ]
        if found is None:
            raise Undetermined
        return found

    def _made(self, typ: Typ) -> Domain | None:
        if not isinstance(typ, Type):
            return None
        name = typ.name
        if name in NUMBERS:
            return NumberValues(typ)
        if name.startswith(FINITE) and name.removeprefix(FINITE).isdigit():
            count = int(name.removeprefix(FINITE))
            return FewConstants(typ, tuple(range(count)), [f"{name}.a\\<^sub>{n + 1}" for n in range(count)])
        match name, typ.args:
            case "HOL.bool", ():
                return FewConstants(typ, (False, True), ("HOL.False", "HOL.True"))
            case "Product_Type.unit", ():
                return FewConstants(typ, ((),), ("Product_Type.Unity",))
            case "String.char", ():
                return CharacterValues(typ)
            case "fun", (argument, result):
                return FunctionValues(typ, self.domain(argument), self.domain(result))
            case "Set.set", (element,):
                return SetValues(typ, self.domain(element))
            case "List.list", (element,):
                return ListValues(typ, self.domain(element))
            case "Product_Type.prod", (left, right):
                return PairValues(typ, self.domain(left), self.domain(right))
        constructors = self.meanings.datatype(typ)
        if constructors is None:
            return None
        made = DatatypeValues(typ, lambda: [(name, [self.domain(t) for t in types]) for name, types in constructors])
        self._domains[typ] = made
        try:
            _ = made.constructors
            if not made.small(1):
                raise Undetermined
        except (Undetermined, RecursionError):
            self._domains[typ] = None
        return self._domains[typ]

    def operation(self, name: str, typ: Typ) -> Computation | None:
        key = (name, typ)
        if name.startswith(FINITE) and name.rpartition(">")[2].isdigit():  # not Enum.finite_2.case_finite_2
            value = int(name.rpartition(">")[2]) - 1
            return Computation(0, lambda: value)
        if key not in self._operations:
            built_in = self._built_in.get(name)
            try:
                found = built_in(self, typ) if built_in is not None else None
            except Undetermined:
                found = None
            # Equations may lead back here: until they are compiled the constant is looked up when it is called.
            self._operations[key] = found or Computation(0, lambda: self._late(key))
            if found is None:
                self._operations[key] = found = self.meanings.function(self, name, typ)
                if found is not None and not found.has_value():
                    self._operations[key] = None
        return self._operations[key]

    def _late(self, key: tuple[str, Typ]) -> Value:
        found = self._operations[key]
        if found is None:
            raise Undetermined
        return curried(found)

    # Terms

    def code(self, term: Term) -> Code:
        """What computes a term from the values of its loose bound variables; `never` where nothing can."""
        head, arguments = strip_comb(term)
        if type(head) is Const:
            return self._constant(head, arguments)
        if type(head) is Abs and arguments:
            body, first = self.code(head.body), self.code(arguments[0])
            strict = never if first is never or body is never else lambda env: body((first(env), env))
            return self._applied(strict, arguments[1:])
        if type(head) is Abs:
            return self._abstraction(head)
        if type(head) is Bound:
            return self._applied(_bound(head.index), arguments)
        return never

    def _abstraction(self, term: Abs) -> Code:
        body = self.code(term.body)

        def run(env: Environment) -> Value:
            def call(value: Value) -> Value:
                self.step()
                return body((value, env))

            return call

        return run

    def _applied(self, function: Code, arguments: Sequence[Term]) -> Code:
        for argument in arguments:
            function = _application(function, self.code(argument))
        return function

    def _constant(self, head: Const, arguments: Sequence[Term]) -> Code:
        if head.type is None:
            return never
        form = FORMS.get(head.name)
        if form is not None:
            arity, make = form
            if len(arguments) < arity:
                return self.code(_expanded(head, arguments, arity))
            try:
                made = make(self, head.type, arguments[:arity])
            except Undetermined:  # a type without values makes the form undetermined, not the whole term
                return never
            return self._applied(made, arguments[arity:])
        found = self.operation(head.name, head.type)
        if found is None:
            return never
        codes = [self.code(argument) for argument in arguments]
        if found.arity and len(codes) >= found.arity:
            made = _called(self, found, codes[: found.arity])
            for code in codes[found.arity :]:
                made = _application(made, code)
            return made
        value = (
            curried(Computation(found.arity, lambda *values: self.kept(found.run(*values)))) if found.arity else None
        )
        run = found.run
        made = (lambda env: value) if value is not None else (lambda env: run())
        for code in codes:
            made = _application(made, code)
        return made


def _called(machine: Machine, operation: Computation, codes: Sequence[Code]) -> Code:
    run, step, kept = operation.run, machine.step, machine.kept
    if never in codes:
        return never
    if len(codes) == 1:
        one = codes[0]

        def unary(env: Environment) -> Value:
            step()
            return kept(run(one(env)))

        return unary
    if len(codes) == 2:
        left, right = codes

        def binary(env: Environment) -> Value:
            step()
            return kept(run(left(env), right(env)))

        return binary

    def several(env: Environment) -> Value:
        step()
        return kept(run(*[code(env) for code in codes]))

    return several


def _application(function: Code, argument: Code) -> Code:
    return never if function is never or argument is never else lambda env: function(env)(argument(env))


def _bound(index: int) -> Code:
    if index == 0:
        return lambda env: env[0]
    if index == 1:
        return lambda env: env[1][0]

    def run(env: Environment) -> Value:
        for _ in range(index):
            env = env[1]
        return env[0]

    return run


def never(_: Environment) -> Value:
    """The code of terms that have no value here, whatever their variables are: it is known before values are made."""
    raise Undetermined


def curried(operation: Computation, *given: Value) -> Value:
    """The function of one argument after the other."""
    if len(given) == operation.arity:
        return operation.run(*given)
    return lambda value: curried(operation, *given, value)


def _expanded(head: Const, arguments: Sequence[Term], arity: int) -> Term:
    """`f x` as `λy. f x y`."""
    assert head.type is not None
    types, _ = strip_fun(head.type)
    missing = types[len(arguments) : arity]
    bound = map(Bound, reversed(range(len(missing))))
    made = list_comb(head, (*(increase(argument, len(missing)) for argument in arguments), *bound))
    for typ in reversed(missing):
        made = Abs("x", typ, made)
    return made


# Forms whose arguments are not all computed first


def environment(values: Iterable[Value]) -> Environment:
    """Where bound variables have these values, the innermost one the last."""
    made: Environment = ()
    for value in values:
        made = (value, made)
    return made


def _truth(code: Code, env: Environment) -> bool | None:
    """None: undetermined."""
    try:
        return bool(code(env))
    except Undetermined:
        return None


def _either(by: bool, decisive: bool) -> Form:
    """What a left side that is `by` decides, and a right side that is `decisive`."""

    def make(machine: Machine, _: Typ, arguments: Sequence[Term]) -> Code:
        left, right = map(machine.code, arguments)
        if left is never and right is never:
            return never

        def run(env: Environment) -> bool:
            one = _truth(left, env)
            if one is by:
                return decisive
            other = bool(right(env))
            if other is decisive or one is not None:
                return other
            raise Undetermined

        return run

    return make


def _if(machine: Machine, _: Typ, arguments: Sequence[Term]) -> Code:
    test, yes, no = map(machine.code, arguments)
    if test is never or (yes is never and no is never):
        return never
    return lambda env: yes(env) if test(env) else no(env)


def _not(machine: Machine, _: Typ, arguments: Sequence[Term]) -> Code:
    inner = machine.code(arguments[0])
    return never if inner is never else lambda env: not inner(env)


def _quantifier(decisive: bool) -> Form:
    """`∀` (a False decides) and `∃` (a True does)."""

    def make(machine: Machine, typ: Typ, arguments: Sequence[Term]) -> Code:
        body, bounded = _body(machine, typ, arguments[0], not decisive)
        if body is never:
            return never

        def run(env: Environment) -> bool:
            values, whole = bounded(env)
            return decided((partial(body, (value, env)) for value in machine.counted(values)), whole, decisive)

        return run

    return make


Bounded: TypeAlias = Callable[[Environment], tuple[Sequence[Value], bool]]


def _body(machine: Machine, typ: Typ, predicate: Term, universal: bool) -> tuple[Code, Bounded]:
    """A predicate's code under its variable, and the values that it need be asked about: all of them or a sample.
    `typ` is that of the constant before it."""
    domain = machine.domain(argument_type(argument_type(typ)))
    if type(predicate) is not Abs:
        predicate = Abs("x", None, App(increase(predicate, 1), Bound(0)))
    limits = [made for each in _guards(predicate.body, universal) if (made := _limit(machine, each)) is not None]
    return machine.code(predicate.body), lambda env: _asked(env, domain, limits)


def _asked(env: Environment, domain: Domain, limits: Sequence[Code]) -> tuple[Sequence[Value], bool]:
    if domain.every is not None:
        return domain.every, True
    for limit in limits:
        try:
            found = limit(env)
        except Undetermined:
            continue
        if isinstance(found, frozenset | range):
            return tuple(found), True
    return domain.small(SAMPLE), False


def _guards(body: Term, universal: bool) -> Iterator[Term]:
    """What must hold of the bound variable, or the whole is decided: premises under `∀`, conjuncts under `∃`."""
    name, arguments = applied_constant(body)
    if universal and name in ("HOL.implies", "Pure.imp") and len(arguments) == 2:
        yield from _guards(arguments[0], False)
        yield from _guards(arguments[1], True)
    elif not universal and name == "HOL.conj" and len(arguments) == 2:
        for each in arguments:
            yield from _guards(each, False)
    elif name == "HOL.Trueprop":
        yield from _guards(arguments[0], universal)
    elif not universal:
        yield body


def _limit(machine: Machine, guard: Term) -> Code | None:
    """The values that a guard leaves to Bound 0: `x < t` of a natural number, `x ∈ A`, `x = t`."""
    head, arguments = strip_comb(guard)
    if type(head) is not Const or len(arguments) != 2 or head.type is None:
        return None
    left, right = arguments
    at = argument_type(head.type)
    if head.name == "Rings.dvd_class.dvd" and at == NAT and left == Bound(0) and not occurs_bound(right, 0):
        number = machine.code(increase(right, -1))
        return lambda env: range(1, number(env) + 1) if 0 < number(env) < LARGEST_NUMBER else None
    if head.name == "HOL.eq" and right == Bound(0):
        left, right = right, left
    if left != Bound(0) or occurs_bound(right, 0):
        return None
    code = machine.code(increase(right, -1))
    if head.name == "Set.member":
        return code
    if head.name == "HOL.eq":
        domain = machine.domain(at)
        return lambda env: frozenset([domain.normal(code(env))])
    if at == NAT and head.name in ("Orderings.ord_class.less", "Orderings.ord_class.less_eq"):
        more = int(head.name.endswith("less_eq"))
        return lambda env: range(code(env) + more) if code(env) < LARGEST_NUMBER else None
    return None


def _bounded_quantifier(decisive: bool) -> Form:
    def make(machine: Machine, typ: Typ, arguments: Sequence[Term]) -> Code:
        sets = machine.domain(argument_type(typ))
        assert isinstance(sets, SetValues)
        collection, predicate = machine.code(arguments[0]), machine.code(arguments[1])
        if collection is never or predicate is never:
            return never

        def run(env: Environment) -> bool:
            found, test = collection(env), predicate(env)
            values, whole = elements(found, sets.element)
            return decided((partial(test, value) for value in machine.counted(values)), whole, decisive)

        return run

    return make


def elements(value: Value, domain: Domain) -> tuple[Sequence[Value], bool]:
    """Elements of a set: all, or some of a sample."""
    if isinstance(value, frozenset):
        return tuple(value), True
    found = []
    for each in domain.small(SAMPLE):
        try:
            if is_member(each, value):
                found.append(each)
        except Undetermined:
            continue
    return found, False


def _exactly_one(machine: Machine, typ: Typ, arguments: Sequence[Term]) -> Code:
    body, bounded = _body(machine, typ, arguments[0], False)

    def run(env: Environment) -> bool:
        values, whole = bounded(env)
        found = unknown = 0
        for value in values:
            machine.step()
            truth = _truth(body, (value, env))
            found += truth is True
            unknown += truth is None
        if found > 1:
            return False
        if unknown or not whole:
            raise Undetermined
        return found == 1

    return run


def _collect(machine: Machine, typ: Typ, arguments: Sequence[Term]) -> Code:
    body, bounded = _body(machine, typ, arguments[0], False)

    def run(env: Environment) -> Value:
        values, whole = bounded(env)
        if whole:
            return frozenset(value for value in values if body((value, env)))
        return PredicateSet(lambda value: bool(body((value, env))))

    return run


def _least(machine: Machine, typ: Typ, arguments: Sequence[Term]) -> Code:
    """`LEAST n. P n` of natural numbers: the first one of which it holds."""
    if argument_type(argument_type(typ)) != NAT:
        return never
    predicate = machine.code(arguments[0])
    if predicate is never:
        return never

    def run(env: Environment) -> Value:
        test = predicate(env)
        for value in range(LARGEST_NUMBER):
            machine.step()
            if test(value):
                return value
        raise Undetermined

    return run


def argument_type(typ: Typ) -> Typ:
    if not isinstance(typ, Type) or not typ.args:
        raise Undetermined
    return typ.args[0]


FORMS: dict[str, tuple[int, Form]] = {
    **dict.fromkeys(("HOL.Trueprop", "Pure.prop"), (1, lambda machine, _, arguments: machine.code(arguments[0]))),
    "HOL.Not": (1, _not),
    **dict.fromkeys(("HOL.conj", "Pure.conjunction"), (2, _either(False, False))),
    "HOL.disj": (2, _either(True, True)),
    **dict.fromkeys(("HOL.implies", "Pure.imp", "HOL.simp_implies"), (2, _either(False, True))),
    "HOL.If": (3, _if),
    "HOL.Let": (2, lambda machine, _, arguments: _application(*map(machine.code, arguments[::-1]))),
    **dict.fromkeys(("HOL.All", "Pure.all"), (1, _quantifier(False))),
    "HOL.Ex": (1, _quantifier(True)),
    "HOL.Ex1": (1, _exactly_one),
    "Set.Ball": (2, _bounded_quantifier(False)),
    "Set.Bex": (2, _bounded_quantifier(True)),
    "Orderings.ord_class.Least": (1, _least),
    "Set.Collect": (1, _collect),
}
