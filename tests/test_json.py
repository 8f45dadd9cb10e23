"""`--json`: one document on standard output, with the fields that docs/outputs.md lists."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.documented import documented, mentioned
from tests.score.small import make_benchmark

from isarstep import cli
from isarstep.apps.filling import FilledGap, FilledTheory
from isarstep.common.tables import Table
from isarstep.isabelle.theory.document import SorryGap
from isarstep.prover.check.summary import COUNTED, summary_json


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert cli.run([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_benchmark(tmp_path_factory.mktemp("json") / "benchmark")


def test_show(capsys: pytest.CaptureFixture[str]) -> None:
    found = printed(capsys, "show", "2585bb6c8e55")
    assert documented("show --json") == {*found}
    assert found["target"] == "a = a / b * b"
    assert "a" in found["types"]
    assert found["step"].startswith(found["theory"])


def test_tables(capsys: pytest.CaptureFixture[str], sample: Path) -> None:
    found = printed(capsys, "stats", str(sample))
    assert {"tables", *found["tables"][0]} <= mentioned("JSON of other commands")
    table = Table("key", "title", ("a", "b"), (("x", "1"),), "note")
    assert table.as_json() == {"title": "title", "columns": ["a", "b"], "rows": [["x", "1"]], "note": "note"}
    assert {*found["tables"][0]} == {*table.as_json()}


def test_term(capsys: pytest.CaptureFixture[str]) -> None:
    found = printed(capsys, "term", "CONST HOL.Trueprop $ ( CONST HOL.eq $ FREE <X0> $ CONST HOL.True )")
    assert found["types"] == ["x₀ :: bool"]
    assert {*found} <= mentioned("JSON of other commands")


def test_doctor(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    found = printed(capsys, "doctor")
    assert documented("doctor --json") == {*found, *found["findings"][0]}
    by_name = {each["what"]: each for each in found["findings"]}
    assert by_name["E (eprover)"]["found"] is None
    assert "mcp" in by_name


def test_check() -> None:
    columns = {"rank": 0, "verdict": "well-formed", "kind": "step", "exact": True, "alpha": True, "copy": False}
    flags = ("alternative", "strict_alternative", "correct", "strict_correct", "improves_automation")
    more = dict.fromkeys((*flags, "strictly_improves_automation", "redundant"), False)
    asked = {f"{question}_result": "proved" for question in ("first", "second", "direct", "direct_paper")}
    found = summary_json(pa.Table.from_pylist([columns | more | asked | {"correct": True}]), "E")
    assert documented("check --json") == {*found, "written"}
    steps = found["steps"]
    assert isinstance(steps, dict)
    assert len(steps) == len(COUNTED) + 1, "every property has a name of its own"
    assert (steps["checked"], steps["correct proposition"], steps["correct proposition, without loopholes"]) == (
        1,
        1,
        0,
    )


def test_fill() -> None:
    before = 'lemma "x = x"\n  sorry\n'
    gap = SorryGap(before.index("sorry"), before.index("sorry") + 5, 2)
    found = FilledTheory(Path("Mine.thy"), before, 1, (FilledGap(gap, proof="by simp"),)).as_json()
    gaps = found["gaps"]
    assert isinstance(gaps, list)
    assert documented("fill --json") == {*found, *gaps[0]}
    assert gaps[0]["line"] == 2
    assert "+  by simp" in str(found["diff"])
