"""Which provers are asked how, in which order and for how long: slices of time that `research/benchmarks/schedule.py`
fitted.

One slice after the other is taken until the time of a question is spent, so that who asks once more with more time
finds the answers of before.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import count
from pathlib import Path

from isarstep.premises.available_facts import Order
from isarstep.prover.atp.provers import Strategy, available

DATA = Path(__file__).with_name("schedule.json")
LONGER = 4  # times the seconds of before, where there is time for more than was fitted
# Slices with the definitions of what a question mentions, once this time of the fitted ones is over: how authors
# begin proofs about notions of their own. A setting, how many facts, how long.
BEFORE_DEFINITIONS = 1.2
DEFINITIONS = (("E 16 learned", 32, 0.2), ("E-folded 32 learned", 48, 0.2))
WITHOUT_LIBRARY = 0.25  # of the time: what follows from the given premises alone does so quickly or not at all


@dataclass(frozen=True, slots=True)
class Slice:
    """One way to ask, with so many library facts in an order, for so many seconds of processor time."""

    strategy: Strategy
    facts: int
    order: Order
    seconds: float


@dataclass(frozen=True, slots=True)
class Effort:
    """Processor time for one gap, of all provers together, and the most library facts that one is given."""

    seconds: float = 1.2
    library: int = 1024

    def slices(self, broken: Collection[str] = ()) -> Iterator[Slice]:
        """Those for which there is time, of the provers that can be asked and are not broken."""
        left, parts = self.seconds, schedule(_askable(broken))
        for turn in count() if parts else ():
            for part in parts:
                seconds = min(LONGER**turn * part.seconds, left)
                if seconds <= 0:
                    return
                left -= seconds
                yield replace(part, seconds=seconds)

    def without_library(self, broken: Collection[str] = ()) -> Iterator[Slice]:
        """The first slice of each prover, for premises that stand alone."""
        first: dict[str, Slice] = {}
        for part in schedule(_askable(broken)) if self.seconds > 0 else ():
            first.setdefault(part.strategy.prover, part)
        for part in first.values():
            yield replace(part, facts=0, seconds=WITHOUT_LIBRARY * self.seconds / len(first))


def _askable(broken: Collection[str]) -> frozenset[str]:
    return frozenset(strategy.prover for strategy in available(strategies())) - frozenset(broken)


@cache
def schedule(provers: frozenset[str]) -> tuple[Slice, ...]:
    """The slices that were fitted for these provers: for most of them, where none was for all."""
    settings, fitted = _read()
    fitting = [(known, parts) for known, parts in fitted if known <= provers]
    _, parts = max(fitting, key=lambda pair: len(pair[0]), default=(frozenset(), ()))
    slices = [replace(settings[name], seconds=seconds) for name, seconds in parts]
    passed = [sum(part.seconds for part in slices[:place]) for place in range(len(slices))]
    late = next((place for place, seconds in enumerate(passed) if seconds >= BEFORE_DEFINITIONS), len(slices))
    defined = [replace(settings[name], facts=facts, order="defined", seconds=s) for name, facts, s in DEFINITIONS]
    return (*slices[:late], *(part for part in defined if part.strategy.prover in provers), *slices[late:])


@cache
def strategies() -> tuple[Strategy, ...]:
    """All that some schedule has."""
    settings, _ = _read()
    return tuple(dict.fromkeys(part.strategy for part in settings.values()))


@cache
def _read() -> tuple[dict[str, Slice], list[tuple[frozenset[str], list[tuple[str, float]]]]]:
    document = json.loads(DATA.read_text(encoding="utf-8"))
    settings = {}
    for name, row in document["settings"].items():
        options = tuple(row["options"].items())
        strategy = Strategy(
            row["strategy"], row["encoding"], row["arithmetic"], row["unfold"], tuple(row["argv"]), options
        )
        settings[name] = Slice(strategy, row["facts"], row["order"], 0.0)
    fitted = [(frozenset(one["provers"]), [tuple(part) for part in one["slices"]]) for one in document["schedules"]]
    return settings, fitted
