"""How many gaps does `isarstep fill` close, and does Isabelle accept the text exactly as it is printed?

    python research/benchmarks/choose_theories.py AFP --base HOL --base HOL-Library --count 20 > THEORIES
    python research/benchmarks/fill.py $(cat THEORIES) --out FOLDER [--gaps 100] [--after 0] [--budget 20]
    python research/benchmarks/fill.py $(cat THEORIES) --out FOLDER --judge --heaps IMAGES [--beside] -d AFP/thys

Gaps are terminal proofs (`by`, with `using` before it) of statements inside structured proofs, drawn by hash, no theory
giving more than its share; with `--after 100` the first hundred of the draw are left out, and as many of the others are
drawn by the same rule. Each gets a theory of its own beside copies of its neighbours, up to the end of the proof in
which it stands, with `sorry` in its place. With `--judge` the filled theories are loaded by a real Isabelle, which runs
the printed text and trusts the authors' own terminal proofs; `--beside` asks it for every gap what `try0` and
Sledgehammer find. What is done already is not done again. The last line is one JSON document.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import isarstep
from isarstep.apps.engine import Engine
from isarstep.apps.searching import fill_theory
from isarstep.common.errors import UserError
from isarstep.isabelle.process.installation import find_installation
from isarstep.isabelle.process.proof_graph import read_graph
from isarstep.isabelle.theory.text.source import (
    DIAGNOSTIC,
    HEADINGS,
    PROOF,
    OuterCommand,
    TheoryHeader,
    TheorySource,
    read_source,
    split_commands,
)
from isarstep.prover.replay.isabelle_questions import with_provers

INSIDE = PROOF | HEADINGS | DIAGNOSTIC  # commands that do not end a proof
STATED = ("have", "show", "hence", "thus")
# Around the printed proof: the rest is trusted.
RUN, TRUST = (f'ML_val \\<open>Options.put_default "skip_proofs" "{word}"\\<close>' for word in ("false", "true"))
USED = ("HOL-Library", "HOL-Number_Theory", "HOL-Computational_Algebra", "HOL-Combinatorics", "HOL-Algebra",
        "HOL-Cardinals")  # fmt: skip


@dataclass(frozen=True)
class Terminal:
    """A terminal proof: its characters, those of the whole proof around it, and the blocks that are open there."""

    start: int
    end: int
    head: int  # where the statement at the top begins
    last: int
    blocks: int


def terminal_proofs(commands: list[OuterCommand]) -> list[Terminal]:
    """The terminal proofs of statements inside structured proofs."""
    found, blocks, head = [], 0, 0
    for place, command in enumerate(commands):
        blocks += any(token.keyword("begin") for token in command.tokens) - (command.name == "end")
        if command.name not in INSIDE:
            head = command.start
        if command.name != "by":
            continue
        first = place
        while commands[first - 1].name in ("using", "unfolding"):
            first -= 1
        if commands[first - 1].name in STATED:
            rest = range(place + 1, len(commands))
            behind = next((i for i in rest if commands[i].name not in INSIDE), len(commands))
            found.append(Terminal(commands[first].start, _end(command), head, _end(commands[behind - 1]), blocks))
    return found


def _end(command: OuterCommand) -> int:
    return command.tokens[-1].end if command.tokens else command.start + len(command.name)


@dataclass(frozen=True)
class Gap:
    """One gap of the draw; theories with something in its place are made from it."""

    number: int
    source: TheorySource
    header: TheoryHeader
    proof: Terminal
    folder: Path  # for its theories
    root: Path  # of the session around it

    @property
    def place(self) -> str:
        return f"{Path(self.source.path).name}:{self.line(self.proof.start)}"

    @property
    def session(self) -> str:
        """What the sessions of its folder are called, behind a word for what they are for."""
        return re.sub(r"\W", "_", self.header.name)

    def line(self, character: int) -> int:
        return self.source.line(character)

    def theory(self, name: str, proof: str, imports: str = "") -> str:
        """The theory under another name, up to the end of the proof around the gap, with a proof in the gap."""
        text, here = self.source.text, self.proof
        old = rf"(\btheory\s+)\"?{re.escape(self.header.name)}\"?"  # lines stay where they are
        renamed = re.sub(old, rf"\g<1>{name}", text[: here.start], count=1)
        if imports:
            begin = renamed.index(name)
            renamed = renamed[:begin] + re.sub(r"\bimports\b", f"imports {imports}", renamed[begin:], count=1)
        made = renamed + proof + text[here.end : here.last] + "\n\nend" * (here.blocks + 1) + "\n"
        return re.sub(rf"(?<![\w.]){re.escape(self.header.name)}\.(?=\w)", f"{name}.", made)  # facts by full names

    def write(self, kind: str, proof: str, imports: str = "") -> Path:
        path = self.folder / f"{kind}_{self.number}.thy"
        path.write_text(self.theory(path.stem, proof, imports), encoding="utf-8")
        return path


def drawn_gaps(files: list[Path], count: int, out: Path, after: int = 0) -> list[Gap]:
    """So many gaps, those left out that a draw of `after` gaps has."""
    rows = []
    for path in files:
        source = read_source(path)
        header, commands = split_commands(source)
        here = [(f"{path.name}:{source.line(proof.start)}", proof) for proof in terminal_proofs(commands)]
        folders = with_neighbours(path, out)
        rows += [(place, source, header, proof, *folders) for place, proof in here]
    rows.sort(key=lambda row: hashlib.sha256(row[0].encode()).hexdigest())
    seen = {row[0] for row in _shared(rows, after, len(files))}
    left = [row for row in rows if row[0] not in seen]
    return [Gap(number, *row[1:]) for number, row in enumerate(_shared(left, count, len(files)), after)]


def _shared(rows: list[tuple[Any, ...]], count: int, files: int) -> list[tuple[Any, ...]]:
    """The first so many rows, none of the files giving more than its share."""
    given: Counter[str] = Counter()
    chosen = []
    for row in rows:
        if given[row[1].path] < -(-count // files):
            given[row[1].path] += 1
            chosen.append(row)
    return chosen[:count]


def with_neighbours(path: Path, out: Path) -> tuple[Path, Path]:
    """Where theories stand that are made from this one: in a copy of its session's folder, which comes second."""
    root = next((folder for folder in path.parents if (folder / "ROOT").is_file()), path.parent)
    copied = out / path.stem
    if not copied.exists():
        shutil.copytree(root, copied, ignore=shutil.ignore_patterns("ROOT", "ROOTS", "document", "output"))
    return copied / path.parent.relative_to(root), copied


