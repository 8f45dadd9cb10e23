"""Finding examples of a benchmark: by id, and by words of theory, theorem and constants."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from isarstep.benchmark.store.example import Example
from isarstep.benchmark.store.fact_search import MENTIONED, NAMED, SearchWord
from isarstep.benchmark.store.ids import CONSTANT
from isarstep.benchmark.store.setting import with_setting
from isarstep.benchmark.store.store import Benchmark
from isarstep.common.errors import UserError
from isarstep.common.memory import shared_property

SEARCHED = ("test", "validation")


class NotFoundError(UserError):
    """There is no such example."""


@dataclass(frozen=True)
class CatalogueEntry:
    """What a list of examples shows of one."""

    split: str
    id: str
    theory: str
    name: str
    kind: str
    goal: str | None  # tokens
    size: int  # tokens of F.2 and F.3
    words: str  # what it is called, in lower case
    constants: frozenset[str]
    constant_text: str  # the same, in lower case


class Catalogue:
    """The words of held-out examples are gathered at the first search."""

    def __init__(self, benchmark: Benchmark) -> None:
        self.benchmark = benchmark

    def find(self, identifier: str) -> tuple[str, Example]:
        """The split and the example whose id begins so."""
        if not re.fullmatch(r"[0-9a-f]{1,12}", identifier):
            raise NotFoundError(f"{identifier[:40]}: no example id; ids are 12 hex digits, the first few are enough")
        try:
            name, example = self.benchmark.find(identifier)
        except UserError as error:
            raise NotFoundError(str(error)) from None
        return name, with_setting(self.benchmark, example)

    def search(
        self, words: Sequence[SearchWord], split: str, limit: int, offset: int
    ) -> tuple[int, list[CatalogueEntry]]:
        """How many examples fit most of the words, and some of them: those named so first, then the short ones."""
        rows = [entry for entry in self.entries if split in ("all", entry.split)]
        if not words:
            return len(rows), rows[offset : offset + limit]
        judged = [(*_fit(entry, words), -entry.size, entry) for entry in rows]
        best = max((fits for fits, *_ in judged), default=0)
        found = sorted((each for each in judged if each[0] == best > 0), key=lambda each: each[1:3], reverse=True)
        # Examples that look like an earlier one, as steps of one proof do, stand behind all others.
        first = {(entry.theory, entry.name, entry.goal): entry for *_, entry in reversed(found)}
        listed = sorted((entry for *_, entry in found), key=lambda e: first[e.theory, e.name, e.goal] is not e)
        return len(listed), listed[offset : offset + limit]

    @shared_property
    def entries(self) -> list[CatalogueEntry]:
        columns = ["id", "theory", "name", "target_kind", "f2", "f3"]
        tables = {
            name: self.benchmark.table(name, columns).to_pylist() for name in SEARCHED if name in self.benchmark.splits
        }
        rows = [(name, row) for name, table in tables.items() for row in table]
        wanted = sorted({n for _, row in rows for n in (*row["f2"], row["f3"]) if n is not None})
        text_of = {number: self.benchmark.propositions[number] for number in wanted}
        entries: list[CatalogueEntry] = []
        for split, row in rows:
            lines = [text_of[n] for n in (row["f3"], *row["f2"]) if n is not None]
            constants = dict.fromkeys(name for line in lines for name in CONSTANT.findall(line))
            words = " ".join([row["id"], row["theory"], row["name"]]).lower()
            goal = None if row["f3"] is None else text_of[row["f3"]]
            size = sum(line.count(" ") + 1 for line in lines)
            identity = (row["id"], row["theory"], row["name"], row["target_kind"])
            mentioned = frozenset(constants)
            entries.append(CatalogueEntry(split, *identity, goal, size, words, mentioned, " ".join(constants).lower()))
        return entries


def _fit(entry: CatalogueEntry, words: Sequence[SearchWord]) -> tuple[int, int]:
    """How many of the words fit, and how well."""
    fits = score = 0
    for word in words:
        value = NAMED * (word.text in entry.words) + MENTIONED * (not entry.constants.isdisjoint(word.constants))
        value = value or (word.text in entry.constant_text)
        fits, score = fits + (value > 0), score + value
    return fits, score
