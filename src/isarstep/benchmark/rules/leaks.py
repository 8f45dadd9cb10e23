"""Which training examples give held-out ones away: exactly, up to names of variables, or nearly.

- exact: the target of a held-out example is a training target (the paper's rule), letter by letter.
- renamed: a training example is a held-out one (F.1-F.4) up to renaming of variables.
- near: their bags of tokens (F.1-F.4, variables renamed by how often they occur) have a Jaccard index of 0.9 or more.

The first two must be empty in what `build` writes. Near duplicates are reported, for the scored splits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from isarstep.benchmark.rules.entries import entry_of
from isarstep.benchmark.rules.near_duplicates import nearest_bags
from isarstep.benchmark.rules.rules import COPY
from isarstep.benchmark.rules.shards import renamed_key, shape_of
from isarstep.benchmark.rules.trivial import TRIVIAL
from isarstep.benchmark.store.example import Example
from isarstep.benchmark.store.ids import VARIABLE, numbered
from isarstep.benchmark.store.store import Benchmark
from isarstep.common.tables import Table

MOST_PAIRS = 20  # rows that anybody reads


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

    exact: list[Leak] = field(hash=False)
    renamed: list[Leak] = field(hash=False)
    theorem: list[Leak] = field(hash=False)  # examples of a theorem that is trained on
    near: list[Leak] = field(hash=False)
    scored: dict[str, int] = field(hash=False)  # examples looked at, by split


def example_renamed_key(example: Example) -> bytes:
    """Equal for examples that differ in the numbers of variables only."""
    f3 = [] if example.f3 is None else [shape_of(example.f3)]
    return renamed_key([shape_of(p) for p in example.f2], f3, [shape_of(p) for p in example.f4], [shape_of(example.f1)])


# What gives an example away where a training example has the same; an imported one has no theorem.
_KEYS: dict[str, Callable[[Example], Hashable]] = {
    "exact": lambda example: example.f1,
    "renamed": example_renamed_key,
    "theorem": lambda example: example.theorem or None,
}


def trained_at(benchmark: Benchmark) -> Benchmark:
    """Where its training examples lie: a folder beside the embedded benchmark has none itself."""
    made_against = benchmark.manifest.get("fresh", {}).get("base")
    return embedded if made_against and (embedded := Benchmark()).hash == made_against else benchmark


def find_leaks(where: str | Path, base: str | Path | None = None) -> LeakReport:
    """Compare the training split of a benchmark, or of its base, with everything held out."""
    benchmark = Benchmark(where)
    home = trained_at(benchmark) if base is None else Benchmark(base)
    held = [(name, example) for name in benchmark.splits[1:] for example in benchmark.split(name)]
    keys = {kind: [key(example) for _, example in held] for kind, key in _KEYS.items()}
    wanted = {kind: {*found} - {None} for kind, found in keys.items()}
    first: dict[str, dict[Hashable, str]] = {kind: {} for kind in _KEYS}  # the training example that has such a key
    trained: list[str] = []
    bags = [bag_of(example) for _, example in held]
    alike = {frozenset(bag.items()) for bag in bags}

    def training() -> Iterator[Counter[str]]:
        for example in home.split("train"):
            trained.append(example.id)
            bag = bag_of(example)
            for kind, key in _KEYS.items():
                if kind == "renamed" and frozenset(bag.items()) not in alike:
                    continue  # other names for variables leave the bag as it is, and cost much more to take away
                if (found := key(example)) in wanted[kind]:
                    first[kind].setdefault(found, example.id)
            yield bag

    nearest = nearest_bags(bags, training())
    leaks = {
        kind: [
            Leak(first[kind][key], example.id, name)
            for (name, example), key in zip(held, keys[kind], strict=True)
            if key in first[kind]
        ]
        for kind in _KEYS
    }
    near = [
        Leak(trained[found.other], example.id, name, found.similarity)
        for (name, example), found in zip(held, nearest, strict=True)
        if found is not None
    ]
    scored = {name: len(benchmark.split(name)) for name in benchmark.splits[1:]}
    return LeakReport(leaks["exact"], leaks["renamed"], leaks["theorem"], near, scored)


def scored_copies(benchmark: Benchmark) -> list[Leak]:
    """Scored examples that are copies, up to names of variables, of one that is scored already."""
    first: dict[bytes, str] = {}
    found = []
    for name in benchmark.splits[1:]:
        for example in benchmark.split(name):
            earlier = first.setdefault(example_renamed_key(example), example.id)
            if earlier != example.id:
                found.append(Leak(earlier, example.id, name))
    return found


def renumbered_targets(benchmark: Benchmark) -> dict[str, int]:
    """How many scored targets of each split are training targets but for the numbers of variables."""
    trained = set(map(numbered, trained_at(benchmark).trained_targets()))
    return {name: sum(numbered(e.f1) in trained for e in benchmark.split(name)) for name in benchmark.splits[1:]}


def mark_table(benchmark: Benchmark) -> Table:
    """What was taken out of the scored splits, by mark."""
    out = {name: Counter(ids.values()) for name, ids in benchmark.manifest.get("taken out", {}).items()}
    marks = [*TRIVIAL, COPY]
    rows = [(mark, *(f"{out[name][mark]:,}" for name in out)) for mark in marks]
    if not out:
        passed = benchmark.manifest.get("passed over", {})
        rows = [(mark, f"{passed.get(mark, 0):,}") for mark in marks]
    return Table("not-scored", "Not scored by rules 2.1", ("mark", *(out or ("passed over when chosen",))), rows)


def copying_entries(report: LeakReport, benchmark: Benchmark) -> Table:
    """Pairs of entries with many near duplicates: those that copy each other's theories come first."""
    entry = {
        id_: entry_of(session)
        for opened in dict.fromkeys((trained_at(benchmark), benchmark))
        for name in opened.splits
        for id_, session in zip(*opened.table(name, ["id", "session"]).to_pydict().values(), strict=True)
    }
    pairs = Counter((entry[leak.held_out], entry[leak.train], leak.split) for leak in report.near)
    across = [(*pair, f"{count:,}") for pair, count in pairs.most_common() if pair[0] != pair[1]]
    return Table(
        "near-duplicates",
        "Near duplicates across entries",
        ("scored entry", "training entry", "split", "examples"),
        across[:MOST_PAIRS],
    )


