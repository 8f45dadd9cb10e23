"""Every method of a printed proof alone, as a real Isabelle is asked about it (`research/benchmarks/prove_in_isabelle.py`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

TEXT = """lemma printed:
  shows "A | B"
proof -
  have s1: "A"
    using assms by ((auto intro: f[OF a(1)]; fail) | metis f g | (unfold d, blast))  (* suggested: by E with f *)
  show ?thesis
    by simp  (* suggested: proved by simp *)
qed"""


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "research" / "benchmarks"))
    import prove_in_isabelle

    return prove_in_isabelle


@pytest.mark.parametrize(
    ("method", "parts"),
    [("simp", ["simp"]), ("(simp add: f)", ["(simp add: f)"]), ("(induct n) (auto | blast)", ["(induct n) (auto | blast)"]),
     ("(a | (b | c; fail) | metis f[OF g])", ["(a)", "((b | c; fail))", "(metis f[OF g])"])],
)  # fmt: skip
def test_alternatives_stand_between_bars_of_the_outermost_brackets(bench: Any, method: str, parts: list[str]) -> None:
    assert bench.alternatives(method) == parts


def test_what_else_the_text_says_is_trusted(bench: Any) -> None:
    found = list(bench.methods_alone(TEXT))
    assert [(place, method) for place, method, _ in found] == [
        (0, "((auto intro: f[OF a(1)]; fail))"), (0, "(metis f g)"), (0, "((unfold d, blast))"), (1, "simp"),
    ]  # fmt: skip
    lines = found[1][2].splitlines()
    assert lines[0] == "declare [[quick_and_dirty]]"
    assert lines[5:8] == ["    using assms by (metis f g)", "  show ?thesis", "    sorry"]
    assert found[3][2].splitlines()[5:8] == ["    using assms sorry", "  show ?thesis", "    by simp"]


def test_what_comes_of_a_place_is_counted_in_the_order_of_its_methods(bench: Any) -> None:
    def row(key: str, answer: str) -> dict[str, str]:
        return {"id": "a", "key": key, "answer": answer}

    rows = [
        row("method 0: (metis f)", "timeout"), row("method 0: ((auto simp add: f; fail))", "proved"),
        row("method 1: (metis f)", "unknown"), row("method 1: (blast)", "proved"), row("method 2: simp", "unknown"),
    ]  # fmt: skip
    assert bench.counted_methods(rows) == {
        "places": {"timeout, a later one proves it": 1, "proved": 1, "none": 1},
        "kinds": {
            "auto simp add:": {"proved": 1}, "blast": {"proved": 1}, "metis": {"timeout": 1, "unknown": 1},
            "simp": {"unknown": 1},
        },
    }  # fmt: skip
