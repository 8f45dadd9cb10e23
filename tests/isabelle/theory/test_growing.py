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
    assert "too large" in found or "parts" in found or "facts" in found


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


DOUBLING_TERMS = [
    ('abbreviation "a0 \\<equiv> (0 :: nat)"\n', 'abbreviation "a@ \\<equiv> a# + a#"', 'lemma "a40 = x" sorry'),
    (
        'abbreviation (input) "a0 \\<equiv> (0 :: nat)"\n',
        'abbreviation (input) "a@ \\<equiv> (a#, a#)"',
        'lemma "a40 = x" sorry',
    ),
    (
        'abbreviation "a0 (x :: nat) \\<equiv> x + x"\n',
        'abbreviation "a@ (x :: nat) \\<equiv> a# x + a# (x + 1)"',
        'lemma "a40 x = x" sorry',
    ),
    ("record a0 = f0 :: nat\n", 'record a@ = a# + f@ :: "a# \\<times> a#"', 'lemma "(x :: a40) = x" sorry'),
    ("locale L0 = fixes x :: 'a\n", 'locale L@ = L# "(x, x)" for x', 'lemma (in L40) "x = x" sorry'),
    ('locale L0 = fixes x :: nat assumes "x = x"\n', 'locale L@ = L# "x + x" for x', 'lemma (in L40) "x = x" sorry'),
    (
        'locale L0 = fixes x :: nat assumes p: "x = x"\n',
        "locale L@ = fixes x :: nat\nsublocale L@ \\<subseteq> l: L# x by unfold_locales\n"
        'sublocale L@ \\<subseteq> r: L# "x + 1" by unfold_locales',
        'lemma (in L40) "x = x" sorry',
    ),
]


@pytest.mark.parametrize(("first", "line", "last"), DOUBLING_TERMS)
def test_terms_and_instances_that_double(first: str, line: str, last: str, engine: Engine) -> None:
    """What doubles is marked as unsupported where it grows; the rest of the file is read."""
    text = f'{first}{lines(line)}\nlemma good: "(z :: nat) = z" by simp\n{last}'
    found = state(text, engine)
    assert "unsupported" in found or "a type of more than 2000 parts" in found
    whole = f"theory T imports Main begin\n{text}\nend\n"
    context = TheoryDocument(Path("T.thy"), engine.theory_contexts, text=whole).context_at(len(whole))[0]
    assert "T.good" in context.facts


def test_notation_that_doubles(engine: Engine) -> None:
    """Rules of notation that double: the statement is refused, the next one is not."""
    rules = 'syntax "_tw" :: "logic => logic" ("TW _")\ntranslations "TW x" => "(x, x)"\n'
    text = f'{rules}lemma "{"TW (" * 40}0{")" * 40} = x" by simp\nlemma "(x :: nat) = x" sorry'
    assert "unsupported: the statement grows too large" in state(text, engine)


@pytest.mark.parametrize(
    "steps",
    [
        lines('have "?a# + ?a# = a" (is "?a@ = _") sorry').replace("?a0", "a"),
        'let ?a0 = "\\<lambda>x :: nat. x + x"\n' + lines('let ?a@ = "\\<lambda>x. ?a# (?a# x)"'),
        lines('have "(?a#, ?a#) = undefined" (is "?a@ = _") sorry').replace("?a0", "a"),
    ],
)
def test_patterns_that_double(steps: str, engine: Engine) -> None:
    """The proof is walked over, and what grows too large in it is said."""
    text = f'{LEMMA}proof -\n{steps}{PROVE}\nlemma good: "(z :: nat) = z" by simp'
    whole = f"theory T imports Main begin\n{text}\nend\n"
    document = TheoryDocument(Path("T.thy"), engine.theory_contexts, text=whole)
    assert any(word in " ".join(document.refusals()) for word in ("unsupported", "parts"))
    assert "T.good" in document.context_at(len(whole))[0].facts


def test_definitions_that_double_are_small(engine: Engine) -> None:
    text = 'definition "a0 = (0 :: nat)"\n' + lines('definition "a@ = a# + a#"') + '\nlemma "a40 = x" sorry'
    assert state(text, engine) == "[]"