def filled(engine: Engine, gap: Gap, budget: float) -> dict[str, Any]:
    """What `isarstep fill` makes of a gap."""
    path = gap.write("Gap", "sorry")
    line = gap.line(gap.proof.start)
    row = {"place": gap.place, "theory": path.stem, "author": gap.source.text[gap.proof.start : gap.proof.end]}
    try:
        [made] = fill_theory(engine, path, [line], 10, budget).gaps
    except UserError as error:
        return {**row, "printed": "", "told": str(error)}
    return {**row, "printed": made.proof, "told": made.comment or made.why}


def load(sessions: dict[str, tuple[Path, list[Path]]], out: Path, options: argparse.Namespace) -> None:
    """Isabelle loads these theories, a session for each copied folder."""
    used = " ".join(f'"{name}"' for name in USED)
    entries = []
    for name, (root, theories) in sessions.items():
        inner = {path.parent for path in root.rglob("*.thy")} - {root}
        folders = "".join(f' "{folder.relative_to(root)}"' for folder in sorted(inner))
        listed = "".join(f'    "{path.relative_to(root).with_suffix("")}"\n' for path in theories)
        entries.append(
            f'session {name} in "{root.relative_to(out)}" = {options.parent} +\n  sessions {used}\n'
            + (f"  directories{folders}\n" if folders else "")
            + f"  theories\n{listed}"
        )
    (out / "ROOT").write_text("\n".join(entries))
    command = [sys.executable, "-m", "isarstep", "mine", *sessions, "-d", str(out), "--out", str(out / "graphs")]
    command += ["--jobs", str(options.jobs), "--resume", "--proof-timeout", "60", "--theory-timeout", "900"]
    command += [f"--heaps={options.heaps}"] if options.heaps else []
    command += [f"--directory={each}" for each in options.directory]
    environment = os.environ | dict(with_provers(find_installation()).settings)
    subprocess.run(command, check=False, env=environment)


def judge(gaps: dict[str, Gap], rows: list[dict[str, Any]], out: Path, options: argparse.Namespace) -> dict[str, str]:
    """What Isabelle says against each printed text: nothing where it accepts it."""
    sessions: dict[str, tuple[Path, list[Path]]] = {}
    for row in rows:
        gap = gaps[row["place"]]
        path = gap.write("Judged", f"{RUN} {row['printed']} {TRUST}")
        sessions.setdefault(f"Judged_{gap.session}", (gap.root, []))[1].append(path)
    load(sessions, out, options)
    said = {}
    for row in rows:
        gap = gaps[row["place"]]
        said[row["place"]] = "not loaded"
        with suppress(UserError):
            graph = read_graph(out / "graphs" / f"Judged_{gap.session}" / f"Judged_{gap.number}.jsonl.zst")
            head = f"line {gap.line(gap.proof.head)}: "
            said[row["place"]] = next((each.removeprefix(head) for each in graph.failures if each.startswith(head)), "")
    return said


