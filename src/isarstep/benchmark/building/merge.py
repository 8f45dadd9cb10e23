"""From shards to the content of one benchmark: numbers made common, rules applied, tables put in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache, cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from isarstep.benchmark.building.gather import Gathered, read_arrow
from isarstep.benchmark.building.write import FIELDS, SETTING, Content, renumbered_column
from isarstep.benchmark.rules.entries import entry_of, final_entries
from isarstep.benchmark.rules.licences import licences_by_entry
from isarstep.benchmark.rules.marks import MARKS
from isarstep.benchmark.rules.rules import (
    KEPT,
    NAMES,
    NEW,
    VERSION,
    Column,
    Columns,
    Decision,
    Sizes,
    band_of,
    decide,
    length_counts,
)
from isarstep.benchmark.rules.trivial import trivial_mark
from isarstep.benchmark.store.ids import proposition_digest
from isarstep.benchmark.store.schemas import EXAMPLE_SCHEMA, FACT_SCHEMA, LEMMA_SCHEMA, PROOF_SCHEMA, RULE_SCHEMA
from isarstep.common.errors import UserError
from isarstep.isabelle.context.clashes import Ancestry
from isarstep.isabelle.context.columns import one_array, with_column
from isarstep.isabelle.context.fact_table import shows_its_type, theory_order
from isarstep.isabelle.terms.signature import PURE
from isarstep.isabelle.terms.type_text import format_type, parse_type


@dataclass(frozen=True, eq=False)
class Beneath:
    """What shards may refer to without containing it: rows of constants by name, and a table of facts (name, index)
    whose numbers come before their own."""

    constants: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    facts: pa.Table | None = None


class Merged:
    """All shards with common numbers. The order of the shards does not matter."""

    def __init__(self, parts: Sequence[Gathered], beneath: Beneath = Beneath()) -> None:
        self._beneath = beneath
        self.parts = sorted(parts, key=lambda part: part.theories[0]["name"] if part.theories else "")
        self.theories = {theory["name"]: theory for part in self.parts for theory in part.theories}
        self.parents = {name: theory["parents"] for name, theory in self.theories.items()}
        self.sessions = {name: theory["session"] for name, theory in self.theories.items()}
        self.signature = merge_signatures([part.signature for part in self.parts])
        self.propositions, self._numbers = _merge_propositions(self.parts)
        types: dict[str, int] = {}
        known = ([types.setdefault(t, len(types)) for t in part.types] for part in self.parts)
        self._type_numbers = [np.array(numbers, np.int32) for numbers in known]
        self.types = list(types)
        proofs = [table.num_rows for table in self._tables("proofs")]
        self._first_proofs = np.cumsum([0, *proofs])[: len(self.parts)]
        self.examples = self._merge_examples()
        self.entries = sorted({entry_of(session) for session in self.sessions.values()})

    def columns(self, sizes: Sizes) -> Columns:
        """What the rules look at."""
        table = self.examples
        theorem = one_array(table["theorem"]).cast(pa.dictionary(pa.int32(), pa.string()))
        identities = theorem.dictionary.to_pylist()
        bands = np.array([band_of(identity, sizes.band) for identity in identities], np.int8)
        session = one_array(table["session"])
        of_session = np.array([self.entries.index(entry_of(name)) for name in session.dictionary.to_pylist()], np.int32)
        split = one_array(table["split"])
        code = {"": NEW, **{name: number for number, name in NAMES.items()}}
        of_split = np.array([code[name] for name in split.dictionary.to_pylist()], np.int8)
        return Columns(
            _ranks(table["theorem"]),
            bands[theorem.indices.to_numpy()] if len(bands) else np.zeros(0, np.int8),
            of_session[session.indices.to_numpy()] if len(of_session) else np.zeros(0, np.int32),
            _identifiers(table["id"]),
            _halves(table["key"])[0],
            _halves(table["renamed"])[0],
            table["f1"].to_numpy(),
            pc.not_equal(table["mark"].cast(pa.string()), "").to_numpy(),
            table["copies"].to_numpy(),
            of_split[split.indices.to_numpy()] if len(of_split) else np.zeros(0, np.int8),
        )

    def digests(self, propositions: pa.ChunkedArray) -> list[bytes]:
        """Of propositions given by their numbers."""
        return [proposition_digest(text) for text in self.propositions.take(propositions).to_pylist()]

    def marks(self, rows: Column) -> list[str]:
        """Of examples given by their rows: why the target says no more than a neighbour; empty where it does."""
        table = self.examples.take(pa.array(rows)).select(["f1", "f2", "f3", "f4"]).to_pylist()
        numbers = sorted({n for row in table for n in (row["f1"], *row["f2"], row["f3"], *row["f4"]) if n is not None})
        texts = dict(zip(numbers, self.propositions.take(pa.array(numbers, pa.int64())).to_pylist(), strict=True))
        return [
            trivial_mark(texts[row["f1"]], [texts[n] for n in (*row["f2"], *row["f4"])], texts.get(row["f3"]))
            for row in table
        ]

    def decide(self, sizes: Sizes) -> Decision:
        """Splits by the rules; where a finished benchmark is among the parts, its own stay."""
        finished = [part.finished for part in self.parts if part.finished is not None]
        place = {entry: number for number, entry in enumerate(self.entries)}
        candidates = [place[entry] for entry in final_entries(self.sessions, self.parents)]
        unseen = [place[entry] for known in finished for entry in known.unseen if entry in place]
        decision = decide(self.columns(sizes), sizes, candidates, unseen, frozen=bool(finished), marks=self.marks)
        return replace(decision, grown=decision.grown or any(known.grown for known in finished))

    def content(self, sizes: Sizes, decision: Decision) -> Content:
        copies = pa.array(decision.copies.astype(np.int32))
        examples = with_column(self.examples, "copies", copies)
        splits = {
            name: examples.take(pa.array(rows)).select(EXAMPLE_SCHEMA.names) for name, rows in decision.splits.items()
        }
        facts = self._merge_facts()
        notation = {theory: rows for part in self.parts for theory, rows in part.notation.items()}
        names = sorted({name for part in self.parts for name in part.variable_names})
        order = theory_order(self.parents)
        document = {
            **self.signature,
            "variable names": names,
            "theories": [self.theories[name] for name in order],
        }
        return Content(
            splits,
            self.propositions,
            self.types,
            self.proofs,
            facts,
            self._merge_lemmas(facts),
            self._merge_rules(facts, order),
            document,
            {"format": 1, "theories": dict(sorted(notation.items()))} if notation else None,
            self._manifest(sizes, decision, splits) | {"variable names": len(names)},
        )

    def _manifest(self, sizes: Sizes, decision: Decision, splits: Mapping[str, pa.Table]) -> dict[str, Any]:
        counts: Counter[str] = Counter()
        for theory in self.theories.values():
            counts.update(theory["counts"])
        dropped = Counter(decision.dropped)
        unseen = {self.entries[number] for number in decision.entries}
        lengths = self._lengths(decision.leaking)
        passed_over = Counter(decision.passed_over)
        for part in self.parts:
            if part.finished is not None:
                lengths = [a + b for a, b in zip(lengths, part.finished.leaking_lengths, strict=True)]
                dropped.update({name: n for name, n in part.finished.dropped.items() if name != "duplicates"})
                unseen.update(part.finished.unseen)
                passed_over.update(part.finished.passed_over)
        return {
            "source": "graphs",
            "isabelle": sorted({version for part in self.parts for version in part.isabelle}),
            "sessions": _sessions(self.theories, splits),
            "theories": len(self.theories),
            "qualified": Ancestry(self.parents).qualified,
            "rules": {"version": VERSION, **KEPT, **asdict(sizes)},
            "grown": decision.grown,
            "unseen entries": sorted(unseen),
            "counts": {
                **{name: counts[name] for name in ("proofs", "incomplete proofs", "raw", "too long", "restated")},
                **dict(dropped),
            },
            "leaking lengths": lengths,
            "marked": {mark: counts[mark] for mark in MARKS if counts[mark]},
            "passed over": dict(sorted(passed_over.items())),
            "licences": licences_by_entry(self.sessions.values()),
        }

    def _lengths(self, rows: Column) -> list[int]:
        """How many targets of these examples have which length."""
        targets = self.propositions.take(self.examples["f1"].take(pa.array(rows)))
        return length_counts(pc.count_substring(targets, " ").to_numpy() + 1)

    def _tables(self, name: str) -> list[pa.Table]:
        return [read_arrow(part.folder / f"{name}.arrow") for part in self.parts]

    def renumbered(self, name: str, columns: Sequence[str]) -> list[pa.Table]:
        """The table of each shard with common numbers in the columns of propositions, and in `types`."""
        tables = []
        for table, new, new_types in zip(self._tables(name), self._numbers, self._type_numbers, strict=True):
            for column in columns:
                table = with_column(
                    table, column, renumbered_column(table[column], new_types if column == "types" else new)
                )
            tables.append(table)
        return tables

    def _merge_examples(self) -> pa.Table:
        """All examples in canonical order: by session, theory, proof, steps and id."""
        tables = []
        for table, first in zip(self.renumbered("examples", (*FIELDS, "types")), self._first_proofs, strict=True):
            rows = pc.add(table["proof_row"], pa.scalar(int(first), pa.int32()))
            tables.append(with_column(table, "proof_row", rows))
        table = pa.concat_tables(tables).unify_dictionaries().combine_chunks()
        if not table.num_rows:
            return table
        keys = [_ranks(table["session"]), _ranks(table["theory"])]
        keys += [table[name].to_numpy() for name in ("proof", "target_step", "consequence_step")]
        keys.append(_identifiers(table["id"]))
        return table.take(pa.array(np.lexsort(keys[::-1])))

    @cached_property
    def proofs(self) -> pa.Table:
        """Not sorted: the numbers of the rows are in the examples. Those that stay are sorted when they are written."""
        tables = self.renumbered("proofs", (*SETTING, "types"))
        return pa.concat_tables([table.cast(PROOF_SCHEMA) for table in tables]).combine_chunks()

    def _merge_facts(self) -> pa.Table:
        """The fact base in the order of theories, without the types that the signature makes superfluous."""
        table = self._typed_tables("facts").select(FACT_SCHEMA.names)
        return _in_order_of_theories(table, theory_order(self.parents)).cast(FACT_SCHEMA)

    def _merge_lemmas(self, facts: pa.Table) -> pa.Table:
        """Which facts the lemmas of examples are; those that the fact base does not have are left out."""
        table = pa.concat_tables(self.renumbered("lemmas", ("proposition",))).combine_chunks()
        found = self._places(table, facts)
        table = pa.table([table["proposition"], found], schema=LEMMA_SCHEMA)
        table = table.filter(pc.is_valid(table["fact"]))
        return table.group_by(["proposition", "fact"], use_threads=False).aggregate([]).select(LEMMA_SCHEMA.names)

    def _merge_rules(self, facts: pa.Table, order: Sequence[str]) -> pa.Table:
        """Rules in the order of theories. One that says only which fact it is, and of an unknown one, says nothing."""
        table = self._typed_tables("rules")
        table = table.append_column("fact", self._places(table, facts))
        table = table.filter(pc.or_(pc.is_valid(table["fact"]), pc.is_valid(table["proposition"])))
        return _in_order_of_theories(table.select(RULE_SCHEMA.names), order).cast(RULE_SCHEMA)

    def _places(self, table: pa.Table, facts: pa.Table) -> pa.ChunkedArray:
        """For each row the number of the fact with its name and index; null where there is none. The shards' own facts
        come after those beneath."""
        below = self._beneath.facts
        known = [one_array(_fact_keys(each)) for each in (below, facts) if each is not None]
        return pa.chunked_array([one_array(pc.index_in(_fact_keys(table), pa.concat_arrays(known)))], pa.int32())

    @cached_property
    def _undetermined(self) -> Callable[[str, int], bool]:
        """Does a constant with so many arguments need its type said? Shards, facts and rules ask about the same."""
        general = {row[0]: row[1] for row in (*self._beneath.constants.values(), *self.signature["constants"])}
        typed = cache(lambda name: parse_type(general[name]))
        return cache(lambda name, arguments: name not in general or not shows_its_type(typed(name), arguments))

    def _typed_tables(self, name: str) -> pa.Table:
        """Facts or rules of all shards: types where they are not superfluous."""
        tables = []
        for part, table in zip(self.parts, self.renumbered(name, ("proposition", "types")), strict=True):
            # -1 (recorded always) takes the last place.
            needed = np.array([self._undetermined(*decider) for decider in part.deciders] + [True])
            types = _filtered(table["types"], table["deciders"], needed)
            tables.append(with_column(table.drop_columns(["deciders"]), "types", types))
        return pa.concat_tables(tables).unify_dictionaries().combine_chunks()


def _fact_keys(table: pa.Table) -> pa.ChunkedArray:
    return pc.binary_join_element_wise(table["name"].cast(pa.string()), table["index"].cast(pa.string()), " ")


def _in_order_of_theories(table: pa.Table, order: Sequence[str]) -> pa.Table:
    if not table.num_rows:
        return table
    place = {name: n for n, name in enumerate(order)}
    encoded = one_array(table["theory"])
    ranks = np.array([place[name] for name in encoded.dictionary.to_pylist()])[encoded.indices.to_numpy()]
    return table.take(pa.array(np.argsort(ranks, kind="stable")))


def _sessions(theories: Mapping[str, Mapping[str, Any]], splits: Mapping[str, pa.Table]) -> dict[str, Any]:
    rows: dict[str, dict[str, int]] = {}
    for theory in theories.values():
        row = rows.setdefault(theory["session"], {"theories": 0, "theorems": 0, "train": 0})
        row["theories"] += 1
        row["theorems"] += theory["theorems"]
    for count in pc.value_counts(splits["train"]["session"].cast(pa.string())).to_pylist():
        rows.setdefault(count["values"], {"theories": 0, "theorems": 0, "train": 0})["train"] = count["counts"]
    return dict(sorted(rows.items()))


def merge_signatures(signatures: Sequence[Mapping[str, Mapping[str, Any]]]) -> dict[str, Any]:
    """The union with Pure's constants, in alphabetical order, as `Signature.from_json` reads it."""
    document: dict[str, Any] = {"format": 1}
    for part in ("constants", "types", "classes", "arities", "coercions"):
        rows: dict[str, Any] = {}
        for key, row in (item for signature in signatures for item in signature.get(part, {}).items()):
            if part == "classes" and key in rows:
                row = [key, sorted({*rows[key][1], *row[1]})]  # a class is listed again when it gets super-classes
            rows[key] = row
        if part == "constants":
            rows.update({constant.name: [constant.name, format_type(constant.type)] for constant in PURE})
        document[part] = [rows[key] for key in sorted(rows)]
    return document


