"""A table of verdicts in a few lines: the paper's notions, each beside its strict form, assumptions in their own
column.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pyarrow as pa

from isarstep.prover.outcomes.verdict import AUTHORITY, KERNEL

STRICTLY = ", without loopholes"
COUNTED = (
    ("well-formed", lambda r: r["verdict"] == "well-formed"),
    ("equal to the reference", lambda r: bool(r["exact"] or r["alpha"])),
    ("copied from the source", lambda r: bool(r["copy"])),
    ("F.2 => P proved", lambda r: r["first_result"] == "proved"),
    ("P, F.4 => F.3 proved", lambda r: r["second_result"] == "proved"),
    ("both proved", lambda r: r["first_result"] == r["second_result"] == "proved"),
    ("alternative valid proposition", lambda r: bool(r["alternative"])),
    ("alternative valid proposition" + STRICTLY, lambda r: bool(r["strict_alternative"])),
    ("correct proposition", lambda r: bool(r["correct"])),
    ("correct proposition" + STRICTLY, lambda r: bool(r["strict_correct"])),
    ("F.2, F.4 => F.3 proved", lambda r: r["direct_result"] == "proved"),
    ("F.2 => F.3 proved", lambda r: r["direct_paper_result"] == "proved"),
    ("automation improvement", lambda r: bool(r["improves_automation"])),
    ("automation improvement" + STRICTLY, lambda r: bool(r["strictly_improves_automation"])),
    ("reference is redundant", lambda r: bool(r["redundant"])),
)


def summary_json(table: pa.Table, provers: str, *, kernel: bool = False) -> dict[str, object]:
    """The same counts for a program; a notion without loopholes follows the one that it is part of."""
    rows, judged, steps, assumptions = _groups(table)
    counts = {
        name: {"checked": len(group), **{title: sum(map(holds, group)) for title, holds in COUNTED}}
        for name, group in (("steps", steps), ("assumptions", assumptions))
    }
    authority = KERNEL if kernel else AUTHORITY
    return {**counts, "unsupported": len(rows) - len(judged), "provers": provers, "authority": authority}


Rows = list[dict[str, Any]]


def _groups(table: pa.Table) -> tuple[Rows, Rows, Rows, Rows]:
    """First proposals, those that could be judged, and of these the steps and the assumptions."""
    rows = [row for row in table.to_pylist() if row["rank"] == 0]
    judged = [row for row in rows if row["verdict"] != "unsupported"]
    steps = [row for row in judged if row["kind"] != "assumption"]
    return rows, judged, steps, [row for row in judged if row["kind"] == "assumption"]


def summary(table: pa.Table, provers: str, *, kernel: bool = False) -> str:
    """Counts for targets that are steps and for those that are assumptions, which nothing justifies.

    `kernel`: a real Isabelle was asked.
    """
    rows, judged, steps, assumptions = _groups(table)
    lines = [f"{'first proposals':32} {'steps':>14} {'assumptions':>14}"]
    lines.append(f"{'checked':32} {len(steps):>14} {len(assumptions):>14}")
    for name, holds in COUNTED:
        cells = [_share(sum(map(holds, group)), len(group)) for group in (steps, assumptions)]
        shown = STRICTLY.replace(",", " ") if name.endswith(STRICTLY) else name
        lines.append(f"{shown:32} {cells[0]:>14} {cells[1]:>14}")
    exact = [row for row in steps if row["exact"] or row["alpha"]]
    classes, paper = (Counter(row[column] for row in exact) for column in ("gap_class", "gap_class_paper"))
    order = ("small", "just right", "large")
    lines.append("gaps of references (small / just right / large): " + " / ".join(str(classes[name]) for name in order))
    lines.append("the same, small by F.2 alone:                    " + " / ".join(str(paper[name]) for name in order))
    given = sum(row["first_library"] == 0 for row in steps if row["first_result"] == "proved")
    helped = sum((row["first_library"] or 0) > 0 for row in steps)
    lines.append(f"F.2 => P from the given premises {given}, with library facts {helped}")
    lines.append(f"unsupported examples: {len(rows) - len(judged)}; provers: {provers}")
    authority = KERNEL if kernel else AUTHORITY
    lines.append(f"proved means {authority}, from facts of the world in which an example stands")
    return "\n".join(lines)


def _share(count: int, total: int) -> str:
    return f"{count} ({count / total:.1%})" if total else "-"
