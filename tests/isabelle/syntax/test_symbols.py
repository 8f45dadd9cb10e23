"""Isabelle's symbols and the characters for them, names in LaTeX, and places in the text as it was given."""

import pytest

from isarstep.isabelle.syntax.grammar.symbols import from_isabelle, normal, original_place, to_isabelle, without_quotes
from isarstep.isabelle.syntax.writing.latex_names import latex_constant, latex_variable
from isarstep.isabelle.terms.read_error import ReadError


def test_letters_of_five_alphabets_have_names():
    names = r"\<A>\<Z>\<a>\<z>\<AA>\<ZZ>\<aa>\<zz>\<bbbA>"
    assert from_isabelle(names) == "𝒜𝒵𝖺𝗓𝔄ℨ𝔞𝔷𝔸"
    assert to_isabelle("𝒜𝒵𝖺𝗓𝔄ℨ𝔞𝔷𝔸") == names
    assert (from_isabelle(r"\<bbbZ>\<int>"), to_isabelle("ℤℕ")) == ("ℤℤ", r"\<int>\<nat>")
    assert from_isabelle(r"\<forall>\<^sub>\<nope>") == r"∀⇩\<nope>"
    assert to_isabelle("∀xé") == r"\<forall>xé"


def test_one_spelling_of_what_people_type():
    assert normal(r"x₁² − y’ ≔ \<le> x⁻¹") == "x⇩1⇧2 - y' := ≤ x⇧-⇧1"
    assert normal("x_1 <= y") == "x_1 <= y"


@pytest.mark.parametrize(
    ("text", "inside"),
    [('"x"', " x "), (' "x = y" ', "  x = y  "), ("‹x›", " x "), ('""', "  "), ('"', '"'), ('"x', '"x'), ('x"', 'x"'),
     ('"x" = "y"', '"x" = "y"'), ("‹x‹y››", "‹x‹y››"), ('‹x"', '‹x"')],
)  # fmt: skip
def test_quotes_around_a_formula_are_blanks(text: str, inside: str) -> None:
    assert without_quotes(text) == inside


def test_places_are_those_of_the_text_as_it_was_given():
    text = r"\<forall>x₁. x²"
    assert normal(text) == "∀x⇩1. x⇧2"
    assert [original_place(text, i) for i in range(10)] == [0, 9, 10, 10, 11, 12, 13, 14, 14, 15]


@pytest.mark.parametrize(
    ("shown", "latex"),
    [("x", "x"), ("x₁", "x_{1}"), ("x₁₂", "x_{12}"), ("xs", r"\mathit{xs}"), ("xs1", r"\mathit{xs}_{1}"),
     ("x12'", "x_{12}'"), ("α", r"\alpha"), ("Γ₂", r"\Gamma_{2}"), ("f''", "f''"), ("«a b»", r"\mathit{a b}"),
     ("x⇩a", "x_{a}"), ("x⇩1⇩2", "x_{12}"), ("x_y", r"\mathit{x\_y}"), ("1", r"\mathit{1}"), ("₁", "{}_{1}"),
     ("é", r"\mathit{[E9]}")],
)  # fmt: skip
def test_variables_in_latex(shown: str, latex: str) -> None:
    assert latex_variable(shown) == latex


@pytest.mark.parametrize(
    ("shown", "latex"),
    [("card", r"\mathrm{card}"), ("a_b", r"\mathrm{a\_b}"), ("x⇩1⇩2", r"\mathrm{x}_{12}"), ("‹a b›", r"\mathrm{a b}"),
     ("σ", r"\mathrm{\sigma }"), ("a%b", r"\mathrm{a\%b}"), ("a\\b^c~d", r"\mathrm{a\backslash b\uparrow c\sim d}"),
     ("a\tb", r"\mathrm{a[9]b}")],
)  # fmt: skip
def test_constants_in_latex(shown: str, latex: str) -> None:
    assert latex_constant(shown) == latex


def test_what_stood_there_is_shown_in_sixty_characters_and_its_place_counts_from_one():
    assert str(ReadError(3, "a" * 60, "b")) == f"character 4: found {'a' * 60!r}, expected b"
    assert str(ReadError(3, "a" * 61, "b")) == f"character 4: found '{'a' * 57}...', expected b"
    assert str(ReadError(0, None, "b")) == "character 1: found the end, expected b"
    assert str(ReadError(0, r"\<a>", "b")) == r"character 1: found '\<a>', expected b"
