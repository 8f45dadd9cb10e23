"""What exists where a step stands: the constants of its theory and of all that it rests on, and the fixed variables.

A benchmark's signature is that of all its theories together; no step sees all of it. Constants that its own theory
declares only later count as there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Protocol

_NAMED = re.compile(r"(CONST|FREE) (\S+)")
PURE = "Pure"  # imported by all, listed by none


class Place(Protocol):
    """What is asked of an example."""

    @property
    def theory(self) -> str: ...
    @property
    def types(self) -> Mapping[str, str]: ...
    @property
    def fixed(self) -> int: ...


class Scope:
    """Made from the imports of theories; `qualified` are those whose names begin with their session."""

    def __init__(self, parents: Mapping[str, Sequence[str]], qualified: Iterable[str] = ()) -> None:
        self._parents, self._qualified = parents, frozenset(qualified)
        self._prefixes = cache(self._prefixes_in)

    @staticmethod
    def of_benchmark(benchmark: Any) -> Scope:
        from isarstep.bench.grow import signature_document  # only here: proposing for one example needs none of it

        theories = signature_document(benchmark).get("theories", ())
        parents = {theory["name"]: theory["parents"] for theory in theories}
        return Scope(parents, benchmark.manifest.get("qualified", ()))

    def constants(self, theory: str) -> Callable[[str], bool]:
        """Tells of a constant's name whether it exists in a theory. Where imports are not known, all of them do."""
        prefixes = self._prefixes(theory) if theory in self._parents else None
        return lambda name: prefixes is None or self._prefix(name) in prefixes

    def absence(self, example: Place, proposition: str) -> str | None:
        """Says which constant or variable of a proposition does not exist at an example; None: all do."""
        exists = self.constants(example.theory)
        for kind, name in _NAMED.findall(proposition):
            if kind == "CONST" and not exists(name):
                return f"constant {name} is of a theory that {example.theory} does not import"
            if kind == "FREE" and name not in example.types and _number(name) >= example.fixed >= 0:
                return f"variable {name} is not fixed here"
        return None

    def _prefix(self, name: str) -> str:
        parts = name.split(".", 2)
        session = ".".join(parts[:2])
        return session if session in self._qualified else parts[0]

    def _prefixes_in(self, theory: str) -> frozenset[str]:
        """What the names of constants begin with that exist in a theory."""
        seen, todo = {theory}, [theory]
        while todo:
            new = [parent for parent in self._parents.get(todo.pop(), ()) if parent not in seen]
            seen.update(new)
            todo += new
        return frozenset({PURE, *(name if name in self._qualified else name.rpartition(".")[2] for name in seen)})


def _number(variable: str) -> int:
    digits = variable[2:-1]
    return int(digits) if digits.isdecimal() else -1
