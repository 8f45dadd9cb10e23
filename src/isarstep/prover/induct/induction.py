"""Induction and case distinction: a rule of the library, applied to a goal by instantiation alone.

A rule is a fact of the context, `A1 ⟹ ... ⟹ ?P ?x`. Its predicate is instantiated with the goal, abstracted over what
the induction goes over, under the premises that speak of it and for all `arbitrary` variables; what the rule then asks
for are the cases. Nothing is concluded here: `apply_rule` checks that the instance's conclusion gives the goal, so
that a wrong choice can only lead to cases that do not hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import compress

from isarstep.isabelle.context.matching import Matching
from isarstep.isabelle.context.monomorphisation import Named, is_general, term_type_variables
from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.hol import BOOL
from isarstep.isabelle.terms.normal_forms import beta_normal
from isarstep.isabelle.terms.signature import Signature
from isarstep.isabelle.terms.terms import (
    Abs,
    Const,
    Free,
    Term,
    TVar,
    Typ,
    Type,
    Var,
    abstract,
    frees,
    instantiate,
    list_comb,
    schematics,
    strip_comb,
    strip_fun,
    substitute,
)
from isarstep.isabelle.terms.types import type_of

TRUE: Term = Const("HOL.True", BOOL)
CASE = "case"  # how hypotheses of a case are called: case(1), case(2), ...
MOST_CASES = 12


@dataclass(frozen=True, slots=True)
class RuleForm:
    """A rule by its parts: `majors` say nothing of the predicate and must be given; the others are the cases."""

    fact: Named
    predicate: Var
    arguments: tuple[Var, ...]
    majors: tuple[Term, ...]
    are_major: tuple[bool, ...]  # of the rule's premises


@dataclass(frozen=True, slots=True)
class Case:
    """One subgoal: hypotheses about variables fixed for it, and what is to be shown."""

    premises: tuple[Named, ...]
    goal: Term
    variables: tuple[Free, ...] = ()


@dataclass(frozen=True, slots=True)
class Induction:
    """A rule as it was applied. `kept` premises hold in every case; `used` are names of those that went into it."""

    rule: str
    targets: tuple[Term, ...]
    arbitrary: tuple[Free, ...]
    cases: tuple[Case, ...]
    kept: tuple[Named, ...]
    used: tuple[str, ...]

    def method(self, names: dict[str, str] | None = None) -> str:
        """As Isar writes it; names of variables are shown as these."""
        shown = names or {}
        over = [shown.get(t.name, t.name) if isinstance(t, Free) else "_" for t in self.targets]
        free = [shown.get(y.name, y.name) for y in self.arbitrary]
        kind = "cases" if self.rule.endswith((".cases", ".exhaust", ".elims")) else "induct"
        arbitrary = f" arbitrary: {' '.join(free)}" if free else ""
        rule = "" if self._is_usual else f" rule: {self.rule}"
        return f"{kind} {' '.join(over)}{arbitrary}{rule}".replace("  ", " ")

    @property
    def _is_usual(self) -> bool:
        """Is it the rule that Isabelle takes for a variable of this datatype where none is named?"""
        first = self.targets[0] if len(self.targets) == 1 else None
        return isinstance(first, Free) and isinstance(first.type, Type) and self.rule == f"{first.type.name}.induct"


def rule_form(fact: Named) -> RuleForm | None:
    """None where a fact is no such rule, or one that other rules are better than."""
    premises, conclusion = hol.strip_pure_imp(fact.prop)
    formula = hol.dest_trueprop(conclusion)
    if formula is None or not is_general(fact.prop):
        return None
    predicate, arguments = strip_comb(formula)
    if type(predicate) is not Var or predicate.type is None:
        return None
    variables = [argument for argument in arguments if type(argument) is Var]
    if len(variables) != len(arguments) or len(set(variables)) != len(variables) or predicate in variables:
        return None
    others = _predicates(fact.prop, predicate)
    are_major = tuple(not {predicate, *others} & set(schematics(p)) for p in premises)
    if not 0 < are_major.count(False) <= MOST_CASES or any(v in others for v in variables):
        return None
    majors = tuple(compress(premises, are_major))
    return RuleForm(fact, predicate, tuple(variables), majors, are_major)


def _predicates(prop: Term, predicate: Var) -> list[Var]:
    """Other predicates that a rule is about: of types or sets that are defined together with the first one."""
    found = []
    premises, _ = hol.strip_pure_imp(prop)
    for premise in premises:
        body = hol.strip_pure_all(premise)[1]
        conclusion = hol.dest_trueprop(hol.strip_pure_imp(body)[1])
        head = None if conclusion is None else strip_comb(conclusion)[0]
        if type(head) is Var and head != predicate and head not in found:
            found.append(head)
    return found


def apply_rule(
    form: RuleForm,
    premises: Sequence[Named],
    goal: Term,
    targets: Sequence[Term | None],
    arbitrary: Sequence[Free],
    signature: Signature,
) -> Induction | None:
    """The rule over these targets; those that are None are found by matching the rule's first premises with given ones.
    None where it does not fit.
    """
    for used, matching in _majors(form.majors, premises, signature):
        chosen = [matching.terms.get((v.name, v.index), t) for v, t in zip(form.arguments, targets, strict=True)]
        found = [term for term in chosen if term is not None]
        typed = len(found) == len(chosen) and all(
            matching.fits_type(v.type, type_of(t)) for v, t in zip(form.arguments, found, strict=True)
        )
        if not typed or not matching.complete(term_type_variables(form.fact.prop)):
            continue
        made = _applied(form, premises, goal, found, arbitrary, matching, used)
        if made is not None:
            return made
    return None


def _majors(
    majors: Sequence[Term], premises: Sequence[Named], signature: Signature
) -> list[tuple[tuple[Named, ...], Matching]]:
    """Ways to find the rule's own premises among those that are given."""
    ways: list[tuple[tuple[Named, ...], Matching]] = [((), Matching(signature))]
    for major in majors:
        further = []
        for used, matching in ways:
            for premise in premises:
                more = None if premise.here else matching.extended(major, premise.prop)
                if more is not None:
                    further.append(((*used, premise), more))
        ways = further[:4]
    return ways


