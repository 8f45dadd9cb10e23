"""Problems under the user's own names: what is read, what is shown, and where mistakes are."""

import pytest

from isarstep.apps.engine import Engine
from isarstep.benchmark.store.example import Example
from isarstep.isabelle.terms.terms import TFree
from isarstep.isabelle.terms.type_text import format_type
from isarstep.isabelle.theory.problems.problem import Problem, ProblemError

X_LE_Y = "CONST HOL.Trueprop $ ( CONST Orderings.ord_class.less_eq $ FREE x $ FREE y )"


def test_names_are_numbered_for_the_model_and_come_back(engine: Engine) -> None:
    task = engine.read(Problem("ali ≤ z", ("ali ≤ bob", "bob ≤ z"), others=("z = bob",)))
    assert task.order == ("ali", "bob", "z")
    assert task.example.f2[0].endswith("FREE <X0> $ FREE <X1> )")
    assert [task.text(line) for line in task.example.f2] == ["ali ≤ bob", "bob ≤ z"]
    assert task.text(task.example.f4[0]) == "z = bob"


def test_tokens_and_notation_are_the_same_problem(engine: Engine) -> None:
    by_tokens = engine.read(Problem(X_LE_Y, (X_LE_Y.replace("FREE y", "FREE z"),), form="tokens"))
    by_notation = engine.read(Problem("x ≤ y", ("x ≤ z",)))
    assert by_tokens.example == by_notation.example
    assert by_tokens.order == by_notation.order


def test_numbered_variables_keep_their_numbers(engine: Engine, example: Example) -> None:
    assert example.f3 is not None
    problem = Problem(example.f3, example.f2, example.f4, form="tokens", types=example.types)
    read = engine.read(problem).example
    assert (read.f2, read.f3, read.f4) == (example.f2, example.f3, example.f4)


def test_types_that_a_problem_leaves_open_are_fixed_before_anything_is_asked(engine: Engine) -> None:
    task = engine.read(Problem("x < x + 1"))
    typ = task.context["<X0>"]
    assert isinstance(typ, TFree)
    assert "Groups.plus" in typ.sort
    assert task.example.types["<X0>"] == format_type(typ)
    (note,) = task.general()
    assert note.readings == ("nat", "int", "real")
    assert "'x :: nat' or 'x :: int' or 'x :: real'" in str(note)
    narrower = engine.read(Problem("n < n + 1", types={"n": "nat"})).example.f3
    assert narrower == task.example.f3
    # A step about numbers is no step of this problem.
    with pytest.raises(ProblemError, match="expected is nat"):
        engine.answer(task, "x < Suc x")
    assert not engine.read(Problem("x = y")).general()  # everything has equality
    assert not engine.read(Problem("x < x + 1", types={"x": "real"})).general()


def test_a_type_variable_without_a_class_is_a_type_of_hol(engine: Engine) -> None:
    task = engine.read(Problem("x ∈ A", types={"x": "'a", "A": "'a set"}))
    assert task.context["<X0>"] == TFree("'a", ("HOL.type",))


def test_what_is_added_may_not_narrow_the_types_of_a_problem(engine: Engine) -> None:
    with pytest.raises(ProblemError, match="expected is nat") as caught:
        engine.read(Problem("x < x + 1", extra=("x < Suc x",)))
    assert caught.value.field == "extra[0]"
    assert engine.read(Problem("x < x + 1", ("x < Suc x",))).types() == {"x": "nat"}


def test_greek_variables_have_the_types_that_they_are_given_and_are_shown_as_they_are(engine: Engine) -> None:
    task = engine.read(Problem("δ < ε + 1", ("δ < ε",), types={"ε": "real"}))
    assert task.types() == {"ε": "real", "δ": "real"}
    assert task.text(task.example.f2[0]) == "δ < ε"
    assert set(engine.read(Problem("0 < ε")).types()) == {"ε"}


def test_who_gives_a_type_means_a_variable(engine: Engine) -> None:
    with pytest.raises(ProblemError, match="exp x"):
        engine.read(Problem("0 < e ^ n"))
    assert engine.read(Problem("0 < e ^ n", types={"e": "real"})).types() == {"e": "real", "n": "nat"}


def test_fixed_names_hide_constants_and_give_the_order(engine: Engine) -> None:
    assert engine.read(Problem("card = x", fixed=("x", "card"))).order == ("x", "card")
    with pytest.raises(ProblemError, match="twice"):
        engine.read(Problem("x = x", fixed=("x", "x")))


def test_single_letters_are_variables(engine: Engine) -> None:
    task = engine.read(Problem("finite A", ("A ⊆ B'", "f x = C1")))
    assert set(task.order) == {"A", "B'", "f", "x", "C1"}


