"""A finished benchmark by today's rules: scored splits lose what is no longer scored, all other files stay as they are.

So nothing has to be trained again, and lists that were made for the earlier benchmark are scored on what is left: the
manifest keeps the earlier name and the ids that were taken out, each with its mark.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from isarstep.bench.identity import table_digest
from isarstep.bench.layout import MANIFEST, PROPOSITIONS, VERSION, files_of, replacing, verify, write_manifest
from isarstep.bench.licences import licences_by_entry
from isarstep.bench.rules import COPY, NO_LONGER
from isarstep.bench.rules import VERSION as RULES_VERSION
from isarstep.bench.shards import renamed_key, shape_of
from isarstep.bench.store import Propositions
from isarstep.bench.trivial import trivial_mark
from isarstep.bench.write import GROUP, write_table
from isarstep.errors import UserError

# Of copies the first split keeps one; the order of ids decides inside a split.
ORDER = ("test", "validation", "unseen", "fresh", "unseen2", "fresh2")
EARLIER, TAKEN_OUT = "earlier names", "taken out"
KNOWN = (3, 4)  # formats of manifests; in 3 the name was not that of the bytes


def trim(folder: Path, out: Path, base: str | None = None, *, level: int = 19) -> dict[str, Any]:
    """Write the trimmed benchmark and return its manifest; `base` is the name of what a fresh one is held against."""
    before = _manifest_of_any_format(folder)
    if before["rules"].get("version") not in (2, RULES_VERSION):
        raise UserError(f"{folder}: was built by rules of version 1; build from graphs")
    tables = {name: _table(folder, before, name) for name in ORDER if files_of(before, name)}
    texts = Propositions([verify(folder, name, before) for name in files_of(before, PROPOSITIONS)])
    taken = _taken_out(tables, texts)
    with replacing(out) as fresh:
        for name in before["files"]:
            shutil.copyfile(verify(folder, name, before), fresh / name)
        contents, examples = dict(before["contents"]), dict(before["examples"])
        for name, table in tables.items():
            if taken[name]:
                kept = table.filter(pa.array([id_ not in taken[name] for id_ in table["id"].to_pylist()]))
                table = kept.replace_schema_metadata(None)
                write_table(fresh / f"{name}.parquet", table, GROUP, level)
                contents[name], examples[name] = table_digest(table), table.num_rows
        return write_manifest(fresh, _manifest(before, contents, examples, taken, base))


def _manifest_of_any_format(folder: Path) -> dict[str, Any]:
    path = folder / MANIFEST
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: not a benchmark's manifest ({error})") from error
    if manifest.get("format") not in KNOWN or manifest.get("source") != "graphs":
        raise UserError(f"{folder}: only a benchmark that was built from graphs, of format 3 or 4, can be trimmed")
    return dict(manifest)


def _table(folder: Path, manifest: Mapping[str, Any], name: str) -> pa.Table:
    (file,) = files_of(manifest, name)
    return pq.ParquetFile(verify(folder, file, manifest)).read()


def _taken_out(tables: Mapping[str, pa.Table], texts: Propositions) -> dict[str, dict[str, str]]:
    """Split -> id -> why it is no longer scored."""
    seen: set[bytes] = set()
    found: dict[str, dict[str, str]] = {}
    for name, table in tables.items():
        here = found[name] = {}
        for row in sorted(table.select(["id", "f1", "f2", "f3", "f4"]).to_pylist(), key=lambda row: str(row["id"])):
            f1, f3 = texts[row["f1"]], None if row["f3"] is None else texts[row["f3"]]
            f2, f4 = ([texts[n] for n in row[field]] for field in ("f2", "f4"))
            shapes = [[shape_of(text) for text in field] for field in (f2, [] if f3 is None else [f3], f4, [f1])]
            key = renamed_key(*shapes)
            mark = trivial_mark(f1, [*f2, *f4], f3) or (COPY if key in seen else "")
            if mark:
                here[row["id"]] = mark
            else:
                seen.add(key)
    return found


def _manifest(
    before: Mapping[str, Any],
    contents: Mapping[str, str],
    examples: Mapping[str, int],
    taken: Mapping[str, Mapping[str, str]],
    base: str | None,
) -> dict[str, Any]:
    kept = {key: value for key, value in before.items() if key not in ("hash", "files", "format")}
    marks = Counter(mark for of_split in taken.values() for mark in of_split.values())
    out = {
        name: {**before.get(TAKEN_OUT, {}).get(name, {}), **of_split} for name, of_split in taken.items() if of_split
    }
    counts = dict(before["counts"])
    counts[NO_LONGER] = counts.get(NO_LONGER, 0) + marks.total()
    said = {
        **kept,
        "version": VERSION,
        "contents": dict(contents),
        "examples": dict(examples),
        "rules": {**before["rules"], "version": RULES_VERSION},
        "counts": counts,
        "passed over": dict(sorted((Counter(before.get("passed over", {})) + marks).items())),
        "licences": licences_by_entry(before["sessions"]),
        EARLIER: [*before.get(EARLIER, []), before["hash"]],
        TAKEN_OUT: {**before.get(TAKEN_OUT, {}), **out},
    }
    if base is not None:
        said["fresh"] = {**before["fresh"], "base": base}
    return said
