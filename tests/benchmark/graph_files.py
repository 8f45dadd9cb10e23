"""The writer of graph files (docs/graphs.md): what the miner does, for graphs made by hand."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import zstandard

from isarstep.isabelle.process.proof_graph import Fact, Graph, Proof, TheorySignature, Use
from isarstep.isabelle.terms.terms import Abs, Bound, Const, Free, Term, TFree, Typ, Type, Var


def write_graph(graph: Graph, folder: Path) -> Path:
    """The file `SESSION/THEORY.jsonl.zst`."""
    tables = _Tables()
    content = list(_content(graph, tables))
    head = {
        "format": 2, "isabelle": graph.isabelle, "session": graph.session, "theory": graph.theory,
        "parents": graph.parents, "hash": graph.hash,
    }  # fmt: skip
    end = {"end": {"failures": list(graph.failures)}}
    records = [head, {"types": tables.types.rows}, {"terms": tables.terms.rows}, *content, end]
    path = folder / graph.session / f"{graph.theory.rpartition('.')[2]}.jsonl.zst"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(zstandard.ZstdCompressor().compress("".join(json.dumps(r) + "\n" for r in records).encode()))
    return path


class _Table:
    """Rows, each of them once."""

    def __init__(self) -> None:
        self.rows: list[Any] = []
        self._places: dict[str, int] = {}

    def add(self, *row: Any) -> int:
        key = json.dumps(row)
        if key not in self._places:
            self._places[key] = len(self.rows)
            self.rows.append(row)
        return self._places[key]


class _Tables:
    """The types and terms that records name by their numbers."""

    def __init__(self) -> None:
        self.types, self.terms = _Table(), _Table()

    def typ(self, node: Typ | None) -> int:
        assert node is not None, "graphs have types everywhere"
        if isinstance(node, Type):
            return self.types.add(node.name, *map(self.typ, node.args))
        if isinstance(node, TFree):
            return self.types.add(node.name, node.sort)
        return self.types.add("?" + node.name, node.index, node.sort)

    def term(self, node: Term) -> int:
        if isinstance(node, Const):
            return self.terms.add("c", node.name, self.typ(node.type))
        if isinstance(node, Free):
            return self.terms.add("f", node.name, self.typ(node.type))
        if isinstance(node, Var):
            return self.terms.add("v", node.name, node.index, self.typ(node.type))
        if isinstance(node, Bound):
            return self.terms.add("b", node.index)
        if isinstance(node, Abs):
            return self.terms.add("l", node.name, self.typ(node.type), self.term(node.body))
        return self.terms.add("a", self.term(node.fun), self.term(node.arg))

    def perhaps(self, node: Term | None) -> int | None:
        return None if node is None else self.term(node)


def _content(graph: Graph, tables: _Tables) -> Iterator[dict[str, Any]]:
    """The records between the tables and the end."""
    for lemma in graph.lemmas:
        yield {"lemma": [lemma.name, lemma.index, tables.term(lemma.prop)]}
    for proof in graph.proofs:
        yield {"proof": _proof(proof, tables)}
    yield {"signature": _signature(graph.signature, tables)}
    yield {"theorems": [[x.name, x.index, tables.term(x.prop)] for x in graph.theorems]}
    if graph.notation:
        yield {"notation": graph.notation}
    rules: dict[str, list[Any]] = {"removed": list(graph.removed)} if graph.removed else {}
    for rule in graph.rules:
        prop = [] if rule.prop is None else [tables.term(rule.prop)]
        rules.setdefault(rule.kind, []).append([rule.name, rule.index, *prop])
    if rules:
        yield {"rules": rules}


def _proof(proof: Proof, tables: _Tables) -> dict[str, Any]:
    return {
        "ordinal": proof.ordinal,
        "command": proof.command,
        "name": proof.name,
        "line": proof.line,
        "variables": [[v.name, tables.typ(v.type), v.own or v.name] for v in proof.variables],
        "steps": [
            [s.ordinal, s.command, s.parent, s.depth, s.block, s.case, list(s.fixed), list(s.introduced)]
            for s in proof.steps
        ],
        "facts": [_fact(fact, tables) for fact in proof.facts],
        "locale": proof.locale,
        "complete": proof.complete,
        "unresolved": list(proof.unresolved),
    }


def _fact(fact: Fact, tables: _Tables) -> list[Any]:
    prop, uses = tables.term(fact.prop), [_use(use) for use in fact.uses]
    stated, outside = tables.perhaps(fact.stated), tables.perhaps(fact.outside)
    return [fact.kind, fact.step, fact.name, prop, uses, stated, fact.at, outside]


def _use(use: Use) -> list[Any]:
    if use.fact is not None:
        return [use.how, "f", use.fact]
    return [use.how, "l", use.lemma] if use.lemma is not None else [use.how, "c", use.collection]


def _signature(signature: TheorySignature, tables: _Tables) -> dict[str, Any]:
    after = signature.arities_after or [None] * len(signature.arities)
    return {
        "constants": [
            [c.name, tables.typ(c.type), tables.perhaps(c.abbreviates), c.after] for c in signature.constants
        ],
        "types": signature.types,
        "classes": signature.classes,
        "arities": [[*arity, place] for arity, place in zip(signature.arities, after, strict=True)],
        "coercions": [tables.term(c) for c in signature.coercions],
    }
