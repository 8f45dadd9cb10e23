"""The recursive calls on the right side of an equation: when each is reached, and what is known of its variables.

What decides that a call is reached is what congruence rules of the library say: of `if`, `let`, `case`, pairs and `⟶`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count

from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.normal_forms import beta_normal
from isarstep.isabelle.terms.terms import Abs, App, Const, Free, Term, applied_constant, list_comb, strip_comb

PAIR = "Product_Type.Pair"
# The library has congruence rules for these: what they say is read for the first four, with all their arguments.
_WITH_RULES = (
    "HOL.If", "HOL.Let", "HOL.implies", "Product_Type.prod.case_prod", "Fun.comp", "Set.image", "Set.Ball", "Set.Bex",
    "Option.bind", "Groups_Big.comm_monoid_add_class.sum",
)  # fmt: skip
# Functions that are applied to the members of a list: which argument is the function, which one the list.
_MEMBERS = dict.fromkeys(("List.list.map", "List.filter", "List.list.list_all", "List.list_ex"), (0, 1))
_OF_SETS = {"Set.Ball": (1, 0), "Set.Bex": (1, 0), "Set.image": (0, 1)}
_SET = "List.list.set"
Shape = Callable[[str], Sequence[tuple[str, int]] | None]  # of a case constant: constructors, numbers of arguments


@dataclass(frozen=True)
class RecursiveCall:
    """A call, or a place where one may stand."""

    head: str = ""  # the function
    arguments: tuple[Term, ...] = ()
    new: tuple[Free, ...] = ()  # variables of the binders around it
    conditions: tuple[Term, ...] = ()  # formulas
    # By the name of a new variable: a value, and by how much its size is at least smaller.
    below: Mapping[str, tuple[Term, int]] = field(default_factory=dict, hash=False)
    sure: bool = True  # are these the conditions that Isabelle finds?

    def under(self, *conditions: Term) -> RecursiveCall:
        return replace(self, conditions=(*self.conditions, *conditions))

    def with_new(self, new: Sequence[Free], value: Term, less: int) -> RecursiveCall:
        below = {**self.below, **{each.name: (value, less) for each in new}}
        return replace(self, new=(*self.new, *new), below=below)

    def unsure(self) -> RecursiveCall:
        return replace(self, sure=False)


def recursive_calls(term: Term, heads: Collection[str], shape: Shape) -> Iterator[RecursiveCall]:
    """All calls of these functions, those inside others first."""
    fresh = (Free(f"part{number}~") for number in count())

    def find(part: Term, here: RecursiveCall) -> Iterator[RecursiveCall]:
        name, arguments = applied_constant(part)
        for inner, there in _parts(part, here, fresh, shape):
            yield from find(inner, there)
        if name in heads:
            yield replace(here, head=name, arguments=tuple(arguments))

    return find(term, RecursiveCall())


def _parts(
    term: Term, here: RecursiveCall, fresh: Iterator[Free], shape: Shape
) -> Iterator[tuple[Term, RecursiveCall]]:
    """What a term is made of, with variables in the place of those that are bound where something is known of these."""
    head, arguments = strip_comb(term)
    name = head.name if isinstance(head, Const) else ""
    branches = shape(name) if ".case_" in name else None
    sure = bool(name) and not name.startswith("Product_Type.prod.") and ".case_" not in name
    there = here if sure and name not in _WITH_RULES else here.unsure()
    match name, arguments:
        case ("HOL.If", [test, yes, no]):
            yield from ((test, here), (yes, here.under(test)), (no, here.under(App(Const(hol.NOT), test))))
        case ("HOL.implies", [premise, conclusion]):
            yield from ((premise, here), (conclusion, here.under(premise)))
        case ("HOL.Let", [value, body]):
            new = next(fresh)
            yield value, here
            yield beta_normal(App(body, new)), here.with_new([new], value, 0).under(hol.eq(new, value))
        case ("Product_Type.prod.case_prod", [body, value]):
            both = [next(fresh), next(fresh)]
            yield value, here
            same = hol.eq(list_comb(Const(PAIR), both), value)
            yield beta_normal(list_comb(body, both)), here.with_new(both, value, 1).under(same)
        case (_, [*bodies, value]) if branches is not None and len(bodies) == len(branches):
            yield value, here
            for branch, (constructor, width) in zip(bodies, branches, strict=True):
                new_ones = [next(fresh) for _ in range(width)]
                same = hol.eq(value, list_comb(Const(constructor), new_ones))
                yield beta_normal(list_comb(branch, new_ones)), here.with_new(new_ones, value, 1).under(same)
        case _ if (members := _members(name, arguments)) is not None:
            function, value = members
            new = next(fresh)
            yield value, there
            yield beta_normal(App(function, new)), here.with_new([new], value, 1).unsure()
        case _:
            if isinstance(head, Abs):
                yield head.body, there
            yield from ((each, there) for each in arguments)


def _members(name: str, arguments: Sequence[Term]) -> tuple[Term, Term] | None:
    """A function and the list to whose members it is applied."""
    if len(arguments) == 2 and name in _MEMBERS:
        function, value = (arguments[place] for place in _MEMBERS[name])
        return function, value
    if len(arguments) == 2 and name in _OF_SETS:
        function, of = (arguments[place] for place in _OF_SETS[name])
        inner, values = applied_constant(of)
        return (function, values[0]) if inner == _SET and len(values) == 1 else None
    return None
