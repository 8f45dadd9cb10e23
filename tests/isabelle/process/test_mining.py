"""Mass mining with a program in place of Poly/ML (conftest.py): order, failures, time-outs, resuming, bad input."""

import errno
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from tests.documented import documented, mentioned
from tests.waiting import Clock, is_gone, is_written, until

from isarstep.common.errors import UserError
from isarstep.isabelle.process import graph_store as store_module
from isarstep.isabelle.process import ml_process as process_module
from isarstep.isabelle.process import session_job
from isarstep.isabelle.process.proof_graph import read_graph
from isarstep.isabelle.process.session_job import MiningLimits
from isarstep.isabelle.process.terminal import run_mining


def mine(
    out: Path,
    *names: str,
    jobs: int = 2,
    resume: bool = False,
    limits: MiningLimits | None = None,
    only_needed: bool = False,
) -> dict:
    run_mining(
        names,
        out=out,
        jobs=jobs,
        resume=resume,
        isabelle=None,
        directories=[],
        heaps=out / "heaps",
        limits=limits or MiningLimits(),
        prove=False,
        only_needed=only_needed,
    )
    return json.loads((out / "summary.json").read_text())


def graphs(out: Path) -> dict[str, bytes]:
    found = {str(path.relative_to(out)): path.read_bytes() for path in out.glob("*/*.zst")}
    return dict(sorted(found.items()))


def test_every_theory_is_mined_once_in_the_name_of_its_session(fake, tmp_path, capsys):
    out = tmp_path / "out"
    summary = mine(out, "Small-More", "Other")
    assert list(graphs(out)) == [
        "Other/O.jsonl.zst", "Small-More/Y.jsonl.zst", "Small-More/Z.jsonl.zst",
        "Small/A.jsonl.zst", "Small/B.jsonl.zst", "Small/C.jsonl.zst",
    ]  # fmt: skip
    graph = read_graph(out / "Small" / "C.jsonl.zst")
    assert (graph.theory, graph.session, graph.parents) == ("Small.C", "Small", ("Small.A", "Small.B"))
    assert summary["total"]["theories"] == 6
    assert summary["total"]["steps"] == 12
    assert summary["total"]["unresolved"] == 6
    assert summary["unresolved_names"] == {"nonsense: no such fact": 6}
    assert summary["failures"] == []
    # Small is the parent of Small-More: it was loaded once and left an image.
    records = [json.loads(line) for line in (out / "journal.jsonl").read_text().splitlines()]
    assert [record["theory"] for record in records if "theory" in record].count("Small.A") == 1
    assert (out / "heaps" / "Small").read_text() == "image of Small"
    assert not list(Path(tempfile.gettempdir()).glob(f"isarstep-*-{os.getpid()}-*"))
    assert "6 theories" in capsys.readouterr().out


def test_failures_are_reported_and_others_go_on(fake, tmp_path):
    fake.write("Small", "B", "A", "FAIL")
    summary = mine(tmp_path / "out", "Small", "Other")
    assert list(graphs(tmp_path / "out")) == ["Small/A.jsonl.zst"]
    reasons = {failure["theory"]: failure["reason"] for failure in summary["failures"]}
    assert reasons["Small.B"] == "it does not load"
    assert reasons["Small.C"] == reasons["Other.O"] == "imports failed"


def test_the_journal_has_the_fields_that_are_documented(fake, tmp_path):
    fake.write("Small", "B", "A", "BROKEN")
    fake.write("Small", "C", "A B", "FAIL")
    summary = mine(tmp_path / "out", "Small")
    records = [json.loads(line) for line in (tmp_path / "out" / "journal.jsonl").read_text().splitlines()]
    assert documented("journal.jsonl, a theory") == {key for record in records if "theory" in record for key in record}
    runs = [record for record in records if "session_run" in record]
    assert documented("journal.jsonl, a session") == {*runs[0]}
    assert documented("summary.json") == {*summary}
    assert {*summary["failures"][0]} <= mentioned("summary.json")
    told = documented("journal.jsonl, a theory") | mentioned("summary.json")
    assert {*summary["total"], *summary["sessions"]["Small"]} <= told


def test_a_proof_that_was_skipped_is_reported(fake, tmp_path):
    fake.write("Small", "B", "A", "BROKEN")
    summary = mine(tmp_path / "out", "Small")
    assert summary["total"]["theories"] == 3
    assert summary["failures"] == [{"theory": "Small.B", "reason": "line 7: lemma skipped: no solver"}]


