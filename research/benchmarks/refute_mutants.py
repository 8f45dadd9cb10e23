"""False statements that Isabelle's Quickcheck refutes, as claims for the evaluator: how many it refutes in a second.

    python research/benchmarks/refute_mutants.py OUT.jsonl --heaps HEAPS  # asks Isabelle, goes on where OUT.jsonl ends
    python research/benchmarks/refute_mutants.py OUT.jsonl                # the answers that OUT.jsonl has
    python research/benchmarks/refute_mutants.py OTHER.jsonl --heaps HEAPS --draw 1  # theorems that draw 0 never has

Theorems of Complex_Main are drawn by a hash of their names. Of each fact one symbol is changed: a constant becomes
another one of the same type, a variable another one of the same type, a function of a type to itself is left out
(`Suc n` becomes `n`), a premise is negated; what is changed and how is said by a hash, too. A mutant that is a fact of
the library is left out. Isabelle's Quickcheck (ISABELLE_HOME; 5 s, genuine counterexamples only) is asked about them at
the end of Complex_Main until it has refuted `--count`; these are then asked of the evaluator, with a second of
processor time each. What it does not refute is shown with the reason; the last line is one JSON document.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from isarstep.benchmark.store.example import Example
from isarstep.benchmark.store.store import Benchmark
from isarstep.isabelle.context.monomorphisation import is_general, match_in_sorts, term_type_variables
from isarstep.isabelle.context.theory_contexts import TheoryContext
from isarstep.isabelle.inference.infer import well_formed
from isarstep.isabelle.syntax.grammar.abbreviations import expand
from isarstep.isabelle.terms.hol import NOT, dest_trueprop, strip_pure_imp
from isarstep.isabelle.terms.signature import Signature
from isarstep.isabelle.terms.terms import (
    Abs,
    App,
    Const,
    Free,
    Term,
    TFree,
    Typ,
    Type,
    Var,
    constants,
    frees,
    fun,
    schematics,
    size,
    strip_fun,
    substitute,
    substitute_types,
    subterms,
)
from isarstep.isabelle.terms.tokens import encode_line
from isarstep.isabelle.terms.type_text import format_type, parse_type
from isarstep.isabelle.terms.types import instantiate_type, schematic_type
from isarstep.premises.fact_base import TRUTH, Library
from isarstep.prover.replay.isabelle_questions import Answer, Inquiry, IsabelleLimits, Question
from isarstep.prover.replay.isabelle_run import open_isabelle
from isarstep.prover.values.counterexamples import Counterexamples
from isarstep.prover.values.refutation import RefutationSearch, Refuter
from isarstep.resources import benchmark_folder

THEORY, SESSION = "Complex_Main", "HOL"
DRAWS = 2  # no theorem is in two of them
SECONDS = 1.0  # of processor time, for the evaluator
FREQUENT = 100  # facts that mention a constant which may stand in the place of another one
LARGEST = 120  # symbols of a fact, applications among them
BATCH = 50  # questions to one process of Isabelle
BOOL = Type("HOL.bool")
Choice = TypeVar("Choice")
Change = tuple[str, int, Term]  # in words, the place of a part among `subterms`, and what stands there instead


@dataclass(frozen=True)
class StatementMutant:
    """A fact with one symbol changed: tokens, and the types of its variables."""

    id: str
    kind: str
    change: str
    goal: str
    types: dict[str, str]

    def term(self, signature: Signature) -> Term | None:
        context = {name: parse_type(text) for name, text in self.types.items()}
        found = well_formed(self.goal, signature, context).term
        return None if found is None else expand(found, signature)


def by_hash(*parts: object) -> int:
    return int.from_bytes(hashlib.sha256(" ".join(map(str, parts)).encode()).digest()[:8], "big")


def chosen(choices: Sequence[Choice], *parts: object) -> Choice:
    return choices[by_hash(*parts) % len(choices)]


def with_free_variables(prop: Term) -> Term:
    """A fact's variables as `<X0>`, `<X1>`, ..., its type variables fixed."""
    types: dict[Typ, Typ] = {}
    for variable in term_type_variables(prop):
        types.setdefault(variable, TFree(f"'a{len(types)}", variable.sort))
    prop = substitute_types(prop, lambda typ: instantiate_type(typ, types))
    names = {variable: Free(f"<X{n}>", variable.type) for n, variable in enumerate(schematics(prop))}
    return substitute(prop, lambda variable: names.get(variable) if type(variable) is Var else None)


def types_of(prop: Term) -> dict[str, str]:
    return {variable.name: format_type(variable.type) for variable in frees(prop) if variable.type is not None}


