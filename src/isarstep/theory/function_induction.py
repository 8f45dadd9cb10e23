"""`f.induct` of a `fun` of the file: one case for each equation, with a hypothesis for each call on its right side."""

from __future__ import annotations

from collections.abc import Sequence

from isarstep.logic import hol
from isarstep.logic.terms import Abs, App, Const, Free, Term, erase, frees, list_comb, strip_comb, subterms
from isarstep.theory.rule_cases import SHOWN, InductionRule, RuleCase

_IF = "HOL.If"


def induction_of_function(equations: Sequence[tuple[Sequence[Term], Term]], full: str) -> InductionRule | None:
    """From patterns and right sides; None where a call stands in a place whose conditions are not read here: under a
    binder, `case` or `let`, or without all arguments."""
    if not equations:
        return None
    count = len(equations[0][0])
    cases = []
    for number, (left, right) in enumerate(equations, 1):
        calls = _calls(erase(right), full, count, ())
        if calls is None or len(left) != count:
            return None
        patterns = tuple(erase(each) for each in left)
        variables = dict.fromkeys(node.name for pattern in patterns for node in frees(pattern))
        cases.append(RuleCase(str(number), tuple(variables), tuple(calls), patterns))
    return InductionRule(None, tuple(f"a{place}" for place in range(count)), tuple(cases))


def _calls(term: Term, full: str, count: int, conditions: tuple[Term, ...]) -> list[Term] | None:
    """Hypotheses for all calls in a term, under what decides that they are reached."""
    if not _mentions(term, full):
        return []
    head, arguments = strip_comb(term)
    if isinstance(head, Abs | Free) or not isinstance(head, Const) or _decides(head.name):
        return None
    if head.name == _IF:
        if len(arguments) != 3:
            return None
        test, yes, no = arguments
        denied = App(Const(hol.NOT), test)
        parts = [(test, conditions), (yes, (*conditions, test)), (no, (*conditions, denied))]
    else:
        parts = [(each, conditions) for each in arguments]
    found: list[Term] = []
    for part, under in parts:
        inner = _calls(part, full, count, under)
        if inner is None:
            return None
        found += inner
    if head.name == full:
        if len(arguments) != count:
            return None
        said = hol.trueprop(list_comb(Free(SHOWN), arguments))
        found.append(hol.list_pure_imp([hol.trueprop(each) for each in conditions], said))
    return found


def _mentions(term: Term, full: str) -> bool:
    return any(isinstance(node, Const) and node.name == full for node in subterms(term))


def _decides(name: str) -> bool:
    """Has Isabelle a rule by which it knows more about the arguments of this constant?"""
    return name == "HOL.Let" or ".case_" in name or name.startswith("Product_Type.prod")
