"""Planted mistakes are one change each, and marks say which blocks a call has run."""

import builtins
import os
import signal
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
    monkeypatch.syspath_prepend(str(Path(__file__).parent.parent / "research" / "benchmarks"))


def test_every_mutant_is_one_change_and_what_decides_no_answer_has_none() -> None:
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
    assert list(mutants("f.py", "def pairs(a, b):\n    return zip(a, b, strict=True)\n")) == []
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


def test_a_seed_draws_the_same_mutants_each_time_and_another_seed_others() -> None:
    from mutants import drawn_from
    from mutating import mutants

    made = list(mutants("f.py", TEXT))
    assert drawn_from(made, 4, "gate") == drawn_from(made, 4, "gate") != drawn_from(made, 4, "gate 1")
    assert len({*drawn_from(made, 4, "gate")}) == 4
    assert drawn_from(made, 0, "gate") == drawn_from(made, 99, "gate") == made


def test_what_comes_to_no_end_is_ended_by_its_processor_time_and_told_apart_from_a_failure() -> None:
    from mutants import forked

    def for_ever(_: int) -> int:
        while True:
            pass

    def told(writing: int) -> int:
        os.write(writing, b"7 tests")
        return 1

    assert forked(for_ever, 1, 600) == (-signal.SIGXCPU, b"")
    assert forked(told, 60, 600) == (1, b"7 tests")


def test_the_cheapest_tests_are_taken_while_they_can_be_paid_for() -> None:
    from mutants import affordable

    assert affordable({"dear": 9.0, "cheap": 1.0, "middle": 3.0}, 4.0) == ["cheap", "middle"]
    assert affordable({"dear": 9.0}, -1.0) == []


def test_what_was_kept_of_a_look_is_not_read_once_a_test_has_changed(tmp_path: Path) -> None:
    from mutants import Room

    (tmp_path / "isarstep").mkdir()
    (tmp_path / "isarstep" / "f.py").write_text(TEXT)
    test = tmp_path / "test_f.py"
    test.write_text("assert True\n")
    before = Room(tmp_path, ["f.py"], [str(test)])._digest()
    assert Room(tmp_path, ["f.py"], [str(test)])._digest() == before
    test.write_text("assert 1\n")
    assert Room(tmp_path, ["f.py"], [str(test)])._digest() != before


def test_a_mistake_is_made_in_functions_that_are_loaded_already(tmp_path: Path) -> None:
    from mutating import mutants
    from swapping import functions_of, plant

    path = tmp_path / "f.py"
    path.write_text(TEXT)
    space: dict[str, object] = {"__name__": "f"}
    exec(compile(TEXT, str(path), "exec", dont_inherit=True), space)
    sign, held = space["sign"], [space["sign"]]
    made = {mutant.change: mutant for mutant in mutants("f.py", TEXT)}
    assert sign(1) == 2  # type: ignore[operator]
    assert plant(TEXT, made["x >= least -> x > least"], str(path), functions_of(str(path)))
    assert sign(1) == held[0](1) == 0  # type: ignore[operator]
    assert not plant(TEXT, made["3 -> 4"], str(path), functions_of(str(path)))  # runs on import


def test_blocks_that_run_for_a_cache_are_noted_beside_those_of_the_test(monkeypatch: pytest.MonkeyPatch) -> None:
    from mutants import Marks
    from mutating import HITS

    monkeypatch.setattr(builtins, HITS, set(), raising=False)
    marks = Marks()

    def make(number: int) -> int:
        marks.hits.add(("f.py", 1))
        return number + 1

    marks.hits.add(("f.py", 9))
    assert marks.remembered(make)(6) == 7
    assert marks.kept == {("f.py", 1)}
    assert marks.hits == {("f.py", 1), ("f.py", 9)}


def test_what_is_made_once_for_all_is_tried_by_the_tests_that_run_it_and_then_by_all_others(tmp_path: Path) -> None:
    from mutants import Ran, Room
    from mutating import block_of, mutants

    (tmp_path / "isarstep").mkdir()
    (tmp_path / "isarstep" / "f.py").write_text(TEXT)
    room = Room(tmp_path, ["f.py"], [])
    made = {mutant.change: mutant for mutant in mutants("f.py", TEXT)}
    mutant, limit = made["x >= least -> x > least"], made["3 -> 4"]
    block = ("f.py", block_of(TEXT, mutant) or 0)
    room.ran = {"dear": Ran(3.0, {block}), "cheap": Ran(1.0), "middle": Ran(2.0)}
    assert room.running(mutant) == (["dear"], [])
    assert room.running(limit) == (["dear", "cheap", "middle"], [])  # on import
    room.kept = {block}
    assert room.running(mutant) == (["dear"], ["cheap", "middle"])
    assert [room.paid(mutant, budget) for budget in (2.5, 3.5, 4.5, 6.0)] == [
        ["cheap"], ["dear"], ["dear", "cheap"], ["dear", "cheap", "middle"],
    ]  # fmt: skip
    assert (room.is_loaded(mutant), room.is_loaded(limit)) == (False, True)
    room.kept, room.imported, room.ran["dear"] = set(), {block}, Ran(3.0)
    assert room.running(mutant) == ([], ["dear", "cheap", "middle"])
    assert room.is_loaded(mutant)


def test_every_guard_stands_in_the_source_once_and_its_test_exists() -> None:
    from guards import GUARDS, ROOT

    for guard in GUARDS:
        source = (ROOT / "src" / "isarstep" / guard.file).read_text(encoding="utf-8")
        assert source.count(guard.before) == 1, guard.name
        file, _, test = guard.test.partition("::")
        assert f"def {test.partition('[')[0]}(" in (ROOT / file).read_text(encoding="utf-8"), guard.name


def test_the_files_of_mutants_and_their_tests_exist() -> None:
    from mutants import ROOMS, ROOT

    for patterns, tests in ROOMS.values():
        assert all(list((ROOT / "src" / "isarstep").glob(pattern)) for pattern in patterns)
        assert all((ROOT / test).exists() for test in tests)
