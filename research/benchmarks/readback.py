"""Does a real Isabelle read what we print as the same terms? Propositions of the test split, lemmas and sketches.

    python research/benchmarks/readback.py --isabelle HOME --heaps IMAGES --image HOL-Analysis
        [--propositions 1000] [--lemmas 200] [--sketches 50]

Printed in the language of the example's theory, read there by Readback.ML: propositions with their variables fixed,
lemmas and sketches (a step between facts and goal) as pieces of Isar text. Compared are terms with types, abbreviations
unfolded, modulo eta; sorts are those that the text names. `--record FILE` keeps texts and Isabelle's answers for
`tests/isabelle/syntax/test_readback.py`. Prints tables; the last line is one JSON document.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import tempfile
from collections import Counter
from collections.abc import Container, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import zstandard

from isarstep.benchmark.problems.problem_reader import ProblemReader
from isarstep.benchmark.problems.task import Task
from isarstep.benchmark.store.example import Example
from isarstep.benchmark.store.store import Benchmark
from isarstep.common.errors import UserError
from isarstep.isabelle.context.theory_contexts import TheoryContext
from isarstep.isabelle.inference.infer import infer
from isarstep.isabelle.process import release, yxml
from isarstep.isabelle.process.images import Images
from isarstep.isabelle.process.installation import Sessions, find_installation
from isarstep.isabelle.process.ml_process import MLProcess, Start, ml_string
from isarstep.isabelle.syntax.grammar.abbreviations import expand
from isarstep.isabelle.syntax.grammar.symbols import normal, to_isabelle
from isarstep.isabelle.syntax.reading.typed_writer import write_typed
from isarstep.isabelle.syntax.writing.writer import write_type
from isarstep.isabelle.terms.normal_forms import beta_eta_normal
from isarstep.isabelle.terms.terms import Abs, App, Bound, Const, Free, Term, TFree, TVar, Typ, Var, frees, substitute
from isarstep.isabelle.terms.tokens import decode
from isarstep.prover.isar.sketch import Link, Sketch, exact_text

_job = yxml.pair(
    yxml.string,
    yxml.pair(
        yxml.string,
        yxml.pair(yxml.string, yxml.pair(yxml.listing(yxml.pair(yxml.string, yxml.string)), yxml.string)),
    ),
)

RECORDED = "Complex_Main"  # the theory of the recorded texts


@dataclass(frozen=True)
class Printed:
    """A text, the theory that it was printed for, its variables with their types as text, and the terms meant."""

    id: str
    theory: str
    kind: str  # proposition, lemma or sketch
    fixes: tuple[tuple[str, str], ...]
    text: str
    terms: tuple[str, ...]
    said: Any = ()  # what the text was printed from

    def encoded(self) -> bytes:
        kind = "prop" if self.kind == "proposition" else "isar"
        fixes = [(to_isabelle(name), to_isabelle(typ)) for name, typ in self.fixes]
        return _job((self.id, (self.theory, (kind, (fixes, to_isabelle(self.text))))))


def encode_type(typ: Typ) -> str:
    if isinstance(typ, TFree):
        return f"f {typ.name}"
    if isinstance(typ, TVar):
        return f"v {typ.name}.{typ.index}"
    return " ".join(["t", typ.name, str(len(typ.args)), *map(encode_type, typ.args)])


def encode_term(term: Term) -> str:
    """As Readback.ML writes it."""
    match term:
        case Const(name, typ):
            return f"C {name} {encode_type(typ)}" if typ is not None else f"C {name} ?"
        case Free(name, typ):
            return f"F {to_isabelle(normal(name))} {encode_type(typ)}" if typ is not None else f"F {name} ?"
        case Var(name, index, typ):
            return f"V {name}.{index} {encode_type(typ)}" if typ is not None else f"V {name} ?"
        case Bound(index):
            return f"B {index}"
        case Abs(_, typ, body):
            return f"L {encode_type(typ)} {encode_term(body)}" if typ is not None else f"L ? {encode_term(body)}"
        case App(function, argument):
            return f"@ {encode_term(function)} {encode_term(argument)}"
    raise AssertionError(term)


class Printer:
    """Examples of one benchmark as texts for Isabelle, each in its own context or all in one."""

    def __init__(self, benchmark: Benchmark, one_context: TheoryContext | None = None) -> None:
        self.benchmark, self.one_context = benchmark, one_context
        self._readers: dict[str, ProblemReader] = {}

    def task(self, example: Example) -> Task:
        reader = self._readers.get(example.theory)
        if reader is None:
            theory_context = self.one_context or self.benchmark.theory_contexts.at(example.theory)
            reader = self._readers[example.theory] = ProblemReader(theory_context)
        return reader.of_example(example)

    def meant(self, task: Task, tokens: str) -> str:
        """The term of a proposition under the names that are shown."""
        signature, names = task.theory_context.signature, task.shown_names()
        typed = infer([decode(tokens)], signature, task.context).propositions[0]

        def shown(leaf: Free | Var) -> Term | None:
            return Free(names[leaf.name], leaf.type) if type(leaf) is Free else None

        return encode_term(substitute(beta_eta_normal(expand(typed, signature)), shown))

    def propositions(self, example: Example) -> Iterator[Printed]:
        """F.1 to F.4 under the names that the theory's text gives its variables, as far as these differ."""
        task = self.task(example)
        language, signature = task.theory_context.language, task.theory_context.signature
        assert language is not None
        for number, tokens in enumerate(dict.fromkeys((example.f1, *example.f2, example.f3 or "", *example.f4))):
            if not tokens or "VAR" in tokens.split():
                continue
            typed = infer([decode(tokens)], signature, task.context).propositions[0]
            names = task.shown_names()
            variables = {free.name: free.type for free in frees(typed) if free.type is not None}
            fixes = tuple((normal(names[v]), write_type(t, language, sorts=True)) for v, t in variables.items())
            text = normal(write_typed(typed, language, names=names))
            meant = (self.meant(task, tokens),)
            where = RECORDED if self.one_context else example.theory
            yield Printed(f"{example.id}.{number}", where, "proposition", fixes, text, meant, (tokens, example.types))

    def isar(self, example: Example, kind: str) -> Printed | None:
        """The example as a lemma, or as a sketch with the target between its facts and the goal."""
        lines = dict.fromkeys((*example.f2, *example.f4))
        if example.f3 is None or any("VAR" in line.split() for line in (*lines, example.f1, example.f3)):
            return None
        task = self.task(example)
        steps = [example.f1, example.f3] if kind == "sketch" else [example.f3]
        links = tuple(Link(line, task.term(line), exact_text(task, line)) for line in steps)
        text = Sketch(task, links, 0.0, 0, 0.0).isar()
        goal = self.meant(task, example.f3)
        stated = [*(self.meant(task, line) for line in lines), goal]
        stated += [self.meant(task, example.f1)] if kind == "sketch" else []
        where = RECORDED if self.one_context else example.theory
        said = [example.f1, list(example.f2), example.f3, list(example.f4), example.types]
        return Printed(f"{example.id}.{kind}", where, kind, (), text, (*stated, goal), said)