def _merge_propositions(parts: Sequence[Gathered]) -> tuple[pa.ChunkedArray, list[Column]]:
    """Each text once, and for every shard the new numbers of its propositions."""
    tables = [read_arrow(part.folder / "propositions.arrow") for part in parts]
    digests = [_halves(table["digest"]) for table in tables]
    high = np.concatenate([pair[0] for pair in digests])
    low = np.concatenate([pair[1] for pair in digests])
    _, first, number = np.unique(high, return_index=True, return_inverse=True)
    if not np.array_equal(low[first][number], low):
        raise UserError("two propositions share the first half of their digest; report this as a bug")
    starts = np.cumsum([0, *(table.num_rows for table in tables)])
    # Numbers in the order of the kept texts, which are taken shard by shard.
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first, kind="stable")] = np.arange(len(first))
    number = rank[number].astype(np.int32)
    chosen = np.zeros(len(high), bool)
    chosen[first] = True
    chunks: list[pa.Array] = []
    for table, start in zip(tables, starts, strict=False):
        mask = pa.array(chosen[start : start + table.num_rows])
        chunks.extend(table["tokens"].filter(mask).chunks)
    texts = pa.concat_arrays(chunks) if chunks else pa.array([], pa.large_string())
    return pa.chunked_array([texts]), [
        number[start : start + table.num_rows] for table, start in zip(tables, starts, strict=False)
    ]


