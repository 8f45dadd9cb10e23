"""Why is the vocabulary smaller than the paper's 29,759? It grows with the sessions that are mined.

    python research/experiments/vocabulary.py           # two minutes of one core

A half, a quarter and so on of the sessions of the training split: how many tokens their training examples use, the mean
of twenty orders of the sessions, each by a hash. From the last doubling follows how many such sessions the paper's
number would take. Nearly all tokens are constants: variables are numbered, and how they are named adds nothing. Beside
it, what the entries of `unseen2` and `fresh2`, mined later, would add. The last line is one JSON document.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import defaultdict

import numpy as np
import numpy.typing as npt

from isarstep.benchmark.arrays.corpus import Corpus
from isarstep.benchmark.arrays.files import load_dataset
from isarstep.benchmark.store.store import Benchmark

PAPER = 29_759
SPECIAL = 9  # <PAD>, <F2> and the like, which the paper does not count
SHARES = (16, 8, 4, 2, 1)
ORDERS = 20


def tokens_by_session(corpus: Corpus, sessions: list[str], size: int) -> dict[str, npt.NDArray[np.bool_]]:
    """Which tokens the examples of each session use."""
    rows = defaultdict(list)
    for row, session in enumerate(sessions):
        rows[session].append(row)
    found = {}
    for session, chosen in rows.items():
        part = corpus.take(np.array(chosen)).compacted()
        used = np.zeros(size, bool)
        used[np.unique(part.tokens)] = True
        found[session] = used
    return found


def growth(used: dict[str, npt.NDArray[np.bool_]]) -> list[tuple[int, int]]:
    """(sessions, tokens) for growing shares of the sessions, the mean of some orders."""
    counts = [round(len(used) / share) for share in SHARES]
    totals = [0] * len(counts)
    for number in range(ORDERS):
        order = sorted(used, key=lambda session: hashlib.sha256(f"{number} {session}".encode()).hexdigest())
        for place, count in enumerate(counts):
            totals[place] += int(np.logical_or.reduce([used[session] for session in order[:count]]).sum())
    return [(count, round(total / ORDERS)) for count, total in zip(counts, totals, strict=True)]


def needed(curve: list[tuple[int, int]], tokens: int) -> int:
    """Sessions for so many tokens, by the exponent of the last doubling."""
    (fewer, less), (sessions, more) = curve[-2:]
    exponent = math.log(more / less) / math.log(sessions / fewer)
    return round(sessions * math.pow(tokens / more, 1 / exponent))


def constants_of(benchmark: Benchmark, split: str) -> set[str]:
    lines = ((e.f1, *e.f2, e.f3 or "", *e.f4, *e.f5) for e in benchmark.split(split))
    return {word for fields in lines for line in fields for word in line.split() if "." in word}


def main() -> None:
    benchmark = Benchmark("embedded")
    theories = benchmark.table("train", ["theory"])["theory"].to_pylist()
    data = load_dataset("embedded")
    used = tokens_by_session(data.splits["train"], [name.partition(".")[0] for name in theories], len(data.words))
    curve = growth(used)
    constants = sum("." in token for token in benchmark.vocabulary)
    print(f"{len(benchmark.vocabulary) - SPECIAL:,} tokens, of them {constants:,} constants")
    for sessions, tokens in curve:
        print(f"{sessions:4} sessions: {tokens:7,} tokens", flush=True)
    sessions = needed(curve, PAPER)
    print(f"{PAPER:,} tokens would take about {sessions:,} such sessions")
    known, added = set(benchmark.vocabulary), {}
    for split in ("unseen2", "fresh2"):
        beside = Benchmark(f"embedded-{split}")
        entries = {name.partition(".")[0] for name in beside.table(split, ["theory"])["theory"].to_pylist()}
        added[split] = [len(entries), len(constants_of(beside, split) - known)]
        print(f"{split}: {len(entries)} entries have {added[split][1]:,} constants that are in no training example")
    print(json.dumps({"vocabulary": curve, "sessions needed": sessions, "added": added, "constants": constants}))


if __name__ == "__main__":
    main()
