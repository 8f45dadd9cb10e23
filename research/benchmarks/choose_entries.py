"""Which entries of an Archive are mined to be scored only, chosen by the hashes of their names.

`python research/benchmarks/choose_entries.py AFP --base HOL --base HOL-Library` lists the entries that are not in the embedded
benchmark, need nothing but their own theories and those of the bases, and copy no theory of the corpus: entry, lines,
steps, date, sessions, in the order of the SHA-256 of the names. `--after 2026-02-03` keeps younger ones. Isabelle is
the one that ISABELLE_HOME or the PATH names.
"""

from __future__ import annotations

import argparse
import itertools
from pathlib import Path

from isarstep.benchmark.building.candidates import CandidateRule, candidates
from isarstep.benchmark.rules.entries import entry_of
from isarstep.benchmark.store.store import benchmark_at
from isarstep.isabelle.process.installation import Sessions, find_installation


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("archive", type=Path, help="the folder with thys and metadata")
    parser.add_argument("--base", action="append", default=[], help="a session whose theories may be needed")
    parser.add_argument(
        "--least", type=int, default=100, help="steps (have, show, obtain, ...) that an entry has at least"
    )
    parser.add_argument("--most", type=int, default=3000, help="lines of theories that an entry has at most")
    parser.add_argument("--after", default="", help="only entries dated after this day")
    parser.add_argument("--count", type=int, default=None, help="how many")
    arguments = parser.parse_args()
    known = {entry_of(session) for session in benchmark_at().manifest["sessions"]}
    sessions = Sessions(find_installation(), [arguments.archive / "thys"])
    bases = {name for base in arguments.base for name in sessions.requirements(base)}
    rule = CandidateRule(known, bases, arguments.least, arguments.most, after=arguments.after)
    for found in itertools.islice(candidates(arguments.archive, sessions, rule), arguments.count):
        print(f"{found.entry} {found.lines} {found.steps} {found.dated} {' '.join(found.sessions)}", flush=True)


if __name__ == "__main__":
    main()