def chosen(printer: Printer, theories: Container[str], wanted: dict[str, int]) -> list[Printed]:
    """Of the test split, in the order of a hash, as many of each kind as are wanted."""
    benchmark = printer.benchmark
    found: dict[str, list[Printed]] = {kind: [] for kind in wanted}
    examples = [example for example in benchmark.split("test") if example.theory in theories]
    for example in sorted(examples, key=lambda example: hashlib.sha256(example.id.encode()).hexdigest()):
        if all(len(found[kind]) >= count for kind, count in wanted.items()):
            break
        try:
            if len(found["proposition"]) < wanted["proposition"]:
                found["proposition"] += printer.propositions(example)
            for kind in ("lemma", "sketch"):
                if len(found[kind]) < wanted[kind] and (made := printer.isar(example, kind)) is not None:
                    found[kind].append(made)
        except UserError as error:  # an example whose recorded types do not type it
            print(f"{example.id}: not printed, {error}"[:160])
    return [item for kind, items in found.items() for item in items[: wanted[kind]]]


def read_back(options: argparse.Namespace, items: list[Printed]) -> dict[str, list[str]]:
    """Isabelle's answers by id: `read` and terms, or `refused` and the reason."""
    installation = find_installation(Path(options.isabelle), any_release=True)
    sessions = Sessions(installation, [])
    manifest = json.loads((Path(options.heaps) / f"{options.image}.json").read_text())
    images = Images(installation, sessions, Path(options.heaps).resolve())
    with tempfile.TemporaryDirectory() as folder:
        given, made = Path(folder) / "given", Path(folder) / "made"
        given.write_bytes(yxml.listing(bytes)([item.encoded() for item in items]))
        main = f"Isarstep_Readback.main ({ml_string(str(given))}, {ml_string(str(made))})"
        start = Start(
            images=tuple(images.path(name) for name in manifest["files"]),
            uses=(Path(__file__).parent / "Readback.ML",),
            main=main,
            loaded=tuple(sorted(manifest["theories"])),
            sessions=(),
            memory_mb=4000,
            options=(*release.TRUST_OPTIONS.items(),),
        )
        with MLProcess(installation, sessions, start) as process:
            process.wait(options.seconds)
        rows = (line.split("\t") for line in made.read_text("utf-8").splitlines())
        return {row[0]: row[1:] for row in rows}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--isabelle", required=True)
    parser.add_argument("--heaps", required=True)
    parser.add_argument("--image", default="HOL-Analysis")
    parser.add_argument("--benchmark", default="embedded")
    parser.add_argument("--propositions", type=int, default=1000)
    parser.add_argument("--lemmas", type=int, default=200)
    parser.add_argument("--sketches", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=1200.0)
    parser.add_argument("--show", type=int, default=0, help="so many failures")
    parser.add_argument("--record", type=Path)
    options = parser.parse_args()
    benchmark = Benchmark(options.benchmark)
    theories = frozenset(json.loads((Path(options.heaps) / f"{options.image}.json").read_text())["theories"])
    wanted = {"proposition": options.propositions, "lemma": options.lemmas, "sketch": options.sketches}
    one_context = recorded_context() if options.record else None
    if one_context is not None:  # what the fixture's language can say
        theories = benchmark.theory_contexts.rests_on(RECORDED)
    items = chosen(Printer(benchmark, one_context), theories, wanted)
    answers = read_back(options, items)
    counts: dict[str, Counter[str]] = {kind: Counter() for kind in wanted}
    shown = 0
    for item in items:
        verdict, *terms = answers.get(item.id, ["no answer"])
        same = verdict == "read" and read_as_meant(item, terms)
        if verdict == "refused" and "Inaccessible" in terms[0]:
            verdict = "refused: hidden from everybody"  # its theory hides it at its end, there is no text for it
        counts[item.kind]["same" if same else "another term" if verdict == "read" else verdict] += 1
        if not same and shown < options.show:
            shown += 1
            print(f"{item.id} {item.theory} {verdict}\n{item.text}\n  meant {item.terms}\n  read  {terms}\n")
    if options.record:
        record(options.record, items, answers)
    document = {kind: dict(count) for kind, count in counts.items()}
    for kind, count in counts.items():
        print(f"{kind}: {count['same']} of {sum(count.values())} read back as the same, {dict(count)}")
    print(json.dumps({"benchmark": benchmark.hash, "image": options.image, **document}))


