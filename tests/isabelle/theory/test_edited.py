"""A file in an editor, read again from its first change on: the same as read from its beginning."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.drawn import all_but_one_slow

from isarstep.benchmark.store.store import Benchmark
from isarstep.common.errors import UserError
from isarstep.isabelle.syntax.reading.typed_writer import write_typed
from isarstep.isabelle.theory import document as document_module
from isarstep.isabelle.theory.document import TheoryDocument

FILES = sorted((Path(__file__).parent / "files").glob("*.thy"))
PIECES = (
    "", " ", "x", '"', "sorry", "\nend\n", "lemma q: \"True\" by simp\n", "definition two :: nat where \"two = 3\"\n",
    "notation plus (infixl \"⊞\" 65)\n", "(* ", "\nlocale more = fixes a :: nat begin\n", "hide_const two\n", "}", "qed\n",
)  # fmt: skip
SEED, EDITS = 34, 4


def said(document: TheoryDocument) -> list[str]:
    """Refusals, and goal, facts and context at every fifth line, or why there are none."""
    found = sorted(document.refusals())
    for line in range(1, document.source.text.count("\n") + 1, 5):
        try:
            state = document.state_at(line)
        except UserError as error:
            found.append(str(error))
            continue
        language = state.context.language
        known = [write_typed(fact.prop, language) for fact in (*state.chained, *state.local)]
        found.append(f"{line}: {write_typed(state.goal, language)} {known} {list(state.context.facts)}")
    return found


@pytest.mark.parametrize("path", all_but_one_slow(FILES[::6], 4))
def test_edits_are_read_as_new_files_are(path: Path, benchmark: Benchmark, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document_module, "KEEP_EACH", 3)
    monkeypatch.setattr(document_module, "MOST_KEPT", 5)
    monkeypatch.setattr(TheoryDocument._keep, "__defaults__", (3,))
    dice = random.Random(SEED)
    text, earlier = path.read_text(encoding="utf-8"), None
    for _ in range(EDITS):
        try:
            edited = TheoryDocument(path, benchmark.theory_contexts, text=text, edited=True, earlier=earlier)
            fresh = TheoryDocument(path, benchmark.theory_contexts, text=text)
        except UserError:
            pass  # what does not end, or has no header
        else:
            assert said(edited) == said(fresh)
            earlier = edited
        start = dice.randrange(len(text))
        text = text[:start] + dice.choice(PIECES) + text[start + dice.choice([0, 0, 1, 9]) :]


def test_only_what_is_behind_a_change_is_read_again(benchmark: Benchmark) -> None:
    lemmas = "".join(f'lemma l{n}: "x = (x :: nat)"\nproof -\n  show ?thesis by simp\nqed\n' for n in range(60))
    text = f"theory T imports Main begin\n{lemmas}end\n"
    first = TheoryDocument(Path("T.thy"), benchmark.theory_contexts, text=text, edited=True)
    first.refusals()
    place = text.index("lemma l50")
    second = TheoryDocument(
        Path("T.thy"), benchmark.theory_contexts, text=text[:place] + " " + text[place:], edited=True, earlier=first
    )
    assert second.changed == place
    assert len(second._refused) == 49  # the keyword behind the fiftieth statement is new
    assert [kept.at for kept in second._kept or ()] == [0, 130]
