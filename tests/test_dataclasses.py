"""Values that are compared can be hashed: a frozen dataclass with an array, a dictionary or a list is compared by
identity (`eq=False`), or leaves that field out of comparisons, or, where it is no array, out of the hash.

Without that, `hash(value)` raises, and `==` of two arrays is no truth value. Annotations are read from the source, so
that no optional package need be installed.
"""

from __future__ import annotations

import ast
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).parents[1] / "src" / "isarstep"
# Heads of annotations: values without a hash, and values whose comparison is neither true nor false.
ARRAYS = {"ndarray", "NDArray", "Tensor", "Array", "ChunkedArray"}
CONTAINERS = {"dict", "list", "set", "bytearray", "Mapping", "MutableMapping", "Counter", "defaultdict", "array"}
HASHED_WHOLE = {"Callable", "type", "Literal", "frozenset", "Iterator", "Iterable", "ClassVar"}


def head(annotation: ast.expr) -> str:
    return annotation.attr if isinstance(annotation, ast.Attribute) else getattr(annotation, "id", "")


def is_unhashable(annotation: ast.expr, names: set[str]) -> bool:
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        with suppress(SyntaxError):  # of an assignment that is no alias
            annotation = ast.parse(annotation.value, mode="eval").body
    if isinstance(annotation, ast.BinOp):  # A | B
        return is_unhashable(annotation.left, names) or is_unhashable(annotation.right, names)
    if isinstance(annotation, ast.Subscript):
        if head(annotation.value) in HASHED_WHOLE:
            return False
        inner = annotation.slice
        parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
        return head(annotation.value) in names or any(is_unhashable(part, names) for part in parts)
    return head(annotation) in names


def dataclass_options(node: ast.ClassDef) -> dict[str, object] | None:
    for each in node.decorator_list:
        call = each.func if isinstance(each, ast.Call) else each
        if head(call) == "dataclass":
            keywords = each.keywords if isinstance(each, ast.Call) else []
            return {str(word.arg): getattr(word.value, "value", None) for word in keywords}
    return None


def is_left_out(node: ast.AnnAssign, array: bool) -> bool:
    """Whether a field is left out of comparisons, or, where `==` works, of hashes."""
    given = node.value.keywords if isinstance(node.value, ast.Call) and head(node.value.func) == "field" else []
    no = {str(word.arg) for word in given if getattr(word.value, "value", None) is False}
    return "compare" in no or ("hash" in no and not array)


def origins(path: str, tree: ast.Module) -> dict[str, tuple[str, str]]:
    """Names of a file that come from elsewhere in the package, with the file and the name there."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("isarstep."):
            origin = node.module.removeprefix("isarstep.").replace(".", "/") + ".py"
            found |= {alias.asname or alias.name: (origin, alias.name) for alias in node.names}
    return found


def names_like(base: set[str], trees: dict[str, ast.Module]) -> dict[str, set[str]]:
    """By file: these names with their aliases, and dataclasses that may be changed, which have no hash either."""
    names = {path: set(base) for path in trees}
    imported = {path: origins(path, tree) for path, tree in trees.items()}
    for _ in range(4):  # aliases of aliases, in any order of files
        for path, tree in trees.items():
            for here, (origin, there) in imported[path].items():
                if there in names.get(origin, ()):
                    names[path].add(here)
            for node in tree.body:
                if isinstance(node, ast.Assign) and isinstance(node.value, ast.Subscript | ast.BinOp):
                    if is_unhashable(node.value, names[path]):
                        names[path] |= {target.id for target in node.targets if isinstance(target, ast.Name)}
                elif isinstance(node, ast.ClassDef):
                    options = dataclass_options(node)
                    if options is not None and not options.get("frozen") and options.get("eq", True):
                        names[path].add(node.name)
    return names


def unhashable_fields(sources: dict[str, str]) -> dict[str, list[str]]:
    """Fields by class, of all frozen dataclasses that are compared by their fields."""
    trees = {path: ast.parse(text) for path, text in sources.items()}
    names, arrays = names_like(ARRAYS | CONTAINERS, trees), names_like(ARRAYS, trees)
    found: dict[str, list[str]] = {}
    for path, tree in trees.items():
        for node in ast.walk(tree):
            if not isinstance(node, ast.ClassDef):
                continue
            options = dataclass_options(node)
            if options is None or not options.get("frozen") or options.get("eq", True) is False:
                continue
            wrong = [
                ast.unparse(each.target)
                for each in node.body
                if isinstance(each, ast.AnnAssign)
                and is_unhashable(each.annotation, names[path])
                and not is_left_out(each, is_unhashable(each.annotation, arrays[path]))
            ]
            if wrong:
                found[f"{path}: {node.name}"] = wrong
    return found


def test_compared_values_can_be_hashed() -> None:
    sources = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in sorted(ROOT.rglob("*.py"))}
    assert unhashable_fields(sources) == {}


def test_what_cannot_be_hashed_is_noticed() -> None:
    text = """
Rows = npt.NDArray[np.int64]

@dataclass
class Changed: ...

@dataclass(frozen=True)
class A:
    rows: Rows
    pairs: tuple[list[int], ...] | None
    make: Callable[[], list[int]]
    kept: dict[str, int] = field(compare=False)
    said: dict[str, int] = field(hash=False)
    numbers: np.ndarray = field(hash=False)
    other: "Changed | None" = None
    name: str = ""

@dataclass(frozen=True, eq=False)
class B:
    rows: Rows
"""
    assert unhashable_fields({"x.py": text}) == {"x.py: A": ["rows", "pairs", "numbers", "other"]}