def test_a_crash_costs_one_theory(fake, tmp_path):
    fake.write("Small", "B", "A", "CRASH")
    fake.write("Small", "C", "A")
    summary = mine(tmp_path / "out", "Small")
    assert list(graphs(tmp_path / "out")) == ["Small/A.jsonl.zst", "Small/C.jsonl.zst"]
    [failure] = summary["failures"]
    assert failure["theory"] == "Small.B"
    assert "ended with code 9: the sky is falling" in failure["reason"]


@pytest.fixture
def b_hangs(fake, monkeypatch):
    """Theory B of Small hangs, and only meanwhile time passes."""
    hanging = fake.write("Small", "B", "A", "HANG").with_suffix(".hangs")
    fake.write("Small", "C", "A")
    clock = Clock(lambda: is_written(hanging) and not is_gone(int(hanging.read_text())))
    for module in (session_job, process_module):
        monkeypatch.setattr(module, "time", clock)


def test_a_theory_that_hangs_runs_out_of_time(b_hangs, tmp_path):
    summary = mine(tmp_path / "out", "Small", limits=MiningLimits(theory=60, session=10**9))
    assert [failure["reason"] for failure in summary["failures"]] == ["out of time"]
    assert list(graphs(tmp_path / "out")) == ["Small/A.jsonl.zst", "Small/C.jsonl.zst"]


def test_a_session_runs_out_of_time(b_hangs, tmp_path):
    mine(tmp_path / "out", "Small", limits=MiningLimits(theory=10**9, session=60))
    assert list(graphs(tmp_path / "out")) == ["Small/A.jsonl.zst"]


def test_resume_does_nothing_twice(fake, tmp_path):
    out = tmp_path / "out"
    mine(out, "Small")
    before = {path: path.stat().st_mtime_ns for path in out.glob("*/*.zst")}
    with pytest.raises(UserError, match="already has graphs; go on with --resume"):
        mine(out, "Small")
    mine(out, "Small", "Small-More", resume=True)
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert "Small-More/Z.jsonl.zst" in graphs(out)


def run_alone(out: Path, *extra: str) -> subprocess.Popen:
    command = [
        sys.executable,
        "-m",
        "isarstep",
        "mine",
        "Small-More",
        "Other",
        "--out",
        str(out),
        "--resume",
        "--jobs",
        "2",
        *extra,
    ]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def slow_down(fake) -> None:
    for name, imports in (("A", "Pure"), ("B", "A"), ("C", "A B")):
        fake.write("Small", name, imports, "SLOW")
    for name, imports in (("Y", "Small.C"), ("Z", "Y")):
        fake.write("Small/More", name, imports, "SLOW")


def test_killed_at_random_moments_the_result_is_the_same(fake, tmp_path, monkeypatch):
    def lines():
        journal = out / "journal.jsonl"
        return journal.read_text().count("\n") if journal.exists() else 0

    def writes(process, count):
        assert until(lambda: lines() >= count or process.poll() is not None)

    def kill(process):
        process.send_signal(signal.SIGKILL)
        process.wait()

    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))  # for the processes that are killed
    slow_down(fake)
    mine(tmp_path / "whole", "Small-More", "Other")
    out = tmp_path / "killed"
    # The first kill is certain to come in the middle, because nothing goes on there.
    fake.write("Small", "B", "A", "HANG")
    process = run_alone(out)
    writes(process, 1)
    assert process.poll() is None
    kill(process)
    slow_down(fake)
    choose = random.Random(5)
    for _ in range(40):
        process = run_alone(out)
        writes(process, lines() + choose.randrange(3))
        with suppress(subprocess.TimeoutExpired):  # and then anywhere
            process.wait(timeout=choose.uniform(0.0, 0.5))
            break
        kill(process)
    assert run_alone(out).wait() == 0
    assert graphs(out) == graphs(tmp_path / "whole")
    assert not list(out.glob("*/.*"))
    assert not list(Path(os.environ["TMPDIR"]).glob("isarstep-*"))
    mined = [json.loads(line) for line in (out / "journal.jsonl").read_text().splitlines() if '"mined"' in line]
    assert len(mined) <= len(graphs(out))


def test_a_polite_signal_ends_everything(fake, tmp_path):
    fake.write("Small", "B", "A", "HANG")
    out = tmp_path / "out"
    process = run_alone(out)
    assert until(lambda: (out / "Small" / "A.jsonl.zst").exists())
    children = subprocess.run(["pgrep", "-f", str(fake.poly)], capture_output=True, text=True).stdout.split()
    assert children
    process.send_signal(signal.SIGTERM)
    assert process.wait() == 2
    assert until(
        lambda: not subprocess.run(["pgrep", "-f", str(fake.poly)], capture_output=True, text=True).stdout.split()
    )


