"""Isabelle's word on every statement of the theories in `files`: goal, types of its variables, chained and named facts.

Its graphs are kept in `isabelle_states`. Made with Isabelle2025-2 by

    isarstep mine Files -d tests/theory/isabelle_states --out graphs
    python research/benchmarks/states.py --keep tests/theory/isabelle_states graphs/Files/*.jsonl.zst

which also writes `verdicts.txt`: of every file what was compared, and each statement on which we differ.
"""

from pathlib import Path

import pytest
from research.benchmarks.states import compared

from isarstep.benchmark.store.store import Benchmark

HERE = Path(__file__).parent
GRAPHS = HERE / "isabelle_states"
KEPT = sorted(path.name.removesuffix(".jsonl.zst") for path in GRAPHS.glob("*.jsonl.zst"))


def kept_verdicts() -> dict[str, str]:
    parts = (GRAPHS / "verdicts.txt").read_text(encoding="utf-8").split("# ")[1:]
    return {name: lines for name, _, lines in (part.partition("\n") for part in parts)}


@pytest.mark.parametrize("name", KEPT)
def test_isabelle_agrees(name: str, benchmark: Benchmark) -> None:
    source = HERE / "files" / f"{name}.thy"
    assert compared(GRAPHS / f"{name}.jsonl.zst", source, benchmark) == kept_verdicts()[name]


def test_isabelle_was_asked_about_most_files() -> None:
    assert len(KEPT) >= 60
    verdicts = [line.strip() for lines in kept_verdicts().values() for line in lines.splitlines()]
    wrong = [line for line in verdicts if ": another goal" in line or ": other types" in line]
    assert len(wrong) <= 3  # each is explained in docs/theories.md
    assert sum(int(line.split()[0]) for line in verdicts if line.endswith(" statements the same")) >= 220