def test_accepted_steps_are_facts_for_both_sides(engine: Engine, example: Example) -> None:
    task = engine.read(Problem("x < z", ("x ≤ y",), others=("y = y",), extra=("y < z",)))
    assert [task.text(line) for line in task.example.f2] == ["x ≤ y", "y < z"]
    assert [task.text(line) for line in task.example.f4] == ["y = y", "y < z"]
    grown = engine.example(example.id, Problem(extra=(example.f1,), form="tokens"))
    assert example.f1 in grown.example.f2
    assert example.f1 in grown.example.f4


@pytest.mark.parametrize(
    ("goal", "says"),
    [
        ("(n :: nat) = (x :: int set)", "x has type int set, expected is nat"),
        ("(n :: nat) m = y", "n is no function, but is applied to m"),
    ],
)
def test_types_that_were_said_are_not_shown_as_marks(engine: Engine, goal: str, says: str) -> None:
    with pytest.raises(ProblemError) as caught:
        engine.read(Problem(goal))
    assert str(caught.value) == f"goal: {says}"


@pytest.mark.parametrize(
    ("problem", "code", "field", "piece"),
    [
        (Problem("x ≤ y", ("x ≤",)), "syntax", "facts[0]", ""),
        (Problem("x = y) ∧ z"), "syntax", "goal", ")"),
        (Problem("card {x} = True"), "type", "goal", "card {x} = True"),
        (Problem("y = x ∧ length (card A) = 3"), "type", "goal", "(card A)"),
        (Problem("finite x", ("x < < y",)), "syntax", "facts[0]", "<"),
        (Problem("finite x", ("Suc x = 3",)), "type", "goal", "finite x"),
        (Problem("x = y", hints=("∀x. card (f x) = {x}",)), "type", "hints[0]", "{x}"),
        (Problem("x = y", types={"x": "nat set set", "y": "int"}), "type", "goal", "x = y"),
        (Problem("x = y", types={"x": "nosuchtype"}), "type", "types.x", None),
        (Problem("CONST Nat.Suc", form="tokens"), "type", "goal", None),
        (Problem("CONST $", form="tokens"), "syntax", "goal", None),
        (Problem(" ∧ ".join(["x = y"] * 200)), "tokens", "goal", None),
        (Problem(), "invalid", "goal", None),
    ],
)
def test_mistakes_say_where_they_are(
    engine: Engine, problem: Problem, code: str, field: str, piece: str | None
) -> None:
    with pytest.raises(ProblemError) as caught:
        engine.read(problem)
    error = caught.value
    assert (error.code, error.field) == (code, field)
    assert "\n" not in str(error)
    if piece is not None:
        texts = dict(problem.lines())
        assert error.position is not None
        shown = texts[field][error.position : error.end]
        assert shown.strip("(){}") == piece.strip("(){}") or shown == piece  # brackets around it may be shown or not


def test_every_mistake_is_found_at_once(engine: Engine) -> None:
    parsed = engine.reader_in(engine.theory_contexts.at("Main")).parse(Problem("x ≤", ("x = True", "x ∈", "y = x")))
    assert [where for where, reading in parsed.readings.items() if reading.error] == ["facts[1]", "goal"]
    assert parsed.types() == {"x": "bool", "y": "bool"}


def test_all_propositions_are_typed_together(engine: Engine) -> None:
    task = engine.read(Problem("x ∈ B", ("A ⊆ B", "x ∈ A")))
    assert task.types()["A"] == task.types()["B"] == task.types()["x"] + " set"
    with pytest.raises(ProblemError) as raised:  # A and B have elements of one type
        engine.read(Problem("True ∈ B", ("A ⊆ B", "Suc n ∈ A")))
    assert (raised.value.code, raised.value.field) == ("type", "goal")


def test_types_of_numbered_variables_are_given_as_they_are_shown(engine: Engine) -> None:
    task = engine.read(Problem("x₀ = x₀", types={"x₀": "(Set.set Nat.nat)"}))
    assert task.types() == {"x₀": "nat set"}
    assert task.example.types == {"<X0>": "(Set.set Nat.nat)"}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("nat", "nat"),
        ("nat ⇒ 'a list", "nat ⇒ 'a list"),
        ("('a × nat) set => bool", "('a × nat) set ⇒ bool"),
        ("Set.set", None),
        ("(Set.set Nat.nat)", "nat set"),
        ("'a :: {order, zero}", "'a"),
        ("nat nat", None),
        ("(nat, int)", None),
        ("(" * 300 + "nat", None),
        ("", None),
    ],
)
def test_types_as_people_write_them(engine: Engine, text: str, shown: str | None) -> None:
    problem = Problem("x = x", types={"x": text})
    if shown is None:
        with pytest.raises(ProblemError):
            engine.read(problem)
    else:
        assert engine.read(problem).types() == {"x": shown}


def test_a_sort_may_stand_close_to_its_variable(engine: Engine) -> None:
    for written in ("'a::field", "'a :: field", "'a::Fields.field"):
        task = engine.read(Problem("x * y = y * x", types={"x": written}))
        assert task.types()["x"] == "'a"
        assert [str(each.type.sort) for each in task.general()] == ["('Fields.field',)"]
