"""Theories of one base name in several sessions: whose names stay as they are, and whose get their session in front.

Isabelle calls a constant `Order.le` after the base name of its theory, so two sessions may use one name for different
things (never below one theory: Isabelle forbids ancestors of equal base name). Here the first of such theories keeps
its names, those of the others begin with the long name, `Foundation_of_geometry.Order.le`, wherever a theory rests on
them. Which one is first depends on the set of theories alone, and adding theories never makes a later one the first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from isarstep.common.errors import UserError
from isarstep.isabelle.context.ancestors import ancestors_first
from isarstep.isabelle.terms.type_text import format_type, parse_type

_ROOT = "Pure"  # the only theory without a graph


@dataclass(frozen=True)
class Renaming:
    """What the names of some theories begin with, and what they shall begin with; mostly there are none."""

    prefixes: Mapping[str, str] = field(hash=False)

    def __bool__(self) -> bool:
        return bool(self.prefixes)

    def name(self, name: str) -> str:
        """The new name of a constant, type, class or theorem."""
        start, dot, rest = name.partition(".")
        new = self.prefixes.get(start)
        return name if new is None or not dot else f"{new}.{rest}"

    def text(self, text: str) -> str:
        """The same for all names in a line of tokens."""
        return self._old.sub(lambda match: self.prefixes[match[1]] + ".", text) if self.prefixes else text

    def type(self, text: str) -> str:
        """The same for a type as text, whose sorts stay in order."""
        new = self.text(text)
        return text if new == text else format_type(parse_type(new))

    def undone(self, text: str) -> str:
        """The line of tokens before `text`."""
        return self._new.sub(lambda match: self._back[match[1]] + ".", text) if self.prefixes else text

    def record(self, record: dict[str, Any]) -> dict[str, Any]:
        """One record of a graph file (docs/graphs.md) with new names, changed in place."""
        name = self.name
        for row in record.get("types", ()):
            if row[0][0] in "'?":
                row[-1] = sorted(map(name, row[-1]))
            else:
                row[0] = name(row[0])
        for row in record.get("terms", ()):
            if row[0] == "c":
                row[1] = name(row[1])
        for row in [record["lemma"]] if "lemma" in record else record.get("theorems", ()):
            row[0] = name(row[0])
        if "proof" in record:
            for key in ("name", "locale"):
                if record["proof"].get(key):
                    record["proof"][key] = name(record["proof"][key])
        if "rules" in record:
            record["rules"] = {
                kind: [" ".join(map(name, row.split(" "))) for row in rows]
                if kind == "removed"
                else [[name(row[0]), *row[1:]] for row in rows]
                for kind, rows in record["rules"].items()
            }
        if "signature" in record:
            signature = record["signature"]
            for row in (*signature["constants"], *signature["types"]):
                row[0] = name(row[0])
            signature["classes"] = [[name(c), sorted(map(name, above))] for c, above in signature["classes"]]
            signature["arities"] = [
                [name(t), name(c), [sorted(map(name, sort)) for sort in sorts], *after]
                for t, c, sorts, *after in signature["arities"]
            ]
        return record

    def document(self, value: Any) -> Any:
        """The same for all names in a JSON value such as a theory's notation, where marks may stand before a name."""
        if not self.prefixes:
            return value
        if isinstance(value, str):
            mark, end, name = value.rpartition(">")
            return mark + end + (self.text(name) if " " in name else self.name(name))
        if isinstance(value, Mapping):
            return {key: self.document(inner) for key, inner in value.items()}
        return [self.document(inner) for inner in value] if isinstance(value, list | tuple) else value

    @cached_property
    def _back(self) -> dict[str, str]:
        return {new: old for old, new in self.prefixes.items()}

    @cached_property
    def _old(self) -> re.Pattern[str]:
        return _beginnings(self.prefixes)

    @cached_property
    def _new(self) -> re.Pattern[str]:
        return _beginnings(self.prefixes.values())


def _beginnings(prefixes: Iterable[str]) -> re.Pattern[str]:
    """A prefix with its full stop, where a name begins: at the start, after a blank or a bracket."""
    return re.compile(rf"(?<![^ (])({'|'.join(map(re.escape, prefixes))})\.")


