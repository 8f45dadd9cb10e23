"""`inductive` and `inductive_set`: introduction rules, and what holds of every member."""

from __future__ import annotations

from collections.abc import Sequence

from isarstep.logic import hol
from isarstep.logic.terms import (
    Abs,
    App,
    Const,
    Free,
    Term,
    Typ,
    Type,
    Var,
    abstract,
    frees,
    list_comb,
    strip_comb,
    strip_fun,
    subterms,
)
from isarstep.theory.declarations import announce, as_constants, labelled, new_names, retyped
from isarstep.theory.outer import OuterCommand, SourceToken
from isarstep.theory.own_context import OwnContext, TokenReader, declares_simp
from isarstep.theory.rule_cases import rule_of_intros
from isarstep.theory.statements import NotRead, read_together

_MEMBER = "Set.member"


def inductive(context: OwnContext, command: OuterCommand) -> None:
    reader = TokenReader(command.tokens, context.source, command.start)
    if context.parameters:
        raise reader.refused(f"`{command.name}` inside a locale is not read")
    scope = context.scope()
    names = new_names(reader, scope, "where", "for", "monos")
    if len(names) != 1 or names[0].type is None:
        raise reader.refused("one predicate with its type is read")
    (new,) = names
    assert new.type is not None
    parameters = new_names(reader, scope, "where", "monos") if reader.accept("for") else []
    reader.expect("where")
    rows = labelled(reader)
    reader.end()
    in_set = command.name == "inductive_set"
    _refuse_type(context, new.type, new.token, in_set=in_set)
    announce(context, scope, new)
    for place, each in enumerate(parameters):
        scope.fixed[each.name] = each.type or strip_fun(new.type)[0][place]
    texts = [text for _, _, texts in rows for text in texts]
    read = read_together(texts, scope, apart=True)
    rules = list(zip(texts, read.terms, strict=True))
    for text, rule in rules:
        _refuse_rule(context, rule, new.name, [each.name for each in parameters], text, in_set=in_set)
    full = context.declare_constant(context.full_name(new.name), new.type).name
    meaning = {new.name: Const(full)}
    props = [
        retyped(context, as_constants(rule, meaning), {n.name: n.type for n in frees(rule) if n.type is not None})
        for rule in read.terms
    ]
    context.add_facts(f"{new.name}.intros", props)
    labels = [label for label, _, texts_here in rows for _ in texts_here]
    named = [(label or str(n), prop) for n, (label, prop) in enumerate(zip(labels, props, strict=True), 1)]
    induction = rule_of_intros(full, named, len(parameters), in_set=in_set)
    if induction is not None and len({label for label, _ in named}) == len(named):
        context.inductions[full] = induction
    place = 0
    for label, attributes, texts_here in rows:
        if label:
            simp = declares_simp(attributes)
            context.add_facts(f"{new.name}.{label}", props[place : place + len(texts_here)], simp=simp)
        place += len(texts_here)
    inversion = _inversion(props, full, [each.name for each in parameters], in_set=in_set)
    context.add_facts(f"{new.name}.simps", [retyped(context, inversion, {})])


def _refuse_type(context: OwnContext, typ: Typ, token: SourceToken, *, in_set: bool) -> None:
    result = strip_fun(typ)[1]
    right = isinstance(result, Type) and (result.name == "Set.set" if in_set else result == hol.BOOL)
    if not right:
        raise NotRead(context.source, token.start, "the type of the new name is none of a predicate or set")


def _refuse_rule(
    context: OwnContext, rule: Term, name: str, parameters: Sequence[str], text: SourceToken, *, in_set: bool
) -> None:
    """The new name stands in the conclusion, in premises by itself, nowhere under a negation."""
    premises, conclusion = hol.strip_pure_imp(rule)
    if conclusion is not None and isinstance(conclusion, App) and _pure(conclusion):
        raise NotRead(context.source, text.inside, "a rule of this form is not read")
    if not _is_member(conclusion, name, parameters, in_set=in_set):
        raise NotRead(context.source, text.inside, "the conclusion is not about the new name")
    for premise in premises:
        mentions = any(isinstance(node, Free) and node.name == name for node in subterms(premise))
        if mentions and not _is_member(premise, name, parameters, in_set=in_set):
            raise NotRead(context.source, text.inside, "a premise with the new name inside is not read")


