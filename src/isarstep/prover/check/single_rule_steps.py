"""Steps that one fact of the library gives, found by matching: what it leads from to the goal, what it leads to from
the given facts, the goal with an equation used once, and an inequality that shares a side with the goal.

All is bounded; what is left out can only lose steps. Provers judge what is found like any other step.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, islice
from typing import NamedTuple

from isarstep.isabelle.context.matching import Matching
from isarstep.isabelle.context.monomorphisation import Named, is_general, term_type_variables
from isarstep.isabelle.syntax.grammar.patterns import NUMERAL
from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.hol import BALL, DVD, IMAGE, LESS, LESS_EQ, MEMBER, POWER, TIMES
from isarstep.isabelle.terms.normal_forms import beta_eta_normal
from isarstep.isabelle.terms.signature import Signature
from isarstep.isabelle.terms.terms import (
    Abs,
    App,
    Bound,
    Const,
    Free,
    Term,
    TVar,
    Typ,
    Type,
    Var,
    applied_constant,
    constants,
    frees,
    fun,
    head_name,
    increase,
    list_comb,
    loose,
    occurs_bound,
    rebuilt,
    schematics,
    size,
    strip_comb,
    subterms,
)
from isarstep.isabelle.terms.types import first_argument_type
from isarstep.prover.arithmetic.certificates import at_least_zero, square_of
from isarstep.prover.arithmetic.rings import minus
from isarstep.prover.outcomes.step import Way
from isarstep.prover.rewrite.rewriting import shape

ORDERS = (LESS_EQ, LESS)
RELATIONS = (hol.EQ, *ORDERS, DVD)
INTRODUCTION, DESTRUCTION = frozenset(("intro", "intro!")), frozenset(("dest", "dest!", "elim", "elim!"))
DECLARED = 4.0  # the worst place of a rule that is declared for what it is used for
AGAIN = 8.0  # what a further step by the same rule costs
UNKNOWN = 8.0  # and a condition of an equation that is not given
REPEATED = 20.0  # and where one fact is used for two premises, or what is said is that two propositions are the same
CONTRADICTION, SQUARE = "HOL.notE", "Power.linordered_idom_class.zero_le_power2"
ORDERED_RINGS = (Type("Real.real"), Type("Int.int"), Type("Rat.rat"))
STRANGER = 15.0  # what a constant costs that neither goal nor facts mention
DIGITS = ("Num.num.Bit0", "Num.num.Bit1")  # inside of numerals nothing is rewritten
BINDERS = ("Complete_Lattices.Sup_class.Sup", "Complete_Lattices.Inf_class.Inf")
WAYS = 4  # in which the premises of one rule may be the given facts
SMALL = 24  # nodes; a step may have so many more than twice those of the largest given statement


class RuleStep(NamedTuple):
    """A step, and by which rule and how it was found; the less it costs the sooner it is worth a look."""

    formula: Term
    rule: str
    way: Way
    cost: float


_Result = tuple[Term, float]  # what a rule gives, and what it costs beside the rule


class OfferedRule(NamedTuple):
    """A fact that may give steps: its place among those that look relevant, and as what theories declare it."""

    fact: Named
    place: int
    kinds: frozenset[str] = frozenset()
    relevant: bool = True

    def fits(self, way: Way, goal: str) -> bool:
        """Declared rules are used as they are meant, relevant ones in every way."""
        intended: dict[Way, bool] = {
            "backwards": bool(self.kinds & INTRODUCTION) or ("trans" in self.kinds and goal in ORDERS),
            "forwards": bool(self.kinds & (DESTRUCTION | {"trans"})),
        }
        return self.relevant or intended.get(way, False)


class Relation(NamedTuple):
    """`left = right`, `left ≤ right`, ... of things of a type."""

    name: str
    left: Term
    right: Term
    of: Typ


def relation_of(formula: Term) -> Relation | None:
    name, arguments = applied_constant(formula)
    of = first_argument_type(formula)
    if name not in RELATIONS or len(arguments) != 2 or of is None:
        return None
    return Relation(name, arguments[0], arguments[1], of)


def is_iff(formula: Term) -> bool:
    said = relation_of(formula)
    return said is not None and said.name == hol.EQ and said.of == hol.BOOL


def says_nothing(formula: Term) -> bool:
    """`t = t`, `t ≤ t`, True."""
    _, sides = strip_comb(formula)
    return (len(sides) == 2 and sides[0] == sides[1]) or head_name(formula) in ("HOL.True", "HOL.False")


def without_eta(formula: Term) -> Term:
    """`(λx. f x) ` A` as `f ` A`, but for what is shown with a bound variable, as `⋃x∈A. f x` is."""

    def changed(node: Term) -> Term:
        head, arguments = strip_comb(node)
        if type(head) is not Const or head.name in BINDERS:
            return node
        return list_comb(head, [_image(each) for each in arguments])

    return rebuilt(formula, changed)


def _image(term: Term) -> Term:
    parts = hol.dest_binary(IMAGE, term)
    if parts is None or type(parts[0]) is not Abs or type(term) is not App or type(term.fun) is not App:
        return term
    function = beta_eta_normal(parts[0])
    return App(App(term.fun.fun, function), parts[1]) if type(function) is Free else term


def bounded_quantifiers(formula: Term) -> Term:
    """`∀x. x ∈ A ⟶ P x` as `∀x∈A. P x`, where it stands outermost."""
    binder = hol.dest_quantifier(hol.ALL, formula)
    if binder is None or binder.type is None:
        return formula
    parts = hol.dest_binary(hol.IMPLIES, binder.body)
    inside = None if parts is None else hol.dest_binary(MEMBER, parts[0])
    if parts is None or inside is None or inside[0] != Bound(0) or occurs_bound(inside[1], 0):
        return formula
    of = binder.type
    ball = Const(BALL, fun(hol.set_type(of), fun(fun(of, hol.BOOL), hol.BOOL)))
    return App(App(ball, increase(inside[1], -1)), Abs(binder.name, of, parts[1]))


@dataclass(frozen=True, slots=True)
class LibraryRule:
    """A fact as formulas: its premises and its conclusion; of a rule of elimination what it says exists."""

    name: str
    premises: tuple[Term, ...]
    conclusion: Term
    types: tuple[TVar, ...]

    @property
    def equation(self) -> tuple[Term, Term] | None:
        return hol.dest_binary(hol.EQ, self.conclusion)

    @property
    def sides_of_iff(self) -> Iterable[tuple[Term, Term]]:
        """Both ways round; none where it is no equivalence."""
        sides = self.equation if is_iff(self.conclusion) else None
        return () if sides is None else (sides, sides[::-1])


@lru_cache(maxsize=20_000)
def rule_said_by(fact: Named) -> LibraryRule | None:
    """None where it has another form, or speaks of what is fixed elsewhere."""
    if not (fact.here or is_general(fact.prop)):
        return None
    premises, conclusion = hol.strip_pure_imp(fact.prop)
    said = hol.as_open_formula(conclusion)
    if said is None:
        return None
    if type(said) is Var:
        cases = [_case(premise, said) for premise in premises if said in schematics(premise)]
        premises = [premise for premise in premises if said not in schematics(premise)]
        known = [case for case in cases if case is not None]
        if not known or len(known) < len(cases):
            return None
        said = hol.list_disj(known, typed=True)
    formulas = [hol.as_open_formula(premise) for premise in premises]
    stated = tuple(formula for formula in formulas if formula is not None)
    if len(stated) < len(formulas):
        return None
    types = dict.fromkeys(each for each in term_type_variables(fact.prop) if isinstance(each, TVar))
    return LibraryRule(fact.name, stated, said, tuple(types))


def _case(premise: Term, thesis: Var) -> Term | None:
    """`⋀x. A ⟹ B ⟹ thesis` as `∃x. A ∧ B`."""
    binders, body = hol.strip_pure_all(premise)
    assumed, conclusion = hol.strip_pure_imp(body)
    formulas = [hol.as_open_formula(each) for each in assumed]
    if hol.dest_trueprop(conclusion) != thesis or not formulas or None in formulas:
        return None
    case = hol.list_conj([formula for formula in formulas if formula is not None], typed=True)
    for binder in reversed(binders):
        case = hol.exists(binder.name, binder.type, case)
    return None if thesis in schematics(case) else case


class OneRule:
    """What is one rule away from a goal and from what is given."""

    def __init__(self, given: Iterable[Term], goal: Term, signature: Signature) -> None:
        self._known = dict.fromkeys(given)
        self._goal, self._signature = goal, signature
        self._largest = 2 * max(map(size, (goal, *self._known))) + SMALL
        self._by_head: dict[str, list[Term]] = {}
        for formula in self._known:
            self._by_head.setdefault(head_name(formula), []).append(formula)
        self._relation = relation_of(goal)
        self._parts: dict[str, dict[Term, None]] = {}
        for part in subterms(goal):
            if part != goal and not loose(part) and type(part) is App and head_name(part) not in ("", *DIGITS):
                self._parts.setdefault(head_name(part), {})[part] = None
        self._mentioned = {each.name for formula in (goal, *self._known) for each in constants(formula)}
        self._mentioned |= {hol.EQ, hol.CONJ, hol.DISJ, hol.NOT, hol.EX, hol.ALL, hol.IMPLIES, *ORDERS, MEMBER, BALL}
        self._near = {part for formula in self._known for part in subterms(formula) if type(part) is App}

    def steps(self, rules: Iterable[OfferedRule]) -> list[RuleStep]:
        """Each once, cheapest first. What is left open to choose, is known or says nothing is none."""
        found: dict[Term, RuleStep] = {}
        for offered in rules:
            rule = rule_said_by(offered.fact)
            for way, formulas in self._ways(rule) if rule is not None else ():
                if not offered.fits(way, head_name(self._goal)):
                    continue
                before = 0
                for made, further in formulas:
                    formula = bounded_quantifiers(without_eta(made))
                    if self._new(formula):
                        cost = self._cost(offered, way, formula) + AGAIN * before + further
                        before += 1
                        if formula not in found or cost < found[formula].cost:
                            found[formula] = RuleStep(formula, offered.fact.name, way, cost)
        for formula in self._squares():
            found.setdefault(formula, RuleStep(formula, SQUARE, "chain", DECLARED))
        if head_name(self._goal) == "HOL.False":
            for formula in self._known:
                if head_name(formula) != hol.NOT:
                    negated = hol.negation(formula)
                    found[negated] = RuleStep(negated, CONTRADICTION, "backwards", 0.0)
        return sorted(found.values(), key=lambda each: each.cost)

    def _cost(self, offered: OfferedRule, way: Way, formula: Term) -> float:
        """By relevance of the rule, size, and constants that nobody has mentioned."""
        place = float(offered.place)
        if way == "backwards" and offered.kinds & INTRODUCTION:
            place = min(place, DECLARED)
        new = {constant.name for constant in constants(formula)} - self._mentioned
        return place + STRANGER * len(new) + max(0, size(formula) - size(self._goal)) / 4

    def _new(self, formula: Term) -> bool:
        return (
            formula not in self._known
            and formula != self._goal
            and not schematics(formula)
            and not says_nothing(formula)
            and size(formula) <= self._largest
        )

    def _ways(self, rule: LibraryRule) -> Iterator[tuple[Way, Iterator[_Result]]]:
        yield "backwards", ((formula, 0.0) for formula in self._backwards(rule))
        yield "forwards", self._forwards(rule)
        yield "rewriting", self._rewritten(rule)
        yield "chain", ((formula, 0.0) for formula in self._chained(rule))

    def _fits(self, pattern: Term, term: Term) -> Matching | None:
        return Matching(self._signature).extended(pattern, term)

    def _solved(self, premises: Sequence[Term], matching: Matching, *, every: bool) -> list[tuple[int, Matching]]:
        """Matchings that make premises with open variables, or every premise, one of the given facts; and how often a
        fact stands for more than one. Those that use the most facts come first."""
        todo: list[tuple[Matching, tuple[Term, ...]]] = [(matching, ())]
        for premise in premises:
            further: list[tuple[Matching, tuple[Term, ...]]] = []
            for made, used in todo:
                wanted = made.instance(premise)
                if wanted in self._known:
                    further.append((made, (*used, wanted)))
                elif not schematics(wanted):
                    further += [] if every else [(made, used)]
                else:
                    tried = ((made.extended(premise, each), each) for each in self._candidates(premise))
                    further += [(more, (*used, each)) for more, each in tried if more is not None]
                    further += [] if every else [(made, used)]  # a later premise may say what is open
            todo = further[: WAYS * WAYS]
        closed = [each for each in todo if not any(schematics(each[0].instance(premise)) for premise in premises)]
        counted = [(len(used) - len(set(used)), made) for made, used in closed]
        return sorted(counted, key=lambda each: each[0])[:WAYS]

    def _candidates(self, pattern: Term) -> Sequence[Term]:
        head = head_name(pattern)
        return self._by_head.get(head, ()) if head else ()

    def _missing(self, rule: LibraryRule, matching: Matching) -> Iterator[Term]:
        """The premises that are not given, where all that a rule leaves open is found in the given facts."""
        for _, made in self._solved(rule.premises, matching, every=False):
            if made.complete(rule.types):
                yield from map(made.instance, rule.premises)

    def _backwards(self, rule: LibraryRule) -> Iterator[Term]:
        head = head_name(self._goal)
        if head and head_name(rule.conclusion) == head:
            matching = self._fits(rule.conclusion, self._goal)
            if matching is not None:
                yield from self._missing(rule, matching)
        for one, other in rule.sides_of_iff:
            matching = self._fits(one, self._goal) if head and head_name(one) == head else None
            if matching is None:
                continue
            if not schematics(matching.instance(other)):
                yield matching.instance(other)
            else:  # where the other side is given, what the rule asks for beside it
                for each in self._candidates(other):
                    both = matching.extended(other, each)
                    if both is not None:
                        yield from self._missing(rule, both)

    def _forwards(self, rule: LibraryRule) -> Iterator[_Result]:
        same = REPEATED * is_iff(rule.conclusion)
        if rule.premises and head_name(rule.premises[0]) in self._by_head:
            for repeated, made in self._solved(rule.premises, Matching(self._signature), every=True):
                if made.complete(rule.types):
                    yield made.instance(rule.conclusion), REPEATED * repeated + same
        for one, other in rule.sides_of_iff:
            for each in self._candidates(one):
                matching = self._fits(one, each)
                if matching is None or not matching.complete(rule.types):
                    continue
                if all(matching.instance(premise) in self._known for premise in rule.premises):
                    yield matching.instance(other), 0.0

    def _rewritten(self, rule: LibraryRule) -> Iterator[_Result]:
        """An equation at a part of the goal: itself, the side where it stands by what that becomes, and the goal."""
        if rule.equation is None:
            return
        left, right = rule.equation
        if shape(left) == shape(right):  # sides alike but for the order of variables
            return
        for one, other, back in ((left, right, False), (right, left, True)):
            if head_name(one) in ("", NUMERAL):  # `2 = 1 + 1` leads nowhere
                continue
            for part in self._parts.get(head_name(one), ()):
                matching = self._fits(one, part)
                if matching is None:
                    continue
                for made in self._met(other, matching) if back else (matching,):
                    new = made.instance(other)
                    if made.complete(rule.types) and not schematics(new) and new != part:
                        conditions = map(made.instance, rule.premises)
                        unknown = UNKNOWN * sum(condition not in self._known for condition in conditions)
                        for formula in self._replacing(part, new, made.instance(rule.conclusion), back):
                            yield formula, unknown

    def _met(self, other: Term, matching: Matching) -> Iterator[Matching]:
        """Where an equation is used from right to left: only if what comes of it has a part that the facts speak of,
        which may say what is left open."""
        for inner in subterms(other):
            if inner == other or type(inner) is not App or not head_name(inner) or loose(inner):
                continue
            for near in self._near:
                if head_name(near) == head_name(inner) and not loose(near):
                    made = matching.extended(inner, near)
                    if made is not None and not any(near == part for parts in self._parts.values() for part in parts):
                        yield made

    def _replacing(self, part: Term, new: Term, equation: Term, back: bool) -> Iterator[Term]:
        said = relation_of(equation)
        yield equation if said is None or not back else hol.eq(part, new, said.of)
        if self._relation is not None:
            for side in (self._relation.left, self._relation.right):
                changed = hol.replaced(side, part, new)
                if changed is not None:
                    yield hol.eq(side, changed, self._relation.of)
        changed = hol.replaced(self._goal, part, new)
        if changed is not None:
            yield changed

    def _squares(self) -> Iterator[Term]:
        """Of a goal that is an inequality of products, that squares of differences of its variables are not less than
        0."""
        goal = self._relation
        if goal is None or goal.name not in ORDERS or goal.of not in ORDERED_RINGS:
            return
        pairs: dict[tuple[Free, Free], None] = {}
        for part in (*self._parts.get(TIMES, ()), *self._parts.get(POWER, ())):
            if head_name(part) == TIMES or head_name(strip_comb(part)[1][-1]) == NUMERAL:
                variables = (variable for variable in dict.fromkeys(frees(part)) if variable.type == goal.of)
                pairs.update(dict.fromkeys(combinations(variables, 2)))
        for one, other in islice(pairs, WAYS):
            yield at_least_zero(square_of(minus(one, other, goal.of), goal.of), goal.of, strict=False)

    def _chained(self, rule: LibraryRule) -> Iterator[Term]:
        """An inequality that shares a side with the goal's."""
        goal, said = self._relation, relation_of(rule.conclusion)
        if goal is None or said is None or goal.name not in ORDERS or said.name not in ORDERS:
            return
        for mine, other in ((goal.left, said.left), (goal.right, said.right)):
            if type(mine) is App and head_name(other) and head_name(other) == head_name(mine):
                matching = self._fits(other, mine)
                if matching is not None and matching.complete(rule.types):
                    yield matching.instance(rule.conclusion)
