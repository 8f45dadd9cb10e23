"""Everything that runs left, as one report: the paper's tables and figures with ours beside them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from html import escape
from itertools import pairwise
from pathlib import Path

from isarstep.benchmark.store.store import Benchmark
from isarstep.common.errors import UserError
from isarstep.common.tables import Table
from isarstep.common.version import __version__
from isarstep.isabelle.syntax.writing.names import Names
from isarstep.score.breakdowns import Breakdown, breakdowns, failure_table
from isarstep.score.headline import comparison_table, open_task, signature_lines
from isarstep.score.metrics import Score
from isarstep.score.report import paper, paper_tables
from isarstep.score.report.claims import ClaimOutcome, claims_table, outcomes
from isarstep.score.report.document import Block, Document, Figure, Raw, Section, Text
from isarstep.score.report.figures import Series, bars, dot_rows, lines
from isarstep.score.report.formulas import example_html, example_markdown
from isarstep.score.report.inside import look_into
from isarstep.score.report.leaderboard import millions
from isarstep.score.report.leaderboard_entries import CONSTANTS, NEW, STEPS, RunEntry, entries_of, other_tasks
from isarstep.score.report.picked_examples import Shown, correct_ones, wrong_ones
from isarstep.score.report.verdicts import VerdictSummary, read_verdicts
from isarstep.score.runs import RunFolder, open_run
from isarstep.score.scores import compare

MOST_SIDE_BY_SIDE = 8
WARMING = 0.03  # share of a run's steps that the picture of its loss leaves out


def make_report(
    folders: Sequence[Path],
    benchmark: str | Path,
    split: str,
    limit: int | None = None,
    references: Sequence[Path] = (),
) -> Document:
    """The report of some runs on one split of a benchmark; `references` are verdicts on its reference targets."""
    # The paper's models in its order, then whatever else there is; runs of a kind in the order given.
    kinds = {kind: place for place, kind in enumerate(paper.MODELS)}
    runs = sorted(
        map(open_run, folders), key=lambda run: (kinds.get(run.kind, len(kinds)), paper.INPUTS.index(run.input))
    )
    task = open_task(benchmark, split, limit)
    groups = {group.key: group for group in breakdowns(task, benchmark)}
    near = groups["nearness"]
    entries = entries_of(runs, task, near, other_tasks(benchmark, split))
    if not entries:
        raise UserError(f"none of the runs has predictions for {split}; make them with 'isarstep predict'")
    plain = [entry for entry in entries if not entry.tag]
    chosen = sorted(plain, key=lambda entry: -entry.scores.top1.value)
    best = chosen[0] if chosen else entries[0]
    opened = Benchmark(benchmark)
    names = Names.of_signature(opened.signature) if task.type_checker else Names()
    claimed = outcomes(entries)
    signature = opened.signature if task.type_checker else None
    inside, looked = look_into(runs, [entry.run for entry in chosen], signature, names)
    wrong = failure_table([entry.system for entry in plain] if task.type_checker else [])
    checked = [read_verdicts(path, task.homes) for path in references]
    count = len({entry.run.folder for entry in entries})
    sections = (
        _results(entries, near, claimed),
        _checked(entries, checked),
        _lengths(plain, groups["source-length"]),
        _details(plain, groups),
        *inside,
        _gallery(best, names),
        _training(runs),
        _signatures(entries, folders, benchmark, split),
    )
    return Document(
        "IsarStep: what the models can do",
        f"{len(task.examples):,} examples of the {task.split} split, benchmark {task.benchmark[:12]}; "
        f"{count} {'run' if count == 1 else 'runs'}, scored by isarstep {__version__}. "
        "The paper is Li, Yu, Wu, Paulson (ICLR 2021).",
        _overview(plain or entries),
        _cards(best),
        tuple(section for section in sections if section.blocks),
        {
            "benchmark": task.benchmark,
            "version": __version__,
            "split": task.split,
            "examples": len(task.examples),
            "systems": [entry.as_json() | {"lengths": _by_length(entry, groups["source-length"])} for entry in entries],
            "claims": [outcome.as_json() for outcome in claimed],
            "failures": {row[0]: dict(zip(wrong.columns[1:], row[1:], strict=True)) for row in wrong.rows},
            "references": [asdict(each) for each in checked],
        }
        | looked,
    )


def _overview(entries: Sequence[RunEntry]) -> Figure:
    """Every system with the paper's numbers for the model that it is, and what is left of it on unseen entries."""
    measures = ("top-1", "top-10", "top-1 on unseen")
    rows, printed = [], []
    for entry in entries:
        unseen = entry.parts.get("unseen")
        rows.append(Series(entry.system.name, (entry.scores.top1, entry.scores.top10, unseen.top1 if unseen else None)))
        row = paper.MAIN.get((entry.model, entry.input))
        values = (row.top1, row.top10) if row else ()
        known = tuple(Score(value, value, value) for value in values)
        printed.append(Series(f"{entry.model}, {entry.input} in the paper", (*known, *(None,) * (3 - len(known)))))
    note = (
        "Percent of the examples, with 95 % intervals. Hollow: what the paper printed for the same model and input, "
        "measured on its own examples. Unseen: entries of which nothing was trained on."
    )
    title = "Every system at a glance"
    return Figure("overview", title, dot_rows(title, measures, rows, printed, "exact matches, %"), note)


