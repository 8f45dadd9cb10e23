"""The main table: what `isarstep evaluate` prints and `make demo` ends with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from isarstep.benchmark.store.ids import places_of_lowest
from isarstep.benchmark.store.store import Benchmark
from isarstep.common.errors import UserError
from isarstep.common.tables import NOT_CHECKED, Table
from isarstep.model.decode.hypotheses import NARROW, WIDE
from isarstep.model.decode.predictions import Predictions, lists_by_id, stem
from isarstep.resources import BESIDE, EMBEDDED, model_folder
from isarstep.score.answering import answer
from isarstep.score.runs import open_run, predictions_for, read_notation_of
from isarstep.score.scores import Comparison, Scores, ScoringTask, System, corrected
from isarstep.score.wellformed import TypeChecker

PAIRED = (
    "Two-sided, paired on the same examples: answers to whole theorems are swapped at random, 10,000 times for "
    "accuracies and 1,000 times for BLEU (whole entries on unseen and fresh splits). P-values of a table are corrected "
    "by Holm's rule, those of each measure together."
)


def open_task(benchmark: str | Path = EMBEDDED, split: str = "test", limit: int | None = None) -> ScoringTask:
    """A split, or its `limit` examples of lowest id, with a type checker where the benchmark has a signature."""
    if str(benchmark) == EMBEDDED:
        benchmark = BESIDE.get(split, EMBEDDED)
    opened = Benchmark(benchmark).compare()
    rows = opened.split(split)
    ids = rows.table()["id"].to_pylist()
    places = None if limit is None else places_of_lowest(ids, limit)
    examples = list(rows) if places is None else [rows[place] for place in places]
    if not examples:
        raise UserError(f"{opened.folder}: split {split} has no examples to score")
    type_checker = None
    if "signature.json.zst" in opened.manifest["files"]:
        type_checker = TypeChecker(opened.theory_contexts, examples)
    return ScoringTask(opened.hash, rows.name, examples, ids, type_checker, places, opened)


def open_system(where: Path, task: ScoringTask) -> System:
    """A predictions file, or a run's folder with predictions for the split, else a model that now answers."""
    where = model_folder(where)
    if where.is_dir():
        run = open_run(where)
        return run.system(task) or answer(where, run.name, task, NARROW, WIDE)
    return _readable(str(where), stem(where), predictions_for(where, task), task)


def system_of_answers(answers: Mapping[str, Sequence[str]], task: ScoringTask, name: str = "answers") -> System:
    """Lists of answers by the id of the example, best first, as a system."""
    found = lists_by_id(answers, task.ids)
    return _readable(name, name, read_notation_of(found if task.places is None else found.at(task.places), task), task)


def _readable(where: str, name: str, predictions: Predictions, task: ScoringTask) -> System:
    """Refused where not one first answer is a term; but a model of ours that has learned little writes such lists."""
    system = System(name, task, predictions, predictions)
    ours = "model" in predictions.meta
    if not ours and not system.read.any() and predictions.missing < len(predictions.lists):
        first = next(answer for answer in system.best if answer)
        raise UserError(
            f"{where}: no first answer can be read, neither as tokens nor in notation (such as {first[:60]!r}); "
            "write F.1 as 'isarstep export' does"
        )
    return system


def main_table(scores: Sequence[Scores]) -> Table:
    """One row a system; values in percent with 95 % intervals."""
    first = scores[0]
    judged = any(row.well_formed for row in scores)
    columns = ("system", "top-1", "top-1 as terms", "top-10", "top-10 as terms", "BLEU", "well-formed", "read")
    rows = tuple(
        (
            row.name,
            *(str(s) for s in (row.top1, row.top1_term, row.top10, row.top10_term, row.bleu)),
            str(row.well_formed) if row.well_formed else NOT_CHECKED,
            f"{row.read:.1f}",
        )
        for row in scores
    )
    note = (
        f"Percent, 95 % intervals that resample whole {first.drawn}. As terms: brackets and numbers of schematic "
        "variables don't count. Read: first answers that are a term, in tokens or in notation."
    )
    if not judged:
        note += " Well-formedness needs the benchmark's signature."
    title = f"{first.narrow.split} split, {first.narrow.examples:,} examples, benchmark {first.narrow.benchmark}"
    return Table("main", title, columns, rows, note)


def signature_lines(scores: Sequence[Scores]) -> list[str]:
    """The signatures under a table; systems measured alike share lines."""
    lines: dict[str, None] = {}
    for row in scores:
        if row.narrow == row.wide:
            lines[f"{row.name}: top-1, top-10, BLEU {row.narrow}"] = None
        else:
            lines[f"{row.name}: top-1, BLEU {row.narrow}"] = None
            lines[f"{row.name}: top-10 {row.wide}"] = None
        counted = {"examples unanswered": row.missing, "first answers that are no term": row.unreadable or 0}
        counted["repeated answers"] = row.duplicated
        if any(counted.values()):
            lines[f"{row.name}: " + ", ".join(f"{n:,} {what}" for what, n in counted.items() if n)] = None
    return list(lines)


def comparison_table(comparisons: Sequence[Comparison]) -> Table:
    rows = tuple(
        (f"{c.left} against {c.right}", p_value(c.top1), p_value(c.top10), p_value(c.bleu))
        for c in corrected(comparisons)
    )
    return Table(
        "significance",
        "Is the difference more than chance?",
        ("systems", "top-1 p", "top-10 p", "BLEU p"),
        rows,
        PAIRED,
    )


def p_value(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}"
