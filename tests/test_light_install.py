"""`pip install isarstep` without torch: everything but training works, and what does not says in one line what to do."""

import json
import os
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

import isarstep

BLOCKED = "import sys\nsys.modules['torch'] = None  # as if it were not installed\n"
ASKED = ("--fact", "x ≤ y", "--fact", "y ≤ z", "--goal", "x < z + 1", "--type", "z :: nat", "--beam", "4")


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("site")
    (folder / "sitecustomize.py").write_text(BLOCKED)
    source = str(Path(isarstep.__file__).parent.parent)
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), source])}


def isarstep_without_torch(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "isarstep", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600, check=False)


def said(environment: dict[str, str], *arguments: str) -> str:
    done = isarstep_without_torch(environment, *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_torch_is_really_gone(environment: dict[str, str]) -> None:
    done = subprocess.run([sys.executable, "-c", "import torch"], env=environment, capture_output=True, check=False)
    assert done.returncode
    assert b"ModuleNotFoundError" in done.stderr


def test_propose_and_its_checks(environment: dict[str, str]) -> None:
    """A proposal waits for nothing that it does not use."""
    script = (
        "import sys; from isarstep.cli import run; "
        f"assert run(['propose', *{ASKED}, '--check', '--json']) == 0; "
        "print([name for name in ('fastapi', 'matplotlib', 'sacrebleu') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False)
    answer, loaded = done.stdout.splitlines()
    assert loaded == "[]", done.stdout + done.stderr
    found = json.loads(answer)
    assert any(step["text"] == "x ≤ z" for step in found["steps"])
    assert found["steps"][0]["first"]["result"] == "proved"


@pytest.mark.slow
def test_read_from_python(environment: dict[str, str]) -> None:
    script = "import isarstep, sys; print(isarstep.read('x ≤ y + (1::nat)').term); assert not sys.modules['torch']"
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_predict_evaluate_and_check(environment: dict[str, str], tmp_path: Path) -> None:
    lists = tmp_path / "lists.jsonl"
    said(environment, "predict", "embedded", "embedded", "--limit", "2", "--beam", "2", "--out", str(lists))
    assert len(lists.read_text().splitlines()) == 2
    assert "top-1" in said(environment, "evaluate", "embedded", "--limit", "2")
    assert "well-formed" in said(
        environment, "check", str(lists), "--limit", "1", "--effort", "quick", "--out", str(tmp_path / "v.parquet")
    )


@pytest.mark.slow
def test_serve_answers_one_request(environment: dict[str, str]) -> None:
    command = [sys.executable, "-m", "isarstep", "serve", "--port", "0"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line.startswith("isarstep: serving on "), line
            url, body = line.split()[-1], {"facts": ["x ≤ y"], "goal": "x < y + (1::nat)", "beam": 2, "check": False}
            answer = httpx.post(f"{url}/propose", json=body, timeout=120)
            assert answer.status_code == 200, answer.text
            inside = {"facts": body["facts"], "goal": body["goal"], "answer": "x ≤ y"}
            refused = httpx.post(f"{url}/attention", json=inside, timeout=120)
            assert refused.status_code == 422, refused.text
            assert "isarstep[train]" in refused.text
        finally:
            process.kill()  # asked to stop, it would wait for the index of facts that it makes at its start


@pytest.mark.slow
def test_doctor_says_that_training_is_missing(environment: dict[str, str]) -> None:
    assert "missing: pip install 'isarstep[train]'" in said(environment, "doctor")


NEED_TORCH = (
    ("train", "embedded", "run"),
    ("keep", "embedded"),
    ("predict", "PAPER", "embedded", "--out", "lists.jsonl"),
    ("predict", "embedded", "embedded", "--device", "cuda", "--out", "lists.jsonl"),
)
TRIED = f"""
import sys
from isarstep.cli import run

for arguments in {NEED_TORCH}:
    code = run([sys.argv[1] if each == "PAPER" else each for each in arguments])
    print(*arguments[:2], code, file=sys.stderr)
"""


def test_what_needs_torch_says_so_in_one_line(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "vocab.json").write_text('["<PAD>"]')
    (tmp_path / "config.json").write_text('{"kind": "hat", "vocabulary": 1, "size": "tiny", "style": "paper"}')
    command = [sys.executable, "-c", TRIED, str(tmp_path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600, check=True)
    lines = done.stderr.splitlines()
    assert lines[1::2] == [f"{first} {second} 2" for first, second, *_ in NEED_TORCH]
    assert all(line.endswith("needs torch: pip install 'isarstep[train]'") for line in lines[::2])