NOTHING = Renaming({})


class Ancestry:
    """Which theory a base name means in which theory, as far as imports are known (long name -> imported theories).

    Theories of `settled` sets come before all others, set by set: their names were decided without the others.
    """

    def __init__(self, parents: Mapping[str, Sequence[str]], settled: Sequence[frozenset[str]] = ()) -> None:
        self._parents = parents
        known = {*parents, *(parent for above in parents.values() for parent in above)}
        rank = {theory: number for number, theories in reversed([*enumerate(settled)]) for theory in theories}
        self._sharing: dict[str, list[str]] = {}
        for theory in sorted(known, key=lambda theory: (rank.get(theory, len(settled)), precedence(theory))):
            self._sharing.setdefault(_base(theory), []).append(theory)

    @property
    def clashing(self) -> frozenset[str]:
        """Base names of several theories."""
        return frozenset(base for base, theories in self._sharing.items() if len(theories) > 1)

    @property
    def qualified(self) -> list[str]:
        """The theories whose names get their session in front."""
        return sorted(theory for theories in self._sharing.values() for theory in theories[1:])

    def prefix(self, theory: str) -> str:
        """What the names of a theory begin with."""
        return _base(theory) if self._sharing[_base(theory)][0] == theory else theory

    def renamings(self) -> dict[str, Renaming]:
        """For each theory how Isabelle's names in its graph are to be changed; those without changes are left out."""
        found = {}
        for theory, meaning in self.meanings(self.clashing).items():
            changed = {base: self.prefix(of) for base, of in meaning.items() if self.prefix(of) != base}
            if changed:
                found[theory] = Renaming(changed)
        return found

    def meanings(self, bases: frozenset[str]) -> dict[str, dict[str, str]]:
        """For each theory the one that a base name of these means there: an ancestor or the theory itself."""
        found: dict[str, dict[str, str]] = {}
        for theory in ancestors_first(self._parents, self._parents):
            meaning: dict[str, str] = {}
            for other in (*self._parents.get(theory, ()), theory):
                more = found[other] if other != theory else {_base(theory): theory} if _base(theory) in bases else {}
                for base, of in more.items():
                    if meaning.setdefault(base, of) != of:
                        raise UserError(
                            f"{theory}: imports both {meaning[base]} and {of}, which Isabelle forbids; mine again"
                        )
            found[theory] = meaning
        return {theory: found[theory] for theory in self._parents}

    def incomplete(self) -> set[str]:
        """Theories some of whose ancestors are not known."""
        found: set[str] = set()
        for theory in ancestors_first(self._parents, self._parents):
            if theory != _ROOT and (theory not in self._parents or any(p in found for p in self._parents[theory])):
                found.add(theory)
        return found


def renaming_of_benchmark(where: object, before: Ancestry, after: Ancestry) -> Renaming:
    """What changes in a finished benchmark, built from the theories `before`, when others join it."""
    clashing = after.clashing
    then, now = before.meanings(clashing), after.meanings(clashing)
    changed: dict[str, str] = {}
    for theory, meaning in then.items():
        if now[theory] != meaning:
            other = next(iter(now[theory].items() - meaning.items()))[1]
            raise UserError(f"{where}: {theory} rests on {other}, as its new company tells; build from graphs")
        for of in meaning.values():
            if before.prefix(of) != after.prefix(of):
                changed[before.prefix(of)] = after.prefix(of)
    if changed:
        for theory in sorted(before.incomplete() & then.keys()):
            unknown = sorted(changed.keys() - then[theory].keys())
            if unknown:
                raise UserError(
                    f"{where}: {unknown[0]} now names two theories; which one {theory} means is not known, because the "
                    "benchmark lacks some of its imports; build from graphs"
                )
    return Renaming(changed)


def _base(theory: str) -> str:
    return theory.rpartition(".")[2]


def precedence(theory: str) -> tuple[int, str]:
    """Theories outside sessions (Main) come first, then what most others rest on: HOL, its library, its sessions."""
    session = theory.rpartition(".")[0]
    place = {"": 0, "HOL": 1, "HOL-Library": 2}.get(session)
    return (3 if session.startswith("HOL-") else 4) if place is None else place, theory
