"""The paper's tables with our numbers; the printed ones stand in rows of their own, since they are of other data."""

from __future__ import annotations

from collections.abc import Sequence

from isarstep.common.tables import ABSENT, NOT_CHECKED, NOT_RUN, Table
from isarstep.score.breakdowns import Breakdown
from isarstep.score.metrics import Score
from isarstep.score.report import paper
from isarstep.score.report.leaderboard import millions, number
from isarstep.score.report.leaderboard_entries import ELSEWHERE, NEW, STEPS, Part, RunEntry
from isarstep.score.report.verdicts import Counts, VerdictSummary
from isarstep.score.scores import score

PRINTED = ", as printed in the paper"


def main_results(entries: Sequence[RunEntry]) -> Table:
    """Every run and baseline with its scores, and top-1 where a headline may deceive."""
    plain = [entry for entry in entries if not entry.tag]
    sizes = {name: part.examples for entry in plain for name, part in entry.parts.items()}
    more_splits = [name for name in (NEW, STEPS, *ELSEWHERE) if name in sizes]
    rows = []
    for e in plain:
        scored = (str(e.scores.top1), str(e.scores.top10), str(e.scores.bleu))
        rows.append((e.system.name, e.input, *scored, *(part_cell(e.parts.get(name)) for name in more_splits)))
    return Table(
        "accuracy",
        "Exact match and BLEU",
        ("run", "input", "top-1", "top-10", "BLEU", *(f"{name} ({sizes[name]:,})" for name in more_splits)),
        tuple(rows),
        "Percent with 95 % intervals that resample whole theorems. Top-1 and BLEU from beam 5, top-10 from beam 10 "
        "where a run has both, no constraints. New targets: no near copy of a training target. The last columns are "
        "top-1 on parts of the split and on other splits. Unseen: entries of which nothing was trained on; fresh: "
        "entries younger than the corpus; there intervals resample whole entries, and in brackets stands the value "
        "with the split's kinds of targets weighted as here. A closed vocabulary has no names for constants of new "
        "entries.",
        (("", 2), ("all of the split", 3), *((("top-1 on", len(more_splits)),) if more_splits else ())),
    )


def budgets(entries: Sequence[RunEntry]) -> Table:
    """What every trained run is and took."""
    rows = []
    for e in (entry for entry in entries if not entry.tag and entry.run.budget):
        took = e.run.budget
        spent = (millions(took.get("tokens")), *(number(took.get(n)) for n in ("epochs", "steps", "seconds", "seed")))
        rows.append((e.system.name, e.model, e.run.vocabulary, *spent))
    columns = ("run", "model", "vocabulary", "tokens", "epochs", "steps", "seconds", "seed")
    return Table("budgets", "What they took", columns, tuple(rows), "Tokens: read and written by the model itself.")


def part_cell(part: Part | None) -> str:
    if part is None:
        return NOT_RUN
    return str(part.top1) if part.reweighted is None else f"{part.top1} ({part.reweighted:.1f})"


def printed_results() -> Table:
    """Table 1 of the paper with the appendix's additional results."""
    rows = [(*key, *(f"{n:.1f}" for n in (row.top1, row.top10, row.bleu))) for key, row in paper.MAIN.items()]
    note = "Measured on the paper's own benchmark, with other examples: not to be compared with ours digit by digit."
    columns = ("model", "input", "top-1", "top-10", "BLEU")
    return Table("printed", "For orientation: as printed in the paper", columns, tuple(rows), note)


def nearness_table(entries: Sequence[RunEntry], groups: Breakdown) -> Table:
    """The headline taken apart: how much of it rests on targets that training has all but seen."""
    wrote = [f"{label} ({int(members.sum()):,})" for label, members in groups.groups]
    rows = [
        (e.system.name, e.input, str(e.scores.top1), *map(str, groups.accuracies(e.system)))
        for e in entries
    ]  # fmt: skip
    columns = ("system", "input", "all targets", *wrote)
    return Table(groups.key, "Top-1 on targets that are new, and on near copies of training targets", columns,
                 tuple(rows), groups.note)  # fmt: skip


def tokens_and_terms(entries: Sequence[RunEntry]) -> Table:
    rows = []
    for entry in entries:
        found = entry.scores
        values = (found.top1, found.top1_term, found.top10, found.top10_term)
        rows.append((entry.system.name, entry.input, *map(str, values)))
    return Table(
        "terms",
        "Exact match by tokens and by terms",
        ("system", "input", "top-1 tokens", "top-1 terms", "top-10 tokens", "top-10 terms"),
        tuple(rows),
        "By terms: two answers that decode to the same term match, whatever their brackets and the numbers of their "
        "schematic variables (alpha-equality; bound variables have no names in tokens).",
    )