def _cards(best: RunEntry) -> tuple[tuple[str, str], ...]:
    """The best run's numbers alone: the paper's are of other data and have a table of their own."""
    scores, took = best.scores, best.run.budget
    budget = f", {millions(took['tokens'])} tokens" if took.get("tokens") else ""
    cards = [(f"{scores.top1.value:.1f} %", f"top-1 of {best.system.name}, {best.input}{budget}")]
    about = {
        NEW: "no near copy of a training target",
        STEPS: "something justifies them",
        CONSTANTS: "the target has one that F.2 to F.4 do not have",
    }
    for name, part in best.parts.items():
        meaning = about.get(name, "entries of which nothing was trained on")
        if part.reweighted is not None:
            meaning += f"; {part.reweighted:.1f} with this split's kinds of targets"
        cards.append((f"{part.top1.value:.1f} %", f"top-1 on {name} ({part.examples:,}): {meaning}"))
    cards += [(f"{scores.top10.value:.1f} %", "top-10"), (f"{scores.bleu.value:.1f}", "BLEU")]
    if scores.well_formed is not None:
        cards.append((f"{scores.well_formed.value:.1f} %", "well-formed first answers"))
    return tuple(cards)


def _results(entries: Sequence[RunEntry], near: Breakdown, claimed: Sequence[ClaimOutcome]) -> Section:
    blocks: list[Block] = [paper_tables.main_results(entries), paper_tables.printed_results()]
    blocks += [paper_tables.budgets(entries), claims_table(claimed)]
    blocks += [paper_tables.nearness_table(entries, near), paper_tables.tokens_and_terms(entries)]
    for given in paper.INPUTS:
        # Answers under constraints have a table of their own, and may come from another beam.
        ranked = sorted((e for e in entries if e.input == given and not e.tag), key=lambda e: -e.scores.top1.value)
        pairs = [compare(better.system, worse.system) for better, worse in pairwise(ranked)]
        if pairs:
            table = comparison_table(pairs)
            title = f"Is each system better than the next one? ({given} input)"
            key = "significance-" + given.strip("+").replace("F.5", "f5")
            blocks.append(Table(key, title, table.columns, table.rows, table.note))
    blocks.append(paper_tables.ablation(entries))
    return Section("results", "Results", tuple(blocks))


def _checked(entries: Sequence[RunEntry], references: Sequence[VerdictSummary]) -> Section:
    blocks: list[Block] = [paper_tables.well_formed_table(entries)]
    constrained = paper_tables.constraints(entries)
    if constrained is not None:
        blocks.append(constrained)
    asked = [entry for entry in entries if not entry.tag or entry.verdicts]
    blocks += [paper_tables.correct(asked), paper_tables.automation(asked), paper_tables.gaps(asked)]
    blocks.append(paper_tables.references(references))
    return Section("checked", "Well-formed and correct", tuple(blocks))


def _lengths(plain: Sequence[RunEntry], breakdown: Breakdown) -> Section:
    shown = _side_by_side(plain)
    if not shown:
        return Section("lengths", "Length", ())
    series = [Series(entry.system.name, tuple(breakdown.accuracies(entry.system))) for entry in shown]
    picture = bars(
        "Top-1 by length of the source", [label for label, _ in breakdown.groups], series, breakdown.column, "top-1, %"
    )
    note = "The paper's five buckets; whiskers: 95 % intervals. There HAT doubles the Transformer from 640 tokens on."
    figure = Figure("length", "Top-1 by length of the source", picture, note)
    return Section("lengths", "Length", (figure, breakdown.table([e.system for e in shown])))


def _details(plain: Sequence[RunEntry], groups: Mapping[str, Breakdown]) -> Section:
    systems = [entry.system for entry in _side_by_side(plain)]
    if not systems:
        return Section("details", "Breakdowns", ())
    elsewhere = ("source-length", "nearness")
    tables = [group.table(systems) for group in groups.values() if group.key not in elsewhere and len(group.groups) > 1]
    if systems[0].task.type_checker is not None:
        tables.append(failure_table(systems))
    return Section("details", "Breakdowns", tuple(tables))


