"""Where in a text the parts of a statement stand, for whoever finds a mistake in one of them."""

from tests.isabelle.syntax.complex_main import language

from isarstep.isabelle.syntax.reading.named_statements import read_named
from isarstep.isabelle.syntax.reading.reader import read_statement
from isarstep.isabelle.syntax.reading.translation import Spans
from isarstep.isabelle.syntax.writing.names import Names
from isarstep.isabelle.terms.terms import Abs, App, Free, Var, subterms


def pieces(text: str) -> list[str]:
    spans: Spans = []
    read_statement(text, language(), spans=spans)
    return [text[begin:end] for _, begin, end in spans]


def test_a_part_stands_from_its_first_name_or_number_to_its_last():
    assert pieces("f x = g (y + z)") == ["f x", "y + z", "g (y + z", "f x = g (y + z"]
    assert pieces("{a, b} ⊆ A") == ["b", "a, b", "a, b} ⊆ A"]
    assert pieces("∀x. P x ∧ x < 12") == ["P x", "12", "x < 12", "P x ∧ x < 12", "x. P x ∧ x < 12"]
    assert pieces("\\<forall>x. P x") == ["P x", "x. P x"]
    assert pieces("{x. P x} = A") == ["P x", "x. P x", "x. P x", "x. P x} = A"]
    assert pieces("P") == []


def test_parts_are_those_of_the_statement_with_the_variables_own_names():
    """x₁ is the variable `<X1>`, v₁ `<V1>`: whoever looks for the place of a part has it from the statement."""
    names = Names(["f"], language=language())
    for text, own in (
        ("f x₁ = g v₁", [Free("<X1>"), Var("<V1>")]),
        ("f x = g y", [Free("x"), Free("y")]),
        ("∀y. f y = x₁", [Free("<X1>")]),
    ):
        spans: Spans = []
        statement = read_named(text, language(), names, spans=spans)
        leaves = [node for node in subterms(statement.marked) if type(node) in (Free, Var)]
        assert all(name in leaves for name in own)
        there = {id(node) for node in subterms(statement.marked)}
        assert spans
        assert all(id(part) in there and type(part) in (App, Abs) for part, _, _ in spans)
        begin, end = min(b for _, b, _ in spans), max(e for _, _, e in spans)
        assert text[begin:end].endswith(text[-1])
    assert (
        read_named("f x₁ = y", language(), names).marked == read_named("f x₁ = y", language(), names, spans=[]).marked
    )
