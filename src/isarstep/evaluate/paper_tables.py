"""The paper's tables with our numbers beside the printed ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from isarstep.evaluate import paper
from isarstep.evaluate.breakdowns import Breakdown
from isarstep.evaluate.metrics import Score
from isarstep.evaluate.runs import RunFolder
from isarstep.evaluate.scores import Scores, System
from isarstep.evaluate.verdicts import Counts, VerdictSummary
from isarstep.tables import ABSENT, NOT_CHECKED, NOT_RUN, PAPER, Table

INPUTS = (paper.BASE, paper.HINTS)


@dataclass(frozen=True)
class RunEntry:
    """One system of the report: a run's predictions made in one way, its scores and verdicts."""

    run: RunFolder
    tag: str  # "": decoded without constraints
    system: System
    scores: Scores
    verdicts: VerdictSummary | None

    @property
    def input(self) -> str:
        return paper.HINTS if self.run.hints else paper.BASE

    @property
    def row(self) -> str:
        """The row of the main table: the paper's name of the model where the run is of its kind, with what differs."""
        extras = []
        if self.run.config.get("size", "base") != "base":
            extras.append(str(self.run.config["size"]))
        if self.run.config.get("style", "paper") != "paper":
            extras.append(str(self.run.config["style"]))
        if self.run.config.get("dense"):
            extras.append("dense")
        if not self.run.categories:
            extras.append("no categories")
        tokens = self.run.config.get("training", {}).get("tokens", 0)
        if extras and tokens >= 1e6:
            extras.append(f"{tokens / 1e6:.0f}M tokens")
        if self.run.config.get("name"):
            return str(self.run.config["name"])
        return self.run.kind + (f" ({', '.join(extras)})" if extras else "")


def rows_of(entries: Sequence[RunEntry]) -> list[str]:
    """Row labels: the paper's models first, in its order, then ours."""
    labels = dict.fromkeys(entry.row for entry in entries)
    return [*paper.MODELS, *(label for label in labels if label not in paper.MODELS)]


def entry_of(entries: Sequence[RunEntry], row: str, given: str, tag: str = "") -> RunEntry | None:
    """The entry of a row and input; where several runs share both, the last one given."""
    found = [entry for entry in entries if (entry.row, entry.input, entry.tag) == (row, given, tag)]
    return found[-1] if found else None


def main_results(entries: Sequence[RunEntry]) -> Table:
    """Table 1 with the appendix's additional results."""
    metrics = (("Top-1", "top1"), ("Top-10", "top10"), ("BLEU", "bleu"))
    rows = []
    for label in rows_of(entries):
        here = _has(entries, label)
        cells = [label if here else f"{label}, as printed in the paper"]
        for _, field in metrics:
            for given in INPUTS:
                entry = entry_of(entries, label, given)
                printed = paper.MAIN.get((label, given))
                ours = (str(getattr(entry.scores, field)) if entry else NOT_RUN) if here else ""
                cells.append(_beside(ours, getattr(printed, field) if printed else None))
        if any(cell != NOT_RUN for cell in cells[1:]):
            rows.append(tuple(cells))
    columns = ("model", *(given for _ in metrics for given in INPUTS))
    return Table(
        "accuracy",
        "Exact match and BLEU",
        columns,
        tuple(rows),
        "Percent with 95 % bootstrap intervals. Top-1 and BLEU from beam 5, top-10 from beam 10, no constraints. "
        "The paper's numbers were measured on its own, larger benchmark and orient, no more.",
        (("", 1), *((name, 2) for name, _ in metrics)),
    )


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


def as_terms(entries: Sequence[RunEntry]) -> Table:
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


def _two_inputs(
    key: str, title: str, entries: Sequence[RunEntry], ours: dict[tuple[str, str], str],
    printed: dict[tuple[str, str], float], note: str,
) -> Table:  # fmt: skip
    rows = []
    for label in rows_of(entries):
        here = _has(entries, label)
        if not here and not any((label, given) in printed for given in INPUTS):
            continue
        missing = NOT_RUN if here else ""
        cells = [label if here else f"{label}, as printed in the paper"]
        cells += [_beside(ours.get((label, given), missing), printed.get((label, given))) for given in INPUTS]
        rows.append(tuple(cells))
    return Table(key, title, ("model", *INPUTS), tuple(rows), note)


def well_formed_table(entries: Sequence[RunEntry]) -> Table:
    ours = {(e.row, e.input): _score(e.scores.well_formed) for e in entries if not e.tag}
    rule = next((e.scores.narrow.well_formed for e in entries if e.scores.well_formed), "not judged")
    note = f"First answers that are propositions, variables typed by {rule}. Paper: by Isabelle's own type check."
    return _two_inputs("well-formed", "Well-formed first answers", entries, ours, paper.WELL_FORMED, note)


def constraints(entries: Sequence[RunEntry]) -> Table | None:
    """What decoding under constraints changes, where a run has predictions of both kinds."""
    groups: dict[tuple[object, str], list[RunEntry]] = {(e.run.folder, e.input): [] for e in entries if e.tag}
    if not groups:
        return None
    rows = [
        (e.system.name, e.input, e.tag or "none", str(e.scores.top1), str(e.scores.top10), _score(e.scores.well_formed))
        for e in entries
        if (e.run.folder, e.input) in groups
    ]
    columns = ("system", "input", "constraints", "top-1", "top-10", "well-formed")
    return Table("constraints", "Decoding with and without constraints", columns, tuple(rows))


def correct(entries: Sequence[RunEntry]) -> Table:
    rows: list[tuple[str, ...]] = [
        (f"{model}, {given}, as printed in the paper", ABSENT, f"{printed:.1f}", *(ABSENT,) * 4)
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
    correct, strict = counts.share(counts.correct), counts.share(counts.strict_correct)
    return (name, checked, str(correct), f"{strict.value:.1f}", *(f"{n:,}" for n in numbers))


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
    """Categories: HAT with and without their embedding, on base inputs."""
    plain = [e for e in entries if e.run.kind == "HAT" and not e.tag and not e.run.hints]
    without = [e for e in plain if not e.run.categories]
    wanted = _shape(without[-1]) if without else ("base", "paper", False)
    whole = [e for e in plain if e.run.categories]
    alike = [e for e in whole if _shape(e) == wanted] or (whole if not without else [])
    rows = [
        ("with category embedding", _last(alike), f"{paper.MAIN['HAT', paper.BASE].top1:.1f}"),
        ("without", _last(without), f"{paper.WITHOUT_CATEGORIES:.1f}"),
    ]
    return Table("ablation", "HAT and category information, top-1", ("HAT, base input", "ours", "paper"), tuple(rows))


def _has(entries: Sequence[RunEntry], row: str) -> bool:
    return any(entry.row == row for entry in entries)


def _beside(ours: str, printed: float | None) -> str:
    if printed is None:
        return ours
    return f"{ours}{PAPER}{printed:.1f}" if ours else f"{printed:.1f}"


def _shape(entry: RunEntry) -> tuple[object, object, bool]:
    config = entry.run.config
    return config.get("size", "base"), config.get("style", "paper"), bool(config.get("dense"))


def _last(entries: Sequence[RunEntry]) -> str:
    return str(entries[-1].scores.top1) if entries else NOT_RUN


def _score(score: Score | None) -> str:
    return str(score) if score else NOT_CHECKED
