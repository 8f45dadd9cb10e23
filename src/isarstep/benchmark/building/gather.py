"""From graph files to shards on disk, two processes at a time, and from finished benchmarks to shards.

A worker reads one theory after the other; what it returns through the pipe is small, the columns go through files.
"""

from __future__ import annotations

import json
import multiprocessing
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.ipc
import zstandard

from isarstep.benchmark.extraction.declared import declarations
from isarstep.benchmark.extraction.extract import Extractor
from isarstep.benchmark.extraction.texts import schematic_text
from isarstep.benchmark.rules.entries import entry_of
from isarstep.benchmark.rules.shards import table_of
from isarstep.common.errors import UserError
from isarstep.common.memory import without_collection
from isarstep.isabelle.context.clashes import Renaming
from isarstep.isabelle.context.fact_table import SlotNumbers
from isarstep.isabelle.process.proof_graph import FORMAT, Graph, TheorySignature, read_graph
from isarstep.isabelle.terms.terms import Term
from isarstep.isabelle.terms.tokens import encode_line
from isarstep.isabelle.terms.type_text import format_type
from isarstep.isabelle.terms.types import type_of

# With, for each type, the number of the (constant, arguments) that decides about it, or -1.
_TEXT = pa.dictionary(pa.int32(), pa.string())
_DECIDED = [(name, pa.list_(pa.int32())) for name in ("types", "deciders")]
_STATED = [("name", pa.string()), ("index", pa.int32()), ("proposition", pa.int32()), *_DECIDED]
FACT_SHARD_SCHEMA = pa.schema([("theory", _TEXT), *_STATED])
RULE_SHARD_SCHEMA = pa.schema([("theory", _TEXT), ("kind", _TEXT), *_STATED])
LEMMA_SHARD_SCHEMA = pa.schema([("proposition", pa.int32()), ("name", pa.string()), ("index", pa.int32())])
TABLES = ("propositions", "examples", "proofs", "facts", "lemmas", "rules")  # of a shard, NAME.arrow


@dataclass(frozen=True)
class Gathered:
    """One shard on disk, and what is small enough to keep."""

    folder: Path
    types: list[str] = field(hash=False)
    deciders: list[tuple[str, int]] = field(hash=False)
    theories: list[dict[str, Any]] = field(hash=False)
    signature: dict[str, dict[str, Any]] = field(hash=False)
    isabelle: list[str] = field(hash=False)
    variable_names: list[str] = field(hash=False)  # as they stand in the text: what normalisation saves
    notation: dict[str, Any] = field(hash=False)  # by theory
    finished: FrozenDecisions | None = None  # of a finished benchmark


@dataclass(frozen=True)
class FrozenDecisions:
    """What a finished benchmark has decided for good."""

    dropped: dict[str, int] = field(hash=False)  # how many examples, why
    unseen: list[str] = field(hash=False)  # entries
    grown: bool  # its scored splits were chosen from a smaller corpus
    leaking_lengths: list[int] = field(hash=False)  # how many of the dropped targets have which length
    passed_over: dict[str, int] = field(hash=False)  # examples that were not scored, by mark


def graph_files(paths: Sequence[Path]) -> list[Path]:
    """All graph files among the given files and folders, in a fixed order."""
    found: set[Path] = set()
    for path in paths:
        if path.is_dir():
            inside = list(path.rglob("*.jsonl.zst"))
            if not inside:
                raise UserError(f"{path}: no proof graphs (*.jsonl.zst) here; make them with 'isarstep mine'")
            found.update(inside)
        elif path.is_file():
            found.add(path)
        else:
            raise UserError(f"{path}: no such file or folder")
    return sorted(found)


def first_record(path: Path) -> dict[str, Any]:
    """The first record of a graph file."""
    try:
        with path.open("rb") as raw, zstandard.ZstdDecompressor().stream_reader(raw) as stream:
            start = b""
            while b"\n" not in start and (piece := stream.read(1 << 12)):
                start += piece
        header = dict(json.loads(start.split(b"\n", 1)[0]))
    except (zstandard.ZstdError, ValueError, TypeError, OSError, RecursionError) as error:
        raise UserError(f"{path}: not a proof graph ({error}); mine the theory again") from error
    if header.get("format") != FORMAT:
        raise UserError(
            f"{path}: a graph of format {header.get('format')}; a benchmark needs format {FORMAT} (notation, rules, "
            "true edges), mine the theory again"
        )
    return header


