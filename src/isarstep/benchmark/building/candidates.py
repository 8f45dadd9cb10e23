"""Which entries of an Archive may be mined to be scored only: a rule that looks at names, dates, sizes and sources.

An entry is a candidate when it is not in the corpus, needs no theories but its own and those of sessions that are
given, is neither too long nor without proofs in steps, and copies no theory of the corpus. Candidates are taken in the
order of the SHA-256 of their names, so that nobody chooses.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from isarstep.benchmark.rules.entries import entry_of
from isarstep.common.errors import UserError
from isarstep.isabelle.process.installation import Sessions, Theory

_LONG = 40  # characters from which on a line is hardly written twice
_BLANKS = re.compile(r"\s+")
_STEP = re.compile(r"\b(?:have|hence|show|thus|obtain)\b")


@dataclass(frozen=True)
class CandidateRule:
    """What makes an entry of an Archive a candidate."""

    known: Collection[str]  # the entries of the corpus
    bases: Collection[str]  # sessions whose theories it may need beside its own
    least_steps: int = 100  # commands in its theories that state a step
    most_lines: int = 3000
    copied: float = 0.1  # the share of long lines from which on it is a copy
    after: str = ""  # only entries dated later than this day, as 2026-02-03
    word: str = ""  # before each name that is hashed: another word, another draw


@dataclass(frozen=True)
class Candidate:
    entry: str
    sessions: tuple[str, ...]
    lines: int
    steps: int
    dated: str


def candidates(archive: Path, sessions: Sessions, rule: CandidateRule) -> Iterator[Candidate]:
    """The candidates of an Archive (the folder with `thys` and `metadata`), in the order of their hashes."""
    thys = (archive / "thys").resolve()
    by_entry: dict[str, list[str]] = {}
    for session in sessions.entries.values():
        if session.directory.is_relative_to(thys) and session.directory != thys:
            by_entry.setdefault(session.directory.relative_to(thys).parts[0], []).append(session.name)
    trained = _long_lines(_text(path) for entry in rule.known for path in (thys / entry).rglob("*.thy"))
    for entry in sorted(by_entry, key=lambda name: hashlib.sha256((rule.word + name).encode()).hexdigest()):
        if entry in rule.known or any(entry_of(name) in rule.known for name in by_entry[entry]):
            continue
        path = archive / "metadata" / "entries" / f"{entry}.toml"
        dated = str(tomllib.loads(_text(path)).get("date", "")) if path.is_file() else ""
        if rule.after and dated <= rule.after:
            continue
        own = _own_theories(sessions, by_entry[entry], rule.bases)
        if own is None:
            continue
        texts = [_text(theory.path) for theory in own]
        lines = sum(text.count("\n") for text in texts)
        steps = sum(len(_STEP.findall(text)) for text in texts)
        wanted = _long_lines(texts)
        copied = len(wanted & trained) >= rule.copied * max(1, len(wanted))
        if lines <= rule.most_lines and steps >= rule.least_steps and not copied:
            yield Candidate(entry, tuple(sorted(by_entry[entry])), lines, steps, dated)


def _own_theories(sessions: Sessions, names: Iterable[str], bases: Collection[str]) -> list[Theory] | None:
    """The theories of an entry; None where it needs others than its own and those of the bases, or lacks a file."""
    names = set(names)
    own: dict[str, Theory] = {}
    for name in names:
        try:
            needed = sessions.all_theories(name)
        except UserError:
            return None
        if not {theory.session for theory in needed} <= names | set(bases):
            return None
        own.update((theory.name, theory) for theory in needed if theory.session in names)
    return list(own.values())


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def _long_lines(texts: Iterable[str]) -> set[str]:
    lines = (_BLANKS.sub(" ", line).strip() for text in texts for line in text.splitlines())
    return {line for line in lines if len(line) >= _LONG}
