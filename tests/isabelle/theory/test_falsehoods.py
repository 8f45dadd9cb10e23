"""False statements in theory files with declarations of their own: none is proved.

Each `sorry` of `falsehoods/` stands behind something that does not follow. Names, types and equations of the file hide
those of the library, equations that overlap hold in order, and what is not proved there proves nothing.
"""

import hashlib
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest
from tests.drawn import all_but_one_slow, prover_seconds

from isarstep.apps.engine import Engine
from isarstep.apps.searching import fill_theory
from isarstep.common.errors import UserError
from isarstep.isabelle.theory.document import SorryGap, TheoryDocument
from isarstep.isabelle.theory.proofs.proof_block import ProofState
from isarstep.prover.check.prover_session import Limits, Proving
from isarstep.prover.outcomes.verdict import Proved

FALSEHOODS = sorted((Path(__file__).parent / "falsehoods").glob("*.thy"))
# Of the seconds, most of it four times: what a missing guard lets through is proved in a fraction, all else takes all.
SECONDS, LIBRARY = prover_seconds(0.05), 16
READ_AT_LEAST = 345  # others are refused, which proves nothing either


@pytest.fixture(scope="module")
def proving(engine: Engine) -> Iterator[Proving]:
    with engine.proving(SECONDS, LIBRARY) as made:
        yield made


@cache
def states(path: Path, engine: Engine) -> list[tuple[SorryGap, ProofState]]:
    """At the gaps of a file that can be read."""
    document = TheoryDocument(path, engine.theory_contexts, edited=True)
    found = []
    for gap in document.gaps():
        with suppress(UserError):
            found.append((gap, document.state_before(gap.start)))
    return found


@pytest.mark.parametrize("path", all_but_one_slow(FALSEHOODS, 2))
def test_nothing_false_is_proved(path: Path, engine: Engine, proving: Proving) -> None:
    proved = []
    for gap, state in states(path, engine):
        try:
            task = engine.read_state(state)
        except UserError:
            continue
        assert task.example.f3 is not None
        answer = proving.follows(task, task.example.f3, (), Limits(SECONDS, LIBRARY))[0]
        if isinstance(answer, Proved):
            proved.append(f"{path.name}:{gap.line}: {answer}")
    assert proved == []


def drawn_by_hash(path: Path) -> int:
    """The line of one gap of a file."""
    lines = [number for number, line in enumerate(path.read_text().splitlines(), 1) if line.strip().endswith("sorry")]
    return min(lines, key=lambda line: hashlib.sha256(f"{path.stem}:{line}".encode()).hexdigest())


@pytest.mark.parametrize("path", all_but_one_slow(FALSEHOODS[::3], 5))
def test_nothing_false_is_filled(path: Path, engine: Engine) -> None:
    """The same through the search with the model, as `fill`, `sketch` and editors ask it."""
    try:
        filled = fill_theory(engine, path, [drawn_by_hash(path)], 2, 1.0).gaps
    except UserError:
        return
    assert [gap.proof for gap in filled] == [""] * len(filled)


@pytest.mark.slow
def test_most_falsehoods_are_read(engine: Engine) -> None:
    """A reader that refuses everything would prove nothing."""
    assert sum(len(states(path, engine)) for path in FALSEHOODS) >= READ_AT_LEAST


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('definition max :: "nat ⇒ nat ⇒ nat" where "max a b = a"\nlemma "max 1 2 = 1"', "max_def"),
        ('fun f :: "nat ⇒ nat" where "f 0 = 1" | "f n = 2"\nlemma "f 3 = 2"', "f.simps(2)"),
        ('datatype t = A | B nat\nlemma "B x ≠ A"', "t.distinct"),
        (
            'inductive ev :: "nat ⇒ bool" where "ev 0" | "ev n ⟹ ev (Suc (Suc n))"\nlemma "ev (Suc (Suc 0))"',
            "ev.intros",
        ),
        ('record p = x :: nat y :: nat\nlemma "⦇x = a, y = b⦈ = ⦇x = c, y = d⦈ ⟹ b = d"', "T.p."),
        ('record p = x :: nat y :: nat\nlemma "y (r⦇y := 3⦈) = 3"', "T.p.surjective"),
    ],
)
def test_facts_of_the_file_prove(text: str, says: str, engine: Engine, proving: Proving) -> None:
    whole = f"theory T imports Main begin\n{text} sorry\nend\n"
    document = TheoryDocument(Path("T.thy"), engine.theory_contexts, text=whole)
    task = engine.read_state(document.state_before(document.gaps()[0].start))
    assert task.example.f3 is not None
    answer = proving.follows(task, task.example.f3, (), Limits(1.0, LIBRARY))[0]
    assert isinstance(answer, Proved)
    assert any(says in name for name in answer.facts)
