"""Do states that are read from theory files agree with Isabelle's? Lines are drawn by hash from mined theories.

    python research/benchmarks/states.py GRAPH.jsonl.zst=FILE.thy ... [--lines 20] [--alone] [--verbose]
    python research/benchmarks/states.py GRAPH.jsonl.zst ... --keep tests/theory/isabelle_states

Judge is the graph that Isabelle made of the same file: at a statement of a structured proof, the goal up to names of
type variables, the types of the variables in it, the facts that are chained to it, and the other facts of the proof
that its own proof names. What is not read is wrong. With `--alone` everything that the file imports is the library's,
also where its folder has a file of that name. With `--keep` graphs of the tests' own theories are copied for the tests,
with what they say.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import shutil
import time
from collections import ChainMap, Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from isarstep.benchmark.store.store import Benchmark
from isarstep.common.errors import UserError
from isarstep.isabelle.process.proof_graph import Fact, Graph, Proof, read_graph
from isarstep.isabelle.syntax.grammar.abbreviations import expand
from isarstep.isabelle.terms.hol import PURE_ALL, dest_binary, dest_quantifier, eq, trueprop
from isarstep.isabelle.terms.normal_forms import beta_eta_normal
from isarstep.isabelle.terms.signature import Constant, Signature
from isarstep.isabelle.terms.terms import (
    Free,
    Term,
    TFree,
    TVar,
    Typ,
    Type,
    Var,
    erase,
    instantiate,
    substitute,
    substitute_types,
)
from isarstep.isabelle.theory.document import TheoryDocument
from isarstep.isabelle.theory.text.source import OuterCommand

COMMANDS = ("have", "show", "hence", "thus", "lemma", "theorem", "corollary", "proposition")
SYMBOL = re.compile(r"\\<\^?[A-Za-z][A-Za-z0-9_']*>|.", re.DOTALL)


def places(text: str) -> list[int]:
    """The character at which each symbol begins; Isabelle counts symbols from 1."""
    return [found.start() for found in SYMBOL.finditer(text)]


def statements(document: TheoryDocument, proofs: tuple[Proof, ...]) -> Iterator[tuple[OuterCommand, Proof, Fact]]:
    """Statements of one proposition, with Isabelle's word on them."""
    starts = places(document.source.text)
    by_place = {t.start: c for c in document.commands if c.name in COMMANDS for t in c.tokens}
    for proof in proofs:
        said: dict[int, list[Fact]] = {}
        for fact in proof.facts:
            if fact.kind == "goal" and fact.at is not None:
                said.setdefault(fact.step, []).append(fact)
        for facts in said.values():
            (from_, _) = facts[0].at or (0, 0)
            if len(facts) == 1 and 0 < from_ <= len(starts) and starts[from_ - 1] in by_place:
                yield by_place[starts[from_ - 1]], proof, facts[0]


def plain(term: Term, proof: Proof | None, signature: Signature) -> Term:
    """Without abbreviations, under the author's names, type variables numbered in order."""
    if proof is not None:
        own = {variable.name: variable.own or variable.name for variable in proof.variables}
        term = substitute(
            term, lambda leaf: Free(own[leaf.name], leaf.type) if isinstance(leaf, Free) and leaf.name in own else None
        )
    numbers: dict[str, int] = {}

    def numbered(typ: Typ) -> Typ:
        if isinstance(typ, Type):
            return Type(typ.name, tuple(map(numbered, typ.args)))
        assert isinstance(typ, TFree | TVar)
        return TFree(f"'t{numbers.setdefault(typ.name, len(numbers))}", typ.sort)

    with suppress(UserError):
        term = expand(term, signature)
    return substitute_types(beta_eta_normal(term), numbered)


def as_fact(prop: Term, proof: Proof | None, signature: Signature) -> Term:
    """The same for a fact, whether it is general by `⋀` or by schematic variables, and defined by `≡` or by `=`."""
    term = erase(plain(prop, proof, signature))
    count = 0
    while binder := dest_quantifier(PURE_ALL, term):
        term, count = instantiate(binder.body, Var("general", count)), count + 1
    if both := dest_binary("Pure.eq", term):
        term = trueprop(eq(*both))
    order: dict[Term, Term] = {}

    def in_order(leaf: Free | Var) -> Term | None:
        return order.setdefault(leaf, Var("v", len(order))) if isinstance(leaf, Var) else None

    return substitute(term, in_order)


def with_later_abbreviations(signature: Signature, graph: Graph) -> Signature:
    """Isabelle's terms are folded with all abbreviations of the theory, those that stand behind them among them."""
    later = {
        each.name: Constant(each.name, each.type, each.abbreviates)
        for each in graph.signature.constants
        if each.abbreviates is not None and each.name not in signature.constants
    }
    return replace(signature, constants=ChainMap(later, signature.constants)) if later else signature  # type: ignore[arg-type]