def is_read_back(prop: Term, signature: Signature) -> bool:
    """Do its types follow from those of its variables? Isabelle is given no others."""
    return StatementMutant("", "", "", encode_line(prop), types_of(prop)).term(signature) == prop


class Mutating:
    """One change of a fact, by hash. `frequent` constants may stand in the place of others."""

    def __init__(self, frequent: Iterable[str], signature: Signature) -> None:
        own = lru_cache(maxsize=None)(lambda name: schematic_type(signature.constants[name].type))
        usable = [name for name in frequent if _may_change(name)]

        def others(name: str, typ: Typ) -> list[str]:
            return [
                other
                for other in usable
                if other != name
                and _arity(own(other)) == _arity(own(name))
                and match_in_sorts(own(other), typ, {}, signature) is not None
            ]

        self._others: Callable[[str, Typ], list[str]] = lru_cache(maxsize=None)(others)

    def changed(self, name: str, prop: Term) -> tuple[str, str, Term] | None:
        """The kind of a change, the change in words, and the changed proposition; None where there is nothing."""
        ways = {
            "constant": list(self._constants(prop)),
            "variable": list(_variables(prop)),
            "left out": list(_left_out(prop)),
            "negated": list(_negated(prop)),
        }
        kinds = [kind for kind, places in ways.items() if places]
        if not kinds:
            return None
        kind = chosen(kinds, "kind", name)
        words, place, new = chosen(chosen(ways[kind], "place", name), "change", name)
        return kind, words, with_part(prop, place, new)

    def _constants(self, prop: Term) -> Iterator[list[Change]]:
        """For each place what may be done there."""
        for place, node in enumerate(subterms(prop)):
            if type(node) is Const and node.type is not None and _may_change(node.name):
                others = self._others(node.name, node.type)
                if others:
                    yield [(f"{node.name} -> {each}", place, Const(each, node.type)) for each in others]


def _may_change(name: str) -> bool:
    return not name.startswith("Pure.") and name not in ("HOL.Trueprop", "HOL.undefined")


def _arity(typ: Typ) -> int:
    """Arguments that a constant has at all types: `⊥` may be a function, but is none."""
    return len(strip_fun(typ)[0])


def _variables(prop: Term) -> Iterator[list[Change]]:
    variables = frees(prop)
    for place, node in enumerate(subterms(prop)):
        if type(node) is Free:
            others = [each for each in variables if each.type == node.type and each != node]
            if others:
                yield [(f"{node.name} -> {each.name}", place, each) for each in others]


def _left_out(prop: Term) -> Iterator[list[Change]]:
    for place, node in enumerate(subterms(prop)):
        if type(node) is App and type(node.fun) is Const and _may_change(node.fun.name):
            arguments = node.fun.type.args if isinstance(node.fun.type, Type) else ()
            if len(arguments) == 2 and arguments[0] == arguments[1]:
                yield [(f"{node.fun.name} left out", place, node.arg)]


def _negated(prop: Term) -> Iterator[list[Change]]:
    premises, _ = strip_pure_imp(prop)
    formulas = [formula for premise in premises if (formula := dest_trueprop(premise)) is not None]
    for place, node in enumerate(subterms(prop)):
        if any(node is formula for formula in formulas):
            yield [("a premise negated", place, App(Const(NOT, fun(BOOL, BOOL)), node))]


def with_part(term: Term, place: int, new: Term) -> Term:
    """The term with another part at a place among its `subterms`."""
    left = place

    def walk(node: Term) -> Term:
        nonlocal left
        left -= 1
        if left == -1:
            return new
        if left < -1:
            return node
        if type(node) is App:
            function = walk(node.fun)
            return App(function, walk(node.arg))
        return Abs(node.name, node.type, walk(node.body)) if type(node) is Abs else node

    return walk(term)


def facts_of(library: Library, context: TheoryContext) -> dict[str, list[int]]:
    """The facts of the theories of a context by the names of their theorems."""
    found: dict[str, list[int]] = {}
    for theory in sorted(context.theories or ()):
        for number in library.of_theory(theory).tolist():
            found.setdefault(library.theorem(number), []).append(number)
    return found


def mutants(library: Library, context: TheoryContext, draw: int) -> Iterator[StatementMutant]:
    """One of every fact, in the order of a draw."""
    library.read(context.theories)
    signature, theorems = context.signature, facts_of(library, context)
    counts: Counter[str] = Counter()
    known = set()
    for number in (each for numbers in theorems.values() for each in numbers):
        prop = library.fact(number).prop
        counts.update({constant.name for constant in constants(prop)})
        known.add(encode_line(with_free_variables(prop)))
    frequent = sorted(name for name, count in counts.items() if count >= FREQUENT and name in signature.constants)
    mutating = Mutating(frequent, signature)
    for theorem in sorted(theorems, key=lambda name: by_hash("order", name)):
        if by_hash("draw", theorem) % DRAWS != draw:
            continue
        for number in theorems[theorem]:
            fact = library.fact(number)
            if fact.prop == TRUTH or not is_general(fact.prop) or size(fact.prop) > LARGEST:
                continue
            prop = with_free_variables(fact.prop)
            changed = mutating.changed(fact.name, prop) if is_read_back(prop, signature) else None
            if changed is None:
                continue
            kind, words, made = changed
            goal = encode_line(made)
            mutant = StatementMutant(fact.name, kind, words, goal, types_of(made))
            if goal not in known and mutant.term(signature) is not None:
                known.add(goal)
                yield mutant