def gather_graphs(
    paths: Mapping[Path, Renaming], scratch: Path, workers: int, of: Collection[str] | None = None
) -> Iterator[Gathered]:
    """A shard for each graph, given with what is to be renamed in it; with examples `of` some entries alone.

    Big files come first, so that no worker is left alone with one at the end.
    """
    jobs = sorted(paths, key=lambda path: (-path.stat().st_size, path))
    entries = None if of is None else frozenset(of)
    tasks = [(path, paths[path], scratch / f"{number:06d}", entries) for number, path in enumerate(jobs)]
    if workers < 2 or len(tasks) < 2:
        yield from map(_gather_graph, tasks)
        return
    # Not a `multiprocessing.Pool`, whose watching thread was seen to take a core of its own all the time.
    pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"))
    try:
        for done in as_completed([pool.submit(_gather_graph, task) for task in tasks]):
            yield done.result()
    finally:
        pool.shutdown(cancel_futures=True)


def _gather_graph(task: tuple[Path, Renaming, Path, frozenset[str] | None]) -> Gathered:
    path, renaming, folder, of = task
    with without_collection():
        graph = read_graph(path, renaming.record if renaming else None)
        examples = of is None or entry_of(graph.session) in of
        return gather_graph(graph, folder, renaming, examples=examples)


def gather_graph(graph: Graph, folder: Path, renaming: Renaming, *, examples: bool) -> Gathered:
    """Extract one theory, whose names have been changed like this, into a shard; without examples, what it declares."""
    extractor = Extractor(graph if examples else replace(graph, proofs=()), renaming)
    extractor.run()
    slots = SlotNumbers(extractor.type_number)
    facts = _facts(graph, extractor, slots)
    declared = _rules(graph, extractor, slots)
    lemmas = [(number, graph.lemmas[n].name, graph.lemmas[n].index) for number, n in sorted(extractor.lemmas)]
    shard = extractor.builder.finish()
    folder.mkdir(parents=True)
    tables = (shard.propositions, shard.examples, shard.proofs, facts, table_of(lemmas, LEMMA_SHARD_SCHEMA), declared)
    for name, table in zip(TABLES, tables, strict=True):
        write_arrow(folder / f"{name}.arrow", table)
    theory = {
        "name": graph.theory,
        "session": graph.session,
        "hash": graph.hash,
        "parents": list(graph.parents),
        "theorems": len(graph.theorems),
        "failures": len(graph.failures),
        "counts": dict(sorted(extractor.counts.items())),
        **declarations(graph, extractor.texts),
    }
    rows = signature_rows(graph.signature)
    names = sorted(extractor.variable_names)
    notation = {graph.theory: renaming.document(graph.notation)} if graph.notation else {}
    return Gathered(folder, shard.types, list(slots.deciders), [theory], rows, [graph.isabelle], names, notation)


def _typed(term: Term, extractor: Extractor, slots: SlotNumbers) -> tuple[int, list[int], list[int]] | None:
    """Proposition, types and what decides about them; None for what has free variables."""
    text = schematic_text(extractor.texts.of(term))
    return None if text is None else (extractor.builder.proposition(text, ()), *slots.of(term))


def _facts(graph: Graph, extractor: Extractor, slots: SlotNumbers) -> pa.Table:
    """A theorem of the library has no free variables; what has some was left unfinished."""
    known = ((theorem, _typed(theorem.prop, extractor, slots)) for theorem in graph.theorems)
    rows = [(graph.theory, theorem.name, theorem.index, *typed) for theorem, typed in known if typed is not None]
    return table_of(rows, FACT_SHARD_SCHEMA)


def _rules(graph: Graph, extractor: Extractor, slots: SlotNumbers) -> pa.Table:
    rows = []
    for rule in graph.rules:
        typed = (None, [], []) if rule.prop is None else _typed(rule.prop, extractor, slots)
        if typed is not None:
            rows.append((graph.theory, rule.kind, rule.name, rule.index, *typed))
    for removed in graph.removed:
        kind, name, index = removed.rsplit(" ", 2)
        rows.append((graph.theory, f"no {kind}", name, int(index), None, [], []))
    return table_of(rows, RULE_SHARD_SCHEMA)


def signature_rows(signature: TheorySignature) -> dict[str, dict[str, Any]]:
    """What a theory adds, as the rows of the signature's JSON form, each under a name that is its own."""
    return {
        "constants": {
            c.name: [c.name, format_type(c.type), *([] if c.abbreviates is None else [encode_line(c.abbreviates)])]
            for c in signature.constants
        },
        "types": {name: [name, count] for name, count in signature.types},
        "classes": {name: [name, sorted(above)] for name, above in signature.classes},
        "arities": {f"{t} {c}": [t, c, [list(sort) for sort in sorts]] for t, c, sorts in signature.arities},
        "coercions": {
            encode_line(term): [encode_line(term), format_type(typ)]
            for term in signature.coercions
            if (typ := type_of(term)) is not None
        },
    }


def write_arrow(path: Path, table: pa.Table) -> None:
    with pa.OSFile(str(path), "wb") as sink, pyarrow.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)


def read_arrow(path: Path) -> pa.Table:
    return pyarrow.ipc.open_file(pa.memory_map(str(path))).read_all()