def ask_beside(gaps: dict[str, Gap], out: Path, options: argparse.Namespace) -> dict[str, str]:
    """By place what Isabelle's own tools find; nothing where they find nothing."""
    answers = out / "beside.txt"
    here, prove = Path(__file__).parent, Path(isarstep.__file__).parent / "prover"
    tools = (
        (here / "Ask_Tools.thy").read_text().replace("CHECK", f"{prove}/Check.ML").replace("PROVE", f"{prove}/Prove.ML")
    )
    sessions: dict[str, tuple[Path, list[Path]]] = {}
    known = {line.split("\t")[0] for line in answers.read_text().splitlines()} if answers.exists() else set()
    for gap in gaps.values():
        (gap.folder / "Ask_Tools.thy").write_text(tools)
        name = f"Asked_{gap.number}"
        ask = f'ML_val \\<open>isarstep_ask ("{name}", 10, "{answers.resolve()}") @{{Isar.state}}\\<close> sorry'
        path = gap.write("Asked", ask, "Ask_Tools")
        if name not in known:
            sessions.setdefault(f"Asked_{gap.session}", (gap.root, []))[1].append(path)
    if sessions:
        load(sessions, out, options)
    rows = (line.split("\t") for line in answers.read_text().splitlines())
    by_number = {f"Asked_{gap.number}": gap.place for gap in gaps.values()}
    return {by_number[name]: by for name, by in rows}


def kind(told: str) -> str:
    """A refusal without names, places and numbers, so that refusals can be counted."""
    short = re.sub(r"^\S+\.thy:\d+:\d+: ", "", told.splitlines()[0] if told else "no step was found")
    if short.startswith("(*"):
        return "an open sketch" if " open: " in short else "steps that are no one method"
    return re.sub(r"\d+", "n", re.sub(r"\S+\.thy:\d+:\d+|'[^']*'|“[^”]*”|\"[^\"]*\"", "_", short))[:110]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--gaps", type=int, default=100)
    parser.add_argument("--after", type=int, default=0, help="gaps that an earlier draw had")
    parser.add_argument("--budget", type=float, default=20, help="seconds for a gap")
    parser.add_argument("--parent", default="HOL", help="session whose image is there")
    parser.add_argument("--heaps", help="folder of images that are there already")
    parser.add_argument("--directory", "-d", action="append", default=[], help="where further sessions are")
    parser.add_argument("--jobs", type=int, default=1, help="processes of Isabelle at a time")
    parser.add_argument("--done", action="store_true", help="take what is filled already and fill no more")
    parser.add_argument("--judge", action="store_true", help="ask an Isabelle about the printed texts")
    parser.add_argument("--beside", action="store_true", help="ask it what it finds for the same gaps")
    options = parser.parse_args()
    out = options.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    kept = out / "filled.jsonl"
    done = [json.loads(line) for line in kept.read_text().splitlines()] if kept.exists() else []
    known = {row["place"] for row in done}
    gaps = {gap.place: gap for gap in drawn_gaps(options.files, options.gaps, out, options.after)}
    engine = Engine()
    for gap in gaps.values():
        if gap.place in known or options.done:
            continue
        row = filled(engine, gap, options.budget)
        done.append(row)
        with kept.open("a") as file:
            file.write(json.dumps(row) + "\n")
        print(f"{gap.place}: {row['printed'] or row['told']}", flush=True)
    done = [row for row in done if row["place"] in gaps]
    with_proof = [row for row in done if row["printed"]]
    result: Counter[str] = Counter(gaps=len(done), filled=len(with_proof))
    asked = {place: gap for place, gap in gaps.items() if place in {row["place"] for row in done}}
    beside = ask_beside(asked, out, options) if options.beside else {}
    if options.judge and with_proof:
        said = judge(gaps, with_proof, out, options)
        for row in with_proof:
            against = said[row["place"]]
            result["accepted" if not against else "not loaded" if against == "not loaded" else "refused"] += 1
            print(f"{row['place']}: {'refused' if against else 'accepted'}: {row['printed']}  {against[:300]}")
            if not against:
                result["accepted, Isabelle's tools find none"] += not beside.get(row["place"], "?")
    for reason, count in Counter(kind(row["told"]) for row in done if not row["printed"]).most_common():
        print(f"{count:5}  {reason}")
    if beside:
        result.update(asked=len(beside), try0=sum(by.startswith("try0") for by in beside.values()))
        result["try0 or Sledgehammer"] = sum(bool(by) for by in beside.values())
    print(json.dumps(result))


if __name__ == "__main__":
    main()