def judged(document: TheoryDocument, graph: Graph, command: OuterCommand, proof: Proof, fact: Fact) -> tuple[str, str]:
    try:
        state = document.state_before(command.start, inclusive=True)
    except UserError as error:
        return "not read", re.sub(r"^\S*?:\d+:\d+: ", "", str(error))
    signature = with_later_abbreviations(state.context.signature, graph)
    mine = plain(state.goal, None, signature)
    theirs = plain(fact.stated if fact.stated is not None else fact.prop, proof, signature)
    if erase(mine) != erase(theirs):
        return "another goal", ""
    if mine != theirs:
        return "other types", ""
    chained = {proof.facts[use.fact].prop for use in fact.uses if use.how == "chained" and use.fact is not None}
    wanted = {as_fact(prop, proof, signature) for prop in chained}
    found = {as_fact(each.prop, None, signature) for each in state.chained}
    if not wanted <= found:
        return "other chained facts", ""
    found |= {as_fact(each.prop, None, signature) for each in state.local}
    named = [proof.facts[use.fact] for use in fact.uses if use.fact is not None and use.how != "block"]
    stated = (each.prop for each in named if each.kind in ("goal", "assumption", "definition"))
    return ("same" if {as_fact(prop, proof, signature) for prop in stated} <= found else "other local facts"), ""


def compared(graph_path: Path, source: Path, benchmark: Benchmark) -> str:
    """How many statements of a file are the same, and all others."""
    graph = read_graph(graph_path)
    # As an editor reads it: what stands before a statement is kept for the next one.
    document = TheoryDocument(source, benchmark.theory_contexts, edited=True)
    same, lines = 0, []
    for row in sorted(statements(document, graph.proofs), key=lambda row: row[0].start):
        verdict, why = judged(document, graph, *row)
        same += verdict == "same"
        if verdict != "same":
            line = document.source.text.count("\n", 0, row[0].start) + 1
            lines.append(f"line {line}: {verdict} {why}".replace(f"{source.parent}/", "").rstrip())
    return "".join(f"  {line}\n" for line in [f"{same} statements the same", *lines])


def keep(graphs: list[str], folder: Path) -> None:
    benchmark = Benchmark("embedded")
    kept = []
    for path in sorted(map(Path, graphs)):
        name = path.name.removesuffix(".jsonl.zst")
        shutil.copyfile(path, folder / path.name)
        kept.append(f"# {name}\n{compared(path, folder.parent / 'files' / f'{name}.thy', benchmark)}")
    (folder / "verdicts.txt").write_text("".join(kept), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pairs", nargs="+")
    parser.add_argument("--lines", type=int, default=20, help="drawn from each theory")
    parser.add_argument("--alone", action="store_true", help="imports are the library's, whatever the folder holds")
    parser.add_argument("--verbose", action="store_true", help="every line that is not the same")
    parser.add_argument("--keep", type=Path, help="folder of the tests' graphs")
    options = parser.parse_args()
    if options.keep is not None:
        keep(options.pairs, options.keep)
        return
    benchmark = Benchmark("embedded")
    results: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for pair in options.pairs:
        graph_path, _, source = pair.partition("=")
        began = time.monotonic()
        graph = read_graph(Path(graph_path))
        try:
            path = Path(source)
            text = path.read_text(encoding="utf-8")
            place = Path("alone") / path.name if options.alone else path
            document = TheoryDocument(place, benchmark.theory_contexts, text=text)
        except UserError as error:
            print(f"{graph.theory}: left out: {error}", flush=True)
            continue
        drawn = sorted(
            statements(document, graph.proofs),
            key=lambda row: hashlib.sha256(f"{graph.theory}:{row[0].start}".encode()).hexdigest(),
        )[: options.lines]
        here: Counter[str] = Counter()
        for row in drawn:
            verdict, why = judged(document, graph, *row)
            here[verdict] += 1
            if why:
                reasons[re.sub(r"'[^']*'|`[^`]*`", "_", why)[:90]] += 1
            if verdict not in ("same", "not read") or (options.verbose and why):
                print(f"  {document.source.where(row[0].start)}: {verdict} {why}", flush=True)
        results += here
        print(f"{graph.theory}: {dict(here)} in {time.monotonic() - began:.1f} s", flush=True)
    for why, count in reasons.most_common(25):
        print(f"{count:4} {why}")
    goals = sum(results[verdict] for verdict in ("same", "other chained facts", "other local facts"))
    print(json.dumps({"lines": results.total(), "goal and types": goals, **results}))


if __name__ == "__main__":
    main()
