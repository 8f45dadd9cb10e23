"""Theories of an Archive outside training, for `fill.py` and `states.py`, chosen by the hashes of their names.

    python research/benchmarks/choose_theories.py AFP --base HOL --base HOL-Library --count 20 [--word fourth] [--without LIST]
    python research/benchmarks/choose_theories.py AFP --session HOL --count 5 [--word fourth] [--without LIST]

prints a path a line. Of the entries that `choose_entries.py` would list, and that are in no data of ours, each gives
one theory at most: among those with enough terminal proofs inside structured proofs, whose imports outside the entry
are all embedded, the one whose name has the lowest SHA-256. With `--session` theories of one session of Isabelle are
chosen in the same way, among all that have enough of them. A word before the names is another draw; entries (theories)
of a list of paths are left out. Isabelle is the one that ISABELLE_HOME or the PATH names.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
from collections.abc import Container
from pathlib import Path

from fill import terminal_proofs

from isarstep.benchmark.building.candidates import Candidate, CandidateRule, candidates
from isarstep.benchmark.rules.entries import entry_of
from isarstep.benchmark.store.store import Benchmark
from isarstep.common.errors import UserError
from isarstep.isabelle.process.installation import Sessions, Theory, find_installation
from isarstep.isabelle.theory.text.source import read_source, split_commands
from isarstep.resources import BESIDE, EMBEDDED

OURS = (EMBEDDED, *BESIDE.values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archive", type=Path, help="the folder with thys and metadata")
    parser.add_argument("--base", action="append", default=[], help="a session whose theories may be needed")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--least", type=int, default=10, help="terminal proofs that a theory has at least")
    parser.add_argument("--word", default="", help="before the names that are hashed")
    parser.add_argument("--without", type=Path, action="append", default=[], help="a file of paths of an earlier draw")
    parser.add_argument("--session", help="choose theories of this session instead")
    arguments = parser.parse_args()
    drawn = [Path(line) for file in arguments.without for line in file.read_text().split()]
    thys = arguments.archive.resolve() / "thys"
    if arguments.session:
        sessions = Sessions(find_installation(), [])
        rows = [each for each in sessions.own_theories(arguments.session) if each.path not in drawn]
        rows.sort(key=lambda each: hashed(arguments.word, each))
        for theory in itertools.islice((each for each in rows if enough(each, arguments.least)), arguments.count):
            print(theory.path, flush=True)
        return
    known = {path.resolve().relative_to(thys).parts[0] for path in drawn if path.resolve().is_relative_to(thys)}
    known |= {entry_of(session) for name in OURS for session in Benchmark(name).manifest["sessions"]}
    sessions = Sessions(find_installation(), [arguments.archive / "thys"])
    bases = {name for base in arguments.base for name in sessions.requirements(base)}
    embedded = frozenset(Benchmark(EMBEDDED).theory_contexts.parents)
    rule = CandidateRule(known, bases, least_steps=2 * arguments.least, most_lines=6000, word=arguments.word)
    found = (
        chosen(sessions, entry, embedded, arguments.least, arguments.word)
        for entry in candidates(arguments.archive, sessions, rule)
    )
    for theory in itertools.islice((theory for theory in found if theory is not None), arguments.count):
        print(theory.path, flush=True)


def chosen(sessions: Sessions, entry: Candidate, embedded: Container[str], least: int, word: str) -> Theory | None:
    """The theory that an entry gives."""
    own = {theory.name: theory for name in entry.sessions for theory in sessions.own_theories(name)}
    outside = {name for theory in own.values() for name in theory.imports} - own.keys()
    if not all(name in embedded for name in outside):
        return None
    ordered = sorted(own.values(), key=lambda theory: hashed(word, theory))
    return next((theory for theory in ordered if enough(theory, least)), None)


def hashed(word: str, theory: Theory) -> str:
    return hashlib.sha256((word + theory.name).encode()).hexdigest()


def enough(theory: Theory, least: int) -> bool:
    """Has it so many terminal proofs?"""
    try:
        _, commands = split_commands(read_source(theory.path))
    except UserError:
        return False
    return len(terminal_proofs(commands)) >= least


if __name__ == "__main__":
    main()
