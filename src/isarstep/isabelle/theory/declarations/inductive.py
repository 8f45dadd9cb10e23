"""`inductive` and `inductive_set`: introduction rules, and what holds of every member; one name or several, also in a
locale, where they take those parameters that their rules mention."""

from __future__ import annotations

from collections.abc import Sequence

from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.terms import (
    Abs,
    Free,
    Term,
    Type,
    Var,
    applied_constant,
    erase,
    frees,
    strip_comb,
    strip_fun,
    subterms,
)
from isarstep.isabelle.terms.variables import as_schematic, substitute_frees
from isarstep.isabelle.theory.environment.declarations import RecursiveText, recursive_text, retyped
from isarstep.isabelle.theory.environment.file_environment import OwnContext, TokenReader, declares_simp
from isarstep.isabelle.theory.environment.stated import formula_of
from isarstep.isabelle.theory.rules.rule_cases import (
    about_members,
    predicate_arguments,
    predicate_of,
    rule_of_intros,
    width_of_members,
)
from isarstep.isabelle.theory.text.source import SourceToken
from isarstep.isabelle.theory.text.statements import NotRead

# Connectives through which a premise may speak of the new predicates, and at which arguments.
_POSITIVE = {hol.CONJ: (0, 1), hol.DISJ: (0, 1), hol.IMPLIES: (1,), hol.PURE_IMP: (1,), hol.TRUEPROP: (0,)}
_QUANTIFIERS = {hol.ALL: 0, hol.EX: 0, hol.PURE_ALL: 0, "Set.Ball": 1, "Set.Bex": 1}


def inductive(context: OwnContext, reader: TokenReader) -> None:
    new = recursive_text(context, reader)
    for each in new.names:
        result = strip_fun(new.types[each.name])[1]
        right = isinstance(result, Type) and (result.name == "Set.set" if _in_set(new) else result == hol.BOOL)
        if not right:
            raise NotRead(context.source, each.token.start, "the type of the new name is none of a predicate or set")
    for text, rule in zip(new.texts, new.terms, strict=True):
        _refuse_rule(context, rule, new, text)
    if new.strange:
        what = "the rules have a type variable that the new name does not have"
        raise NotRead(context.source, new.names[0].token.start, what)
    _declare(context, new)


def _in_set(new: RecursiveText) -> bool:
    return new.command == "inductive_set"


def _declare(context: OwnContext, new: RecursiveText) -> None:
    declared = {name: context.declare_applied(name, typ, new.used) for name, typ in new.types.items()}
    meaning = {name: term for name, (_, term) in declared.items()}
    props = [
        retyped(context, substitute_frees(rule, meaning), {n.name: n.type for n in frees(rule) if n.type is not None})
        for rule in new.terms
    ]
    together = "_".join(declared)
    context.add_facts(f"{together}.intros", props)
    place = 0
    for label, attributes, texts in new.rows:
        if label:
            context.add_facts(f"{together}.{label}", props[place : place + len(texts)], simp=declares_simp(attributes))
        place += len(texts)
    labels = [label for label, _, texts in new.rows for _ in texts]
    for name, (full, _) in declared.items():
        own = [prop for prop in props if predicate_of(hol.strip_pure_imp(prop)[1]) == full]
        width = width_of_members(full, props) if _in_set(new) else 0
        if own and width is not None:
            inversion = _inversion(own, full, new, width)
            context.add_facts(f"{name}.simps", [retyped(context, inversion, dict(context.parameters))])
    if len(new.names) == 1:
        ((full, _),) = declared.values()
        named = [(label or str(n), prop) for n, (label, prop) in enumerate(zip(labels, props, strict=True), 1)]
        induction = rule_of_intros(full, named, len(new.leading), in_set=_in_set(new))
        if induction is not None and len({label for label, _ in named}) == len(named):
            context.inductions[full] = induction


def _refuse_rule(context: OwnContext, rule: Term, new: RecursiveText, text: SourceToken) -> None:
    """A new name stands in the conclusion, and in premises where these grow with it."""
    premises, conclusion = hol.strip_pure_imp(rule)
    if not _is_member(conclusion, new):
        raise NotRead(context.source, text.inside, "the conclusion is not about the new name")
    for premise in premises:
        if not _grows(premise, new):
            raise NotRead(context.source, text.inside, "a premise with the new name inside is not read")


def _grows(term: Term, new: RecursiveText) -> bool:
    """Does it surely hold of more, where the new predicates do?"""
    if not _mentions(term, new) or _is_member_of(term, new):
        return True
    name, arguments = applied_constant(term)
    binder = _QUANTIFIERS.get(name)
    if binder is not None:
        if len(arguments) != binder + 1 or not isinstance(function := arguments[binder], Abs):
            return False
        arguments[binder] = function.body
    places = _POSITIVE.get(name, ()) if binder is None else (binder,)
    inside = [_grows(each, new) if at in places else not _mentions(each, new) for at, each in enumerate(arguments)]
    return bool(places) and all(inside)


def _mentions(term: Term, new: RecursiveText) -> bool:
    return any(isinstance(node, Free) and node.name in new.types for node in subterms(term))


def _is_member(prop: Term, new: RecursiveText) -> bool:
    formula = hol.dest_trueprop(prop)
    return formula is not None and _is_member_of(formula, new)


def _is_member_of(formula: Term, new: RecursiveText) -> bool:
    """`P p x`, or `x ∈ S p`, with the variables behind `for` as they are."""
    target, inside = formula, list[Term]()
    if _in_set(new):
        sides = hol.dest_binary(hol.MEMBER, formula)
        if sides is None:
            return False
        inside, target = [sides[0]], sides[1]
    head, arguments = strip_comb(target)
    if not isinstance(head, Free) or head.name not in new.types:
        return False
    leading = [a.name if isinstance(a, Free) else "" for a in arguments[: len(new.parameters)]]
    others = [*arguments[len(new.parameters) :], *inside]
    return leading == list(new.parameters) and not any(_mentions(each, new) for each in others)


def _inversion(props: Sequence[Term], full: str, new: RecursiveText, width: int) -> Term:
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
