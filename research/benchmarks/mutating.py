"""Small mistakes to plant in a source file, and marks that tell which of its blocks a test runs."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

COMPARE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult, ast.Div: ast.Mult,
}  # fmt: skip
HITS = "__blocks_run__"  # a set among the builtins while tests run
BLOCKS = ("body", "orelse", "finalbody")


@dataclass(frozen=True)
class Mutant:
    """One change of a file. `place` is its number in the order of `ast.walk`."""

    file: str
    place: int
    line: int
    change: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.change}"


def _changed(node: ast.AST) -> bool:
    """Change the node to its neighbour, where it has one."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARE:
        node.ops[0] = COMPARE[type(node.ops[0])]()
    elif isinstance(node, ast.BoolOp):
        node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    elif isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
        node.op = ARITHMETIC[type(node.op)]()
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        node.operand = ast.UnaryOp(ast.Not(), node.operand)
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        node.value = not node.value
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        node.value += 1
    else:
        return False
    return True


def _left_out(tree: ast.AST) -> set[int]:
    """Nodes that decide no answer: decorators (sizes of caches, frozen or not), annotations, and the `strict` of a
    `zip`, which asserts."""
    out: set[int] = set()
    for node in ast.walk(tree):
        parts: list[ast.AST | None] = []
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            parts = [*node.decorator_list, node.returns]
        elif isinstance(node, ast.ClassDef):
            parts = [*node.decorator_list]
        elif isinstance(node, ast.AnnAssign | ast.arg):
            parts = [node.annotation]
        elif isinstance(node, ast.keyword) and node.arg == "strict":
            parts = [node.value]
        out.update(id(inner) for part in parts if part is not None for inner in ast.walk(part))
    return out


def mutants(file: str, text: str) -> Iterator[Mutant]:
    """All that there are of a file, in the order of `ast.walk`."""
    tree = ast.parse(text)
    left_out = _left_out(tree)
    for place, node in enumerate(list(ast.walk(tree))):
        if id(node) in left_out or not isinstance(node, ast.expr):
            continue
        before = ast.unparse(node)
        if _changed(node):
            yield Mutant(file, place, node.lineno, f"{before} -> {ast.unparse(node)}")
            _back(node)


def _back(node: ast.AST) -> None:
    """Undo `_changed`, so that the changes of nodes around this one show one change."""
    if isinstance(node, ast.Compare):
        node.ops[0] = COMPARE[type(node.ops[0])]()
    elif isinstance(node, ast.BinOp):
        # Mult came from FloorDiv or Div: only the text that is shown would differ.
        node.op = ARITHMETIC[type(node.op)]()
    elif isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.UnaryOp):
        node.operand = node.operand.operand
    elif isinstance(node, ast.Constant) and isinstance(node.value, int) and not isinstance(node.value, bool):
        node.value -= 1
    else:
        _changed(node)


def changed_tree(text: str, mutant: Mutant) -> ast.Module:
    """The whole file with that change, lines where they were."""
    tree = ast.parse(text)
    node = next(node for number, node in enumerate(ast.walk(tree)) if number == mutant.place)
    assert _changed(node)
    return ast.fix_missing_locations(tree)


def mutated(text: str, mutant: Mutant) -> str:
    """The same as text."""
    return ast.unparse(changed_tree(text, mutant))


def marked(file: str, text: str) -> str:
    """The file with a mark at the head of every block: `(file, line)` of its first statement goes into HITS."""
    tree = ast.parse(text)
    for node in list(ast.walk(tree)):
        if isinstance(node, ast.Module | ast.ClassDef):
            continue
        for name in BLOCKS:
            block = getattr(node, name, None)
            if isinstance(block, list) and block:
                # A docstring or a `nonlocal` must stay where it is, before anything that is run.
                mark = ast.parse(f"{HITS}.add(({file!r}, {block[0].lineno}))").body[0]
                first = next((i for i, each in enumerate(block) if not _stays_first(each)), len(block))
                block.insert(first, mark)
    return ast.unparse(ast.fix_missing_locations(tree))


def _stays_first(statement: ast.stmt) -> bool:
    text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return text or isinstance(statement, ast.Global | ast.Nonlocal)


def block_of(text: str, mutant: Mutant) -> int | None:
    """The line by which the innermost block around a mutant is marked; None where it runs on import."""
    tree = ast.parse(text)
    wanted = next(node for number, node in enumerate(ast.walk(tree)) if number == mutant.place)
    return _search(tree, wanted, None)


def _search(node: ast.AST, wanted: ast.AST, block: int | None) -> int | None:
    if node is wanted:
        return block
    for name, value in ast.iter_fields(node):
        children = value if isinstance(value, list) else [value]
        inside = block
        if name in BLOCKS and isinstance(value, list) and value and not isinstance(node, ast.Module | ast.ClassDef):
            inside = value[0].lineno
        for child in children:
            if isinstance(child, ast.AST) and any(inner is wanted for inner in ast.walk(child)):
                # The default of a parameter is computed where the function is defined.
                return _search(child, wanted, inside)
    return block
