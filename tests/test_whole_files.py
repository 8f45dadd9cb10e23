"""A full disk, and files that somebody else wrote: what is there is whole or absent, and what is wrong is said in one
line."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zstandard

from isarstep import cli
from isarstep.apps.llm import asking
from isarstep.apps.llm.endpoint import Endpoint, _completion
from isarstep.benchmark.arrays.files import load_dataset
from isarstep.benchmark.store.layout import FORMAT, read_manifest
from isarstep.common.errors import UserError
from isarstep.common.files import one_writer, write_whole, writing_whole
from isarstep.model.decode.predictions import read_meta, read_predictions, read_scored, write_predictions
from isarstep.model.nets.folders import open_folder
from isarstep.prover.check.jobs import Run, Settings

DEEP = "[" * 200_000


@contextmanager
def full_disk() -> Iterator[None]:
    """No file may grow, as on a disk without room; the system's word for it is another."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_a_file_cut_by_a_full_disk(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with full_disk(), pytest.raises(UserError, match="could not be written"):
        write_whole(path, "new")
    assert list(tmp_path.iterdir()) == []
    write_whole(path, "old")
    with full_disk(), pytest.raises(UserError, match="untouched"):
        write_whole(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


WRITES = 150
WRITER = """
import sys
from pathlib import Path
from isarstep.common.files import write_whole
path, letter, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
torn = 0
for number in range(count):
    write_whole(path, letter * (number % 7 + 1) * 20_000 + ".")
    read = path.read_text()
    torn += len(set(read)) != 2 or not read.endswith(".")
sys.exit(torn)
"""


def test_two_processes_write_one_file(tmp_path: Path) -> None:
    """No read is torn and no write fails; the status of a writer is the number of its torn reads."""
    path = tmp_path / "file"
    path.write_text("a.")
    command = [sys.executable, "-c", WRITER, str(path)]
    writers = [subprocess.Popen([*command, letter, str(WRITES)], stderr=subprocess.PIPE) for letter in "ab"]
    said = [writer.communicate()[1].decode() for writer in writers]
    assert [writer.returncode for writer in writers] == [0, 0], said
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_is_followed_and_permissions_stay(tmp_path: Path) -> None:
    path, link = tmp_path / "folder" / "file", tmp_path / "link"
    path.parent.mkdir()
    link.symlink_to(path)
    write_whole(link, "first")  # the link's target need not exist
    path.chmod(0o600)
    write_whole(link, "second")
    assert link.is_symlink()
    assert path.read_text() == "second"
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(path.parent.iterdir()) == [path]


def test_special_and_read_only_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(0o444)
    with pytest.raises(UserError, match="file: is read-only"):
        write_whole(path, "new")
    assert path.read_text() == "old"
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(UserError, match=r"fifo: could not be written \(it is not a regular file"):
        write_whole(tmp_path / "fifo", "new")
    with pytest.raises(UserError, match="it is a folder"):
        write_whole(tmp_path, "new")
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    with pytest.raises(UserError, match="circle: could not be written"):
        write_whole(tmp_path / "circle", "new")


def test_leftovers_of_killed_writers_are_removed(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 250)
    code = (
        "import os, signal\nfrom pathlib import Path\nfrom isarstep.common.files import writing_whole\n"
        f"with writing_whole(Path({str(path)!r})): os.kill(os.getpid(), signal.SIGKILL)"
    )
    for _ in range(2):
        subprocess.run([sys.executable, "-c", code], check=False)
        assert len(list(tmp_path.iterdir())) == 1  # the second has removed that of the first
    with writing_whole(path) as temporary:
        temporary.write_text("slow")
        write_whole(path, "quick")  # leaves the temporary file of a living writer alone
        assert {*tmp_path.iterdir()} == {path, temporary}
    assert path.read_text() == "slow"
    assert list(tmp_path.iterdir()) == [path]


def test_a_lock_admits_one_writer(tmp_path: Path) -> None:
    hold = (
        "from pathlib import Path\nfrom isarstep.common.files import one_writer\n"
        f"with one_writer(Path({str(tmp_path)!r})): print('held', flush=True); input()"
    )
    with subprocess.Popen([sys.executable, "-c", hold], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(UserError, match=f"{tmp_path.name}: process {holder.pid} on .* is writing here"):  # noqa: SIM117
            with one_writer(tmp_path):
                pass
        holder.kill()
    with one_writer(tmp_path), pytest.raises(UserError, match="is writing here"), one_writer(tmp_path):
        pass
    assert list(tmp_path.iterdir()) == []


INQUIRY = asking.AskedRun("m", "hash", "test", samples=1, shots=0, temperature=0.0, longest=8)


def test_ask_leaves_an_empty_run_json(tmp_path: Path) -> None:
    with full_disk(), pytest.raises(UserError, match=r"run\.json: could not be written"):
        asking._open_folder(tmp_path / "run", INQUIRY)
    assert list((tmp_path / "run").iterdir()) == []
    asking._open_folder(tmp_path / "run", INQUIRY)


@pytest.mark.parametrize("content", ["", "[]", "5", DEEP])
def test_ask_ends_in_a_json_error(tmp_path: Path, content: str) -> None:
    (tmp_path / "run.json").write_text(content)
    with pytest.raises(UserError, match=r"run\.json: .*does not say what was asked|another model"):
        asking._open_folder(tmp_path, INQUIRY)


@pytest.fixture
def settings(monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setattr(Settings, "key", lambda self, work: "key")
    return Settings("embedded", "test", 1.0, 1 << 30, 0)


def test_check_leaves_an_empty_run_json(tmp_path: Path, settings: Settings) -> None:
    out = tmp_path / "verdicts.parquet"
    with full_disk(), pytest.raises(UserError, match=r"run\.json: could not be written"):
        Run(out, settings, [], resume=False)
    assert list((tmp_path / "verdicts.parquet.parts").iterdir()) == []


@pytest.mark.parametrize("content", ["", "[]", DEEP])
def test_check_ends_in_a_json_error(tmp_path: Path, settings: Settings, content: str) -> None:
    parts = tmp_path / "verdicts.parquet.parts"
    parts.mkdir()
    (parts / "run.json").write_text(content)
    with pytest.raises(UserError, match="from other predictions or settings"):
        Run(tmp_path / "verdicts.parquet", settings, [], resume=True)


def test_train_ends_in_a_safetensor_error(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    from isarstep.model.nets.checkpoint import replaced_folder, write_shards

    model = tmp_path / "model"
    with replaced_folder(model) as fresh:
        write_shards({"w": torch.zeros(3)}, fresh, "model", {})
    with full_disk(), pytest.raises(UserError, match=r"model: could not be written .*untouched"):  # noqa: SIM117
        with replaced_folder(model) as fresh:
            write_shards({"w": torch.zeros(3)}, fresh, "model", {})
    assert [path.name for path in tmp_path.iterdir()] == ["model"]
    assert [path.name for path in model.iterdir()] == ["model.safetensors"]


# What others wrote


MANIFEST: dict[str, Any] = {"format": FORMAT, "files": {}, "hash": ""}


@pytest.mark.parametrize(
    "content",
    [
        json.dumps(MANIFEST | {"files": ["a"]}),
        json.dumps(MANIFEST | {"files": {"a": {}}}),
        json.dumps(MANIFEST | {"hash": 5}),
        json.dumps({name: value for name, value in MANIFEST.items() if name != "hash"}),
        "[]",
        DEEP,
    ],
)
def test_a_manifest_ends_in_a_traceback(tmp_path: Path, content: str) -> None:
    (tmp_path / "manifest.json").write_text(content)
    with pytest.raises(UserError, match=r"manifest\.json: .*; build the benchmark again"):
        read_manifest(tmp_path)


CONFIG = {"kind": "hat", "vocabulary": 2, "size": "tiny"}


@pytest.mark.parametrize(
    ("config", "vocabulary"),
    [
        ("[]", '["a", "b"]'),
        (json.dumps(CONFIG), "5"),
        (json.dumps(CONFIG), "[5, 6]"),
        (json.dumps(CONFIG | {"vocabulary": 10**12}), '["a", "b"]'),
        (json.dumps(CONFIG), DEEP),
    ],
)
def test_a_model_folder_ends_in_a_traceback(tmp_path: Path, config: str, vocabulary: str) -> None:
    (tmp_path / "config.json").write_text(config)
    (tmp_path / "vocab.json").write_text(vocabulary)
    with pytest.raises(UserError):
        open_folder(tmp_path)


@pytest.mark.parametrize(
    "line",
    [
        DEEP,
        '{"id": "a", "predictions": ' + DEEP,
        '{"id": "a", "predictions": ["\\ud800"]}',
        '{"id": "a", "predictions": [["x", "\\udfff"]]}',
        '{"id": "a", "predictions": [{"tokens": "x", "score": NaN}]}',
    ],
)
def test_predictions_end_in_a_traceback_or_are_accepted(tmp_path: Path, line: str) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text(f'{{"id": "b", "predictions": []}}\n{line}\n')
    with pytest.raises(UserError, match=r"p\.jsonl:2: "):
        read_predictions(path, ["a", "b"])


def test_a_line_separator_inside_a_prediction(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text('{"id": "a", "predictions": [{"tokens": "x\u2028y", "score": 0}]}\n', encoding="utf-8")
    assert read_scored(path) == {"a": [("x\u2028y", 0)]}
    path.write_text(DEEP)
    with pytest.raises(UserError, match="not what `isarstep predict` writes"):
        read_scored(path)


def test_a_cut_off_archive_is_empty(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl.zst"
    whole = zstandard.ZstdCompressor().compress(b'{"id": "a", "predictions": ["x"]}\n' * 1)
    path.write_bytes(whole + whole)  # two frames are two halves of one file
    with pytest.raises(UserError, match="answered before"):
        read_predictions(path, ["a"])
    path.write_bytes(whole[:-6])
    with pytest.raises(UserError, match="is cut off"):
        read_predictions(path, ["a"])


@pytest.mark.parametrize("name", ["run.v2", "run.jsonl", "run.v2.jsonl.zst", "run.txt"])
def test_predictions_lose_their_signature(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    write_predictions(path, [("a", [("x y", -0.5)])], {"model": "m"})
    assert read_meta(path) == {"model": "m"}
    assert read_predictions(path, ["a"]).lists == (("x y",),)
    assert path.read_bytes().startswith(b"\x28\xb5\x2f\xfd") == name.endswith(".zst")


def test_predictions_on_a_full_disk(tmp_path: Path) -> None:
    with full_disk(), pytest.raises(UserError, match="could not be written"):
        write_predictions(tmp_path / "p.jsonl", [("a", [("x", 0.0)])], {})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("spoil", ["missing", "text", "cut"])
def test_arrays_without_a_field(tmp_path: Path, spoil: str) -> None:
    path = tmp_path / "data.npz"
    np.savez_compressed(path, **{"train.tokens": np.zeros(1)})
    if spoil == "text":
        path.write_text("no arrays")
    elif spoil == "cut":
        path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(UserError, match=r"data\.npz: not a file of arrays"):
        load_dataset(path)


# A language model's server


class Stalling(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.send_response(503)
        self.send_header("Content-Length", "100")
        self.end_headers()
        self.wfile.write(b"wait")
        self.wfile.flush()
        self.server.release.wait()  # type: ignore[attr-defined]

    def log_message(self, *_: object) -> None:
        pass


def test_an_endpoint_whose_refusal_stalls() -> None:
    server = HTTPServer(("127.0.0.1", 0), Stalling)
    server.release = threading.Event()  # type: ignore[attr-defined]
    waited: list[float] = []

    def wait(seconds: float) -> None:
        waited.append(seconds)
        server.release.set()  # type: ignore[attr-defined]

    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        endpoint = Endpoint(f"http://127.0.0.1:{server.server_port}", "m", per_minute=1e9, timeout=2.0, wait=wait)
        with pytest.raises(UserError, match="no answer after 6 tries, last: 503"):
            endpoint.complete([{"role": "user", "content": "?"}], 0)
    finally:
        server.release.set()  # type: ignore[attr-defined]
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_reply_that_no_file_can_hold() -> None:
    kept = _completion({"choices": [{"message": {"content": "STEP: \ud800x"}}]})
    assert kept.text == "STEP: ?x"


# Whose fault it is


@pytest.mark.parametrize(
    ("error", "users"),
    [
        (FileNotFoundError(2, "No such file", "predictions.jsonl"), True),
        (OSError(28, "No space left on device"), True),
        (ChildProcessError(10, "No child processes"), False),
        (FileNotFoundError(2, "No such file", str(Path(cli.__file__).parent / "data" / "x")), False),
        (OSError(24, "Too many open files"), False),
    ],
)
def test_an_internal_error_is_called_a_mistake_of_the_user(
    monkeypatch: pytest.MonkeyPatch, error: OSError, users: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: Any) -> Callable[..., Any]:
        raise error

    monkeypatch.setattr(cli, "click_command", fail)
    if users:
        assert cli.run(["stats"]) == 2
        assert capsys.readouterr().err.count("\n") == 1
    else:
        with pytest.raises(type(error)):
            cli.run(["stats"])
