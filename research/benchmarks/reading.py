"""Do we read theories as Isabelle does? Every proposition that it quotes, read in its context, against the mined term.

    python research/benchmarks/reading.py GRAPHS --isabelle HOME [-d AFP/thys] --session HOL-Library [--session ...] [--every 1]

The text comes from Isabelle's own files at the places that the graphs name. The reader gets notation and signature of
the theory and its ancestors, and the variables that are fixed at that step with their types; it does not see the mined
term. Terms are compared with abbreviations unfolded, modulo eta and the names of type variables. Text that refers to an
earlier one (?thesis, ...) is counted apart. Prints tables; the last line is one JSON document.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from isarstep.common.errors import UserError
from isarstep.isabelle.inference.infer import TypingError
from isarstep.isabelle.process.installation import Sessions, find_installation
from isarstep.isabelle.process.proof_graph import Fact, Graph, Proof, read_graph
from isarstep.isabelle.syntax.grammar.abbreviations import expand
from isarstep.isabelle.syntax.grammar.language import Language
from isarstep.isabelle.syntax.reading.reader import read_formula
from isarstep.isabelle.terms.hol import dest_binary, dest_quantifier, dest_trueprop, strip_pure_imp
from isarstep.isabelle.terms.normal_forms import beta_eta_normal
from isarstep.isabelle.terms.read_error import ReadError
from isarstep.isabelle.terms.signature import Coercion, Constant, Signature
from isarstep.isabelle.terms.terms import (
    App,
    Const,
    Free,
    Term,
    TFree,
    TVar,
    Typ,
    Var,
    erase,
    instantiate,
    substitute,
    substitute_types,
)
from isarstep.isabelle.terms.type_text import type_variables
from isarstep.isabelle.terms.types import instantiate_type

SYMBOL = re.compile(r"\\<\^?[A-Za-z][A-Za-z0-9_']*>|.", re.DOTALL)
REFERENCE = re.compile(r"\?(?!')\w+'*|\.\.\.|\\<dots>")
COMMENT = re.compile(r"\\<comment>\s*\\<open>.*?\\<close>|\(\*.*?\*\)", re.DOTALL)

# Heads whose quoted text is the proposition; `lift_definition` and others quote terms.
STATEMENTS = {"lemma", "theorem", "corollary", "proposition", "schematic_goal"}


class Corpus:
    """Graphs by theory, and the language of each."""

    def __init__(self, folder: Path) -> None:
        self.paths = sorted(folder.glob("*/*.jsonl.zst"))
        self.by_theory: dict[str, Path] = {}
        for path in self.paths:
            name = path.name.removesuffix(".jsonl.zst")
            self.by_theory[f"{path.parent.name}.{name}"] = path
            self.by_theory.setdefault(name, path)
        self._light: dict[str, Graph] = {}

    def light(self, theory: str) -> Graph | None:
        """A graph without its proofs and theorems."""
        if theory not in self._light:
            path = self.by_theory.get(theory)
            if path is None:
                return None
            self._light[theory] = read_graph(path, lambda r: {k: v for k, v in r.items() if k in KEPT or "format" in r})
        return self._light[theory]

    def ancestors(self, theory: str) -> list[Graph]:
        order: dict[str, Graph] = {}
        todo: list[tuple[str, bool]] = [(theory, False)]
        seen: set[str] = set()
        while todo:
            name, done = todo.pop()
            graph = self.light(name)
            if graph is None:
                continue
            if done:
                order[name] = graph
            elif name not in seen:
                seen.add(name)
                todo.append((name, True))
                todo.extend((parent, False) for parent in reversed(graph.parents))
        return list(order.values())

    def language(self, theory: str) -> Language:
        graphs = self.ancestors(theory)
        made = Language([graph.notation for graph in graphs], merged(graphs))
        made.home = theory.rpartition(".")[2]
        return made


KEPT = frozenset(("types", "terms", "signature", "notation", "end"))


def merged(graphs: list[Graph]) -> Signature:
    constants: list[Constant] = []
    types = [("fun", 2), ("prop", 0), ("itself", 1)]
    classes: dict[str, Any] = {}
    arities: list[Any] = []
    coercions: list[Coercion] = []
    for graph in graphs:
        signature = graph.signature
        constants += [Constant(c.name, c.type, c.abbreviates) for c in signature.constants]
        types += signature.types
        classes.update(signature.classes)
        arities += [arity[:3] for arity in signature.arities]
        coercions += [Coercion(erase(t), type_of(t)) for t in signature.coercions if isinstance(t, Const)]
    return Signature.build(constants, types, classes.items(), arities, coercions)


def type_of(term: Term) -> Typ:
    assert isinstance(term, Const)
    assert term.type is not None
    return term.type


@dataclass
class Quoted:
    """A proposition as the text has it, its mined term and where it stands."""

    text: str
    term: Term
    context: dict[str, Typ]
    names: dict[str, str]  # own name -> name in the term
    bound: dict[str, Term]  # what ?thesis and ... stand for there
    proof: Proof


def quoted(graph: Graph, text: str) -> Iterator[Quoted]:
    symbols = SYMBOL.findall(text)
    for proof in graph.proofs:
        for fact in proof.facts:
            if fact.at is None or (fact.step == 0 and proof.command not in STATEMENTS):
                continue
            start, end = fact.at
            words = "".join(symbols[start - 1 : end - 1])
            fixed = [proof.variables[i] for i in proof.steps[fact.step].fixed]
            context = {variable.own or variable.name: variable.type for variable in fixed}
            names = {variable.own or variable.name: variable.name for variable in fixed}
            own = {variable.name: variable.own or variable.name for variable in fixed}
            bound = {name: called(term, own) for name, term in references(proof, fact).items()}
            yield Quoted(unquoted(words), fact.stated or fact.prop, context, names, bound, proof)


def called(term: Term, own: dict[str, str]) -> Term:
    """The term with variables called as the text calls them, without types."""

    def rename(leaf: Term) -> Term | None:
        return Free(own[leaf.name]) if isinstance(leaf, Free) and leaf.name in own else None

    return substitute(erase(term), rename)


def references(proof: Proof, fact: Fact) -> dict[str, Term]:
    """`...` is the last argument of the fact before in this block, `?thesis` the conclusion of the goal around."""
    step = proof.steps[fact.step]
    found: dict[str, Term] = {}
    for other in proof.facts:
        place = proof.steps[other.step]
        before = other.step < fact.step and (place.parent, place.block) == (step.parent, step.block)
        statement = conclusion(other.prop) if before and other.kind in ("goal", "assumption") else None
        if isinstance(statement, App):
            found["..."] = statement.arg
        if other.step == step.parent and other.kind == "goal":
            found["?thesis"] = conclusion(other.stated or other.prop)
    return found


def conclusion(term: Term) -> Term:
    """Behind premises and without Trueprop."""
    term = strip_pure_imp(term)[1]
    return dest_trueprop(term) or term


def unquoted(text: str) -> str:
    text = text.strip()
    for opening, closing in (('"', '"'), ("\\<open>", "\\<close>")):
        if text.startswith(opening) and text.endswith(closing):
            text = text[len(opening) : -len(closing)]
    return COMMENT.sub(" ", text)


def same(ours: Term, mined: Term, signature: Signature) -> str:
    """Equal, equal but for types, or another term."""
    left, right = (generalised(beta_eta_normal(unfolded(term, signature))) for term in (ours, mined))
    if erase(left) != erase(right):
        return "another term"
    return "equal" if renamed(left) == renamed(right) else "other types"


def unfolded(term: Term, signature: Signature) -> Term:
    try:
        return expand(term, signature)
    except UserError:  # an abbreviation whose recorded type is too general for what it stands for
        return term


def generalised(term: Term) -> Term:
    """As a fact: variables of outer quantifiers schematic, also those of conclusions; called by order of occurrence."""
    counter = 0
    premises: list[Term] = []
    while True:
        bound, implied = dest_quantifier("Pure.all", term), dest_binary("Pure.imp", term)
        if bound is not None:
            counter += 1
            term = instantiate(bound.body, Var("all", counter, bound.type))
        elif implied is not None:
            assert isinstance(term, App)
            premises.append(term.fun)
            term = term.arg
        else:
            break
    for premise in reversed(premises):
        term = App(premise, term)
    numbers: dict[tuple[str, int], int] = {}

    def rename(leaf: Term) -> Term | None:
        if not isinstance(leaf, Var):
            return None
        return Var("v", numbers.setdefault((leaf.name, leaf.index), len(numbers)), leaf.type)

    return substitute(term, rename)


def renamed(term: Term) -> Term:
    """Type variables called by the order in which they occur, without sorts."""
    names: dict[tuple[str, int], Typ] = {}

    def rename(typ: Typ) -> Typ:
        found: dict[Typ, Typ] = {}
        for variable in type_variables(typ):
            key = (variable.name, variable.index if isinstance(variable, TVar) else -1)
            found[variable] = names.setdefault(key, TFree(f"'t{len(names)}"))
        return instantiate_type(typ, found)

    return substitute_types(term, rename)


@dataclass
class Tally:
    """What came of the propositions of some kind, with examples."""

    counts: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=dict)

    def add(self, verdict: str, example: str) -> None:
        self.counts[verdict] += 1
        if len(self.examples.setdefault(verdict, [])) < 400:
            self.examples[verdict].append(example)

    def line(self) -> dict[str, Any]:
        total = sum(self.counts.values())
        own = total - self.counts["refers to an earlier term"]
        read = self.counts["equal"]
        reasons = dict(self.counts.most_common())
        return {"propositions": total, "read": read, "share": round(read / max(1, own), 4), "by reason": reasons}


def judge(item: Quoted, language: Language) -> tuple[str, str]:
    unknown = [name for name in REFERENCE.findall(item.text) if name.replace("\\<dots>", "...") not in item.bound]
    if unknown or item.text.strip() in ("?thesis", "?case"):
        return "refers to an earlier term", ""
    try:
        reading = read_formula(item.text, language, item.context, bound=item.bound)
    except ReadError as error:
        return "not read", str(error)
    except TypingError as error:
        return "no type", str(error)
    except UserError as error:
        return "not read", str(error)

    def unique(leaf: Term) -> Term | None:
        return Free(item.names[leaf.name], leaf.type) if isinstance(leaf, Free) and leaf.name in item.names else None

    term = substitute(reading.term, unique)
    verdict = same(term, item.term, language.signature)
    return verdict, "" if verdict == "equal" else f"{erase(term)!r}"


@cache
def sources(home: str, directories: tuple[str, ...]) -> Sessions:
    return Sessions(find_installation(Path(home), any_release=True), [Path(d) for d in directories])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("graphs", type=Path)
    parser.add_argument("--isabelle", required=True)
    parser.add_argument("-d", action="append", default=[])
    parser.add_argument("--session", action="append", required=True)
    parser.add_argument("--theory", action="append")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--show", type=int, default=0, help="examples of each failure")
    options = parser.parse_args()
    corpus = Corpus(options.graphs)
    places = sources(options.isabelle, tuple(options.d))
    document: dict[str, Any] = {}
    for session in options.session:
        outside, inside = Tally(), Tally()
        elapsed, count = 0.0, 0
        for theory in places.own_theories(session):
            path = corpus.by_theory.get(theory.name)
            if path is None or (options.theory and theory.path.stem not in options.theory):
                continue
            graph = read_graph(path)
            text = theory.path.read_text("utf-8")
            language = corpus.language(theory.name)
            for number, item in enumerate(quoted(graph, text)):
                if number % options.every:
                    continue
                started = time.perf_counter()
                verdict, why = judge(item, language.inside(item.proof.locale) if item.proof.locale else language)
                elapsed += time.perf_counter() - started
                count += 1
                tally = inside if item.proof.locale else outside
                shown = " ".join(item.text.split())
                tally.add(verdict, f"{theory.path.stem}:{item.proof.line}  {shown}   -- {why[:160]}")
        document[session] = {
            "outside locales": outside.line(),
            "inside": inside.line(),
            "a second": round(count / max(elapsed, 1e-9)),
        }
        print(session, json.dumps(document[session], indent=1))
        for tally in (outside, inside):
            for verdict, examples in tally.examples.items():
                if verdict not in ("equal", "refers to an earlier term"):
                    for example in examples[: options.show]:
                        print(f"  {verdict}: {example}")
    print(json.dumps(document))


if __name__ == "__main__":
    main()
