"""One run from a file of arrays to n-best lists, for a machine with torch and without Parquet: train, then keep.

    python experiments/train_and_keep.py DATA OUT --size small --style modern --minutes 8 --dropout 0.15 --renumber 0.5
    python experiments/train_and_keep.py --arrays embedded DATA      # makes DATA, where Parquet can be read

OUT gets the model's shards and `run.tar.xz`: description, log, lists of validation, test and unseen. Lists are
written and packed as soon as each is there, so that a run that is cut off leaves what it had.
"""

from __future__ import annotations

import argparse
import shutil
import time
from pathlib import Path

from packing import keep_and_pack

from isarstep.feed.files import load_dataset, save_dataset


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="a file of arrays")
    parser.add_argument("out", type=Path, nargs="?")
    parser.add_argument("--arrays", help="write DATA from this benchmark, and stop")
    parser.add_argument("--model", default="hat")
    parser.add_argument("--size", default="base")
    parser.add_argument("--style", default="paper")
    parser.add_argument("--hints", action="store_true")
    parser.add_argument("--no-categories", dest="categories", action="store_false")
    parser.add_argument("--minutes", type=float, default=8)
    parser.add_argument("--batch", type=int, default=32_768)
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--renumber", type=float, default=0.0)
    parser.add_argument("--looks", type=int, default=6)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--storage", default="int8")
    chosen = parser.parse_args()
    if chosen.arrays:
        save_dataset(load_dataset(chosen.arrays), chosen.data)
        return
    from isarstep.models.config import ModelConfig
    from isarstep.train.loop import ValidationPlan, train
    from isarstep.train.recipe_files import modern, paper

    start = time.monotonic()
    data = load_dataset(chosen.data)
    config = ModelConfig(
        chosen.model, len(data.vocabulary), chosen.size, chosen.style, chosen.dropout, chosen.hints,
        chosen.categories, dense=True,
    )  # fmt: skip
    recipe = (paper if chosen.style == "paper" else modern)(
        minutes=chosen.minutes, batch=chosen.batch, renumber=chosen.renumber, seed=chosen.seed
    )
    folder = chosen.out / "run"
    train(data, config, recipe, folder, validating=ValidationPlan(looks=chosen.looks), storage=chosen.storage)
    print(f"trained after {time.monotonic() - start:.0f} s", flush=True)
    for split in keep_and_pack(folder, data, chosen.out):
        print(f"{split} searched after {time.monotonic() - start:.0f} s", flush=True)
    shutil.rmtree(folder)  # what is large and stays here


if __name__ == "__main__":
    main()
