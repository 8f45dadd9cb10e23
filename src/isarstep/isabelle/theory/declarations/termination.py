"""Does a function terminate? A lexicographic order of sizes of its arguments is looked for, as `fun` does.

The size of a value is the number of its constructors with arguments, so that what `case` takes out of a value, and the
members of a list, are smaller than the value. Sizes are bounded from above by what the sizes of variables are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.terms import App, Const, Free, Term, Typ, Type, applied_constant, strip_comb, strip_fun
from isarstep.isabelle.theory.rules.recursive_calls import PAIR, RecursiveCall, Shape, recursive_calls

_SUC, _ZERO, _ONE = "Nat.Suc", "Groups.zero_class.zero", "Groups.one_class.one"
# What they give is no larger than this argument of theirs.
_LOWERING = {
    "List.list.tl": 0, "List.butlast": 0, "List.rev": 0, "List.drop": 1, "List.take": 1, "List.filter": 1,
    "List.dropWhile": 1, "List.takeWhile": 1, "List.remove1": 1, "List.removeAll": 1,
}  # fmt: skip
Equation = tuple[str, Sequence[Term], Term]  # the function, its patterns and the right side
Inductive = Callable[[Typ | None], bool]  # is it a datatype? Values of codatatypes have no size


def all_terminate(equations: Sequence[Equation], heads: set[str], shape: Shape, inductive: Inductive) -> bool:
    """Is there a lexicographic order of arguments, and of the parts of pairs, in which every recursive call is
    smaller?"""
    widths = [len(patterns) for _, patterns, _ in equations]
    least = min(widths, default=0)
    pairs = [
        all(hol.dest_binary(PAIR, patterns[place]) is not None for _, patterns, _ in equations if place < len(patterns))
        for place in range(least)
    ]
    calls: list[list[str]] = []
    for _, patterns, right in equations:
        for call in recursive_calls(right, heads, shape):
            if len(call.arguments) < len(patterns):
                return False
            compared = [
                inner
                for place, (pattern, argument) in enumerate(zip(patterns, call.arguments, strict=False))
                for inner in _flat(pattern, argument, flat=place < least and pairs[place] and len(heads) == 1)
            ]
            calls.append(["?" if each is None else _compare(*each, call, shape, inductive) for each in compared])
    positions = list(range(min((len(call) for call in calls), default=0)))
    while calls:
        good = next(
            (p for p in positions if all(c[p] in "<=" for c in calls) and any(c[p] == "<" for c in calls)), None
        )
        if good is None:
            return False
        calls = [call for call in calls if call[good] != "<"]
        positions.remove(good)
    return True


def _flat(pattern: Term, argument: Term, *, flat: bool) -> list[tuple[Term, Term] | None]:
    """A pattern and what takes its place; of a pair its two parts, where all equations have one there."""
    both = hol.dest_binary(PAIR, pattern) if flat else None
    if both is None:
        return [(pattern, argument)]
    parts = hol.dest_binary(PAIR, argument)
    return [None, None] if parts is None else list(zip(both, parts, strict=True))


def loops_forever(equations: Sequence[Equation], heads: set[str], shape: Shape, inductive: Inductive) -> bool:
    """Does a function call itself, whatever holds, at an instance of what it was called with? Where a part of a value
    of a codatatype is such an instance, there is a value without an end of which it is."""
    for head, patterns, right in equations:
        for call in recursive_calls(right, heads, shape):
            if call.head != head or call.conditions or not call.sure or call.new:
                continue
            found: dict[str, Term] = {}
            pairs = list(zip(patterns, call.arguments, strict=False))
            if len(call.arguments) == len(patterns) and all(_fits(*pair, found, inductive) for pair in pairs):
                return True
    return False


def _fits(pattern: Term, value: Term, found: dict[str, Term], inductive: Inductive) -> bool:
    if isinstance(pattern, Free):
        return found.setdefault(pattern.name, value) == value
    head, arguments = strip_comb(pattern)
    other, values = strip_comb(value)
    if isinstance(value, Free) and isinstance(head, Const) and head.type is not None:
        return not inductive(strip_fun(head.type)[1])
    same = isinstance(head, Const) and isinstance(other, Const) and head.name == other.name
    pairs = zip(arguments, values, strict=False)
    return same and len(arguments) == len(values) and all(_fits(*pair, found, inductive) for pair in pairs)


def _compare(pattern: Term, argument: Term, call: RecursiveCall, shape: Shape, inductive: Inductive) -> str:
    if argument == pattern:
        return "="
    if any(part is not pattern and part == argument for part in _parts(pattern, inductive)):
        return "<"
    whole, part = _size(pattern, {}, shape), _size(argument, call.below, shape)
    if whole is not None and part is not None:
        more = Counter(whole)
        more.subtract(part)
        constant = more.pop("", 0)
        if all(each >= 0 for each in more.values()) and constant >= 0:
            return "<" if constant > 0 else _lowered(pattern, argument, call) or "="
    return _lowered(pattern, argument, call) or "?"


def _lowered(pattern: Term, argument: Term, call: RecursiveCall) -> str:
    """`n - k` and `n div k` under a condition that n is not 0."""
    name, arguments = applied_constant(argument)
    least = {hol.MINUS: 1, hol.DIVIDE: 2}.get(name)
    if least is None or len(arguments) != 2 or not isinstance(pattern, Free) or arguments[0] != pattern:
        return ""
    lowered = _number(arguments[1]) >= least and _natural(pattern.type) and _positive_by(pattern, call.conditions)
    return "<" if lowered else ""


def _natural(typ: Typ | None) -> bool:
    return isinstance(typ, Type) and typ.name == "Nat.nat"


def _size(term: Term, below: Mapping[str, tuple[Term, int]], shape: Shape) -> Counter[str] | None:
    """A bound of its size: how often each variable's, and a number under ""; None where nothing is known."""
    if isinstance(term, Free):
        if term.name not in below:
            return Counter({term.name: 1})
        value, less = below[term.name]
        inner = _size(value, below, shape)
        if inner is not None:
            inner[""] -= less
        return inner
    head, arguments = strip_comb(term)
    if not isinstance(head, Const):
        return None
    if head.name == _ZERO and not arguments:
        return Counter()
    if head.name in _LOWERING and len(arguments) == _LOWERING[head.name] + 1:
        return _size(arguments[-1], below, shape)
    if head.name == hol.MINUS and len(arguments) == 2 and isinstance(head.type, Type) and _natural(head.type.args[0]):
        return _size(arguments[0], below, shape)
    if head.name != PAIR and (head.name, len(arguments)) not in _constructors(head, shape):
        return None
    total = Counter({"": 1 if arguments else 0})
    for argument in arguments:
        inner = _size(argument, below, shape)
        if inner is None:
            return None
        total.update(inner)
    return total


