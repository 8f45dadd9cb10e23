"""Values in the cache folder: found again, and never believed when they are not whole."""

from __future__ import annotations

import hashlib
import marshal
from pathlib import Path

import pytest

from isarstep.common import disk_cache as module
from isarstep.common.disk_cache import kept_value

VALUE = {"names": ["a", "b"], "counts": [1, 2, None]}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "isarstep" / "things"


def asked(key: str = "a") -> tuple[object, bool]:
    """The value, and whether it was made."""
    made = False

    def make() -> object:
        nonlocal made
        made = True
        return VALUE

    return kept_value("things", key, make), made


def test_what_was_made_is_found_again_under_its_key(folder: Path) -> None:
    assert asked() == (VALUE, True)
    assert asked() == (VALUE, False)
    assert asked("b") == (VALUE, True)
    assert len(list(folder.iterdir())) == 2


def test_another_version_makes_its_own(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked()
    monkeypatch.setattr(module, "__version__", "another")
    assert asked() == (VALUE, True)


@pytest.mark.parametrize("place", [0, 31, 32, 40, -1])
def test_a_changed_byte_is_seen(folder: Path, place: int) -> None:
    asked()
    (file,) = folder.iterdir()
    raw = bytearray(file.read_bytes())
    raw[place] ^= 1
    file.write_bytes(raw)
    assert asked() == (VALUE, True)
    assert asked() == (VALUE, False)


@pytest.mark.parametrize("length", [0, 10, 32, 50])
def test_a_file_that_was_cut_off_is_made_again(folder: Path, length: int) -> None:
    asked()
    (file,) = folder.iterdir()
    file.write_bytes(file.read_bytes()[:length])
    assert asked() == (VALUE, True)
    assert asked() == (VALUE, False)


def test_where_nothing_can_be_written_it_is_made_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert asked() == (VALUE, True)
    assert asked() == (VALUE, True)


def test_a_file_can_say_nothing_but_values(folder: Path) -> None:
    """Code that somebody writes into the folder is never read as such, and neither is what the interpreter marshals."""
    asked()
    (file,) = folder.iterdir()
    content = marshal.dumps(VALUE)
    file.write_bytes(hashlib.sha256(content).digest() + content)
    assert asked() == (VALUE, True)


def test_few_are_kept(folder: Path) -> None:
    for number in range(9):
        asked(str(number))
    assert len(list(folder.iterdir())) < 9
