"""What a real Isabelle has read back as the same terms is still printed as it was then.

`readback.json.zst` is written by `research/benchmarks/readback.py --record`: propositions, lemmas and sketches of a benchmark's
test split in the language of Complex_Main, each with what it was printed from, its text, and whether Isabelle2025-2
read this as it was meant. Who changes the printer lets Isabelle read them again.
"""

import json
from functools import cache
from pathlib import Path

import pytest
import zstandard
from tests.isabelle.syntax import complex_main

from isarstep.benchmark.problems.problem_reader import ProblemReader
from isarstep.benchmark.store.example import Example
from isarstep.isabelle.context.theory_contexts import TheoryContext
from isarstep.isabelle.inference.infer import infer
from isarstep.isabelle.syntax.grammar.symbols import normal
from isarstep.isabelle.syntax.reading.typed_writer import write_typed
from isarstep.isabelle.terms.tokens import decode
from isarstep.prover.isar.sketch import Link, Sketch, exact_text

PATH = Path(__file__).parent / "readback.json.zst"
ROWS = json.loads(zstandard.ZstdDecompressor().stream_reader(PATH.read_bytes()).read())


@cache
def reader() -> ProblemReader:
    theory_context = TheoryContext.of_signature(complex_main.language().signature)
    theory_context.language = complex_main.language()
    return ProblemReader(theory_context)


def example_of(kind, said) -> Example:
    if kind == "proposition":
        return Example(id="", f1=said[0], f2=(), f3=None, f4=(), f5=(), types=said[1])
    return Example(id="", f1=said[0], f2=tuple(said[1]), f3=said[2], f4=tuple(said[3]), f5=(), types=said[4])


def printed(kind, said) -> str:
    example = example_of(kind, said)
    task = reader().of_example(example)
    if kind == "proposition":
        typed = infer([decode(example.f1)], task.theory_context.signature, task.context).propositions[0]
        return normal(write_typed(typed, complex_main.language(), names=task.shown_names()))
    steps = [example.f1, example.f3] if kind == "sketch" else [example.f3]
    links = tuple(Link(line, task.term(line), exact_text(task, line)) for line in steps)
    return Sketch(task, links, 0.0, 0, 0.0).isar()


@pytest.mark.parametrize("kind", ["proposition", "lemma", "sketch"])
def test_printed_as_isabelle_read_it(kind):
    rows = [row for row in ROWS if row[0] == kind]
    changed = [(text, printed(kind, said)) for _, said, text, _ in rows if printed(kind, said) != text]
    assert not changed, "texts that Isabelle has not read: run research/benchmarks/readback.py --record again"


def test_isabelle_reads_all_that_has_a_name():
    """The others speak of what Quickcheck_Narrowing hides from everybody: there is no text that Isabelle would read."""
    assert {kind: sum(1 for row in ROWS if row[0] == kind) for kind in ("proposition", "lemma", "sketch")} == {
        "proposition": 1000,
        "lemma": 122,  # those of test examples of Complex_Main and what it rests on
        "sketch": 50,
    }
    refused = [said for _, said, _, read in ROWS if not read]
    assert len(refused) == 13
    assert all("Quickcheck_Narrowing." in json.dumps(said) for said in refused)
