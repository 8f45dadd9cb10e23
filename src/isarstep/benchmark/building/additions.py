"""Further training rows and library facts beside a frozen benchmark.

A frozen benchmark never changes, because its name is a digest of all its files. New proof graphs become an *addition*:
a folder with `library` (what the new theories declare and prove) and `rows` (training examples), both in the format of
a benchmark. An addition repeats nothing that the benchmark or an earlier addition has; numbers of facts count through
the fact tables of the benchmark, of the earlier additions in order, and of the addition itself.

Left out of the rows, so that nothing that is scored is trained on:

- entries that are scored as a whole (unseen, fresh), and every session that rests on one of them;
- theories that copy a theory of such an entry: at least half of their theorems are stated there, too;
- theorems that are scored, by identity or by their statements with constants under their last names;
- examples whose target is a scored target, or that are a scored example up to renaming.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from isarstep.benchmark.building import grow
from isarstep.benchmark.building.build import Progress, new_theories
from isarstep.benchmark.building.gather import gather_graphs, graph_files
from isarstep.benchmark.building.merge import Beneath, Merged
from isarstep.benchmark.building.write import FIELDS, Content, write_benchmark
from isarstep.benchmark.rules.entries import entry_of
from isarstep.benchmark.rules.rules import ALREADY, COPIED, DROPPED, Decision, Sizes, distinct
from isarstep.benchmark.rules.shards import renamed_key, shape_of
from isarstep.benchmark.store.ids import content_key, numbered, proposition_digest
from isarstep.benchmark.store.layout import MANIFEST, PROOFS, replacing, workspace
from isarstep.benchmark.store.store import Benchmark
from isarstep.common.errors import UserError
from isarstep.isabelle.context.ancestors import ancestors_first
from isarstep.isabelle.context.clashes import NOTHING, Ancestry
from isarstep.isabelle.context.columns import one_array
from isarstep.isabelle.context.fact_table import FACTS
from isarstep.resources import BESIDE, EMBEDDED, NAMES, benchmark_folder

Flags: TypeAlias = np.ndarray[Any, np.dtype[np.bool_]]

LIBRARY, ROWS = "library", "rows"
SCORED = ("validation", "test", "unseen", "fresh", "unseen2", "fresh2")
_QUALIFIERS = re.compile(r"(?<=CONST )\S+\.")
_SAME = 0.5  # of a theory's theorems, stated in one theory of a scored entry
_FEW = 3  # theorems: fewer say nothing about who copies whom


@dataclass(frozen=True, eq=False)
class Ground:
    """What an addition is laid upon: the frozen benchmark, the folders scored beside it, and the earlier additions."""

    base: Benchmark
    beside: Sequence[Benchmark]
    libraries: Sequence[Benchmark] = ()
    rows: Sequence[Benchmark] = ()

    @staticmethod
    def of(base: Path, earlier: Sequence[Path] = (), beside: Sequence[Path] = ()) -> Ground:
        """Open a base, the folders scored beside it (also those that ship with the embedded one), and the earlier
        additions in order."""
        opened = grow.built_from_graphs(base)
        shipped = [benchmark_folder(name) for name in BESIDE.values()] if opened.hash == NAMES[EMBEDDED] else []
        folders = [Benchmark(path) for path in (*shipped, *beside)]
        for folder in folders:
            if folder.manifest["fresh"]["base"] != opened.hash:
                raise UserError(f"{folder.folder}: is scored beside another benchmark than {base}")
        ground = Ground(opened, folders)
        for path in earlier:
            library, rows = Benchmark(path / LIBRARY), Benchmark(path / ROWS)
            if library.manifest["addition"] != {**ground.names, "facts before": ground.fact_count}:
                raise UserError(f"{path}: was made upon other folders; give the additions in the order of their making")
            ground = Ground(opened, folders, (*ground.libraries, library), (*ground.rows, rows))
        return ground

    @property
    def names(self) -> dict[str, Any]:
        """The names of the folders, as an addition's manifest holds them."""
        return {"base": self.base.hash, "earlier": [library.hash for library in self.libraries]}

    @property
    def fact_count(self) -> int:
        """How many facts precede those of the next addition."""
        return sum(folder.manifest["facts"] for folder in (self.base, *self.libraries))

    @cached_property
    def settled(self) -> list[frozenset[str]]:
        """Theories whose names are decided, those of the base first."""
        return [frozenset(_theories(folder)) for folder in (self.base, *self.libraries)]

    @cached_property
    def settled_theories(self) -> dict[str, dict[str, Any]]:
        """Rows of the theories of the base and of the earlier additions, by name."""
        return {name: row for folder in (self.base, *self.libraries) for name, row in _theories(folder).items()}

    @cached_property
    def theories(self) -> dict[str, dict[str, Any]]:
        """Those and the theories of the folders beside the base."""
        beside = {name: row for folder in self.beside for name, row in _theories(folder).items()}
        return beside | self.settled_theories

    @property
    def held_out_entries(self) -> frozenset[str]:
        """Entries that are scored as a whole."""
        beside = [entry for folder in self.beside for entry in folder.manifest["fresh"]["entries"]]
        return frozenset(map(entry_of, [*self.base.manifest["unseen entries"], *beside]))

    def beneath(self) -> Beneath:
        """Constants and facts that the addition refers to and does not repeat."""
        folders = (self.base, *self.libraries)
        constants = {
            row[0]: row for folder in folders for row in folder.signature_document()["constants"] if len(row) > 1
        }
        facts = pa.concat_tables([folder.table(FACTS, ["name", "index"]) for folder in folders])
        return Beneath(constants, facts)


