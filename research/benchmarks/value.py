r"""Can it be told beforehand which proposals provers will confirm, and does such an order put confirmed answers first?

    isarstep premises --split validation --limit 240 --out P.jsonl
    isarstep predict src/isarstep/resources/model embedded --split validation --limit 240 --constraint types \
        --premises P.jsonl --out V.jsonl
    python research/experiments/judging.py V.jsonl V.parquet --split validation --top 10 --seconds 0.5 --jobs 1
    python research/benchmarks/value.py V.jsonl V.parquet --premises P.jsonl

A proposal is confirmed where provers close both sides and it copies nothing. Its value is a logistic regression over
what is known without provers, learned from the verdicts on other entries (ten parts, no entry in two). Lists are put
into four orders: by log probability, as `propose` does without provers, by value, and by both. The last line is JSON.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow.parquet as pq

from isarstep.benchmark.store.example import Example
from isarstep.benchmark.store.store import Benchmark
from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.terms import Term, head_name
from isarstep.isabelle.terms.tokens import decode
from isarstep.model.decode.predictions import read_scored
from isarstep.model.decode.ranking import learned_ranking, measured
from isarstep.premises.selector.premise_files import read_premises
from isarstep.prover.outcomes.novelty import KnownStatements
from isarstep.prover.outcomes.variants import Variants
from isarstep.score.metrics import accuracy, paired_p
from isarstep.score.scores import clusters_of

FOLDS = 10
RIDGE = 1.0  # of each weight of a standardised feature
MIXES = (0.25, 0.5, 1.0, 2.0, 4.0)  # of the value beside the learned order
SPOKEN_OF = re.compile(r"(?:CONST|FREE) (\S+)")
FEATURES = (
    "log p", "log p behind the first", "rank", "log p a token", "log length", "given", "variant", "restates the goal",
    "a fact that was read", "constants in the facts", "constants in the goal", "constants in neither",
    "head of the goal", "head of a fact", "equation", "implication or quantifier", "negation", "conjunction",
    "log length of the goal", "facts", "other facts",
)  # fmt: skip
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Judged:
    """A list in the order of the model, what is known of each proposal, and what provers said."""

    example: Example
    texts: list[str]
    worth: Floats  # in the learned order
    features: Floats
    confirmed: Bools
    strict: Bools  # confirmed, and no loophole; or the author's

    @property
    def exact(self) -> Bools:
        return np.array([text == self.example.f1 for text in self.texts], bool)


def head_of(tokens: str) -> tuple[Term | None, str | None]:
    """The formula of a statement's conclusion, and the constant in front."""
    formula = hol.dest_trueprop(hol.strip_pure_imp(decode(tokens))[1])
    return formula, None if formula is None else head_name(formula)


class Known:
    """What proposals for an example are compared with."""

    def __init__(self, example: Example) -> None:
        assert example.f3 is not None
        self.example, self.goal = example, example.f3
        facts = (*example.f2, *example.f4)
        self.given = {line for _, line in example.source(hints=False)}
        self.said = KnownStatements((*facts, self.goal))
        self.variants = Variants(self.goal, facts)
        self.of_facts = {name for line in facts for name in SPOKEN_OF.findall(line)}
        self.of_goal = set(SPOKEN_OF.findall(self.goal))
        self.heads = {head_of(line)[1] for line in facts}
        self.head = head_of(self.goal)[1]

    def features(self, tokens: str, score: float, best: float, rank: int) -> list[float]:
        length, given = measured(tokens, self.given)
        formula, head = head_of(tokens)
        names = set(SPOKEN_OF.findall(tokens))
        many = max(1, len(names))
        neither = names - self.of_facts - self.of_goal
        return [
            score, score - best, rank, score / np.exp(length), length, given, tokens in self.variants,
            tokens in self.said or self.said.restates(self.goal, tokens), tokens in self.example.premises,
            len(names & self.of_facts) / many, len(names & self.of_goal) / many, len(neither),
            head == self.head, head in self.heads, head == "HOL.eq",
            formula is None or head in ("HOL.implies", "HOL.All", "HOL.Ex"), head == "HOL.Not", head == "HOL.conj",
            measured(self.goal, ())[0], len(self.example.f2), len(self.example.f4),
        ]  # fmt: skip


def judged(example: Example, proposals: Sequence[tuple[str, float]], rows: Mapping[int, Any]) -> Judged:
    """`rows`: verdicts by rank."""
    known, order, best = Known(example), learned_ranking(), max(score for _, score in proposals)
    both = [rows[rank]["first_result"] == rows[rank]["second_result"] == "proved" for rank in range(len(proposals))]
    return Judged(
        example,
        [tokens for tokens, _ in proposals],
        np.array([order.worth(tokens, score, known.given) for tokens, score in proposals]),
        np.array([known.features(*each, best, rank) for rank, each in enumerate(proposals)], np.float64),
        np.array([each and not rows[rank]["copy"] for rank, each in enumerate(both)], bool),
        np.array([bool(rows[rank]["strict_correct"]) for rank in range(len(proposals))], bool),
    )


def fitted(features: Floats, confirmed: Bools) -> Floats:
    """Weights of a logistic regression, that of 1 behind them."""
    rows = np.column_stack([features, np.ones(len(features))])
    ridge = np.diag([RIDGE] * features.shape[1] + [1e-6])
    weights = np.zeros(rows.shape[1])
    for _ in range(50):
        odds = 1 / (1 + np.exp(-rows @ weights))
        slope = rows.T @ (odds - confirmed) + ridge @ weights
        change = np.linalg.solve((rows * (odds * (1 - odds))[:, None]).T @ rows + ridge, slope)
        weights -= change
        if np.abs(change).max() < 1e-8:
            break
    return weights


