"""Texts that Isabelle reads as something else than their writer means, with where it is said; and their neighbours,
which mean what they say."""

import pytest
from tests.isabelle.syntax.complex_main import language

from isarstep.isabelle.syntax.reading.reader import read_formula
from isarstep.isabelle.terms.read_error import ReadError
from isarstep.isabelle.terms.terms import Type

SET, CHAIN, STATEMENTS = "{x. P x}", "'and' between equations", "⟷ between statements"
BEFORE, OR, SIGNS = "stands before it", "that a divides b is a dvd b", "a formula has no words"

# Text, the character (from 0) that is pointed at, and words of the advice.
DOUBTFUL = [
    ("{x | P x} = A", 3, SET),
    ("{x : P x} = A", 3, SET),
    ("{x ∣ P x} = A", 3, SET),
    ("{x, y | P} = A", 6, SET),
    ("{x, f (y) | P} = A", 10, SET),
    ("B = {f (u | v), z} ∧ {x | P x} = A", 24, SET),
    ("(a::nat) = b = c", 13, CHAIN),
    ("x : xs = ys", 7, CHAIN),
    ("f (a = b = c)", 9, CHAIN),
    ("f (a = (b::nat) = c) = d", 16, CHAIN),
    ("(a::nat) = b ⟶ c = d = e", 21, CHAIN),
    ("P and Q", 2, "∧ or &"),
    ("P or Q", 2, "∨ or |"),
    ("f (x) or Q", 6, "∨ or |"),
    ("P implies Q", 2, "⟶ or -->"),
    ("P iff Q", 2, "⟷"),
    ("P xor Q", 2, "≠"),
    ("a divides b", 2, "dvd"),
    ("x where y", 2, SIGNS),
    ("f x where y = z", 4, SIGNS),
    ("x such that y", 2, SIGNS),
    ("xs[0] = y", 2, "xs ! i"),
    ("n = xs[0] ∧ P", 6, "xs ! i"),
    ("x ⊥ y", 2, "orthogonal"),
    ("x ⊥ (y + z)", 2, "orthogonal"),
    ("P(A|B) = c", 3, "probability"),
    ("a|b", 1, OR),
    ("a | b", 2, OR),
    ("P ∧ x | y", 6, OR),
    ("A^T = B", 2, "transpose"),
    ("A^T + B = C", 2, "transpose"),
    ("max A = b", 0, "Max for a set"),
    ("min A = b", 0, "Min for a set"),
    ("sup A = b", 0, "Sup for a set"),
    ("inf A = b", 0, "Inf for a set"),
    ("f max A = b", 2, "Max for a set"),
    ("a ≡ b mod n", 2, "congruence"),
    ("a == b mod n", 2, "congruence"),
    ("d/dx = f", 0, "derivative"),
    ("d/dx f = g", 0, "derivative"),
    ("n even", 2, BEFORE),
    ("n is even", 5, BEFORE),
    ("n is prime", 5, BEFORE),
    ("p prime", 2, BEFORE),
    ("P ∧ n even", 6, BEFORE),
    ("n is sorted", 5, BEFORE),
    ("xs sorted", 3, BEFORE),
    ("xs sorted ∧ P", 3, BEFORE),
    ("P ∨ Q = Q ∨ P", 6, STATEMENTS),
    ("P ∧ Q = Q ∧ P", 6, STATEMENTS),
    ("P ⟶ Q = Q ⟶ P", 6, STATEMENTS),
    ("R ∨ P ∨ Q = Q ∨ P", 10, STATEMENTS),
    ("(P ∨ Q = Q ∨ P)", 7, STATEMENTS),
    ("P ∨ Q = Q ∨ P ∧ R", 6, STATEMENTS),
    ("x ∈ ℂ", 4, "z :: complex"),
    ("A ∈ ℙ", 4, "prime p"),
    ("A ∈ 𝒫 B", 4, "Pow A"),
    ("π > 0", 0, "pi; a variable needs another name"),
    ("x = π", 4, "pi; a variable needs another name"),
    ("e^x = y", 0, "exp x"),
    ("z = e ^ x", 4, "exp x"),
    ("log_2 x = y", 0, "'log', with its base"),
    ("Lenght xs = n", 0, "'length'"),
    ("lengt xs = n", 0, "'length'"),
    ("lenght (xs) = n", 0, "'length'"),
    ("revv 3 = x", 0, "'rev'"),
    ("finit A", 0, "'finite'"),
    ("P = true", 4, "'True'"),
    ("P = false", 4, "'False'"),
    ("n even ∧ P and Q", 2, BEFORE),  # what comes first is said first
]

PLAIN = [
    "{x |x. P x} = A",
    "{x. x ∈ A | P x} = B",
    "{(x | P)} = A",
    "(a::nat) = b ∧ b = c",
    "(P::bool) = Q = R",
    "x ∈ xs = ys",
    "((a::nat) = b) = c",
    "suppose x y",
    "xs [0] = y",
    "xs[0 := y] = zs",
    "f [x] = y",
    "x ⊥",
    "x = ⊥",
    "P (A | B)",
    "P(A |B)",
    "P(A| B)",
    "p|q",
    "a | Q",
    "Q | a",
    "A^t = B",
    "T^n = (B::nat)",
    "max A b = c",
    "max A (b + c) = c",
    "max a = b",
    "(a::int) = b mod n",
    "d/dxy = f",
    "d/ex = f",
    "c/dx = f",
    "even n",
    "(n even)",
    "f n even",
    "n even m",
    "P ∨ Q = R ∨ P",
    "P ∨ Q = Q + R",
    "x < y ∨ x = y ∨ x > y",
    "e^2 = y",
    "foo_2 x = y",
    "x = lenght",
    "lenght = x",
    "len xs = n",
]


@pytest.mark.parametrize(("text", "position", "advice"), DOUBTFUL)
def test_what_probably_means_something_else_is_refused_where_it_stands(text: str, position: int, advice: str) -> None:
    with pytest.raises(ReadError) as error:
        read_formula(text, language())
    assert (error.value.position, advice in error.value.expected) == (position, True), error.value


@pytest.mark.parametrize("text", PLAIN)
def test_what_is_like_it_and_means_what_it_says_is_read(text: str) -> None:
    assert read_formula(text, language()).term is not None


def test_whoever_fixes_the_variables_knows_what_the_text_means() -> None:
    truth = Type("HOL.bool")
    fixed = {"x": truth, "P": Type("fun", (truth, truth)), "A": Type("Set.set", (truth,))}
    assert read_formula("{x | P x} = A", language(), fixed).term is not None
    with pytest.raises(ReadError):
        read_formula("{x | P x} = A", language(), {"A": fixed["A"]})