def test_missing_pure_is_built(fake, tmp_path):
    mine(tmp_path / "out", "Small")
    assert (tmp_path / "out" / "heaps" / "Pure").read_text() == "image of Pure"


def test_images_of_changed_sources_are_not_used(fake, tmp_path):
    out = tmp_path / "out"
    mine(out, "Small", "Small-More")
    fake.write("Small", "A", "Pure", "changed")
    (out / "Small-More" / "Z.jsonl.zst").unlink()
    mine(out, "Small-More", resume=True)
    runs = [json.loads(line) for line in (out / "journal.jsonl").read_text().splitlines() if "session_run" in line]
    assert runs[-2:][0]["session_run"] == "Small"
    assert runs[-2:][0]["base"] == "Pure"


def test_unwritable_output(fake, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match=r"cannot write to .*file/out"):
        mine(tmp_path / "file" / "out", "Small")


def test_unknown_session(fake, tmp_path):
    with pytest.raises(UserError, match="unknown session Nope"):
        mine(tmp_path / "out", "Nope")


def test_full_disk_ends_the_run_in_one_line(fake, tmp_path, monkeypatch):
    def full(**_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(store_module.zstandard, "ZstdCompressor", full)
    with pytest.raises(UserError, match=r"no space left on the disk of .*; free some and run again with --resume"):
        mine(tmp_path / "out", "Small")


def test_output_without_an_end_is_not_kept(fake, tmp_path):
    fake.write("Small", "B", "A", "TRUNCATED")
    summary = mine(tmp_path / "out", "Small")
    assert "Small/B.jsonl.zst" not in graphs(tmp_path / "out")
    assert any("no end record" in failure["reason"] for failure in summary["failures"])


def test_theories_that_a_session_lists_from_another_one_are_mined(fake, tmp_path):
    root = fake.home / "src" / "Small" / "ROOT"
    root.write_text(root.read_text() + 'session Lister in Lister = Pure + sessions Small theories "Small.B"\n')
    (fake.home / "src" / "Small" / "Lister").mkdir()
    mine(tmp_path / "out", "Lister")
    assert list(graphs(tmp_path / "out")) == ["Small/A.jsonl.zst", "Small/B.jsonl.zst"]


@pytest.mark.parametrize("only_needed", [False, True])
def test_of_a_parent_without_an_image_only_what_is_needed(fake, tmp_path, only_needed):
    root = fake.home / "src" / "Small" / "ROOT"
    root.write_text(root.read_text() + "session Little in Little = Small + theories L\n")
    fake.write("Small/Little", "L", '"Small.A"')
    mine(tmp_path / "out", "Little", only_needed=only_needed)
    of_the_parent = ["Small/A.jsonl.zst"] if only_needed else [f"Small/{name}.jsonl.zst" for name in "ABC"]
    assert list(graphs(tmp_path / "out")) == ["Little/L.jsonl.zst", *of_the_parent]


def test_a_mistake_of_ours_in_one_session_does_not_end_the_others(fake, tmp_path, monkeypatch):
    from isarstep.isabelle.process import driver

    real = driver.run_session

    def broken(installation, sessions, store, job, progress):
        if job.session == "Other":
            raise KeyError("oops")
        return real(installation, sessions, store, job, progress)

    monkeypatch.setattr(driver, "run_session", broken)
    mine(tmp_path / "out", "Other", "Small")
    assert "Small/C.jsonl.zst" in graphs(tmp_path / "out")
    runs = [
        json.loads(line)
        for line in (tmp_path / "out" / "journal.jsonl").read_text().splitlines()
        if "session_run" in line
    ]
    assert {run["session_run"]: run["reason"] for run in runs}["Other"] == "KeyError: 'oops'"


def test_a_driver_that_does_not_fit_ends_the_session_at_once(fake, tmp_path, monkeypatch):
    monkeypatch.setenv("ISARSTEP_TEST_MISFIT", "1")
    mine(tmp_path / "out", "Small")
    journal = (tmp_path / "out" / "journal.jsonl").read_text()
    assert "Driver.ML does not understand its job" in journal


def test_a_graph_that_nobody_reported_is_counted(fake, tmp_path):
    out = tmp_path / "out"
    mine(out, "Small")
    (out / "journal.jsonl").unlink()
    (out / "heaps" / "Small.json").unlink()
    (out / "Small" / "C.jsonl.zst").unlink()
    summary = mine(out, "Small", resume=True)
    assert (summary["total"]["theories"], summary["total"]["failed_theories"], summary["total"]["steps"]) == (3, 0, 6)
