"""`proof (induct ...)` and `proof (cases ...)`: the cases that the method gives to the block behind it."""

from __future__ import annotations

from isarstep.errors import UserError
from isarstep.logic import hol
from isarstep.logic.symbols import to_isabelle
from isarstep.logic.terms import Const, Free, Term, frees, funs, list_comb, substitute
from isarstep.theory.outer import OuterCommand
from isarstep.theory.own_context import OwnContext
from isarstep.theory.proof_block import OpenGoal, type_of_term
from isarstep.theory.proof_cases import MethodText, ProofCase, distinction_cases, induction_cases, method_text
from isarstep.theory.rule_cases import InductionRule, WantedInduction, library_rule, rule_cases
from isarstep.theory.stated import exported
from isarstep.theory.statements import Scope, read_together

_METHODS = ("induct", "induction", "induct_tac", "cases", "case_tac")


def find_cases(goal: OpenGoal, command: OuterCommand, scope: Scope, context: OwnContext) -> None:
    """Put the cases of the method into the goal's block, or why there are none."""
    method = method_text(command.tokens)
    block = goal.block
    if method.name not in _METHODS or goal.unknown:
        block.why_no_cases = f"`proof {' '.join(t.text for t in command.tokens)}` gives no cases that are read"
        return
    try:
        if method.name in ("induct", "induction") and method.rule and not method.other:
            block.cases = _by_rule(goal, method, scope, context)
            return
        if method.other or method.rule or len(method.arguments) != 1:
            raise UserError(f"`{method.name}` with {method.other or 'several arguments'} is not read")
        term = read_together([method.arguments[0]], scope, None).terms[0]
        if method.name == "cases":
            block.cases = distinction_cases(term, type_of_term(term), set(block.fixed), context.language)
            return
        if not isinstance(term, Free) or len(goal.goals) != 1:
            raise UserError("an induction on a term, or of several goals, is not read")
        formula = hol.dest_trueprop(goal.goals[0])
        if formula is None or goal.unread_facts:
            raise UserError("an induction on a goal of this form is not read")
        arbitrary = {name: block.fixed[to_isabelle(name)] for name in method.arbitrary}
        chained = [fact.prop for fact in goal.chained]
        block.cases = induction_cases(term, formula, chained, arbitrary, context.language)
    except (UserError, KeyError) as error:
        block.why_no_cases = str(error)


def _by_rule(goal: OpenGoal, method: MethodText, scope: Scope, context: OwnContext) -> dict[str, ProofCase]:
    """`induct x arbitrary: y rule: r`, `induction set: finite`."""
    rule = _rule(method.rule, scope, context)
    if rule is None or goal.unread_facts or len(goal.goals) != 1:
        raise UserError(f"an induction by {method.rule} on what is shown here is not read")
    variables = [read_together([token], scope, None).terms[0] for token in method.arguments]
    if method.rule == "less_induct" and len(variables) == 1 and not isinstance(variables[0], Free):
        return _on_measure(goal, variables[0], method)
    if not all(isinstance(each, Free) for each in variables):
        raise UserError("an induction on a term is not read")
    premises, conclusion = hol.strip_pure_imp(goal.goals[0])
    if hol.dest_trueprop(conclusion) is None:
        raise UserError("an induction on a goal of this form is not read")
    block = goal.block
    asked = WantedInduction(
        conclusion,
        tuple(premises),
        {name: block.fixed[to_isabelle(name)] for name in method.arbitrary},
        tuple(fact.prop for fact in goal.chained),
        tuple(each for each in variables if isinstance(each, Free)),
        block.fixed,
        method.name == "induction",
    )
    return rule_cases(rule, asked, context.signature)


def _on_measure(goal: OpenGoal, measure: Term, method: MethodText) -> dict[str, ProofCase]:
    """`induction "f x" arbitrary: x rule: less_induct`: the hypothesis is about all x with a smaller f x."""
    block = goal.block
    names = [to_isabelle(name) for name in method.arbitrary]
    premises, conclusion = hol.strip_pure_imp(goal.goals[0])
    moving = [fact.prop for fact in goal.chained]
    moving = [*(each for each in moving if any(node.name in names for node in frees(each))), *premises]
    formula = hol.dest_trueprop(conclusion)
    if formula is None or not names or any(node.name not in names for node in frees(measure)):
        raise UserError("an induction on a term of this form is not read")
    fresh = {name: Free(f"{name}__", block.fixed[name]) for name in names}

    def renamed(term: Term) -> Term:
        return substitute(term, lambda leaf: fresh.get(leaf.name) if isinstance(leaf, Free) else None)

    typ = type_of_term(measure)
    less = Const("Orderings.ord_class.less", funs([typ, typ], hol.BOOL))
    smaller = hol.trueprop(list_comb(less, [measure, renamed(measure)]), typed=True)
    types = {name: block.fixed[name] for name in names}
    hypothesis = exported(conclusion, types, [smaller, *moving])
    group = "IH" if method.name == "induction" else "hyps"
    groups = ((group, (hypothesis,)), ("prems", tuple(renamed(each) for each in moving)))
    variables = tuple((free.name, block.fixed[name]) for name, free in fresh.items())
    return {"less": ProofCase(variables, groups, renamed(formula))}


def _rule(name: str, scope: Scope, context: OwnContext) -> InductionRule | None:
    if name == "set finite":
        return library_rule("finite_induct", scope)
    base, _, last = name.rpartition(".")
    if name.startswith("set ") or last == "induct":
        full = context.language.constants.resolve(to_isabelle(base or name.removeprefix("set ")))
        return context.inductions.get(full or "")
    return library_rule(name, scope) if context.find_facts(name) is None else None
