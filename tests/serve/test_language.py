"""Problems in a world whose notation is known: types in the text, people's spelling, mistakes where they are."""

from functools import cache

import pytest
from tests.logic.complex_main import FOLDER, notation

from isarstep.bench.worlds import Worlds
from isarstep.logic.printing import to_unicode
from isarstep.logic.reading import read
from isarstep.logic.signature import Signature
from isarstep.logic.tokens import decode
from isarstep.serve.problem import Problem, ProblemError, ProblemReader


@cache
def reader() -> ProblemReader:
    rows = notation()
    theories = [*rows, "Complex_Main"]
    parents = {theory: theories[max(0, i - 1) : i] for i, theory in enumerate(theories)}
    worlds = Worlds(Signature.load(FOLDER / "signature.json.zst"), parents, notation=lambda: rows)
    return ProblemReader(worlds.at("Complex_Main"))


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
    assert read("x₃ v₀ ⟹ x₃ x₁₂", names) == decode(tokens)
