"""What exists where a step stands: the constants and instances of all theories that its own rests on, of its own theory
the constants that are declared before it, and the fixed variables. A benchmark's signature is that of all its theories
together; no step sees all of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Protocol, TypeAlias

from isarstep.logic.signature import Signature
from isarstep.logic.terms import Sort

Arities: TypeAlias = Mapping[str, tuple[Sort, ...]]  # of a constructor: class -> sorts that the arguments must have
_NAMED = re.compile(r"(CONST|FREE) (\S+)")
PURE = "Pure"  # imported by all, listed by none


class Place(Protocol):
    """What is asked of an example."""

    @property
    def theory(self) -> str: ...
    @property
    def proof(self) -> int: ...
    @property
    def types(self) -> Mapping[str, str]: ...
    @property
    def fixed(self) -> int: ...
    def source(self, *, hints: bool = ...) -> Sequence[tuple[int, str]]: ...


@dataclass(frozen=True)
class Declared:
    """What a theory declares (`bench/declared.py`)."""

    first_proof: Mapping[str, int]  # of its constants: the first of its proofs that mentions them
    arities: frozenset[str]  # constructor and class, with a blank between


class Scope:
    """Made from the imports of theories; `qualified` are those whose names begin with their session. Of theories that
    are not among `declared` all is taken to be there from their beginning, everywhere.
    """

    def __init__(
        self,
        parents: Mapping[str, Sequence[str]],
        qualified: Iterable[str] = (),
        declared: Mapping[str, Declared] | None = None,
    ) -> None:
        self._parents, self._qualified, self._declared = parents, frozenset(qualified), declared or {}
        self._declaring: dict[str, dict[str, set[str]]] = {}  # constructor, class -> theories
        for theory, content in self._declared.items():
            for constructor, _, class_ in (arity.partition(" ") for arity in content.arities):
                self._declaring.setdefault(constructor, {}).setdefault(class_, set()).add(theory)
        self._prefixes = cache(self._prefixes_in)
        self.signature = cache(self._signature)

    @staticmethod
    def of_benchmark(benchmark: Any) -> Scope:
        from isarstep.bench.grow import signature_document  # only here: proposing for one example needs none of it

        theories = signature_document(benchmark).get("theories", ())
        parents = {theory["name"]: theory["parents"] for theory in theories}
        declared = {
            theory["name"]: Declared(theory["constants"], frozenset(theory["arities"]))
            for theory in theories
            if "constants" in theory
        }
        return Scope(parents, benchmark.manifest.get("qualified", ()), declared)

    def constants(self, theory: str) -> Callable[[str], bool]:
        """Tells of a constant's name whether it exists at the end of a theory. Where imports are not known, all do."""
        prefixes = self._prefixes(theory) if theory in self._parents else None
        return lambda name: prefixes is None or self._prefix(name) in prefixes

    def known(self, example: Place) -> Callable[[str], bool]:
        """Tells of a constant's name whether one who has read the theory up to the example's proof, and its source,
        can know it. What this proof alone mentions does not count: its target would give it away.
        """
        exists, declared = self.constants(example.theory), self._declared.get(example.theory)
        if declared is None or example.proof < 0:
            return exists
        read = {name for _, line in example.source(hints=False) for name in line.split()}
        home, first = self._home(example.theory), declared.first_proof

        def known(name: str) -> bool:
            if self._prefix(name) != home:
                return exists(name)
            return first.get(name, example.proof) < example.proof or name in read

        return known

    def _signature(self, theory: str, whole: Signature) -> Signature:
        """Without the instances of theories that this one does not rest on. Its own count from its beginning; those
        that follow from others by super-classes alone are in no theory's list and stay.
        """
        near = self._rests_on(theory) & self._parents.keys()
        if not near or not near <= self._declared.keys():
            return whole
        return replace(whole, arities=_Near(whole.arities, self._declaring, near))

    def absence(self, example: Place, proposition: str) -> str | None:
        """Says which constant or variable of a proposition does not exist at an example; None: all do."""
        exists, declared = self.constants(example.theory), self._declared.get(example.theory)
        later = declared.first_proof if declared is not None and example.proof >= 0 else {}
        for kind, name in _NAMED.findall(proposition):
            if kind == "CONST" and not exists(name):
                return f"constant {name} is of a theory that {example.theory} does not import"
            if kind == "CONST" and later.get(name, -1) > example.proof:
                return f"constant {name} is mentioned in {example.theory} only by later proofs"
            if kind == "FREE" and name not in example.types and _number(name) >= example.fixed >= 0:
                return f"variable {name} is not fixed here"
        return None

    def _prefix(self, name: str) -> str:
        parts = name.split(".", 2)
        session = ".".join(parts[:2])
        return session if session in self._qualified else parts[0]

    def _home(self, theory: str) -> str:
        """What the names of a theory's constants begin with."""
        return theory if theory in self._qualified else theory.rpartition(".")[2]

    def _rests_on(self, theory: str) -> set[str]:
        """A theory and all above it."""
        seen, todo = {theory}, [theory]
        while todo:
            new = [parent for parent in self._parents.get(todo.pop(), ()) if parent not in seen]
            seen.update(new)
            todo += new
        return seen

    def _prefixes_in(self, theory: str) -> frozenset[str]:
        """What the names of constants begin with that exist in a theory."""
        return frozenset({PURE, *map(self._home, self._rests_on(theory))})


class _Near(Mapping[str, Arities]):
    """Of all arities those that some theories declare, or none at all; a constructor's are looked at when asked for."""

    def __init__(
        self, whole: Mapping[str, Arities], declaring: Mapping[str, Mapping[str, set[str]]], near: set[str]
    ) -> None:
        self._whole, self._declaring, self._near = whole, declaring, near
        self._known: dict[str, Arities] = {}

    def __getitem__(self, constructor: str) -> Arities:
        found = self._known.get(constructor)
        if found is None:
            theories = self._declaring.get(constructor, {})
            found = self._known[constructor] = {
                class_: sorts
                for class_, sorts in self._whole[constructor].items()
                if class_ not in theories or not theories[class_].isdisjoint(self._near)
            }
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._whole)

    def __len__(self) -> int:
        return len(self._whole)


def _number(variable: str) -> int:
    digits = variable[2:-1]
    return int(digits) if digits.isdecimal() else -1
