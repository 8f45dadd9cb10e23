"""What Complex_Main needs of a benchmark's signature and notation, kept in the cache folder: most questions stand there
or in a theory that it rests on. The rest, twenty times as much, is read when somebody asks for something of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from isarstep.bench.kept import kept
from isarstep.bench.theory_contexts import USUAL, Constants, Declared, TheoryContexts
from isarstep.logic.signature import Constant, Signature, abbreviations_of

Value = TypeVar("Value")
_LAYOUT = 1  # of what is kept


class Partly(Mapping[str, Value]):
    """A mapping of which a part is there: all that it has of the names that are `covered`. For others and to go through
    all, the whole is read."""

    def __init__(
        self, part: Mapping[str, Value], covered: Callable[[str], bool], whole: Callable[[], Mapping[str, Value]]
    ) -> None:
        self._part, self._covered, self.whole = part, covered, whole

    def _with(self, name: str) -> Mapping[str, Value]:
        return self._part if self._covered(name) else self.whole()

    def __getitem__(self, name: str) -> Value:
        return self._with(name)[name]

    def __contains__(self, name: object) -> bool:
        return name in self._with(str(name))

    def __iter__(self) -> Iterator[str]:
        return iter(self.whole())

    def __len__(self) -> int:
        return len(self.whole())

    def __bool__(self) -> bool:
        return bool(self._part) or bool(self.whole())


class _PartlyConstants(Partly[Constant]):
    def abbreviations(self) -> Iterator[str]:
        return abbreviations_of(self.whole())


def theories_of(rows: Iterable[Mapping[str, Any]]) -> tuple[dict[str, Any], dict[str, Declared]]:
    """From the table of theories in the file of a signature: parents, and what is declared."""
    parents = {row["name"]: row["parents"] for row in rows}
    declared = {
        row["name"]: Declared(
            row["constants"],
            frozenset(row["arities"]),
            row.get("exact", False),
            dict(zip(row["arities"], row.get("arities_sorts", ()), strict=False)),
        )
        for row in rows
        if "constants" in row
    }
    return parents, declared


def contexts_by_part(
    name: str,
    whole: Callable[[], TheoryContexts],
    document: Callable[[], Mapping[str, Any]],
    qualified: Iterable[str],
) -> TheoryContexts:
    """As `whole` gives them, of the benchmark of this name; `document` is what the file of its signature holds."""
    part = kept("signature", f"{_LAYOUT} {name}", lambda: _part(whole(), document()))
    if not part:
        return whole()
    parents, declared = theories_of(part["theories"])
    places = TheoryContexts(Signature.build(()), parents, qualified)
    usual = places.at(USUAL)
    prefixes, theories = usual.prefixes, usual.theories or frozenset()

    def of_part(name: str) -> bool:
        """Of a constant or a type constructor."""
        return "." not in name or places.prefix(name) in prefixes

    near = Signature.from_json(part)
    signature = replace(
        near,
        constants=_PartlyConstants(near.constants, of_part, lambda: whole().whole.constants),
        arities=Partly(near.arities, of_part, lambda: whole().whole.arities),
    )
    contexts = TheoryContexts(
        signature,
        Partly(parents, theories.__contains__, lambda: whole().parents),
        qualified,
        Partly(declared, theories.__contains__, lambda: whole().declared),
        lambda: Partly(part["notation"], theories.__contains__, lambda: whole().notation),
    )
    contexts.usual_part = Constants(theories, near.constants)
    declaring = {t: {c: frozenset(by) for c, by in table.items()} for t, table in part["declaring"].items()}
    contexts.declaring = Partly(declaring, of_part, lambda: whole().declaring)
    return contexts


def _part(contexts: TheoryContexts, document: Mapping[str, Any]) -> dict[str, Any]:
    """In the form of docs/signature.md, with what theories declare and their notation; empty where there is no
    Complex_Main."""
    if USUAL not in contexts.parents:
        return {}
    usual = contexts.at(USUAL)
    theories = usual.theories or frozenset()

    def of_part(name: str) -> bool:
        return "." not in name or usual.exists(name)

    fields = ("name", "parents", "constants", "arities", "exact", "arities_sorts")
    rows = [row for row in document["theories"] if row["name"] in theories]
    declaring = contexts.declaring.items()
    return {
        "format": document["format"],
        "constants": [row for row in document["constants"] if of_part(row[0])],
        "types": [[name, count] for name, count in contexts.whole.types.items()],
        "classes": [[name, sorted(above)] for name, above in contexts.whole.classes.items()],
        "arities": [row for row in document["arities"] if of_part(row[0])],
        "coercions": document["coercions"],
        "theories": [{field: row[field] for field in fields if field in row} for row in rows],
        "declaring": {t: {c: sorted(by) for c, by in table.items()} for t, table in declaring if of_part(t)},
        "notation": {theory: contexts.notation[theory] for theory in sorted(theories) if theory in contexts.notation},
    }
