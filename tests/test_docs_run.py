"""Every Python block of the documentation runs, and every command line in it is one that the program understands.

A block that needs what a test has not says so in its fence: ```python needs=gpu. Those are counted here, and their names
must still exist: they are compiled, and what they import is imported where it is ours.
"""

import ast
import importlib.util
import re
import shlex
from pathlib import Path

import pytest

from isarstep import cli

ROOT = Path(__file__).parent.parent
TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.md"))  # tests/test_tutorials.py runs them
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
NEEDS = {"gpu", "server", "extras", "run"}  # a GPU, a language model's server, packages beyond ours, a trained run
_PYTHON = re.compile(r"^```python(?: needs=(\w+))?\n(.*?)^```", re.DOTALL | re.MULTILINE)
_PLAIN = re.compile(r"^```(?:sh|bash|console)?\n(.*?)^```", re.DOTALL | re.MULTILINE)

BLOCKS = [
    pytest.param(found[2], found[1], id=f"{page.name}-{number}")
    for page in PAGES
    for number, found in enumerate(_PYTHON.finditer(page.read_text(encoding="utf-8")))
]
SLOW_PAGES = ("benchmark.md", "checking.md")  # whose blocks take ten seconds each
RUN = [
    pytest.param(*block.values, id=block.id, marks=[pytest.mark.slow] if str(block.id).startswith(SLOW_PAGES) else [])
    for block in BLOCKS
    if block.values[1] is None
]
LINES = sorted(
    {
        command.strip()
        for page in (*PAGES, *TUTORIALS)
        for block in _PLAIN.findall(page.read_text(encoding="utf-8"))
        for line in block.splitlines()
        for command in line.removeprefix("$ ").partition("   #")[0].split("&&")
        if re.match(r"\s*isarstep [a-z]", command)
    }
)


@pytest.mark.parametrize(("code", "needs"), RUN)
def test_a_block_runs(code, needs, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "docs", "exec"), {"__name__": "docs"})


@pytest.mark.parametrize(("code", "needs"), BLOCKS)
def test_what_a_block_imports_of_ours_exists(code, needs):
    assert needs is None or needs in NEEDS
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("isarstep"):
            found = importlib.util.find_spec(str(node.module))
            assert found is not None
            assert found.origin is not None
            source = Path(found.origin).read_text(encoding="utf-8")  # what it imports itself may not be installed
            assert all(re.search(rf"\b{name.name}\b", source) for name in node.names)


def test_most_blocks_run():
    assert len(RUN) >= 6
    assert len(BLOCKS) - len(RUN) <= 6


@pytest.mark.parametrize("line", LINES)
def test_a_command_line_is_understood(line):
    name, *arguments = shlex.split(line)[1:]
    command = cli.click_command(name, cli.commands()[name][0])
    if any("..." in argument or "[" in argument for argument in arguments):
        return  # a pattern of a command line, not one
    command.make_context(name, arguments)
