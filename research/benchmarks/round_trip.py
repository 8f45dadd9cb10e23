"""Do we read what we print? Every proposition of scored examples, written in its context and read there again.

    python research/benchmarks/round_trip.py --split test --out now.tsv
    PYTHONPATH=OLD/src python research/benchmarks/round_trip.py --split test --out before.tsv && diff before.tsv now.tsv

F.1 to F.4 of each example, with the recorded types of its variables, under the names that the theory's text gives
them. The reader gets the text and the types of the variables, nothing else; schematic variables are fixed ones for it,
those of types, too. Terms are compared with types, abbreviations unfolded, modulo eta. A line of the file is a
proposition: its example, its place, the answer, the text. The last line of the output is one JSON document.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from readback import encode_term

from isarstep.benchmark.problems.problem_reader import ProblemReader
from isarstep.benchmark.problems.task import Task
from isarstep.benchmark.store.example import Example
from isarstep.benchmark.store.store import Benchmark
from isarstep.common.errors import UserError
from isarstep.isabelle.context.theory_contexts import TheoryContext
from isarstep.isabelle.inference.infer import infer
from isarstep.isabelle.syntax.grammar.abbreviations import expand
from isarstep.isabelle.syntax.grammar.language import Language
from isarstep.isabelle.syntax.grammar.symbols import normal, to_isabelle
from isarstep.isabelle.syntax.reading.reader import read_formula
from isarstep.isabelle.syntax.reading.typed_writer import write_typed
from isarstep.isabelle.terms.normal_forms import beta_eta_normal
from isarstep.isabelle.terms.terms import Free, Term, Var, frees, schematics, substitute, substitute_types
from isarstep.isabelle.terms.tokens import decode
from isarstep.isabelle.terms.types import fixed_type

SAME, OTHER, NOT_READ, NOT_WRITTEN = "same", "another term", "not read", "not written"


def round_trip(task: Task, tokens: str, language: Language) -> tuple[str, str]:
    """What became of a proposition, and its text or the reason why there is none."""
    signature, names = task.theory_context.signature, task.shown_names()

    def shown(leaf: Free | Var) -> Term:
        return Free(to_isabelle(normal(names[leaf.name])), leaf.type)

    def compared(term: Term) -> str:
        return encode_term(beta_eta_normal(expand(term, signature)))

    try:
        typed = substitute_types(infer([decode(tokens)], signature, task.context).propositions[0], fixed_type)
        text, meant = normal(write_typed(typed, language, names=names)), compared(substitute(typed, shown))
    except UserError as error:
        return NOT_WRITTEN, str(error)
    variables: list[Free | Var] = [*frees(typed), *schematics(typed)]
    types = {to_isabelle(normal(names[leaf.name])): leaf.type for leaf in variables if leaf.type is not None}
    try:
        return SAME if compared(read_formula(text, language, types).term) == meant else OTHER, text
    except UserError as error:
        return NOT_READ, f"{text}  ({error})"


def rows(benchmark: Benchmark, examples: list[Example]) -> Iterator[tuple[str, str, str]]:
    contexts: dict[str, tuple[TheoryContext, ProblemReader]] = {}
    for example in examples:
        if example.theory not in contexts:
            theory_context = benchmark.theory_contexts.at(example.theory)
            contexts.clear()  # examples come by theory; a context holds a signature and a grammar
            contexts[example.theory] = (theory_context, ProblemReader(theory_context))
        theory_context, reader = contexts[example.theory]
        assert theory_context.language is not None
        try:
            task = reader.of_example(example)
        except UserError as error:
            yield f"{example.id}", NOT_WRITTEN, str(error)
            continue
        for number, tokens in enumerate(dict.fromkeys((example.f1, *example.f2, example.f3 or "", *example.f4))):
            if tokens:
                yield f"{example.id}.{number}", *round_trip(task, tokens, theory_context.language)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--benchmark", default="embedded")
    parser.add_argument("--split", default="test")
    parser.add_argument("--limit", type=int, help="only so many examples, those of lowest id")
    parser.add_argument("--out", type=Path, help="a line for every proposition")
    options = parser.parse_args()
    benchmark = Benchmark(options.benchmark)
    examples = sorted(benchmark.split(options.split), key=lambda example: example.id)[: options.limit]
    examples.sort(key=lambda example: (example.theory, example.id))
    started, counts, lines = time.process_time(), Counter[str](), list[str]()
    for place, answer, text in rows(benchmark, examples):
        counts[answer] += 1
        lines.append(f"{place}\t{answer}\t{' '.join(text.split())}\n")
    if options.out:
        options.out.write_text("".join(lines), encoding="utf-8")
    seconds = time.process_time() - started
    digest = hashlib.sha256("".join(lines).encode()).hexdigest()
    for answer, count in counts.most_common():
        print(f"{answer}: {count:,}")
    print(f"{sum(counts.values()) / seconds:,.0f} propositions a second of processor time")
    print(json.dumps({"split": options.split, "examples": len(examples), **counts, "sha256": digest}))


if __name__ == "__main__":
    main()
