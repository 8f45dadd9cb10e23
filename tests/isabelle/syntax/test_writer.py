"""What is written is read back as the same term, in the language of Complex_Main."""

import pytest
from tests.isabelle.syntax.complex_main import language
from tests.isabelle.syntax.test_reader import READINGS, short

from isarstep.common.errors import UserError
from isarstep.isabelle.syntax.grammar.folding import canonical
from isarstep.isabelle.syntax.reading.reader import read_formula, read_type
from isarstep.isabelle.syntax.reading.typed_writer import write_typed
from isarstep.isabelle.syntax.writing.writer import write_formula, write_type
from isarstep.isabelle.terms.terms import Abs, App, Bound, Const, Free, Type
from isarstep.isabelle.terms.tokens import encode_line

# Text that is written exactly as it stands.
KEPT = [
    "(f ∘ g) x = f (g x)",
    "∀x∈A. P x ∧ Q ∨ R",
    "(∑i∈A. f i) = 0",
    "∃D. D ⊆ C ∧ finite D",
    "finite A ⟹ ∀x∈A. f x ≤ g x + 1 ⟹ (∑x∈A. f x) ≤ (∑x∈A. g x) + of_nat (card A)",
    "⋀x y. P x y ⟹ (∀z. Q z x) ∧ (λ(a, b) c. a + b = c) y = u",
    "- x = - (- y) - - 1",
    "A - B - C = A - (B - C)",
    "f ` A ∩ B = {} ∪ {1, 2}",
    "''abc'' = xs @ ''d''",
    "(∑(i, j)∈A. f i j) = 0",
    "xs ! i = ys[i := z]",
    "∄x. P x",
    "(SOME x. P x) = (THE x. Q x)",
    "P ⟷ Q ∧ (R ⟷ S)",
    "{f x |x. P x} = {(x, y). x = y}",
    "(λx⇩1. x⇩1 + α) = h",
    "(a, b, c) = (fst d, snd d)",
    "[a, b] = [] @ a # xs",
    "(if P then x else y) = (let z = x in z)",
    "(P ⟹ PROP Q) ⟹ R",
    "x = ?y + ?z1.0",
]


@pytest.mark.parametrize("text", KEPT)
def test_written_as_it_was(text):
    assert write_formula(canonical(read_formula(text, language()).term, language()), language()) == text


@pytest.mark.parametrize("text", [text for text, _ in READINGS])
def test_written_and_read_back(text):
    reading = read_formula(text, language())
    written = write_formula(canonical(reading.term, language()), language())
    again = read_formula(written, language(), reading.frees)
    assert canonical(again.term, language()) == canonical(reading.term, language())


def test_types_are_written_where_nothing_else_decides_them():
    reading = read_formula("card {x::nat. x < 2} = 2", language())
    plain = write_formula(reading.term, language())
    assert plain == "card {x. x < 2} = 2"
    assert read_formula(plain, language()).term != reading.term
    assert read_formula(write_formula(reading.term, language(), typed=True), language()).term == reading.term


@pytest.mark.parametrize(
    "text",
    ["card {x::nat. x < 2} = 2", "(of_nat n::int) = of_nat m * of_nat n", "(of_nat n::int) div 2 < of_nat k", "∀x::'a::ring. x * x = 0"],
)  # fmt: skip
def test_exactly(text):
    """Given the types of its free variables, the text means the term, whatever types it needs inside."""
    reading = read_formula(text, language())
    term = canonical(reading.term, language())
    again = read_formula(write_typed(term, language()), language(), reading.frees)
    assert canonical(again.term, language()) == term


def test_bound_variables_get_out_of_the_way():
    """Of free variables, of constants, of words of the notation."""
    term = App(Const("HOL.All"), Abs("y", None, App(App(Const("HOL.eq"), Bound(0)), Free("y"))))
    assert write_formula(term, language(), prop=False) == "∀y1. y1 = y"
    term = App(Const("HOL.All"), Abs("length", None, App(App(Const("HOL.eq"), Bound(0)), Free("o1"))))
    assert write_formula(term, language(), prop=False) == "∀length1. length1 = o1"
    assert write_formula(App(Const("List.length"), Free("length")), language(), prop=False) == "List.length length"


def test_names_of_variables():
    term = read_formula("x + y = y", language()).term
    assert write_formula(term, language(), names={"x": "a⇩1"}) == "a⇩1 + y = y"


def test_types_for_people():
    for text in ("nat ⇒ real × 'a list set", "('a ⇒ 'b) ⇒ bool", "'a + 'b"):
        typ = read_type(text, language())
        assert read_type(write_type(typ, language()), language()) == typ
    assert write_type(Type("fun", (Type("Nat.nat"), Type("HOL.bool"))), language()) == "nat ⇒ bool"


def test_what_is_typed_and_what_is_mined_are_the_same_tokens():
    def tokens(text):
        return short(canonical(read_formula(text, language()).term, language())).removeprefix("Trueprop ")

    assert tokens("(x::nat) > y") == "$ ( less $ y $ x )"
    assert tokens("B ⊇ A") == "$ ( subset_eq $ A $ B )"
    assert tokens("(x::nat)^2 = y") == "$ ( eq $ ( power2 $ x ) $ y )"
    assert tokens("P ⟷ (Q ≠ R)") == "$ ( eq $ P $ ( not_equal $ Q $ R ) )"
    assert tokens("f ` UNIV = Sigma A (λ_. B)") == "$ ( eq $ ( range $ f ) $ ( Times $ A $ B ) )"
    assert tokens("(x::real) / y = z") == "$ ( eq $ ( inverse_divide $ x $ y ) $ z )"
    assert tokens("x ∈ span A") == "$ ( member $ x $ ( span $ A ) )"
    assert "Real_Vector_Spaces.span" in encode_line(canonical(read_formula("x ∈ span A", language()).term, language()))
    assert tokens("real n = of_nat m") == "$ ( eq $ ( real $ n ) $ ( real $ m ) )"


def test_what_cannot_be_written_is_an_error():
    with pytest.raises(UserError, match="nothing binds"):
        write_formula(Bound(0), language(), prop=False)
    deep = Free("x")
    for _ in range(100_000):
        deep = App(Free("f"), deep)
    with pytest.raises(UserError, match="nested too deeply"):
        write_formula(deep, language(), prop=False)
