"""Constants and datatypes through theorems of the library: equations that say what a function computes, and the rules
that say which constructors a type has.

Every equation is a theorem, so it does not matter which ones are found: a value computed with them is the one that HOL
proves. DatatypeValues count only where the library says that they exhaust the type, are injective and are distinct.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from isarstep.isabelle.context.monomorphisation import Named, is_general, match_in_sorts, term_type_variables
from isarstep.isabelle.terms.hol import EQ, NOT, dest_binary, dest_trueprop, strip_pure_all, strip_pure_imp
from isarstep.isabelle.terms.signature import Signature
from isarstep.isabelle.terms.terms import (
    Bound,
    Const,
    Term,
    TVar,
    Typ,
    Type,
    Var,
    applied_constant,
    head_name,
    schematics,
    strip_comb,
    strip_fun,
    substitute_types,
)
from isarstep.isabelle.terms.types import instantiate_type, match_type
from isarstep.premises.fact_base import OF_DATATYPE, Library
from isarstep.prover.rewrite.rewriting import Rewrite, rule_said
from isarstep.prover.values.domains import DatatypeValues, Domain, Undetermined, Value
from isarstep.prover.values.executable import FINITE, BuiltInOnly, Code, Computation, Machine, environment, never

ENDS = (".simps", "_def", ".code", "_code")
MOST_EQUATIONS = 200


class LibraryEquations(BuiltInOnly):
    """What the facts of some theories say about constants and types; all theories together contradict each other."""

    def __init__(self, facts: Library, signature: Signature, theories: Collection[str] | None) -> None:
        self._facts, self._signature, self._theories = facts, signature, theories
        self._rules: dict[str, list[Rewrite]] = {}
        self._constructors: dict[str, tuple[Type, Sequence[tuple[str, Sequence[Typ]]]] | None] = {}

    def _stated(self, name: str) -> list[Named]:
        found = [
            n for n in self._facts.rules(name) if self._theories is None or self._facts.theory(n) in self._theories
        ]
        return [fact for n in found[:MOST_EQUATIONS] if is_general((fact := self._facts.fact(n)).prop)]

    # FunctionValues

    def _said(self, name: str, constant: str) -> list[Rewrite]:
        """What the facts of a name say about a constant, applied to patterns or to nothing, from left to right."""
        return [rule for fact in self._stated(name) for rule in rule_said(fact) if rule.head == constant]

    def rules(self, constant: str) -> list[Rewrite]:
        """Equations for a constant, by the first of its facts' names under which there are some."""
        if constant not in self._rules:
            prefix = constant.rpartition(".")[0]
            of_datatype = [f"{prefix}.{end}" for end in OF_DATATYPE] if "." in prefix else []
            # The definition of a selector speaks of what it leaves open.
            names = (constant + ENDS[0], *of_datatype, *(constant + end for end in ENDS[1:]))
            self._rules[constant] = next(filter(None, (self._said(name, constant) for name in names)), [])
        return self._rules[constant]

    def _of_instance(self, constant: str, typ: Typ) -> Iterator[Rewrite]:
        """What defines the constant of a class at a type: `less_finite_2_def`, `option.size`."""
        general = self._signature.constants.get(constant)
        types: dict[Typ, Typ] = {}
        if general is None or "_class." not in constant or not match_type(general.type, typ, types):
            return
        own = constant.rpartition(".")[2]
        for instance in types.values():
            if isinstance(instance, Type):
                for name in (f".{own}_{instance.name.rpartition('.')[2]}_def", f"{instance.name}.{own}"):
                    yield from self._said(name, constant)

    def function(self, machine: Machine, name: str, typ: Typ) -> Computation | None:
        constructed = self._constructor(machine, name, typ)
        if constructed is not None:
            return constructed
        compiled: list[Equation] = []
        for rules in (self.rules(name), self._of_instance(name, typ)):
            compiled = compiled or [made for rule in rules if (made := self._compiled(machine, rule, typ)) is not None]
        if not compiled:
            return None
        arity = max(len(equation.matchers) for equation in compiled)

        def run(*arguments: Value) -> Value:
            machine.step()
            for equation in compiled:
                count = len(equation.matchers)
                if (found := equation.run(arguments[:count])) is not NO_MATCH:
                    for argument in arguments[count:]:
                        found = found(argument)
                    return found
            raise Undetermined

        return Computation(arity, run, lambda: any(equation.has_value() for equation in compiled))

    def _constructor(self, machine: Machine, name: str, typ: Typ) -> Computation | None:
        arguments, result = strip_fun(typ)
        try:
            domain = machine.domain(result)
        except Undetermined:
            return None
        return Computation(len(arguments), lambda *values: (name, *values)) if _constructs(domain, name) else None

    def _compiled(self, machine: Machine, rule: Rewrite, typ: Typ) -> Equation | None:
        head, _ = strip_comb(rule.left)
        assert type(head) is Const
        types = None if head.type is None else match_in_sorts(head.type, typ, {}, self._signature)
        parts = (rule.left, rule.right, *rule.conditions)
        if types is None or any(v not in types for part in parts for v in term_type_variables(part)):
            return None
        left, right, *conditions = (substitute_types(part, lambda t: instantiate_type(t, types)) for part in parts)
        patterns = strip_comb(left)[1]
        variables: list[Var] = []
        try:
            matchers = [_matcher(machine, pattern, variables) for pattern in patterns]
        except Undetermined:
            return None
        if any(not set(schematics(part)) <= set(variables) for part in (right, *conditions)):
            return None
        return Equation(machine, matchers, variables, (right, *conditions))

    # Datatypes

    def datatype(self, typ: Type) -> Sequence[tuple[str, Sequence[Typ]]] | None:
        if typ.name not in self._constructors:
            self._constructors[typ.name] = self._read_constructors(typ.name)
        found = self._constructors[typ.name]
        if found is None:
            return None
        types: dict[Typ, Typ] = dict(zip(found[0].args, typ.args, strict=True))
        return [(name, [instantiate_type(t, types) for t in arguments]) for name, arguments in found[1]]

    def _read_constructors(self, name: str) -> tuple[Type, Sequence[tuple[str, Sequence[Typ]]]] | None:
        found = next((c for fact in self._stated(f"{name}.exhaust") if (c := _exhausting(fact.prop, name))), None)
        inject = f"{name}.inject"
        if found is None:
            record = name.rpartition(".")[0]
            found = next(
                (c for fact in self._stated(f"{record}.ext_induct") if (c := _of_record(fact.prop, name))), None
            )
            inject = f"{record}.ext_inject"
        elif not self._stated(f"{name}.induct"):
            return None
        if found is None:
            return None
        with_arguments = {c.name for c in found if strip_fun(c.type or Type(""))[0]}
        injective = {c for fact in self._stated(inject) for c in _sides(fact.prop)[:1]}
        apart = {frozenset(_sides(fact.prop)) for fact in self._stated(f"{name}.distinct")}
        pairs = {frozenset((one.name, two.name)) for one, two in combinations(found, 2)}
        if not with_arguments <= injective or not pairs <= apart:
            return None
        result = strip_fun(found[0].type or Type(""))[1]
        if not isinstance(result, Type) or not all(isinstance(v, TVar) for v in result.args):
            return None
        return result, [(c.name, strip_fun(c.type or result)[0]) for c in found]


