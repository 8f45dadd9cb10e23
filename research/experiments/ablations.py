"""Variants of a run, one after the other at the same small budget; one JSON line each as soon as it is there.

    python research/experiments/ablations.py DATA OUT.jsonl --common "--size small --style modern --minutes 2" \
        baseline= "open=--numbers 32 --number-constants 0.5"

A variant is a name and options of `train_and_keep.py`. Only the validation split is looked at.
"""

from __future__ import annotations

import argparse
import json
import shlex
import tempfile
import time
from pathlib import Path

import torch
from train_and_keep import make_model, options, scores


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="a file of arrays")
    parser.add_argument("out", type=Path, help="lines are added to it")
    parser.add_argument("variants", nargs="+", metavar="NAME=OPTIONS")
    parser.add_argument("--common", default="", help="options of all variants")
    parser.add_argument("--examples", type=int, default=1000, help="of the validation split")
    chosen = parser.parse_args(arguments)
    for variant in chosen.variants:
        name, _, its_options = variant.partition("=")
        began = time.monotonic()
        run = options().parse_args([str(chosen.data), *shlex.split(chosen.common), *shlex.split(its_options)])
        torch.compiler.reset()
        with tempfile.TemporaryDirectory() as folder:
            data = make_model(run, Path(folder))
            config = json.loads((Path(folder) / "config.json").read_text())
            line = {
                "variant": name, "options": f"{chosen.common} {its_options}".strip(), "benchmark": data.benchmark[:12],
                "vocabulary": len(data.vocabulary), "steps": config["training"]["steps"],
                "tokens": config["training"]["tokens"], "best_step": config["training"]["best_step"],
                **scores(Path(folder), data, chosen.examples), "seconds": round(time.monotonic() - began),
            }  # fmt: skip
        with chosen.out.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