def leak_tables(benchmark: Benchmark) -> list[Table]:
    """What `isarstep stats --leaks` prints."""
    report = find_leaks(benchmark.folder)
    return [leak_table(benchmark, report), mark_table(benchmark), copying_entries(report, benchmark)]


def leak_table(benchmark: Benchmark, report: LeakReport) -> Table:
    """The leak report; all but the last two rows must be 0."""
    kinds = {
        "the target of a training example": report.exact,
        "a training example that is the same up to variables": report.renamed,
        "a theorem that is trained on": report.theorem,
        "a copy among what is scored, up to variables": scored_copies(benchmark),
        "a near duplicate in training (Jaccard >= 0.9)": report.near,
    }
    shown = [name for name, count in report.scored.items() if count]
    rows = [("examples", *(f"{report.scored[name]:,}" for name in shown))]
    rows += [
        (kind, *(f"{sum(leak.split == name for leak in leaks):,}" for name in shown)) for kind, leaks in kinds.items()
    ]
    copies = renumbered_targets(benchmark)
    rows.append(("a training target but for the numbers of variables", *(f"{copies[name]:,}" for name in shown)))
    return Table("leaks", "Leaks", ("scored examples with", *shown), rows)


def bag_of(example: Example) -> Counter[str]:
    """Tokens of F.1-F.4 with multiplicity; the variable that occurs most often is `<X0>`, and so on."""
    texts = [example.f1, *example.f2, *([] if example.f3 is None else [example.f3]), *example.f4]
    bag = Counter(token for text in texts for token in text.split())
    variables = sorted((count for token, count in bag.items() if VARIABLE.fullmatch(token)), reverse=True)
    constant = {token: count for token, count in bag.items() if not VARIABLE.fullmatch(token)}
    return Counter({**constant, **{f"<X{rank}>": count for rank, count in enumerate(variables)}})
