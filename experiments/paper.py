"""The paper's tables from one command: every model trained, searched, checked, reported.

    python experiments/paper.py embedded runs/paper docs/results               # hours of one GPU
    python experiments/paper.py BENCHMARK RUNS OUT --scale twin                # the same way on a CPU, in a minute

Every stage is a command of `isarstep`, printed before it runs, and is left out where its result is there already: after
any interruption the same line goes on where it was. Runs are made one at a time, in the order of the table. OUT gets
the report, the lists from which it can be made again, and LEADERBOARD.md.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isarstep.cli import run as isarstep


@dataclass(frozen=True)
class Row:
    """One line of the paper's tables."""

    model: str
    hints: bool = False
    categories: bool = True
    seed: int = 0

    @property
    def name(self) -> str:
        words = [self.model, *(["f5"] if self.hints else []), *([] if self.categories else ["nocat"])]
        return "-".join([*words, *([f"seed{self.seed}"] if self.seed else [])])


ROWS = (
    *(Row(model, hints) for model in ("rnnsearch", "convs2s", "transformer", "hat") for hints in (False, True)),
    Row("hat", categories=False),
    Row("hat", seed=1),  # what a seed is worth
)


@dataclass(frozen=True)
class Scale:
    size: str
    tokens: int  # read and written, dense, of each run
    batch: int
    recurrent_batch: int  # RNNSearch waits for its slowest sequence: more of them cost little more
    warmup: int
    looks: int
    checked: int  # examples whose first answers provers are asked about; 0: none
    rows: tuple[Row, ...] = ROWS


SCALES = {
    "paper": Scale("base", 1_000_000_000, 32_768, 131_072, 4_000, 20, 5_000),
    "twin": Scale("tiny", 6_000, 1024, 2048, 10, 1, 2, (Row("rnnsearch"), Row("hat", hints=True))),
}


class Stopped(Exception):
    """A stage has failed, and has said why."""


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("benchmark", help="a benchmark folder, or 'embedded'")
    parser.add_argument("runs", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--scale", choices=list(SCALES), default="paper")
    parser.add_argument("--device", help="cpu or cuda; the GPU where there is one")
    chosen = parser.parse_args(arguments)
    scale = SCALES[chosen.scale]
    device = ["--device", chosen.device] if chosen.device else []
    try:
        for row in scale.rows:
            make_run(row, scale, chosen.benchmark, chosen.runs, device)
        report(scale, chosen.benchmark, chosen.runs, chosen.out)
    except Stopped as stop:
        print(f"stopped at: {stop}; give the same line again to go on", file=sys.stderr)
        return 1
    return 0


def make_run(row: Row, scale: Scale, benchmark: str, runs: Path, device: list[str]) -> None:
    folder = runs / row.name
    runs.mkdir(parents=True, exist_ok=True)
    recipe = runs / f"{row.name}.toml"
    recipe.write_text(recipe_of(row, scale))
    if not (folder / "config.json").is_file():  # written last
        line = ["train", benchmark, str(folder), "--model", row.model, "--size", scale.size, "--recipe", str(recipe)]
        line += [*(["--hints"] if row.hints else []), "--seed", str(row.seed), *device, "--resume"]
        (runs / f"{row.name}.made.json").write_text(
            json.dumps({"command": shlex.join(["isarstep", *line]), "commit": commit()})
        )
        stage(line)
    if not (folder / "embeddings.safetensors").is_file():  # written after the lists
        stage(["keep", str(folder), benchmark, *device])
    lists = folder / "predictions" / "test.beam5.jsonl"
    verdicts = lists.with_name("test.beam5.verdicts.parquet")
    if scale.checked and not verdicts.is_file():
        line = ["check", str(lists), "--benchmark", benchmark, "--out", str(verdicts), "--limit", str(scale.checked)]
        stage([*line, *(["--resume"] if list(verdicts.parent.glob(f"{verdicts.name}*")) else [])])


def recipe_of(row: Row, scale: Scale) -> str:
    batch = scale.recurrent_batch if row.model == "rnnsearch" else scale.batch
    return (
        f'like = "paper"\n[model]\ndense = true\ncategories = {str(row.categories).lower()}\n'
        f"[training]\ntokens = {scale.tokens}\nbatch = {batch}\nwarmup = {scale.warmup}\n[run]\nlooks = {scale.looks}\n"
    )


def report(scale: Scale, benchmark: str, runs: Path, out: Path) -> None:
    folders = [runs / row.name for row in scale.rows]
    lists = [word for folder in folders for word in ("--lists", folder.name)]
    stage(["report", *map(str, folders), "--benchmark", benchmark, "--split", "test", "--out", str(out), *lists])
    (out / "LEADERBOARD.md").write_text(leaderboard(json.loads((out / "scores.json").read_text()), runs))


def leaderboard(scores: dict[str, Any], runs: Path) -> str:
    """Every system with what it took, best first."""
    examples = f"{scores['split']} split, {scores['examples']:,} examples"
    lines = [
        "# Leaderboard",
        "",
        f"Benchmark `{scores['benchmark'][:12]}`, {examples}. Top-1 with beam 5, top-10 with beam 10.",
        "Made by `experiments/paper.py`.",
        "",
        "| system | top-1 | top-10 | BLEU | tokens | steps | seconds | seed | device | commit | command |",
        "|---|--:|--:|--:|--:|--:|--:|--:|---|---|---|",
    ]
    for system in sorted(scores["systems"], key=lambda system: -system["top1"]["value"]):
        training = json.loads((runs / system["run"] / "config.json").read_text())["training"]
        made = json.loads((runs / f"{system['run']}.made.json").read_text())
        points = " | ".join(f"{system[name]['value']:.1f}" for name in ("top1", "top10", "bleu"))
        budget = f"{training['tokens'] / 1e6:,.1f}M | {training['steps']:,} | {training['seconds']:,.0f}"
        where = f"{training['recipe']['seed']} | {training['device']} | {made['commit']} | `{made['command']}`"
        lines.append(f"| {system['system']} | {points} | {budget} | {where} |")
    return "\n".join(lines) + "\n"


def stage(line: list[str]) -> None:
    said = shlex.join(["isarstep", *line])
    print(said, flush=True)
    if isarstep(line):
        raise Stopped(said)


def commit() -> str:
    here = Path(__file__).parent
    found = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=here, capture_output=True, text=True, check=False
    )
    return found.stdout.strip() or "unknown"


if __name__ == "__main__":
    raise SystemExit(main())
