"""The house itself: rooms import in one direction, files stay small, the clone stays light, set-up is pinned."""

import ast
import os
import re
import subprocess
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import isarstep

ROOT = Path(__file__).parent.parent
SOURCES = sorted((ROOT / "src" / "isarstep").rglob("*.py"))
SCRIPTS = sorted(path for folder in ("benchmarks", "experiments") for path in (ROOT / folder).rglob("*.py"))
PYTHON = (*SOURCES, *SCRIPTS, *sorted((ROOT / "tests").rglob("*.py")))
PAGES = sorted((ROOT / "src" / "isarstep").glob("*/page/*.js"))
MAX_LINES = 600
MAX_CLONE = 125_000_000
# Every allowed arrow: what a room may import besides itself. docs/rooms.md draws the same ones.
GROUND = {
    "interruption",
    "errors",
    "file_reading",
    "data",
    "memory",
    "progress",
    "tables",
    "version",
    "whole_files",
}  # single files on which all may stand
ARROWS: dict[str, set[str]] = {
    "logic": set(),
    "mine": {"logic"},
    "bench": {"mine", "logic"},
    "theory": {"bench", "mine", "logic"},
    "feed": {"bench"},
    "models": {"feed", "bench"},
    "decode": {"models", "feed", "bench", "logic"},
    "train": {"decode", "models", "feed", "bench"},
    "prove": {"theory", "decode", "models", "feed", "bench", "mine", "logic"},
    "evaluate": {"decode", "models", "feed", "bench", "logic"},
    "serve": {"prove", "evaluate", "theory", "decode", "models", "feed", "bench", "mine", "logic"},
    "house": {"serve", "prove", "evaluate", "theory", "bench", "logic"},
}
OUTSIDE = {"cli", "cli_docs", "__main__"}  # they open the doors and are imported by nobody inside


def name_of(path: Path) -> str:
    """`bench.store` for `src/isarstep/bench/store.py`, `house` for the package itself."""
    parts = path.relative_to(ROOT / "src" / "isarstep").with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__") or "house"


MODULES = {name_of(path): path for path in SOURCES}


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def statements(path: Path) -> tuple[ast.stmt, ...]:
    """All of a file, those inside others too. What is imported and defined is a statement: expressions are passed over."""
    found: list[ast.stmt] = []
    left: list[ast.AST] = [parsed(path)]
    while left:
        node = left.pop()
        if isinstance(node, ast.stmt):
            found.append(node)
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            inner = getattr(node, field, ())
            left += inner if isinstance(inner, list) else ()
    return tuple(found)


@cache
def imports(path: Path) -> frozenset[str]:
    """The modules of ours that a file names, wherever in the file."""
    found = set()
    for node in statements(path):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "isarstep":
            base = node.module.partition(".")[2]
            for alias in node.names:
                inner = f"{base}.{alias.name}".strip(".")
                found.add(inner if inner in MODULES else base or "house")
        elif isinstance(node, ast.Import):
            ours = (alias.name for alias in node.names if alias.name.split(".")[0] == "isarstep")
            found.update(name.partition(".")[2] or "house" for name in ours)
    return frozenset(found)


def room_of(module: str) -> str:
    return module.split(".")[0]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT / "src")))
