"""Rules and facts put together, as `OF` and `THEN` do it: by unification of typed terms.

Variables stand for terms, or, applied to different bound variables, for functions of these (Miller's patterns).
Whatever Isabelle would find by guessing among several answers is not computed here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.normal_forms import beta_normal
from isarstep.isabelle.terms.signature import Signature
from isarstep.isabelle.terms.terms import (
    Abs,
    App,
    Bound,
    Const,
    Free,
    Term,
    TFree,
    TVar,
    Typ,
    Type,
    Var,
    frees,
    increase,
    instantiate,
    list_comb,
    schematics,
    strip_comb,
    substitute,
    substitute_types,
    subterms,
)
from isarstep.isabelle.terms.type_text import type_variables
from isarstep.isabelle.terms.types import map_type, type_of
from isarstep.isabelle.terms.variables import as_function

Key = tuple[str, int]


class NotComputed(Exception):
    """Isabelle may have an answer; this is not the place to guess it."""


@dataclass
class Unification:
    """What variables and type variables stand for so far."""

    signature: Signature
    terms: dict[Key, Term] = field(default_factory=dict)
    types: dict[TVar, Typ] = field(default_factory=dict)

    def unify(self, left: Term, right: Term, binders: tuple[Typ, ...] = ()) -> None:
        """Make both the same. Raises NotComputed."""
        left, right = self._head_normal(left), self._head_normal(right)
        head, arguments = strip_comb(left)
        other, others = strip_comb(right)
        if isinstance(head, Var) and isinstance(other, Var) and (head.name, head.index) == (other.name, other.index):
            if left != right:
                raise NotComputed
            self._same_types(head.type, other.type)
        elif isinstance(head, Var):
            self._bind(head, arguments, right, binders)
        elif isinstance(other, Var):
            self._bind(other, others, left, binders)
        elif isinstance(left, Abs) or isinstance(right, Abs):
            self._functions(left, right, binders)
        elif type(head) is not type(other) or len(arguments) != len(others):
            raise NotComputed
        else:
            if isinstance(head, Bound):
                if head != other:
                    raise NotComputed
            elif isinstance(head, Const | Free) and isinstance(other, Const | Free):
                if head.name != other.name:
                    raise NotComputed
                self._same_types(head.type, other.type)
            for one, two in zip(arguments, others, strict=True):
                self.unify(one, two, binders)

    def _functions(self, left: Term, right: Term, binders: tuple[Typ, ...]) -> None:
        bound = left.type if isinstance(left, Abs) else right.type if isinstance(right, Abs) else None
        if isinstance(left, Abs) and isinstance(right, Abs):
            self._same_types(left.type, right.type)
        if bound is None:
            raise NotComputed
        bodies = [each.body if isinstance(each, Abs) else App(increase(each, 1), Bound(0)) for each in (left, right)]
        self.unify(bodies[0], bodies[1], (bound, *binders))

    def _bind(self, variable: Var, arguments: Sequence[Term], term: Term, binders: tuple[Typ, ...]) -> None:
        term = self.applied(term)
        places = [each.index for each in arguments if isinstance(each, Bound)]
        if len(places) != len(arguments) or variable.type is None:
            raise NotComputed
        if any(isinstance(node, Var) and node.name == variable.name for node in subterms(term)):
            raise NotComputed  # it would have to contain itself
        value = as_function(term, places, [binders[place] for place in places])
        if value is None:
            raise NotComputed
        self._same_types(variable.type, type_of(value))
        self.terms[variable.name, variable.index] = value

    def _same_types(self, left: Typ | None, right: Typ | None) -> None:
        if left is None or right is None:
            raise NotComputed
        left, right = self.type_applied(left), self.type_applied(right)
        if left == right:
            return
        if isinstance(left, TVar) and self._bind_type(left, right):
            return
        if isinstance(right, TVar) and self._bind_type(right, left):
            return
        same = isinstance(left, Type) and isinstance(right, Type) and left.name == right.name
        if not same or not isinstance(left, Type) or not isinstance(right, Type):
            raise NotComputed
        for one, two in zip(left.args, right.args, strict=True):
            self._same_types(one, two)

    def _bind_type(self, variable: TVar, typ: Typ) -> bool:
        if variable in type_variables(typ) or not self.signature.of_sort(typ, variable.sort):
            return False
        self.types[variable] = typ
        return True

    def _head_normal(self, term: Term) -> Term:
        head, arguments = strip_comb(term)
        while isinstance(head, Var) and (head.name, head.index) in self.terms:
            term = beta_normal(list_comb(self.terms[head.name, head.index], arguments))
            head, arguments = strip_comb(term)
        return term

    def type_applied(self, typ: Typ) -> Typ:
        return map_type(
            typ, lambda v: self.type_applied(self.types[v]) if isinstance(v, TVar) and v in self.types else v
        )

    def applied(self, term: Term) -> Term:
        """The term with all that is known."""
        while any(isinstance(node, Var) and (node.name, node.index) in self.terms for node in subterms(term)):
            term = substitute(
                term, lambda leaf: self.terms.get((leaf.name, leaf.index)) if isinstance(leaf, Var) else None
            )
        return beta_normal(substitute_types(term, self.type_applied))


def as_rule(prop: Term) -> Term:
    """What holds for all is said of variables: `A ⟹ (⋀x. B x)` is `A ⟹ B ?x`, as Isabelle keeps its facts."""
    used = {variable.name for variable in schematics(prop)} | {variable.name for variable in frees(prop)}
    premises: list[Term] = []
    while True:
        more, prop = hol.strip_pure_imp(prop)
        premises += more
        inner = hol.dest_quantifier("Pure.all", prop)
        if inner is None:
            return hol.list_pure_imp(premises, prop, typed=True)
        prop = instantiate(inner.body, _fresh(inner, used))


def _fresh(binder: Abs, used: set[str]) -> Var:
    if binder.type is None:
        raise NotComputed
    name = binder.name or "x"
    while name in used:
        name += "a"
    used.add(name)
    return Var(name, 0, binder.type)


def for_all(prop: Term) -> Term:
    """What is said of variables holds for all."""
    return hol.quantified(hol.pure_all, schematics(prop), prop)


def apart(prop: Term, number: int) -> Term:
    """The rule with variables and type variables that no other one has."""

    def renamed(variable: TFree | TVar) -> Typ:
        return TVar(variable.name, number, variable.sort) if isinstance(variable, TVar) else variable

    moved = substitute(prop, lambda leaf: Var(f"{leaf.name}~{number}", 0, leaf.type) if isinstance(leaf, Var) else None)
    return substitute_types(moved, lambda typ: map_type(typ, renamed))


def with_short_names(prop: Term) -> Term:
    """Variables and type variables of a rule under short names again."""
    names: dict[str, str] = {}
    types: dict[TVar, TVar] = {}
    taken = {variable.name for variable in frees(prop)}

    def named(leaf: Free | Var) -> Term | None:
        if not isinstance(leaf, Var):
            return None
        if leaf.name not in names:
            base = name = leaf.name.partition("~")[0]
            while name in taken:
                name = f"{name}a" if base == name or not name[-1].isdecimal() else f"{name}0"
            names[leaf.name] = name
            taken.add(name)
        return Var(names[leaf.name], 0, leaf.type)

    def renamed(typ: TFree | TVar) -> Typ:
        if not isinstance(typ, TVar):
            return typ
        if typ not in types:
            name, used = typ.name, {each.name for each in types.values()}
            while name in used:
                name += "a"
            types[typ] = TVar(name, 0, typ.sort)
        return types[typ]

    return substitute_types(substitute(prop, named), lambda typ: map_type(typ, renamed))


def resolved(rule: Term, facts: Sequence[Term | None], signature: Signature) -> Term:
    """`rule[OF fact ...]`; None leaves a premise as it is. Raises NotComputed."""
    premises, conclusion = hol.strip_pure_imp(apart(beta_normal(as_rule(rule)), 1))
    if len(facts) > len(premises):
        raise NotComputed
    known = Unification(signature)
    left: list[Term] = []
    for place, premise in enumerate(premises):
        fact = facts[place] if place < len(facts) else None
        if fact is None:
            left.append(premise)
            continue
        if hol.dest_trueprop(premise) is None:
            raise NotComputed  # a rule among the premises
        more, said = hol.strip_pure_imp(apart(beta_normal(as_rule(fact)), place + 2))
        known.unify(premise, said)
        left += more
    return with_short_names(known.applied(hol.list_pure_imp(left, conclusion, typed=True)))


def in_conclusion(prop: Term, change: Callable[[Term], Term | None]) -> Term:
    """A rule whose conclusion is changed. Raises NotComputed where it cannot be."""
    premises, conclusion = hol.strip_pure_imp(as_rule(prop))
    formula = hol.dest_trueprop(conclusion)
    made = None if formula is None else change(formula)
    if made is None:
        raise NotComputed
    return hol.list_pure_imp(premises, hol.trueprop(made, typed=True), typed=True)


def symmetric(formula: Term) -> Term | None:
    """`t = s` for `s = t`, also where it is denied."""
    denied = isinstance(formula, App) and isinstance(formula.fun, Const) and formula.fun.name == hol.NOT
    if isinstance(formula, App) and denied:
        turned = _turned(formula.arg)
        return None if turned is None else App(formula.fun, turned)
    return _turned(formula)


def _turned(formula: Term) -> Term | None:
    sides = hol.dest_binary(hol.EQ, formula)
    if sides is None:
        return None
    head = strip_comb(formula)[0]
    return App(App(head, sides[1]), sides[0])


def rule_format(prop: Term) -> Term:
    """`A ⟶ B` and `∀x. A x` at the head of the conclusion as `⟹` and for all. Raises NotComputed where more of it
    stands inside."""
    premises, conclusion = hol.strip_pure_imp(as_rule(prop))
    formula = hol.dest_trueprop(conclusion)
    if formula is None or any(_quantified(each) for each in premises):
        raise NotComputed
    used = {variable.name for variable in schematics(prop)} | {variable.name for variable in frees(prop)}
    while True:
        sides, every = hol.dest_binary(hol.IMPLIES, formula), hol.dest_quantifier(hol.ALL, formula)
        if sides is not None:
            if _quantified(sides[0]):
                raise NotComputed
            premises.append(hol.trueprop(sides[0], typed=True))
            formula = sides[1]
        elif every is not None:
            formula = instantiate(every.body, _fresh(every, used))
        elif hol.dest_binary("Set.Ball", formula) is not None:
            raise NotComputed
        else:
            return hol.list_pure_imp(premises, hol.trueprop(formula, typed=True), typed=True)


def _quantified(term: Term) -> bool:
    return any(isinstance(node, Const) and node.name in (hol.IMPLIES, hol.ALL, "Set.Ball") for node in subterms(term))