def _applied(
    form: RuleForm,
    premises: Sequence[Named],
    goal: Term,
    targets: Sequence[Term],
    arbitrary: Sequence[Free],
    matching: Matching,
    used: tuple[Named, ...],
) -> Induction | None:
    conclusion = hol.as_formula(goal)
    moved = [t for t in targets if isinstance(t, Free)]
    if conclusion is None or any(y in moved for y in arbitrary):
        return None
    about = {*moved, *arbitrary}
    carried = [p for p in premises if p not in used and about & set(frees(p.prop))]
    hypotheses = [hol.as_formula(p.prop) for p in carried]
    stated = [h for h in hypotheses if h is not None]
    if len(stated) != len(carried):
        return None
    taken = {v.name for term in (goal, *(p.prop for p in premises)) for v in frees(term)}
    predicate = _abstraction(targets, arbitrary, stated, conclusion, taken)
    matching.terms[form.predicate.name, form.predicate.index] = predicate
    for variable, target in zip(form.arguments, targets, strict=True):
        matching.terms[variable.name, variable.index] = target
    for other in _predicates(form.fact.prop, form.predicate):
        matching.terms.setdefault((other.name, other.index), _always(matching.instance(other)))
    asked = _asked(matching.instance(form.fact.prop), predicate, targets, arbitrary, premises, conclusion)
    given = {premise.prop for premise in premises}
    if asked is None or any(major and each not in given for each, major in zip(asked, form.are_major, strict=True)):
        return None
    steps = (each for each, major in zip(asked, form.are_major, strict=True) if not major)
    cases = tuple(fixed_apart(step, set(taken)) for step in steps)
    kept = tuple(p for p in premises if p not in carried)
    names = tuple(p.name for p in (*used, *carried))
    return Induction(form.fact.name, tuple(targets), tuple(arbitrary), cases, kept, names)


