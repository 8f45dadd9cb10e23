"""The embedded benchmark is what the rules say: counted here from its files, without the code that applied them."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest

from isarstep.bench.entries import entry_of
from isarstep.bench.identity import table_digest
from isarstep.bench.store import Benchmark

SCORED = ("validation", "test", "unseen")


@pytest.fixture(scope="module")
def benchmark() -> Benchmark:
    found = Benchmark()
    if "version" not in found.manifest:
        pytest.skip("the embedded benchmark is of rules 1")
    return found


@pytest.fixture(scope="module")
def columns(benchmark: Benchmark) -> dict[str, dict[str, list[object]]]:
    names = ["id", "theorem", "session", "mark", "f1"]
    return {name: benchmark.table(name, names).to_pydict() for name in benchmark.splits}


def test_sizes_and_shares(benchmark: Benchmark, columns: dict[str, dict[str, list[object]]]) -> None:
    sizes = {name: len(found["id"]) for name, found in columns.items()}
    assert sizes == benchmark.manifest["examples"]
    assert (sizes["validation"], sizes["test"]) == (5000, 5000)
    for name in SCORED:
        assert max(Counter(columns[name]["theorem"]).values(), default=0) <= 4
        assert set(columns[name]["mark"]) <= {""}
        assert len(set(columns[name]["id"])) == sizes[name]


def test_bands(columns: dict[str, dict[str, list[object]]]) -> None:
    """Test theorems are those of the highest identities, from 0.95 on; validation from 0.9 on; none was passed over."""
    for name, low, high in (("validation", 0.9, 0.95), ("test", 0.95, 1.0)):
        places = {int(str(theorem)[:8], 16) / 2**32 for theorem in columns[name]["theorem"]}
        assert low <= min(places)
        assert max(places) < high


def test_nothing_that_is_scored_is_trained_on(columns: dict[str, dict[str, list[object]]]) -> None:
    train = columns["train"]
    for name in SCORED:
        assert not set(columns[name]["f1"]) & set(train["f1"])
        assert not set(columns[name]["theorem"]) & set(train["theorem"])


def test_common_targets_are_not_scored(columns: dict[str, dict[str, list[object]]]) -> None:
    theorems: dict[object, set[object]] = defaultdict(set)
    for found in columns.values():
        for target, theorem in zip(found["f1"], found["theorem"], strict=True):
            theorems[target].add(theorem)
    for name in SCORED:
        assert max((len(theorems[target]) for target in columns[name]["f1"]), default=0) < 20


def test_unseen_entries_are_unseen(benchmark: Benchmark, columns: dict[str, dict[str, list[object]]]) -> None:
    unseen = set(benchmark.manifest["unseen entries"])
    assert {entry_of(str(session)) for session in columns["unseen"]["session"]} <= unseen
    for name in ("train", "validation", "test"):
        assert not {entry_of(str(session)) for session in columns[name]["session"]} & unseen


def test_the_manifest_says_what_is_there(benchmark: Benchmark) -> None:
    for name in (*SCORED, "facts", "rules", "lemmas"):
        assert table_digest(benchmark.table(name)) == benchmark.manifest["contents"][name]
    counts = benchmark.manifest["counts"]
    dropped = ("too long", "restated", "of scored theorems", "of unseen entries", "leaking", "duplicates")
    kept = sum(benchmark.manifest["examples"].values())
    assert counts["raw"] == kept + sum(counts[name] for name in dropped)


def test_the_rules_cost_little(benchmark: Benchmark) -> None:
    counts = benchmark.manifest["counts"]
    dropped = sum(counts[name] for name in ("of scored theorems", "of unseen entries", "leaking"))
    assert dropped <= 0.08 * (dropped + benchmark.manifest["examples"]["train"])


def test_no_file_is_large(benchmark: Benchmark) -> None:
    sizes = {name: record["bytes"] for name, record in benchmark.manifest["files"].items()}
    assert max(sizes.values()) <= 16 << 20
    assert sum(sizes.values()) <= 64_000_000
    assert sum(sizes.values()) <= 60 * benchmark.manifest["examples"]["train"]
