"""Which training examples give held-out ones away: exactly, up to names of variables, or nearly.

- exact: the target of a held-out example is a training target (the paper's rule), letter by letter.
- renamed: a training example is a held-out one (F.1-F.4) up to renaming of variables.
- near: their bags of tokens (F.1-F.4, variables renamed by how often they occur) have a Jaccard index of 0.9 or more.

The first two must be empty in what `build` writes. Near duplicates are reported, for the scored splits: min-hashing
with 60 hashes in 10 bands proposes pairs (it misses 1 in 2,000 at 0.9), and each is then computed exactly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from isarstep.bench.example import Example
from isarstep.bench.ids import VARIABLE
from isarstep.bench.shards import renamed_key, shape_of
from isarstep.bench.stats import StatsTable
from isarstep.bench.store import Benchmark
from isarstep.feed.corpus import Corpus, ragged
from isarstep.feed.mapped import Numbers, corpus_of_split, outside_of

NEAR = 0.9
_BANDS, _ROWS = 10, 6
_CHUNK = 20_000  # examples hashed at a time: bounds the memory
_TRIES = 50  # pairs computed exactly for one held-out example


@dataclass(frozen=True)
class Leak:
    """A pair of ids; `similarity` is 1 but for near duplicates."""

    train: str
    held_out: str
    split: str
    similarity: float = 1.0


@dataclass(frozen=True)
class LeakReport:
    """At most one leak for each held-out example and kind."""

    exact: list[Leak]
    renamed: list[Leak]
    theorem: list[Leak]  # examples of a theorem that is trained on
    near: list[Leak]
    scored: dict[str, int]  # examples looked at, by split

    @property
    def clean(self) -> bool:
        return not self.exact and not self.renamed and not self.theorem


def find_leaks(where: str | Path, *, cache: Path | None = None) -> LeakReport:
    """Compare the training split of a benchmark with everything held out."""
    benchmark = Benchmark(where)
    targets: dict[str, str] = {}
    renamed: dict[bytes, str] = {}
    theorems: dict[str, str] = {}
    for example in benchmark.split("train"):
        targets.setdefault(example.f1, example.id)
        renamed.setdefault(_renamed(example), example.id)
        theorems.setdefault(example.theorem, example.id)
    exact: list[Leak] = []
    same: list[Leak] = []
    theorem: list[Leak] = []
    scored = {name: len(benchmark.split(name)) for name in benchmark.splits[1:]}
    for name in scored:
        for example in benchmark.split(name):
            if example.theorem and example.theorem in theorems:
                theorem.append(Leak(theorems[example.theorem], example.id, name))
            if example.f1 in targets:
                exact.append(Leak(targets[example.f1], example.id, name))
            if (key := _renamed(example)) in renamed:
                same.append(Leak(renamed[key], example.id, name))
    return LeakReport(exact, same, theorem, find_near(benchmark, cache=cache), scored)


def _renamed(example: Example) -> bytes:
    f3 = [] if example.f3 is None else [shape_of(example.f3)]
    return renamed_key([shape_of(p) for p in example.f2], f3, [shape_of(p) for p in example.f4], [shape_of(example.f1)])


def leak_table(benchmark: Benchmark) -> StatsTable:
    """The leak report; all but the last row must be 0."""
    report = find_leaks(benchmark.folder)
    kinds = {
        "the target of a training example": report.exact,
        "a training example that is the same up to variables": report.renamed,
        "a theorem that is trained on": report.theorem,
        "a near duplicate in training (Jaccard >= 0.9)": report.near,
    }
    shown = [name for name, count in report.scored.items() if count]
    rows = [("examples", *(f"{report.scored[name]:,}" for name in shown))]
    rows += [
        (kind, *(f"{sum(leak.split == name for leak in leaks):,}" for name in shown)) for kind, leaks in kinds.items()
    ]
    return StatsTable("Leaks", ("scored examples with", *shown), rows)


def find_near(benchmark: Benchmark, *, cache: Path | None = None) -> list[Leak]:
    """The nearest training example of each scored example, where it is a near duplicate."""
    examples = benchmark.split("train")
    hashes = _Hashes((*benchmark.vocabulary, *outside_of(benchmark, cache=cache)))
    index: list[tuple[Numbers, Numbers]] = []  # sorted keys of a band, and whose they are
    signatures = _signatures(corpus_of_split(benchmark, "train", cache=cache), hashes)
    for band in range(_BANDS):
        order = np.argsort(signatures[:, band], kind="stable")
        index.append((signatures[order, band], order))
    found: list[Leak] = []
    for name in benchmark.splits[1:]:
        split = benchmark.split(name)
        held = _signatures(corpus_of_split(benchmark, name, cache=cache), hashes)
        for number in range(len(split)):
            others = _proposed(index, held[number])
            if not len(others):
                continue
            bag = bag_of(split[number])
            best = max(
                ((jaccard(bag, bag_of(examples[other])), other) for other in others.tolist()),
                key=lambda pair: (pair[0], -pair[1]),
            )
            if best[0] >= NEAR:
                found.append(Leak(examples[best[1]].id, split[number].id, name, best[0]))
    return found


def _proposed(index: list[tuple[Numbers, Numbers]], keys: Numbers) -> Numbers:
    """Training examples that agree in some band, those that agree in most bands first."""
    agreeing = [
        whose[np.searchsorted(known, key) : np.searchsorted(known, key, "right")]
        for (known, whose), key in zip(index, keys, strict=True)
    ]
    others, bands = np.unique(np.concatenate(agreeing), return_counts=True)
    return np.asarray(others[np.argsort(-bands, kind="stable")[:_TRIES]])


def bag_of(example: Example) -> Counter[str]:
    """Tokens of F.1-F.4 with multiplicity; the variable that occurs most often is `<X0>`, and so on."""
    texts = [example.f1, *example.f2, *([] if example.f3 is None else [example.f3]), *example.f4]
    bag = Counter(token for text in texts for token in text.split())
    variables = sorted((count for token, count in bag.items() if VARIABLE.fullmatch(token)), reverse=True)
    constant = {token: count for token, count in bag.items() if not VARIABLE.fullmatch(token)}
    return Counter({**constant, **{f"<X{rank}>": count for rank, count in enumerate(variables)}})


def jaccard(left: Counter[str], right: Counter[str]) -> float:
    """Common over all, with multiplicities."""
    common = (left & right).total()
    return common / (left.total() + right.total() - common)


class _Hashes:
    """Pseudo-random functions on (token, how manyeth of its kind in the example)."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self.is_variable = np.array([VARIABLE.fullmatch(token) is not None for token in vocabulary])
        random = np.random.default_rng(2021)
        self.factors = random.integers(1, 2**63, _BANDS * _ROWS, dtype=np.uint64) | np.uint64(1)
        self.shifts = random.integers(0, 2**63, _BANDS * _ROWS, dtype=np.uint64)


