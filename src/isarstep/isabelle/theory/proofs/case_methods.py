"""`proof (induct ...)` and `proof (cases ...)`: the cases that the method gives to the block behind it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from isarstep.common.errors import UserError
from isarstep.isabelle.syntax.grammar.symbols import to_isabelle
from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.terms import (
    Const,
    Free,
    Term,
    Typ,
    Type,
    Var,
    erase,
    frees,
    funs,
    list_comb,
    strip_comb,
    strip_fun,
)
from isarstep.isabelle.terms.types import match_type
from isarstep.isabelle.terms.variables import as_schematic, substitute_frees
from isarstep.isabelle.theory.environment.declarations import open_type
from isarstep.isabelle.theory.environment.file_environment import OwnContext, TokenReader
from isarstep.isabelle.theory.environment.stated import ReadStatement, Witnesses, exported
from isarstep.isabelle.theory.proofs.proof_block import OpenGoal, type_of_term
from isarstep.isabelle.theory.rules.library_rules import MEASURE, library_choice, library_rule
from isarstep.isabelle.theory.rules.proof_cases import (
    LITERALS,
    MethodText,
    ProofCase,
    constructors_at,
    distinction_cases,
    goal_parts,
    joined_cases,
    method_text,
)
from isarstep.isabelle.theory.rules.rule_cases import (
    CasesRule,
    InductionRule,
    WantedInduction,
    are_instances,
    chosen_cases,
    elimination_cases,
    predicate_of,
    rule_cases,
    structural_rule,
)
from isarstep.isabelle.theory.text.is_patterns import matched
from isarstep.isabelle.theory.text.statements import Scope, read_together

# Predicates of the library with rules that `induct` takes for a fact about them.
_LIBRARY_PREDICATES = {
    "Finite_Set.finite": "finite_induct",
    "Transitive_Closure.rtranclp": "rtranclp_induct",
    "Transitive_Closure.rtrancl": "rtrancl_induct",
}
# Their rules have cases Nil and Cons, as the type has.
_NAMED_LIKE_CONSTRUCTORS = ("List.list.list_all2", "List.listsp")
_METHODS = ("induct", "induction", "induct_tac", "cases", "case_tac")


def find_cases(goal: OpenGoal, reader: TokenReader, scope: Scope, context: OwnContext) -> None:
    """Put the cases of the method into the goal's block, or why there are none."""
    method = method_text(reader.tokens)
    block = goal.block
    if method.name not in _METHODS or goal.unknown:
        block.why_no_cases = f"`proof {' '.join(t.text for t in reader.tokens)}` gives no cases that are read"
        return
    try:
        if method.other:
            raise UserError(f"`{method.name}` with {method.other} is not read")
        if method.attributes and method.name == "cases":
            raise UserError("`cases` by a rule with attributes is not read")
        if method.name == "cases":
            block.cases = _cases(goal, method, scope, context)
        elif method.name in ("induct", "induction"):
            block.cases = _induction(goal, method, scope, context)
            if any(" " in token.text for token in method.arguments):
                block.why_no_cases = "there is none, or its equations are made simpler"
        else:
            raise UserError(f"`{method.name}` is not read")
    except (UserError, KeyError) as error:
        block.why_no_cases = str(error)


def _cases(goal: OpenGoal, method: MethodText, scope: Scope, context: OwnContext) -> dict[str, ProofCase]:
    by_rule = _by_elimination(goal, method, scope, context)
    if by_rule is not None:
        return by_rule
    if method.rule or not method.arguments:
        return _of_choice(goal, method, scope, context)
    if len(method.arguments) != 1:
        raise UserError("`cases` with several arguments is not read")
    term = read_together([method.arguments[0]], scope, None).terms[0]
    return distinction_cases(term, type_of_term(term), set(goal.block.fixed), context.language)