def _pure(term: Term) -> bool:
    head, _ = strip_comb(term)
    return isinstance(head, Const) and head.name.startswith("Pure.")


def _is_member(prop: Term, name: str, parameters: Sequence[str], *, in_set: bool) -> bool:
    formula = hol.dest_trueprop(prop)
    if formula is None:
        return False
    target, inside = formula, []
    if in_set:
        sides = hol.dest_binary(_MEMBER, formula)
        if sides is None:
            return False
        inside, target = [sides[0]], sides[1]
    head, arguments = strip_comb(target)
    if not isinstance(head, Free) or head.name != name:
        return False
    leading = [a.name if isinstance(a, Free) else "" for a in arguments[: len(parameters)]]
    others = [*arguments[len(parameters) :], *inside]
    mentions = any(isinstance(node, Free) and node.name == name for a in others for node in subterms(a))
    return leading == list(parameters) and not mentions


def _inversion(props: Sequence[Term], full: str, parameters: Sequence[str], *, in_set: bool) -> Term:
    """`P x = (∃n. x = 0 ∧ ... ∨ ...)`, what the case rule says."""
    from isarstep.logic.terms import erase

    first = _arguments(hol.strip_pure_imp(erase(props[0]))[1], in_set=in_set)
    values: list[Term] = [Var(name, 0) for name in parameters]
    values += [Var(f"a{place}", 0) for place in range(len(first) - len(parameters))]
    parts = []
    for prop in props:
        premises, conclusion = hol.strip_pure_imp(erase(prop))
        arguments = _arguments(conclusion, in_set=in_set)
        pairs = list(zip(values, arguments, strict=True))[len(parameters) :]
        conjuncts = [hol.eq(value, argument) for value, argument in pairs]
        conjuncts += [_formula(premise) for premise in premises]
        part = conjuncts.pop() if conjuncts else hol.apply("HOL.True")
        while conjuncts:
            part = hol.conj(conjuncts.pop(), part)
        names = dict.fromkeys(node.name for node in frees(erase(prop)) if node.name not in parameters)
        for name in reversed(list(names)):
            part = hol.apply(hol.EX, Abs(name, None, abstract(part, Free(name))))
        parts.append(part)
    whole = parts.pop()
    while parts:
        whole = hol.disj(parts.pop(), whole)
    if in_set:
        left = hol.apply(_MEMBER, values[-1], list_comb(Const(full), values[:-1]))
    else:
        left = list_comb(Const(full), values)
    return hol.trueprop(hol.eq(left, _parameters_schematic(whole, parameters)))


def _parameters_schematic(term: Term, parameters: Sequence[str]) -> Term:
    from isarstep.logic.terms import substitute

    return substitute(
        term, lambda leaf: Var(leaf.name, 0) if isinstance(leaf, Free) and leaf.name in parameters else None
    )


def _arguments(prop: Term, *, in_set: bool) -> list[Term]:
    formula = hol.dest_trueprop(prop)
    assert formula is not None
    if in_set:
        sides = hol.dest_binary(_MEMBER, formula)
        assert sides is not None
        return [*strip_comb(sides[1])[1], sides[0]]
    return strip_comb(formula)[1]


def _formula(prop: Term) -> Term:
    formula = hol.dest_trueprop(prop)
    if formula is not None:
        return formula
    premises, conclusion = hol.strip_pure_imp(prop)
    made = _formula(conclusion) if premises else None
    binders, body = hol.strip_pure_all(prop)
    if binders:
        inner = _formula(body)
        for binder in reversed(binders):
            inner = hol.apply(hol.ALL, Abs(binder.name, None, inner))
        return inner
    assert made is not None
    for premise in reversed(premises):
        made = hol.implies(_formula(premise), made)
    return made