def _signatures(corpus: Corpus, hashes: _Hashes) -> Numbers:
    """For each example one key a band; equal keys in one band make a pair worth a look."""
    out = np.zeros((len(corpus), _BANDS), np.uint64)
    for first, starts, elements in _element_chunks(corpus, hashes.is_variable):
        rows = slice(first, first + len(starts))
        mixed = elements * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
        for number, (factor, shift) in enumerate(zip(hashes.factors, hashes.shifts, strict=True)):
            least = np.minimum.reduceat((mixed * factor + shift) >> np.uint64(32), starts)
            out[rows, number // _ROWS] = (out[rows, number // _ROWS] ^ least) * np.uint64(0xD6E8FEB86659FD93)
    return out


def _element_chunks(corpus: Corpus, is_variable: Numbers) -> Iterator[tuple[int, Numbers, Numbers]]:
    """First example of a chunk, where each example begins, and the elements of their bags as numbers."""
    lengths = np.diff(corpus.token_starts)
    for first in range(0, len(corpus), _CHUNK):
        last = min(first + _CHUNK, len(corpus))
        source = np.arange(corpus.source_starts[first], corpus.source_starts[last])
        owner = np.repeat(np.arange(last - first), np.diff(corpus.source_starts[first : last + 1]))
        wanted = corpus.fields[source] != 5
        propositions = np.concatenate([corpus.sources[source][wanted], corpus.targets[first:last]])
        owner = np.concatenate([owner[wanted], np.arange(last - first)])
        per = lengths[propositions]
        places = ragged(corpus.token_starts[propositions], per)
        key = np.sort(np.repeat(owner, per) * np.int64(len(is_variable)) + corpus.tokens[places])
        run = np.concatenate([np.zeros(1, np.int64), np.flatnonzero(np.diff(key)) + 1])
        counts = np.diff(np.append(run, len(key)))
        example, token = np.divmod(key[run], len(is_variable))
        token = _by_frequency(example, token, counts, is_variable)
        occurrence = np.arange(len(key)) - np.repeat(run, counts)
        elements = (np.repeat(token, counts) * (1 << 20) + occurrence).astype(np.uint64)
        yield first, np.searchsorted(np.repeat(example, counts), np.arange(last - first)), elements


def _by_frequency(example: Numbers, token: Numbers, counts: Numbers, is_variable: Numbers) -> Numbers:
    """Variables renamed by their rank: the one that occurs most often in its example comes first."""
    variables = np.flatnonzero(is_variable[token])
    if not len(variables):
        return token
    order = variables[np.lexsort((-counts[variables], example[variables]))]
    owners = example[order]
    begins = np.concatenate([np.zeros(1, np.int64), np.flatnonzero(np.diff(owners)) + 1])
    rank = np.arange(len(order)) - np.repeat(begins, np.diff(np.append(begins, len(order))))
    renamed = token.copy()
    renamed[order] = len(is_variable) + rank
    return renamed