def well_formed_table(entries: Sequence[RunEntry]) -> Table:
    rows = [(e.system.name, e.input, _score(e.scores.well_formed)) for e in entries if not e.tag]
    rows += [(f"{model}{PRINTED}", given, f"{value:.1f}") for (model, given), value in paper.WELL_FORMED.items()]
    rule = next((e.scores.narrow.well_formed for e in entries if e.scores.well_formed), "not judged")
    note = f"First answers that are propositions, variables typed by {rule}. Paper: by Isabelle's own type check."
    return Table("well-formed", "Well-formed first answers", ("system", "input", "well-formed"), tuple(rows), note)


def constraints(entries: Sequence[RunEntry]) -> Table | None:
    """What decoding under constraints changes, each run at the widest beam that it was decoded with in every way."""
    rows = []
    for folder in dict.fromkeys(entry.run.folder for entry in entries if entry.tag):
        ways = [entry for entry in entries if entry.run.folder == folder]
        task = ways[0].system.task
        shared = set.intersection(*({*e.run.beams(task.split, e.tag)} for e in ways))
        for entry in ways:
            name = (entry.run.name, entry.input, entry.tag or "none")
            if not shared:
                rows.append((*name, "no beam in common", *(ABSENT,) * 4))
                continue
            system = entry.run.system(task, entry.tag, beams=[max(shared)])
            assert system is not None
            found = score(system)
            numbers = (str(found.top1), str(found.top10), _score(found.well_formed))
            rows.append((*name, str(max(shared)), str(system.narrow.meta.get("length_rule", ABSENT)), *numbers))
    if not rows:
        return None
    columns = ("run", "input", "constraints", "beam", "length rule", "top-1", "top-10", "well-formed")
    note = "All numbers of a run from one beam. Where length rules differ, so do orders: then top-10 alone compares."
    return Table("constraints", "Decoding with and without constraints", columns, tuple(rows), note)


def correct(entries: Sequence[RunEntry]) -> Table:
    rows: list[tuple[str, ...]] = [
        (f"{model}, {given}{PRINTED}", ABSENT, f"{printed:.1f}", *(ABSENT,) * 4)
        for (model, given), printed in paper.CORRECT.items()
    ]
    for entry in entries:
        name = f"{entry.system.name}, {entry.input}"
        if entry.verdicts is None:
            rows.append((name, NOT_CHECKED, *(ABSENT,) * 5))
            continue
        rows.append(_correct_row(name, entry.verdicts.share_checked, entry.verdicts.all))
        for kind, counts in (("steps", entry.verdicts.steps), ("assumptions", entry.verdicts.assumptions)):
            rows.append(_correct_row(f"{name}: {kind}", f"{counts.checked:,}", counts))
    return Table(
        "correct",
        "Correct propositions",
        ("system", "checked", "correct, %", "strictly, %", "the reference", "alternatives", "strict alternatives"),
        tuple(rows),
        "First answers that are the reference, or an alternative: well-formed, not copied, and provers derive it from "
        "F.2 and F.3 from it. Strictly: without alternatives that are trivial, bridge nothing or rest on contradictory "
        "premises, but with the reference in a trivially different form (symmetry, order of conjuncts). Shares are of "
        "the checked examples. " + _who(entries),
    )


def _correct_row(name: str, checked: str, counts: Counts) -> tuple[str, ...]:
    if not counts.checked:
        return (name, checked, *(ABSENT,) * 5)
    numbers = (counts.exact, counts.alternatives, counts.strict_alternatives)
    strict = counts.share(counts.strict_correct)
    return (name, checked, str(counts.correct_share), f"{strict:.1f}", *(f"{n:,}" for n in numbers))


def automation(entries: Sequence[RunEntry]) -> Table:
    rows: list[tuple[str, ...]] = [("HAT, as printed in the paper", "4,908", "about 3,000", "61", ABSENT)]
    for entry in entries:
        if (found := entry.verdicts) is not None:
            numbers = (found.all.unprovable, found.all.improved, found.all.strictly_improved)
            rows.append((f"{entry.system.name}, {entry.input}", found.share_checked, *(f"{n:,}" for n in numbers)))
    if len(rows) == 1:
        rows.append(("ours", *(NOT_CHECKED,) * 4))
    return Table(
        "automation",
        "Automation improvement",
        ("system", "checked", "F.3 not proved from F.2", "proved by way of the answer", "strictly"),
        tuple(rows),
        "Examples whose consequence provers don't reach from F.2 alone, and how many they reach over the first answer. "
        "Ours: of those whose first answer is well-formed; without one, provers are not asked. " + _who(entries),
    )


