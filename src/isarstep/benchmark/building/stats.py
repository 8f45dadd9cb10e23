"""A benchmark in numbers and pictures, beside the numbers that the paper gives (sections 3.2 and 3.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from isarstep.benchmark.rules.rules import DROPPED, Sizes, first_of_group, length_counts
from isarstep.benchmark.store.layout import LENGTHS
from isarstep.benchmark.store.store import Benchmark
from isarstep.common.errors import UserError
from isarstep.common.files import writing_whole
from isarstep.common.tables import Table
from isarstep.isabelle.terms.terms import Term, constants
from isarstep.isabelle.terms.tokens import TokenError, decode, encode

FEW = "train, four of a theorem"
_SAMPLE = 20_000  # propositions on which the effect of brackets and folding is measured

# What the paper reports; about 860,000 were left after the length rule.
_PAPER = {
    "raw": "1.2M",
    "short enough": "about 860,000",
    "train": "820,000",
    "validation": "5,000",
    "test": "5,000",
    "vocabulary": "29,759",
    "lemmas": "204,000 (AFP 143,000)",
    "vocabulary saved": "one third",
}


@dataclass(frozen=True, eq=False)
class Measured:
    """What must be computed from the examples themselves."""

    source_lengths: np.ndarray[Any, Any]  # training, F.2-F.4, as the length rule counts
    target_lengths: np.ndarray[Any, Any]
    source_propositions: np.ndarray[Any, Any]
    # Mean lengths of propositions on a sample: without bracket removal and folding, with bracket removal, as written.
    encodings: list[float]
    sampled: int
    lengths: dict[str, list[int]]  # of each split: how many targets have which length
    kinds_of: dict[str, dict[str, int]]  # of each split


def measure(benchmark: Benchmark) -> Measured:
    """Read the training split once."""
    table = benchmark.split("train").table()
    blanks = [pc.count_substring(block, " ").to_numpy() for block in benchmark.propositions.blocks()]
    lengths = np.concatenate([np.zeros(0, np.int64), *blanks]) + 1
    count = table.num_rows
    source = np.zeros(count, np.int64)
    propositions = np.zeros(count, np.int64)
    for column in ("f2", "f4"):
        lists = table[column].combine_chunks()
        owner = np.repeat(np.arange(count), pc.list_value_length(lists).to_numpy(zero_copy_only=False))
        tokens = lengths[pc.list_flatten(lists).to_numpy()]
        source += np.bincount(owner, weights=tokens, minlength=count).astype(np.int64)
        propositions += np.bincount(owner, minlength=count)
    present = table["f3"].is_valid().to_numpy()
    source[present] += lengths[table["f3"].drop_null().to_numpy()]
    propositions[present] += 1
    shown = {name: benchmark.table(name, ["f1", "target_kind"]) for name in benchmark.splits}
    shown = {"train": shown.pop("train"), FEW: _few_of_a_theorem(table), **shown}
    return Measured(
        source,
        lengths[table["f1"].to_numpy()] if count else np.zeros(0, np.int64),
        propositions,
        *_encodings(benchmark),
        {name: length_counts(lengths[split["f1"].to_numpy()]) for name, split in shown.items()},
        {name: _counted(split["target_kind"]) for name, split in shown.items()},
    )


def _few_of_a_theorem(table: pa.Table) -> pa.Table:
    """Training examples as scored ones are chosen: of each theorem the first few by id."""
    ordered = table.select(["theorem", "id", "f1", "target_kind"]).sort_by(
        [("theorem", "ascending"), ("id", "ascending")]
    )
    theorem = ordered["theorem"].combine_chunks().dictionary_encode().indices.to_numpy()
    return ordered.filter(pa.array(first_of_group(theorem, Sizes.of_a_theorem)))


def _counted(column: Any) -> dict[str, int]:
    return {row["values"]: row["counts"] for row in pc.value_counts(column).to_pylist()}


def _encodings(benchmark: Benchmark) -> tuple[list[float], int]:
    texts = benchmark.propositions
    step = max(1, len(texts) // _SAMPLE)
    folded = _folded_sizes(benchmark)
    sums = np.zeros(3)
    sampled = 0
    for number in range(0, len(texts), step):
        try:
            term = decode(texts[number])
        except TokenError:
            continue
        tokens = encode(term)
        extra = sum(folded(constant.name) for constant in constants(term))
        applications = tokens.count("$") + tokens.count("ABS")
        brackets = tokens.count("(")
        # With all brackets each application and abstraction has a pair of its own.
        sums += (len(tokens) + extra + 2 * (applications - brackets), len(tokens) + extra, len(tokens))
        sampled += 1
    return [float(value) / max(sampled, 1) for value in sums], sampled


def _folded_sizes(benchmark: Benchmark) -> Any:
    """How many tokens one use of an abbreviation saves, brackets that its place may need aside."""
    bodies: dict[str, Term] = {}
    if benchmark.has_signature:
        found = benchmark.signature.constants.values()
        bodies = {constant.name: constant.abbreviates for constant in found if constant.abbreviates is not None}

    @cache
    def saved(name: str) -> int:
        body = bodies.get(name)
        return 0 if body is None else max(len(encode(body)) - 2 - 3 * encode(body).count("ABS"), 0)

    return saved


def tables(benchmark: Benchmark, measured: Measured) -> list[Table]:
    """Everything that `isarstep stats` prints."""
    manifest = benchmark.manifest
    forms = (
        "all brackets, abbreviations unfolded",
        "necessary brackets, abbreviations unfolded",
        "necessary brackets, folded (as written)",
    )
    encodings = list(zip(forms, map(_number, measured.encodings), strict=True))
    lengths = [
        _spread("source tokens (F.2-F.4)", measured.source_lengths),
        _spread("target tokens (F.1)", measured.target_lengths),
        _spread("source propositions", measured.source_propositions),
    ]
    result = [
        _kept(benchmark, measured),
        Table("training-lengths", "Training lengths", ("", "mean", "median", "90 %", "99 %", "longest"), lengths),
        Table("encodings", f"Tokens of a proposition, mean of {measured.sampled:,}", ("encoding", "tokens"), encodings),
        *distributions(manifest, measured),
    ]
    if "sessions" in manifest:
        rows = [
            (name, _number(row["theories"]), _number(row["theorems"]), _number(row["train"]))
            for name, row in manifest["sessions"].items()
        ]
        result.append(
            Table("sessions", "Sessions", ("session", "theories", "named theorems", "training examples"), rows)
        )
    if manifest.get("qualified"):
        longer = [(theory, theory.rpartition(".")[2]) for theory in manifest["qualified"]]
        result.append(
            Table(
                "qualified",
                "Names that begin with the session",
                ("theory", "base name that another theory keeps"),
                longer,
            )
        )
    return result


def _kept(benchmark: Benchmark, measured: Measured) -> Table:
    """What was found, dropped and kept, beside the paper."""
    manifest = benchmark.manifest
    counts, examples = manifest.get("counts", {}), manifest.get("examples", {})
    raw = counts.get("raw")
    short = None if raw is None else raw - counts.get("too long", 0)
    tokens, variables = len(benchmark.vocabulary) - 9, manifest.get("variable names")
    numbered = sum(token.startswith(("<X", "<V")) for token in benchmark.vocabulary)
    named = None if variables is None else tokens - numbered + variables
    rows = [
        ("raw examples", _number(raw), _PAPER["raw"]),
        ("after the length rule", _number(short), _PAPER["short enough"]),
        ("restate a fact", _number(counts.get("restated")), "-"),
        *((f"{name}, not trained on", _number(counts.get(name)), "-") for name in DROPPED),
        ("the three together, of what could be trained on", _cost(counts, examples.get("train", 0)), "at most 3.5%"),
        ("duplicates", _number(counts.get("duplicates")), "-"),
        *((name, _number(examples[name]), _PAPER.get(name, "-")) for name in examples),
        ("library lemmas", _number(manifest.get("facts")), _PAPER["lemmas"]),
        ("vocabulary", _number(tokens), _PAPER["vocabulary"]),
        ("vocabulary without normalisation", _number(named), "-"),
        ("saved by normalisation", f"{1 - tokens / named:.0%}" if named else "-", _PAPER["vocabulary saved"]),
    ]
    title = f"Benchmark {manifest.get('version', 1)}, {benchmark.hash[:12]}"
    return Table("kept", title, ("", "this benchmark", "paper"), rows)


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:,.1f}" if isinstance(value, float) else f"{value:,}"


def _spread(name: str, values: np.ndarray[Any, Any]) -> tuple[str, ...]:
    if not len(values):
        return (name, *["-"] * 5)
    points = [_number(int(np.quantile(values, q))) for q in (0.5, 0.9, 0.99)]
    return (name, _number(float(values.mean())), *points, _number(int(values.max())))


def _cost(counts: Mapping[str, int], train: int) -> str:
    if not all(name in counts for name in DROPPED):
        return "-"
    dropped = sum(counts[name] for name in DROPPED)
    return f"{dropped / max(train + dropped, 1):.1%}"


def distributions(manifest: Mapping[str, Any], measured: Measured) -> list[Table]:
    """Scored targets beside training ones: lengths, kinds, and what was marked.

    Short targets recur, and a recurring target that is scored is not trained on (the paper's rule): the second column
    puts those back. Long proofs have many examples of which four are scored: the third has four of a theorem too.
    """
    shown = [name for name, counts in measured.lengths.items() if sum(counts)]
    columns = {name: measured.lengths[name] for name in shown}
    leaking = manifest.get("leaking lengths", ())
    if "train" in columns and len(leaking) == len(columns["train"]):
        both = zip(columns["train"], leaking, strict=True)
        columns = {"train": columns["train"], "train and leaking": [a + b for a, b in both], **columns}
    bounds = [f"up to {bound}" for bound in LENGTHS] + [f"over {LENGTHS[-1]}"]

    def shares(rows: Sequence[str], of: Mapping[str, Sequence[int]]) -> list[tuple[str, ...]]:
        return [
            (row, *(f"{counts[place] / max(sum(counts), 1):.1%}" for counts in of.values()))
            for place, row in enumerate(rows)
        ]

    kinds = sorted({kind for counts in measured.kinds_of.values() for kind in counts})
    of_kinds = {name: [measured.kinds_of[name].get(kind, 0) for kind in kinds] for name in shown}
    tables = [
        Table("target-lengths", "Target lengths in tokens", ("tokens", *columns), shares(bounds, columns)),
        Table("target-kinds", "Target kinds", ("kind", *of_kinds), shares(kinds, of_kinds)),
    ]
    if manifest.get("marked"):
        raw = manifest.get("counts", {}).get("raw", 0)
        marked = [(mark, f"{count:,}", f"{count / max(raw, 1):.2%}") for mark, count in manifest["marked"].items()]
        tables.append(
            Table("marked", "Marked as teaching nothing, never scored", ("mark", "examples", "of raw"), marked)
        )
    return tables


def draw(benchmark: Benchmark, measured: Measured, folder: Path) -> list[Path]:
    """Histograms of lengths, kinds of targets, examples by session."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "isarstep"  # the same picture twice is the same file
    from matplotlib import pyplot

    if not len(measured.source_lengths):
        raise UserError(f"{benchmark.folder}: no training examples to draw")
    folder.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []

    def save(name: str) -> None:
        pyplot.tight_layout()
        path = folder / f"{name}.svg"
        with writing_whole(path) as temporary:
            pyplot.savefig(temporary, format="svg", metadata={"Date": None})
        pyplot.close()
        written.append(path)

    _, axes = pyplot.subplots(1, 2, figsize=(9, 3))
    lengths = {"source tokens (F.2-F.4)": measured.source_lengths, "target tokens (F.1)": measured.target_lengths}
    for axis, (title, values) in zip(axes, lengths.items(), strict=True):
        axis.hist(values, bins=50, color="#31688e")
        axis.set_xlabel(title)
        axis.set_ylabel("training examples")
    save("lengths")
    pyplot.figure(figsize=(5, 2))
    kinds = sorted(measured.kinds_of["train"].items())
    pyplot.barh([kind for kind, _ in kinds], [count for _, count in kinds], color="#31688e")
    pyplot.xlabel("training examples")
    save("kinds")
    sessions = benchmark.manifest.get("sessions", {})
    if sessions:
        ordered = sorted(sessions.items(), key=lambda item: item[1]["train"])
        pyplot.figure(figsize=(7, 0.25 * len(ordered) + 1))
        pyplot.barh([name for name, _ in ordered], [row["train"] for _, row in ordered], color="#31688e")
        pyplot.xlabel("training examples")
        save("sessions")
    return written
