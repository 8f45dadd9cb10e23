"""How much of something is looked at, and what happens just beyond."""

import pytest

from isarstep.isabelle.inference.unification import Algebra, Cell, Inner, Mismatch, Unifier, find
from isarstep.isabelle.syntax.grammar.patterns import abstraction, is_meta, mentions, numeral, numeral_value
from isarstep.isabelle.terms.signature import Signature
from isarstep.isabelle.terms.terms import Abs, App, Bound, Const, Free, Term, TFree, Type, list_comb


def test_a_number_of_four_thousand_bits_is_one_and_a_longer_one_is_written_out():
    assert numeral_value(numeral(2**4000).arg) == 2**4000  # type: ignore[union-attr]
    assert numeral_value(numeral(2**4001).arg) is None  # type: ignore[union-attr]
    assert numeral_value(numeral(6).arg) == 6  # type: ignore[union-attr]
    assert numeral_value(Const("Num.num.One")) is None
    assert numeral_value(App(Const("Num.num.Bit0"), Free("n"))) is None
    assert numeral_value(App(Const("Nat.Suc"), Const("Num.num.One"))) is None


def tuple_of(count: int) -> Term:
    """A function of so many variables in one tuple."""
    term: Term = Abs("z", None, Bound(0))
    for _ in range(count - 1):
        term = App(Const("Product_Type.prod.case_prod"), Abs("x", None, term))
    return term


def test_a_tuple_of_variables_is_one_up_to_thirty_three():
    for count in (2, 33):
        parts = abstraction(tuple_of(count))
        assert parts is not None
        assert [name for name in parts[0] if name is not None] == ["x"] * (count - 1) + ["z"]
    assert abstraction(tuple_of(34)) is None
    assert abstraction(App(Const("Product_Type.prod.case_prod"), Free("f"))) is None
    assert abstraction(Free("f")) is None


def test_in_a_large_term_a_variable_may_always_be():
    small = list_comb(Free("f"), [Free("x")] * 49)  # 99 parts
    assert not mentions(small, 0)
    assert not mentions(Abs("y", None, list_comb(Free("f"), [Bound(0)] * 48)), 0)
    assert mentions(Abs("y", None, small), 0)
    assert mentions(App(Free("f"), Bound(0)), 0)
    assert not mentions(App(Free("f"), Bound(1)), 0)
    assert mentions(Abs("y", None, Bound(1)), 0)


def test_propositions_of_pure_have_all_their_arguments():
    arities = {"Pure.imp": 2, "Pure.conjunction": 2, "Pure.eq": 2, "Pure.all": 1, "HOL.implies": None}
    for name, wanted in arities.items():
        for count in range(4):
            assert is_meta(list_comb(Const(name), [Free("x")] * count)) == (count == wanted)


NAT, A, B = ("Nat.nat",), (TFree("'a"),), (TFree("'b"),)


@pytest.mark.parametrize(
    ("left", "right", "cost"),
    [
        (("fun", NAT, NAT), ("fun", NAT, NAT), 3),
        (("fun", Cell(0), NAT), ("fun", NAT, NAT), 3),
        (Cell(0), ("fun", NAT, NAT), 3),
        (("List.list", NAT), Cell(0), 2),
        (Cell(0), NAT, 0),
        (Cell(0), Cell(0), 0),
    ],
)
def test_unification_spends_what_it_looks_at_and_no_more_than_it_may(left: Inner, right: Inner, cost: int) -> None:
    algebra = Algebra(Signature.build([]))
    Unifier(algebra, cost).unify(left, right)
    if cost:
        fresh = [Cell(0) if type(side) is Cell else side for side in (left, right)]
        with pytest.raises(Mismatch, match="grow beyond all bounds"):
            Unifier(algebra, cost - 1).unify(*fresh)


def test_types_that_do_not_unify():
    algebra = Algebra(
        Signature.build([], [("Nat.nat", 0), ("List.list", 1)], [("c", []), ("d", [])], [("Nat.nat", "c", [])])
    )
    unifier = Unifier(algebra, 1000)
    for left, right in ((NAT, A), (A, B), (("List.list", NAT), NAT), (("t", NAT), ("t", NAT, NAT))):
        with pytest.raises(Mismatch):
            unifier.unify(left, right)
    cell = Cell(0)
    with pytest.raises(Mismatch, match="contain itself"):
        unifier.unify(cell, ("List.list", cell))
    unifier.unify(Cell(algebra.sort_number(["c"])), NAT)
    with pytest.raises(Mismatch, match="type nat does not belong to d"):
        unifier.unify(Cell(algebra.sort_number(["d"])), NAT)
    with pytest.raises(Mismatch, match="type 'a does not belong to c"):
        unifier.unify(Cell(algebra.sort_number(["c"])), A)


def test_the_sort_of_two_variables_is_that_of_both():
    algebra = Algebra(Signature.build([], [], [("c", []), ("d", []), ("e", ["c"])]))
    first, second = Cell(algebra.sort_number(["c"])), Cell(algebra.sort_number(["d"]))
    Unifier(algebra, 10).unify(first, second)
    root = find(first)
    assert root is second
    assert algebra.sort(second.sort) == ("c", "d")
    assert algebra.sort(algebra.meet(algebra.sort_number(["c"]), algebra.sort_number(["e"]))) == ("e",)
    assert algebra.meet(0, 5) == 5
    assert algebra.meet(5, 0) == 5
    assert algebra.rigid(Type("Nat.nat")) is algebra.rigid(Type("Nat.nat"))
