"""How many gaps does `isarstep fill` close, and does Isabelle accept the text exactly as it is printed?

    python benchmarks/fill.py FILE.thy ... --out FOLDER [--gaps 20] [--budget 20] [--judge --parent HOL --heaps IMAGES]

Gaps are terminal proofs (`by`, with `using` before it) of statements inside structured proofs, drawn by hash. Each gets
a theory of its own in the folder, up to the end of the proof in which it stands, with `sorry` in its place. With
`--judge` the filled theories are loaded by a real Isabelle (`isarstep mine`, which finds it as always). What is done
already is not done again. The last line is one JSON document.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

from isarstep.errors import UserError
from isarstep.mine.graph import read_graph
from isarstep.theory.outer import STATEMENTS, OuterCommand, TheoryHeader, read_source, split_commands

SESSION = "Gaps"
BEHIND = (*STATEMENTS, "definition", "end", "fun", "function", "primrec", "context", "locale")  # no proof goes on
STATED = ("have", "show", "hence", "thus")


def terminal_proofs(commands: list[OuterCommand]) -> list[tuple[int, int, int]]:
    """Where the proof of a statement inside a proof begins and ends, and where the proof around it all ends."""
    found = []
    for place, command in enumerate(commands):
        if command.name != "by":
            continue
        first = place
        while commands[first - 1].name in ("using", "unfolding"):
            first -= 1
        if commands[first - 1].name in STATED:
            rest = range(place + 1, len(commands))
            end = next(
                (i for i in rest if commands[i].name in (*STATEMENTS, "end", "definition", "fun")), len(commands)
            )
            found.append((commands[first].start, _end(command), _end(commands[end - 1])))
    return found


def _end(command: OuterCommand) -> int:
    return command.tokens[-1].end if command.tokens else command.start + len(command.name)


def gap_theory(text: str, header: TheoryHeader, gap: tuple[int, int, int], name: str) -> str:
    start, end, last = gap
    renamed = re.sub(rf"\btheory\s+\"?{re.escape(header.name)}\"?", f"theory {name}", text[:start], count=1)
    made = f"{renamed}sorry{text[end:last]}\n\nend\n"
    return re.sub(rf"(?<![\w.]){re.escape(header.name)}\.(?=\w)", f"{name}.", made)  # facts by their full names


def drawn_gaps(files: list[Path], count: int) -> list[tuple[str, str]]:
    """Name of the place and text of the theory; no theory gives more than its share."""
    rows = []
    for path in files:
        source = read_source(path)
        header, commands = split_commands(source)
        here = [(f"{path.name}:{source.line(gap[0])}", gap) for gap in terminal_proofs(commands)]
        here.sort(key=lambda row: hashlib.sha256(row[0].encode()).hexdigest())
        share = -(-count // len(files))
        rows += [(place, source.text, header, gap) for place, gap in here[:share]]
    rows.sort(key=lambda row: hashlib.sha256(row[0].encode()).hexdigest())
    return [
        (place, gap_theory(text, header, gap, f"Gap_{number}"))
        for number, (place, text, header, gap) in enumerate(rows[:count])
    ]


def filled(path: Path, budget: float) -> dict[str, Any]:
    """What `isarstep fill` makes of the one gap of a theory."""
    command = [sys.executable, "-m", "isarstep", "fill", str(path), "--budget", str(budget), "--write"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    text = path.read_text(encoding="utf-8")
    printed = re.search(r"^(.*)\(\* suggested: .*? \*\)", text, re.MULTILINE)
    told = [line for line in done.stderr.splitlines() if "left open" in line or "error" in line.lower()]
    return {"printed": printed[1].strip() if printed else "", "told": told[-1] if told else done.stderr[-200:]}


def judge(folder: Path, names: list[str], parent: str, more: list[str]) -> dict[str, list[str]]:
    """What Isabelle says against each theory."""
    listed = "\n".join(f"    {name}" for name in names)
    used = '"HOL-Library" "HOL-Number_Theory" "HOL-Computational_Algebra" "HOL-Combinatorics" "HOL-Algebra"'
    (folder / "ROOT").write_text(f"session {SESSION} = {parent} +\n  sessions {used}\n  theories\n{listed}\n")
    out = folder / "graphs"
    command = [sys.executable, "-m", "isarstep", "mine", SESSION, "-d", str(folder), "--out", str(out), "--jobs", "1"]
    subprocess.run([*command, *more, "--resume", "--theory-timeout", "300"], check=False)
    said: dict[str, list[str]] = {}
    for name in names:
        with suppress(UserError):
            said[name] = list(read_graph(out / SESSION / f"{name}.jsonl.zst").failures)
    return said


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--gaps", type=int, default=20)
    parser.add_argument("--budget", type=float, default=20, help="seconds for a gap")
    parser.add_argument("--parent", default="HOL", help="session whose image is there")
    parser.add_argument("--heaps", help="folder of images that are there already")
    parser.add_argument("--directory", "-d", action="append", default=[], help="where the parent session is")
    parser.add_argument("--judge", action="store_true", help="ask an Isabelle")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    kept = options.out / "filled.jsonl"
    done = [json.loads(line) for line in kept.read_text().splitlines()] if kept.exists() else []
    known = {row["place"] for row in done}
    for number, (place, text) in enumerate(drawn_gaps(options.files, options.gaps)):
        if place in known:
            continue
        path = options.out / f"Gap_{number}.thy"
        path.write_text(text, encoding="utf-8")
        row = {"place": place, "theory": path.stem, **filled(path, options.budget)}
        done.append(row)
        with kept.open("a") as file:
            file.write(json.dumps(row) + "\n")
        print(f"{place}: {row['printed'] or row['told']}", flush=True)
    with_proof = [row for row in done if row["printed"]]
    result: Counter[str] = Counter(gaps=len(done), filled=len(with_proof))
    if options.judge and with_proof:
        more = [f"--heaps={options.heaps}"] if options.heaps else []
        more += [f"--directory={each}" for each in options.directory]
        said = judge(options.out, [row["theory"] for row in with_proof], options.parent, more)
        for row in with_proof:
            failures = said.get(row["theory"])
            verdict = "not loaded" if failures is None else "refused" if failures else "accepted"
            result[verdict] += 1
            print(f"{row['place']}: {verdict}: {row['printed']}  {(failures or [''])[0][:300]}")
    print(json.dumps(result))


if __name__ == "__main__":
    main()