def _abstraction(
    targets: Sequence[Term], arbitrary: Sequence[Free], hypotheses: Sequence[Term], conclusion: Term, taken: set[str]
) -> Term:
    """`λz. ∀y. H z y ⟶ G z y`. A target that is no variable, or one already, is kept as an equation `z = t`."""
    places: list[Free] = []
    renamed: dict[Free, Free] = {}
    for target in targets:
        place = Free(_fresh("z", taken), type_of(target))
        places.append(place)
        if isinstance(target, Free) and target not in renamed:
            renamed[target] = place
    equations = [
        hol.eq(place, target, place.type)
        for place, target in zip(places, targets, strict=True)
        if not (isinstance(target, Free) and renamed[target] == place)
    ]
    body = conclusion
    for hypothesis in reversed((*equations, *hypotheses)):
        body = hol.implies(hypothesis, body, typed=True)
    # Places stand only in equations so far: what is renamed is renamed in all of it.
    body = substitute(body, lambda leaf: renamed.get(leaf) if isinstance(leaf, Free) else None)
    body = hol.quantified(hol.forall, arbitrary, body)
    for place, target in reversed(list(zip(places, targets, strict=True))):
        name = target.name if isinstance(target, Free) else "x"
        body = Abs(name, place.type, abstract(body, place))
    return body


def _always(variable: Term) -> Term:
    """What is true of everything, at the type of a predicate."""
    typ = variable.type if isinstance(variable, Var) else None
    domains: list[Typ] = strip_fun(typ)[0] if typ is not None else []
    return reduce(lambda body, domain: Abs("x", domain, body), reversed(domains), TRUE)


def _asked(
    instance: Term,
    predicate: Term,
    targets: Sequence[Term],
    arbitrary: Sequence[Free],
    premises: Sequence[Named],
    goal: Term,
) -> list[Term] | None:
    """What an instance of a rule asks for, if the goal follows from its conclusion and the premises. The guard of this
    file: it looks at the instance alone, not at how it was made."""
    if schematics(instance) or any(isinstance(v, TVar) for v in term_type_variables(instance)):
        return None
    asked, conclusion = hol.strip_pure_imp(instance)
    formula = hol.dest_trueprop(conclusion)
    if formula is None or formula != beta_normal(list_comb(predicate, targets)):
        return None
    for variable in arbitrary:
        binder = hol.dest_quantifier(hol.ALL, formula)
        if binder is None or binder.type != variable.type:
            return None
        formula = instantiate(binder.body, variable)
    known = {hol.as_formula(premise.prop) for premise in premises}
    while formula != goal:
        parts = hol.dest_binary(hol.IMPLIES, formula)
        if parts is None:
            return None
        sides = hol.dest_binary(hol.EQ, parts[0])
        if parts[0] not in known and (sides is None or sides[0] != sides[1]):
            return None
        formula = parts[1]
    return asked


def fixed_apart(prop: Term, taken: set[str], called: str = CASE) -> Case:
    """What is left to show of a proposition once its variables are fixed, under names that are not taken, and its
    hypotheses assumed."""

    def fresh(name: str) -> str:
        return _fresh(name or "x", taken)

    variables, premises, goal = hol.fixed_and_assumed(prop, fresh, pure=True)
    formula = hol.dest_trueprop(goal)
    if formula is not None:
        others, more, rest = hol.fixed_and_assumed(formula, fresh, pure=False)
        variables += others
        premises += [hol.trueprop(each, typed=True) for each in more]
        goal = goal if rest == formula else hol.trueprop(rest, typed=True)
    return Case(tuple(Named(f"{called}({n})", each) for n, each in enumerate(premises, 1)), goal, tuple(variables))


def _fresh(name: str, taken: set[str]) -> str:
    base, number = name.rstrip("'"), 0
    made = base
    while made in taken:
        number += 1
        made = f"{base}{number}"
    taken.add(made)
    return made
