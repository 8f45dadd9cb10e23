"""`typedef`: the new type, the functions from and to the type that it is made of, and what holds of them."""

from __future__ import annotations

from collections.abc import Sequence

from isarstep.isabelle.syntax.grammar.symbols import to_isabelle
from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.terms import App, Const, Term, TFree, Type, Var, erase, frees, fun
from isarstep.isabelle.theory.environment.declarations import closed_fact, type_parameters
from isarstep.isabelle.theory.environment.file_environment import OwnContext, TokenReader
from isarstep.isabelle.theory.proofs.proof_block import type_of_term
from isarstep.isabelle.theory.text.statements import ANY_SORT, NotRead, read_together, type_names, types_inside


def typedef(context: OwnContext, reader: TokenReader, *, unproved: bool) -> None:
    """`typedef 'a t = "A" morphisms rep abs`; `unproved`: that A has elements rests on `sorry`."""
    reader.option("overloaded", "open")
    begin = reader.at
    parameters = type_parameters(reader)
    if context.target is not None or any(token.keyword("::") for token in reader.tokens[begin : reader.at]):
        raise reader.refused("a type definition in a context or for types of some sort is not read")
    name = reader.name()
    mixfix = reader.mixfix()
    reader.expect("=")
    text = reader.proposition()
    base = to_isabelle(name.text)
    names = f"Rep_{base}", f"Abs_{base}"
    if reader.accept("morphisms"):
        names = to_isabelle(reader.name().text), to_isabelle(reader.name().text)
    reader.end()
    (members,) = read_together([text], context.scope(), None).terms
    typ = type_of_term(members)
    if not isinstance(typ, Type) or typ.name != "Set.set" or frees(members):
        raise NotRead(context.source, text.inside, "a set without variables is expected")
    if types_inside([members]) - set(parameters) or type_names([typ]) - set(parameters):
        raise NotRead(context.source, text.inside, "the set has a type variable that the new type does not have")
    full = context.declare_type(name.text, len(parameters))
    context.add_mixfix(mixfix, full, len(parameters), "type")
    made, old = Type(full, tuple(TFree(each, ANY_SORT) for each in parameters)), typ.args[0]
    away = context.declare_constant(f"{full}.{names[0]}", fun(made, old))
    back = context.declare_constant(f"{full}.{names[1]}", fun(old, made))
    for fact, prop in _facts(away, back, erase(members), names).items():
        context.add_facts(f"{base}.{fact}", [closed_fact(context, prop)], unproved=unproved)


def _facts(away: Const, back: Const, members: Term, names: Sequence[str]) -> dict[str, Term]:
    x, y = Var("x", 0), Var("y", 0)
    rep, abs_ = names

    def inside(term: Term) -> Term:
        return hol.trueprop(hol.apply("Set.member", term, members))

    def same(left: Term, right: Term) -> Term:
        return hol.trueprop(hol.eq(left, right))

    there = same(App(away, App(back, y)), y)
    injective = same(hol.eq(App(back, x), App(back, y)), hol.eq(x, y))
    return {
        rep: inside(App(away, x)),
        f"{rep}_inverse": same(App(back, App(away, x)), x),
        f"{abs_}_inverse": hol.list_pure_imp([inside(y)], there),
        f"{rep}_inject": same(hol.eq(App(away, x), App(away, y)), hol.eq(x, y)),
        f"{abs_}_inject": hol.list_pure_imp([inside(x), inside(y)], injective),
        f"{rep}_cases": hol.list_pure_imp([inside(y), _case(y, App(away, x), x, ())], hol.trueprop(Var("P", 0))),
        f"{abs_}_cases": hol.list_pure_imp([_case(x, App(back, y), y, [inside(y)])], hol.trueprop(Var("P", 0))),
    }


def _case(value: Term, made: Term, variable: Var, premises: Sequence[Term]) -> Term:
    """`⋀x. value = made x ⟹ P`."""
    equation = hol.trueprop(hol.eq(value, made))
    body = hol.list_pure_imp([equation, *premises], hol.trueprop(Var("P", 0)))
    return hol.quantified(hol.pure_all, [variable], body)
