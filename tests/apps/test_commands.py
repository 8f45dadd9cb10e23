"""propose and sketch through the command line: every way to give a problem, text and JSON."""

import json
from pathlib import Path

import pytest
from tests.documented import documented, mentioned

from isarstep.apps.service import schema
from isarstep.benchmark.store.example import Example
from isarstep.cli import run

pytestmark = pytest.mark.usefixtures("one_engine")


def test_propose_for_an_example(example: Example, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["propose", "--example", example.id, "--beam", "3"]) == 0
    text = capsys.readouterr().out
    assert text.count("\n  ") >= 3
    assert "so that" in text
    assert "(known)" in text


def test_propose_from_flags_a_file_and_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flags = ["--fact", "x ≤ y", "--goal", "x < y + 1", "--type", "x :: nat", "--beam", "3"]
    assert run(["propose", *flags, "--json", "--check"]) == 0
    by_flags = json.loads(capsys.readouterr().out)
    assert by_flags["types"] == {"x": "nat", "y": "nat"}
    assert all(step["first"] for step in by_flags["steps"])
    assert documented("propose --json") == {*by_flags} == {*schema.ProposeAnswer.model_fields} - {"seconds", "finished"}
    assert documented("A step") == {*by_flags["steps"][0]}
    assert documented("A gap") == {*by_flags["steps"][0]["first"]}
    path = tmp_path / "problem.json"
    path.write_text(json.dumps({"facts": ["x ≤ y"], "goal": "x < y + 1", "types": {"x": "nat"}}), encoding="utf-8")
    assert run(["propose", str(path), "--json", "--beam", "3", "--check"]) == 0
    by_file = json.loads(capsys.readouterr().out)
    assert sorted(s["tokens"] for s in by_file["steps"]) == sorted(s["tokens"] for s in by_flags["steps"])


def test_propose_checks_unless_told_not_to(capsys: pytest.CaptureFixture[str]) -> None:
    flags = ["--fact", "x ≤ y", "--goal", "x < y + 1", "--type", "x :: nat", "--beam", "2"]
    assert run(["propose", *flags]) == 0
    text = capsys.readouterr().out
    assert "The goal needs no step: proved" in text
    assert "Unchecked" not in text
    assert "Proved means" in text
    assert run(["propose", *flags, "--no-check"]) == 0
    raw = capsys.readouterr().out
    assert "Unchecked: no prover has seen these steps" in raw
    assert "proved" not in raw


def test_a_goal_that_is_a_library_fact_says_so_first(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["propose", "--goal", "rev (rev xs) = xs", "--beam", "2", "--check"]) == 0
    text = capsys.readouterr().out
    assert "The goal follows by one library fact: List.rev_rev_ident" in text
    assert text.index("one library fact") < text.index("  1 ")


def test_no_time_left_is_told(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isarstep.apps.engine.BRIEFLY", 0.0)
    assert run(["propose", "--fact", "x ≤ y", "--goal", "x < y + 1", "--type", "x :: nat", "--beam", "2"]) == 0
    text = capsys.readouterr().out
    assert text.count("not tried: the time was up") == 2


def test_sketch_prints_a_skeleton(capsys: pytest.CaptureFixture[str]) -> None:
    problem = ["--fact", "x ≤ y", "--fact", "y < z", "--goal", "x < z", "--type", "x :: int"]
    assert run(["sketch", *problem, "--budget", "3600"]) == 0
    text = capsys.readouterr().out
    assert text.startswith(
        'lemma\n  fixes x :: "int"\n    and y :: "int"\n    and z :: "int"\n  assumes "x ≤ y"\n      and "y < z"\n  shows "x < z"\nproof -\n'
    )
    assert "(* closed" in text
    assert run(["sketch", *problem, "--budget", "3600", "--json"]) == 0
    sketch = json.loads(capsys.readouterr().out)
    assert sketch["closed"]
    also_of_propose = {"types", "world", "authority", "notes", "contradiction", "provers", "not_asked"}
    assert documented("sketch --json") | also_of_propose == {*sketch} == {*schema.SketchAnswer.model_fields}
    assert {*sketch["steps"][0]} <= mentioned("sketch --json")


def test_prove_prints_the_proof_and_what_it_does_not_need(capsys: pytest.CaptureFixture[str]) -> None:
    problem = ["x < z", "--fact", "x ≤ y", "--fact", "y < z", "--fact", "w < x", "--type", "x :: int"]
    assert run(["prove", *problem, "--seconds", "3600"]) == 0
    text = capsys.readouterr().out
    assert 'shows "x < z"' in text
    assert "(* closed" in text
    assert "(* not needed: w < x *)" in text
    assert "(* asked: cvc5 " in text
    assert run(["prove", *problem, "--seconds", "3600", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["proved"]
    assert answer["not_needed"] == ["w < x"]
    assert documented("prove --json") == {*answer} - {*schema.SketchAnswer.model_fields}


@pytest.mark.slow
def test_prove_goes_by_induction_where_provers_do_not_get_there(capsys: pytest.CaptureFixture[str]) -> None:
    goal = "foldl (+) (a + b) xs = a + foldl (+) b xs"
    assert run(["prove", goal, "--type", "xs :: nat list", "--seconds", "3600"]) == 0
    text = capsys.readouterr().out
    assert "  proof (induct xs" in text
    assert text.count("    case ") == text.count("then show ?case by ") == 2


def test_prove_ends_with_one_where_there_is_no_proof(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "f x = f y", "--type", "f :: nat ⇒ nat", "--seconds", "1"]) == 1
    assert "(* the goal is false" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--goal", "x ="],
        ["--goal", "x = x", "--example", "0"],
        ["--example", "zzz"],
        ["--goal", "x = x", "--type", "nat"],
        ["no/such/graph.jsonl.zst:A:0:1"],
        ["graph.jsonl.zst:A"],
        ["--graph", "graph.jsonl.zst"],
        ["no/such/file.json"],
    ],
)
def test_mistakes_are_one_line(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("propose", "sketch"):
        assert run([command, *arguments]) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_a_file_with_nonsense(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "problem.json"
    for text in ("{", "[]", '{"goal": 3}', '{"goal": "x = x", "beam": 3}'):
        path.write_text(text, encoding="utf-8")
        assert run(["propose", str(path)]) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_options_that_went_say_what_replaced_them(capsys: pytest.CaptureFixture[str]) -> None:
    for option, said in (("--step", "GRAPH.jsonl.zst:THEORY:PROOF:COMMAND"), ("--library", "HTTP API")):
        assert run(["sketch", "--goal", "x = x", option, "1"]) == 2
        assert said in capsys.readouterr().err


def test_lsp_without_its_package(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert run(["lsp"]) == 2
    assert "pip install 'isarstep[lsp]'" in capsys.readouterr().err