def _exhausting(prop: Term, name: str) -> list[Const] | None:
    """The constructors of `(⋀a. y = C a ⟹ P) ⟹ ... ⟹ P`."""
    premises, _ = strip_pure_imp(prop)
    found: list[Const] = []
    for premise in premises:
        _, body = strip_pure_all(premise)
        equations, _ = strip_pure_imp(body)
        formula = dest_trueprop(equations[0]) if len(equations) == 1 else None
        sides = None if formula is None else dest_binary(EQ, formula)
        if sides is None:
            return None
        constructor, _ = strip_comb(sides[1])
        if type(constructor) is not Const or constructor.type is None:
            return None
        result = strip_fun(constructor.type)[1]
        if not (isinstance(result, Type) and result.name == name):
            return None
        found.append(constructor)
    same = {strip_fun(c.type or Type(""))[1] for c in found}
    return found if found and len(same) == 1 else None


def _of_record(prop: Term, name: str) -> list[Const] | None:
    """The constructor of `(⋀a more. ?P (C a more)) ⟹ ?P r`."""
    premises, _ = strip_pure_imp(prop)
    formula = dest_trueprop(strip_pure_all(premises[0])[1]) if len(premises) == 1 else None
    predicate, made = strip_comb(formula) if formula is not None else (prop, [])
    if type(predicate) is not Var or len(made) != 1:
        return None
    constructor, arguments = strip_comb(made[0])
    if type(constructor) is not Const or constructor.type is None:
        return None
    types, result = strip_fun(constructor.type)
    places = {each.index for each in arguments if type(each) is Bound}
    whole = len(places) == len(arguments) == len(types)
    return [constructor] if whole and isinstance(result, Type) and result.name == name else None


