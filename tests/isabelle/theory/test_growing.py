"""Theory files that double what they say with every line, and files that are none, are refused where they grow."""

import os
from pathlib import Path

import pytest

from isarstep.apps.engine import Engine
from isarstep.common.cancellation import DeadlineError, working_until
from isarstep.common.errors import UserError
from isarstep.isabelle.theory.document import TheoryDocument
from isarstep.isabelle.theory.text.source import read_source

LEMMA = 'lemma "(a :: nat) = a"\n'
PROVE = "\nshow ?thesis sorry\nqed"


def lines(text: str) -> str:
    """Forty of them: `@` is the number of the line, `#` that of the one before."""
    return "\n".join(text.replace("@", str(n)).replace("#", str(n - 1)) for n in range(1, 41))


def state(text: str, engine: Engine) -> str:
    """Why the state at the last gap is not read, and what is not read before it."""
    document = TheoryDocument(Path("T.thy"), engine.theory_contexts, text=f"theory T imports Main begin\n{text}\nend\n")
    place = document.gaps()[-1].start
    notes = document.context_at(place)[0].notes
    try:
        document.state_before(place)
    except UserError as error:
        return f"{error} {notes}"
    return str(notes)


@pytest.mark.parametrize(
    "text",
    [
        f'{LEMMA}proof -\n{lines("""let ?a@ = "?a# + ?a#" """).replace("?a0", "a")}{PROVE}',
        f'{LEMMA}proof -\n{lines("""let ?a@ = "(?a#, ?a#)" """).replace("?a0", "a")}{PROVE}',
        "type_synonym a0 = nat\n" + lines('type_synonym a@ = "a# \\<times> a#"') + '\nlemma "(x :: a40) = x" sorry',
        "type_synonym 'a b = \"'a \\<times> 'a\"\n" + f'lemma "(x :: nat{" b" * 40}) = x" sorry',
        f'lemma assumes a0: "(a :: nat) = a" shows "a = a"\nproof -\n{lines("note a@ = a# a#")}{PROVE}',
        'lemma a0: "(a :: nat) = a" by simp\n' + lines("lemmas a@ = a# a#") + '\nlemma "(x :: nat) = x" sorry',
    ],
)
def test_what_doubles_is_refused(text: str, engine: Engine) -> None:
    found = state(text, engine)
    assert "parts" in found or "facts" in found


def test_deep_contexts(engine: Engine) -> None:
    text = "context begin\n" * 1500 + 'lemma "x = x" sorry\n' + "end\n" * 1500
    with pytest.raises(UserError, match="stands in a block that is not read"):
        state(text, engine)


def test_a_deadline_ends_reading(engine: Engine) -> None:
    with working_until(0.0), pytest.raises(DeadlineError):
        state(LEMMA + "sorry", engine)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no FIFOs")
def test_special_files(tmp_path: Path) -> None:
    fifo, link = tmp_path / "Fifo.thy", tmp_path / "Zero.thy"
    os.mkfifo(fifo)
    link.symlink_to("/dev/zero")
    for path in (fifo, link):
        with pytest.raises(UserError, match="no regular file"):
            read_source(path)


def test_huge_files(tmp_path: Path) -> None:
    path = tmp_path / "Huge.thy"
    with path.open("wb") as file:
        file.truncate(50_000_001)
    with pytest.raises(UserError, match="more than 50 MB"):
        read_source(path)