def ask_isabelle(drawn: Iterator[StatementMutant], asked: argparse.Namespace) -> None:
    """Asks about one mutant after the other until enough are refuted; each answer is a line of the file."""
    isabelle = open_isabelle(asked.heaps)
    done = {record["id"] for record in records(asked.out)}
    began = time.monotonic()
    left = (mutant for mutant in drawn if mutant.id not in done)
    while (refuted := sum(record["answer"] == "refuted" for record in records(asked.out))) < asked.count:
        some = {mutant.id: mutant for mutant in islice(left, BATCH)}
        if not some:
            break
        inquiries = [
            Inquiry(
                Example(m.id, "", (), None, (), (), types=m.types, session=SESSION, theory=THEORY, fixed=len(m.types)),
                (Question("refute", "refute", m.goal),),
            )
            for m in some.values()
        ]
        with asked.out.open("a") as out:

            def note(identifier: str, _: str, answer: Answer, some: dict[str, StatementMutant] = some) -> None:
                record = {**asdict(some[identifier]), "answer": answer.answer, "why": answer.why}
                print(json.dumps(record), file=out, flush=True)

            isabelle.ask(SESSION, inquiries, IsabelleLimits(seconds=5, prove=True), note)
        print(
            f"{len(done)} answers, {refuted} refuted before, {time.monotonic() - began:.0f} s",
            file=sys.stderr,
            flush=True,
        )
        done.update(some)


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def reason(found: RefutationSearch, seconds: float) -> str:
    """Why nothing was refuted."""
    if found.counterexample is not None:
        return f"refuted after {seconds:.1f} s"
    if not found.asked:
        return found.why_not
    if found.satisfying:
        return "true for all values that were tried" + (", out of time" if found.out_of_time else "")
    why = "undetermined" if found.undetermined else "no values that satisfy the premises"
    return why + (", out of time" if found.out_of_time else "")


def judged(refuter: Refuter, context: TheoryContext, record: dict[str, Any]) -> tuple[str, float]:
    """The reason why a mutant is not refuted, empty where it is, and the processor time."""
    mutant = StatementMutant(**{key: record[key] for key in ("id", "kind", "change", "goal", "types")})
    term = mutant.term(context.signature)
    assert term is not None
    began = time.thread_time()
    found = refuter.search([], term, SECONDS)
    seconds = time.thread_time() - began
    if found.counterexample is not None and seconds <= SECONDS:
        return "", seconds
    return reason(found, seconds), seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--heaps", type=Path, help="folder of images made by mining; left away: Isabelle is not asked")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--draw", type=int, default=0, choices=range(DRAWS))
    asked = parser.parse_args()
    benchmark = Benchmark(benchmark_folder("embedded"))
    library, context = Library.of_benchmark(benchmark), benchmark.theory_contexts.importing((THEORY,))
    if asked.heaps is not None:
        ask_isabelle(mutants(library, context, asked.draw), asked)
    answers = records(asked.out)
    library.read(context.theories)
    print(json.dumps(report(Counterexamples(library).refuter(context), context, answers, asked.count)))


def report(refuter: Refuter, context: TheoryContext, answers: Sequence[dict[str, Any]], count: int) -> dict[str, Any]:
    refutable = [record for record in answers if record["answer"] == "refuted"][:count]
    reasons: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    spent = []
    for record in refutable:
        why, seconds = judged(refuter, context, record)
        spent.append(seconds)
        kinds[f"{record['kind']}: {'not ' if why else ''}refuted"] += 1
        if why:
            reasons[why] += 1
            print(f"{record['id']}: {record['change']}: {why}; Isabelle: {record['why']}")
    refuted = len(refutable) - reasons.total()
    return {
        "asked of Isabelle": len(answers), "refuted by Isabelle": len(refutable), "refuted": refuted,
        "part": round(refuted / max(1, len(refutable)), 3), "processor seconds": round(sum(spent), 1),
        "reasons": dict(reasons.most_common()), "kinds": dict(sorted(kinds.items())),
    }  # fmt: skip


if __name__ == "__main__":
    main()
