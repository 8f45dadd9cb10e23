"""The layers of the package: imports go downwards only, folders stay small and docs/architecture.md names them all."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "isarstep"
# A module imports from its own folder and from folders that are listed before it.
LAYERS = (
    "common",
    "resources",
    "isabelle.terms",
    "isabelle.inference",
    "isabelle.syntax.grammar",
    "isabelle.syntax.writing",
    "isabelle.syntax.reading",
    "isabelle.syntax",
    "isabelle.context",
    "isabelle.theory.text",
    "isabelle.theory.environment",
    "isabelle.theory.rules",
    "isabelle.theory.proofs",
    "isabelle.theory.declarations",
    "isabelle.theory.locales",
    "isabelle.theory",
    "isabelle.theory.problems",
    "isabelle.process",
    "isabelle",
    "benchmark.store",
    "benchmark.rules",
    "benchmark.extraction",
    "benchmark.building",
    "benchmark.export",
    "benchmark.arrays",
    "benchmark.problems",
    "benchmark",
    "premises.selector",
    "premises",
    "model.data",
    "model.nets",
    "model.decode",
    "model.train.selector",
    "model.train",
    "model",
    "score.analysis",
    "score",
    "score.report",
    "prover.outcomes",
    "prover.encode",
    "prover.rewrite",
    "prover.induct",
    "prover.values",
    "prover.arithmetic",
    "prover.atp",
    "prover.isar",
    "prover.check",
    "prover.search",
    "prover.replay",
    "prover",
    "apps",
    "apps.service",
    "apps.http",
    "apps.lsp",
    "apps.llm",
    "apps.mcp.tools",
    "apps.mcp",
    "apps.commands",
)
TOP = ("", "cli", "cli_docs", "__main__")  # the public functions and the command line, above all layers
# Imports that go upwards (module, imported module). The list may only become shorter.
EXCEPTIONS: frozenset[tuple[str, str]] = frozenset()
MOST_MODULES = 15


def name_of(path: Path) -> str:
    """`benchmark.store.ids` for `src/isarstep/benchmark/store/ids.py`; the name of a package for its `__init__.py`."""
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


MODULES = {name_of(path): path for path in sorted(SOURCE.rglob("*.py"))}


@cache
def imports(module: str) -> frozenset[str]:
    """The modules of the package that a module imports anywhere in its text."""
    found = set()
    for node in ast.walk(ast.parse(MODULES[module].read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "isarstep":
            base = node.module.partition(".")[2]
            for alias in node.names:
                inner = f"{base}.{alias.name}".strip(".")
                found.add(inner if inner in MODULES else base)
        elif isinstance(node, ast.Import):
            ours = (alias.name for alias in node.names if alias.name.split(".")[0] == "isarstep")
            found.update(name.partition(".")[2] for name in ours)
    return frozenset(found)


def layer_of(module: str) -> int:
    if module in TOP:
        return len(LAYERS)
    folder = module if MODULES[module].name == "__init__.py" else module.rpartition(".")[0]
    return LAYERS.index(folder)


@pytest.mark.parametrize("module", MODULES)
def test_a_module_explains_itself_and_imports_downwards(module: str) -> None:
    text = MODULES[module].read_text(encoding="utf-8")
    assert ast.get_docstring(ast.parse(text)), "a module opens with what it is for"
    assert not any(name.startswith("apps.commands.") for name in imports(module)), "no module imports a command"
    upwards = {(module, used) for used in imports(module) if layer_of(used) > layer_of(module)}
    assert upwards <= EXCEPTIONS


def test_no_exception_is_unused() -> None:
    assert all(used in imports(module) for module, used in EXCEPTIONS)


def test_every_folder_is_a_layer_and_stays_small() -> None:
    folders: dict[str, int] = {}
    for module, path in MODULES.items():
        if path.name != "__init__.py" and module not in TOP:
            folder = module.rpartition(".")[0]
            folders[folder] = folders.get(folder, 0) + 1
    assert folders.keys() <= {*LAYERS}
    assert {folder: count for folder, count in folders.items() if count > MOST_MODULES} == {}
    assert all((SOURCE / folder.replace(".", "/") / "__init__.py").is_file() for folder in LAYERS)


def test_no_cycle_among_modules() -> None:
    left = {name: {*imports(name)} & MODULES.keys() - {name} for name in MODULES}
    while free := [name for name, used in left.items() if not used & left.keys()]:
        for name in free:
            del left[name]
    while top := [name for name in left if not any(name in used for used in left.values())]:
        for name in top:
            del left[name]
    assert {name: used & left.keys() for name, used in left.items()} == {}


def test_no_package_has_the_name_of_a_public_function() -> None:
    import isarstep

    packages = {path.name for path in SOURCE.iterdir() if path.is_dir()}
    assert not packages & {*isarstep.__all__}


def test_the_page_lists_the_same_layers_in_the_same_order() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert tuple(re.findall(r"^\| `([a-z.]+)` \|", page, re.MULTILINE)) == LAYERS


@pytest.mark.parametrize("package", ["isabelle", "benchmark", "model", "score", "prover", "apps"])
def test_make_check_has_tests_of_every_package(package: str) -> None:
    from tests.conftest import is_integration

    names = [str(path.relative_to(ROOT)) for path in (ROOT / "tests" / package).rglob("test_*.py")]
    assert names
    assert not all(map(is_integration, names)), f"{package}: no test in `make check`"
