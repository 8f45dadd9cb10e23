"""What is said of a text that cannot be read or has no type: of several reasons the telling one, and hints that fit."""

import pytest
from tests.logic.complex_main import language, notation

from isarstep.errors import UserError
from isarstep.logic.infer import TypingError
from isarstep.logic.language import Language
from isarstep.logic.names import Names
from isarstep.logic.reader import read_formula
from isarstep.logic.readerror import ReadError
from isarstep.logic.reading import read

UNKNOWN = ["logic", ["\\<oplus>", ["any", 1000]], "_nothing_known", 1000, 0]
SUCCESSOR = ["logic", ["\\<oplus>", ["any", 1000]], "\\<^const>Nat.Suc", 1000, 0]


@pytest.mark.parametrize("rows", [[UNKNOWN, SUCCESSOR], [SUCCESSOR, UNKNOWN]])
def test_of_two_readings_that_fail_the_one_that_only_lacks_a_type_is_told(rows: list[list[object]]) -> None:
    both = Language([*notation().values(), {"productions": rows}], language().signature)
    with pytest.raises(TypingError, match="True has type bool, but Suc wants nat"):
        read_formula("⊕ True = x", both)
    assert read_formula("⊕ n = x", both).term is not None


def test_of_two_readings_without_a_type_the_first_is_told():
    length = ["logic", ["\\<oplus>", ["any", 1000]], "\\<^const>List.length", 1000, 0]
    both = Language([*notation().values(), {"productions": [SUCCESSOR, length]}], language().signature)
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
        ("[x₀, x₁ then]", 8, "']'"),
        ("[x₀, x₁ ∧", 0, "its closing bracket"),
        ("[, x₀]", 1, "an expression or ']'"),
        ("{x₀, }", 5, "an expression"),
        ("∀(x). x₀", 3, "','"),
        ("∀(x, y z). x₀", 7, "',' or ')'"),
        ("∀(x, 1). x₀", 5, "the name of a bound variable or '('"),
        ("∀x₁. x₀", 1, "with no full stop and no subscript"),
        ("∀a.b. x₀", 1, "with no full stop and no subscript"),
        ("?x.1234567890", 0, "an index of at most 9 digits"),
        ("(x₀ x₁", 0, "its closing bracket"),
        ("(x₀ then)", 4, "',' or ')'"),
        ("x₀ then", 3, "the end"),
        ("x₀ ∧ PROP x₁", 5, "whole proposition"),
        ("λx y", 4, "the name of a bound variable"),
    ],
)
def test_without_a_language_mistakes_are_said_where_they_stand(text: str, position: int, expected: str) -> None:
    with pytest.raises(ReadError) as error:
        read(text, Names())
    assert (error.value.position, expected in error.value.expected) == (position, True), error.value


def test_four_of_the_constants_that_a_name_may_mean_are_told():
    for count, more in ((4, False), (5, True)):
        names = Names([f"{theory}.f" for theory in "ABCDE"[:count]])
        with pytest.raises(ReadError) as error:
            read("f x", names)
        assert error.value.expected == "a longer name, one of A.f, B.f, C.f, D.f" + (" ..." if more else "")


def test_a_tuple_of_variables_has_an_end():
    for count, fits in ((2, True), (128, True), (129, False)):
        text = f"λ({', '.join(['x'] * count)}). y"
        if fits:
            assert read(text, Names(), prop=False) is not None
        else:
            with pytest.raises(ReadError, match="at most 64 variables in a tuple"):
                read(text, Names(), prop=False)


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
