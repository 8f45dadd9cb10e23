"""Exact examples of every test theory, as mined from Isabelle: `expected/THEORY.txt`, one line an example.

When a test theory changes on purpose: `python -m tests.benchmark.test_fixtures` writes the files anew; read the difference.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.benchmark.test_extract import examples_of

from isarstep.isabelle.process.proof_graph import read_graph

GRAPHS = Path(__file__).parent.parent / "isabelle" / "process" / "graphs"
EXPECTED = Path(__file__).parent / "expected"


def listing(path: Path) -> str:
    """Theorem, steps, kind, and F.1-F.5 in short form."""
    lines = []
    for row in examples_of(read_graph(path)):
        where = f"{row['name'].rpartition('.')[2] or '-'} {row['target_step']}->{row['consequence_step']}"
        fields = [row["f1"], "; ".join(row["f2"]), row["f3"], "; ".join(row["f4"]), "; ".join(row["f5"])]
        lines.append(f"{where} {row['target_kind']} | " + " | ".join(fields))
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("path", sorted(GRAPHS.glob("*.jsonl.zst")), ids=lambda path: path.name.partition(".")[0])
def test_examples_of_a_test_theory(path: Path) -> None:
    name = path.name.partition(".")[0]
    assert listing(path) == (EXPECTED / f"{name}.txt").read_text(encoding="utf-8")


def test_there_are_test_theories() -> None:
    assert len(list(GRAPHS.glob("*.jsonl.zst"))) >= 10


def test_the_papers_example_is_mined() -> None:
    """2 b^2 = a^2, hence a is even, hence a = 2 c: the example with which the paper begins."""
    rows = examples_of(read_graph(GRAPHS / "Sqrt_Two.jsonl.zst"))
    [row] = [row for row in rows if row["f1"] == "even <X0>" and row["f3"].startswith("eq <X0> (times ")]
    two = "(numeral (Bit0 One))"
    assert row["f2"] == [f"eq (times {two} (power2 <X1>)) (power2 <X0>)"]
    assert row["f3"] == f"eq <X0> (times {two} <X2>)"
    assert any(lemma.startswith("eq (even (times <V0> <V1>))") for lemma in row["f5"])


if __name__ == "__main__":
    EXPECTED.mkdir(exist_ok=True)
    for graph in sorted(GRAPHS.glob("*.jsonl.zst")):
        (EXPECTED / f"{graph.name.partition('.')[0]}.txt").write_text(listing(graph), encoding="utf-8")
