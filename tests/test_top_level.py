"""The public names: typed, quick to import, functions in every order of imports, the same as what stands behind them."""

import inspect
import subprocess
import sys
import typing
from pathlib import Path
from typing import Any

import pytest

import isarstep
from isarstep import cli
from isarstep.apps.filling import FilledTheory
from isarstep.benchmark.store.store import Split
from isarstep.common.errors import UserError
from isarstep.isabelle.syntax.reading.reader import Reading
from isarstep.isabelle.terms.terms import Type
from isarstep.prover.isar.sketch import Sketch
from isarstep.prover.outcomes.step import Step, Steps
from isarstep.score.scores import Scores

RESULTS = {
    "load": Split,
    "read": Reading,
    "propose": Steps,
    "check_step": Step,
    "prove": Sketch,
    "sketch": Sketch,
    "fill": FilledTheory,
    "evaluate": Scores,
}
TYPES = (Split, Reading, Step, Steps, Sketch, FilledTheory, Scores)
# Ways in which somebody may import.
IMPORTS = (
    "import isarstep",
    "import isarstep.prover.outcomes.verdict as module; assert module.AUTHORITY",
    "from isarstep import evaluate, prove; assert evaluate.__module__ == prove.__module__ == 'isarstep'",
    "from isarstep.score.report.paper import __name__ as inside; assert inside == 'isarstep.score.report.paper'",
)
EVERY_ORDER = """
import importlib, inspect, itertools, pkgutil, sys
for order in itertools.permutations({imports}):
    for name in [name for name in sys.modules if name.partition(".")[0] == "isarstep"]:
        del sys.modules[name]
    for statement in order:
        exec(statement, {{}})
        isarstep = sys.modules["isarstep"]
        assert inspect.isfunction(isarstep.prove), order
        assert list(inspect.signature(isarstep.prove).parameters)[:2] == ["goal", "facts"], order
        assert isarstep.prove.__doc__.startswith("A proof of a statement"), order
        assert inspect.isfunction(isarstep.evaluate), order
        assert list(inspect.signature(isarstep.evaluate).parameters)[0] == "answers", order
    assert pkgutil.resolve_name("isarstep.prover.outcomes.verdict.AUTHORITY")
print("all", len(list(itertools.permutations({imports}))))
"""


def test_the_public_names_are_these_and_no_others():
    assert sorted(isarstep.__all__) == sorted([*RESULTS, "UserError", "__version__"])
    assert all(getattr(isarstep, name) is not None for name in isarstep.__all__)


def test_two_names_are_functions_in_every_order_of_imports():
    code = EVERY_ORDER.format(imports=repr(IMPORTS))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=600)
    assert done.stdout.strip() == "all 24", done.stderr


def test_a_function_may_still_be_replaced_as_tests_do(monkeypatch):
    monkeypatch.setattr(isarstep, "prove", len)
    assert isarstep.prove is len


@pytest.mark.parametrize("name", RESULTS)
def test_every_argument_and_result_has_a_type(name):
    function = getattr(isarstep, name)
    hints = typing.get_type_hints(function, {**vars(isarstep), **{t.__name__: t for t in TYPES}})
    assert hints["return"] == RESULTS[name]
    assert set(hints) == {*inspect.signature(function).parameters, "return"}
    assert typing.Any not in hints.values()


def test_importing_the_package_imports_nothing_heavy():
    code = "import isarstep, sys; print(*(m for m in ('torch', 'pyarrow', 'numpy', 'rich') if m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_read():
    reading = isarstep.read("x² ≥ 0", types={"x": "real"})
    assert reading.frees == {"x": Type("Real.real")}
    assert isarstep.read("prime p", "HOL-Number_Theory.Number_Theory").frees["p"] != Type("Real.real")
    with pytest.raises(UserError, match="there is none"):
        isarstep.read("x = x", "No_Such_Theory")
    with pytest.raises(UserError, match=r"∀x y\. P x y"):
        isarstep.read("∀x, P x")


@pytest.mark.slow
def test_a_step_of_ones_own():
    step = isarstep.check_step("x ≤ z", ["x ≤ y", "y ≤ z"], "x < z + 1", types={"x": "nat"}, seconds=2)
    assert step.text == "x ≤ z"
    assert step.first is not None
    assert step.second is not None
    assert step.contradiction is None


@pytest.mark.slow
def test_nobody_says_that_the_facts_contradict_each_other():
    step = isarstep.check_step("x = y", ["x < y", "y < x"], "x = y", types={"x": "nat"}, seconds=2)
    assert step.sides == 2
    assert step.contradiction is not None


def test_answers_are_scored_by_example() -> None:
    examples = isarstep.load("embedded", "test").lowest(2)
    right, wrong = examples
    scores = isarstep.evaluate({right.id: [right.f1], wrong.id: [wrong.f3 or "", wrong.f1]}, limit=2)
    assert (scores.top1.value, scores.top10.value) == (50, 100)
    assert "examples:2" in str(scores)
    with pytest.raises(UserError, match=r"^example nobody is not in this split"):
        isarstep.evaluate({"nobody": [right.f1]}, limit=2)
    with pytest.raises(UserError, match=f"^answers to {right.id} wants a list of texts"):
        isarstep.evaluate({right.id: right.f1}, limit=2)


@pytest.mark.slow
def test_a_file_is_filled_and_written_when_asked(tmp_path: Path) -> None:
    path = tmp_path / "Mine.thy"
    path.write_text('theory Mine imports Main begin\nlemma "rev (rev xs) = xs"\n  sorry\nend\n')
    filled = isarstep.fill(path, seconds=20)
    assert filled.proved == 1
    assert "-  sorry\n+  by simp (* suggested: " in str(filled)
    assert "sorry" in path.read_text()
    filled.write()
    assert path.read_text() == filled.text
    with pytest.raises(UserError, match="there is no sorry"):
        isarstep.fill(path)


@pytest.mark.slow
def test_proofs() -> None:
    proof = isarstep.prove("x < z", ["x ≤ y", "y < z"], types={"x": "int"}, seconds=20)
    assert proof.closed
    assert str(proof) == proof.isar()
    assert 'shows "x < z"' in str(proof)
    with pytest.raises(UserError, match=r"^facts wants a list"):
        isarstep.prove("x < z", "x ≤ y")


@pytest.mark.parametrize("name", ["facts", "others", "hints", "fixed", "theories"])
def test_a_text_where_a_list_is_wanted_is_refused(name: str) -> None:
    given: dict[str, Any] = {"facts": ["x ≤ y"], name: "x ≤ y"}
    with pytest.raises(isarstep.UserError, match=rf"^{name} wants a list of texts, not one text"):
        isarstep.propose(**given, goal="x ≤ z")
    with pytest.raises(isarstep.UserError, match=rf"^{name} wants a list"):
        isarstep.sketch(**given, goal="x ≤ z")
    if name != "hints":
        with pytest.raises(isarstep.UserError, match=rf"^{name} wants a list"):
            isarstep.check_step("x ≤ y", **given, goal="x ≤ z")


def test_show_finds_an_embedded_example_by_its_id_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["show", "2585bb6c8e55"]) == 0
    alone = capsys.readouterr().out
    assert cli.run(["show", "embedded#2585bb6c8e55"]) == 0
    assert capsys.readouterr().out == alone
    assert "a = a / b * b" in alone
    assert cli.run(["show", "#"]) == 2
