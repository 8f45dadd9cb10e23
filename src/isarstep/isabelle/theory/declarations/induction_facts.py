"""Induction rules of a file's own functions and predicates as propositions, so that a search for proofs can use them.

A proof may rest on a rule only if it has all cases: patterns of a function that leave something out have another rule.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from isarstep.common.errors import UserError
from isarstep.isabelle.inference.infer import infer
from isarstep.isabelle.syntax.grammar.language import Language
from isarstep.isabelle.terms.terms import Const, Free, Term
from isarstep.isabelle.theory.declarations.functions import FunctionEquation, split_in_order
from isarstep.isabelle.theory.environment.file_environment import OwnContext
from isarstep.isabelle.theory.rules.rule_cases import proposition_of_rule
from isarstep.isabelle.theory.text.statements import generalised


def induction_facts(context: OwnContext) -> Iterator[tuple[str, Term]]:
    """`f.induct` and `p.induct` with their names; those of locales are left out."""
    for full, rule in context.inductions.items():
        plain = full.count(".") == 1 and not rule.types and not rule.more
        facts = context.facts.get(f"{full}.simps" if rule.major is None else f"{full}.intros", ())
        if not plain or not facts or any(fact.unproved for fact in facts):
            continue
        if rule.major is not None or exhaustive([case.arguments for case in rule.cases], context.language):
            try:
                term = infer([proposition_of_rule(rule)], context.signature).propositions[0]
            except UserError:
                continue
            yield f"{full}.induct", generalised(term)


def exhaustive(rows: Sequence[Sequence[Term]], language: Language) -> bool:
    """Does one of these rows of patterns fit whatever constructors make? False where that is not seen."""
    anything = [Free(f"any{place}~") for place in range(max(map(len, rows), default=0))]
    equations = [FunctionEquation("", tuple(row), Const(""), 0) for row in (*rows, anything)]
    try:
        return bool(rows) and len(split_in_order(equations, language)) == len(split_in_order(equations[:-1], language))
    except UserError:
        return False
