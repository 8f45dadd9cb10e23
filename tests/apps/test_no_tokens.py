"""What people are shown has names and notation, and no tokens: no `<X0>`, `?<V0>`, `?'a`, `«x»` and no `CONST`.

5,000 examples of the benchmark, drawn by the hash that their ids are, are written by the one table; some of these
go through every other door, from a few theories, because the notation of a theory takes a while to load.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from isarstep.apps.engine import Engine
from isarstep.apps.filling import filled_gap
from isarstep.apps.mcp.tools.steps import step_shown
from isarstep.apps.service import answer_fields
from isarstep.apps.service.printed import printed_step, printed_task
from isarstep.benchmark.export.display import Printer, describe
from isarstep.benchmark.problems.task import Task
from isarstep.benchmark.store.example import Example
from isarstep.common.errors import UserError
from isarstep.isabelle.theory.document import TheoryDocument
from isarstep.prover.isar.sketch import Link, Sketch

DRAWN, THEORIES, EACH = 5_000, 6, 12
TOKENS = re.compile(r"<[XVB]\d+>|\?'|\?<|[«»]|\b(?:BOUND|CONST|FREE|VAR|ABS) |\b_constrain\b")
FILES = Path(__file__).parents[1] / "isabelle" / "theory" / "files"


@pytest.fixture(scope="module")
def drawn(engine: Engine) -> list[Example]:
    found = [example for split in ("test", "valid") for example in engine.benchmark.split(split).lowest(DRAWN)]
    return sorted(found, key=lambda example: example.id)[:DRAWN]


@pytest.fixture(scope="module")
def tasks(engine: Engine, drawn: list[Example]) -> list[Task]:
    often = [theory for theory, _ in Counter(example.theory for example in drawn).most_common(THEORIES)]
    chosen = [example for theory in often for example in [e for e in drawn if e.theory == theory][:EACH]]
    return [engine.reader_in(engine.theory_contexts.at(example.theory)).of_example(example, None) for example in chosen]


def refuse_tokens(text: str, where: str) -> None:
    found = TOKENS.search(text)
    assert found is None, f"{where}: {text[max(0, found.start() - 80) : found.end() + 40]}"


def test_one_table(engine: Engine, drawn: list[Example]) -> None:
    assert len(drawn) == DRAWN
    printer = Printer(engine.benchmark, "unicode")
    for example in drawn:
        refuse_tokens("\n".join(describe(example, "test", printer)), example.id)


def test_show(engine: Engine, tasks: list[Task]) -> None:
    printer = Printer(engine.benchmark, "unicode", at_home=True)
    for task in tasks:
        refuse_tokens("\n".join(describe(task.example, "test", printer)), task.example.id)


def sentences(value: object) -> Iterator[str]:
    """All texts in a document but those that are tokens by intent."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in ("tokens", "type_terms"):
                yield from sentences(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from sentences(inner)
    elif isinstance(value, str):
        yield value


def test_steps_and_json(engine: Engine, tasks: list[Task]) -> None:
    for task in tasks:
        example = task.example
        refuse_tokens(printed_task(task, engine.unknown(task)), example.id)
        ill_formed = "CONST HOL.Trueprop $ ( CONST HOL.eq $ FREE <X0> $ CONST HOL.Trueprop )"
        steps = engine.steps(task, [(example.f1, -1.0), *((line, -2.0) for line in example.f2), (ill_formed, -3.0)])
        for number, step in enumerate(steps, 1):
            refuse_tokens(printed_step(number, step, True), example.id)
            for text in (*sentences(answer_fields.step(step, task)), *sentences(step_shown(step).model_dump())):
                refuse_tokens(text, example.id)
        for text in sentences(answer_fields.example_shown(example, "test", task.names)):
            refuse_tokens(text, example.id)
        for text in (*task.types().values(), *map(str, task.general())):
            refuse_tokens(text, example.id)


def sketch_of(task: Task, goal: str) -> Sketch:
    lines = [(line, task.term(line), task.text(line)) for line in (task.example.f1, goal) if line]
    return Sketch(task, tuple(Link(*line) for line in lines), 0.0, 1, 0.1)


def test_sketches(tasks: list[Task]) -> None:
    for task in tasks:
        if task.example.f3 is not None:
            sketch = sketch_of(task, task.example.f3)
            for text in (sketch.isar(), sketch.shown(["E"], []), sketch.state):
                refuse_tokens(text, task.example.id)


@pytest.mark.parametrize("name", ["Attributes", "Several", "Considered", "RuleInductions"])
def test_states_and_gaps_of_files(engine: Engine, name: str) -> None:
    document = TheoryDocument(FILES / f"{name}.thy", engine.theory_contexts)
    for gap in document.gaps()[::5]:  # a state takes a while to read
        try:
            state = document.state_before(gap.start)
        except UserError as error:
            refuse_tokens(str(error), name)
            continue
        task = engine.read_state(state)
        assert task.example.f3 is not None
        refuse_tokens(printed_task(task, engine.unknown(task)), f"{name}:{gap.line}")
        for f1 in ("", *task.example.f4[:1]):
            sketch = sketch_of(replace(task, example=replace(task.example, f1=f1)), task.example.f3)
            filled = filled_gap(gap, state, sketch)
            refuse_tokens(f"{sketch.isar()} {filled.text} {filled.why}", f"{name}:{gap.line}")