def _sides(prop: Term) -> list[str]:
    """The constants at the heads of both sides of `C a = D b`, under `¬` and `⟷`, too."""
    formula = dest_trueprop(prop)
    while formula is not None:
        sides = dest_binary(EQ, formula)
        if sides is not None and head_name(sides[0]) != EQ:
            return [name for side in sides if (name := head_name(side))]
        name, arguments = applied_constant(formula)
        formula = arguments[0] if sides is not None or name == NOT else None
    return []


NO_MATCH = object()
Matcher = Callable[[Value, list[Value]], bool]


@dataclass(frozen=True)
class Equation:
    """A compiled one. NO_MATCH: its patterns do not fit, or a condition does not hold."""

    machine: Machine
    matchers: Sequence[Matcher]
    variables: Sequence[Var]
    terms: Sequence[Term]  # the right side and the conditions

    @cached_property
    def codes(self) -> list[Code]:
        """Compiled when the equation is first used: they may mention the function itself."""
        return [self.machine.code_over(self.variables, term) for term in self.terms]

    def has_value(self) -> bool:
        """False where its right side or a condition never has one."""
        try:
            return never not in self.codes
        except RecursionError:
            return True

    def run(self, arguments: Sequence[Value]) -> Value:
        bound: list[Value] = []
        for matcher, argument in zip(self.matchers, arguments, strict=True):
            if not matcher(argument, bound):
                return NO_MATCH
        env = environment(bound)
        right, *conditions = self.codes
        for condition in conditions:
            try:
                if not condition(env):
                    return NO_MATCH
            except Undetermined:
                return NO_MATCH
        return right(env)


def _matcher(machine: Machine, pattern: Term, variables: list[Var]) -> Matcher:
    """Values that a pattern of constructors fits; raises Undetermined for other patterns."""
    if type(pattern) is Var:
        return _variable(machine, pattern, variables)
    head, arguments = strip_comb(pattern)
    if type(head) is not Const or head.type is None:
        raise Undetermined
    name, result = head.name, strip_fun(head.type)[1]
    if name == "Nat.Suc" and len(arguments) == 1:
        inner = _matcher(machine, arguments[0], variables)
        return lambda value, bound: value > 0 and inner(value - 1, bound)
    if name in ("Num.num.Bit0", "Num.num.Bit1") and schematics(pattern):
        bit, inner = int(name.endswith("1")), _matcher(machine, arguments[0], variables)
        return lambda value, bound: value > 1 and value % 2 == bit and inner(value // 2, bound)
    domain = machine.domain(result)
    if not schematics(pattern):
        if name not in LITERALS and not name.startswith(FINITE) and not _constructs(domain, name):
            raise Undetermined
        expected = machine.evaluate(machine.code(pattern), ())
        return lambda value, _bound: domain.equal(value, expected)
    inner_matchers = [_matcher(machine, argument, variables) for argument in arguments]
    if name == "Product_Type.Pair":
        return lambda value, bound: all(m(v, bound) for m, v in zip(inner_matchers, value, strict=True))
    if name == "List.list.Cons" and len(arguments) == 2:
        first, rest = inner_matchers
        return lambda value, bound: bool(value) and first(value[0], bound) and rest(value[1:], bound)
    if _constructs(domain, name):
        return lambda value, bound: (
            value[0] == name and all(m(v, bound) for m, v in zip(inner_matchers, value[1:], strict=True))
        )
    raise Undetermined


def _constructs(domain: Domain, name: str) -> bool:
    return type(domain) is DatatypeValues and any(name == one for one, _ in domain.constructors)


LITERALS = ("HOL.True", "HOL.False", "Groups.zero_class.zero", "Groups.one_class.one", "Num.numeral_class.numeral",
            "List.list.Nil", "Product_Type.Unity", "Num.num.One", "Num.num.Bit0", "Num.num.Bit1", "List.list.Cons",
            "Product_Type.Pair", "String.char.Char")  # fmt: skip


def _variable(machine: Machine, variable: Var, variables: list[Var]) -> Matcher:
    if variable in variables:
        place, domain = variables.index(variable), machine.domain(variable.type or Type(""))
        return lambda value, bound: domain.equal(value, bound[place])
    variables.append(variable)

    def bind(value: Value, bound: list[Value]) -> bool:
        bound.append(value)
        return True

    return bind
