"""`isarstep check`: a table of verdicts, resumed and spread without a trace, and clear refusals."""

from __future__ import annotations

import gc
import json
import os
import re
import signal
import subprocess
import sys
import weakref
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import zstandard
from tests.needs import PROC_FILES
from tests.prover.small_benchmark import write_small_benchmark
from tests.waiting import gone, until

from isarstep.benchmark.store.example import Example
from isarstep.benchmark.store.identity import benchmark_name
from isarstep.benchmark.store.layout import sha256_of
from isarstep.benchmark.store.store import Benchmark
from isarstep.cli import run
from isarstep.premises.fact_base import Library
from isarstep.prover.atp.provers import installed
from isarstep.prover.check import jobs
from isarstep.prover.check.step_checker import Checker


@pytest.fixture(scope="module")
def benchmark(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Example]]:
    folder = tmp_path_factory.mktemp("check") / "benchmark"
    return folder, write_small_benchmark(folder)


def predictions(path: Path, made: list[Example]) -> Path:
    nonsense = "CONST HOL.Trueprop $ ( CONST HOL.eq"
    lines = [{"id": e.id, "predictions": [{"tokens": e.f1}, {"tokens": nonsense}]} for e in made]
    path.write_text("\n".join(map(json.dumps, lines)) + "\n")
    return path


def rows(path: Path) -> list[dict[str, Any]]:
    table = pq.read_table(path)
    timing = [name for name in table.column_names if name.endswith("_seconds")]
    return list(table.drop_columns(timing).to_pylist())


def options(folder: Path, out: Path) -> list[str]:
    return ["--benchmark", str(folder), "--out", str(out), "--effort", "quick", "--jobs", "1"]


def test_the_fact_base_of_a_benchmark_is_typed(benchmark: tuple[Path, list[Example]]) -> None:
    from tests.prover.derivations import FACTS
    from tests.prover.language import lemma

    library = Library.of_benchmark(Benchmark(benchmark[0]))
    from isarstep.isabelle.terms.normal_names import normalise

    for number, (name, (text, types)) in enumerate(FACTS.items()):
        assert library.theorem(number) == name
        assert library.fact(number).prop == normalise(lemma(name, text, types).prop, [])
    assert library.before("S.Late") == len(FACTS)


def test_tokens_of_facts_are_the_same_read_at_once_or_one_by_one(benchmark: tuple[Path, list[Example]]) -> None:
    opened = Benchmark(benchmark[0])
    one_by_one, at_once = Library.of_benchmark(opened), Library.of_benchmark(opened)
    at_once.read(None)
    assert [*one_by_one.texts] == [*at_once.texts]
    for number in (0, len(at_once) - 1):
        assert number in at_once.find(one_by_one.texts[number])
    some = [3, 0, 3, 1]
    assert opened.propositions.lines(some) == [opened.propositions[number] for number in some]


