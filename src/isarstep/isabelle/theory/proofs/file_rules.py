"""Lemmas of the file as rules of `induct` and `cases`: those with `case_names`, and those that obtain something."""

from __future__ import annotations

from collections.abc import Sequence

from isarstep.isabelle.syntax.grammar.symbols import to_isabelle
from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.variables import as_schematic
from isarstep.isabelle.theory.environment.file_environment import OwnContext
from isarstep.isabelle.theory.environment.stated import ReadStatement
from isarstep.isabelle.theory.proofs.case_methods import lemma_choice, rule_key
from isarstep.isabelle.theory.rules.rule_cases import InductionRule, in_formula, rule_of_proposition


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
    rule = _rule(statement, names, int(consumed[0]))
    if rule is None or any(in_formula(each) for case in rule.cases for each in case.premises):
        return
    context.inductions[key] = rule
    if about[:1] == ["type"] and len(rule.variables) == 1 and target is None:
        context.inductions = {f"type {key}": (rule.types[0], rule), **context.inductions}


def _rule(statement: ReadStatement, names: Sequence[str], consumed: int) -> InductionRule | None:
    """`assumes "⋀x. A x ⟹ P (f x)" shows "P a"`; None where it has another form."""
    if len(statement.goals) != 1 or statement.obtains:
        return None
    prop = hol.list_pure_imp(statement.premises, statement.goals[0])
    return rule_of_proposition(as_schematic(prop, statement.new), [to_isabelle(name) for name in names], consumed)
