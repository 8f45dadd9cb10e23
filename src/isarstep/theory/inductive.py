"""`inductive` and `inductive_set`: introduction rules, and what holds of every member; one name or several, also in a
locale, where they take those parameters that their rules mention."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from isarstep.logic import hol
from isarstep.logic.terms import (
    Abs,
    Const,
    Free,
    Term,
    Typ,
    Type,
    Var,
    erase,
    frees,
    funs,
    strip_comb,
    strip_fun,
    subterms,
)
from isarstep.logic.variables import as_schematic, substitute_frees
from isarstep.theory.declarations import announce, labelled, new_names, retyped, types_of
from isarstep.theory.outer import SourceToken
from isarstep.theory.own_context import OwnContext, TokenReader, declares_simp
from isarstep.theory.rule_cases import (
    about_members,
    predicate_arguments,
    predicate_of,
    rule_of_intros,
    width_of_members,
)
from isarstep.theory.stated import formula_of
from isarstep.theory.statements import NotRead, Together, read_together, type_names, types_inside

# Connectives through which a premise may speak of the new predicates, and at which arguments.
_POSITIVE = {hol.CONJ: (0, 1), hol.DISJ: (0, 1), hol.IMPLIES: (1,), hol.PURE_IMP: (1,), hol.TRUEPROP: (0,)}
_QUANTIFIERS = {hol.ALL: 0, hol.EX: 0, hol.PURE_ALL: 0, "Set.Ball": 1, "Set.Bex": 1}


@dataclass(frozen=True)
class _Predicates:
    """What is being defined: names, variables behind `for`, parameters of the locale that are used."""

    names: tuple[str, ...]
    parameters: tuple[str, ...]
    used: tuple[str, ...]
    in_set: bool

    @property
    def leading(self) -> tuple[str, ...]:
        """Arguments that are the same in all rules."""
        return (*self.used, *self.parameters)


def inductive(context: OwnContext, reader: TokenReader) -> None:
    scope = context.scope()
    names = new_names(reader, scope, "where", "for", "monos")
    parameters = new_names(reader, scope, "where", "monos") if reader.accept("for") else []
    reader.expect("where")
    rows = labelled(reader)
    if reader.accept("monos"):  # they only help Isabelle to see that the rules are monotone
        reader.at = len(reader.tokens)
    reader.end()
    for new in names:
        announce(context, scope, new)
    scope.fixed.update(types_of(parameters))
    texts = [text for _, _, texts in rows for text in texts]
    read = read_together(texts, scope, apart=True)
    mentioned = {node.name for term in read.terms for node in frees(term)}
    new_predicates = _Predicates(
        tuple(new.name for new in names),
        tuple(new.name for new in parameters),
        tuple(name for name in context.parameters if name in mentioned),
        reader.command == "inductive_set",
    )
    for new in names:
        _refuse_type(context, read.frees[new.name], new.token, in_set=new_predicates.in_set)
    for text, rule in zip(texts, read.terms, strict=True):
        _refuse_rule(context, rule, new_predicates, text)
    _refuse_types(context, read, new_predicates, names[0].token)
    _declare(context, read, new_predicates, rows)


def _declare(
    context: OwnContext,
    read: Together,
    new: _Predicates,
    rows: Sequence[tuple[str, list[list[SourceToken]], list[SourceToken]]],
) -> None:
    meaning: dict[str, Term] = {}
    for name in new.names:
        typ = funs([context.parameters[each] for each in new.used], read.frees[name])
        full = context.declare_constant(context.full_name(name), typ).name
        meaning[name] = context.applied(full, new.used)
    props = [
        retyped(context, substitute_frees(rule, meaning), {n.name: n.type for n in frees(rule) if n.type is not None})
        for rule in read.terms
    ]
    together = "_".join(new.names)
    context.add_facts(f"{together}.intros", props)
    place = 0
    for label, attributes, texts in rows:
        if label:
            context.add_facts(f"{together}.{label}", props[place : place + len(texts)], simp=declares_simp(attributes))
        place += len(texts)
    labels = [label for label, _, texts in rows for _ in texts]
    fulls = {name: str(strip_comb(term)[0].name) for name, term in meaning.items()}  # type: ignore[union-attr]
    for name, full in fulls.items():
        own = [prop for prop in props if predicate_of(hol.strip_pure_imp(prop)[1]) == full]
        width = width_of_members(full, props) if new.in_set else 0
        if own and width is not None:
            inversion = _inversion(own, full, new, width)
            context.add_facts(f"{name}.simps", [retyped(context, inversion, dict(context.parameters))])
    if len(new.names) == 1:
        (full,) = fulls.values()
        named = [(label or str(n), prop) for n, (label, prop) in enumerate(zip(labels, props, strict=True), 1)]
        induction = rule_of_intros(full, named, len(new.leading), in_set=new.in_set)
        if induction is not None and len({label for label, _ in named}) == len(named):
            context.inductions[full] = induction


def _refuse_type(context: OwnContext, typ: Typ, token: SourceToken, *, in_set: bool) -> None:
    result = strip_fun(typ)[1]
    right = isinstance(result, Type) and (result.name == "Set.set" if in_set else result == hol.BOOL)
    if not right:
        raise NotRead(context.source, token.start, "the type of the new name is none of a predicate or set")


def _refuse_types(context: OwnContext, read: Together, new: _Predicates, token: SourceToken) -> None:
    known = type_names([*(read.frees[name] for name in new.names), *(context.parameters[name] for name in new.used)])
    if types_inside(read.terms) - known:
        raise NotRead(context.source, token.start, "the rules have a type variable that the new name does not have")


def _refuse_rule(context: OwnContext, rule: Term, new: _Predicates, text: SourceToken) -> None:
    """A new name stands in the conclusion, and in premises where these grow with it."""
    premises, conclusion = hol.strip_pure_imp(rule)
    if not _is_member(conclusion, new):
        raise NotRead(context.source, text.inside, "the conclusion is not about the new name")
    for premise in premises:
        if not _grows(premise, new):
            raise NotRead(context.source, text.inside, "a premise with the new name inside is not read")


def _grows(term: Term, new: _Predicates) -> bool:
    """Does it surely hold of more, where the new predicates do?"""
    if not _mentions(term, new) or _is_member_of(term, new):
        return True
    head, arguments = strip_comb(term)
    if not isinstance(head, Const):
        return False
    if head.name in _POSITIVE:
        places: tuple[int, ...] = _POSITIVE[head.name]
    elif head.name in _QUANTIFIERS and len(arguments) == _QUANTIFIERS[head.name] + 1:
        places = (_QUANTIFIERS[head.name],)
    else:
        return False
    for place, argument in enumerate(arguments):
        if place not in places:
            if _mentions(argument, new):
                return False
        elif head.name in _QUANTIFIERS:
            if not isinstance(argument, Abs) or not _grows(argument.body, new):
                return False
        elif not _grows(argument, new):
            return False
    return True


def _mentions(term: Term, new: _Predicates) -> bool:
    return any(isinstance(node, Free) and node.name in new.names for node in subterms(term))


def _is_member(prop: Term, new: _Predicates) -> bool:
    formula = hol.dest_trueprop(prop)
    return formula is not None and _is_member_of(formula, new)


def _is_member_of(formula: Term, new: _Predicates) -> bool:
    """`P p x`, or `x ∈ S p`, with the variables behind `for` as they are."""
    target, inside = formula, list[Term]()
    if new.in_set:
        sides = hol.dest_binary(hol.MEMBER, formula)
        if sides is None:
            return False
        inside, target = [sides[0]], sides[1]
    head, arguments = strip_comb(target)
    if not isinstance(head, Free) or head.name not in new.names:
        return False
    leading = [a.name if isinstance(a, Free) else "" for a in arguments[: len(new.parameters)]]
    others = [*arguments[len(new.parameters) :], *inside]
    return leading == list(new.parameters) and not any(_mentions(each, new) for each in others)


def _inversion(props: Sequence[Term], full: str, new: _Predicates, width: int) -> Term:
    """`P x = (∃n. x = 0 ∧ ... ∨ ...)`, what the case rule says; of a set of tuples it is about their parts."""
    rules = [predicate_arguments(hol.strip_pure_imp(erase(prop))[1], full, width) for prop in props]
    values: list[Term] = [Free(name) for name in new.used]
    values += [Var(name, 0) for name in new.parameters]
    values += [Var(f"a{place}", 0) for place in range(len(rules[0] or ()) - len(values))]
    parts = []
    for prop, arguments in zip(props, rules, strict=True):
        premises = hol.strip_pure_imp(erase(prop))[0]
        pairs = list(zip(values, arguments or (), strict=True))[len(new.leading) :]
        conjuncts = [hol.eq(value, argument) for value, argument in pairs]
        conjuncts += [erase(formula_of(premise)) for premise in premises]
        own = [node for node in frees(erase(prop)) if node.name not in new.leading]
        parts.append(hol.quantified(hol.exists, own, hol.list_conj(conjuncts or [hol.apply("HOL.True")])))
    left = about_members(full, values, width)
    return hol.trueprop(hol.eq(left, as_schematic(hol.list_disj(parts), new.parameters)))
