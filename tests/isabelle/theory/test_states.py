"""States of structured proofs in small theory files: goal, fixed variables and facts at every `sorry`.

`files/states.txt` was written down from knowledge of Isabelle; a state that is refused says why, with file, line and
column.
"""

import re
from functools import cache
from pathlib import Path

import pytest

from isarstep.benchmark.store.store import Benchmark
from isarstep.common.errors import UserError
from isarstep.isabelle.syntax.reading.typed_writer import write_typed
from isarstep.isabelle.syntax.writing.writer import write_type
from isarstep.isabelle.theory.document import SorryGap, TheoryDocument

FILES = Path(__file__).parent / "files"


def described(document: TheoryDocument, gap: SorryGap) -> list[str]:
    try:
        state = document.state_before(gap.start)
    except UserError as error:
        return [f"refused {str(error).replace(f'{FILES}/', '')}"]
    language = state.context.language
    lines = [f"goal {write_typed(state.goal, language)}"]
    if state.fixed:
        lines.append("fixed " + ", ".join(f"{n} :: {write_type(t, language)}" for n, t in state.fixed.items()))
    for kind, facts in (("chained", state.chained), ("local", state.local)):
        for fact in facts:
            label = f"{fact.name}: " if fact.name else ""
            sorry = " (sorry)" if fact.unproved else ""
            lines.append(f"{kind} {label}{write_typed(fact.prop, language)}{sorry}")
    if state.named:
        lines.append("named " + " ".join(state.named))
    return lines


@cache
def expected() -> dict[str, str]:
    text = (FILES / "states.txt").read_text(encoding="utf-8")
    return dict(re.findall(r"^# (\w+)\n(.*?)(?=^# |\Z)", text, re.MULTILINE | re.DOTALL))


def states_of(path: Path, benchmark: Benchmark) -> str:
    document = TheoryDocument(path, benchmark.theory_contexts, edited=True)
    lines: list[str] = []
    for gap in document.gaps():
        lines += [str(gap.line), *(f"  {line}" for line in described(document, gap))]
    return "".join(f"{line}\n" for line in lines)


@pytest.mark.parametrize("name", sorted(path.stem for path in FILES.glob("*.thy")))
def test_states(name: str, benchmark: Benchmark) -> None:
    assert states_of(FILES / f"{name}.thy", benchmark) == expected()[name].rstrip("\n") + "\n" * bool(expected()[name])


def test_every_file_is_expected() -> None:
    assert sorted(expected()) == sorted(path.stem for path in FILES.glob("*.thy"))