def _theories(folder: Benchmark) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in folder.signature_document()["theories"]}


@dataclass(frozen=True, eq=False)
class Scored:
    """What gives scored examples away."""

    theorems: frozenset[str] = frozenset()
    statements: frozenset[bytes] = frozenset()  # of their theorems, with constants under their last names
    targets: frozenset[bytes] = frozenset()
    renamed: frozenset[bytes] = frozenset()
    stated: Mapping[bytes, frozenset[str]] = field(default_factory=dict)  # by whole entries: facts, and their theories

    @staticmethod
    def of(ground: Ground) -> Scored:
        theorems: set[str] = set()
        statements: set[bytes] = set()
        targets: set[bytes] = set()
        renamed: set[bytes] = set()
        for folder in (ground.base, *ground.beside):
            for name in folder.splits:
                if name not in SCORED:
                    continue
                table = folder.table(name, ["theorem", "proof_row", *FIELDS[:4]])
                theorems.update(table["theorem"].unique().to_pylist())
                fields = [table[column].to_pylist() for column in FIELDS[:4]]
                numbers = sorted({n for f1, f2, f3, f4 in zip(*fields, strict=True) for n in (f1, *f2, f3, *f4)})
                texts = dict(zip(numbers, folder.propositions.lines(numbers), strict=True))
                targets.update(proposition_digest(texts[number]) for number in set(fields[0]))
                shapes = {number: shape_of(text) for number, text in texts.items()}
                for f1, f2, f3, f4 in zip(*fields, strict=True):
                    given = ([shapes[n] for n in f2], [shapes[f3]], [shapes[n] for n in f4])
                    renamed.add(renamed_key(*given, [shapes[f1]]))
                rows = table["proof_row"].drop_null().unique()
                statements.update(_statement_keys(folder.table(PROOFS, ["statement"]).take(rows), folder))
        return Scored(
            frozenset(theorems), frozenset(statements), frozenset(targets), frozenset(renamed), _stated(ground)
        )


def _stated(ground: Ground) -> Mapping[bytes, frozenset[str]]:
    """What the theories of held-out entries state, and nothing that other theories of the benchmark state as well."""
    held_out = ground.held_out_entries
    inside: dict[bytes, set[str]] = {}
    outside: set[bytes] = set()
    for folder in (*ground.beside, ground.base):
        theories = {row["name"]: row["session"] for row in folder.signature_document()["theories"]}
        table = folder.table(FACTS, ["theory", "proposition"])
        texts = folder.propositions.lines(table["proposition"].to_numpy())
        for theory, text in zip(table["theory"].to_pylist(), texts, strict=True):
            if entry_of(theories[theory]) in held_out:
                inside.setdefault(last_name_key([text]), set()).add(theory)
            elif folder is ground.base:
                outside.add(last_name_key([text]))
    return {key: frozenset(theories) for key, theories in inside.items() if key not in outside}