def _by_length(entry: RunEntry, breakdown: Breakdown) -> dict[str, dict[str, float]]:
    scores = zip(breakdown.groups, breakdown.accuracies(entry.system), strict=True)
    return {label: {"examples": int(m.sum()), "top1": found.value} for (label, m), found in scores if m.any()}


def _side_by_side(plain: Sequence[RunEntry]) -> list[RunEntry]:
    """All where they fit beside each other; else one input, base if any, without ablations; base inputs first."""
    if len(plain) > MOST_SIDE_BY_SIDE:
        first = min((entry.input for entry in plain), key=paper.INPUTS.index)
        plain = [entry for entry in plain if entry.input == first and entry.run.categories] or plain
    best = sorted(plain, key=lambda entry: -entry.scores.top1.value)[:MOST_SIDE_BY_SIDE]
    return sorted((entry for entry in plain if entry in best), key=lambda entry: paper.INPUTS.index(entry.input))


def _gallery(best: RunEntry, names: Names) -> Section:
    system, hints = best.system, best.run.hints
    right, wrong = correct_ones(system, 8), wrong_ones(system, 3)
    intro = "chosen by rule: correct ones that are least copied from the source, wrong ones in the order of their ids."
    blocks: list[Block] = [Text(f"First answers of {system.name}, {intro}")]
    for title, kind, chosen in (("Correct", "right", right), ("Wrong", "wrong", wrong)):
        if not chosen:
            continue
        html = "".join(_article(shown, kind, names, hints) for shown in chosen)
        markdown = f"### {title}\n\n" + "\n".join(
            f"#{shown.number} {shown.example.theory} {shown.example.name} ({shown.what})\n\n"
            + example_markdown(shown.example, names, _answers(shown, kind), hints=hints)
            for shown in chosen
        )
        blocks.append(Raw(f'<h3>{title}</h3><div class="gallery" id="gallery-{kind}">{html}</div>', markdown))
    return Section("gallery", "Syntheses", tuple(blocks))


def _answers(shown: Shown, kind: str) -> list[tuple[str, str]]:
    return [("answer", shown.answer)] if kind == "wrong" else []


def _article(shown: Shown, kind: str, names: Names, hints: bool) -> str:
    where = " ".join(part for part in (shown.example.theory, shown.example.name) if part)
    body = example_html(shown.example, names, _answers(shown, kind), hints=hints)
    return (
        f'<article class="{kind}"><h4>#{shown.number} {escape(where)}</h4>'
        f'<p class="about">{escape(shown.what)} · {shown.example.id}</p>{body}</article>'
    )


def _training(runs: Sequence[RunFolder]) -> Section:
    figures: list[Block] = []
    for key, field, title, label in (
        ("validation-bleu", "validation_bleu", "Validation BLEU while training", "BLEU"),
        ("loss", "loss", "Training loss, nats per token", "loss"),
    ):
        curves = []
        for run in runs:
            points = [(float(r["step"]), float(r[field])) for r in run.log() if r.get(field) is not None]
            # The steep beginning would flatten all that matters.
            shown = tuple(point for point in points if key != "loss" or point[0] >= WARMING * points[-1][0])
            if len(shown) > 1:
                curves.append((run.name, shown))
        if key == "loss":
            note = f"Without the first {100 * WARMING:.0f} % of each run's steps."
        else:
            note = "Greedy, on a part of the validation split, over the tokens that each model itself writes."
        if curves:
            figures.append(Figure(key, title, lines(title, curves, "steps", label), note))
    return Section("training", "Training", tuple(figures))


def _signatures(entries: Sequence[RunEntry], folders: Sequence[Path], benchmark: str | Path, split: str) -> Section:
    listed = signature_lines([entry.scores for entry in entries])
    html = "".join(f"<li><code>{escape(line)}</code></li>" for line in listed)
    markdown = "\n".join(f"- `{line}`" for line in listed) + "\n"
    names = " ".join(shlex.quote(folder.name) for folder in folders)
    where = benchmark if str(benchmark) == "embedded" else "BENCHMARK"
    command = f"isarstep report {names} --benchmark {where} --split {split} --out DIR"
    return Section(
        "signatures",
        "Signatures",
        (
            Text("What every number above was measured on, and how."),
            Raw(f'<ul class="signatures">{html}</ul>', markdown),
            Text("This report was made in the folder of the runs by:"),
            Raw(f"<pre><code>{escape(command)}</code></pre>", f"```\n{command}\n```\n"),
        ),
    )
