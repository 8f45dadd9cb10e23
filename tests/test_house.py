"""The house itself: rooms import in one direction, files stay small, the clone stays light, set-up is pinned."""

import ast
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = sorted((ROOT / "src" / "isarstep").rglob("*.py"))
MAX_LINES = 600
MAX_CLONE = 64_000_000

# What a room must not import. `logic` is the ground floor, models know nothing about Isabelle, nobody imports the door.
FORBIDDEN = {
    "logic": {"mine", "bench", "models", "train", "decode", "check", "evaluate", "analyse", "serve", "cli"},
    "models": {"logic", "mine", "check", "serve", "cli"},
    "": {"cli"},
}


def imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("isarstep."):
            found.add(node.module.split(".")[1])
        elif isinstance(node, ast.Import):
            found.update(alias.name.split(".")[1] for alias in node.names if alias.name.startswith("isarstep."))
    return found


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT / "src")))
def test_a_file_is_small_explains_itself_and_imports_downwards(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= MAX_LINES
    assert not text.strip() or ast.get_docstring(ast.parse(text)), "a module opens with what it is for"
    room = path.parent.name if path.parent.name != "isarstep" else "house"
    if path.name not in ("cli.py", "cli_docs.py", "__main__.py"):
        assert not imports(path) & (FORBIDDEN.get(room, set()) | FORBIDDEN[""])


def test_set_up() -> None:
    assert "torch==2.13.0" in (ROOT / "constraints.txt").read_text().splitlines()
    makefile = (ROOT / "Makefile").read_text()
    assert makefile.count("-c constraints.txt") >= 3
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    assert "make test" in (ROOT / ".ci" / "run").read_text()


def test_a_clone_is_light() -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, timeout=60, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    files = [ROOT / os.fsdecode(name) for name in listed.stdout.split(b"\0") if name]
    assert sum(path.stat().st_size for path in files if path.is_file()) < MAX_CLONE
