"""Problems in a context whose notation is known: types in the text, people's spelling, mistakes where they are."""

from functools import cache

import pytest
from tests.isabelle.syntax.complex_main import FOLDER

from isarstep.benchmark.problems.problem_reader import ProblemReader
from isarstep.isabelle.context.theory_contexts import TheoryContexts
from isarstep.isabelle.syntax.grammar.language import usual_notation
from isarstep.isabelle.syntax.reading.named_statements import read_named
from isarstep.isabelle.syntax.writing.printing import to_unicode
from isarstep.isabelle.terms.signature import Signature
from isarstep.isabelle.terms.tokens import decode
from isarstep.isabelle.theory.problems.problem import Problem, ProblemError


@cache
def reader() -> ProblemReader:
    rows = usual_notation()
    theories = [*rows, "Complex_Main"]
    parents = {theory: theories[max(0, i - 1) : i] for i, theory in enumerate(theories)}
    theory_contexts = TheoryContexts(Signature.load(FOLDER / "signature.json.zst"), parents, notation=lambda: rows)
    return ProblemReader(theory_contexts.at("Complex_Main"))


def test_types_in_the_text_are_kept():
    task = reader().read(Problem(goal="x ≤ (z::nat)", facts=("x ≤ y ∧ y ≤ z",)))
    assert task.types() == {"x": "nat", "y": "nat", "z": "nat"}
    assert task.text(task.example.f3) == "x ≤ z"


def test_what_people_type_becomes_what_was_mined():
    task = reader().read(Problem(goal="length xs > n"))
    assert (
        task.example.f3
        == "CONST HOL.Trueprop $ ( CONST Orderings.ord_class.less $ FREE <X0> $ ( CONST List.length $ FREE <X1> ) )"
    )
    assert task.text(task.example.f3) == "n < length xs"


def test_a_step_is_read_under_the_names_of_the_problem():
    task = reader().read(Problem(goal="(\\<Sum>i<(n::nat). f i) = (0::real)", facts=("\\<forall>i. f i = 0",)))
    assert (
        reader().answer(task, "f 0 = 0", "notation")
        == "CONST HOL.Trueprop $ ( CONST HOL.eq $ ( FREE <X0> $ CONST Groups.zero_class.zero ) $ CONST Groups.zero_class.zero )"
    )
    with pytest.raises(ProblemError, match="neither a constant nor a variable"):
        reader().answer(task, "g 0 = 0", "notation")


@pytest.mark.parametrize(
    ("text", "code", "piece"),
    [("x² +", "syntax", ""), ("\\<forall>x. x \\<in> ) A", "syntax", ")"), ("length (x::nat) = 0", "type", "x::nat"), ("(x::nat) = (f (y::bool) :: int)", "type", None)],
)  # fmt: skip
def test_mistakes_are_where_they_are(text, code, piece):
    with pytest.raises(ProblemError) as error:
        reader().read(Problem(goal=text))
    assert error.value.code == code
    if piece is not None:
        assert text[error.value.position : error.value.end].strip("() ") == piece.strip("() ")


def test_numbered_variables_are_shown_and_read_by_number():
    names = reader().names
    tokens = "CONST Pure.imp $ ( CONST HOL.Trueprop $ ( FREE <X3> $ VAR <V0> ) ) $ ( CONST HOL.Trueprop $ ( FREE <X3> $ FREE <X12> ) )"
    assert to_unicode(decode(tokens), names) == "x₃ v₀ ⟹ x₃ x₁₂"
    assert read_named("x₃ v₀ ⟹ x₃ x₁₂", reader().theory_context.language, names).term == decode(tokens)


def test_bound_variables_keep_the_names_that_people_gave_them():
    facts = ("∃c. a = 2 * c", "∀ε. P ε", "(∑i<n. f i) = 0", "{f k |k. k ∈ A} = {}", "∃x⇩1. x⇩1 = n")
    task = reader().read(Problem(goal="∃!m. m = n", facts=facts))
    assert tuple(task.text(line) for line in task.example.f2) == facts
    assert task.text(task.example.f3) == "∃!m. m = n"  # though λ_. _ = n was called x⇩1 before
    # The tokens say nothing of it, and what was said once is said again of the same function.
    assert task.example.f2[0] == reader().read(Problem(goal="True", facts=("∃z. a = 2 * z",))).example.f2[0]
    negated = task.example.f2[0].replace("$ (", "$ ( CONST HOL.Not $ (", 1) + " )"
    assert task.text(negated) in ("∄c. a = 2 * c", "¬ (∃c. a = 2 * c)")
    own = reader().answer(task, "∃q. a = 2 * (2 * q)", "notation")
    assert task.text(own) == "∃q. a = 2 * (2 * q)"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("finite {p::nat. p = p}", "finite {(p::nat). p = p}"),
        ("∀p::nat. p = p", "∀(p::nat). p = p"),
        ("inj (λp::nat. p)", "inj (λ(p::nat). p)"),
        ("(3::nat) = 3", "(3::nat) = (3::nat)"),
        ("(∑p::nat∈A. p + p) = 0", "(∑p∈A. p + p) = 0"),  # A has the type, and says it
        ("∃p::nat∈A. p = p", "∃p∈A. p = p"),
        ("{f p |p::nat. P p} = {}", "{f p |p. P p} = {}"),
    ],
)
def test_types_inside_a_statement_outlive_its_tokens(text, shown):
    task = reader().read(Problem(goal=text))
    assert task.text(task.example.f3) == shown
    plain = reader().read(Problem(goal=text.replace("::nat", ""), types={}))
    assert str(plain.example.f3) == str(task.example.f3)  # the tokens do not have them
    parsed = reader().parse(Problem(goal=text))
    assert parsed.text(parsed.readings["goal"]) == shown
    assert "nat" in str(task.typed(task.example.f3))
    assert "_constrain" not in str(task.typed(task.example.f3))


def test_statements_that_differ_only_in_types_inside_are_not_mistaken_for_each_other():
    example = reader().read(Problem(goal="∀x::nat. x = x", facts=("∀x::int. x = x",))).example
    assert example.f2 != (example.f3,)
    assert str(example.f2[0]) == str(example.f3)