def values(lists: Sequence[Judged]) -> list[Floats]:
    """Of each proposal the log odds that it is confirmed, learned from other entries."""
    entries = clusters_of([each.example for each in lists], entries=True)
    part = np.random.default_rng(0).permutation(int(entries.max()) + 1)[entries] % FOLDS
    found: list[Floats] = [np.zeros(0)] * len(lists)
    for fold in range(FOLDS):
        others = [each for each, own in zip(lists, part, strict=True) if own != fold]
        if len(others) == len(lists):
            continue
        features = np.concatenate([each.features for each in others])
        mean, spread = features.mean(0), features.std(0) + 1e-9
        weights = fitted((features - mean) / spread, np.concatenate([each.confirmed for each in others]))
        for place in np.flatnonzero(part == fold).tolist():
            found[place] = (lists[place].features - mean) / spread @ weights[:-1] + weights[-1]
    return found


def auc(scores: Floats, right: Bools) -> float:
    """How often a confirmed proposal is above one that is not; equals count for a half."""
    above = scores[right][:, None] - scores[~right][None, :]
    return float(((above > 0) + 0.5 * (above == 0)).mean()) if above.size else float("nan")


def auc_within(lists: Sequence[Judged], scores: Sequence[Floats]) -> float:
    """The same for proposals of one list."""
    pairs = [
        (auc(each, of.confirmed), of.confirmed.sum() * (~of.confirmed).sum())
        for of, each in zip(lists, scores, strict=True)
    ]
    some = [(value, count) for value, count in pairs if count]
    return float(np.average([value for value, _ in some], weights=[count for _, count in some]))


def first_confirmed(lists: Sequence[Judged], scores: Sequence[Floats]) -> float:
    """How many proposals are tried until one is confirmed, in lists that have one."""
    some = [each.confirmed[np.argsort(-own, kind="stable")] for each, own in zip(lists, scores, strict=True)]
    return float(np.mean([1 + int(np.argmax(right)) for right in some if right.any()]))


def compared(lists: Sequence[Judged], orders: Mapping[str, Sequence[Floats]], today: str) -> dict[str, Any]:
    """How often the first answer of each order is confirmed, strictly correct, and the author's; p beside today's."""
    clusters = clusters_of([each.example for each in lists])
    shown: dict[str, Any] = {}
    first = {name: [int(np.argmax(scores)) for scores in each] for name, each in orders.items()}
    for name, places in first.items():
        shown[name] = {
            "auc": auc(np.concatenate(orders[name]), np.concatenate([each.confirmed for each in lists])),
            "auc within lists": auc_within(lists, orders[name]),
            "place of the first confirmed": first_confirmed(lists, orders[name]),
        }
        for what in ("confirmed", "strict", "exact"):
            right, before = (
                np.array([getattr(each, what)[place] for each, place in zip(lists, some, strict=True)], bool)
                for some in (places, first[today])
            )
            found = accuracy(right, clusters)
            shown[name][what] = [found.value, found.low, found.high, paired_p(right, before, clusters)]
        print(name, json.dumps(shown[name]))
    return shown


def opened(benchmark: Benchmark, split: str, lists: Path, verdicts: Path, premises: Path | None) -> list[Judged]:
    rows: dict[str, dict[int, Any]] = {}
    for row in pq.read_table(verdicts).to_pylist():
        if row["verdict"] != "unsupported":
            rows.setdefault(row["example"], {})[row["rank"]] = row
    examples = benchmark.split(split)
    place = {name: number for number, name in enumerate(benchmark.table(split, ["id"])["id"].to_pylist())}
    facts = {} if premises is None else read_premises(premises)
    return [
        judged(replace(examples[place[name]], premises=facts.get(name, ())), proposals, rows[name])
        for name, proposals in read_scored(lists).items()
        if len(rows.get(name, ())) == len(proposals) > 0
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lists", type=Path)
    parser.add_argument("verdicts", type=Path)
    parser.add_argument("--premises", type=Path)
    parser.add_argument("--benchmark", default="embedded")
    parser.add_argument("--split", default="validation", choices=("validation", "train"))
    chosen = parser.parse_args()
    lists = opened(Benchmark(chosen.benchmark), chosen.split, chosen.lists, chosen.verdicts, chosen.premises)
    value = values(lists)
    orders = {
        "log p": [each.features[:, 0] for each in lists],
        "today's": [each.worth for each in lists],
        "value": value,
        **{
            f"today's + {mix:g} value": [each.worth + mix * own for each, own in zip(lists, value, strict=True)]
            for mix in MIXES
        },
    }
    any_of_them = {
        what: float(np.mean([getattr(each, what).any() for each in lists])) for what in ("confirmed", "strict", "exact")
    }
    print(f"{len(lists)} lists, {sum(len(each.texts) for each in lists)} proposals; in the list: {any_of_them}")
    shown = compared(lists, orders, "today's")
    features = np.concatenate([each.features for each in lists])
    spread = features.std(0) + 1e-9
    weights = fitted((features - features.mean(0)) / spread, np.concatenate([each.confirmed for each in lists]))
    weighed = dict(zip(FEATURES, np.round(weights[:-1], 2).tolist(), strict=True))
    print(json.dumps({"lists": len(lists), "in the list": any_of_them, "orders": shown, "weights": weighed}))


if __name__ == "__main__":
    main()
