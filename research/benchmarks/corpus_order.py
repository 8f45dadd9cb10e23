"""In which order to mine sessions: those first that give most steps for a second of loading.

`python research/benchmarks/corpus_order.py GRAPHS/journal.jsonl -d AFP/thys --heaps HEAPS` reads what earlier theories cost from
the journal of a miner, fits loading time and steps to what their sources hold (bytes, commands that run proofs,
commands that define), and lists all sessions of Isabelle and of the given folders that bring something new, each with
what it needs beyond those before it. What is mined but lies in no image is loaded once more. One session a line: name,
new theories, expected steps, expected seconds.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from isarstep.common.errors import UserError
from isarstep.isabelle.process.installation import Sessions, Theory, find_installation

START = 4.0  # seconds that a process takes before it loads anything
WORDS = (
    "have show hence thus obtain by apply qed lemma definition abbreviation datatype fun function primrec inductive "
    "inductive_set record codatatype primcorec locale interpretation sublocale interpret instantiation instance class "
    "lift_definition export_code typedef quotient_type nominal_datatype code_datatype derive ML smt metis"
).split()
COLUMN = {word: number for number, word in enumerate(WORDS)}
WORD = re.compile(r"\b(?:" + "|".join(COLUMN) + r")\b")


def features(theory: Theory) -> np.ndarray[Any, Any]:
    text = theory.path.read_text(encoding="utf-8", errors="replace")
    counts = [0] * len(WORDS)
    for word in WORD.findall(text):
        counts[COLUMN[word]] += 1
    return np.array([len(text) / 1e4, *(count / 100 for count in counts)])


def measured(journal: Path) -> dict[str, tuple[float, float]]:
    """Steps and seconds by theory, the last time that each was mined."""
    rows = (json.loads(line) for line in journal.read_text().splitlines())
    return {
        row["theory"]: (row["steps"], row["load_cpu"] + row["mine_cpu"]) for row in rows if row.get("status") == "mined"
    }


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
    parser.add_argument("journal", type=Path, help="what a miner wrote beside its graphs")
    parser.add_argument("-d", "--directory", type=Path, action="append", default=[])
    parser.add_argument("--heaps", type=Path, required=True, help="the miner's images")
    arguments = parser.parse_args()
    sessions = Sessions(find_installation(), arguments.directory)
    images = {path.stem for path in arguments.heaps.glob("*.json")}
    needs: dict[str, dict[str, Theory]] = {}
    for name in sessions.entries:
        try:
            needs[name] = {theory.name: theory for theory in sessions.all_theories(name)}
        except UserError:
            continue  # its sources are not all there
    theories = {name: theory for wanted in needs.values() for name, theory in wanted.items()}
    known = {name: features(theory) for name, theory in theories.items()}
    before = {name: row for name, row in measured(arguments.journal).items() if name in known}
    rows = [known[name] for name in before]
    steps = least_squares(rows, [row[0] for row in before.values()])
    seconds = least_squares(rows, [row[1] for row in before.values()])
    gain = {name: 0.0 if name in before else float(row @ steps) for name, row in known.items()}
    cost = {name: before[name][1] if name in before else float(row @ seconds) for name, row in known.items()}
    waiting = {
        name: {theory.name for theory in wanted.values() if theory.session not in images}
        for name, wanted in needs.items()
    }
    show_order(waiting, gain, cost)


def show_order(waiting: dict[str, set[str]], gain: dict[str, float], cost: dict[str, float]) -> None:
    """Always the session that is worth most with what is loaded by then."""
    value: dict[str, tuple[float, float]] = {}
    changed = set(waiting)
    total_steps = total_seconds = 0.0
    while waiting:
        for name in changed:
            value[name] = sum(gain[t] for t in waiting[name]), sum(cost[t] for t in waiting[name]) + START
        name = max(waiting, key=lambda n: value[n][0] / value[n][1])
        new = waiting.pop(name)
        changed = {other for other, theories in waiting.items() if not theories.isdisjoint(new)}
        for other in changed:
            waiting[other] -= new
        got, took = value[name]
        if got:
            total_steps, total_seconds = total_steps + got, total_seconds + took
            so_far = f"{total_steps:.0f} steps in {total_seconds:.0f} s"
            print(f"{name} {len(new)} {got:.0f} {took:.0f}   # {so_far}", flush=True)


if __name__ == "__main__":
    main()