def gaps(entries: Sequence[RunEntry]) -> Table:
    printed = (paper.SMALL_GAP, paper.JUST_RIGHT, paper.LARGE_GAP)
    rows: list[tuple[str, ...]]
    rows = [("HAT, as printed in the paper", "4,908", f"{paper.EXACT_MATCHES:,}", *(f"{n:,}" for n in printed))]
    for entry in entries:
        if (found := entry.verdicts) is not None:
            name = f"{entry.system.name}, {entry.input}"
            for what, checked, classes in (
                ("", found.share_checked, found.all.gaps_paper),
                (": steps", f"{found.steps.checked:,}", found.steps.gaps_paper),
                (": steps, F.4 given as well", f"{found.steps.checked:,}", found.steps.gaps),
            ):
                numbers = (classes.all, classes.small, classes.just_right, classes.large)
                rows.append((name + what, checked, *(f"{n:,}" for n in numbers)))
    if len(rows) == 1:
        rows.append(("ours", *(NOT_CHECKED,) * 5))
    return Table(
        "gaps",
        "How wide are the gaps that exact matches bridge?",
        ("system", "checked", "exact matches", "small", "just right", "large"),
        tuple(rows),
        "Small: provers reach F.3 from F.2 without the step. Just right: with it. Large: not at all. That is the "
        "paper's rule; whoever proves has F.4 too, and where it is given more gaps are small: the last row. Nothing "
        "justifies an assumption, so steps stand apart as well. " + _who(entries),
    )


def references(checked: Sequence[VerdictSummary]) -> Table:
    """What provers make of the reference targets, whoever answers."""
    rows: list[tuple[str, ...]] = [
        ("Sledgehammer, as printed in the paper", f"{paper.SUPPORTED:,}", *(ABSENT,) * 3,
         _of(paper.PROVED_WITH_REFERENCE, paper.SUPPORTED), _of(paper.PROVED_DIRECTLY, paper.SUPPORTED), ABSENT)
    ]  # fmt: skip
    for found in checked:
        who = found.provers or "provers not named"
        rows.append(_reference_row(who, found.share_checked, found.all))
        if found.steps.checked and found.assumptions.checked:
            rows.append(_reference_row(f"{who}: steps", f"{found.steps.checked:,}", found.steps))
            rows.append(_reference_row(f"{who}: assumptions", f"{found.assumptions.checked:,}", found.assumptions))
    if not checked:
        rows.append(("ours", *(NOT_CHECKED,) * 7))
    columns = (
        "provers", "checked", "F.2 ⇒ F.1", "of these without library facts", "F.1, F.4 ⇒ F.3", "both", "F.2 ⇒ F.3",
        "F.2, F.4 ⇒ F.3",
    )  # fmt: skip
    return Table(
        "references",
        "Are the reference steps within reach of provers?",
        columns,
        tuple(rows),
        "Proved with the reference target F.1, in the last two columns without. Where F.3 follows from F.2, F.4, the "
        "step is redundant. Nothing justifies an assumption; its F.2 ⇒ F.1 is tried without library facts. The paper's "
        "numbers are from its own benchmark, with 30 s a question. What provers miss may be true all the same.",
    )


def _reference_row(name: str, checked: str, counts: Counts) -> tuple[str, ...]:
    numbers = (counts.first, counts.first_given, counts.second, counts.bridged, counts.direct_paper, counts.direct)
    return (name, checked, *(_of(number, counts.checked) for number in numbers))


def _of(count: int | None, total: int) -> str:
    return f"{count:,} ({100 * count / total:.1f} %)" if total and count is not None else ABSENT


def _who(entries: Sequence[RunEntry]) -> str:
    """Every table names its provers."""
    named = list(dict.fromkeys(e.verdicts.provers for e in entries if e.verdicts and e.verdicts.provers))
    return f"Provers: {'; '.join(named)}." if named else "Needs the verdicts that 'isarstep check' writes."


def ablation(entries: Sequence[RunEntry]) -> Table:
    """Categories: HAT with and without their embedding, on base inputs, runs in the paper's layers."""
    rows = []
    ours = {entry.paper_row: entry for entry in entries}
    for label, row, printed in (
        ("with category embedding", "hat-base", paper.MAIN["HAT", paper.BASE].top1),
        ("without", "hat-nocat", paper.WITHOUT_CATEGORIES),
    ):
        entry = ours.get(row)
        tokens = millions(entry.run.budget.get("tokens")) if entry else ABSENT
        rows.append(
            (label, entry.system.name if entry else NOT_RUN, tokens, str(entry.scores.top1) if entry else ABSENT)
        )
        rows.append((f"{label}{PRINTED}", ABSENT, ABSENT, f"{printed:.1f}"))
    columns = ("HAT, base input", "run", "tokens", "top-1")
    return Table("ablation", "HAT and category information", columns, tuple(rows))


def _score(score: Score | None) -> str:
    return str(score) if score else NOT_CHECKED
