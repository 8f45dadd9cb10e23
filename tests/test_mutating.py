"""Planted mistakes are one change each, and marks say which blocks a call has run."""

import builtins
from pathlib import Path

import pytest

TEXT = '''
from dataclasses import dataclass

LIMIT = 3


@dataclass(frozen=True)
class Point:
    x: int = 0


def sign(x: int, least: int = 1) -> int:
    """One of two answers."""
    if x >= least and not x == LIMIT:
        return x + 1
    else:
        x -= 1
        return x // 2
'''


@pytest.fixture(autouse=True)
def _on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent.parent / "benchmarks"))


def test_every_mutant_is_one_change_and_decorators_have_none() -> None:
    from mutating import mutants, mutated

    made = list(mutants("f.py", TEXT))
    changes = {mutant.change for mutant in made}
    assert "x >= least -> x > least" in changes
    assert any(" and " in before and " or " in after for before, _, after in (c.partition(" -> ") for c in changes))
    assert "x == LIMIT -> x != LIMIT" in changes
    assert "not x == LIMIT -> not not x == LIMIT" in changes
    assert "x + 1 -> x - 1" in changes
    assert "x // 2 -> x * 2" in changes
    assert "3 -> 4" in changes
    assert not any("True" in change for change in changes)
    texts = {mutated(TEXT, mutant) for mutant in made}
    assert len(texts) == len(made)


def test_a_mutant_behaves_otherwise() -> None:
    from mutating import mutants, mutated

    [wanted] = [mutant for mutant in mutants("f.py", TEXT) if mutant.change == "x >= least -> x > least"]
    space: dict[str, object] = {}
    exec(mutated(TEXT, wanted), space)
    assert space["sign"](1) == 0  # type: ignore[operator]
    assert wanted.line == 14


def test_marks_say_which_block_has_run(monkeypatch: pytest.MonkeyPatch) -> None:
    from mutating import HITS, block_of, marked, mutants

    hits: set[tuple[str, int]] = set()
    monkeypatch.setattr(builtins, HITS, hits, raising=False)
    space: dict[str, object] = {}
    exec(marked("f.py", TEXT), space)
    assert space["sign"].__doc__ == "One of two answers."  # type: ignore[attr-defined]
    assert hits == set()
    assert space["sign"](2) == 3  # type: ignore[operator]
    blocks = {mutant.change: block_of(TEXT, mutant) for mutant in mutants("f.py", TEXT)}
    assert blocks["3 -> 4"] is None  # on import
    assert ("f.py", blocks["x >= least -> x > least"]) in hits
    assert ("f.py", blocks["x + 1 -> x - 1"]) in hits
    assert ("f.py", blocks["x // 2 -> x * 2"]) not in hits
    assert space["sign"](0) == -1  # type: ignore[operator]
    assert ("f.py", blocks["x // 2 -> x * 2"]) in hits
