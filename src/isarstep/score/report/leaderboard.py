"""LEADERBOARD.md: every system of a report with command, commit, data, budget and scores, from scores.json; beside it
the whole statements that were proved, from proofs.json."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from isarstep.common.tables import ABSENT, Table

PARTS = ("new targets", "steps with F.2", "new constants", "unseen", "unseen2", "fresh", "fresh2")


def leaderboard(scores: dict[str, Any], proofs: Sequence[dict[str, Any]] = ()) -> str:
    """The page, best system first; then what was proved, as the benchmarks have counted it."""
    ranked = sorted(scores["systems"], key=lambda system: -system["top1"]["value"])
    parts = [name for name in PARTS if any(name in system["parts"] for system in ranked)]
    budget = ("tokens", "epochs", "steps", "seconds", "seed", "device")
    columns = ("system", "model", "input", "vocabulary", "beams", "top-1", "top-10", "BLEU", *parts, *budget,
               "trained on", "scored on", "commit", "command")  # fmt: skip
    rows = tuple(_row(system, scores["benchmark"], parts) for system in ranked)
    note = (
        "Percent, with 95 % intervals that resample whole theorems, on unseen and fresh splits whole entries; in "
        "brackets the value with the kinds of targets weighted as here. Beams: of top-1 and BLEU, and of top-10. "
        "Columns after BLEU are top-1 on a part of the split or on another one. New constants: the target has one that "
        "F.2 to F.4 do not have. A closed vocabulary has no names for "
        "constants of new entries. Tokens are those that the model itself reads "
        "and writes. Nothing was chosen on this split: checkpoints by validation BLEU. Trained on, scored on: names of "
        "benchmarks; one may have learned from an earlier one."
    )
    title = f"{scores['split']} split, {scores['examples']:,} examples, benchmark {scores['benchmark'][:12]}"
    made = "Made by `isarstep report` with the report beside it; a test says so. "
    made += f"Scored by isarstep {scores['version']}.\n\n"
    page = "# Leaderboard\n\n" + made + Table("leaderboard", title, columns, rows, note).to_markdown()
    return page + ("\n" + _proved(proofs).to_markdown() if proofs else "")


def _proved(proofs: Sequence[dict[str, Any]]) -> Table:
    columns = ("statements", "number", "read", "arm", "proved", "accepted by Isabelle", "seconds", "provers", "commit",
               "command")  # fmt: skip
    rows = tuple(
        (
            row["statements"],
            str(row["many"]),
            str(row["read"]),
            row["arm"],
            *(_share(row[name], row["many"]) for name in ("proved", "accepted")),
            number(row["seconds"]),
            ", ".join(row["provers"]),
            row["commit"] or ABSENT,
            f"`{row['command']}`",
        )
        for row in proofs
    )
    note = (
        "For each statement this many seconds and two cores. Accepted: Isabelle2025-2 runs the proof exactly as it is "
        "printed; – was not asked. What is not read, refuted, or follows from facts that contradict each other is not "
        "proved."
    )
    return Table("proofs", "whole statements", columns, rows, note)


def _share(count: int | None, many: int) -> str:
    return ABSENT if count is None else f"{count} ({100 * count / many:.1f} %)"


def _row(system: dict[str, Any], benchmark: str, parts: list[str]) -> tuple[str, ...]:
    took, made = system["budget"], system["origin"]
    beams = [signature.partition("|beam:")[2].partition("|")[0] for signature in system["signature"].values()]
    return (
        system["system"],
        system["model"],
        system["input"],
        system["vocabulary"],
        ", ".join(dict.fromkeys(beams)),
        *(_score(system[name]) for name in ("top1", "top10", "bleu")),
        *(_score(system["parts"].get(name)) for name in parts),
        millions(took.get("tokens")),
        *(number(took.get(name)) for name in ("epochs", "steps", "seconds", "seed")),
        took.get("device") or ABSENT,
        (system["trained_on"] or ABSENT)[:12],
        benchmark[:12],
        made["commit"] or ABSENT,
        f"`{made['command']}`" if made["command"] else ABSENT,
    )


def _score(score: dict[str, float] | None) -> str:
    if not score:
        return ABSENT
    kinds = f" ({score['reweighted']:.1f})" if score.get("reweighted") is not None else ""
    return f"{score['value']:.1f} [{score['low']:.1f}, {score['high']:.1f}]{kinds}"


def millions(tokens: int | None) -> str:
    return ABSENT if tokens is None else f"{tokens / 1e6:,.0f}M" if tokens >= 1e7 else f"{tokens / 1e6:.3f}M"


def number(value: float | None) -> str:
    if value is None:
        return ABSENT
    return f"{value:,.0f}" if value == int(value) or value >= 100 else f"{value:,.1f}"