def last_name_key(statements: Iterable[str]) -> bytes:
    """Equal for statements that are the same when constants go by their last names and variables by their order."""
    shortened = (_QUALIFIERS.sub("", statement) for statement in statements)
    lines = sorted(numbered(text) if "<X" in text else text for text in shortened)
    return hashlib.blake2b("\n".join(lines).encode(), digest_size=16).digest()


def _statement_keys(proofs: pa.Table, folder: Benchmark) -> list[bytes]:
    lists = proofs["statement"].to_pylist()
    numbers = sorted({number for row in lists for number in row})
    texts = dict(zip(numbers, folder.propositions.lines(numbers), strict=True))
    return [last_name_key([texts[number] for number in row]) for row in lists if row]


def build_addition(
    paths: Sequence[Path],
    out: Path,
    ground: Ground,
    *,
    sizes: Sizes | None = None,
    level: int = 6,
    workers: int = 2,
    progress: Progress | None = None,
) -> dict[str, dict[str, Any]]:
    """Build an addition from graphs; the manifests of its two folders. Graphs of known theories are passed over."""
    sizes = sizes or Sizes()
    headers = new_theories(graph_files(paths), {name: row["hash"] for name, row in ground.settled_theories.items()})
    held_out = ground.held_out_entries
    headers = {path: header for path, header in headers.items() if entry_of(header["session"]) not in held_out}
    if not headers:
        raise UserError("nothing to add: all these theories are known")
    parents = {name: row["parents"] for name, row in ground.theories.items()}
    parents |= {header["theory"]: header["parents"] for header in headers.values()}
    ancestry = Ancestry(parents, ground.settled)
    renamings = ancestry.renamings()
    inputs = {path: renamings.get(header["theory"], NOTHING) for path, header in headers.items()}
    with workspace(out) as scratch:
        parts = []
        for number, part in enumerate(gather_graphs(inputs, scratch, workers)):
            parts.append(part)
            if progress:
                progress(number + 1, len(inputs))
        merged = Merged(parts, ground.beneath())
        content = merged.content(sizes, _decide(merged, ground, parents))
        new = {header["theory"] for header in headers.values()}
        content.manifest.update(
            {
                "source": "addition",
                "qualified": sorted(new.intersection(ancestry.qualified)),
                "addition": {**ground.names, "facts before": ground.fact_count},
            }
        )
        library = replace(content, splits={}, proofs=None, lemmas=None)
        rows = Content(
            content.splits, content.propositions, content.types, content.proofs, lemmas=content.lemmas,
            manifest=content.manifest,
        )  # fmt: skip
        with replacing(out, f"{LIBRARY}/{MANIFEST}") as fresh:
            return {
                LIBRARY: write_benchmark(fresh / LIBRARY, library, level=level),
                ROWS: write_benchmark(fresh / ROWS, rows, level=level),
            }


def _decide(merged: Merged, ground: Ground, parents: Mapping[str, Sequence[str]]) -> Decision:
    """Which of the new examples are trained on."""
    scored = Scored.of(ground)
    table = merged.examples
    of_entries = _among(table["theory"], _resting_on_held_out(merged, ground, parents))
    copied = _among(table["theory"], copying_theories(_stated_by_new(merged), scored.stated)) & ~of_entries
    rest = ~of_entries & ~copied
    of_theorems = rest & (_among(table["theorem"], scored.theorems) | _of_statements(merged, scored.statements))
    rest &= ~of_theorems
    leaking = rest & (_with_targets(merged, scored.targets) | _among(table["renamed"], scored.renamed))
    rest &= ~leaking
    known = rest & _among(table["key"], _trained_keys(ground))
    columns = merged.columns(Sizes())
    train, copies = distinct(columns, np.flatnonzero(rest & ~known))
    found = (*zip(DROPPED, (of_theorems, of_entries, leaking), strict=True), (COPIED, copied), (ALREADY, known))
    dropped = {name: int(columns.copies[rows].sum()) for name, rows in found}
    dropped["duplicates"] = int((copies[train] - 1).sum())
    return Decision({"train": train}, copies, dropped, [], np.flatnonzero(leaking), {})


