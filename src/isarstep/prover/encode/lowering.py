"""From typed HOL propositions to `formula`: beta-normal, definitions of the logic's own constants unfolded, sets as
predicates.

Why sets may be predicates: `Collect` and `member` are inverse to each other (Collect_mem_eq, mem_Collect_eq), so
each `'a set` is in bijection with `'a => bool`; a model of the HOL side becomes a model of this side by carrying
every constant along the bijection. Constants at `nat set` and at `nat => bool` stay different symbols, because
symbols are named by their HOL types.

Evaluation is by closures: an argument is lowered afresh wherever it is used, with fresh variables, so nothing is
ever captured.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from isarstep.common.cancellation import check_deadline
from isarstep.isabelle.terms.terms import (
    Abs,
    App,
    Bound,
    Const,
    Free,
    MaybeTyp,
    Term,
    TFree,
    TVar,
    Typ,
    Type,
    Var,
    strip_fun,
)
from isarstep.prover.encode import formula as f
from isarstep.prover.encode.formula import BOOL, INT, REAL, Base, CannotEncode, Formula, Sort

# Beyond this many evaluated nodes a problem is of no use to a prover anyway, and unfolding may have exploded.
NODE_BUDGET = 200_000
LOOK = 256  # nodes after which it is looked whether there is time left


@dataclass(frozen=True, slots=True)
class Closure:
    """A HOL term with the meaning of its loose bound variables, not yet lowered."""

    term: Term
    env: tuple[Value, ...]


Value: TypeAlias = Closure | Formula
Arguments: TypeAlias = tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Definition:
    """How a constant is lowered once it has `arity` arguments; with fewer it is eta-expanded first."""

    arity: int
    build: Callable[[Lowering, Arguments], Formula]


# Finds the definition of a constant at a type, or None where it is a plain symbol.
Definitions: TypeAlias = Callable[[str, Typ], Definition | None]


def type_text(typ: Typ) -> str:
    """A type as text, different for different types."""
    match typ:
        case Type(name, ()):
            return name
        case Type(name, args):
            return f"({name} {' '.join(type_text(a) for a in args)})"
        case TFree(name, sort):
            return f"{name}::{'&'.join(sort)}"
        case TVar(name, index, _):
            raise CannotEncode(f"a schematic type variable ?{name}.{index} is left")
    raise AssertionError(typ)


def known_type(typ: MaybeTyp) -> Typ:
    if typ is None:
        raise CannotEncode("a term without types")
    return typ


def argument_types(typ: MaybeTyp) -> tuple[list[Typ], Typ]:
    return strip_fun(known_type(typ))


class Lowering:
    """Lowers the propositions of one problem; collects the axioms that their symbols need."""

    def __init__(self, definitions: Definitions, arithmetic: bool) -> None:
        self.definitions = definitions
        self.arithmetic = arithmetic
        self.axioms: dict[str, Formula] = {}
        self._sorts: dict[Typ, Sort] = {}
        self._schematic: dict[tuple[str, int], f.SortedVariable] = {}
        self._count = 0
        self._nodes = 0

    def proposition(self, prop: Term) -> Formula:
        """The closed formula of a proposition; its schematic variables become universally quantified."""
        self._schematic = {}
        try:
            body = self._eval(prop, (), ())
        except RecursionError:
            raise CannotEncode("nested too deeply") from None
        if f.sort_of(body) != BOOL:
            raise CannotEncode("not a proposition")
        return f.universally(list(self._schematic.values()), body)

    def sort(self, typ: Typ) -> Sort:
        known = self._sorts.get(typ)
        if known is not None:
            return known
        result: Sort
        match typ:
            case Type("HOL.bool" | "prop", ()):
                result = BOOL
            case Type("fun", (arg, res)):
                result = f.Fun(self.sort(arg), self.sort(res))
            case Type("Set.set", (arg,)):
                result = f.Fun(self.sort(arg), BOOL)
            case Type("Int.int", ()) if self.arithmetic:
                result = INT
            case Type("Real.real", ()) if self.arithmetic:
                result = REAL
            case _:
                result = Base(type_text(typ))
        self._sorts[typ] = result
        return result

    def fresh(self, sort: Sort) -> f.SortedVariable:
        self._count += 1
        return f.SortedVariable(self._count, sort)

    def lower(self, value: Value) -> Formula:
        return self.apply(value)

    def apply(self, value: Value, *args: Value) -> Formula:
        """The formula of a value applied to arguments, beta-reduced."""
        if isinstance(value, Closure):
            return self._eval(value.term, value.env, args)
        for arg in args:
            value = self._beta(value, self.lower(arg))
        return value

    def head(self, value: Value) -> tuple[Const, Arguments] | None:
        """The constant and arguments of a value that is a constant's application (after beta), without lowering it."""
        if not isinstance(value, Closure):
            return None
        term, _, args = _reduce(value.term, value.env, ())
        return (term, args) if isinstance(term, Const) else None

    def _eval(self, term: Term, env: tuple[Value, ...], args: Arguments) -> Formula:
        self._count_node()
        term, env, args = _reduce(term, env, args)
        if isinstance(term, Abs):
            var = self.fresh(self.sort(known_type(term.type)))
            return f.Lam(var, self._eval(term.body, (var, *env), ()))
        if isinstance(term, Bound):
            entry = env[term.index] if term.index < len(env) else None
            if entry is None or isinstance(entry, Closure):
                raise CannotEncode("a loose bound variable")
            return self.apply(entry, *args)
        if isinstance(term, Const):
            return self._constant(term, args)
        if isinstance(term, Free):
            return f.ap(self._symbol("free " + term.name, term.type), *(self.lower(a) for a in args))
        if isinstance(term, Var):
            key = (term.name, term.index)
            sort = self.sort(known_type(term.type))
            known = self._schematic.get(key)
            if known is None:
                known = self._schematic[key] = self.fresh(sort)
            elif known.sort != sort:
                raise CannotEncode(f"schematic variable {term.name} at two types")
            return f.ap(known, *(self.lower(a) for a in args))
        raise AssertionError(term)

    def _count_node(self) -> None:
        self._nodes += 1
        if not self._nodes % LOOK:
            check_deadline()
        if self._nodes > NODE_BUDGET:
            raise CannotEncode("too large once definitions are unfolded")

    def _constant(self, const: Const, args: Arguments) -> Formula:
        definition = self.definitions(const.name, known_type(const.type))
        if definition is None:
            return f.ap(self._symbol(const.name, const.type), *(self.lower(a) for a in args))
        if len(args) >= definition.arity:
            head = definition.build(self, args[: definition.arity])
            for arg in args[definition.arity :]:
                head = self._beta(head, self.lower(arg))
            return head
        types, result = argument_types(const.type)
        if isinstance(result, Type) and result.name == "Set.set":
            types.append(result.args[0])  # a set is a predicate: its last argument is the element
        missing = types[len(args) : definition.arity]
        assert len(args) + len(missing) == definition.arity, const.name
        fresh = [self.fresh(self.sort(t)) for t in missing]
        body = definition.build(self, (*args, *fresh))
        for var in reversed(fresh):
            body = f.Lam(var, body)
        return body

    def equal(self, left: Formula, right: Formula) -> Formula:
        """An equation; between functions of which one is a lambda it is stated for all arguments (extensionality)."""
        sort = f.sort_of(left)
        if isinstance(sort, f.Fun) and (isinstance(left, f.Lam) or isinstance(right, f.Lam)):
            var = self.fresh(sort.argument)
            return f.universal(var, self.equal(self._beta(left, var), self._beta(right, var)))
        if sort == BOOL:
            for one, other in ((left, right), (right, left)):
                if isinstance(one, f.Truth):
                    return other if one.value else f.neg(other)
        return f.Eq(left, right)

    def _beta(self, fun: Formula, arg: Formula) -> Formula:
        """Applies a built formula. A lambda is renamed while its variable is replaced, so that copies never share
        binders.
        """
        if isinstance(fun, f.Lam):
            return self.rename(fun.body, {fun.var: arg})
        if isinstance(fun, f.Ite):
            return f.Ite(fun.cond, self._beta(fun.then, arg), self._beta(fun.other, arg))
        return f.Ap(fun, arg)

    def rename(self, term: Formula, replace: dict[f.SortedVariable, Formula]) -> Formula:
        """A copy with free variables replaced and every binder fresh; lambdas that meet their argument are reduced."""
        self._count_node()
        match term:
            case f.SortedVariable():
                return replace.get(term, term)
            case f.Ap(fun, arg):
                return self._beta(self.rename(fun, replace), self.rename(arg, replace))
            case f.Lam(var, body):
                new = self.fresh(var.sort)
                return f.Lam(new, self.rename(body, {**replace, var: new}))
            case f.Quant(kind, var, body):
                new = self.fresh(var.sort)
                return f.Quant(kind, new, self.rename(body, {**replace, var: new}))
            case _:
                return f.with_children(term, lambda part: self.rename(part, replace))

    def _symbol(self, name: str, typ: MaybeTyp) -> Formula:
        of = known_type(typ)
        return f.Sym(f"{name} : {type_text(of)}", self.sort(of))


def _reduce(term: Term, env: tuple[Value, ...], args: Arguments) -> tuple[Term, tuple[Value, ...], Arguments]:
    """Weak head normal form: the head is a constant, a variable, or an abstraction without arguments."""
    while True:
        if isinstance(term, App):
            args = (Closure(term.arg, env), *args)
            term = term.fun
        elif isinstance(term, Abs) and args:
            env = (args[0], *env)
            args = args[1:]
            term = term.body
        elif isinstance(term, Bound) and term.index < len(env):
            entry = env[term.index]
            if not isinstance(entry, Closure):
                return term, env, args
            term, env = entry.term, entry.env
        else:
            return term, env, args
