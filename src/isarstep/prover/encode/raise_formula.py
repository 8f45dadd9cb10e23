"""From `formula` back to HOL: what `lower.py` makes of propositions is said in HOL again, with sets as sets.

A sort does not tell sets from predicates. Symbols have the types of HOL in their names; a variable gets the type of a
place where it stands, and is turned into the other kind where it stands at a place of that kind. So every formula is
said by a proposition that holds if and only if the formula does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache, reduce

from isarstep.common.errors import UserError
from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.hol import BOOL
from isarstep.isabelle.terms.normal_forms import beta_eta_normal, beta_normal
from isarstep.isabelle.terms.terms import Abs as HolAbs
from isarstep.isabelle.terms.terms import (
    App,
    Const,
    Free,
    Term,
    Typ,
    Type,
    abstract,
    applied_constant,
    frees,
    fun,
    funs,
    head_name,
    instantiate,
    list_comb,
)
from isarstep.isabelle.terms.type_text import parse_type
from isarstep.prover.encode import formula as f
from isarstep.prover.encode.decode_tf0 import INVENTED, CannotDecode
from isarstep.prover.encode.definitions import INTERVALS
from isarstep.prover.encode.formula import Formula, Sort

_VARIABLE = re.compile(r"('[^\s()]*?)::([^\s()]*)")
_PAIR = "Product_Type.prod"


@lru_cache(maxsize=10_000)
def type_of_text(text: str) -> Typ:
    """Undoes `lower.type_text`."""

    def variable(found: re.Match[str]) -> str:
        return f"({found[1]} :: {' & '.join(found[2].split('&'))})" if found[2] else found[1]

    try:
        return parse_type(_VARIABLE.sub(variable, text))
    except UserError as error:
        raise CannotDecode(str(error)) from None


def type_of_sort(sort: Sort) -> Typ:
    """With predicates for what may be sets."""
    if isinstance(sort, f.Fun):
        return fun(type_of_sort(sort.argument), type_of_sort(sort.result))
    return BOOL if sort == f.BOOL else type_of_text(sort.name)


@lru_cache(maxsize=20_000)
def head_of_symbol(name: str) -> Const | Free:
    """The constant or variable of HOL that a symbol stands for."""
    called, separator, text = name.partition(" : ")
    if not separator:
        raise CannotDecode(f"{name} is invented")
    typ = type_of_text(text)
    if not called.startswith("$"):
        return Free(called.removeprefix("free "), typ) if called.startswith("free ") else Const(called, typ)
    kind = called[1:]
    if kind in INTERVALS:
        bounds = sum(bool(bound) for bound in INTERVALS[kind])
        return Const(f"Set_Interval.ord_class.{kind}", funs([typ] * bounds, hol.set_type(typ)))
    if kind in ("Pair", "fst", "snd") and isinstance(typ, Type) and typ.name == _PAIR:
        if kind == "Pair":
            return Const("Product_Type.Pair", funs(typ.args, typ))
        return Const(f"Product_Type.prod.{kind}", fun(typ, typ.args[kind == "snd"]))
    if kind in ("Eps", "The") and isinstance(typ, Type) and typ.name == "fun":
        return Const("Hilbert_Choice.Eps" if kind == "Eps" else "HOL.The", fun(typ, typ.args[0]))
    raise CannotDecode(f"{called} has no name in HOL")


class Raising:
    """Says formulas in HOL; those that speak of the same invented constants together."""

    def __init__(self) -> None:
        self.invented: dict[str, Free] = {}
        self._types: dict[str | f.SortedVariable, Typ] = {}

    def learn(self, formulas: Iterable[Formula]) -> None:
        """Of which types the constants are that the prover invented."""
        known = [*formulas]
        before = -1
        while before != (before := sum(isinstance(key, str) for key in self._types)):
            for each in known:
                self._note_whole(each)

    def proposition(self, formula: Formula) -> Term:
        """Raises CannotDecode where it speaks of something of which no type is known."""
        self._note_whole(formula)
        return beta_normal(self._formula(formula))

    def _note_whole(self, formula: Formula) -> None:
        for key in [key for key in self._types if isinstance(key, f.SortedVariable)]:
            del self._types[key]
        while True:
            before = len(self._types)
            self._note(formula, BOOL)
            if len(self._types) == before:
                return

    def _note(self, term: Formula, wanted: Typ | None) -> None:
        """Types for variables and invented constants, from where they stand."""
        match term:
            case f.Conn(_, args):
                for arg in args:
                    self._note(arg, BOOL)
            case f.Quant(_, _, body):
                self._note(body, BOOL)
            case f.Lam(_, body):
                self._note(body, None)
            case f.Eq(left, right):
                typ = self._type(left) or self._type(right)
                self._note(left, typ)
                self._note(right, typ)
            case f.Ite(cond, then, other):
                self._note(cond, BOOL)
                self._note(then, wanted)
                self._note(other, wanted)
            case f.Ap() | f.Sym() | f.SortedVariable():
                head, values = f.spine(term)
                key = self._key(head)
                if key is not None and not values and wanted is not None and key not in self._types:
                    self._types[key] = wanted
                self._note_applied(head, values)
                typ = self._head_type(head)
                for value in values:
                    step = None if typ is None else _applied(typ)
                    self._note(value, None if step is None else step[0])
                    typ = None if step is None else step[1]
            case _:
                pass

    def _note_applied(self, head: Formula, values: Sequence[Formula]) -> None:
        """The variables of a lambda have the types of its arguments."""
        for value in values:
            typ = self._type(value)
            if isinstance(head, f.Lam) and typ is not None and isinstance(head.var.sort, f.Fun):
                self._types.setdefault(head.var, typ)
            head = head.body if isinstance(head, f.Lam) else f.Truth(True)
        if values:
            self._note(head, None)

    @staticmethod
    def _key(head: Formula) -> str | f.SortedVariable | None:
        """Of something whose type is told by where it stands."""
        if isinstance(head, f.Sym) and head.sort == INVENTED:
            return head.name
        if isinstance(head, f.SortedVariable) and isinstance(head.sort, f.Fun):
            return head
        return None

    def _head_type(self, head: Formula) -> Typ | None:
        key = self._key(head)
        if key is not None:
            return self._types.get(key)
        if isinstance(head, f.Sym):
            return head_of_symbol(head.name).type
        return type_of_sort(head.sort) if isinstance(head, f.SortedVariable) else None

    def _type(self, term: Formula) -> Typ | None:
        if isinstance(term, f.Lam):
            return None
        if not isinstance(term, f.Ap | f.Sym | f.SortedVariable):
            return BOOL if f.sort_of(term) == f.BOOL else None
        head, args = f.spine(term)
        typ = self._head_type(head)
        for _ in args:
            step = None if typ is None else _applied(typ)
            typ = None if step is None else step[1]
        return typ

    # Terms

    def _formula(self, formula: Formula) -> Term:
        match formula:
            case f.Truth(value):
                return Const("HOL.True" if value else "HOL.False", BOOL)
            case f.Conn("not", (part,)):
                return hol.negation(self._formula(part))
            case f.Conn(op, args):
                join = {"and": hol.conj, "or": hol.disj, "=>": hol.implies}[op]
                said = [self._formula(arg) for arg in args]
                return reduce(lambda rest, left: join(left, rest, typed=True), reversed(said))
            case f.Quant(kind, var, body):
                bound = self._variable(var)
                inner = abstract(self._formula(body), bound)
                quantify = hol.forall if kind == "forall" else hol.exists
                return quantify(_letter(var.number), bound.type, inner)
            case f.Ite(cond, then, other):
                return self._formula(f.conjunction(f.implication(cond, then), f.implication(f.neg(cond), other)))
            case f.Eq(left, right):
                return self._equation(left, right)
        term, typ = self._term(formula)
        return _as(term, typ, BOOL)

    def _equation(self, left: Formula, right: Formula) -> Term:
        if f.Truth(True) in (left, right):
            return self._formula(right if left == f.Truth(True) else left)
        if f.Truth(False) in (left, right):
            return hol.negation(self._formula(right if left == f.Truth(False) else left))
        one, typ = self._term(left)
        other, its = self._term(right)
        return hol.eq(one, _as(other, its, typ), typ)

    def _variable(self, var: f.SortedVariable) -> Free:
        return Free(f"{_letter(var.number)}~{var.number}", self._types.get(var, type_of_sort(var.sort)))

    def _term(self, term: Formula) -> tuple[Term, Typ]:
        if isinstance(term, f.Truth | f.Conn | f.Quant | f.Eq):
            return self._formula(term), BOOL
        if isinstance(term, f.Ite):
            then, typ = self._term(term.then)
            other = _as(*self._term(term.other), typ)
            choice = Const("HOL.If", funs((BOOL, typ, typ), typ))
            return list_comb(choice, (self._formula(term.cond), then, other)), typ
        if isinstance(term, f.Lam):
            bound = self._variable(term.var)
            body, its = self._term(term.body)
            assert bound.type is not None
            return HolAbs(_letter(term.var.number), bound.type, abstract(body, bound)), fun(bound.type, its)
        head, args = f.spine(term)
        made, typ = self._head(head)
        for arg in args:
            step = _applied(typ)
            if step is None:
                raise CannotDecode("more arguments than a function has")
            value = _as(*self._term(arg), step[0])
            made = _apply(made, typ, value)
            typ = step[1]
        return made, typ

    def _head(self, head: Formula) -> tuple[Term, Typ]:
        if isinstance(head, f.SortedVariable):
            free = self._variable(head)
            assert free.type is not None
            return free, free.type
        if isinstance(head, f.Lam):
            return self._term(head)
        if not isinstance(head, f.Sym):
            raise CannotDecode("an application whose function is computed")
        if head.sort != INVENTED:
            made = head_of_symbol(head.name)
            assert made.type is not None
            return made, made.type
        typ = self._types.get(head.name)
        if typ is None:
            raise CannotDecode(f"nothing tells the type of {head.name}")
        free = self.invented.setdefault(head.name, Free(f"{_letter(len(self.invented) + 1)}~{head.name}", typ))
        return free, typ


def _applied(typ: Typ) -> tuple[Typ, Typ] | None:
    """What a function, or a set, takes and gives."""
    if isinstance(typ, Type) and typ.name == "fun":
        return typ.args[0], typ.args[1]
    if isinstance(typ, Type) and typ.name == "Set.set":
        return typ.args[0], BOOL
    return None


def _apply(made: Term, typ: Typ, value: Term) -> Term:
    if isinstance(typ, Type) and typ.name == "Set.set":
        element = typ.args[0]
        return list_comb(Const(hol.MEMBER, funs((element, typ), BOOL)), (value, made))
    return App(made, value)


def _as(term: Term, typ: Typ, wanted: Typ) -> Term:
    """The same where another type of the same sort is wanted: a predicate for a set, a set for a predicate."""
    if typ == wanted:
        return term
    given, needed = _applied(typ), _applied(wanted)
    if given is None or needed is None:
        raise CannotDecode("a term at a place of another type")
    bound = Free("x~of", needed[0])
    value = _as(bound, needed[0], given[0])
    body = beta_normal(_as(_apply(term, typ, value), given[1], needed[1]))
    if isinstance(wanted, Type) and wanted.name == "Set.set":
        return _set(bound, body, wanted)
    return HolAbs("x", needed[0], abstract(body, bound))


def _set(element: Free, body: Term, typ: Type) -> Term:
    """The set of what a formula holds of, by the operations on sets where it is made of them."""
    collected = App(
        Const(hol.COLLECT, fun(fun(typ.args[0], BOOL), typ)), HolAbs("x", typ.args[0], abstract(body, element))
    )

    def joined(name: str, *formulas: Term) -> Term:
        return of(Const(name, funs([typ] * len(formulas), typ)), [_set(element, each, typ) for each in formulas])

    def of(operation: Const, parts: Sequence[Term]) -> Term:
        return collected if hol.COLLECT in map(head_name, parts) else list_comb(operation, parts)

    def without(term: Term) -> bool:
        return element not in frees(term)

    match applied_constant(body):
        case "HOL.True", []:
            return Const("Orderings.top_class.top", typ)
        case "HOL.False", []:
            return Const("Orderings.bot_class.bot", typ)
        case hol.MEMBER, [member, whole] if member == element and without(whole):
            return whole
        case hol.EQ, [left, right] if left == element and without(right):
            empty = Const("Orderings.bot_class.bot", typ)
            return list_comb(Const("Set.insert", funs([typ.args[0], typ], typ)), (right, empty))
        case hol.CONJ, [left, App(Const(hol.NOT), right)]:
            return joined(hol.MINUS, left, right)
        case hol.CONJ, [left, right]:
            return joined("Lattices.inf_class.inf", left, right)
        case hol.DISJ, [App(App(Const(hol.EQ), one), other), right] if one == element and without(other):
            return of(Const("Set.insert", funs([typ.args[0], typ], typ)), (other, _set(element, right, typ)))
        case hol.DISJ, [left, right]:
            return joined("Lattices.sup_class.sup", left, right)
        case hol.NOT, [inner]:
            return joined(hol.UMINUS, inner)
        case hol.EX, [HolAbs(name, index, inner)] if index is not None:
            return _image(element, Free(f"{name}~index", index), inner, typ) or collected
    return collected


def _image(element: Free, index: Free, body: Term, typ: Type) -> Term | None:
    """`∃i. i ∈ I ∧ x = f i`, where the body is about the index; None where it has another form."""
    match applied_constant(instantiate(body, index)):
        case hol.CONJ, [App(App(Const(hol.MEMBER), member), whole), App(App(Const(hol.EQ), left), value)]:
            if (member, left) == (index, element) and not {element, index} & {*frees(whole), *frees(value)} - {index}:
                function = beta_eta_normal(HolAbs("i", index.type, abstract(value, index)))
                assert index.type is not None
                kinds = fun(index.type, typ.args[0]), hol.set_type(index.type)
                return (
                    None if index in frees(whole) else list_comb(Const(hol.IMAGE, funs(kinds, typ)), (function, whole))
                )
    return None


def _letter(number: int) -> str:
    letters = "xyzuvw"
    return letters[number - 1] if number <= len(letters) else f"x{number}"
