"""A mutant without loading anything anew: the code of loaded functions is exchanged for that of the changed file."""

from __future__ import annotations

import ast
import gc
from collections.abc import Iterator
from types import CodeType, FunctionType

from mutating import Mutant, changed_tree


def codes_in(code: CodeType) -> Iterator[CodeType]:
    """Itself and the code of everything that is defined in it, in order."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes_in(constant)


def exchanged(text: str, tree: ast.Module, path: str) -> dict[CodeType, CodeType] | None:
    """Code of the text and what stands in its place in the tree; None where the two don't have the same parts."""
    before = list(codes_in(compile(text, path, "exec", dont_inherit=True)))
    after = list(codes_in(compile(tree, path, "exec", dont_inherit=True)))
    if [code.co_qualname for code in before] != [code.co_qualname for code in after]:
        return None
    return {old: new for old, new in zip(before, after, strict=True) if old != new}


def functions_of(path: str) -> list[FunctionType]:
    """All functions of a file that have been made so far."""
    return [each for each in gc.get_objects() if type(each) is FunctionType and each.__code__.co_filename == path]


def plant(text: str, mutant: Mutant, path: str, functions: list[FunctionType]) -> bool:
    """Make the mistake in functions of the file at that path; False where it could not be made."""
    new = exchanged(text, changed_tree(text, mutant), path)
    if not new:
        return False
    made = False
    for function in functions:
        code = new.get(function.__code__)
        if code is not None:
            function.__code__ = code
            made = True
    return made
