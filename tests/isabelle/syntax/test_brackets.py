"""Where brackets may be left out: priorities of notation, in texts that are read and in those that are written."""

import pytest
from tests.isabelle.syntax.complex_main import language
from tests.isabelle.syntax.test_statements import nested

from isarstep.isabelle.syntax.grammar.folding import canonical
from isarstep.isabelle.syntax.grammar.inner_tokens import Lexicon
from isarstep.isabelle.syntax.grammar.parser import Tree, parse_trees
from isarstep.isabelle.syntax.grammar.productions import Grammar, Production
from isarstep.isabelle.syntax.reading.named_statements import read_named
from isarstep.isabelle.syntax.reading.reader import read_formula
from isarstep.isabelle.syntax.reading.typed_writer import write_typed
from isarstep.isabelle.syntax.writing.names import Names
from isarstep.isabelle.syntax.writing.writer import write_formula, write_type
from isarstep.isabelle.terms.read_error import ReadError
from isarstep.isabelle.terms.terms import TFree, TVar, Type, Var, fun

NAT = Type("Nat.nat")

# The same with brackets and without.
SAME = [
    ("(f ∘→ g) ∘→ h = k", "f ∘→ g ∘→ h = k"),
    ("(A ⊓ B) ⊔ C = D", "A ⊓ B ⊔ C = D"),
    ("((A ⊓ B) ⊓ C) = D", "A ⊓ B ⊓ C = D"),
    ("(r <o s) ∧ P", "r <o s ∧ P"),
    ("( |A| =o |B| ) ∧ P", "|A| =o |B| ∧ P"),
    ("(r +c s) <o t", "r +c s <o t"),
    ("r +c (s *c (t ^c u)) =o v", "r +c s *c t ^c u =o v"),
    ("⟦(⋀x. P x); Q⟧ ⟹ R", "⟦⋀x. P x; Q⟧ ⟹ R"),
    ("⟦Q; (⋀x. P x)⟧ ⟹ R", "⟦Q; ⋀x. P x⟧ ⟹ R"),
    ("⟦(P ⟹ Q); (Q ⟹ R)⟧ ⟹ (P ⟹ R)", "⟦P ⟹ Q; Q ⟹ R⟧ ⟹ P ⟹ R"),
    ("(⋀x. (P x ⟹ Q x))", "⋀x. P x ⟹ Q x"),
    ("(P ⟷ (Q ⟷ R))", "P ⟷ Q ⟷ R"),
]


@pytest.mark.parametrize(("with_brackets", "without"), SAME)
def test_brackets_may_be_left_out(with_brackets: str, without: str) -> None:
    first, second = (nested(read_formula(text, language()).term) for text in (with_brackets, without))
    assert first == second


@pytest.mark.parametrize("text", ["r <o s <o t", "r =o s =o t", "r ≤o s ≤o t", "r <=o s <o t"])
def test_cardinals_are_not_compared_in_chains(text: str) -> None:
    with pytest.raises(ReadError):
        read_formula(text, language())


@pytest.mark.parametrize(
    "text", ["(P ⟷ Q) ⟷ R", "P ⟷ Q ⟷ R", "(P ⟷ Q) ∧ R", "P ∧ Q ⟷ R", "P ⟶ Q ⟷ R", "(P ⟶ Q) ⟷ R", "(P ⟷ Q) ⟶ R"]
)
def test_an_equivalence_is_written_with_the_brackets_that_it_needs(text: str) -> None:
    term = canonical(read_formula(text, language()).term, language())
    assert write_formula(term, language()) == text


def test_types_are_written_with_their_sorts_where_they_are_asked_for() -> None:
    here = language()
    one, two = TFree("'a", ("HOL.type", "Orderings.order")), TFree("'b", ("Groups.ab_group_add", "Orderings.order"))
    assert write_type(one, here, sorts=True) == "('a::order)"
    assert write_type(two, here, sorts=True) == "('b::{ab_group_add, order})"
    assert write_type(TFree("'a", ("HOL.type",)), here, sorts=True) == "'a"
    assert write_type(one, here) == "'a"
    assert write_type(fun(one, two), here, sorts=True) == "('a::order) ⇒ ('b::{ab_group_add, order})"
    assert write_type(fun(fun(NAT, NAT), NAT), here) == "(nat ⇒ nat) ⇒ nat"
    assert [write_type(TVar("'a", index), here) for index in (0, 1)] == ["?'a", "?'a.1"]


def test_the_index_of_a_schematic_variable_has_nine_digits_at_most() -> None:
    assert read_named("?x.123456789", language(), Names(), prop=False).term == Var("x", 123456789)
    assert read_named("?x", language(), Names(), prop=False).term == Var("x", 0)
    with pytest.raises(ReadError, match="at most 9 digits"):
        read_named("?x.1234567890", language(), Names(), prop=False)


def test_types_stand_only_where_they_are_needed() -> None:
    """None where all are decided without; those of functions only where nothing less would do."""
    for text, written in (
        ("length [] = 0", "length [] = 0"),
        ("length ([]::nat list) = 0", "length ([]::nat list) = (0::nat)"),
        ("inj (λx::nat. x)", "inj (λ(x::nat). x)"),
    ):
        assert write_typed(read_formula(text, language()).term, language()) == written


# Stars in a row, with nothing between them; in angles stands one alone.
BESIDE = Grammar([
    Production("row", ("*",), "star", 1000),
    Production("row", (("row", 51), ("row", 50)), "beside", 50),
    Production("row", ("<", ("row", 51), ">"), "angles", 51),
])  # fmt: skip


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("*", "star"),
        ("* *", ("beside", "star", "star")),
        ("* * *", ("beside", "star", ("beside", "star", "star"))),
        ("< * > *", ("beside", ("angles", "star"), "star")),
    ],
)
def test_what_stands_beside_another_binds_as_its_priorities_say(text: str, tree: Tree) -> None:
    assert parse_trees(BESIDE, Lexicon(BESIDE.delimiters).scan(text), "row") == [tree]


def test_what_stands_beside_another_is_not_taken_where_more_priority_is_wanted() -> None:
    with pytest.raises(ReadError):
        parse_trees(BESIDE, Lexicon(BESIDE.delimiters).scan("< * * >"), "row")
