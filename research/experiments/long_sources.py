"""Figure 3: is HAT twice as often right as the Transformer on sources beyond 640 tokens? The ratio with its interval.

    python research/experiments/long_sources.py         # from the lists in docs/results/runs, seconds

How often two runs are right on sources longer than so many tokens, and the quotient, with a 95 % interval that draws
whole theorems anew. Changed one at a time: the limit, the seed, the input, and the categories that HAT has and the
Transformer has not. The last line is one JSON document.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from isarstep.score.breakdowns import source_length
from isarstep.score.headline import open_task
from isarstep.score.metrics import by_cluster, resampled
from isarstep.score.runs import open_run
from isarstep.score.scores import ScoringTask, System

RUNS = Path(__file__).parents[2] / "docs" / "results" / "runs"
WAYS = (
    ("as the paper has it", "hat-base", "transformer-base", 640),
    ("another seed of HAT", "hat-seed1", "transformer-base", 640),
    ("with F.5", "hat-f5", "transformer-f5", 640),
    ("HAT without categories", "hat-nocat", "transformer-base", 640),
    ("beyond 480 tokens", "hat-base", "transformer-base", 480),
    ("beyond 320 tokens", "hat-base", "transformer-base", 320),
    ("all lengths", "hat-base", "transformer-base", 0),
)


def ratio(task: ScoringTask, left: System, right: System, longer: int) -> dict[str, float]:
    """Percent right of both, and left by right with its interval."""
    here = np.array([source_length(example) > longer for example in task.examples])
    counts = np.stack([left.correct[here], right.correct[here]], 1).astype(np.int64)
    clusters = task.clusters
    grouped = by_cluster(counts, None if clusters is None else np.asarray(clusters)[here])
    ours, theirs = (resampled(len(grouped)) @ grouped).T
    low, high = np.quantile(ours / np.maximum(theirs, 1), [0.025, 0.975])
    first, second = 100 * counts.mean(0)
    return {"examples": int(here.sum()), "left": first, "right": second, "ratio": first / second, "low": float(low),
            "high": float(high)}  # fmt: skip


def main() -> None:
    task = open_task()
    systems = {}
    for name in dict.fromkeys(name for _, left, right, _ in WAYS for name in (left, right)):
        system = open_run(RUNS / name).system(task)
        assert system is not None, f"{name} has no lists"
        systems[name] = system
    rows = []
    for change, left, right, longer in WAYS:
        found = ratio(task, systems[left], systems[right], longer)
        rows.append({"change": change, "runs": [left, right], "longer than": longer, **found})
        print(
            f"{change:24} {left} {found['left']:.1f}, {right} {found['right']:.1f} of {found['examples']:,}: "
            f"{found['ratio']:.2f} times [{found['low']:.2f}, {found['high']:.2f}]",
            flush=True,
        )
    print(json.dumps({"long sources": rows}))


if __name__ == "__main__":
    main()
