"""Is the learned order of n-best lists better than the model's own?

    isarstep predict src/isarstep/resources/model embedded --split validation --constraint types --limit 1000 --out V.jsonl
    python research/benchmarks/ranking.py V.jsonl --split validation --fit     # makes src/isarstep/model/decode/ranking.json
    python research/benchmarks/ranking.py T.jsonl --split test                 # both orders of the same lists
    python research/benchmarks/ranking.py T.jsonl --split test --write R.jsonl # and the lists as `predict --ranked` writes them
    python research/benchmarks/ranking.py T.jsonl --split test --provers 200   # and what quick provers add, for so many lists

Weights are learned by a softmax over each list that holds the answer, on validation alone. Intervals draw theorems,
and whole entries where training has seen none of the split. With provers the first five of a list are tried on both
sides, 0.1 s of processor time an attempt. The last line is JSON.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import isarstep.model.decode
from isarstep.apps.engine import Engine
from isarstep.benchmark.store.example import Example
from isarstep.benchmark.store.store import Benchmark
from isarstep.model.decode.predictions import read_scored, stem, write_predictions
from isarstep.model.decode.ranking import Order, learned_ranking, measured
from isarstep.prover.check.prover_session import Proving
from isarstep.prover.outcomes.step import Step, ranked
from isarstep.score.metrics import accuracy, paired_p
from isarstep.score.scores import OF_ENTRIES, clusters_of

WEIGHTS = Path(isarstep.model.decode.__file__).with_name("ranking.json")
AT = (1, 3, 10)
TRIED, SECONDS, LIBRARY = 5, 0.1, 32
RIDGE = 0.01  # of each weight, for every list
Floats = npt.NDArray[np.float64]
Proposals = list[tuple[str, float]]


@dataclass(frozen=True)
class Answered:
    """An example and what was proposed for it, best first, with log probabilities."""

    example: Example
    proposals: Proposals

    @property
    def given(self) -> set[str]:
        return {line for _, line in self.example.source(hints=False)}


def answered(benchmark: Benchmark, split: str, path: Path) -> list[Answered]:
    examples = benchmark.split(split)
    place = {identifier: number for number, identifier in enumerate(examples.table()["id"].to_pylist())}
    return [Answered(examples[place[name]], proposals) for name, proposals in read_scored(path).items()]


def fitted(lists: Iterable[Answered]) -> Order:
    """The weights under which the missing steps are likeliest among the proposals of their lists; that of the log
    probability is one."""
    cases: list[tuple[Floats, int]] = []
    for each in lists:
        texts = [tokens for tokens, _ in each.proposals]
        if each.example.f1 in texts:
            weighed = [[score, *measured(tokens, each.given)] for tokens, score in each.proposals]
            cases.append((np.array(weighed, np.float64), texts.index(each.example.f1)))
    weights = np.array([1.0, 0.0, 0.0])
    for _ in range(100):
        slope, curve = RIDGE * len(cases) / 100 * weights, RIDGE * len(cases) / 100 * np.eye(3)
        for rows, right in cases:
            odds = np.exp(rows @ weights - (rows @ weights).max())
            odds /= odds.sum()
            mean = odds @ rows
            slope += mean - rows[right]
            curve += (rows * odds[:, None]).T @ rows - np.outer(mean, mean)
        change = np.linalg.solve(curve, slope)
        weights -= change
        if np.abs(change).max() < 1e-9:
            break
    return Order(*(round(float(weight / weights[0]), 2) for weight in weights[1:]))


def places(examples: Sequence[Example], orders: Sequence[Sequence[str]]) -> npt.NDArray[np.int64]:
    """Of every reference its place from 1 in its list; 0: it is not there."""
    return np.array(
        [list(order).index(e.f1) + 1 if e.f1 in order else 0 for e, order in zip(examples, orders, strict=True)]
    )


def compared(examples: Sequence[Example], orders: dict[str, list[list[str]]], *, entries: bool) -> dict[str, Any]:
    """Every order with its intervals, and p that it is as good as the first one."""
    clusters = clusters_of(examples, entries=entries)
    found = {name: places(examples, lists) for name, lists in orders.items()}
    plain = found[next(iter(found))]
    rows: dict[str, Any] = {}
    for name, ranks in found.items():
        rows[name] = {}
        for at in AT:
            right, before = (ranks > 0) & (ranks <= at), (plain > 0) & (plain <= at)
            score = accuracy(right, clusters)
            rows[name][f"top{at}"] = [score.value, score.low, score.high, paired_p(before, right, clusters)]
            print(f"{name:24} top-{at:<2} {score}  p {rows[name][f'top{at}'][3]:.4f}")
    return rows


def with_verdicts(engine: Engine, proving: Proving, each: Answered, proposals: Proposals) -> list[Step]:
    task = engine.reader_in(engine.theory_contexts.at(each.example.theory)).of_example(each.example)
    return proving.tried(task, engine.steps(task, proposals))


def proved_orders(engine: Engine, lists: list[Answered], ranking: Order) -> dict[str, list[list[str]]]:
    """The lists in the model's order, in the learned one, and with what quick provers say of the first five."""
    orders: dict[str, list[list[str]]] = {"model": [], "learned": [], "learned, provers": []}
    with engine.proving(SECONDS, LIBRARY) as proving:
        for each in lists:
            best = ranking.ordered(each.proposals, each.given)
            texts = [tokens for tokens, _ in best]
            orders["model"].append([tokens for tokens, _ in each.proposals])
            orders["learned"].append(texts)
            steps = ranked(with_verdicts(engine, proving, each, best[:TRIED]))
            shown = [each.example.f1 if step.reference else step.tokens for step in steps]
            orders["learned, provers"].append([*shown, *texts[TRIED:]])
    return orders


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lists", type=Path)
    parser.add_argument("--benchmark", default="embedded")
    parser.add_argument("--split", default="test")
    parser.add_argument("--fit", action="store_true", help="learn the weights from these lists, and keep them")
    parser.add_argument("--write", type=Path, metavar="FILE", help="the lists in the learned order")
    parser.add_argument("--provers", type=int, default=0, metavar="N", help="let provers try those of N lists")
    chosen = parser.parse_args()
    engine = Engine(benchmark=chosen.benchmark)
    lists = answered(engine.benchmark, chosen.split, chosen.lists)
    if chosen.fit:
        if chosen.split == "test":
            parser.error("weights are not learned on the test split")
        ranking = fitted(lists)
        about = {"length": ranking.length, "given": ranking.given, "benchmark": engine.benchmark.hash[:12]}
        made = {"split": chosen.split, "lists": len(lists), "made": "python research/benchmarks/ranking.py LISTS --fit"}
        WEIGHTS.write_text(json.dumps(about | made, indent=1) + "\n", encoding="utf-8")
    else:
        ranking = learned_ranking()
    print(ranking)
    began = time.process_time()
    ordered = [ranking.ordered(each.proposals, each.given) for each in lists]
    milliseconds = 1000 * (time.process_time() - began) / max(1, len(lists))
    print(f"{milliseconds:.2f} ms a list")
    if chosen.write is not None:
        meta = json.loads(chosen.lists.with_name(stem(chosen.lists) + ".meta.json").read_text())
        meta["length_rule"] = f"{meta['length_rule']}; {ranking}"
        write_predictions(chosen.write, zip((e.example.id for e in lists), ordered, strict=True), meta)
    learned = [[tokens for tokens, _ in best] for best in ordered]
    if chosen.provers:
        lists = sorted(lists, key=lambda each: each.example.id)[: chosen.provers]
        lists = [each for each in lists if each.example.f3 is not None]
        orders = proved_orders(engine, lists, ranking)
    else:
        orders = {"model": [[tokens for tokens, _ in each.proposals] for each in lists], "learned": learned}
    rows = compared([each.example for each in lists], orders, entries=chosen.split in OF_ENTRIES)
    print(json.dumps({"ranking": str(ranking), "lists": len(lists), "milliseconds": milliseconds, "orders": rows}))


if __name__ == "__main__":
    main()
