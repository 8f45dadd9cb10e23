"""The systems of a report: what each run answered, in which way, at what budget, and on which parts of the data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from isarstep.benchmark.store.example import Example
from isarstep.benchmark.store.ids import CONSTANT
from isarstep.benchmark.store.store import Benchmark
from isarstep.resources import BESIDE, EMBEDDED
from isarstep.score.breakdowns import Breakdown
from isarstep.score.headline import open_task
from isarstep.score.metrics import Bools, Score, accuracy
from isarstep.score.report import paper
from isarstep.score.report.verdicts import VerdictSummary, read_verdicts
from isarstep.score.runs import KINDS, RunFolder
from isarstep.score.scores import OF_ENTRIES, Scores, ScoringTask, System, score

NEW, STEPS, CONSTANTS = "new targets", "steps with F.2", "new constants"
ELSEWHERE = OF_ENTRIES  # splits whose top-1 stands beside the headline where the benchmark has them


@dataclass(frozen=True)
class Part:
    """Top-1 on a part of the split, or on another one."""

    examples: int
    top1: Score
    reweighted: float | None = None  # of another split: as if it had as many targets of each kind as the reported one


@dataclass(frozen=True)
class RunEntry:
    """One system of the report: a run's predictions made in one way, its scores and verdicts."""

    run: RunFolder
    tag: str  # "": decoded without constraints
    system: System
    scores: Scores
    verdicts: VerdictSummary | None
    parts: Mapping[str, Part] = field(hash=False)

    @property
    def input(self) -> str:
        return self.run.input

    @property
    def model(self) -> str:
        """The paper's name of the model where the run is of its kind, with what differs from the paper's base."""
        config = self.run.config
        if config.get("kind") == "baseline":
            return "baseline"
        extras = [
            str(config[key]) for key, usual in (("size", "base"), ("style", "paper")) if config.get(key, usual) != usual
        ]
        if not self.run.categories:
            extras.append("no categories")
        return self.run.kind + (f" ({', '.join(extras)})" if extras else "")

    @property
    def paper_row(self) -> str | None:
        """Its name among the rows of the paper's tables, as research/experiments/paper_rows.py has them; None: another
        model."""
        run, seed = self.run, self.run.budget.get("seed") or 0
        kind = str(run.config.get("kind"))
        shape = (run.config.get("size", "base"), run.config.get("style", "paper"), self.tag)
        if kind not in KINDS or shape != ("base", "paper", "") or self.input in paper.MORE:
            return None
        plain = {(True, 0): "f5" if run.hints else "base"}
        special = {} if run.hints else {(False, 0): "nocat", (True, seed): f"seed{seed}"}
        word = (special | plain).get((run.categories, seed))
        return f"{kind}-{word}" if word else None

    def as_json(self) -> dict[str, Any]:
        """For machines: unrounded, with what it took."""
        about = {"run": self.run.folder.resolve().name, "row": self.paper_row, "tag": self.tag}
        about |= {"model": self.model, "input": self.input, "vocabulary": self.run.vocabulary}
        took = {"budget": self.run.budget, "origin": self.run.origin, "trained_on": self.run.trained_on}
        parts = {
            name: {"examples": part.examples, "reweighted": part.reweighted} | asdict(part.top1)
            for name, part in self.parts.items()
        }
        verdicts = asdict(self.verdicts) if self.verdicts else None
        return about | took | self.scores.as_json() | {"parts": parts, "verdicts": verdicts}


def other_tasks(benchmark: str | Path, split: str) -> list[ScoringTask]:
    """The splits beside the reported one on which runs may have answered."""
    opened = Benchmark(benchmark)
    there = [name for name in ELSEWHERE if name != split and name in opened.splits and len(opened.split(name))]
    if str(benchmark) == EMBEDDED:
        there += [name for name in BESIDE if name != split]
    return [open_task(benchmark, name) for name in there]


def entries_of(
    runs: Sequence[RunFolder], task: ScoringTask, near: Breakdown, others: Sequence[ScoringTask]
) -> list[RunEntry]:
    """Every way of decoding of every run that answered the split."""
    steps = np.array([bool(example.f2) and example.target_kind == "step" for example in task.examples])
    groups = {NEW: near.groups[0][1], STEPS: steps, CONSTANTS: np.array(list(map(needs_a_constant, task.examples)))}
    found = []
    for run in runs:
        for tag in run.tags(task.split):
            system = run.system(task, tag)
            if system is not None:
                path = run.verdicts(task.split, tag)
                verdicts = read_verdicts(path, task.homes) if path else None
                parts = {name: part for name, members in groups.items() if (part := _part(system, members))}
                for other in others:
                    elsewhere = run.system(other, tag)
                    if elsewhere is not None and (part := _part(elsewhere, np.ones(len(other.examples), np.bool_))):
                        kinds = [example.target_kind for example in task.examples]
                        parts[other.split] = replace(part, reweighted=reweighted(elsewhere, kinds))
                found.append(RunEntry(run, tag, system, score(system), verdicts, parts))
    return found


def needs_a_constant(example: Example) -> bool:
    """Does the target have a constant that F.2 to F.4 do not have?"""
    given = " ".join(line for _, line in example.source(hints=False))
    return not set(CONSTANT.findall(example.f1)) <= set(CONSTANT.findall(given))


def reweighted(system: System, kinds: Sequence[str]) -> float:
    """Top-1 in percent if the split had as many targets of each kind as this list; a kind that it lacks is left out."""
    own = np.array([example.target_kind for example in system.task.examples])
    shares = {kind: count for kind, count in Counter(kinds).items() if (own == kind).any()}
    parts = [count * float(system.correct[own == kind].mean()) for kind, count in shares.items()]
    return 100 * sum(parts) / max(sum(shares.values()), 1)


def _part(system: System, members: Bools) -> Part | None:
    count = int(members.sum())
    return Part(count, accuracy(system.correct[members], system.task.clusters[members])) if count else None
