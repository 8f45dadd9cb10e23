"""More unseen entries in a folder beside a benchmark: its own unseen ones, new ones, and nothing that is trained on."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.benchmark.corpus import theory, write_corpus
from tests.benchmark.graph_files import write_graph

from isarstep.benchmark.building.build import build
from isarstep.benchmark.building.fresh import Young, build_fresh
from isarstep.benchmark.rules.leaks import example_renamed_key, find_leaks, trained_at
from isarstep.benchmark.rules.rules import DROPPED, Columns, Sizes, choose_fresh
from isarstep.benchmark.store.store import Benchmark
from isarstep.resources import BENCHMARKS, BESIDE

SIZES = Sizes(scored=12, unseen=20, fresh=30, of_a_theorem=2, band=0.2, unseen_share=0.9, unseen_entries=1)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Benchmark, Benchmark]:
    """A base with one unseen entry, and a folder with that and another one."""
    folder = tmp_path_factory.mktemp("more")
    lone = write_graph(replace(theory(5), session="Lone", theory="Lone.T5"), folder / "old")
    # Nobody who scores rests on this one.
    aside = write_graph(replace(theory(9), session="Aside", theory="Aside.T9", parents=()), folder / "old")
    old = [*write_corpus(folder / "old"), lone, aside]
    build(old, folder / "base", sizes=replace(SIZES, unseen_share=0.3), workers=1)
    young = write_graph(replace(theory(7), session="Young", theory="Young.T7", parents=("Test.T4",)), folder / "new")
    wanted = Young(folder / "base", ["Young"], "", "unseen2", more_unseen=True)
    build_fresh([young, *write_corpus(folder / "old")], folder / "out", wanted, sizes=SIZES, workers=1)
    return Benchmark(folder / "base"), Benchmark(folder / "out")


def test_both_are_scored_and_nothing_is_trained_on(made: tuple[Benchmark, Benchmark]) -> None:
    base, more = made
    unseen = base.manifest["unseen entries"]
    assert unseen
    assert more.manifest["fresh"]["entries"] == sorted([*unseen, "Young"])
    assert more.manifest["fresh"]["base"] == base.hash
    assert {name for name, count in more.manifest["examples"].items() if count} == {"unseen2"}
    found = Counter(example.session for example in more.split("unseen2"))
    assert set(found) == {*unseen, "Young"}
    assert max(found.values()) <= sum(found.values()) / 2 + 1  # two entries: half each
    # What the base has dropped or passed over is not counted here.
    assert base.manifest["counts"]["of unseen entries"]
    assert not any(more.manifest["counts"].get(name) for name in DROPPED)
    earlier = {example.id for example in base.split("unseen")}
    assert {e.id for e in more.split("unseen2") if e.session != "Young"} <= earlier


def test_it_has_what_its_theories_rest_on_and_no_more(made: tuple[Benchmark, Benchmark]) -> None:
    base, more = made
    for name in {example.theory for example in more.split("unseen2")}:
        assert (more.theory_contexts.at(name).theories or set()) <= set(more.theory_contexts.parents)
    assert {"Test.T0", "Test.T4", "Young.T7"} <= set(more.theory_contexts.parents)
    trained_aside = "Aside" not in base.manifest["unseen entries"]
    assert ("Aside.T9" in more.theory_contexts.parents) != trained_aside
    # A constant of no theory here would exist in every context.
    document = more.signature_document()
    declared = {name for row in document["theories"] for name in row["constants"]}
    assert {row[0] for row in document["constants"] if row[0].startswith("T")} <= declared
    assert (not trained_aside) == ("T9.c1" in declared)
    for example in more.split("unseen2"):
        assert example.names or not example.types
    facts = more.facts["theory"].to_pylist()
    assert set(facts) <= set(more.theory_contexts.parents)
    assert more.facts.num_rows < base.facts.num_rows + 2


def test_nothing_of_it_is_in_training(made: tuple[Benchmark, Benchmark]) -> None:
    base, more = made
    trained = list(base.split("train"))
    keys, targets = {example_renamed_key(e) for e in trained}, {e.f1 for e in trained}
    theorems = {e.theorem for e in trained}
    for example in more.split("unseen2"):
        assert example_renamed_key(example) not in keys
        assert example.f1 not in targets
        assert example.theorem not in theorems
    report = find_leaks(more.folder, base.folder)
    assert report.exact == report.renamed == report.theorem == []


def test_it_is_shown_and_held_against_its_base_again_under_its_name(
    made: tuple[Benchmark, Benchmark], tmp_path: Path
) -> None:
    base, more = made
    first = more.split("unseen2")[0]
    assert more.find(first.id)[0] == "unseen2"
    manifest = build_fresh([more.folder], tmp_path / "again", Young(base.folder, [], ""), sizes=SIZES, workers=1)
    assert manifest["examples"] == more.manifest["examples"]
    assert manifest["contents"]["unseen2"] == more.manifest["contents"]["unseen2"]


def test_no_entry_has_too_large_a_share() -> None:
    sizes = [400] * 2 + [60] * 20
    entry = np.repeat(np.arange(len(sizes)), sizes)
    numbers = np.arange(len(entry))
    plain = np.zeros(len(entry), np.int64)
    columns = Columns(numbers, plain, entry, numbers[::-1], numbers, numbers, numbers, plain > 0, plain + 1, plain)
    chosen = choose_fresh(columns, numbers, Sizes(fresh=3000))
    found = np.bincount(entry[chosen])
    assert found.max() <= 0.08 * len(chosen)
    assert len(chosen) > 1400
    assert found[2:].tolist() == [60] * 20
    assert len(choose_fresh(columns, numbers, Sizes(fresh=100))) == 100


@pytest.mark.parametrize("split", [name for name in BESIDE if name.endswith("2")])
def test_the_shipped_ones_are_as_large_as_they_should_be(split: str) -> None:
    opened = Benchmark(BESIDE[split])
    entries = Counter(session for session in opened.table(split, ["session"])["session"].to_pylist())
    assert len(entries) >= {"unseen2": 35, "fresh2": 20}[split]
    assert max(entries.values()) <= 0.08 * entries.total()
    assert entries.total() >= 2_500
    assert opened.manifest["fresh"]["base"] == Benchmark().hash


def test_all_that_is_shipped_is_small_enough() -> None:
    folders = [Benchmark(where).manifest["files"].values() for where in BENCHMARKS]
    assert sum(record["bytes"] for files in folders for record in files) <= 64_000_000


@pytest.mark.slow
@pytest.mark.parametrize("where", BENCHMARKS)
def test_leaks_are_searched_in_what_is_trained_on(where: str) -> None:
    opened = trained_at(Benchmark(where))
    assert opened.hash == Benchmark().hash
    assert len(opened.split("train"))


@pytest.mark.slow
@pytest.mark.parametrize("where", BESIDE.values())
def test_nothing_shipped_beside_the_benchmark_is_trained_on(where: str) -> None:
    base, beside = Benchmark(), Benchmark(where)
    (split,) = [name for name, count in beside.manifest["examples"].items() if count]
    table = base.table("train", ["theorem", "session", "f1"])
    scored = list(beside.split(split))
    assert not {e.theorem for e in scored} & set(table["theorem"].unique().to_pylist())
    assert not {e.session for e in scored} & set(table["session"].unique().to_pylist())
    targets = {e.f1 for e in scored}
    assert not any(text in targets for text in base.propositions.lines(sorted(table["f1"].unique().to_pylist())))