def _induction(goal: OpenGoal, method: MethodText, scope: Scope, context: OwnContext) -> dict[str, ProofCase]:
    if goal.unread_facts:
        raise UserError("an induction with facts that are not read is not read")
    if not goal.goals:
        raise UserError("an induction on nothing is not read")
    if method.rule and (method.attributes or not _of_type(method.rule, context)):
        return _by_rule(goal, method, _rule(method.rule, context), scope, context)
    by_fact = None if method.rule else _rule_of_fact(goal, method, context)
    if by_fact is not None:
        return _by_rule(goal, method, by_fact, scope, context)
    if len(method.arguments) != 1:
        raise UserError(f"`{method.name}` with several arguments is not read")
    term = read_together([method.arguments[0]], scope, None).terms[0]
    typ = type_of_term(term)
    by_type = None if method.rule else rule_for_type(context, typ)
    if by_type is not None:
        return _by_rule(goal, method, by_type, scope, context)
    if method.rule and _of_type(method.rule, context) != getattr(typ, "name", ""):
        raise UserError(f"an induction by {method.rule} on what is shown here is not read")
    rule = structural_rule(typ, term.name if isinstance(term, Free) else "x", context.language)
    return _by_rule(goal, method, rule, scope, context, several=isinstance(term, Free), apart=True)


def _of_type(rule: str, context: OwnContext) -> str:
    """The datatype whose structural induction this is; nothing where it is another rule."""
    base, _, last = rule.rpartition(".")
    if rule == "nat_induct":
        return "Nat.nat"
    if last != "induct" or _constant(to_isabelle(base), context) in context.inductions:
        return ""
    found = context.language.types.resolve(to_isabelle(base)) or ""
    return found if found != "Nat.nat" else ""  # nat.induct calls its cases otherwise


def _rule_of_fact(goal: OpenGoal, method: MethodText, context: OwnContext) -> InductionRule | None:
    """Isabelle takes the rule of the predicate that the first chained fact is about, where it fits the variables that
    are named: the last ones of the predicate."""
    if not goal.chained:
        return None
    about = goal.chained[0].prop
    name = predicate_of(about)
    wanted = [to_isabelle(token.text.strip()) for token in method.arguments]
    last = strip_comb(hol.dest_trueprop(about) or about)[1][-1:]
    if name in _NAMED_LIKE_CONSTRUCTORS and (not wanted or last == [] or getattr(last[0], "name", "") == wanted[-1]):
        raise UserError("an induction whose first fact has a rule of its own is not read")
    rule = context.inductions.get(name) or library_rule(_LIBRARY_PREDICATES.get(name, ""), context)
    found: dict[str, Term] = {}
    if rule is None or rule.major is None or not matched(rule.major, about, found):
        return None
    names = [each.name if isinstance(each, Free) else "" for each in map(found.get, rule.variables)]
    return rule if names[len(names) - len(wanted) :] == wanted else None


def _by_elimination(
    goal: OpenGoal, method: MethodText, scope: Scope, context: OwnContext
) -> dict[str, ProofCase] | None:
    """`cases rule: P.cases`, or `cases` alone behind a fact about an inductive predicate; None: it is something
    else."""
    base, _, last = method.rule.rpartition(".")
    if method.arguments or (method.rule and last != "cases"):
        return None
    given = [fact.prop for fact in goal.chained]
    name = predicate_of(given[0]) if given else ""
    if method.rule and _constant(to_isabelle(base), context) != name:
        return None
    rule = context.inductions.get(name)
    if rule is None or goal.unread_facts:
        return None
    return elimination_cases(rule, given[0], context.signature, goal.block.fixed)


def choice_cases(alternatives: Sequence[Witnesses], types: Mapping[str, Typ]) -> dict[str, ProofCase]:
    """What `cases` makes of `consider (a) x where "A x" | (b) "B"`: those without a name are numbered."""
    found: dict[str, ProofCase] = {}
    for number, one in enumerate(alternatives, 1):
        terms = tuple(term for props in one.props for term in props.terms)
        variables = tuple((each.name, types.get(each.name) or open_type(each.name)) for each in one.names)
        found[one.label or str(number)] = ProofCase(variables, (("", terms),), None)
    return found


