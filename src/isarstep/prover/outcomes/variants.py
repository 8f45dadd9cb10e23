"""Is a statement the goal or a given fact again, changed in a way that helps nobody?

It is where the order of what may be in any order is the only change, where the same arithmetic was done to both sides,
where variables that nothing speaks of stand for what was said, and where a negation is spelt out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce

from isarstep.isabelle.inference.typed_lines import types_carried
from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.hol import DIVIDE, LESS, LESS_EQ, MINUS, PLUS, POWER, TIMES, UMINUS
from isarstep.isabelle.terms.terms import Abs, Const, Term, list_comb, schematics, strip_comb
from isarstep.isabelle.terms.tokens import decode, encode_line
from isarstep.prover.outcomes.likeness import simplified

ONE, SUC = "Groups.one_class.one", "Nat.Suc"
SQUARE = "Power.power_class.power2"
TWO = hol.apply("Num.numeral_class.numeral", hol.apply("Num.num.Bit0", Const("Num.num.One")))
SUMS = frozenset((PLUS, SUC, MINUS, "Nat.semiring_1_class.of_nat", "Int.ring_1_class.of_int"))
ARITHMETIC = SUMS | {TIMES, UMINUS, "Groups.abs_class.abs", DIVIDE, POWER}
COMMUTATIVE = frozenset(
    (
        PLUS, TIMES, "Lattices.sup_class.sup", "Lattices.inf_class.inf", "GCD.gcd_class.gcd",
        "GCD.gcd_class.lcm", "Orderings.ord_class.max", "Orderings.ord_class.min",
        "Rings.algebraic_semidom_class.coprime",
    )
)  # fmt: skip
ORDERS = frozenset((LESS_EQ, LESS))
FALSE = Const("HOL.False")


class Variants:
    """Of a goal and given facts, as lines of tokens."""

    def __init__(self, goal: str, given: Iterable[str]) -> None:
        lines = [(sorted_text(decode(line)), line) for line in (goal, *given)]
        # A line without types, such as a model's answer, is compared by its tokens.
        self._known = {text + types for text, line in lines for types in ("", types_carried(line))}

    def __contains__(self, tokens: str) -> bool:
        statement = decode(tokens)
        premises, conclusion = hol.strip_pure_imp(statement)
        spoken_of = {variable.name for premise in premises for variable in schematics(premise)}
        if any(variable.name not in spoken_of for variable in schematics(conclusion)):
            return True
        if _says_nothing(conclusion):
            return True
        types = types_carried(tokens)
        others = _said_otherwise(premises, conclusion, statement)
        return any(sorted_text(each) + types in self._known for each in others)


def _says_nothing(statement: Term) -> bool:
    """Both sides are the same, as those of `Suc n = n + 1` and `n⇧2 = n * n` are."""
    formula = hol.dest_trueprop(statement)
    _, sides = strip_comb(statement if formula is None else formula)
    return len(sides) == 2 and encode_line(_sorted(sides[0])) == encode_line(_sorted(sides[1]))


def _said_otherwise(premises: list[Term], conclusion: Term, statement: Term) -> Iterator[Term]:
    yield statement
    formula = hol.dest_trueprop(conclusion)
    if formula is None:
        return
    assumed = [hol.dest_trueprop(premise) for premise in premises]
    implication = hol.dest_binary(hol.IMPLIES, formula)
    if implication is not None and not assumed:
        assumed, formula = [implication[0]], implication[1]
    if formula == FALSE and len(assumed) == 1 and assumed[0] is not None:
        yield hol.trueprop(hol.apply(hol.NOT, assumed[0]))
    if not assumed:
        yield from map(hol.trueprop, _without_arithmetic(formula))


def _without_arithmetic(formula: Term) -> Iterator[Term]:
    """`a = b` of `2 * a + c = 2 * b + c`; of an inequality where nothing but sums is around it."""
    head, sides = strip_comb(formula)
    if type(head) is not Const or len(sides) != 2 or head.name not in (hol.EQ, *ORDERS):
        return
    allowed = ARITHMETIC if head.name == hol.EQ else SUMS - {MINUS}
    left, right = sides
    while True:
        (one, ours), (other, theirs) = strip_comb(left), strip_comb(right)
        if type(one) is not Const or one != other or one.name not in allowed or len(ours) != len(theirs):
            return
        different = dict.fromkeys(pair for pair in zip(ours, theirs, strict=True) if pair[0] != pair[1])
        if len(different) != 1:
            return
        ((left, right),) = different
        yield list_comb(head, [left, right])


def sorted_text(statement: Term) -> str:
    """The same text for statements that differ in the order of what may be in any order, and in notation: `n + 1` for
    `Suc n`, `n * n` for `n⇧2`, `n + n` for `2 * n`."""
    return encode_line(_sorted(simplified(statement)))


def _sorted(term: Term) -> Term:
    if type(term) is Abs:
        return Abs("", None, _sorted(term.body))
    head, arguments = strip_comb(term)
    if type(head) is Const and head.name == SUC and len(arguments) == 1:
        return _sorted(list_comb(Const(PLUS), [arguments[0], Const(ONE)]))
    if type(head) is Const and arguments and (head.name == SQUARE or (head.name == POWER and arguments[1:] == [TWO])):
        return _sorted(list_comb(Const(TIMES), [arguments[0]] * 2))
    if type(head) is Const and head.name == TIMES and len(arguments) == 2 and TWO in arguments:
        return _sorted(list_comb(Const(PLUS), [arguments[arguments[0] == TWO]] * 2))
    if type(head) is Const and head.name in COMMUTATIVE and len(arguments) == 2:
        parts = sorted((_sorted(part) for part in _parts(head.name, term)), key=encode_line)
        name = head.name
        return reduce(lambda joined, part: list_comb(Const(name), [joined, part]), parts)
    made = [_sorted(argument) for argument in arguments]
    if type(head) is Const and head.name == hol.EQ and len(made) == 2:
        made.sort(key=encode_line)
    return list_comb(_sorted(head) if type(head) is Abs else head, made)


def _parts(name: str, term: Term) -> Iterator[Term]:
    todo = [term]
    while todo:
        part = todo.pop()
        head, arguments = strip_comb(part)
        if type(head) is Const and head.name == SUC and name == PLUS and len(arguments) == 1:
            todo += [arguments[0], Const(ONE)]
        elif type(head) is Const and head.name == name and len(arguments) == 2:
            todo += arguments
        else:
            yield part
