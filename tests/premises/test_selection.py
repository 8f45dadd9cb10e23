"""The learned order of facts, and the files that spare a process the embedding."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.prover.language import SIGNATURE
from tests.prover.small_library import library_of
from tests.prover.test_derivations import LIBRARY

from isarstep.isabelle.context.uses_above import UsesAbove
from isarstep.premises.fact_base import Library
from isarstep.premises.learned_selection import FILES, IN_NEW_ENTRIES, USED, SelectorQuestion, learned_selection


def small(identity: str) -> Library:
    library = library_of([("T", fact) for fact in list(LIBRARY.values())[:4]], SIGNATURE)
    library.identity = identity
    return library


def ranked(library: Library, *, kept: bool) -> list[int]:
    question = SelectorQuestion(step=library.texts[0])
    return learned_selection(library, kept=kept).rank(question, 4, 4, theories=frozenset({"T"}))


def test_only_worlds_of_people_are_kept_in_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    first = ranked(small("a"), kept=False)
    assert sorted(first) == [0, 1, 2, 3]
    assert ranked(small(""), kept=True) == first  # nobody could say of which facts a file is
    assert not list(tmp_path.rglob("*.npz"))
    assert ranked(small("a"), kept=True) == ranked(small("a"), kept=True) == first
    assert len(list(tmp_path.rglob("*.npz"))) == 1


def test_few_files_are_kept_the_oldest_goes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    made: list[Path] = []
    for number in range(FILES + 2):
        ranked(small(str(number)), kept=True)
        (new,) = set(tmp_path.rglob("*.npz")) - set(made)
        os.utime(new, (number, number))
        made.append(new)
        assert [path for path in made if path.exists()] == made[-FILES:]


def test_a_file_has_the_texts_so_that_the_library_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    theories = frozenset({"T"})
    first, again = small("a"), small("a")
    texts = list(first.texts)
    made = learned_selection(first, kept=True)
    assert [made.text(number, theories) for number in range(4)] == texts
    again.texts = ()
    assert [learned_selection(again, kept=True).text(number, theories) for number in range(4)] == texts


def test_a_damaged_file_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    first = ranked(small("a"), kept=True)
    (file,) = tmp_path.rglob("*.npz")
    whole = file.read_bytes()
    for place in (whole.index(b"CONST"), whole.index(b"vectors") + 200, len(whole) // 2, len(whole) - 30):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        library = small("a")
        assert ranked(library, kept=True) == first
        texts = [learned_selection(library, kept=True).text(number, frozenset({"T"})) for number in range(4)]
        assert texts == list(library.texts)
    assert file.read_bytes() == whole


def test_constants_in_common_count_for_more_where_training_has_seen_nothing() -> None:
    library = small("a")
    selection = learned_selection(library, kept=False)
    here = selection._context(frozenset({"T"}))
    for number, text in enumerate(library.texts):
        known, new = (selection.scores(SelectorQuestion(step=text, in_new_entry=each), here) for each in (False, True))
        gained = (new - known) / selection.selector.for_provers
        assert gained.argmax() == number
        assert gained[number] == pytest.approx(
            IN_NEW_ENTRIES - 1, abs=1e-3
        )  # it has all constants in common with itself


def test_what_earlier_steps_use_is_preferred_the_more_often_and_the_nearer() -> None:
    library = small("a")
    selection = learned_selection(library, kept=False)
    here = selection._context(frozenset({"T"}))
    asked = SelectorQuestion(step=library.texts[0])
    used = replace(asked, used_above=UsesAbove({1: 2}, {2: 1, 1: 1}, {3: 4, 99: 1}))  # 99 is of another theory
    gained = selection.scores(used, here) - selection.scores(asked, here)
    in_proof, in_theory, in_entry = USED
    expected = [0, in_proof * np.log(3) + in_theory * np.log(2), in_theory * np.log(2), in_entry * np.log(5)]
    assert gained.tolist() == pytest.approx(expected, abs=1e-4)
    assert selection.rank(used, 1, 4, [0], theories=frozenset({"T"})) == [1]
