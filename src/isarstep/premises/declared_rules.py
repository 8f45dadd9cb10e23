"""The rules that theories declare for classical reasoning: introduction, elimination, destruction, transitivity, and
the named collections of introduction rules, such as `tendsto_intros`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from isarstep.benchmark.store.layout import RULES, files_of
from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.terms import Term, head_name
from isarstep.isabelle.terms.tokens import decode
from isarstep.premises.fact_base import Library

INTRO = "intro"
KINDS = frozenset((INTRO, "intro!", "elim", "elim!", "dest", "dest!", "trans"))
COLLECTION = "intros"  # how names of collections end


class DeclaredRules:
    """By theory, as numbers of facts."""

    def __init__(self, library: Library, of_theory: Mapping[str, Mapping[int, frozenset[str]]]) -> None:
        self._library, self._of_theory = library, of_theory
        self._heads = lru_cache(maxsize=50_000)(self._heads_of)

    def about(self, theories: Collection[str], goal: str, known: Collection[str]) -> dict[int, frozenset[str]]:
        """Those whose conclusion may be a goal with this head, or whose first premise a known fact with one of these;
        and as what they are declared."""
        found: dict[int, frozenset[str]] = {}
        for theory in self._of_theory.keys() & set(theories):
            for number, kinds in self._of_theory[theory].items():
                conclusion, premise = self._heads(number)
                if (conclusion and conclusion == goal) or premise in known:
                    found[number] = found.get(number, frozenset()) | kinds
        return dict(sorted(found.items()))

    def _heads_of(self, number: int) -> tuple[str, str]:
        """Of the conclusion and of the first premise; empty where they have none."""
        premises, conclusion = hol.strip_pure_imp(decode(self._library.texts[number]))
        return _head(conclusion), _head(premises[0]) if premises else ""

    @staticmethod
    def of_benchmark(benchmark: Any, library: Library) -> DeclaredRules | None:
        """None where the benchmark has no rules."""
        if not files_of(benchmark.manifest, RULES):
            return None
        facts = benchmark.table(RULES, ["fact"])["fact"].to_pylist()
        kinds, theories = (benchmark.repeated(RULES, name) for name in ("kind", "theory"))
        wanted = [n for n, kind in enumerate(kinds.different) if kind in KINDS or _is_collection(kind)]
        of_theory: dict[str, dict[int, frozenset[str]]] = {}
        for row in np.flatnonzero(np.isin(kinds.which, wanted)).tolist():
            if facts[row] is not None:
                here = of_theory.setdefault(theories[row], {})
                kind = INTRO if _is_collection(kinds[row]) else kinds[row]
                here[facts[row]] = here.get(facts[row], frozenset()) | {kind}
        return DeclaredRules(library, of_theory)


def _is_collection(kind: str) -> bool:
    return kind.startswith("in ") and kind.endswith(COLLECTION)


def _head(proposition: Term) -> str:
    formula = hol.dest_trueprop(proposition)
    return head_name(proposition if formula is None else formula)
