"""Building: splits without leaks that never move, growth, identical bytes, and folders that survive a kill."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
import zstandard
from tests.benchmark.corpus import theory, write_corpus
from tests.benchmark.graph_files import write_graph
from tests.benchmark.handmade import sqrt_two

from isarstep.benchmark.building.build import build
from isarstep.benchmark.building.fresh import Young, build_fresh
from isarstep.benchmark.rules.rules import TEST, TRAIN, VALIDATION, Sizes, band_of
from isarstep.benchmark.store.identity import benchmark_name, table_digest
from isarstep.benchmark.store.setting import setting_of
from isarstep.benchmark.store.store import Benchmark
from isarstep.common.errors import UserError
from isarstep.premises.fact_base import TRUTH, Library

SIZES = Sizes(scored=12, of_a_theorem=2, band=0.2)  # the small corpus has more to score than is scored
SPLITS = ("train", "validation", "test")


@pytest.fixture(scope="module")
def graphs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return write_corpus(tmp_path_factory.mktemp("graphs"))


@pytest.fixture(scope="module")
def whole(graphs: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("whole") / "bench"
    build(graphs, out, sizes=SIZES, workers=1)
    return out


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_splits_and_counts(whole: Path) -> None:
    benchmark = Benchmark(whole)
    splits = {name: list(benchmark.split(name)) for name in SPLITS}
    assert len(splits["validation"]) == len(splits["test"]) == SIZES.scored
    for name, band in (("validation", VALIDATION), ("test", TEST)):
        assert {band_of(e.theorem, SIZES.band) for e in splits[name]} == {band}
        assert max(Counter(e.theorem for e in splits[name]).values()) == SIZES.of_a_theorem
    held = [*splits["validation"], *splits["test"]]
    assert not {e.f1 for e in splits["train"]} & {e.f1 for e in held}
    assert not {e.theorem for e in splits["train"]} & {e.theorem for e in held}
    ids = [e.id for name in SPLITS for e in splits[name]]
    assert len(ids) == len(set(ids))
    counts = benchmark.manifest["counts"]
    kept = sum(benchmark.manifest["examples"].values())
    rules = ("too long", "restated", "of scored theorems", "of unseen entries", "leaking", "duplicates")
    assert counts["raw"] == kept + sum(counts[rule] for rule in rules)
    assert counts["of scored theorems"] > 0
    assert counts["duplicates"] > 0
    # What is in a band and not scored is trained on.
    assert {band_of(e.theorem, SIZES.band) for e in splits["train"]} == {TRAIN, VALIDATION, TEST}


def test_types_vocabulary_and_facts(whole: Path) -> None:
    benchmark = Benchmark(whole)
    example = benchmark.split("train")[0]
    assert example.types
    assert set(example.types.values()) == {"Nat.nat"}
    assert benchmark.vocabulary[:9] == ["<PAD>", "<BOS>", "<EOS>", "<UNK>", "<SEP>", "<F2>", "<F3>", "<F4>", "<F5>"]
    counts = benchmark.vocabulary_counts[9:]
    assert counts == sorted(counts, reverse=True)
    shown = sum(len(text.split()) for e in benchmark.split("train") for text in (e.f1, *e.f2, *e.f4, *e.f5, e.f3 or ""))
    assert sum(counts) == shown
    library = Library.of_benchmark(benchmark)
    assert [library.theorem(n) for n in range(len(library))] == [f"T{n}.fact" for n in range(5)]
    assert TRUTH not in [library.fact(n).prop for n in range(5)]  # each is typed again
    assert "T1.c1" in benchmark.signature.constants


def test_building_twice_gives_the_same_bytes(graphs: list[Path], whole: Path, tmp_path: Path) -> None:
    build(list(reversed(graphs)), tmp_path / "again", sizes=SIZES, workers=2)
    assert contents(tmp_path / "again") == contents(whole)


@pytest.mark.parametrize("first", [1, 3])
def test_growing_keeps_the_scored_splits(graphs: list[Path], tmp_path: Path, first: int) -> None:
    """And adds what the new graphs have, but for what the scored splits forbid."""
    build(graphs[:first], tmp_path / "part", sizes=SIZES, workers=1)
    build([tmp_path / "part", *graphs[first:]], tmp_path / "grown", sizes=SIZES, workers=1)
    part, grown = Benchmark(tmp_path / "part"), Benchmark(tmp_path / "grown")
    for name in ("validation", "test"):
        assert list(part.split(name)) == list(grown.split(name))
    assert (part.manifest["grown"], grown.manifest["grown"]) == (False, True)
    before, after = ({e.id: e for e in opened.split("train")} for opened in (part, grown))
    assert before.items() <= after.items()
    assert len(after) > len(before)
    held = [e for name in ("validation", "test") for e in grown.split(name)]
    assert not {e.f1 for e in after.values()} & {e.f1 for e in held}
    assert not {e.theorem for e in after.values()} & {e.theorem for e in held}
    everything = Counter(grown.manifest["counts"])
    kept = sum(grown.manifest["examples"].values())
    assert everything["raw"] == kept + everything.total() - everything["raw"] - everything["proofs"]


def test_growing_by_nothing_changes_nothing(whole: Path, tmp_path: Path) -> None:
    build([whole], tmp_path / "again", sizes=SIZES, workers=1)
    assert contents(tmp_path / "again") == contents(whole)


def test_growing_from_the_later_theories(graphs: list[Path], tmp_path: Path) -> None:
    """The part has facts about constants that only the other theories declare."""
    build(graphs[2:], tmp_path / "part", sizes=SIZES, workers=1)
    build([tmp_path / "part", *graphs[:2]], tmp_path / "grown", sizes=SIZES, workers=1)
    assert Benchmark(tmp_path / "grown").facts["name"].to_pylist() == [f"T{n}.fact" for n in range(5)]


def test_the_papers_example_survives_the_way(tmp_path: Path) -> None:
    build([write_graph(sqrt_two(), tmp_path)], tmp_path / "out", workers=1)
    benchmark = Benchmark(tmp_path / "out")
    [paper] = [e for name in benchmark.splits for e in benchmark.split(name) if "even $ FREE <X0>" in e.f1]
    assert paper.f2 == (
        "CONST HOL.Trueprop $ ( CONST Nat.eq $ ( CONST Nat.times $ CONST Nat.two $ ( CONST Nat.sq $ FREE <X1> ) )"
        " $ ( CONST Nat.sq $ FREE <X0> ) )",
    )
    assert paper.step_id == "Test.Sqrt:0:3"
    assert [text for number, text in paper.source() if number == 5] == list(paper.f5)


def test_what_cannot_be_combined_is_refused(
    graphs: list[Path], whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UserError, match="let one of them grow"):
        build([whole, whole.parent / "bench", graphs[0]], tmp_path / "out", sizes=SIZES, workers=1)
    with monkeypatch.context() as other:
        other.setattr("isarstep.benchmark.building.grow.KEPT", {"max_source": 10})
        with pytest.raises(UserError, match="other rules"):
            build([whole], tmp_path / "out", sizes=SIZES, workers=1)
    with pytest.raises(UserError, match="no proof graphs"):
        build([tmp_path], tmp_path / "out", workers=1)
    changed = write_corpus(tmp_path / "changed", 1)[0]
    raw = zstandard.ZstdDecompressor().stream_reader(changed.read_bytes()).read()
    changed.write_bytes(zstandard.ZstdCompressor().compress(raw.replace(b"hash of", b"another hash of")))
    with pytest.raises(UserError, match="has changed"):
        build([whole, changed], tmp_path / "out", sizes=SIZES, workers=1)
    assert not (tmp_path / "out").exists()


def test_graphs_that_a_benchmark_contains_are_skipped(graphs: list[Path], whole: Path, tmp_path: Path) -> None:
    build([whole, *graphs], tmp_path / "out", sizes=SIZES, workers=1)
    assert contents(tmp_path / "out") == contents(whole)


@pytest.mark.parametrize("name", ["propositions.parquet", "train.parquet", "vocab.json", "facts.parquet"])
@pytest.mark.parametrize("damage", ["truncated", "flipped", "missing"])
def test_damaged_files_are_refused_by_name(whole: Path, tmp_path: Path, name: str, damage: str) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    for path in whole.iterdir():
        (copy / path.name).write_bytes(path.read_bytes())
    data = bytearray((copy / name).read_bytes())
    if damage == "truncated":
        (copy / name).write_bytes(data[:-7])
    elif damage == "missing":
        (copy / name).unlink()
    else:
        data[len(data) // 2] ^= 1
        (copy / name).write_bytes(data)

    def read_all() -> None:
        benchmark = Benchmark(copy)
        _ = benchmark.split("train")[0], benchmark.vocabulary, benchmark.facts

    with pytest.raises(UserError, match=name):
        read_all()


def test_a_folder_that_is_no_benchmark_is_not_replaced(graphs: list[Path], tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(UserError, match="not a benchmark"):
        build(graphs[:1], tmp_path, workers=1)
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_killed_while_building_leaves_the_old_benchmark_whole(graphs: list[Path], whole: Path, tmp_path: Path) -> None:
    out = tmp_path / "bench"
    build(graphs[:1], out, sizes=SIZES, workers=1)
    before = contents(out)
    # The child stops for good in the middle of writing, and is killed there.
    code = (
        "import sys, time\nfrom pathlib import Path\nimport isarstep.benchmark.building.write as write\n"
        "def stop(*_):\n    print('here', flush=True)\n    time.sleep(600)\n"
        "write._write_propositions = stop\n"
        "from isarstep.benchmark.building.build import build\nfrom isarstep.benchmark.rules.rules import Sizes\n"
        "build([Path(p) for p in sys.argv[2:]], Path(sys.argv[1]), sizes=Sizes(scored=12, of_a_theorem=2, band=0.2), workers=1)\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code, str(out), *map(str, graphs)], stdout=subprocess.PIPE, start_new_session=True
    )
    assert child.stdout is not None
    assert child.stdout.readline() == b"here\n"
    os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    child.stdout.close()
    assert contents(out) == before
    assert len(Benchmark(out).split("train")) == json.loads(before["manifest.json"])["examples"]["train"]
    build(graphs, out, sizes=SIZES, workers=1)
    assert contents(out) == contents(whole)
    assert [path.name for path in tmp_path.iterdir()] == ["bench"]  # what the killed process left is gone


def test_rules_notation_and_lemmas_are_kept(whole: Path) -> None:
    benchmark = Benchmark(whole)
    names = benchmark.facts["name"].to_pylist()
    rows = [
        (row["theory"], row["kind"], names[row["fact"]], row["proposition"] is not None)
        for row in benchmark.table("rules").to_pylist()
    ]
    assert rows[:2] == [("Test.T0", "simp", "T0.fact", True), ("Test.T0", "intro!", "T0.fact", False)]
    assert ("Test.T3", "no intro!", "T2.fact", False) in rows
    assert len(rows) == 5 * 2 + 4  # a rule about a fact that nobody knows says nothing
    assert benchmark.notation["Test.T1"]["names"] == [["T1.c1", [1], 1]]
    # The lemma that all proofs use is of no theory here; the theorems are of no use to any proof.
    assert benchmark.table("lemmas").num_rows == 0


def test_lemmas_of_examples_are_found_in_the_fact_base(tmp_path: Path) -> None:
    graph = theory(0)
    known = replace(graph.lemmas[0], prop=graph.theorems[0].prop, name="T0.fact")
    build([write_graph(replace(graph, lemmas=(known,)), tmp_path)], tmp_path / "out", workers=1)
    benchmark = Benchmark(tmp_path / "out")
    [pair] = benchmark.table("lemmas").to_pylist()
    assert benchmark.facts["name"][pair["fact"]].as_py() == "T0.fact"
    assert any(benchmark.propositions[pair["proposition"]] in example.f5 for example in benchmark.split("train"))


def test_the_setting_of_an_example(whole: Path) -> None:
    benchmark = Benchmark(whole)
    example = next(e for e in benchmark.split("train") if e.name == "T0.thm1" and "Nat.Q" in e.f1)
    setting = setting_of(benchmark, example)
    assert setting is not None
    assert setting.statement == (example.f3,)
    assert setting.facts == ("CONST HOL.Trueprop $ ( CONST Nat.P $ ( CONST T0.c1 $ FREE <X0> ) )",)
    assert example.names == {"<X0>": "a", "<X1>": "b", "<X2>": "c"}
    assert (example.introduced, example.introduced_after) == ((), (0, 1))


def test_fresh_examples_are_unlike_what_a_base_trains_on(graphs: list[Path], whole: Path, tmp_path: Path) -> None:
    young = replace(theory(7), session="Young", theory="Young.T7")
    path = write_graph(young, tmp_path)
    manifest = build_fresh(
        [*graphs, path], tmp_path / "out", Young(whole, ["Young"], "2026-08"), sizes=Sizes(fresh=9), workers=1
    )
    assert manifest["examples"] == {"train": 0, "validation": 0, "test": 0, "fresh": 9}
    assert manifest["fresh"] == {"entries": ["Young"], "dated": "2026-08", "base": Benchmark(whole).hash}
    trained, scored = (
        list(Benchmark(where).split(name)) for where, name in ((whole, "train"), (tmp_path / "out", "fresh"))
    )
    assert {e.session for e in scored} == {"Young"}
    assert not {e.f1 for e in trained} & {e.f1 for e in scored}
    assert not {e.theorem for e in trained} & {e.theorem for e in scored}
    # "a is even" is a training target and a target of every young proof.
    assert any("Nat.even" in e.f1 for e in trained)
    assert not any("Nat.even" in e.f1 for e in scored)
    with pytest.raises(UserError, match="no graph of such an entry"):
        build_fresh([path], tmp_path / "other", Young(whole, ["Old"], ""), workers=1)


def test_fresh_examples_are_held_against_a_base_that_has_grown(graphs: list[Path], whole: Path, tmp_path: Path) -> None:
    young = replace(theory(7), session="Young", theory="Young.T7")
    path = write_graph(young, tmp_path)
    first = tmp_path / "fresh"
    build_fresh([*graphs, path], first, Young(whole, ["Young"], "2026-08"), sizes=Sizes(fresh=9), workers=1)
    build_fresh([first], tmp_path / "same", Young(whole, [], ""), sizes=Sizes(fresh=9), workers=1)
    assert contents(tmp_path / "same") == contents(first)
    # The base comes to know two of the young theorems under other names.
    part = replace(theory(7), session="Grown", theory="Grown.T7", proofs=theory(7).proofs[:2])
    build([whole, write_graph(part, tmp_path)], tmp_path / "larger", sizes=SIZES, workers=1)
    trained = list(Benchmark(tmp_path / "larger").split("train"))
    theorems, targets = {e.theorem for e in trained}, {e.f1 for e in trained}
    before = list(Benchmark(first).split("fresh"))
    manifest = build_fresh([first], tmp_path / "after", Young(tmp_path / "larger", [], ""), workers=1)
    after = list(Benchmark(tmp_path / "after").split("fresh"))
    assert manifest["fresh"]["base"] == Benchmark(tmp_path / "larger").hash
    left = [e.step_id for e in before if e.theorem not in theorems and e.f1 not in targets]
    assert [e.step_id for e in after] == left
    assert 0 < len(after) < len(before)


def test_what_fresh_is_made_of_is_said_once(graphs: list[Path], whole: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(UserError, match="needs --entry"):
        build_fresh(graphs, out, Young(whole, [], ""), workers=1)
    with pytest.raises(UserError, match="has no fresh examples"):
        build_fresh([whole], out, Young(whole, [], ""), workers=1)
    young = write_graph(replace(theory(7), session="Young", theory="Young.T7"), tmp_path)
    build_fresh([*graphs, young], out, Young(whole, ["Young"], "2026-08"), sizes=Sizes(fresh=9), workers=1)
    with pytest.raises(UserError, match="give it alone"):
        build_fresh([out], tmp_path / "other", Young(whole, ["Young"], ""), workers=1)


def test_a_benchmark_of_earlier_rules_cannot_grow(whole: Path, graphs: list[Path], tmp_path: Path) -> None:
    shutil.copytree(whole, tmp_path / "old")
    manifest = json.loads((whole / "manifest.json").read_text())
    del manifest["rules"]["version"]
    manifest["hash"] = benchmark_name(manifest)
    (tmp_path / "old" / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(UserError, match="rules of version 1, its splits cannot grow"):
        build([tmp_path / "old", *graphs], tmp_path / "out", sizes=SIZES, workers=1)


def test_a_graph_of_an_earlier_format_is_refused_alone_and_among_others(graphs: list[Path], tmp_path: Path) -> None:
    """It reads (docs/graphs.md), but has no notation, no rules, and edges that are not true: nothing to train on."""
    head, *rest = zstandard.ZstdDecompressor().stream_reader(graphs[0].read_bytes()).read().splitlines()
    old = tmp_path / "Old.jsonl.zst"
    for first, why in (
        (json.dumps(json.loads(head) | {"format": 1}), "a graph of format 1"),
        ("[1]", "not a proof graph"),
    ):
        old.write_bytes(zstandard.ZstdCompressor().compress(b"\n".join([first.encode(), *rest])))
        for given in ([old], [*graphs[1:], old]):
            with pytest.raises(UserError, match=f"{why}.*mine the theory again"):
                build(given, tmp_path / "out", sizes=SIZES, workers=1)
    assert not (tmp_path / "out").exists()


def test_a_manifest_whose_hash_is_not_that_of_its_contents_is_refused(whole: Path, tmp_path: Path) -> None:
    shutil.copytree(whole, tmp_path / "other")
    manifest = json.loads((whole / "manifest.json").read_text())
    manifest["contents"]["signature"] = "0" * 64
    (tmp_path / "other" / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(UserError, match="was edited, its name is not that of what it says"):
        Benchmark(tmp_path / "other")


def test_what_the_manifest_says_of_the_contents_is_true(whole: Path) -> None:
    benchmark = Benchmark(whole)
    for name, digest in benchmark.manifest["contents"].items():
        if name not in ("vocab", "signature", "notation"):
            assert table_digest(benchmark.table(name)) == digest, name


@pytest.mark.parametrize("known", [1, 2, 3, 5])
def test_a_folder_of_another_format_is_refused_in_one_line(whole: Path, tmp_path: Path, known: int) -> None:
    shutil.copytree(whole, tmp_path / "old")
    manifest = json.loads((whole / "manifest.json").read_text()) | {"format": known}
    (tmp_path / "old" / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(UserError, match=f"of format {known}.*isarstep build") as error:
        Benchmark(tmp_path / "old")
    assert "\n" not in str(error.value)
