"""Write sessions whose images hold what most unmined sessions load, so that each of them is loaded once.

    python research/benchmarks/shared_images.py OUT -d AFP/thys --known embedded [--at-least 50 20]
    isarstep mine Shared1 Shared2 --out GRAPHS -d AFP/thys -d OUT --known embedded
    isarstep mine --all --only-needed --out GRAPHS --resume -d AFP/thys -d OUT --known embedded

OUT gets a ROOT with one session for each number of --at-least, on top of each other and of HOL: the theories outside
HOL that at least so many sessions need which have something to be mined. Mining starts every session from the image
that saves most. Prints how many bytes of theories remain to be loaded without these images and with them.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

from isarstep.common.errors import UserError
from isarstep.isabelle.process.installation import Sessions, Theory, find_installation
from isarstep.isabelle.process.terminal import known_theories
from isarstep.resources import benchmark_folder


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("-d", "--directory", type=Path, action="append", default=[])
    parser.add_argument("--known", action="append", default=[], help="benchmark or addition whose theories are mined")
    parser.add_argument("--at-least", type=int, nargs="+", default=[50, 20])
    arguments = parser.parse_args()
    sessions = Sessions(find_installation(), arguments.directory)
    known = known_theories([benchmark_folder(name) for name in arguments.known])
    theories: dict[str, Theory] = {}
    needed: Counter[str] = Counter()
    for name in sessions.entries:
        try:
            wanted = sessions.all_theories(name)
        except UserError:
            continue  # its sources are not all there
        theories.update((theory.name, theory) for theory in wanted)
        if any(theory.name not in known for theory in wanted if theory.session == name):
            needed.update(theory.name for theory in wanted)
    below = {theory.name for theory in sessions.all_theories("HOL")}
    left = {0: _bytes_to_load(needed, theories, below)}
    text, parent = "", "HOL"
    for number, least in enumerate(sorted(arguments.at_least, reverse=True), 1):
        layer = {name for name in needed if needed[name] >= least and _on_hol(name, theories)} - below
        below |= layer
        used = sorted({theories[name].session for name in below if name in theories} - {"HOL", "Pure", ""})
        lines = [f'session Shared{number} (main) in "shared{number}" = {parent} +', "  options [document = false]"]
        lines += ["  sessions", *(f'    "{session}"' for session in used)]
        lines += ["  theories", *(f'    "{name}"' for name in sorted(layer)), ""]
        text, parent = text + "\n".join(lines) + "\n", f"Shared{number}"
        (arguments.out / f"shared{number}").mkdir(parents=True, exist_ok=True)
        left[least] = _bytes_to_load(needed, theories, below)
        size = sum(theories[name].size for name in layer)
        print(f"Shared{number}: {len(layer)} theories that at least {least} sessions need, {size / 1e6:.1f} MB")
    (arguments.out / "ROOT").write_text(text, encoding="utf-8")
    print(json.dumps({"megabytes to load": {str(least): round(size / 1e6, 1) for least, size in left.items()}}))


def _bytes_to_load(needed: Counter[str], theories: dict[str, Theory], below: set[str]) -> int:
    return sum(theories[name].size * count for name, count in needed.items() if name not in below)


def _on_hol(name: str, theories: dict[str, Theory]) -> bool:
    """Does the theory rest on Main? ZF and its like have other foundations."""
    todo, seen = [name], set[str]()
    while todo:
        here = todo.pop()
        if here == "Main":
            return True
        if here in theories and here not in seen:
            seen.add(here)
            todo.extend(theories[here].imports)
    return False


if __name__ == "__main__":
    main()