def _constructors(head: Const, shape: Shape) -> Sequence[tuple[str, int]]:
    """Of the type of what a constant gives."""
    typ = None if head.type is None else strip_fun(head.type)[1]
    name = typ.name if isinstance(typ, Type) else ""
    return shape(f"{name}.case_{name.rpartition('.')[2]}") or ()


def _parts(pattern: Term, inductive: Inductive) -> Iterator[Term]:
    """Values inside a constructor pattern, the whole first."""
    yield pattern
    head, arguments = strip_comb(pattern)
    if isinstance(head, Const) and head.type is not None and inductive(strip_fun(head.type)[1]):
        for argument in arguments:
            yield from _parts(argument, inductive)


def _number(term: Term) -> int:
    """A numeral's value, -1 where it is none."""
    name, arguments = applied_constant(term)
    if name == _ZERO:
        return 0
    if name == _ONE:
        return 1
    if name == _SUC and len(arguments) == 1:
        inner = _number(arguments[0])
        return inner + 1 if inner >= 0 else -1
    if name == "Num.numeral_class.numeral" and len(arguments) == 1:
        return 2  # at least: the numerals 0 and 1 are constants of their own
    return -1


def _positive_by(variable: Free, conditions: Sequence[Term]) -> bool:
    """Do the conditions say that a natural number is not 0?"""
    for condition in conditions:
        positive = True
        while isinstance(condition, App) and isinstance(condition.fun, Const) and condition.fun.name == hol.NOT:
            condition, positive = condition.arg, not positive
        name, arguments = applied_constant(condition)
        if len(arguments) != 2:
            continue
        left, right = arguments
        if name == hol.LESS:  # 0 < n; or n < k that fails: n is at least k, which says so where k is not 0
            says = right == variable and _number(left) >= 0 if positive else left == variable and _number(right) >= 1
        else:  # n = 0 or n <= 0 that fails
            says = name in (hol.EQ, hol.LESS_EQ) and not positive and left == variable and _number(right) == 0
        if says:
            return True
    return False
