"""Signatures and types as text: round trips, the order-sorted algebra, files and their mistakes."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from tests.isabelle.syntax.strategies import types

from isarstep.common.errors import UserError
from isarstep.isabelle.inference.infer import infer
from isarstep.isabelle.syntax.writing.sample import sample_signature
from isarstep.isabelle.terms.signature import Constant, Signature
from isarstep.isabelle.terms.terms import TFree, TVar, Typ, Type, erase, fun
from isarstep.isabelle.terms.tokens import decode
from isarstep.isabelle.terms.type_text import format_type, parse_type, show_type

NAT, BOOL = Type("Nat.nat"), Type("HOL.bool")


@given(types)
def test_type_text_is_exact(typ: Typ) -> None:
    assert parse_type(format_type(typ)) == typ


def test_type_syntax() -> None:
    assert parse_type("(fun 'a (List.list ('b :: D & C)))") == fun(
        TFree("'a"), Type("List.list", (TFree("'b", ("C", "D")),))
    )
    assert parse_type("(?'a.3 :: C)") == TVar("'a", 3, ("C",))
    assert parse_type("(List.list (?a :: C))") == Type("List.list", (TVar("a", 0, ("C",)),))  # the Archive's Deriving
    assert parse_type(" Nat.nat ") == NAT


@pytest.mark.parametrize(
    "text", ["", "(", ")", "(fun", "fun 'a", "(fun ('a :: ))", "('a :: C D)", "(('a) b)", "a & b", "('a Nat.nat)"]
)
def test_mistakes_in_types_name_the_character(text: str) -> None:
    with pytest.raises(UserError, match="type, character"):
        parse_type(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("(fun (fun 'a HOL.bool) (Set.set 'a))", "('a ⇒ bool) ⇒ 'a set"),
        ("(fun Nat.nat (fun Nat.nat Nat.nat))", "nat ⇒ nat ⇒ nat"),
        ("(List.list (fun Nat.nat Nat.nat))", "(nat ⇒ nat) list"),
        ("(Product_Type.prod Nat.nat (Set.set Int.int))", "nat × int set"),
        ("(Set.set (Product_Type.prod 'a 'b))", "('a × 'b) set"),
        ("(Finite_Cartesian_Product.vec Real.real 'n)", "(real, 'n) vec"),
        ("(?'a :: HOL.type)", "?'a"),
    ],
)
def test_types_for_people(text: str, shown: str) -> None:
    assert show_type(parse_type(text)) == shown


def deep_type() -> Typ:
    typ: Typ = NAT
    for _ in range(50_000):
        typ = Type("List.list", (typ,))
    return typ


def test_deep_types() -> None:
    typ = deep_type()
    assert parse_type(format_type(typ)) == typ
    assert len(show_type(typ)) < 500


CLASSES = [("Order.ord", ["HOL.type"]), ("Order.linear", ["Order.ord"]), ("Ring.ring", ["HOL.type"]), ("HOL.type", [])]
ARITIES = [
    ("Nat.nat", "Order.linear", []),
    ("List.list", "Order.ord", [["Order.ord"]]),
    ("List.list", "HOL.type", [["HOL.type"]]),
    ("fun", "HOL.type", [["HOL.type"], ["HOL.type"]]),
]
SMALL = Signature.build([Constant("c", NAT)], [], CLASSES, ARITIES)


def test_super_classes_and_their_arities_follow() -> None:
    assert SMALL.subclass("Order.linear", "HOL.type")
    assert not SMALL.subclass("Order.ord", "Order.linear")
    assert SMALL.minimal(["Order.linear", "Order.ord", "HOL.type", "Ring.ring"]) == ("Order.linear", "Ring.ring")
    assert SMALL.of_sort(NAT, ("Order.ord",))
    assert not SMALL.of_sort(NAT, ("Ring.ring",))
    numbers = Type("List.list", (NAT,))
    assert SMALL.of_sort(numbers, ("Order.ord",))
    assert not SMALL.of_sort(numbers, ("Order.linear",))
    assert not SMALL.of_sort(Type("List.list", (TFree("'a", ("HOL.type",)),)), ("Order.ord",))
    assert SMALL.of_sort(Type("List.list", (TFree("'a", ("Order.linear",)),)), ("Order.ord", "HOL.type"))


@pytest.mark.parametrize(
    ("suffix", "packed"),
    [(".json", bytes), (".json.gz", gzip.compress), (".json.zst", zstandard.ZstdCompressor().compress)],
)
def test_files(tmp_path: Path, suffix: str, packed: Callable[[bytes], bytes]) -> None:
    path = tmp_path / f"signature{suffix}"
    path.write_bytes(packed(json.dumps(sample_signature().to_json()).encode()))
    assert Signature.load(path).to_json() == sample_signature().to_json()


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"{}", b'{"format": 99}', b"\xff\xfe", b'{"format": 1, "constants": [["c"]]}', b"3"]
)
@pytest.mark.parametrize("suffix", [".json", ".json.gz", ".json.zst"])
def test_broken_files_are_the_users_mistake(tmp_path: Path, content: bytes, suffix: str) -> None:
    path = tmp_path / f"broken{suffix}"
    path.write_bytes(content)
    with pytest.raises(UserError, match="signature"):
        Signature.load(path)


def test_the_framework_is_in_every_signature() -> None:
    bare = Signature.build([Constant("HOL.Trueprop", parse_type("(fun HOL.bool prop)"))])
    rule = decode("CONST Pure.imp $ ( CONST HOL.Trueprop $ FREE P ) $ ( CONST HOL.Trueprop $ FREE P )")
    assert erase(infer([rule], bare).propositions[0]) == rule
    assert "Pure.all" in Signature.from_json(bare.to_json()).constants
