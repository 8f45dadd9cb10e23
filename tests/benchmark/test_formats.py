"""Release format and JSONL: import, export, and the way there and back."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from isarstep.benchmark.building.build import build
from isarstep.benchmark.export import export
from isarstep.benchmark.export.export import export_records, export_release, source_line
from isarstep.benchmark.export.formats import import_release, parse_source
from isarstep.benchmark.store.canary import CANARY
from isarstep.benchmark.store.store import Benchmark
from isarstep.cli import run
from isarstep.common.errors import UserError

P = "CONST HOL.Trueprop $ ( CONST P $ FREE <X0> )"
Q = "CONST HOL.Trueprop $ ( CONST Q $ FREE <X0> )"
R = "CONST HOL.Trueprop $ ( CONST HOL.All $ ( ABS CONST R $ BOUND 0 $ VAR <V0> ) )"


def write_release(folder: Path) -> None:
    """In the irregular style of the original files: glued brackets, odd blanks, an `ABS` without brackets."""
    glued = R.replace("( ", "(").replace(" )", ")")
    bare = "CONST HOL.Trueprop $ ( CONST HOL.All $ ABS CONST R $ BOUND 0 $ VAR <V0> )"
    sources = [
        f"<used_local_facts>  <SEP> {P}  <consequences> {Q} <consequences_others> <SEP> {glued}<used_global_facts>".replace(
            ")<used", ") <used"
        ),
        f"<used_local_facts> <consequences> {Q} <consequences_others> <used_global_facts> <SEP> {bare}",
    ]
    for split, lines in {"train": sources, "valid": sources[:1], "test": sources[1:]}.items():
        with gzip.open(folder / f"{split}.source_g.txt.gz", "wt") as file:
            file.write("\n".join(lines) + "\n")
        (folder / f"{split}.target.txt").write_text("".join(f"{R}\n" for _ in lines))
        (folder / f"{split}.meta.txt").write_text("".join(f"HOL.Set<!;!>thm{n}\n" for n in range(len(lines))))


def test_import_of_a_release(tmp_path: Path) -> None:
    write_release(tmp_path)
    manifest = import_release(tmp_path, tmp_path / "out")
    assert manifest["examples"] == {"train": 2, "validation": 1, "test": 1}
    train = Benchmark(tmp_path / "out").split("train")
    assert (train[0].f1, train[0].f2, train[0].f3, train[0].f4, train[0].f5) == (R, (P,), Q, (R,), ())
    assert (train[1].f2, train[1].f3, train[1].f4, train[1].f5) == ((), Q, (), (R,))
    assert train[0].theory == "HOL.Set"
    assert train[0].name == "thm0"
    with pytest.raises(UserError, match="was imported"):
        build([tmp_path / "out"], tmp_path / "grown")


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("train.target.txt", f"{P}\n", "ends before line 2"),
        ("train.target.txt", f"{P}\n{P}\n{P}\n", "more lines"),
        ("train.target.txt", f"{P}\n\n", "line 2 is empty"),
        ("train.source_g.txt", f"{P}\n{P}\n", "before the first label"),
        ("train.source_g.txt", f"<consequences> {P} <SEP> {Q}\n\n", "more than one consequence"),
    ],
)
def test_files_that_do_not_fit_are_refused(tmp_path: Path, name: str, text: str, complaint: str) -> None:
    write_release(tmp_path)
    (tmp_path / "train.source_g.txt.gz").unlink()
    line = f"<used_local_facts> <consequences> {Q} <consequences_others>\n"
    (tmp_path / "train.source_g.txt").write_text(2 * line)
    (tmp_path / name).write_text(text)
    with pytest.raises(UserError, match=complaint):
        import_release(tmp_path, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_nothing_to_import(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no files like"):
        import_release(tmp_path, tmp_path / "out")


def test_there_and_back(small_benchmark: Path, tmp_path: Path) -> None:
    export_release(Benchmark(small_benchmark), tmp_path / "release")
    import_release(tmp_path / "release", tmp_path / "again")
    for name in Benchmark(tmp_path / "again").splits:
        before, after = list(Benchmark(small_benchmark).split(name)), list(Benchmark(tmp_path / "again").split(name))
        assert [e.id for e in before] == [e.id for e in after]
        for old, new in zip(before, after, strict=True):
            assert (old.f1, old.f3, old.theorem, old.name) == (new.f1, new.f3, new.theorem, new.name)
            for field in ("f2", "f4", "f5"):
                assert sorted(getattr(old, field)) == sorted(getattr(new, field))
    without = [parse_source(line) for line in (tmp_path / "release" / "test.source.txt").read_text().splitlines()]
    assert not any(fields[5] for fields in without)
    assert any(e.f5 for e in Benchmark(small_benchmark).split("test"))


def test_longest_proposition_first(small_benchmark: Path) -> None:
    for example in Benchmark(small_benchmark).split("test"):
        for texts in parse_source(source_line(example, hints=True)).values():
            lengths = [len(text.split()) for text in texts]
            assert lengths == sorted(lengths, reverse=True)


@pytest.mark.parametrize("style", ["tokens", "unicode", "latex"])
def test_jsonl(small_benchmark: Path, tmp_path: Path, style: str) -> None:
    export_records(Benchmark(small_benchmark), tmp_path, style=style, hints=style == "tokens")
    rows = [json.loads(line) for line in (tmp_path / "train.jsonl").read_text().splitlines()]
    example = Benchmark(small_benchmark).split("train")[0]
    assert rows[0]["id"] == example.id
    assert rows[0]["types"] == list(example.types.values())
    assert len(rows[0]["variables"]) == len(rows[0]["types"])
    assert ("f5" in rows[0]) == (style == "tokens")
    assert (rows[0]["f1"] == example.f1) == (style == "tokens")
    assert "CONST" not in rows[0]["f1"] or style == "tokens"
    assert not list(tmp_path.glob("*.tmp"))


@pytest.mark.parametrize("style", ["tokens", "unicode"])
@pytest.mark.parametrize("hints", [True, False])
def test_parquet_has_the_records_of_jsonl(small_benchmark: Path, tmp_path: Path, style: str, hints: bool) -> None:
    benchmark = Benchmark(small_benchmark)
    export_records(benchmark, tmp_path / "jsonl", style=style, hints=hints)
    parquet = export_records(benchmark, tmp_path / "parquet", form="parquet", style=style, hints=hints)
    hub = export_records(benchmark, tmp_path / "hub", form="hf", style=style, hints=hints)
    assert {path.name for path in parquet} == {
        f"{name}.parquet" for name in benchmark.splits if len(benchmark.split(name))
    }
    assert {str(path.relative_to(tmp_path / "hub")) for path in hub} == {
        "README.md", "croissant.json", *(f"data/{path.name}" for path in parquet)
    }  # fmt: skip
    assert "path: data/test.parquet" in (tmp_path / "hub" / "README.md").read_text()
    for path in parquet:
        rows = [json.loads(line) for line in (tmp_path / "jsonl" / f"{path.stem}.jsonl").read_text().splitlines()]
        table = pq.read_table(path)
        assert table.to_pylist() == rows
        assert [*rows[0]] == table.column_names
        assert table.schema.metadata == {b"canary": CANARY.encode()}
        assert pq.read_table(tmp_path / "hub" / "data" / path.name).equals(table)
        assert table["id"].to_pylist() == benchmark.split(path.stem).column("id")


@pytest.mark.parametrize("style", ["tokens", "unicode"])
def test_several_processes_write_the_same_files(
    small_benchmark: Path, tmp_path: Path, style: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "_PIECE", 7)
    monkeypatch.setattr(export, "_THEORIES_PIECE", 4)
    files = {}
    for jobs in (1, 2):
        for path in export_records(Benchmark(small_benchmark), tmp_path / str(jobs), style=style, jobs=jobs):
            files.setdefault(path.name, set()).add(path.read_bytes())
    assert {name: len(contents) for name, contents in files.items()} == dict.fromkeys(files, 1)


def test_datasets_reads_an_export(small_benchmark: Path, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    benchmark = Benchmark(small_benchmark)
    files = export_records(benchmark, tmp_path / "parquet", form="parquet")
    found = datasets.load_dataset(
        "parquet", data_files={path.stem: str(path) for path in files}, cache_dir=str(tmp_path / "cache")
    )
    assert found["test"]["id"] == benchmark.split("test").column("id")
    export_records(benchmark, tmp_path / "hub", form="hf")
    again = datasets.load_dataset(str(tmp_path / "hub"), cache_dir=str(tmp_path / "cache"))
    assert again["train"][0]["f1"] == benchmark.split("train")[0].target


def test_other_tools_read_the_parquet_files(small_benchmark: Path) -> None:
    example = Benchmark(small_benchmark).split("test")[0]
    polars = pytest.importorskip("polars")
    rows = polars.read_parquet(small_benchmark / "test.parquet")
    texts = polars.read_parquet(small_benchmark / "propositions.parquet")["tokens"]
    assert rows["id"][0] == example.id
    assert texts[rows["f1"][0]] == example.f1
    assert [texts[n] for n in rows["f4"][0]] == list(example.f4)


def test_duckdb_reads_the_parquet_files(small_benchmark: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    example = Benchmark(small_benchmark).split("test")[0]
    found = duckdb.sql(
        f"SELECT t.id, p.tokens FROM '{small_benchmark}/test.parquet' t JOIN (SELECT tokens, row_number() OVER () - 1 AS number "
        f"FROM '{small_benchmark}/propositions.parquet') p ON p.number = t.f1 WHERE t.id = '{example.id}'"
    ).fetchall()
    assert found == [(example.id, example.f1)]


def test_datasets_reads_the_parquet_files(small_benchmark: Path, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    example = Benchmark(small_benchmark).split("test")[0]
    loaded = datasets.load_dataset(
        "parquet", data_files={"test": str(small_benchmark / "test.parquet")}, cache_dir=str(tmp_path), split="test"
    )
    assert loaded[0]["id"] == example.id


def test_commands(small_benchmark: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    example = Benchmark(small_benchmark).split("test")[0]
    assert run(["show", f"{small_benchmark}#{example.id[:8]}", "--style", "tokens"]) == 0
    shown = capsys.readouterr().out
    assert example.f1 in shown
    assert "F.5" in shown
    assert run(["stats", str(small_benchmark), "--leaks"]) == 0
    printed = capsys.readouterr().out
    assert "29,759" in printed
    assert (
        run(["export", str(small_benchmark), "--out", str(tmp_path / "one"), "--format", "jsonl", "--split", "test"])
        == 0
    )
    assert [path.name for path in sorted((tmp_path / "one").glob("*.jsonl"))] == ["test.jsonl"]
    assert run(["export", str(small_benchmark), "--out", str(tmp_path / "release")]) == 0
    parquet = ["export", str(small_benchmark), "--format", "parquet", "--jobs", "1", "--out", str(tmp_path / "parquet")]
    assert run(parquet) == 0
    assert pq.read_table(tmp_path / "parquet" / "test.parquet")["id"][0].as_py() == example.id
    assert run(["export", str(small_benchmark), "--format", "csv", "--out", str(tmp_path / "csv")]) == 2
    assert run(["import", str(tmp_path / "release"), "--out", str(tmp_path / "imported")]) == 0
    assert run(["show", f"{small_benchmark}#zzz"]) == 2
    assert run(["show", "nothing"]) == 2
    assert run(["stats", str(tmp_path / "none")]) == 2
    assert run(["build", str(small_benchmark), "--out", str(tmp_path / "grown")]) == 0
    assert "of scored theorems" in capsys.readouterr().out
