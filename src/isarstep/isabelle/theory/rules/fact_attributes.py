"""Facts with attributes: `foo[of x y]`, `foo[where x = t]`, `foo[OF a b]`, `foo[THEN b]`, `foo[symmetric]`.

What they say is computed where Isabelle's answer is sure; of any other attribute that changes a fact it is said that
the fact is not read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from isarstep.isabelle.inference.annotations import without_marks
from isarstep.isabelle.inference.coercions import infer_with_coercions
from isarstep.isabelle.inference.infer import CONSTRAINT
from isarstep.isabelle.syntax.grammar.abbreviations import expand
from isarstep.isabelle.syntax.grammar.folding import canonical
from isarstep.isabelle.syntax.grammar.symbols import to_isabelle
from isarstep.isabelle.terms.normal_forms import beta_normal
from isarstep.isabelle.terms.terms import (
    App,
    Const,
    Free,
    Term,
    TFree,
    TVar,
    Typ,
    Var,
    fun,
    schematics,
    substitute,
    substitute_types,
)
from isarstep.isabelle.terms.type_text import type_variables
from isarstep.isabelle.terms.types import instantiate_type, map_type, types_in
from isarstep.isabelle.theory.environment.locale_tables import OwnFact
from isarstep.isabelle.theory.rules.resolution import (
    NotComputed,
    apart,
    as_rule,
    for_all,
    in_conclusion,
    resolved,
    rule_format,
    symmetric,
    with_short_names,
)
from isarstep.isabelle.theory.text.source import SourceToken
from isarstep.isabelle.theory.text.statements import Scope, read_written_type, readings_of_text, type_names

NamedFacts: TypeAlias = Callable[[Sequence[SourceToken]], "Sequence[OwnFact | None] | None"]
# They tell proof tools about a fact and leave it as it is.
DECLARING = frozenset(
    """simp intro elim dest iff cong trans sym induct cases code code_unfold code_abbrev mono continuous_intros
    tendsto_intros derivative_intros algebra_simps field_simps measurable case_names consumes intro! elim! dest!
    intro? elim? dest? simp! split rule_del tagged""".split()
)


def with_attribute(
    fact: OwnFact, attribute: Sequence[SourceToken], scope: Scope, named: NamedFacts
) -> tuple[OwnFact, ...]:
    """What a fact with one attribute says. Raises NotComputed, or UserError where a text of it is not read."""
    kind, rest = attribute[0].text, list(attribute[1:])
    if kind in DECLARING:
        return (fact,)
    general = not schematics(fact.prop)  # a fact of the proof says `⋀x` where one of the file has variables
    signature = scope.language.signature
    prop = expand(fact.prop, signature)
    unproved = fact.unproved
    if kind == "of":
        made = _of(as_rule(prop), rest, scope)
    elif kind == "where" and not fact.library:  # whose variables have other names there
        made = _where(as_rule(prop), rest, scope)
    elif kind in ("OF", "THEN"):
        given = named(rest)
        if given is None or (kind == "THEN" and len(given) != 1):
            raise NotComputed
        unproved = unproved or any(each is not None and each.unproved for each in given)
        props = [None if each is None else expand(each.prop, signature) for each in given]
        if kind == "OF":
            made = resolved(prop, props, signature)
        elif props[0] is None:
            raise NotComputed
        else:
            made = resolved(props[0], [prop], signature)
    elif kind == "symmetric" and not rest:
        made = in_conclusion(prop, symmetric)
    elif kind == "rule_format" and not rest:
        made = rule_format(prop)
    else:
        raise NotComputed
    made = for_all(made) if general else made
    return (replace(fact, prop=canonical(made, scope.language), unproved=unproved, simp=False),)


def _of(rule: Term, texts: Sequence[SourceToken], scope: Scope) -> Term:
    variables = schematics(rule)
    if len(texts) > len(variables) or any(token.keyword("for", "concl", ":", "[", "(") for token in texts):
        raise NotComputed
    return _instance(rule, {v: t for v, t in zip(variables, texts, strict=False) if not t.keyword("_")}, scope)


def _where(rule: Term, tokens: Sequence[SourceToken], scope: Scope) -> Term:
    names = {variable.name: variable for variable in schematics(rule)}
    values: dict[Var, SourceToken] = {}
    types: dict[Typ, Typ] = {}
    rest = list(tokens)
    while rest:
        if len(rest) < 3 or not rest[1].keyword("=") or (len(rest) > 3 and not rest[3].keyword("and")):
            raise NotComputed
        name, text = to_isabelle(rest[0].text.lstrip("?")).removesuffix(".0"), rest[2]
        if rest[0].kind == "typevar" or name.startswith("'"):
            found = [each for each in _type_variables(rule) if each.name == name]
            if not found:
                raise NotComputed
            types.update(dict.fromkeys(found, read_written_type(text, scope)))
        elif name in names:
            values[names[name]] = text
        else:
            raise NotComputed
        rest = rest[4:]
    if any(not scope.language.signature.of_sort(typ, old.sort) for old, typ in types.items() if isinstance(old, TVar)):
        raise NotComputed
    if types and values:
        typed = substitute_types(rule, lambda typ: instantiate_type(typ, types))
        like = {variable.name: variable for variable in schematics(typed)}
        return _instance(typed, {like[variable.name]: text for variable, text in values.items()}, scope)
    return _instance(rule, values, scope) if values else substitute_types(rule, lambda t: instantiate_type(t, types))


def _type_variables(rule: Term) -> list[TVar]:
    return list(dict.fromkeys(v for typ in types_in(rule) for v in type_variables(typ) if isinstance(v, TVar)))


def _instance(rule: Term, values: Mapping[Var, SourceToken], scope: Scope) -> Term:
    """The rule at these terms, which are read together and have the types that the rule asks for."""
    moved = apart(rule, 1)
    wanted = {f"{variable.name}~1": text for variable, text in values.items()}
    variables = [variable for variable in schematics(moved) if variable.name in wanted]
    readings = [readings_of_text(wanted[variable.name], scope) for variable in variables]
    if any(len(each) != 1 for each in readings) or any(variable.type is None for variable in variables):
        raise NotComputed
    asked = [
        App(Const(CONSTRAINT, fun(variable.type, variable.type)), each[0])  # type: ignore[arg-type]
        for variable, each in zip(variables, readings, strict=True)
    ]
    open_types = _type_variables(moved)
    marks = {f"~type{place}": typ for place, typ in enumerate(open_types)}
    # Each type variable as the type of one more variable, so that what it stands for is told.
    typing = infer_with_coercions(
        [*asked, *map(Free, marks)], scope.language.signature, {**scope.fixed, **marks}, wanted=None
    )
    fixed = {*scope.sorts, *type_names(scope.fixed.values())}

    def opened(typ: Typ) -> Typ:
        """What nobody has fixed stays open."""
        return map_type(typ, lambda v: TVar(v.name, 2, v.sort) if isinstance(v, TFree) and v.name not in fixed else v)

    if any(name not in scope.fixed and name not in marks for name in typing.frees):
        raise NotComputed  # a variable that nobody has fixed
    types: dict[Typ, Typ] = {old: opened(typing.frees[name]) for name, old in marks.items()}
    terms = {
        variable.name: substitute_types(without_marks(term), opened)
        for variable, term in zip(variables, typing.propositions, strict=False)
    }
    typed = substitute_types(moved, lambda typ: instantiate_type(typ, types))
    made = substitute(typed, lambda leaf: terms.get(leaf.name) if isinstance(leaf, Var) else None)
    return with_short_names(expand(beta_normal(made), scope.language.signature))
