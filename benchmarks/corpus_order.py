"""In which order to mine sessions: those first that give most steps for a second of loading.

`python benchmarks/corpus_order.py docs/corpus.md -d AFP/thys` reads what earlier sessions cost from the table of a
corpus page, fits loading time and steps to what their sources hold (bytes, commands that run proofs, commands that
define), and lists all sessions of Isabelle and of the given folders, each with the theories that it needs beyond those
before it. One session a line: name, new theories, expected steps, expected seconds.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from isarstep.errors import UserError
from isarstep.mine.isabelle import Sessions, Theory, find_installation

START = 6.0  # seconds that a process takes before it loads anything
COMMANDS = {
    "structured": "have show hence thus obtain assume fix then from with also finally moreover ultimately using",
    "applied": "apply qed done",
    "defining": "datatype fun function primrec inductive inductive_set record coinductive codatatype primcorec",
    "contexts": "locale interpretation sublocale interpret instantiation instance class lift_definition export_code",
}
GROUP = {word: number for number, words in enumerate(COMMANDS.values()) for word in words.split()}
WORD = re.compile(r"\b(?:" + "|".join(GROUP) + r")\b")


def features(theory: Theory) -> np.ndarray[Any, Any]:
    text = theory.path.read_text(encoding="utf-8", errors="replace")
    counts = [0] * len(COMMANDS)
    for word in WORD.findall(text):
        counts[GROUP[word]] += 1
    return np.array([len(text) / 1e4, *(count / 100 for count in counts)])


def measured(page: Path) -> dict[str, tuple[float, float]]:
    """Steps and seconds by session, from the table of a corpus page."""
    rows: dict[str, tuple[float, float]] = {}
    for line in page.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) >= 8 and cells[3].isdecimal():
            rows[cells[0]] = float(cells[3]), float(cells[6])
    return rows


def least_squares(rows: Sequence[np.ndarray[Any, Any]], values: Sequence[float]) -> np.ndarray[Any, Any]:
    """Weights that are not negative, by dropping the worst feature until none is."""
    matrix, wanted = np.array(rows), np.array(values)
    scale = 1 / np.sqrt(wanted + 5)
    kept = list(range(matrix.shape[1]))
    while True:
        found = np.linalg.lstsq(matrix[:, kept] * scale[:, None], wanted * scale, rcond=None)[0]
        if found.min() >= 0:
            weights = np.zeros(matrix.shape[1])
            weights[kept] = found
            return weights
        kept.pop(int(found.argmin()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", type=Path, help="a corpus page of what has been mined before")
    parser.add_argument("-d", "--directory", type=Path, action="append", default=[])
    parser.add_argument("--first", nargs="*", default=["HOL"], help="sessions that come first in any case")
    arguments = parser.parse_args()
    sessions = Sessions(find_installation(), arguments.directory)
    needs: dict[str, dict[str, Theory]] = {}
    for name in sessions.entries:
        try:
            needs[name] = {theory.name: theory for theory in sessions.all_theories(name)}
        except UserError:
            continue  # its sources are not all there
    theories = {name: theory for wanted in needs.values() for name, theory in wanted.items()}
    known = {name: features(theory) for name, theory in theories.items()}
    inside: dict[str, list[str]] = {}
    for name, theory in theories.items():
        inside.setdefault(theory.session, []).append(name)
    before = {name: row for name, row in measured(arguments.page).items() if name in inside}
    rows = [np.sum([known[theory] for theory in inside[name]], axis=0) for name in before]
    steps = least_squares(rows, [row[0] for row in before.values()])
    seconds = least_squares(rows, [row[1] for row in before.values()])
    show_order({name: set(wanted) for name, wanted in needs.items()}, known, steps, seconds, arguments.first)


def show_order(
    waiting: dict[str, set[str]],
    known: dict[str, np.ndarray[Any, Any]],
    steps: np.ndarray[Any, Any],
    seconds: np.ndarray[Any, Any],
    first: Sequence[str],
) -> None:
    """Always the session that is worth most with what is loaded by then."""
    gain = {name: float(row @ steps) for name, row in known.items()}
    cost = {name: float(row @ seconds) for name, row in known.items()}
    value: dict[str, tuple[float, float]] = {}
    changed = set(waiting)
    total_steps = total_seconds = 0.0
    while waiting:
        for name in changed:
            value[name] = sum(gain[t] for t in waiting[name]), sum(cost[t] for t in waiting[name]) + START
        ahead = [name for name in first if name in waiting]
        name = ahead[0] if ahead else max(waiting, key=lambda n: value[n][0] / value[n][1])
        new = waiting.pop(name)
        changed = {other for other, theories in waiting.items() if not theories.isdisjoint(new)}
        for other in changed:
            waiting[other] -= new
        if new:
            got, took = value[name]
            total_steps, total_seconds = total_steps + got, total_seconds + took
            so_far = f"{total_steps:.0f} steps in {total_seconds:.0f} s"
            print(f"{name} {len(new)} {got:.0f} {took:.0f}   # {so_far}", flush=True)


if __name__ == "__main__":
    main()