def test_a_file_explains_itself_and_imports_downwards(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not text.strip() or ast.get_docstring(parsed(path)), "a module opens with what it is for"
    room = room_of(name_of(path))
    used = imports(path)
    assert not any(name.endswith(".commands") for name in used), "nobody imports a door"
    if room in OUTSIDE:
        return
    allowed = GROUND | {room} | ARROWS.get(room, set())
    assert {room_of(name) for name in used} <= allowed


FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef


def test_files_are_short() -> None:
    lines = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8").count("\n") for path in (*PYTHON, *PAGES)}
    assert "src/isarstep/serve/page/app.js" in lines, "the page has moved"
    assert {path for path, count in lines.items() if count > MAX_LINES} == set()


def test_the_arrows_themselves_have_no_circle_and_none_is_unused() -> None:
    order: list[str] = []
    while len(order) < len(ARROWS):
        ready = [room for room, below in ARROWS.items() if room not in order and below <= {*order}]
        assert ready, f"a circle among {sorted({*ARROWS} - {*order})}"
        order += ready
    rooms = {path.name for path in (ROOT / "src" / "isarstep").iterdir() if (path / "__init__.py").is_file()}
    assert rooms - GROUND == {*ARROWS} - {"house"}
    drawn = {(room, below) for room in ARROWS for below in ARROWS[room]}
    real = {(room_of(name), room_of(used)) for name, path in MODULES.items() for used in imports(path)}
    assert drawn <= real, "an arrow that nobody needs goes"


def test_the_picture_shows_the_same_arrows() -> None:
    lines = re.findall(r"^    ([a-z]+) --> ([a-z &]+)$", (ROOT / "docs" / "rooms.md").read_text(), re.MULTILINE)
    shown = {room: {*below.split(" & ")} for room, below in lines}
    assert shown == {room: below for room, below in ARROWS.items() if below}


def test_no_circle_among_files() -> None:
    graph = {name: imports(path) & {*MODULES} - {name} for name, path in MODULES.items()}
    left = {name: {*used} for name, used in graph.items()}
    while free := [name for name, used in left.items() if not used & {*left}]:
        for name in free:
            del left[name]
    # What is left are circles and those who stand on them; take away the latter, too.
    while top := [name for name in left if not any(name in used for used in left.values())]:
        for name in top:
            del left[name]
    assert not {name: used & {*left} for name, used in left.items()}


@cache
def uses(tree: ast.AST) -> Counter[str]:
    """How often each name is read in a tree, alone, of something, or as a whole string (`getattr`, tables of names)."""
    found: Counter[str] = Counter()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            found[node.id] += 1
        elif isinstance(node, ast.Attribute):
            found[node.attr] += 1
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found[node.value] += 1
    return found


def defined(tree: ast.Module) -> Iterator[tuple[str, ast.stmt]]:
    """Public functions, classes and constants of a module, and methods of classes on which no base class has a say."""
    for node in tree.body:
        if isinstance(node, FUNCTIONS | ast.ClassDef):
            yield node.name, node
        if isinstance(node, ast.ClassDef) and not node.bases:
            yield from ((inner.name, inner) for inner in node.body if isinstance(inner, FUNCTIONS))
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from ((target.id, node) for target in targets if isinstance(target, ast.Name))


def test_nothing_is_there_for_tests_alone() -> None:
    """Commands are called by people; what the docs put in code marks is there for them, too."""
    used: Counter[str] = Counter()
    for path in (*SOURCES, *SCRIPTS):
        used.update(uses(parsed(path)))
    pages = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs").glob("*.md"))
    told = {word for code in re.findall(r"```.*?```|`[^`\n]+`", pages, re.DOTALL) for word in re.findall(r"\w+", code)}
    unused = {
        f"{module}.{name}"
        for module, path in MODULES.items()
        if path.name != "commands.py"
        for name, node in defined(parsed(path))
        if not name.startswith("_") and name not in told and used[name] == uses(parsed(path))[name] == uses(node)[name]
    }
    assert unused == set()


def test_the_version_is_written_once() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert project["project"]["dynamic"] == ["version"]
    assert project["tool"]["hatch"]["version"]["path"] == "src/isarstep/version.py"
    assert f"## {isarstep.__version__}" in (ROOT / "CHANGELOG.md").read_text()


def test_everything_that_is_installed_has_one_version() -> None:
    lines = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    assert all(re.fullmatch(r"[A-Za-z0-9_.-]+==[0-9][A-Za-z0-9.]*", line) for line in lines)
    pinned = {line.partition("==")[0].lower().replace("_", "-") for line in lines}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    wanted = [
        *project["dependencies"],
        *(name for extra in ("dev", "mcp", "cards", "lsp") for name in extras[extra]),
    ]
    assert {re.split(r"[<>=\[]", name)[0].lower() for name in wanted} <= pinned


def test_set_up() -> None:
    from tests.conftest import CHECK, REST, TEST

    assert "torch==2.13.0" in (ROOT / "constraints.txt").read_text().splitlines()
    makefile = (ROOT / "Makefile").read_text()
    assert makefile.count("pip install") == 1, "all that is installed is installed with the pins"
    assert "PIP_CONSTRAINT=constraints.txt PIP_BUILD_CONSTRAINT=constraints.txt $(BIN)/python -m pip" in makefile
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    assert "make test test-rest" in (ROOT / ".ci" / "run").read_text(), "CI runs every test, each once"
    assert "test-all: test test-rest\n" in makefile
    written = dict(re.findall(r"^(CHECK|TEST|REST) := -m '(.*)'$", makefile, re.MULTILINE))
    assert written == {"CHECK": CHECK, "TEST": TEST, "REST": REST}


def test_a_clone_is_light() -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, timeout=60, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    files = [ROOT / os.fsdecode(name) for name in listed.stdout.split(b"\0") if name]
    assert sum(path.stat().st_size for path in files if path.is_file()) < MAX_CLONE
    assert not [path for path in files if path.name.startswith("-")]  # an option that was taken for a file's name


def test_the_list_of_integration_tests_names_existing_tests() -> None:
    from tests.conftest import INTEGRATION, NOT_INTEGRATION

    for entry in (*INTEGRATION, *NOT_INTEGRATION):
        path, _, name = entry.partition("::")
        assert (ROOT / path).exists(), f"{entry}: not there any more"
        assert f"def {name}" in (ROOT / path).read_text() if name else True, f"{entry}: not there any more"


def test_make_check_has_tests_of_every_room() -> None:
    from tests.conftest import is_integration

    for room in ARROWS.keys() - {"house"}:
        names = [str(path.relative_to(ROOT)) for path in (ROOT / "tests" / room).glob("test_*.py")]
        assert names, f"{room}: no tests"
        assert not all(map(is_integration, names)), f"{room}: no test in `make check`"
