"""Additions beside a frozen benchmark: nothing that is scored is trained on, and nothing is repeated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from tests.benchmark.corpus import theory, typed, write_corpus
from tests.benchmark.graph_files import write_graph
from tests.benchmark.handmade import prop
from tests.benchmark.test_more_unseen import SIZES

from isarstep.benchmark.building.additions import LIBRARY, ROWS, Ground, build_addition, copying_theories, last_name_key
from isarstep.benchmark.building.build import build
from isarstep.benchmark.building.fresh import Young, build_fresh
from isarstep.benchmark.rules.leaks import example_renamed_key
from isarstep.benchmark.store.layout import LEMMAS
from isarstep.benchmark.store.store import Benchmark
from isarstep.common.errors import UserError
from isarstep.isabelle.context.fact_table import FACTS
from isarstep.isabelle.process.proof_graph import Graph, Lemma
from isarstep.resources import BESIDE, EMBEDDED, NAMES


def seven() -> Graph:
    """A theory that states more than one theorem."""
    graph = theory(7)
    more = [Lemma(f"T7.more{k}", 0, prop("Nat.less", (f"T7.c{k}", "?x"), (f"T7.c{k + 1}", "?x"))) for k in range(4)]
    return replace(graph, theorems=(*graph.theorems, *(replace(fact, prop=typed(fact.prop)) for fact in more)))


class Folders:
    """A base with test and validation splits, an entry scored beside it, and two additions."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        corpus = write_corpus(folder / "old")
        lone = write_graph(replace(theory(5), session="Lone", theory="Lone.T5"), folder / "old")
        build([*corpus, lone], folder / "base", sizes=replace(SIZES, unseen_share=0.3), workers=1)
        young = write_graph(replace(seven(), session="Young", theory="Young.T7", parents=("Test.T4",)), folder / "y")
        wanted = Young(folder / "base", ["Young"], "", "unseen2", more_unseen=True)
        build_fresh([young, *corpus], folder / "unseen2", wanted, sizes=SIZES, workers=1)
        self.first = self.add(
            "first",
            [
                write_graph(replace(theory(8), parents=("Test.T4",)), folder / "new"),
                # A session that rests on an entry that is scored as a whole, and a theory of it that does not.
                write_graph(
                    replace(theory(10), session="Resting", theory="Resting.T10", parents=("Young.T7",)), folder / "new"
                ),
                write_graph(
                    replace(theory(11), session="Resting", theory="Resting.T11", parents=("Test.T4",)), folder / "new"
                ),
                # The same theory under other names of session and theory.
                write_graph(replace(seven(), session="Copy", theory="Copy.T7", parents=("Test.T4",)), folder / "new"),
                young,
                *corpus,
            ],
        )
        self.second = self.add(
            "second",
            [
                write_graph(replace(theory(12), parents=("Test.T8",)), folder / "newer"),
                write_graph(replace(theory(8), session="Again", theory="Again.T8", parents=()), folder / "newer"),
            ],
            self.first,
        )

    def add(self, name: str, graphs: Sequence[Path], *earlier: Path) -> Path:
        build_addition(graphs, self.folder / name, self.ground(*earlier), workers=1)
        return self.folder / name

    def ground(self, *earlier: Path) -> Ground:
        return Ground.of(self.folder / "base", earlier, [self.folder / "unseen2"])


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Folders:
    return Folders(tmp_path_factory.mktemp("additions"))


def theories_of(folder: Path) -> set[str]:
    return {row["name"] for row in Benchmark(folder).signature_document()["theories"]}


def test_the_library_has_every_new_theory_and_the_rows_only_what_may_be_trained_on(folders: Folders) -> None:
    new = {"Test.T8", "Resting.T10", "Resting.T11", "Copy.T7"}
    assert theories_of(folders.first / LIBRARY) == new
    rows = Benchmark(folders.first / ROWS)
    assert {example.theory for example in rows.split("train")} == {"Test.T8"}
    counts = rows.manifest["counts"]
    assert counts["of unseen entries"]
    assert counts["of copied theories"]


def test_no_row_is_of_a_scored_theorem_or_has_a_scored_target(folders: Folders) -> None:
    scored = [
        example
        for folder in ("base", "unseen2")
        for name in Benchmark(folders.folder / folder).splits
        if name != "train"
        for example in Benchmark(folders.folder / folder).split(name)
    ]
    rows = [e for path in (folders.first, folders.second) for e in Benchmark(path / ROWS).split("train")]
    assert rows
    assert not {e.theorem for e in rows} & {e.theorem for e in scored}
    assert not {e.f1 for e in rows} & {e.f1 for e in scored}
    assert not set(map(example_renamed_key, rows)) & set(map(example_renamed_key, scored))