def lemma_choice(statement: ReadStatement) -> CasesRule:
    """Of a lemma that obtains something."""

    def general(terms: Iterable[Term]) -> tuple[Term, ...]:
        return tuple(as_schematic(erase(term), statement.new) for term in terms)

    cases = {
        one.label or str(number): (
            [each.name for each in one.names],
            general(term for props in one.props for term in props.terms),
        )
        for number, one in enumerate(statement.obtains, 1)
    }
    new = tuple(Var(name, 0, statement.fixed[name]) for name in statement.new)
    return CasesRule(new, cases, general(statement.premises))


def _of_choice(goal: OpenGoal, method: MethodText, scope: Scope, context: OwnContext) -> dict[str, ProofCase]:
    """`proof cases` behind a `consider`, `cases rule: a` for one with a name, `cases t rule: a` for a lemma that
    obtains something."""
    block = goal.block
    if method.rule and method.rule in context.choices and method.rule not in block.facts:
        choice = context.choices[method.rule]
        if not choice.premises and (len(method.arguments) != 1 or len(choice.variables) != 1):
            raise UserError(f"`cases` by {method.rule} is read for one term and a lemma about one variable")
        return _by_choice(choice, goal, method, scope, context)
    if method.arguments:
        try:
            if context.find_facts(method.rule) is not None or method.rule in block.facts:
                raise KeyError
            choice = library_choice(method.rule, context)
        except KeyError:
            raise UserError(f"`cases` by {method.rule} is not read") from None
        if len(choice.variables) != len(method.arguments) or goal.unread_facts:
            raise UserError(f"`cases` by {method.rule} is not read at these terms")
        return _by_choice(choice, goal, method, scope, context)
    facts = block.facts.get(method.rule, ()) if method.rule else goal.chained[:1]
    found = block.choices.get(facts[0].prop) if len(facts) == 1 else None
    if found is None:
        raise UserError(f"`cases` by {method.rule} is not read" if method.rule else "`cases` of nothing is not read")
    return dict(found)


def _by_choice(
    choice: CasesRule, goal: OpenGoal, method: MethodText, scope: Scope, context: OwnContext
) -> dict[str, ProofCase]:
    """At the terms that are given for its variables, or behind facts that are what it assumes."""
    found: dict[str, Term] = {}
    if choice.premises:
        if method.arguments or goal.unread_facts or len(goal.chained) != len(choice.premises):
            raise UserError(f"`cases` by {method.rule} is read behind the facts that it assumes")
        if not all(matched(each, fact.prop, found) for each, fact in zip(choice.premises, goal.chained, strict=True)):
            raise UserError("what the rule is about is not among the facts that are given to it")
    else:
        terms = read_together(method.arguments, scope, None).terms
        if not are_instances([each.type for each in choice.variables], terms, context.signature):
            raise UserError(f"`cases` by {method.rule} is not read at this type")
        found = {each.name: term for each, term in zip(choice.variables, terms, strict=True)}
    return chosen_cases(choice.cases, found, context.signature, goal.block.fixed)


def _by_rule(
    goal: OpenGoal,
    method: MethodText,
    rule: InductionRule | None,
    scope: Scope,
    context: OwnContext,
    *,
    several: bool = False,
    apart: bool = False,
) -> dict[str, ProofCase]:
    """`induct x arbitrary: y rule: r`, `induction set: finite`; `several`: of several goals together."""
    if rule is None or (len(goal.goals) != 1 and not several):
        raise UserError(f"an induction by {method.rule} on what is shown here is not read")
    rule, taken = _with_attributes(rule, method, scope)
    variables = [read_together([token], scope, None).terms[0] for token in method.arguments]
    if method.rule == "less_induct" and len(variables) == 1 and not isinstance(variables[0], Free):
        return _on_measure(goal, variables[0], method)
    made = {name for each in variables if not isinstance(each, Free) for name in _constructors(each, context)}
    fixed = goal.block.fixed
    parts = [goal_parts(each, set(fixed)) for each in goal.goals]
    if len(parts) > 1 and any(each.variables for each in parts):
        raise UserError("an induction on several goals of this form is not read")
    arbitrary = {to_isabelle(name): fixed[to_isabelle(name)] for name in method.arbitrary}
    found = []
    for part in parts:
        asked = WantedInduction(
            hol.trueprop(part.formula, typed=True),
            part.premises,
            {**arbitrary, **dict(part.variables)},
            tuple(fact.prop for fact in goal.chained),
            tuple(variables),
            {**fixed, **dict(part.variables)},
            apart or method.name == "induction",
            taken,
            constructors=frozenset(made),
        )
        found.append(rule_cases(rule, asked, context.signature))
    return joined_cases(found)