def test_check_writes_verdicts_and_a_summary(
    benchmark: tuple[Path, list[Example]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, made = benchmark
    out = tmp_path / "verdicts.parquet"
    assert run(["check", str(predictions(tmp_path / "p.jsonl", made)), "--top", "2", *options(folder, out)]) == 0
    table = rows(out)
    assert [(r["example"], r["rank"]) for r in table] == [(e.id, rank) for e in made for rank in (0, 1)]
    assert [r["verdict"] for r in table] == ["well-formed", "ill-formed"] * len(made)
    first = {r["example"]: r for r in table if r["rank"] == 0}
    assert all(r["correct"] for r in first.values())
    by_number = [first[e.id] for e in made]
    assert [r["first_result"] == "proved" for r in by_number] == [True, True, False, True, False]  # 2 is an assumption
    assert [r["second_result"] == "proved" for r in by_number] == [True, True, True, True, False]
    assert "linear" in by_number[3]["first_facts"]
    assert not out.with_name(out.name + ".parts").exists()
    printed = capsys.readouterr().out
    assert f"{', '.join(installed())}, 0.4 s a gap" in printed
    assert "assumptions" in printed


def test_references_are_checked_without_predictions(benchmark: tuple[Path, list[Example]], tmp_path: Path) -> None:
    out = tmp_path / "verdicts.parquet"
    assert run(["check", "--limit", "2", *options(benchmark[0], out)]) == 0
    assert [r["exact"] for r in rows(out)] == [True, True]


def descendants(pid: int) -> list[int]:
    """The processes that a process started, and those that they started."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):  # it has ended meanwhile
            for child in map(int, task.read_text().split()):
                found += [child, *descendants(child)]
    return found


@PROC_FILES
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT])
def test_an_interrupted_run_leaves_nothing_and_resumes_to_the_same_table(
    benchmark: tuple[Path, list[Example]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: signal.Signals
) -> None:
    folder, made = benchmark
    given = str(predictions(tmp_path / "p.jsonl", made))
    whole, resumed = tmp_path / "whole.parquet", tmp_path / "resumed.parquet"
    assert run(["check", given, *options(folder, whole)]) == 0
    # A chunk of its own for every example, so that there is something to resume.
    monkeypatch.setattr(jobs, "CHUNK", 1)
    code = (
        "import signal, sys\nfrom isarstep.prover.check import jobs\nfrom isarstep.cli import run\njobs.CHUNK = 1\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # background jobs of a shell ignore it
        "if __name__ == '__main__': sys.exit(run(sys.argv[1:]))\n"
    )
    program = tmp_path / "program.py"
    program.write_text(code)
    command = [sys.executable, str(program), "check", given, *options(folder, resumed)]
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    parts = resumed.with_name(resumed.name + ".parts")
    assert until(lambda: list(parts.glob("*.parquet")) or process.poll() is not None)
    started = descendants(process.pid) if process.poll() is None else []
    with suppress(ProcessLookupError):  # it may have come to its end before
        if end == signal.SIGINT:
            os.killpg(process.pid, end)  # as a terminal does
        else:
            os.kill(process.pid, end)
    _, complaint = process.communicate()
    assert all(gone(pid) for pid in started)
    assert "Traceback" not in complaint
    if not resumed.exists():
        assert run(["check", given, "--resume", *options(folder, resumed)]) == 0
    assert rows(resumed) == rows(whole)


def test_one_process_writes_a_table(
    benchmark: tuple[Path, list[Example]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "verdicts.parquet"
    with jobs.writing_verdicts(out):
        assert run(["check", "--limit", "1", *options(benchmark[0], out)]) == 2
    said = capsys.readouterr().err
    assert "verdicts.parquet.parts: process" in said
    assert "is writing here" in said
    assert list(tmp_path.iterdir()) == []


def test_resuming_something_else_is_refused(
    benchmark: tuple[Path, list[Example]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, made = benchmark
    out = tmp_path / "verdicts.parquet"
    settings = jobs.Settings(str(folder), "test", 0.3, 2 << 30, 0)
    jobs.Run(out, settings, [jobs.Work(0, (made[0].f1,))], resume=False)
    assert run(["check", "--resume", *options(folder, out)]) == 2
    assert "other predictions or settings" in capsys.readouterr().err


def test_a_table_names_its_checker_and_no_other_one_goes_on_with_it(
    benchmark: tuple[Path, list[Example]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, made = benchmark
    out = tmp_path / "verdicts.parquet"
    assert run(["check", "--limit", "1", *options(folder, out)]) == 0
    named = pq.read_schema(out).metadata[b"checker"].decode()
    assert re.fullmatch(r"isarstep \S+, code [0-9a-f]{12}", named)
    settings, work = jobs.Settings(str(folder), "test"), [jobs.Work(0, (made[0].f1,))]
    key = settings.key(work)
    monkeypatch.setattr(jobs, "checker_name", lambda: "isarstep 0, code 0")
    assert settings.key(work) != key


def test_a_checkers_name_is_its_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from isarstep.prover.check import checker_name as module

    for folder in module.FOLDERS:
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.py").write_text(folder)
    monkeypatch.setattr(module, "PACKAGE", tmp_path)
    first = module.checker_name.__wrapped__()
    (tmp_path / "prover" / "a.txt").write_text("nothing of code")
    assert module.checker_name.__wrapped__() == first
    (tmp_path / "prover" / "a.py").write_text("prover ")
    assert module.checker_name.__wrapped__() != first


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["nowhere.jsonl"], "no such file"),
        (["--split", "tset"], "no such split"),
        (["--explain", "ffff"], "no proposal for such an example"),
        (["--benchmark", "/nonexistent"], "no benchmark here"),
    ],
)
def test_mistakes_are_one_line(
    benchmark: tuple[Path, list[Example]],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    complaint: str,
) -> None:
    code = run(["check", *options(benchmark[0], tmp_path / "out.parquet"), *arguments])
    error = capsys.readouterr().err
    assert code == 2
    assert complaint in error
    assert error.strip().splitlines()[-1].startswith("isarstep: ")


def test_explain_tells_everything(
    benchmark: tuple[Path, list[Example]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, made = benchmark
    assert run(["check", "--explain", made[3].id, *options(folder, tmp_path / "never.parquet")]) == 0
    printed = capsys.readouterr().out
    assert "linear" in printed
    assert "P, F.4 => F.3: proved" in printed
    assert not (tmp_path / "never.parquet").exists()


def test_nobody_looks_for_garbage_during_a_check_and_circles_go_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_small_benchmark(tmp_path / "benchmark")
    settings = jobs.Settings(str(tmp_path / "benchmark"), "test", 0.3, 1 << 30, 0)
    circles: list[weakref.ref[Any]] = []
    judged = Checker.check

    def noting(checker: Checker, *asked: Any) -> Any:
        circle = Circle()
        circle.itself = circle
        circles.append(weakref.ref(circle))
        assert not gc.isenabled()
        return judged(checker, *asked)

    monkeypatch.setattr(Checker, "check", noting)
    target = Benchmark(tmp_path / "benchmark").split("test")[0].f1
    work = [jobs.Work(0, (target,))]
    assert len(jobs.run_chunk(settings, work, None)) == 1
    assert gc.isenabled()
    gc.disable()  # so that nothing but the chunk itself collects
    try:
        jobs.run_chunk(settings, work, None)
        assert circles[1]() is None
    finally:
        gc.enable()


class Circle:
    itself: Circle


def test_a_run_is_not_resumed_with_another_signature(tmp_path: Path) -> None:
    write_small_benchmark(tmp_path / "benchmark")
    settings = jobs.Settings(str(tmp_path / "benchmark"), "test", 0.3, 1 << 30, 0)
    before = settings.key([])
    path = tmp_path / "benchmark" / "manifest.json"
    manifest = json.loads(path.read_text())
    signature = path.with_name("signature.json.zst")
    signature.write_bytes(zstandard.compress(zstandard.decompress(signature.read_bytes()) + b" "))
    manifest["files"][signature.name] = {"bytes": signature.stat().st_size, "sha256": sha256_of(signature)}
    manifest["hash"] = benchmark_name(manifest)
    path.write_text(json.dumps(manifest))
    assert settings.key([]) != before
