"""Which syntheses are shown: correct ones that are no copies and wrong ones of every sort, chosen by rule."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from isarstep.benchmark.store.example import Example
from isarstep.score.breakdowns import source_length
from isarstep.score.copying import copied_share, is_copy
from isarstep.score.scores import System
from isarstep.score.wellformed import ILL_TYPED, UNREADABLE, WELL_TYPED

SHORTEST, LONGEST = 12, 60  # tokens of a target that is worth reading
MOST_SOURCE = 260  # tokens


@dataclass(frozen=True)
class Shown:
    """One example of the gallery with the system's first answer and why it was chosen."""

    number: int  # in the split
    example: Example
    answer: str
    what: str


def correct_ones(system: System, count: int) -> list[Shown]:
    """Correct first answers whose targets are least copied from the source, one a theorem, spread over sessions."""
    candidates = [(copied_share(example), i) for i, example in _readable(system) if system.correct[i]]
    candidates.sort()
    found: list[Shown] = []
    met: set[str] = set()
    for share, i in candidates:
        example = system.task.examples[i]
        home = f"{example.theory}:{example.name}"
        if home not in met:
            met.add(home)
            found.append(Shown(i, example, system.best[i], f"correct; longest run from the source {share:.0%}"))
        if len(found) == count:
            break
    return found


def wrong_ones(system: System, each: int) -> list[Shown]:
    """Wrong first answers: well-typed and new, copies, ill-typed, no terms; a few of each."""
    kinds: dict[str, list[Shown]] = {
        "well-typed, not copied": [], "copied from the source": [], "ill-typed": [], "not a term": []
    }  # fmt: skip
    outcomes = system.outcomes if system.task.type_checker else [WELL_TYPED] * len(system.best)
    named = {ILL_TYPED: "ill-typed", UNREADABLE: "not a term"}
    met: set[str] = set()
    # Ids are hashes: in their order neighbours come from different sessions.
    for i, example in sorted(_readable(system), key=lambda pair: pair[1].id):
        home = f"{example.theory}:{example.name}"
        if system.correct[i] or not system.best[i] or home in met:
            continue
        what = named.get(outcomes[i])
        if what is None:
            what = "copied from the source" if is_copy(example, system.best[i]) else "well-typed, not copied"
        if len(kinds[what]) < each:
            met.add(home)
            place = int(system.wide_ranks.exact[i])
            note = f"{what}; the reference is number {place} of the ten" if place else what
            kinds[what].append(Shown(i, example, system.best[i], note))
    return [shown for group in kinds.values() for shown in group]


def _readable(system: System) -> Iterator[tuple[int, Example]]:
    for i, example in enumerate(system.task.examples):
        length = example.f1.count(" ") + 1
        if SHORTEST <= length <= LONGEST and source_length(example) <= MOST_SOURCE and (example.f2 or example.f4):
            yield i, example
