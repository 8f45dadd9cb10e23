"""What is said of a text that cannot be read or has no type: of several reasons the telling one, and hints that fit."""

import pytest
from tests.isabelle.syntax.complex_main import language

from isarstep.common.errors import UserError
from isarstep.isabelle.inference.infer import TypingError
from isarstep.isabelle.syntax.grammar.language import Language, usual_notation
from isarstep.isabelle.syntax.reading.reader import read_formula
from isarstep.isabelle.terms.read_error import ReadError

UNKNOWN = ["logic", ["\\<oplus>", ["any", 1000]], "_nothing_known", 1000, 0]
SUCCESSOR = ["logic", ["\\<oplus>", ["any", 1000]], "\\<^const>Nat.Suc", 1000, 0]


@pytest.mark.parametrize("rows", [[UNKNOWN, SUCCESSOR], [SUCCESSOR, UNKNOWN]])
def test_of_two_readings_that_fail_the_one_that_only_lacks_a_type_is_told(rows: list[list[object]]) -> None:
    both = Language([*usual_notation().values(), {"productions": rows}], language().signature)
    with pytest.raises(TypingError, match="True has type bool, but Suc wants nat"):
        read_formula("⊕ True = x", both)
    assert read_formula("⊕ n = x", both).term is not None


def test_of_two_readings_without_a_type_the_first_is_told():
    length = ["logic", ["\\<oplus>", ["any", 1000]], "\\<^const>List.length", 1000, 0]
    both = Language([*usual_notation().values(), {"productions": [SUCCESSOR, length]}], language().signature)
    with pytest.raises(TypingError, match="Suc wants nat"):
        read_formula("⊕ True = x", both)
    with pytest.raises(UserError, match="can be read in 2 ways; brackets or types would settle it"):
        read_formula("⊕ y = x", both)


PRODUCT, FUNCTION, TIMES = "a product is written a * b", "is the function a of b + c", "× is the product of sets"
SETS, BRACKETS, INTERVAL = "of a set it is Max A", "put it into brackets", "intervals are"


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("sin 2 x = (y::real)", PRODUCT),
        ("3 x = (y::nat)", PRODUCT),
        ("(1::nat) + x = y ∧ x", ""),
        ("Suc True = x", ""),
        ("x ∈ [a, b]", INTERVAL),
        ("x ∈ (a, b)", INTERVAL),
        ("x ∈ (3::nat)", ""),
        ("max {a, b} = (c::nat)", SETS),
        ("sup A = (x::nat)", SETS),
        ("max a b = (c::nat) ∧ c", ""),
        ("∑i∈A. f i = (x::nat)", BRACKETS),
        ("(a::nat) × b = c", TIMES),
        ("gcd (a, b) = (c::nat)", "arguments stand one behind the other"),
        ("Suc (a + b) = True", ""),
        ("x ^ (- 1) = (y::real)", "the exponent of ^ is a natural number"),
        ("x ^ {2} = (y::nat)", "a power is x^2"),
        ("P ⟶ not Q ∧ length P = 2", "'not' is ¬"),
    ],
)
def test_a_clash_of_types_has_the_hint_that_fits_and_no_other(text: str, hint: str) -> None:
    with pytest.raises(TypingError) as error:
        read_formula(text, language())
    said, _, advice = str(error.value).partition("; ")
    assert ("has type" in said) or ("is no " in said)
    assert hint in advice if hint else not advice, error.value


@pytest.mark.parametrize(
    ("text", "position", "expected"),
    [
        ("(x::'a::nope) = y", 8, "a type class of this context"),
        ("(x::'a::{ord, nope}) = y", 14, "a type class of this context"),
        ("(x::nope) = y", 4, "a type of this context"),
        ("(x::nat nope) = y", 8, "a type of this context"),
        ("(x::(nat, nat) list) = y", 0, "1 arguments of this type"),
        ("(x::list) = y", 0, "1 arguments of this type"),
        ("[x. (x, y) ← xs] = ys", 0, "a variable before ← of a list comprehension"),
    ],
)
def test_types_and_patterns_that_are_none_are_said(text: str, position: int, expected: str) -> None:
    with pytest.raises(ReadError) as error:
        read_formula(text, language())
    assert (error.value.position, expected in error.value.expected) == (position, True), error.value