def _resting_on_held_out(merged: Merged, ground: Ground, parents: Mapping[str, Sequence[str]]) -> frozenset[str]:
    """New theories of sessions in which some theory rests on one of a held-out entry."""
    held_out = ground.held_out_entries
    sessions = {name: row["session"] for name, row in ground.theories.items()} | merged.sessions
    inside = {name for name, session in sessions.items() if entry_of(session) in held_out}
    resting: set[str] = set()
    for theory in ancestors_first(parents, parents):  # each after all that it rests on
        if theory in inside or not resting.isdisjoint(parents.get(theory, ())):
            resting.add(theory)
    touched = {merged.sessions[theory] for theory in resting if theory in merged.sessions}
    return frozenset(theory for theory, session in merged.sessions.items() if session in touched)


def copying_theories(new: Mapping[str, Sequence[bytes]], scored: Mapping[bytes, frozenset[str]]) -> frozenset[str]:
    """Of new theories, given with the keys of what they state, those that copy a theory of a scored entry."""
    copies = set()
    for theory, keys in new.items():
        alike = Counter(other for key in keys for other in scored.get(key, ()))
        if alike and max(alike.values()) >= max(_FEW, _SAME * len(keys)):
            copies.add(theory)
    return frozenset(copies)


def _stated_by_new(merged: Merged) -> dict[str, list[bytes]]:
    found: dict[str, list[bytes]] = {}
    for table in merged.renumbered("facts", ("proposition",)):
        numbers = table["proposition"].to_pylist()
        texts = merged.propositions.take(pa.array(numbers, pa.int64())).to_pylist()
        for theory, text in zip(table["theory"].to_pylist(), texts, strict=True):
            found.setdefault(theory, []).append(last_name_key([text]))
    return found


def _of_statements(merged: Merged, statements: frozenset[bytes]) -> Flags:
    """Examples of theorems with one of these statements."""
    proofs = merged.proofs
    lists = proofs["statement"].to_pylist()
    numbers = sorted({number for row in lists for number in row})
    texts = dict(zip(numbers, merged.propositions.take(pa.array(numbers, pa.int64())).to_pylist(), strict=True))
    scored = np.array([bool(row) and last_name_key([texts[n] for n in row]) in statements for row in lists], bool)
    found: Flags = np.append(scored, False)[pc.fill_null(one_array(merged.examples["proof_row"]), -1).to_numpy()]
    return found


def _with_targets(merged: Merged, targets: frozenset[bytes]) -> Flags:
    numbers = one_array(merged.examples["f1"]).to_numpy()
    distinct_numbers, place = np.unique(numbers, return_inverse=True)
    digests = merged.digests(pa.array(distinct_numbers))
    found: Flags = np.array([digest in targets for digest in digests], bool)[place]
    return found


def _among(column: pa.ChunkedArray, values: Collection[str] | Collection[bytes]) -> Flags:
    """Is the value of each row one of these?"""
    plain = one_array(column)
    plain = plain.cast(plain.type.value_type) if pa.types.is_dictionary(plain.type) else plain
    return np.asarray(pc.is_in(plain, pa.array(sorted(values), plain.type)).to_numpy(zero_copy_only=False))


def _trained_keys(ground: Ground) -> set[bytes]:
    """The content of all examples that are trained on already."""
    keys: set[bytes] = set()
    for folder in (ground.base, *ground.rows):
        digests = [proposition_digest(text) for block in folder.propositions.blocks() for text in block.to_pylist()]
        for batch in folder.table("train", FIELDS).to_batches(max_chunksize=4096):
            for f1, f2, f3, f4, f5 in zip(*batch.to_pydict().values(), strict=True):
                used, others, hints = ([digests[n] for n in numbers] for numbers in (f2, f4, f5))
                keys.add(content_key(digests[f1], used, None if f3 is None else digests[f3], others, hints))
    return keys
