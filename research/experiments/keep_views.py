"""What `premises_run.py all` scored, as runs for the report: one for each view of the same model.

    python research/experiments/keep_views.py OUT RUNS --command 'python research/experiments/premises_run.py ...' --commit 788c1ea
    python research/experiments/paper.py report embedded docs/results/runs docs/results

RUNS gets hat-library (context and premises are read), and of test alone hat-library-base, hat-library-context,
hat-library-premises and hat-library-state.
"""

from __future__ import annotations

import argparse
import json
import lzma
import shutil
from pathlib import Path

from packing import note_origin

from isarstep.benchmark.store.store import Benchmark
from isarstep.common.version import __version__
from isarstep.model.decode.hypotheses import WIDE, SearchRules
from isarstep.model.decode.predictions import write_predictions
from isarstep.model.decode.ranking import COMPARED_ORDER
from isarstep.premises.selector.selected_premises import VIEWS
from isarstep.resources import BESIDE, EMBEDDED

SPLITS = ("test", "unseen", "unseen2", "fresh2")
WHOLE = "+context+premises"  # the view whose lists are kept for all splits


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="what came back: run/, lists/")
    parser.add_argument("runs", type=Path)
    parser.add_argument("--command", required=True, help="the line that made it")
    parser.add_argument("--commit", required=True, help="of the code that made it")
    chosen = parser.parse_args()
    answered = {split: Benchmark(BESIDE.get(split, EMBEDDED)).hash for split in SPLITS}
    for view in VIEWS:
        splits = answered if view == WHOLE else {"test": answered["test"]}
        keep(chosen.out, view, chosen.runs / name_of(view), splits)
        note_origin(chosen.runs / name_of(view), chosen.command, chosen.commit)


def name_of(view: str) -> str:
    return "hat-library" if view == WHOLE else f"hat-library-{view.removeprefix('+')}"


def keep(out: Path, view: str, folder: Path, answered: dict[str, str]) -> None:
    config = json.loads((out / "run" / "config.json").read_text())
    (folder / "predictions").mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config | {"input": view}, indent=1) + "\n")
    shutil.copy(out / "run" / "log.jsonl", folder / "log.jsonl")
    rule = SearchRules(WIDE).length_rule
    for split, benchmark in answered.items():
        meta = {
            "benchmark": benchmark, "trained_on": config["benchmark"], "split": split, "input": view, "beam": WIDE,
            "length_rule": f"{rule}; {COMPARED_ORDER}", "constraints": "none",
            "model": "-".join((config["kind"], config["size"], config["style"])), "version": __version__,
        }  # fmt: skip
        with lzma.open(out / "lists" / f"{split}{view}.jsonl.xz", "rt") as file:
            lines = ((example, proposals) for example, proposals in map(json.loads, file))
            write_predictions(folder / "predictions" / f"{split}.beam{WIDE}.jsonl", lines, meta)


if __name__ == "__main__":
    main()
