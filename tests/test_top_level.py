"""`isarstep.load`, `read`, `propose` and `check_step`: typed, quick to import, the same as what stands behind them."""

import inspect
import subprocess
import sys
import typing
from typing import Any

import pytest

import isarstep
from isarstep import cli
from isarstep.bench.store import Split
from isarstep.errors import UserError
from isarstep.logic.reader import Reading
from isarstep.logic.terms import Type
from isarstep.prove.step import Step

RESULTS = {"load": Split, "read": Reading, "propose": list[Step], "check_step": Step}


@pytest.mark.parametrize("name", RESULTS)
def test_every_argument_and_result_has_a_type(name):
    function = getattr(isarstep, name)
    hints = typing.get_type_hints(function, {**vars(isarstep), **{t.__name__: t for t in (Split, Reading, Step)}})
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


@pytest.mark.parametrize("name", ["facts", "others", "hints", "fixed", "theories"])
def test_a_text_where_a_list_is_wanted_is_refused(name: str) -> None:
    given: dict[str, Any] = {"facts": ["x ≤ y"], name: "x ≤ y"}
    with pytest.raises(isarstep.UserError, match=rf"^{name} wants a list of texts, not one text"):
        isarstep.propose(**given, goal="x ≤ z")
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
