"""Numbers, strings and comprehensions, which Isabelle reads by code."""

from dataclasses import replace

import pytest
from tests.isabelle.syntax.complex_main import language
from tests.isabelle.syntax.test_statements import nested

from isarstep.isabelle.syntax.grammar.language import Language
from isarstep.isabelle.syntax.reading.reader import read_formula
from isarstep.isabelle.syntax.reading.syntax_code import _MAX_DIGITS
from isarstep.isabelle.terms.hol import dest_trueprop
from isarstep.isabelle.terms.read_error import ReadError
from isarstep.isabelle.terms.terms import Const, frees, schematics, subterms

SMALL_A = "True False False False False True True"  # the bits of `a`, the least one first


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("0", "zero"),
        ("1", "one"),
        ("2", "2"),
        ("007", "7"),
        ("0x1F", "31"),
        ("0b101", "5"),
        ("2.5", "(inverse_divide 25 10)"),
        ("0.50", "(inverse_divide 50 (power 10 2))"),
        ("3.142", "(inverse_divide 3142 (power 10 3))"),
        ("''''", "Nil"),
        ("''a~''", f"(Cons (Char {SMALL_A} False) (Cons (Char False True True True True True True False) Nil))"),
        ("CHR ''a''", f"(Char {SMALL_A} False)"),
        ("STR ''a''", f"(Literal {SMALL_A} empty_literal)"),
        ("[x. x ← xs]", "(map (λx x) xs)"),
        ("[f x y. x ← xs, y ← ys x]", "(concat (map (λx (map (λy (f x y)) (ys x))) xs))"),
        ("[f x. x ← xs, P x, Q x]", "(concat (map (λx (If (P x) (If (Q x) (Cons (f x) Nil) Nil) Nil)) xs))"),
        ("[f x. P, x ← xs]", "(If P (map (λx (f x)) xs) Nil)"),
        ("{f x y |x y. P x y}", "(Collect (λuu_ (Ex (λx (Ex (λy (conj (eq uu_ (f x y)) (P x y))))))))"),
        ("{(x, v) |x. ∃y. Q x y}", "(Collect (λuu_ (Ex (λx (conj (eq uu_ (Pair x v)) (Ex (λy (Q x y))))))))"),
    ],
)  # fmt: skip
def test_literals_and_comprehensions(text: str, term: str) -> None:
    assert nested(read_formula(f"z = {text}", language()).term) == f"(Trueprop (eq z {term}))"


@pytest.mark.parametrize(
    ("text", "position", "message"),
    [
        ("c = CHR ''ab''", 8, "one character"),
        ("c = CHR ''''", 8, "one character"),
        ("s = ''é''", 4, "ASCII characters in a string"),
        ("CONST nope = f", 6, "a constant of this context"),
        (f"x = 1.{'9' * (_MAX_DIGITS - 1)}", 4, f"a number of at most {_MAX_DIGITS} digits"),
        ("x = (_::nat)", 5, "a variable or an expression"),
    ],
)
def test_what_is_no_literal_is_said_where_it_stands(text: str, position: int, message: str) -> None:
    with pytest.raises(ReadError, match=message) as error:
        read_formula(text, language())
    assert error.value.position == position


def test_a_decimal_may_have_as_many_digits_as_a_number_and_needs_fractions():
    assert read_formula(f"x = 1.{'9' * (_MAX_DIGITS - 2)}", language()).term is not None
    known = language().signature
    bare = replace(known, constants={n: c for n, c in known.constants.items() if not n.startswith("Fields.")})
    without = Language(language().notations, bare)
    with pytest.raises(ReadError, match="no decimal number") as error:
        read_formula("x = 2.5", without)
    assert error.value.position == 4


def test_schematic_variables_have_an_index_and_bound_terms_stand_for_what_they_are_called():
    found = schematics(read_formula("?x.3 = ?y", language()).term)
    assert [(variable.name, variable.index) for variable in found] == [("x", 3), ("y", 0)]
    thesis = dest_trueprop(read_formula("P x", language()).term)
    assert thesis is not None
    read = read_formula("?thesis ⟶ Q", language(), bound={"?thesis": thesis}).term
    assert [free.name for free in frees(read)] == ["P", "x", "Q"]
    assert not schematics(read)
    dots = read_formula("... = y", language(), bound={"...": Const("Groups.zero_class.zero")}).term
    assert any(type(node) is Const and node.name == "Groups.zero_class.zero" for node in subterms(dots))
