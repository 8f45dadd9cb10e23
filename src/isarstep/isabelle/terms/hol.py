"""Constructors and destructors for the terms that every proposition is made of: Pure's `⟹ ⋀ ≡` and HOL's connectives.

Constructors leave types out unless they are given; a destructor returns None when the term has another form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce

from isarstep.isabelle.terms.terms import (
    Abs,
    App,
    Bound,
    Const,
    Free,
    MaybeTyp,
    Term,
    Typ,
    Type,
    Var,
    abstract,
    fun,
    increase,
    instantiate,
    list_comb,
    loose,
    rebuilt,
    schematics,
    strip_comb,
    substitute,
)

PROP = Type("prop")
BOOL = Type("HOL.bool")

TRUEPROP = "HOL.Trueprop"
PURE_IMP = "Pure.imp"
PURE_ALL = "Pure.all"
EQ = "HOL.eq"
NOT = "HOL.Not"
CONJ = "HOL.conj"
DISJ = "HOL.disj"
IMPLIES = "HOL.implies"
ALL = "HOL.All"
EX = "HOL.Ex"
LESS, LESS_EQ = "Orderings.ord_class.less", "Orderings.ord_class.less_eq"
LEAST = "Orderings.ord_class.Least"
PLUS, MINUS, UMINUS = "Groups.plus_class.plus", "Groups.minus_class.minus", "Groups.uminus_class.uminus"
TIMES, POWER = "Groups.times_class.times", "Power.power_class.power"
DIVIDE, MODULO, DVD = "Rings.divide_class.divide", "Rings.modulo_class.modulo", "Rings.dvd_class.dvd"
MEMBER, COLLECT, BALL, IMAGE = "Set.member", "Set.Collect", "Set.Ball", "Set.image"


def binary(name: str, left: Term, right: Term, of: MaybeTyp, result: Typ | None = None) -> Term:
    """A constant of two arguments of a type, whose result is of that type or of another one: `left + right`."""
    typ = None if of is None else fun(of, fun(of, result or of))
    return App(App(Const(name, typ), left), right)


def trueprop(formula: Term, *, typed: bool = False) -> Term:
    """The proposition that a formula of type bool holds."""
    return App(Const(TRUEPROP, fun(BOOL, PROP) if typed else None), formula)


def pure_imp(premise: Term, conclusion: Term, *, typed: bool = False) -> Term:
    return binary(PURE_IMP, premise, conclusion, PROP if typed else None, PROP)


def list_pure_imp(premises: Iterable[Term], conclusion: Term, *, typed: bool = False) -> Term:
    """`p1 ⟹ p2 ⟹ ... ⟹ conclusion`."""
    for premise in reversed(tuple(premises)):
        conclusion = pure_imp(premise, conclusion, typed=typed)
    return conclusion


def eq(left: Term, right: Term, of: MaybeTyp = None) -> Term:
    return binary(EQ, left, right, of, BOOL)


def negation(formula: Term) -> Term:
    """With types."""
    return App(Const(NOT, fun(BOOL, BOOL)), formula)


def set_type(of: Typ) -> Type:
    return Type("Set.set", (of,))


def conj(left: Term, right: Term, *, typed: bool = False) -> Term:
    return binary(CONJ, left, right, BOOL if typed else None, BOOL)


def disj(left: Term, right: Term, *, typed: bool = False) -> Term:
    return binary(DISJ, left, right, BOOL if typed else None, BOOL)


def list_conj(formulas: Sequence[Term], *, typed: bool = False) -> Term:
    """`a ∧ b ∧ ...`, of one at least."""
    return reduce(lambda rest, left: conj(left, rest, typed=typed), reversed(formulas))


def list_disj(formulas: Sequence[Term], *, typed: bool = False) -> Term:
    """`a ∨ b ∨ ...`, of one at least."""
    return reduce(lambda rest, left: disj(left, rest, typed=typed), reversed(formulas))


def implies(left: Term, right: Term, *, typed: bool = False) -> Term:
    return binary(IMPLIES, left, right, BOOL if typed else None, BOOL)


def _quantifier(constant: str, name: str, of: MaybeTyp, body: Term, truth: Typ) -> Term:
    return App(Const(constant, None if of is None else fun(fun(of, truth), truth)), Abs(name, of, body))


def pure_all(name: str, of: MaybeTyp, body: Term) -> Term:
    """`⋀name. body`, where the variable is Bound(0) of the body."""
    return _quantifier(PURE_ALL, name, of, body, PROP)


def forall(name: str, of: MaybeTyp, body: Term) -> Term:
    return _quantifier(ALL, name, of, body, BOOL)


def exists(name: str, of: MaybeTyp, body: Term) -> Term:
    return _quantifier(EX, name, of, body, BOOL)


def quantified(quantify: Callable[[str, MaybeTyp, Term], Term], variables: Sequence[Free | Var], body: Term) -> Term:
    """`∀x y. body` of variables of the body, where `quantify` is `forall`; or `exists`, `pure_all`."""
    for variable in reversed(variables):
        body = quantify(variable.name, variable.type, abstract(body, variable))
    return body


def dest_trueprop(term: Term) -> Term | None:
    if type(term) is App and type(term.fun) is Const and term.fun.name == TRUEPROP:
        return term.arg
    return None


def as_formula(proposition: Term) -> Term | None:
    """A typed proposition as one formula of HOL: meta-connectives become those of HOL, schematic variables are bound by
    `∀`. None where it says something else, as of types or of propositions that are equal.
    """
    formula = as_open_formula(proposition)
    return None if formula is None else quantified(forall, schematics(formula), formula)


def as_open_formula(proposition: Term) -> Term | None:
    """The same with its schematic variables as they are."""
    head, arguments = strip_comb(proposition)
    match head.name if type(head) is Const else "", arguments:
        case "HOL.Trueprop", [formula]:
            return formula
        case "Pure.imp", [premise, conclusion]:
            left, right = as_open_formula(premise), as_open_formula(conclusion)
            return None if left is None or right is None else implies(left, right, typed=True)
        case "Pure.all", [Abs() as binder]:
            body = as_open_formula(binder.body)
            return None if body is None else forall(binder.name, binder.type, body)
        case "Pure.eq", [left, right]:
            of = getattr(head, "type", None)
            return eq(left, right, of.args[0]) if isinstance(of, Type) and of.args[0] != PROP else None
    return None


def dest_binary(name: str, term: Term) -> tuple[Term, Term] | None:
    """Left and right of an application of a constant to two arguments: `dest_binary(EQ, t)`."""
    if type(term) is App and type(term.fun) is App and type(term.fun.fun) is Const and term.fun.fun.name == name:
        return term.fun.arg, term.arg
    return None


def parts_of(name: str, term: Term) -> list[Term]:
    """What a constant of two arguments joins, from left to right: a, b and c of `(a ∧ b) ∧ c`; a term alone is one."""
    parts: list[Term] = []
    todo = [term]
    while todo:
        both = dest_binary(name, part := todo.pop())
        if both is None:
            parts.append(part)
        else:
            todo += reversed(both)
    return parts


def dest_quantifier(name: str, term: Term) -> Abs | None:
    """The abstraction under a quantifier. A quantified term that is no abstraction is eta-expanded."""
    if type(term) is App and type(term.fun) is Const and term.fun.name == name:
        if type(term.arg) is Abs:
            return term.arg
        return Abs("x", None, App(increase(term.arg, 1), Bound(0)))
    return None


def strip_pure_imp(term: Term) -> tuple[list[Term], Term]:
    """Premises and conclusion of `p1 ⟹ ... ⟹ c`."""
    premises = []
    while parts := dest_binary(PURE_IMP, term):
        premises.append(parts[0])
        term = parts[1]
    return premises, term


def strip_pure_all(term: Term) -> tuple[list[Abs], Term]:
    """The abstractions of `⋀x y ...` from the outside in, and the body, whose bound variables stay loose."""
    binders = []
    while binder := dest_quantifier(PURE_ALL, term):
        binders.append(binder)
        term = binder.body
    return binders, term


def fixed_and_assumed(
    statement: Term, fresh: Callable[[str], str], *, pure: bool
) -> tuple[list[Free], list[Term], Term]:
    """Variables fixed under fresh names, premises and conclusion of `⋀x. A ⟹ B`, or of `∀x. A ⟶ B`."""
    quantifier, implication = (PURE_ALL, PURE_IMP) if pure else (ALL, IMPLIES)
    variables: list[Free] = []
    premises: list[Term] = []
    while True:
        binder, sides = dest_quantifier(quantifier, statement), dest_binary(implication, statement)
        if binder is not None and binder.type is not None:
            variables.append(Free(fresh(binder.name), binder.type))
            statement = instantiate(binder.body, variables[-1])
        elif sides is not None:
            premises.append(sides[0])
            statement = sides[1]
        else:
            return variables, premises, statement


def apply(name: str, *arguments: Term) -> Term:
    """A constant applied to arguments, without types."""
    return list_comb(Const(name), arguments)


def replaced(term: Term, old: Term, new: Term) -> Term | None:
    """The term with one of its parts replaced by another, everywhere; None where the old one stands nowhere, or by
    itself."""
    if term == old or loose(old):
        return None
    mark = Free("~replaced")  # as the new one may contain the old one
    made = rebuilt(term, lambda node: mark if node == old else node)
    return None if made == term else substitute(made, lambda leaf: new if leaf == mark else None)
