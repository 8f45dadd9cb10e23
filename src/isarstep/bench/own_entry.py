"""Of one entry half of the theories for training and half for scoring: does it help to train a model on what one has?

Theories come in the order of the hashes of their names, until those for training have half of the examples. What the
other half has as a target, up to names of variables, or as a theorem, is not trained on; every tenth theorem of the
training half is for validation.
"""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow as pa

from isarstep.bench.entries import entry_of
from isarstep.bench.ids import numbered
from isarstep.bench.layout import PROOFS, PROPOSITIONS, files_of
from isarstep.bench.schemas import EXAMPLE_SCHEMA
from isarstep.bench.store import Benchmark
from isarstep.bench.write import Content, write_benchmark
from isarstep.errors import UserError

VALIDATION = 10  # one theorem of so many of the training half


def build_halves(where: str | Path, entry: str, out: Path) -> dict[str, Any]:
    """The folder's manifest. All examples of the entry count, in whatever split of the benchmark they are."""
    opened = Benchmark(where)
    rows = pa.concat_tables([opened.table(name).select(EXAMPLE_SCHEMA.names) for name in opened.splits])
    rows = rows.filter([entry_of(session) == entry for session in rows["session"].to_pylist()])
    counts = Counter(rows["theory"].to_pylist())
    if len(counts) < 2:
        raise UserError(f"{opened.folder}: {entry} has no two theories with examples here; give another entry")
    trained = _first_half(counts)
    theories, theorems, marks = (rows[name].to_pylist() for name in ("theory", "theorem", "mark"))
    targets = [numbered(text) for text in opened.propositions.lines(rows["f1"].to_pylist())]
    scored = [theory not in trained and not mark for theory, mark in zip(theories, marks, strict=True)]
    asked = {target for target, held in zip(targets, scored, strict=True) if held}
    known = {theorem for theorem, held in zip(theorems, scored, strict=True) if held}
    learned = [
        theory in trained and target not in asked and theorem not in known
        for theory, target, theorem in zip(theories, targets, theorems, strict=True)
    ]
    looked_at = [int(theorem[:8], 16) % VALIDATION == 0 for theorem in theorems]
    splits = {
        "train": rows.filter([a and not b for a, b in zip(learned, looked_at, strict=True)]),
        "validation": rows.filter([a and b for a, b in zip(learned, looked_at, strict=True)]),
        "test": rows.filter(scored),
    }
    dropped = sum(theory in trained for theory in theories) - sum(learned)
    content = Content(
        splits,
        opened.table(PROPOSITIONS)["tokens"].cast(pa.large_string()),
        opened.types,
        opened.table(PROOFS) if files_of(opened.manifest, PROOFS) else None,
        signature=opened.signature_document() if opened.has_signature else None,
        notation={"theories": opened.notation} if opened.notation else None,
        manifest={
            "qualified": opened.manifest.get("qualified", []),
            "halves": {
                "of": opened.hash,
                "entry": entry,
                "trained": sorted(trained),
                "scored": sorted({*counts} - trained),
                "held out": dropped,
            },
        },
    )
    return write_benchmark(out, content)


def _first_half(counts: Counter[str]) -> set[str]:
    """Theories by the hashes of their names until half of the examples are theirs; one at least is left."""
    chosen: set[str] = set()
    for theory in sorted(counts, key=lambda name: sha256(name.encode()).hexdigest())[:-1]:
        if 2 * sum(counts[name] for name in chosen) >= counts.total():
            break
        chosen.add(theory)
    return chosen
