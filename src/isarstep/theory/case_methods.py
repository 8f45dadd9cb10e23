"""`proof (induct ...)` and `proof (cases ...)`: the cases that the method gives to the block behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from isarstep.errors import UserError
from isarstep.logic import hol
from isarstep.logic.symbols import to_isabelle
from isarstep.logic.terms import Const, Free, Term, Typ, Type, Var, frees, funs, list_comb, strip_comb, substitute
from isarstep.theory.declarations import open_type
from isarstep.theory.outer import OuterCommand
from isarstep.theory.own_context import OwnContext
from isarstep.theory.proof_block import OpenGoal, type_of_term
from isarstep.theory.proof_cases import (
    LemmaChoice,
    MethodText,
    ProofCase,
    distinction_cases,
    induction_cases,
    joined_cases,
    method_text,
)
from isarstep.theory.rule_cases import InductionRule, WantedInduction, library_rule, rule_cases
from isarstep.theory.stated import ReadStatement, Witnesses, exported
from isarstep.theory.statements import Scope, read_together

_NAT = "Nat.nat"  # nat.induct calls its cases otherwise
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
        if method.name == "cases" and not method.other and (method.rule or not method.arguments):
            block.cases = _of_choice(goal, method, scope, context)
            return
        if method.other or method.rule or len(method.arguments) != 1:
            raise UserError(f"`{method.name}` with {method.other or 'several arguments'} is not read")
        term = read_together([method.arguments[0]], scope, None).terms[0]
        if method.name == "cases":
            block.cases = distinction_cases(term, type_of_term(term), set(block.fixed), context.language)
            return
        block.cases = _structural(goal, method, term, context)
    except (UserError, KeyError) as error:
        block.why_no_cases = str(error)


def _structural(goal: OpenGoal, method: MethodText, term: Term, context: OwnContext) -> dict[str, ProofCase]:
    """`induct x arbitrary: y` on a variable of a datatype."""
    if not isinstance(term, Free) or not goal.goals:
        raise UserError("an induction on a term is not read")
    if goal.unread_facts:
        raise UserError("an induction with facts that are not read is not read")
    arbitrary = {name: goal.block.fixed[name] for name in map(to_isabelle, method.arbitrary)}
    chained = [fact.prop for fact in goal.chained]
    cases = []
    for each in goal.goals:
        premises, conclusion = hol.strip_pure_imp(each)
        formula = hol.dest_trueprop(conclusion)
        if formula is None:
            raise UserError("an induction on a goal of this form is not read")
        cases.append(induction_cases(term, formula, premises, chained, arbitrary, context.language))
    return joined_cases(cases)


def choice_cases(alternatives: Sequence[Witnesses], types: Mapping[str, Typ]) -> dict[str, ProofCase]:
    """What `cases` makes of `consider (a) x where "A x" | (b) "B"`: those without a name are numbered."""
    found: dict[str, ProofCase] = {}
    for number, one in enumerate(alternatives, 1):
        terms = tuple(term for props in one.props for term in props.terms)
        variables = tuple((each.name, types.get(each.name) or open_type(each.name)) for each in one.names)
        found[one.label or str(number)] = ProofCase(variables, (("", terms),), None)
    return found


def lemma_choice(statement: ReadStatement) -> LemmaChoice:
    """Of a lemma that obtains something and assumes nothing."""
    terms = [term for one in statement.obtains for props in one.props for term in props.terms]
    types = {node.name: node.type for term in terms for node in frees(term) if node.type is not None}
    new = tuple((name, statement.fixed[name]) for name in statement.new)
    return LemmaChoice(new, choice_cases(statement.obtains, types))


def _of_choice(goal: OpenGoal, method: MethodText, scope: Scope, context: OwnContext) -> dict[str, ProofCase]:
    """`proof cases` behind a `consider`, `cases rule: a` for one with a name, `cases t rule: a` for a lemma that
    obtains something."""
    block = goal.block
    if method.rule and method.rule in context.choices and method.rule not in block.facts:
        return _of_lemma(context.choices[method.rule], method, scope)
    if method.arguments:
        raise UserError(f"`cases` by {method.rule} is not read")
    facts = block.facts.get(method.rule, ()) if method.rule else goal.chained[:1]
    found = block.choices.get(facts[0].prop) if len(facts) == 1 else None
    if found is None:
        raise UserError(f"`cases` by {method.rule} is not read" if method.rule else "`cases` of nothing is not read")
    return dict(found)


def _of_lemma(choice: LemmaChoice, method: MethodText, scope: Scope) -> dict[str, ProofCase]:
    """`cases t rule: a`: the first variable of the first alternative is the term."""
    if len(method.arguments) != 1 or len(choice.variables) != 1:
        raise UserError(f"`cases` by {method.rule} is read for one term and a lemma about one variable")
    term = read_together([method.arguments[0]], scope, None).terms[0]
    ((name, typ),) = choice.variables
    if type_of_term(term) != typ:
        raise UserError(f"`cases` by {method.rule} is read at the types of its lemma")

    def put(leaf: Free | Var) -> Term | None:
        return term if isinstance(leaf, Free) and leaf.name == name else None

    return {
        label: ProofCase(
            case.variables, tuple((g, tuple(substitute(t, put) for t in ts)) for g, ts in case.groups), None
        )
        for label, case in choice.cases.items()
    }


def _by_rule(goal: OpenGoal, method: MethodText, scope: Scope, context: OwnContext) -> dict[str, ProofCase]:
    """`induct x arbitrary: y rule: r`, `induction set: finite`."""
    rule = _rule(method.rule, scope, context)
    if rule is None and len(method.arguments) == 1 and method.rule.endswith(".induct"):
        term = read_together([method.arguments[0]], scope, None).terms[0]
        typ = type_of_term(term)
        if isinstance(typ, Type) and typ.name.endswith(f".{method.rule.removesuffix('.induct')}") and typ.name != _NAT:
            return _structural(goal, method, term, context)  # the rule that a datatype's induction takes by itself
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
        {name: block.fixed[name] for name in map(to_isabelle, method.arbitrary)},
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
        return context.inductions.get(_constant(to_isabelle(base or name.removeprefix("set ")), context))
    return library_rule(name, scope) if context.find_facts(name) is None else None


def _constant(name: str, context: OwnContext) -> str:
    """The full name of a constant, of the locale first; nothing where there is none."""
    local = context.language.local.get(f"local.{name}")
    head = strip_comb(local)[0] if local is not None else None
    return head.name if isinstance(head, Const) else context.language.constants.resolve(name) or ""