def _constructors(term: Term, context: OwnContext) -> list[str]:
    """Of the type of a term that an induction is on."""
    if not isinstance(strip_comb(term)[0], Const):
        raise UserError("an induction on a term of this form is not read")
    found = [constructor.name for _, constructor, _ in constructors_at(type_of_term(term), context.language)]
    return [*found, *LITERALS]


def _with_attributes(rule: InductionRule, method: MethodText, scope: Scope) -> tuple[InductionRule, dict[str, Term]]:
    """`rule: r[case_names a b]`, and `rule: measure_induct_rule[of f]`."""
    taken: dict[str, Term] = {}
    for attribute in method.attributes:
        word, rest = attribute[0].text, attribute[1:]
        measure = method.rule == "measure_induct_rule"
        if word == "case_names" and len(rest) == len(rule.cases):
            names = [to_isabelle(token.text) for token in rest]
            cases = tuple(replace(case, name=name) for case, name in zip(rule.cases, names, strict=True))
            rule = replace(rule, cases=cases)
        elif measure and word == "of" and len(rest) == 1:
            taken[MEASURE] = read_together([rest[0]], scope, None).terms[0]
        elif measure and word == "where" and len(rest) == 3 and rest[0].text == "f" and rest[1].keyword("="):
            taken[MEASURE] = read_together([rest[2]], scope, None).terms[0]
        else:
            raise UserError(f"an induction by a rule with [{word} ...] is not read")
    if taken and strip_fun(type_of_term(taken[MEASURE]))[1] != Type("Nat.nat"):
        raise UserError("an induction by a measure that is no natural number is not read")
    return rule, taken


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
        return substitute_frees(term, fresh)

    typ = type_of_term(measure)
    less = Const("Orderings.ord_class.less", funs([typ, typ], hol.BOOL))
    smaller = hol.trueprop(list_comb(less, [measure, renamed(measure)]), typed=True)
    types = {name: block.fixed[name] for name in names}
    hypothesis = exported(conclusion, types, [smaller, *moving])
    group = "IH" if method.name == "induction" else "hyps"
    groups = ((group, (hypothesis,)), ("prems", tuple(renamed(each) for each in moving)))
    variables = tuple((free.name, block.fixed[name]) for name, free in fresh.items())
    return {"less": ProofCase(variables, groups, renamed(formula))}


def _rule(name: str, context: OwnContext) -> InductionRule | None:
    if name == "set finite":
        return library_rule("finite_induct", context)
    base, _, last = name.rpartition(".")
    if name.startswith("set ") or last == "induct":
        return context.inductions.get(_constant(to_isabelle(base or name.removeprefix("set ")), context))
    if context.find_facts(name) is None:
        return library_rule(name, context)
    own = context.inductions.get(rule_key(context, name)) or context.inductions.get(f"lemma  {to_isabelle(name)}")
    return own if isinstance(own, InductionRule) else None


def _constant(name: str, context: OwnContext) -> str:
    """The full name of a constant, of the locale first; nothing where there is none."""
    local = context.language.local.get(f"local.{name}")
    head = strip_comb(local)[0] if local is not None else None
    return head.name if isinstance(head, Const) else context.language.constants.resolve(name) or ""


def rule_key(context: OwnContext, name: str) -> str:
    """Under which a lemma of this place is kept as a rule."""
    return f"lemma {context.target.name if context.target is not None else ''} {to_isabelle(name)}"


def rule_for_type(context: OwnContext, typ: Typ) -> InductionRule | None:
    """The last lemma that is declared as the induction of a type."""
    for key, found in context.inductions.items():
        if key.startswith("type ") and match_type(found[0], typ, {}):
            rule: InductionRule = found[1]
            return rule
    return None
