"""Lemmas of the file as rules of `induct` and `cases`: those with `case_names`, and those that obtain something."""

from __future__ import annotations

from collections.abc import Sequence

from isarstep.logic import hol
from isarstep.logic.symbols import to_isabelle
from isarstep.logic.terms import Free, Term, Var, erase, frees, strip_comb, substitute, subterms
from isarstep.logic.variables import with_bound
from isarstep.theory.case_methods import lemma_choice, rule_key
from isarstep.theory.own_context import OwnContext
from isarstep.theory.rule_cases import SHOWN, InductionRule, RuleCase
from isarstep.theory.stated import ReadStatement


def note_rules(context: OwnContext, statement: ReadStatement, *, unproved: bool) -> None:
    """Keep what `cases` and `induct` make of a lemma; what an earlier one of its name gave is gone."""
    name, target = statement.label, context.target
    context.choices.pop(name, None)
    key = rule_key(context, name)
    context.inductions.pop(key, None)
    if not name or unproved:
        return
    if statement.obtains and target is None:
        context.choices[name] = lemma_choice(statement)
    words = {row[0].text: [token.text for token in row[1:]] for row in statement.attributes}
    about = words.get("induct", [])
    names = words.get("case_names", [])
    if not names or any(word in "[]" for word in names):
        return
    consumed = words.get("consumes") or ["1" if about[:1] in (["set"], ["pred"]) else "0"]
    if consumed not in (["0"], ["1"]):
        return
    rule = _rule(statement, names, consumed == ["1"])
    if rule is None:
        return
    context.inductions[key] = rule
    if about[:1] == ["type"] and len(rule.variables) == 1 and target is None:
        typ = statement.fixed.get(rule.variables[0])
        if typ is not None:
            context.inductions = {f"type {key}": (typ, rule), **context.inductions}


def _rule(statement: ReadStatement, names: Sequence[str], consumes: bool) -> InductionRule | None:
    """`assumes "⋀x. A x ⟹ P (f x)" shows "P a"`; None where it has another form."""
    if len(statement.goals) != 1 or statement.obtains:
        return None
    premises, conclusion = hol.strip_pure_imp(statement.goals[0])
    premises = [*statement.premises, *premises]
    head, arguments = strip_comb(hol.dest_trueprop(erase(conclusion)) or conclusion)
    if not isinstance(head, Free) or head.name not in statement.new or not arguments:
        return None
    variables = [each.name for each in arguments if isinstance(each, Free)]
    if len(set(variables)) != len(arguments) or head.name in variables:
        return None
    major = premises.pop(0) if consumes and premises else None
    if (consumes and major is None) or len(premises) != len(names):
        return None
    if major is not None and any(node.name == head.name for node in frees(major)):
        return None
    own = set(statement.new)

    def general(leaf: Free | Var) -> Term | None:
        if not isinstance(leaf, Free) or leaf.name not in own:
            return None
        return Free(SHOWN) if leaf.name == head.name else Var(leaf.name, 0)

    cases = []
    for name, premise in zip(names, premises, strict=True):
        case = _case(to_isabelle(name), substitute(premise, general), own)
        if case is None or len(case.arguments) != len(variables):
            return None
        cases.append(case)
    if len({case.name for case in cases}) != len(cases):
        return None
    types = tuple(statement.fixed[name] for name in variables)
    about = None if major is None else erase(substitute(major, general))
    return InductionRule(about, tuple(variables), tuple(cases), types)


def _case(name: str, premise: Term, taken: set[str]) -> RuleCase | None:
    binders, body = hol.strip_pure_all(premise)
    variables = [binder.name for binder in binders]
    if len(set(variables)) != len(variables) or set(variables) & taken & {node.name for node in frees(premise)}:
        return None
    for number, variable in enumerate(reversed(variables)):
        body = with_bound(body, number, Free(variable))
    premises, conclusion = hol.strip_pure_imp(erase(body))  # the names of binders are gone now
    head, arguments = strip_comb(hol.dest_trueprop(conclusion) or conclusion)
    if not isinstance(head, Free) or head.name != SHOWN:
        return None
    if not all(_says_it_alone(each) for each in premises) or any(map(_shown, arguments)):
        return None
    return RuleCase(name, tuple(variables), tuple(premises), tuple(arguments))


def _shown(term: Term) -> bool:
    return any(node.name == SHOWN for node in frees(term))


def _says_it_alone(premise: Term) -> bool:
    """Does what is shown stand by itself there, under ⋀ and ⟹ only?"""
    inside = sum(isinstance(node, Free) and node.name == SHOWN for node in subterms(premise))
    _, body = hol.strip_pure_all(premise)
    premises, conclusion = hol.strip_pure_imp(body)
    head, arguments = strip_comb(hol.dest_trueprop(conclusion) or conclusion)
    alone = isinstance(head, Free) and head.name == SHOWN and not any(map(_shown, arguments))
    return inside == int(alone) and not any(map(_shown, premises))
