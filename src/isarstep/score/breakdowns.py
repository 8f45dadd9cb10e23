"""Where systems are right: top-1 by length, origin, kind and copying; and what their wrong answers look like."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from isarstep.benchmark.store.example import Example
from isarstep.benchmark.store.store import Benchmark
from isarstep.common.tables import ABSENT, Table
from isarstep.score.copying import copied_share, is_copy, is_whole_copy, nearness
from isarstep.score.metrics import Bools, Score, accuracy
from isarstep.score.scores import ScoringTask, System
from isarstep.score.topics import topic_of
from isarstep.score.wellformed import ILL_TYPED, UNREADABLE, WELL_TYPED

SOURCE_BUCKETS = (160, 320, 480, 640, 800)  # the paper's five
TARGET_BUCKETS = (10, 20, 40, 80, 120, 200)
COPY_BUCKETS = (0.25, 0.5, 0.75)
SMALLEST = 20  # groups with fewer examples go together: their accuracies say nothing
Measure = Callable[[Example], int]
MOST_GROUPS = 30  # rows of a table that anybody reads; what is smaller goes together too


@dataclass(frozen=True, eq=False)
class Breakdown:
    """A partition of the examples; groups in the order in which they are shown."""

    key: str
    title: str
    column: str
    groups: tuple[tuple[str, Bools], ...]
    note: str = ""

    def accuracies(self, system: System) -> list[Score]:
        clusters = system.task.clusters
        return [accuracy(system.correct[members], clusters[members]) for _, members in self.groups]

    def table(self, systems: Sequence[System]) -> Table:
        by_system = [self.accuracies(system) for system in systems]
        rows = tuple(
            (label, f"{int(members.sum()):,}", *(str(scores[i]) if members.any() else ABSENT for scores in by_system))
            for i, (label, members) in enumerate(self.groups)
        )
        columns = (self.column, "examples", *(system.name for system in systems))
        return Table(self.key, self.title, columns, rows, self.note)


def source_length(example: Example) -> int:
    """Tokens of F.2-F.4 with brackets, without labels and separators: what the length rule measures."""
    return sum(text.count(" ") + 1 for _, text in example.source(hints=False))


def by_length(task: ScoringTask, what: str, fields: str, buckets: Sequence[int], length: Measure) -> Breakdown:
    groups = _buckets([length(example) for example in task.examples], buckets)
    return Breakdown(f"{what}-length", f"Top-1 by length of the {what}", f"tokens of {fields}", groups)


def by_copied_share(task: ScoringTask) -> Breakdown:
    shares = np.array([copied_share(example) for example in task.examples])
    edges = [(0.0, COPY_BUCKETS[0]), *zip(COPY_BUCKETS, (*COPY_BUCKETS[1:], 1.0), strict=True)]
    groups = [(f"{100 * low:.0f} – {100 * high:.0f} %", (shares >= low) & (shares < high)) for low, high in edges]
    groups.append(("all of it", shares >= 1.0))
    return Breakdown(
        "copied",
        "Top-1 by how much of the target stands in the source",
        "longest common run",
        tuple(groups),
        "The longest run of tokens that the target shares with a proposition of F.2–F.4, as a share of the target.",
    )


def by_label(task: ScoringTask, key: str, title: str, column: str, label: Callable[[Example], str]) -> Breakdown:
    labels = [label(example) or "not recorded" for example in task.examples]
    counts = Counter(labels)
    large = [name for name, count in counts.most_common(MOST_GROUPS) if count >= SMALLEST]
    array = np.array(labels)
    groups = [(name, np.asarray(array == name)) for name in large]
    rest = ~np.isin(array, large)
    if rest.any():
        groups.append((f"{len(counts) - len(large)} others", rest))
    return Breakdown(key, title, column, tuple(groups))


def by_nearness(task: ScoringTask, training: Sequence[str]) -> Breakdown:
    found = np.array(nearness(task.references, training))
    labels = (("new", "new"), ("near", "near copy"), ("renamed", "renumbered copy"))
    return Breakdown(
        "nearness",
        "Top-1 by nearness to training targets",
        "target",
        tuple((label, np.asarray(found == name)) for name, label in labels),
        "Renumbered copy: equal to a training target but for the numbers of variables. Near copy: token Jaccard of at "
        "least 0.9 with one after renumbering. Targets that training would have had token by token were removed there.",
    )


def breakdowns(task: ScoringTask, benchmark: str | Path | None) -> list[Breakdown]:
    """All of them; nearness needs the benchmark's training targets."""
    found = [
        by_length(task, "source", "F.2–F.4", SOURCE_BUCKETS, source_length),
        by_length(task, "target", "F.1", TARGET_BUCKETS, lambda e: e.f1.count(" ") + 1),
        by_label(task, "session", "Top-1 by session", "session", lambda e: e.session or e.theory.split(".")[0]),
        by_label(task, "topic", "Top-1 by topic", "topic", lambda e: topic_of(e.session, e.theory)),
        by_label(task, "kind", "Top-1 by kind of target", "kind", lambda e: e.target_kind),
        by_label(task, "command", "Top-1 by the command that states the target", "command", lambda e: e.target_command),
        by_label(task, "goal", "Top-1 by the command of the consequence", "command", lambda e: e.consequence_command),
        by_copied_share(task),
    ]
    if benchmark is not None:
        found.append(by_nearness(task, Benchmark(benchmark).trained_targets()))
    return found


def failure_table(systems: Sequence[System]) -> Table:
    """Of first answers that are not the reference: how many are terms, well-typed, copies."""
    rows = []
    for system in systems:
        hints = system.narrow.meta.get("input") == "+F.5"
        wrong = [i for i in range(len(system.best)) if not system.correct[i]]
        examples = system.task.examples
        outcomes = Counter(system.outcomes[i] for i in wrong)
        whole = sum(is_whole_copy(examples[i], system.best[i], hints=hints) for i in wrong)
        anywhere = sum(is_copy(examples[i], system.best[i], hints=hints) for i in wrong)
        elsewhere = int(((system.wide_ranks.exact > 0) & ~system.correct).sum())
        counts = (*(outcomes[o] for o in (UNREADABLE, ILL_TYPED, WELL_TYPED)), whole, anywhere, elsewhere)
        rows.append((system.name, f"{len(wrong):,}", *(_share(count, len(wrong)) for count in counts)))
    return Table(
        "failures",
        "What wrong first answers look like",
        (
            "system",
            "wrong",
            "not a term",
            "ill-typed",
            "well-typed",
            "copies a proposition of the source",
            "occurs in the source",
            "reference among the ten",
        ),
        tuple(rows),
    )


def _buckets(lengths: Sequence[int], edges: Sequence[int]) -> tuple[tuple[str, Bools], ...]:
    """At most 160, 161 to 320 and so on, and what is longer than the last edge where there is any."""
    values = np.array(lengths, np.int64)
    lows = (0, *edges)
    groups = [
        (f"{low + 1 if low else 0} – {high}", (values > (low if low else -1)) & (values <= high))
        for low, high in zip(lows, edges, strict=False)
    ]
    if (values > edges[-1]).any():
        groups.append((f"over {edges[-1]}", values > edges[-1]))
    return tuple(groups)


def _share(count: int, total: int) -> str:
    return f"{100 * count / total:.1f} %" if total else ABSENT