def _halves(column: pa.ChunkedArray) -> tuple[Column, Column]:
    """A column of 16 bytes as two columns of unsigned numbers."""
    raw = b"".join(
        bytes(chunk.buffers()[1])[16 * chunk.offset : 16 * (chunk.offset + len(chunk))] for chunk in column.chunks
    )
    pairs = np.frombuffer(raw, ">u8").astype(np.uint64).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def _ranks(column: pa.ChunkedArray) -> Column:
    """Alphabetical ranks of a dictionary column's values."""
    array = one_array(column)
    words = array.dictionary.to_pylist()
    rank = np.empty(len(words), np.int64)
    rank[sorted(range(len(words)), key=words.__getitem__)] = np.arange(len(words))
    return np.asarray(rank[array.indices.to_numpy()])


def _identifiers(column: pa.ChunkedArray) -> Column:
    """Ids (12 hex digits) as numbers."""
    digits = np.frombuffer("".join(column.to_pylist()).encode(), np.uint8).reshape(-1, 12).astype(np.uint64)
    values = np.where(digits >= 97, digits - 87, digits - 48)
    return np.asarray((values << (4 * np.arange(11, -1, -1, dtype=np.uint64))).sum(axis=1, dtype=np.uint64))


def _filtered(types: pa.ChunkedArray, deciders: pa.ChunkedArray, needed: Column) -> pa.Array:
    """The lists of types without those whose decider says that they are not needed."""
    values, deciding = one_array(types), one_array(deciders)
    keep = needed[deciding.flatten().to_numpy()]
    before = np.concatenate([np.zeros(1, np.int32), np.cumsum(keep, dtype=np.int32)])
    offsets = before[values.offsets.to_numpy()]
    return pa.ListArray.from_arrays(pa.array(offsets), pa.array(values.flatten().to_numpy()[keep]))
