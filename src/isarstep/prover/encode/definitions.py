"""Constants that lowering unfolds: connectives, and definitions of HOL's basic sets, functions, pairs and orders.

Each line states a theorem of Isabelle/HOL (mostly the constant's own definition), so unfolding changes no truth
value. Constants of a type class are unfolded only at types whose instance is defined that way. Everything else
stays an uninterpreted symbol.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from isarstep.isabelle.terms.hol import BALL, COLLECT, IMAGE, LESS, LESS_EQ, MEMBER, MINUS, UMINUS
from isarstep.isabelle.terms.terms import Const, Typ, Type, fun
from isarstep.prover.encode import formula as f
from isarstep.prover.encode.arithmetic import arithmetic_definition
from isarstep.prover.encode.formula import (
    Eq,
    Formula,
    Ite,
    Sort,
    Truth,
    ap,
    conjunction,
    disjunction,
    existential,
    implication,
    neg,
    universal,
    universally,
)
from isarstep.prover.encode.lowering import (
    Arguments,
    Closure,
    Definition,
    Definitions,
    Lowering,
    Value,
    argument_types,
    type_text,
)

Build = Callable[[Lowering, Arguments], Formula]
Make = Callable[[Typ], Definition | None]  # at a type of the constant


def definitions(arithmetic: bool, unfold: bool = True) -> Definitions:
    """The definitions in force: with or without interpreted arithmetic, with or without unfolding beyond the
    connectives.
    """

    def find(name: str, typ: Typ) -> Definition | None:
        if arithmetic and (found := arithmetic_definition(name, typ)) is not None:
            return found
        made = LOGIC.get(name) or (UNFOLDED.get(name) if unfold else None)
        return None if made is None else made(typ)

    return find


def member(low: Lowering, element: Value, of: Value) -> Formula:
    return low.apply(of, element)


def _fixed(arity: int, build: Build) -> Make:
    return lambda _: Definition(arity, build)


def _typed(arity: int, build: Callable[[Lowering, Arguments, list[Typ]], Formula]) -> Make:
    """One that depends on the types of its arguments."""

    def make(typ: Typ) -> Definition:
        types, _ = argument_types(typ)
        return Definition(arity, lambda low, args: build(low, args, types))

    return make


def _quantifier(kind: str) -> Make:
    def build(low: Lowering, args: Arguments, types: list[Typ]) -> Formula:
        var = low.fresh(low.sort(argument_types(types[0])[0][0]))
        body = low.apply(args[0], var)
        if kind == "forall":
            return universal(var, body)
        if kind == "exists":
            return existential(var, body)
        other = low.fresh(var.sort)  # exactly one
        only = universal(other, implication(low.apply(args[0], other), Eq(other, var)))
        return existential(var, conjunction(body, only))

    return _typed(1, build)


def _bounded(kind: str) -> Make:
    def build(low: Lowering, args: Arguments, types: list[Typ]) -> Formula:
        var = low.fresh(low.sort(_element(types[0])))
        inside, body = member(low, var, args[0]), low.apply(args[1], var)
        if kind == "forall":
            return universal(var, implication(inside, body))
        return existential(var, conjunction(inside, body))

    return _typed(2, build)


def _element(typ: Typ) -> Typ:
    assert isinstance(typ, Type), typ
    assert typ.name == "Set.set", typ
    return typ.args[0]


def _connective(build: Callable[..., Formula], arity: int) -> Make:
    return _fixed(arity, lambda low, args: build(*(low.lower(a) for a in args)))


def _choice(axiom: Callable[[Lowering, f.SortedVariable, Formula], Formula], name: str) -> Make:
    """Eps and The stay symbols; what is known about them becomes an axiom of the problem."""

    def build(low: Lowering, args: Arguments, types: list[Typ]) -> Formula:
        predicate = low.sort(types[0])
        assert isinstance(predicate, f.Fun)
        # Named by the HOL type: choice on `nat set` need not agree with choice on `nat => bool`.
        symbol = f.Sym(f"${name} : {type_text(types[0])}", f.Fun(predicate, predicate.argument))
        if symbol.name not in low.axioms:
            low.axioms[symbol.name] = Truth(True)  # the axiom is built once
            var = low.fresh(predicate)
            low.axioms[symbol.name] = universal(var, axiom(low, var, ap(symbol, var)))
        return ap(symbol, low.lower(args[0]))

    return _typed(1, build)


def _eps_axiom(low: Lowering, predicate: f.SortedVariable, chosen: Formula) -> Formula:
    x = low.fresh(f.sort_of(chosen))
    return universal(x, implication(ap(predicate, x), ap(predicate, chosen)))


def _the_axiom(low: Lowering, predicate: f.SortedVariable, chosen: Formula) -> Formula:
    x, y = low.fresh(f.sort_of(chosen)), low.fresh(f.sort_of(chosen))
    only = universal(y, implication(ap(predicate, y), Eq(y, x)))
    return universal(x, implication(conjunction(ap(predicate, x), only), Eq(chosen, x)))


LOGIC: dict[str, Make] = {
    **dict.fromkeys(("HOL.Trueprop", "Pure.prop"), _fixed(1, lambda low, a: low.lower(a[0]))),
    "HOL.True": _fixed(0, lambda low, a: Truth(True)),
    "HOL.False": _fixed(0, lambda low, a: Truth(False)),
    "HOL.Not": _connective(neg, 1),
    "HOL.disj": _connective(disjunction, 2),
    **dict.fromkeys(("HOL.conj", "Pure.conjunction"), _connective(conjunction, 2)),
    **dict.fromkeys(("HOL.implies", "Pure.imp"), _connective(implication, 2)),
    **dict.fromkeys(("HOL.All", "Pure.all"), _quantifier("forall")),
    "HOL.Ex": _quantifier("exists"),
    "HOL.Ex1": _quantifier("exactly one"),
    **dict.fromkeys(("HOL.eq", "Pure.eq"), _fixed(2, lambda low, a: low.equal(low.lower(a[0]), low.lower(a[1])))),
    "HOL.If": _fixed(3, lambda low, a: Ite(low.lower(a[0]), low.lower(a[1]), low.lower(a[2]))),
    "HOL.Let": _fixed(2, lambda low, a: low.apply(a[1], a[0])),
    MEMBER: _fixed(2, lambda low, a: member(low, a[0], a[1])),
    COLLECT: _fixed(2, lambda low, a: low.apply(a[0], a[1])),
    BALL: _bounded("forall"),
    "Set.Bex": _bounded("exists"),
}


def _image(low: Lowering, a: Arguments, types: list[Typ]) -> Formula:
    x = low.fresh(low.sort(_element(types[1])))
    return existential(x, conjunction(member(low, x, a[1]), low.equal(low.lower(a[2]), low.apply(a[0], x))))


def _injective(low: Lowering, a: Arguments, types: list[Typ]) -> Formula:
    sort = low.sort(_element(types[1]))
    x, y = low.fresh(sort), low.fresh(sort)
    same = low.equal(low.apply(a[0], x), low.apply(a[0], y))
    return universally((x, y), implication(conjunction(member(low, x, a[1]), member(low, y, a[1]), same), Eq(x, y)))


def _pow(low: Lowering, a: Arguments, types: list[Typ]) -> Formula:
    x = low.fresh(low.sort(_element(types[0])))
    return universal(x, implication(member(low, x, a[1]), member(low, x, a[0])))


def _pairs(low: Lowering, left: Sort, right: Sort, pair: Sort) -> tuple[f.Sym, f.Sym, f.Sym]:
    """Pair, fst, snd at these sorts, with the axioms that make pairs a product."""
    assert isinstance(pair, f.Base)
    mk = f.Sym(f"$Pair : {pair.name}", f.Fun(left, f.Fun(right, pair)))
    fst, snd = f.Sym(f"$fst : {pair.name}", f.Fun(pair, left)), f.Sym(f"$snd : {pair.name}", f.Fun(pair, right))
    if mk.name not in low.axioms:
        x, y, p = low.fresh(left), low.fresh(right), low.fresh(pair)
        projections = conjunction(Eq(ap(fst, ap(mk, x, y)), x), Eq(ap(snd, ap(mk, x, y)), y))
        low.axioms[mk.name] = conjunction(
            universally((x, y), projections), universal(p, Eq(ap(mk, ap(fst, p), ap(snd, p)), p))
        )
    return mk, fst, snd


def _literal_pair(low: Lowering, value: Value) -> Arguments:
    """Both components of a pair that is written as one; of others none."""
    known = low.head(value)
    return known[1] if known is not None and known[0].name == "Product_Type.Pair" and len(known[1]) == 2 else ()


def _project(low: Lowering, typ: Typ, value: Value) -> tuple[Formula, Formula]:
    """Both components of a pair; those of a literal pair directly."""
    if known := _literal_pair(low, value):
        return low.lower(known[0]), low.lower(known[1])
    assert isinstance(typ, Type), typ
    assert typ.name == "Product_Type.prod", typ
    _, fst, snd = _pairs(low, low.sort(typ.args[0]), low.sort(typ.args[1]), low.sort(typ))
    term = low.lower(value)
    head, args = f.spine(term)
    if isinstance(head, f.Sym) and head.name.startswith("$Pair : ") and len(args) == 2:
        return args[0], args[1]
    return ap(fst, term), ap(snd, term)


def _pair(low: Lowering, a: Arguments, types: list[Typ]) -> Formula:
    pair = Type("Product_Type.prod", (types[0], types[1]))
    mk, _, _ = _pairs(low, low.sort(types[0]), low.sort(types[1]), low.sort(pair))
    return ap(mk, low.lower(a[0]), low.lower(a[1]))


def _case_prod(low: Lowering, a: Arguments, types: list[Typ]) -> Formula:
    pair = Type("Product_Type.prod", tuple(argument_types(types[0])[0][:2]))
    return low.apply(a[0], *(_literal_pair(low, a[1]) or _project(low, pair, a[1])))


def _sigma(low: Lowering, a: Arguments, types: list[Typ]) -> Formula:
    pair = Type("Product_Type.prod", (_element(types[0]), _element(argument_types(types[1])[1])))
    first, second = _project(low, pair, a[2])
    return conjunction(low.apply(a[0], first), low.apply(a[1], first, second))


def _interval(name: str, below: str, above: str) -> Make:
    """An interval stays a symbol, so that facts about intervals are about it; what its elements are is an axiom.
    `below` relates the lower bound to an element, `above` an element to the upper bound; empty: there is none."""

    def make(typ: Typ) -> Definition:
        types, _ = argument_types(typ)
        element = types[0]
        relation = fun(element, fun(element, Type("HOL.bool")))

        def build(low: Lowering, a: Arguments) -> Formula:
            sort = low.sort(element)
            kind: Sort = reduce(lambda result, _: f.Fun(sort, result), a, f.Fun(sort, f.BOOL))
            symbol = f.Sym(f"${name} : {type_text(element)}", kind)
            if symbol.name not in low.axioms:
                bounds, x = [low.fresh(sort) for _ in a], low.fresh(sort)
                inside = []
                if below:
                    inside.append(low.apply(Closure(Const(below, relation), ()), bounds[0], x))
                if above:
                    inside.append(low.apply(Closure(Const(above, relation), ()), x, bounds[-1]))
                low.axioms[symbol.name] = universally([*bounds, x], Eq(ap(symbol, *bounds, x), conjunction(*inside)))
            return ap(symbol, *(low.lower(each) for each in a))

        return Definition(len(types), build)

    return make


INTERVALS = {
    "lessThan": ("", LESS),
    "atMost": ("", LESS_EQ),
    "greaterThan": (LESS, ""),
    "atLeast": (LESS_EQ, ""),
    "greaterThanLessThan": (LESS, LESS),
    "atLeastLessThan": (LESS_EQ, LESS),
    "greaterThanAtMost": (LESS, LESS_EQ),
    "atLeastAtMost": (LESS_EQ, LESS_EQ),
}


def _pointwise(build: Callable[..., Formula], arity: int) -> Make:
    """An operation on sets, bool and functions into those, element by element."""

    def make(typ: Typ) -> Definition | None:
        carrier = argument_types(typ)[0][0] if arity else typ
        domains, target = _towards_bool(carrier)
        if target is None:
            return None

        def whole(low: Lowering, a: Arguments) -> Formula:
            points = a[arity:]
            return build(*(low.apply(v, *points) for v in a[:arity]))

        return Definition(arity + len(domains), whole)

    return make


def _towards_bool(carrier: Typ) -> tuple[list[Typ], Typ | None]:
    """The arguments that a set or a predicate takes until it is a truth value; None for every other type."""
    domains, target = argument_types(carrier)
    if isinstance(target, Type) and target.name == "Set.set":
        # Functions into sets have their operations from the function instance, then from that of sets: pointwise
        # as well.
        return [*domains, target.args[0]], target
    if isinstance(target, Type) and target.name == "HOL.bool":
        return domains, target
    return domains, None


def _order(strict: bool) -> Make:
    """<= and < on sets, bool and predicates: inclusion, and inclusion without the converse."""

    def make(typ: Typ) -> Definition | None:
        carrier = argument_types(typ)[0][0]
        domains, target = _towards_bool(carrier)
        if target is None:
            return None

        def below(low: Lowering, left: Value, right: Value) -> Formula:
            points = [low.fresh(low.sort(d)) for d in domains]
            return universally(points, implication(low.apply(left, *points), low.apply(right, *points)))

        def build(low: Lowering, a: Arguments) -> Formula:
            return (
                conjunction(below(low, a[0], a[1]), neg(below(low, a[1], a[0]))) if strict else below(low, a[0], a[1])
            )

        return Definition(2, build)

    return make


def _big(kind: str) -> Make:
    """Sup and Inf of a set of sets: union and intersection."""

    def make(typ: Typ) -> Definition | None:
        types, result = argument_types(typ)
        if not (isinstance(result, Type) and result.name == "Set.set" and len(types) == 1):
            return None

        def build(low: Lowering, a: Arguments) -> Formula:
            family = low.head(a[0])
            if family is not None and family[0].name == IMAGE and len(family[1]) == 2:
                # Of a family of sets the index is asked for, not the set: x ∈ (⋃i∈I. A i) iff x ∈ A i for some i ∈ I.
                member_of, index = family[1]
                inner = low.fresh(low.sort(_element(argument_types(family[0].type)[0][1])))
                chosen, inside = member(low, inner, index), member(low, a[1], low.apply(member_of, inner))
            else:
                inner = low.fresh(low.sort(result))
                chosen, inside = member(low, inner, a[0]), member(low, a[1], inner)
            if kind == "exists":
                return existential(inner, conjunction(chosen, inside))
            return universal(inner, implication(chosen, inside))

        return Definition(2, build)

    return make


def _only_sets(make: Make) -> Make:
    def restricted(typ: Typ) -> Definition | None:
        carrier = argument_types(typ)[0][0]
        return make(typ) if isinstance(carrier, Type) and carrier.name == "Set.set" else None

    return restricted


UNFOLDED: dict[str, Make] = {
    **{f"Set_Interval.ord_class.{name}": _interval(name, *bounds) for name, bounds in INTERVALS.items()},
    "Set.insert": _fixed(
        3, lambda low, a: disjunction(low.equal(low.lower(a[2]), low.lower(a[0])), member(low, a[2], a[1]))
    ),
    IMAGE: _typed(3, _image),
    "Set.vimage": _fixed(3, lambda low, a: member(low, low.apply(a[0], a[2]), a[1])),
    "Set.Pow": _typed(2, _pow),
    "Fun.comp": _fixed(3, lambda low, a: low.apply(a[0], low.apply(a[1], a[2]))),
    "Fun.id": _fixed(1, lambda low, a: low.lower(a[0])),
    "Fun.inj_on": _typed(2, _injective),
    "Fun.fun_upd": _fixed(
        4, lambda low, a: Ite(low.equal(low.lower(a[3]), low.lower(a[1])), low.lower(a[2]), low.apply(a[0], a[3]))
    ),
    "Product_Type.Pair": _typed(2, _pair),
    "Product_Type.prod.fst": _typed(1, lambda low, a, types: _project(low, types[0], a[0])[0]),
    "Product_Type.prod.snd": _typed(1, lambda low, a, types: _project(low, types[0], a[0])[1]),
    "Product_Type.prod.case_prod": _typed(2, _case_prod),
    "Product_Type.Sigma": _typed(3, _sigma),
    "Hilbert_Choice.Eps": _choice(_eps_axiom, "Eps"),
    "HOL.The": _choice(_the_axiom, "The"),
    "Orderings.bot_class.bot": _pointwise(lambda: Truth(False), 0),
    "Orderings.top_class.top": _pointwise(lambda: Truth(True), 0),
    "Lattices.inf_class.inf": _pointwise(conjunction, 2),
    "Lattices.sup_class.sup": _pointwise(disjunction, 2),
    MINUS: _only_sets(_pointwise(lambda x, y: conjunction(x, neg(y)), 2)),
    UMINUS: _only_sets(_pointwise(neg, 1)),
    LESS_EQ: _order(strict=False),
    LESS: _order(strict=True),
    "Complete_Lattices.Sup_class.Sup": _big("exists"),
    "Complete_Lattices.Inf_class.Inf": _big("forall"),
}
