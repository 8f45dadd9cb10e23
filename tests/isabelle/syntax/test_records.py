"""Records: their fields are set and updated by name, and a field that is none is said to be none where it stands."""

from functools import cache

import pytest
from tests.isabelle.syntax.complex_main import language
from tests.isabelle.syntax.test_statements import nested

from isarstep.isabelle.syntax.grammar.language import Language, usual_notation
from isarstep.isabelle.syntax.reading.reader import read_formula
from isarstep.isabelle.terms.read_error import ReadError
from isarstep.isabelle.terms.signature import Constant, Signature
from isarstep.isabelle.terms.terms import Type, fun

NAT, UNIT = Type("Nat.nat"), Type("Product_Type.unit")
POINT = Type("Here.point_ext", (UNIT,))


@cache
def with_points() -> Language:
    """Complex_Main and `record point = x :: nat, y :: nat`."""
    known = language().signature
    update = fun(fun(NAT, NAT), fun(POINT, POINT))
    made = [
        Constant("Here.point.x", fun(POINT, NAT)),
        Constant("Here.point.y", fun(POINT, NAT)),
        Constant("Here.point.x_update", update),
        Constant("Here.point.y_update", update),
        Constant("Here.point.point_ext", fun(NAT, fun(NAT, fun(UNIT, POINT)))),
    ]
    constants = {**known.constants, **{each.name: each for each in made}}
    arities = {**known.arities, "Here.point_ext": {"HOL.type": (("HOL.type",),)}}
    grown = Signature(constants, {**known.types, "Here.point_ext": 1}, known.classes, arities, known.coercions)
    return Language(usual_notation().values(), grown)


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("r⦇x := 1⦈ = s", "(eq (x_update (λuu_ one) r) s)"),
        ("r(|x := 1|) = s", "(eq (x_update (λuu_ one) r) s)"),
        ("r⦇x := 1, y := 0⦈ = s", "(eq (y_update (λuu_ zero) (x_update (λuu_ one) r)) s)"),
        ("⦇x = 1, y = 0⦈ = s", "(eq (point_ext one zero Unity) s)"),
    ],
)
def test_fields_are_set_and_updated(text: str, term: str) -> None:
    assert nested(read_formula(text, with_points()).term) == f"(Trueprop {term})"


@pytest.mark.parametrize(
    ("text", "position", "found"),
    [("r⦇z := 1⦈ = s", 2, "z"), ("r⦇x := 1, zz := 2⦈ = s", 10, "zz"), ("⦇x = 1, z = 2⦈ = s", 8, "z")],
)
def test_what_is_no_field_is_said_where_it_stands(text: str, position: int, found: str) -> None:
    with pytest.raises(ReadError, match="a field of a record") as error:
        read_formula(text, with_points())
    assert (error.value.position, error.value.found) == (position, found)


def test_fields_are_of_one_record() -> None:
    with pytest.raises(ReadError, match="all fields of a record in their order"):
        read_formula("⦇x = 1, length = 2⦈ = s", with_points())
    with pytest.raises(ReadError, match="all fields of a record in their order"):
        read_formula("⦇length = 2⦈ = s", with_points())


def test_fields_in_another_order_are_refused_where_the_order_is_known() -> None:
    known = with_points()
    known.records["Here.point"] = ["Here.point.x", "Here.point.y"]
    try:
        read_formula("⦇x = 1, y = 2⦈ = s", known)
        with pytest.raises(ReadError, match="in their order"):
            read_formula("⦇y = 2, x = 1⦈ = s", known)
    finally:
        known.records.clear()
