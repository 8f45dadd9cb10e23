"""`f.induct` of a function of the file: a case for each equation, with a hypothesis for each call on its right side."""

from __future__ import annotations

from collections.abc import Sequence

from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.terms import Free, Term, abstract, erase, frees, list_comb
from isarstep.isabelle.theory.rules.recursive_calls import Shape, recursive_calls
from isarstep.isabelle.theory.rules.rule_cases import SHOWN, InductionRule, RuleCase


def induction_of_function(
    equations: Sequence[tuple[Sequence[Term], Term]], full: str, shape: Shape
) -> InductionRule | None:
    """From patterns and right sides; None where a call stands in a place whose conditions are not read here: under
    another binder, or without all arguments."""
    if not equations:
        return None
    arity = len(equations[0][0])
    cases = []
    for number, (left, right) in enumerate(equations, 1):
        hypotheses = []
        for call in recursive_calls(erase(right), (full,), shape):
            if not call.sure or len(call.arguments) != arity:
                return None
            made = hol.trueprop(list_comb(Free(SHOWN), call.arguments))
            made = hol.list_pure_imp([hol.trueprop(each) for each in call.conditions], made)
            for each in reversed(call.new):
                made = hol.pure_all("x", None, abstract(made, each))
            hypotheses.append(made)
        if len(left) != arity:
            return None
        patterns = tuple(erase(each) for each in left)
        variables = dict.fromkeys(node.name for pattern in patterns for node in frees(pattern))
        cases.append(RuleCase(str(number), tuple(variables), tuple(hypotheses), patterns))
    return InductionRule(None, tuple(f"a{place}" for place in range(arity)), tuple(cases))
