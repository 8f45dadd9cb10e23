"""What Complex_Main needs of a benchmark's signature and notation, kept in the cache folder: most questions stand there
or in a theory that it rests on. The rest, twenty times as much, is read when somebody asks for something of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from isarstep.common.disk_cache import kept_value
from isarstep.isabelle.context.theory_contexts import USUAL, Constants, Declared, TheoryContexts
from isarstep.isabelle.terms.signature import Constant, Signature, abbreviations_of

Value = TypeVar("Value")
_LAYOUT = 2  # of what is kept


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


def contexts_by_part(name: str, whole: Callable[[], TheoryContexts], qualified: Iterable[str]) -> TheoryContexts:
    """As `whole` gives them, of the benchmark of this name."""
    part = kept_value("signature", f"{_LAYOUT} {name}", lambda: _part(whole()))
    if not part:
        return whole()
    parents: Mapping[str, Sequence[str]] = part["parents"]
    places = TheoryContexts(Signature.build(()), parents, qualified)
    usual = places.at(USUAL)
    prefixes, theories = usual.prefixes, usual.theories or frozenset()

    def of_part(name: str) -> bool:
        """Of a constant or a type constructor."""
        return "." not in name or places.prefix(name) in prefixes

    near = Signature.from_json(part["signature"], closed=True)
    signature = replace(
        near,
        constants=_PartlyConstants(near.constants, of_part, lambda: whole().whole.constants),
        arities=Partly(near.arities, of_part, lambda: whole().whole.arities),
    )
    declared = {
        theory: Declared(first_proof, frozenset(arities), exact, sorts)
        for theory, (first_proof, arities, exact, sorts) in part["declared"].items()
    }
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


def _part(contexts: TheoryContexts) -> dict[str, Any]:
    """As plain values; empty where there is no Complex_Main."""
    if USUAL not in contexts.parents:
        return {}
    usual, whole = contexts.at(USUAL), contexts.whole
    theories = sorted(usual.theories or ())

    def of_part(names: Mapping[str, Value]) -> dict[str, Value]:
        return {name: value for name, value in names.items() if "." not in name or usual.exists(name)}

    signature = replace(whole, constants=dict(usual.signature.constants), arities=of_part(whole.arities))
    return {
        "signature": signature.to_json(),
        "parents": {theory: list(contexts.parents[theory]) for theory in theories if theory in contexts.parents},
        "declared": {
            theory: [dict(of.first_proof), sorted(of.arities), of.exact, dict(of.sorts)]
            for theory in theories
            if (of := contexts.declared.get(theory)) is not None
        },
        "declaring": {
            constructor: {class_: sorted(by) for class_, by in table.items()}
            for constructor, table in of_part(contexts.declaring).items()
        },
        "notation": {theory: contexts.notation[theory] for theory in theories if theory in contexts.notation},
    }
