"""Is anything that is scored trained on? Counted again from the files alone, with none of the package's modules.

    python research/benchmarks/recount.py BENCHMARK [--beside FOLDER ...] [--addition FOLDER ...]

BENCHMARK is a frozen benchmark's folder, each --beside one that is scored beside it (unseen2, fresh, fresh2), each
--addition one that `isarstep build --add-to` wrote. Reads Parquet and JSON, prints a table of what was found in the
training rows of each folder, and exits with 1 where something is not 0. The last line is one JSON document.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import zstandard

VARIABLE = re.compile(r"<X\d+>")
QUALIFIERS = re.compile(r"(?<=CONST )\S+\.")
HELD_OUT = ("validation", "test", "unseen", "fresh", "unseen2", "fresh2")
FEWEST = 3  # theorems of a theory that copies another one


def table(folder: Path, name: str, columns: list[str]) -> pa.Table:
    paths = sorted(p for p in folder.glob(f"{name}*.parquet") if re.fullmatch(rf"{name}(-\d+)?\.parquet", p.name))
    return pa.concat_tables([pq.read_table(path, columns=columns) for path in paths])


def propositions(folder: Path) -> list[str]:
    return list(table(folder, "propositions", ["tokens"])["tokens"].to_pylist())


def document(folder: Path, name: str) -> Any:
    raw = (folder / name).read_bytes()
    return json.loads(zstandard.ZstdDecompressor().decompress(raw) if name.endswith(".zst") else raw)


def renumbered(texts: Iterable[str]) -> tuple[str, ...]:
    """Texts with their variables numbered by first occurrence through all of them."""
    new: dict[str, str] = {}
    return tuple(VARIABLE.sub(lambda found: new.setdefault(found[0], f"<{len(new)}>"), text) for text in texts)


def by_last_names(text: str) -> str:
    return renumbered([QUALIFIERS.sub("", text)])[0]


def examples(folder: Path, split: str, texts: list[str]) -> Iterator[tuple[dict[str, Any], tuple[str, ...]]]:
    """Rows with what each says up to names of variables: fields in order, and inside a field by pattern."""
    for row in table(folder, split, ["theorem", "session", "theory", "f1", "f2", "f3", "f4"]).to_pylist():

        def field(numbers: list[int]) -> list[str]:
            return sorted((texts[n] for n in numbers), key=lambda text: (VARIABLE.sub("<X>", text), text))

        yield row, renumbered([texts[row["f1"]], "2", *field(row["f2"]), "3", texts[row["f3"]], "4", *field(row["f4"])])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("benchmark", type=Path)
    parser.add_argument("--beside", type=Path, action="append", default=[])
    parser.add_argument("--addition", type=Path, action="append", default=[])
    arguments = parser.parse_args()
    held_folders = [arguments.benchmark, *arguments.beside]
    entries = set(document(arguments.benchmark, "manifest.json")["unseen entries"])
    for folder in arguments.beside:
        entries |= set(document(folder, "manifest.json")["fresh"]["entries"])
    theorems: set[str] = set()
    targets: set[str] = set()
    says: set[tuple[str, ...]] = set()
    sessions: dict[str, str] = {}
    parents: dict[str, list[str]] = {}
    stated: dict[str, set[str]] = {}
    elsewhere: set[str] = set()
    for folder in held_folders:
        texts = propositions(folder)
        for split in HELD_OUT:
            if (folder / f"{split}.parquet").is_file():
                for row, said in examples(folder, split, texts):
                    theorems.add(row["theorem"])
                    targets.add(texts[row["f1"]])
                    says.add(said)
        for theory in document(folder, "signature.json.zst")["theories"]:
            sessions[theory["name"]], parents[theory["name"]] = theory["session"], theory["parents"]
        for row in table(folder, "facts", ["theory", "proposition"]).to_pylist():
            key = by_last_names(texts[row["proposition"]])
            if sessions[row["theory"]] in entries:
                stated.setdefault(key, set()).add(row["theory"])
            elif folder == arguments.benchmark:
                elsewhere.add(key)
    for folder in arguments.addition:
        for theory in document(folder / "library", "signature.json.zst")["theories"]:
            sessions[theory["name"]], parents[theory["name"]] = theory["session"], theory["parents"]
    held = {theory for theory, session in sessions.items() if session in entries}
    resting: dict[str, bool] = {}

    def rests(theory: str) -> bool:
        if theory not in resting:
            resting[theory] = False  # imports have no cycle
            resting[theory] = theory in held or any(map(rests, parents.get(theory, ())))
        return resting[theory]

    sys.setrecursionlimit(100_000)
    importing = {session for theory, session in sessions.items() if rests(theory)} - entries
    found: dict[str, dict[str, int]] = {}
    for folder in [arguments.benchmark, *(path / "rows" for path in arguments.addition)]:
        texts = propositions(folder)
        library = folder.parent / "library" if folder.name == "rows" else None
        copied: set[str] = set()
        if library is not None:
            facts = propositions(library)
            known: dict[str, list[str]] = {}
            for row in table(library, "facts", ["theory", "proposition"]).to_pylist():
                known.setdefault(row["theory"], []).append(by_last_names(facts[row["proposition"]]))
            for theory, keys in known.items():
                alike: dict[str, int] = {}
                for key in keys:
                    for other in () if key in elsewhere else stated.get(key, ()):
                        alike[other] = alike.get(other, 0) + 1
                if max(alike.values(), default=0) >= max(FEWEST, len(keys) / 2):
                    copied.add(theory)
        counts = dict.fromkeys(
            ("rows", "scored theorem", "scored target", "scored up to variables", "held-out entry", "rests on one",
             "copied theory"), 0
        )  # fmt: skip
        for row, said in examples(folder, "train", texts):
            counts["rows"] += 1
            counts["scored theorem"] += row["theorem"] in theorems
            counts["scored target"] += texts[row["f1"]] in targets
            counts["scored up to variables"] += said in says
            counts["held-out entry"] += row["session"] in entries
            counts["rests on one"] += library is not None and row["session"] in importing
            counts["copied theory"] += row["theory"] in copied
        found[folder.parent.name if library is not None else folder.name] = counts
    for name, counts in found.items():
        print(f"{name}: " + ", ".join(f"{count:,} {what}" for what, count in counts.items()))
    print(json.dumps(found))
    return int(any(count for counts in found.values() for what, count in counts.items() if what != "rows"))


if __name__ == "__main__":
    sys.exit(main())
