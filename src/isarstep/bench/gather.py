"""From graph files to shards on disk, two processes at a time, and from finished benchmarks to shards.

A worker reads one theory after the other; what it returns through the pipe is small, the columns go through files.
"""

from __future__ import annotations

import json
import multiprocessing
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.ipc
import zstandard

from isarstep.bench.clashes import NOTHING, Renaming
from isarstep.bench.declared import declarations
from isarstep.bench.extract import Extractor, Rules
from isarstep.bench.facts import slots_of, type_of
from isarstep.bench.texts import Template
from isarstep.errors import UserError
from isarstep.logic.tokens import encode_line
from isarstep.logic.typestrings import format_type
from isarstep.mine.graph import Graph, Lemma, Signature, read_graph, without_collection

FACT_SHARD_SCHEMA = pa.schema(
    [
        ("theory", pa.dictionary(pa.int32(), pa.string())),
        ("name", pa.string()),
        ("index", pa.int32()),
        ("proposition", pa.int32()),
        ("types", pa.list_(pa.int32())),
        ("deciders", pa.list_(pa.int32())),  # for each type the number of the (constant, arguments) that decides, or -1
    ]
)


@dataclass(frozen=True)
class Gathered:
    """One shard on disk, and what is small enough to keep."""

    folder: Path
    types: list[str]
    deciders: list[tuple[str, int]]
    theories: list[dict[str, Any]]
    signature: dict[str, dict[str, Any]]
    isabelle: list[str]
    variable_names: list[str]  # as they stand in the text: what normalisation saves
    held_out: int = 0  # training examples that a finished benchmark has dropped for the sake of held-out ones


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


def read_header(path: Path) -> dict[str, Any]:
    """The first record of a graph file."""
    try:
        with path.open("rb") as raw, zstandard.ZstdDecompressor().stream_reader(raw) as stream:
            start = b""
            while b"\n" not in start and (piece := stream.read(1 << 12)):
                start += piece
        return dict(json.loads(start.split(b"\n", 1)[0]))
    except (zstandard.ZstdError, ValueError, OSError) as error:
        raise UserError(f"{path}: not a proof graph ({error}); mine the theory again") from error


def gather_graphs(paths: Mapping[Path, Renaming], rules: Rules, scratch: Path, workers: int) -> Iterator[Gathered]:
    """A shard for each graph, given with what is to be renamed in it.

    Big files come first, so that no worker is left alone with one at the end.
    """
    jobs = sorted(paths, key=lambda path: (-path.stat().st_size, path))
    tasks = [(path, paths[path], rules, scratch / f"{number:06d}") for number, path in enumerate(jobs)]
    if workers < 2 or len(tasks) < 2:
        yield from map(_gather_graph, tasks)
        return
    context = multiprocessing.get_context("spawn")
    with context.Pool(workers) as pool:
        yield from pool.imap_unordered(_gather_graph, tasks)


def _gather_graph(task: tuple[Path, Renaming, Rules, Path]) -> Gathered:
    path, renaming, rules, folder = task
    with without_collection():
        return gather_graph(read_graph(path, renaming.record if renaming else None), rules, folder, renaming)


def gather_graph(graph: Graph, rules: Rules, folder: Path, renaming: Renaming = NOTHING) -> Gathered:
    """Extract one theory, whose names have been changed like this, into a shard."""
    extractor = Extractor(graph, rules, renaming)
    extractor.run()
    facts, deciders = _facts(graph, extractor)
    shard = extractor.builder.finish()
    folder.mkdir(parents=True)
    write_table(folder / "propositions.arrow", shard.propositions)
    write_table(folder / "examples.arrow", shard.examples)
    write_table(folder / "facts.arrow", facts)
    theory = {
        "name": graph.theory,
        "session": graph.session,
        "hash": graph.hash,
        "parents": list(graph.parents),
        "theorems": len(graph.theorems),
        "failures": len(graph.failures),
        "counts": dict(sorted(extractor.counts.items())),
        **declarations(graph),
    }
    rows = signature_rows(graph.signature)
    names = sorted(extractor.variable_names)
    return Gathered(folder, shard.types, deciders, [theory], rows, [graph.isabelle], names)


def _facts(graph: Graph, extractor: Extractor) -> tuple[pa.Table, list[tuple[str, int]]]:
    builder = extractor.builder
    deciders: dict[tuple[str, int], int] = {}
    chosen: list[Lemma] = []
    propositions: list[int] = []
    types: list[list[int]] = []
    deciding: list[list[int]] = []
    for theorem in graph.theorems:
        template = Template(extractor.texts.of(theorem.prop))
        if template.names:
            continue  # a theorem of the library has no free variables; what has some was left unfinished
        chosen.append(theorem)
        propositions.append(builder.proposition(template.text({}), ()))
        slots = slots_of(theorem.prop)
        types.append([extractor.type_number(typ) for typ, _ in slots])
        deciding.append(
            [-1 if constant is None else deciders.setdefault(constant, len(deciders)) for _, constant in slots]
        )
    columns = [
        pa.array([graph.theory] * len(chosen), pa.string()).dictionary_encode(),
        pa.array([theorem.name for theorem in chosen], pa.string()),
        pa.array([theorem.index for theorem in chosen], pa.int32()),
        pa.array(propositions, pa.int32()),
        pa.array(types, pa.list_(pa.int32())),
        pa.array(deciding, pa.list_(pa.int32())),
    ]
    return pa.table(columns, schema=FACT_SHARD_SCHEMA), list(deciders)


def signature_rows(signature: Signature) -> dict[str, dict[str, Any]]:
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


def write_table(path: Path, table: pa.Table) -> None:
    with pa.OSFile(str(path), "wb") as sink, pyarrow.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)


def read_table(path: Path) -> pa.Table:
    return pyarrow.ipc.open_file(pa.memory_map(str(path))).read_all()
