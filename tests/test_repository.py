"""Properties of the repository: files stay small, nothing is unused, the clone stays light, set-up is pinned."""

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
SCRIPTS = sorted(
    path for folder in ("benchmarks", "experiments") for path in (ROOT / "research" / folder).rglob("*.py")
)
PYTHON = (*SOURCES, *SCRIPTS, *sorted((ROOT / "tests").rglob("*.py")))
PAGES = sorted((ROOT / "src" / "isarstep").rglob("page/*.js"))
MAX_LINES = 700
MAX_CLONE = 230_000_000  # bytes of all tracked files
MAX_FILE = 16 << 20


def name_of(path: Path) -> str:
    """`benchmark.store.ids` for `src/isarstep/benchmark/store/ids.py`, `isarstep` for the package itself."""
    parts = path.relative_to(ROOT / "src" / "isarstep").with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__") or "isarstep"


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


FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef


def test_files_are_short() -> None:
    lines = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8").count("\n") for path in (*PYTHON, *PAGES)}
    assert "src/isarstep/apps/http/page/app.js" in lines, "the page has moved"
    assert {path for path, count in lines.items() if count > MAX_LINES} == set()


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
        if not module.startswith("apps.commands.")
        for name, node in defined(parsed(path))
        if not name.startswith("_") and name not in told and used[name] == uses(parsed(path))[name] == uses(node)[name]
    }
    assert unused == set()


def test_the_version_is_written_once() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert project["project"]["dynamic"] == ["version"]
    assert project["tool"]["hatch"]["version"]["path"] == "src/isarstep/common/version.py"
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
    sizes = {path: path.stat().st_size for path in files if path.is_file()}
    assert sum(sizes.values()) < MAX_CLONE
    assert not [path for path, size in sizes.items() if size > MAX_FILE]
    assert not [path for path in files if path.name.startswith("-")]  # an option that was taken for a file's name


def test_the_list_of_integration_tests_names_existing_tests() -> None:
    from tests.conftest import INTEGRATION, NOT_INTEGRATION

    for entry in (*INTEGRATION, *NOT_INTEGRATION):
        path, _, name = entry.partition("::")
        assert (ROOT / path).exists(), f"{entry}: not there any more"
        assert f"def {name}" in (ROOT / path).read_text() if name else True, f"{entry}: not there any more"