def read_as_meant(item: Printed, terms: list[str]) -> bool:
    """The same terms; type variables that no variable has are called by the order in which they occur."""
    fixed = set(re.findall(r"'\w+", " ".join(typ for _, typ in item.fixes)))
    if item.kind != "proposition":
        fixed = set(re.findall(r"'\w+", item.text.partition("assumes")[0].partition("shows")[0]))
    return [renamed(term, fixed) for term in terms] == [renamed(term, fixed) for term in item.terms]


def renamed(term: str, fixed: Container[str]) -> str:
    names: dict[str, str] = {}

    def rename(match: re.Match[str]) -> str:
        name = match[1]
        return match[0] if name in fixed else f"f {names.setdefault(name, f'?{len(names)}')}"

    return re.sub(r"\bf ('\w+)", rename, term)


def recorded_context() -> TheoryContext:
    """The language that the tests have with them, so that what is recorded can be printed again without a benchmark."""
    from tests.isabelle.syntax import complex_main

    found = TheoryContext.of_signature(complex_main.language().signature)
    found.language = complex_main.language()
    return found


def record(path: Path, items: list[Printed], answers: dict[str, list[str]]) -> None:
    """What was printed, its text, and whether Isabelle read that as it was meant."""
    rows = []
    for item in items:
        verdict, *terms = answers.get(item.id, ["no answer"])
        rows.append([item.kind, item.said, item.text, verdict == "read" and read_as_meant(item, terms)])
    text = "[\n" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n]\n"
    path.write_bytes(zstandard.ZstdCompressor(level=19).compress(text.encode()))


if __name__ == "__main__":
    main()