def test_what_is_trained_on_already_is_not_repeated(folders: Folders) -> None:
    pieces = [Benchmark(folders.folder / "base"), *(Benchmark(p / ROWS) for p in (folders.first, folders.second))]
    examples = [(e.f1, e.f2, e.f3, e.f4, e.f5) for piece in pieces for e in piece.split("train")]
    assert len(examples) == len(set(examples))


def test_numbers_of_facts_count_through_all_folders(folders: Folders) -> None:
    folder_list = [folders.folder / "base", folders.first / LIBRARY, folders.second / LIBRARY]
    names = [name for path in folder_list for name in Benchmark(path).table(FACTS, ["name"])["name"].to_pylist()]
    library = Benchmark(folders.second / LIBRARY)
    assert library.manifest["addition"]["facts before"] == len(names) - library.manifest["facts"]
    rules = library.table("rules").to_pylist()
    own = {row["theory"]: names[row["fact"]] for row in rules if row["kind"] == "simp"}
    assert own == {"Test.T12": "T12.fact", "Again.T8": "Again.T8.fact"}
    rows = Benchmark(folders.second / ROWS)
    for row in rows.table(LEMMAS).to_pylist():
        assert names[row["fact"]].endswith("fact")


def test_a_name_that_is_taken_stays_with_the_older_theory(folders: Folders) -> None:
    constants = {row[0] for row in Benchmark(folders.second / LIBRARY).signature_document()["constants"]}
    assert "Again.T8.c1" in constants
    assert "T8.c1" not in constants
    assert Benchmark(folders.second / LIBRARY).manifest["qualified"] == ["Again.T8"]


def test_a_second_build_gives_the_same_bytes(folders: Folders) -> None:
    again = folders.add("again", [folders.folder / "newer"], folders.first)
    for part in (LIBRARY, ROWS):
        assert Benchmark(again / part).hash == Benchmark(folders.second / part).hash


def test_additions_are_given_in_order(folders: Folders) -> None:
    with pytest.raises(UserError, match="in the order of their making"):
        folders.ground(folders.second)
    with pytest.raises(UserError, match="all these theories are known"):
        folders.add("nothing", [folders.folder / "new"], folders.first)


def test_a_copy_is_found_by_last_names() -> None:
    one = last_name_key(["CONST A.f $ <X3>"])
    assert one == last_name_key(["CONST B.C.f $ <X0>"])
    assert one != last_name_key(["CONST A.g $ <X0>"])
    keys = [bytes([n]) for n in range(8)]
    scored = {key: frozenset({"S.T"}) for key in keys[:4]}
    assert copying_theories({"New.A": keys[:4], "New.B": keys, "New.C": keys[:2] + keys[4:]}, scored) == {
        "New.A",
        "New.B",
    }


ADDITIONS = sorted((Path(__file__).parents[2] / "data" / "additions").glob("*/"))


def test_the_additions_beside_the_embedded_benchmark_fit_it() -> None:
    embedded = Benchmark()
    beside = [Benchmark(name) for name in BESIDE.values()]
    scored = pa.chunked_array(
        [
            chunk
            for folder in (embedded, *beside)
            for name in folder.splits
            if name != "train"
            for chunk in folder.table(name, ["theorem"])["theorem"].chunks
        ]
    )
    held_out = {*embedded.manifest["unseen entries"]}.union(*(b.manifest["fresh"]["entries"] for b in beside))
    before = [embedded.column("train", "id")]
    earlier: list[str] = []
    facts = embedded.manifest["facts"]
    for folder in ADDITIONS:
        library, rows = Benchmark(folder / LIBRARY).compare(), Benchmark(folder / ROWS).compare()
        where = {"base": NAMES[EMBEDDED], "earlier": earlier, "facts before": facts}
        assert library.manifest["addition"] == rows.manifest["addition"] == where
        ids = rows.column("train", "id")
        assert not any(pc.any(pc.is_in(ids, known)).as_py() for known in before)
        assert not pc.any(pc.is_in(rows.column("train", "theorem"), scored.combine_chunks())).as_py()
        assert held_out.isdisjoint(rows.column("train", "session").unique().to_pylist())
        before.append(ids)
        earlier = [*earlier, library.hash]
        facts += library.manifest["facts"]
