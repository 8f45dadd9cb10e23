"""Numbering of variables: the blueprint's order, idempotent, and with a way back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.isabelle.syntax.paper_examples import EVEN_A, FALSE_IMPLIES_P
from tests.isabelle.syntax.strategies import propositions, terms

from isarstep.common.errors import UserError
from isarstep.isabelle.syntax.writing.sample import sample_examples
from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.normal_names import normalise, restore, variable_order
from isarstep.isabelle.terms.terms import Const, Free, Term, Type, Var, frees, schematics, substitute
from isarstep.isabelle.terms.tokens import decode, encode_line


def test_the_papers_examples() -> None:
    even_a = hol.trueprop(hol.apply("Parity.semiring_parity_class.even", Free("a", Type("Nat.nat"))))
    assert encode_line(normalise(even_a, ["a"])) == EVEN_A
    for name in ("P", "Q"):
        implication = hol.pure_imp(hol.trueprop(Const("HOL.False")), hol.trueprop(Var(name, 3)))
        assert encode_line(normalise(implication, [])) == FALSE_IMPLIES_P


def test_fixed_variables_come_first_then_first_occurrence() -> None:
    f2, f3, f1 = hol.eq(Free("y"), Free("b")), hol.eq(Free("x"), Free("y")), hol.eq(Free("z"), Free("x"))
    order = variable_order([f2, f3, f1], fixed=["k", "x"])
    assert order == ["k", "x", "y", "b", "z"]
    assert encode_line(normalise(f1, order)) == "CONST HOL.eq $ FREE <X4> $ FREE <X1>"


def test_schematic_variables_count_per_proposition() -> None:
    lemma = hol.eq(Var("b"), hol.eq(Var("a", 1), Var("b")))
    assert encode_line(normalise(lemma, [])) == "CONST HOL.eq $ VAR <V0> $ ( CONST HOL.eq $ VAR <V1> $ VAR <V0> )"
    renumbered = decode("VAR <V7> $ VAR <V3>")  # any numbering is accepted, one is written
    assert encode_line(normalise(renumbered, [])) == "VAR <V0> $ VAR <V1>"


def test_a_variable_outside_the_list_is_a_mistake() -> None:
    with pytest.raises(UserError, match="x is not in the list"):
        normalise(Free("x"), ["y"])


def is_original(term: Term) -> bool:
    return not any("<" in v.name for v in frees(term))


@given(st.one_of(terms.filter(is_original), propositions()), st.lists(st.sampled_from("kmn"), unique=True))
def test_idempotent_and_reversible(term: Term, fixed: list[str]) -> None:
    order = variable_order([term], fixed)
    once = normalise(term, order)
    assert normalise(once, order) == once
    places = [*dict.fromkeys((variable.name, variable.index) for variable in schematics(term))]

    def numbered(leaf: Free | Var) -> Term | None:
        return Var(f"<V{places.index((leaf.name, leaf.index))}>", 0, leaf.type) if isinstance(leaf, Var) else None

    assert restore(once, order) == substitute(term, numbered)


def test_what_a_model_invents_is_kept() -> None:
    assert restore(decode("FREE <X9> $ VAR <V4>"), ["a"]) == decode("FREE <X9> $ VAR <V4>")


def test_numbering_a_numbered_example_again_changes_nothing() -> None:
    for example in sample_examples():
        props = [decode(p) for p in example.propositions()]
        order = variable_order(props)
        again = [normalise(p, order) for p in props]
        assert [normalise(p, variable_order(again)) for p in again] == again
