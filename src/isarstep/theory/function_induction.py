"""`f.induct` of a function of the file: one case for each equation, with a hypothesis for each call on its right side.

What decides that a call is reached comes before its hypothesis, as congruence rules of the library say it: of `if`,
`let`, `case`, pairs and `⟶`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count

from isarstep.logic import hol
from isarstep.logic.terms import (
    App,
    Const,
    Free,
    Term,
    abstract,
    beta_normal,
    erase,
    frees,
    list_comb,
    strip_comb,
    subterms,
)
from isarstep.theory.rule_cases import SHOWN, InductionRule, RuleCase

_IF, _LET, _IMP, _SPLIT, _PAIR = "HOL.If", "HOL.Let", "HOL.implies", "Product_Type.prod.case_prod", "Product_Type.Pair"
# Others for which the library has a congruence rule: what it says of a call inside is not read.
_OTHERS = ("Fun.comp", "Set.image", "Set.Ball", "Set.Bex", "Option.bind", "Groups_Big.comm_monoid_add_class.sum")
Shape = Callable[[str], Sequence[tuple[str, int]] | None]  # of a case constant: constructors, numbers of arguments


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
        calls = _Calls(full, arity, shape)
        if len(left) != arity or not calls.find(erase(right), (), ()):
            return None
        patterns = tuple(erase(each) for each in left)
        variables = dict.fromkeys(node.name for pattern in patterns for node in frees(pattern))
        cases.append(RuleCase(str(number), tuple(variables), tuple(calls.found), patterns))
    return InductionRule(None, tuple(f"a{place}" for place in range(arity)), tuple(cases))


class _Calls:
    """Hypotheses for all calls in a term."""

    def __init__(self, full: str, arity: int, shape: Shape) -> None:
        self.full, self.arity, self.shape = full, arity, shape
        self.found: list[Term] = []
        self._fresh = (Free(f"y{number}~") for number in count())

    def find(self, term: Term, new: tuple[Free, ...], conditions: tuple[Term, ...]) -> bool:
        """`new`: variables of binders around it; False where a condition is not read."""
        if not any(isinstance(node, Const) and node.name == self.full for node in subterms(term)):
            return True
        head, arguments = strip_comb(term)
        if not isinstance(head, Const):
            return False
        parts = self._parts(head.name, arguments)
        if parts is None or not all(self.find(part, (*new, *more), (*conditions, *when)) for part, more, when in parts):
            return False
        if head.name == self.full:
            if len(arguments) != self.arity:
                return False
            said = hol.trueprop(list_comb(Free(SHOWN), arguments))
            made = hol.list_pure_imp([hol.trueprop(each) for each in conditions], said)
            for each in reversed(new):
                made = hol.pure_all("x", None, abstract(made, each))
            self.found.append(made)
        return True

    def _parts(
        self, name: str, arguments: Sequence[Term]
    ) -> list[tuple[Term, tuple[Free, ...], tuple[Term, ...]]] | None:
        """Arguments with their new variables and conditions."""
        if name == _IF and len(arguments) == 3:
            test, yes, no = arguments
            return [(test, (), ()), (yes, (), (test,)), (no, (), (App(Const(hol.NOT), test),))]
        if name == _IMP and len(arguments) == 2:
            return [(arguments[0], (), ()), (arguments[1], (), (arguments[0],))]
        if name == _LET and len(arguments) == 2:
            value, body = arguments
            new = next(self._fresh)
            return [(value, (), ()), (beta_normal(App(body, new)), (new,), (hol.eq(new, value),))]
        if name == _SPLIT and len(arguments) == 2:
            both = (next(self._fresh), next(self._fresh))
            pair = list_comb(Const(_PAIR), both)
            body = beta_normal(list_comb(arguments[0], both))
            return [(arguments[1], (), ()), (body, both, (hol.eq(pair, arguments[1]),))]
        if ".case_" in name:
            return self._branches(name, arguments)
        if name in (_IF, _IMP, _LET, _SPLIT, *_OTHERS) or name.startswith("Product_Type.prod."):
            return None
        return [(each, (), ()) for each in arguments]

    def _branches(
        self, name: str, arguments: Sequence[Term]
    ) -> list[tuple[Term, tuple[Free, ...], tuple[Term, ...]]] | None:
        constructors = self.shape(name)
        if constructors is None or len(arguments) != len(constructors) + 1:
            return None
        value = arguments[-1]
        parts: list[tuple[Term, tuple[Free, ...], tuple[Term, ...]]] = [(value, (), ())]
        for branch, (constructor, width) in zip(arguments, constructors, strict=False):
            new = tuple(next(self._fresh) for _ in range(width))
            same = hol.eq(value, list_comb(Const(constructor), new))
            parts.append((beta_normal(list_comb(branch, new)), new, (same,)))
        return parts
