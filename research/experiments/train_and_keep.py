"""One run from a file of arrays to n-best lists, for a machine with torch and without Parquet: train, then keep.

    python research/experiments/train_and_keep.py DATA OUT --size small --style modern --minutes 8 --dropout 0.15 --renumber 0.5
    python research/experiments/train_and_keep.py --arrays embedded DATA      # makes DATA, where Parquet can be read
    (with --input +context in both lines: the theorem's statement and the facts before the gap are read, too)

OUT gets the model's shards and `run.tar.xz`: description, log, lists of validation, test and unseen. Lists are
written and packed as soon as each is there, so that a run that is cut off leaves what it had. `ablations.py` trains
several variants, one after the other.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from packing import commit, keep_and_pack, note_origin

from isarstep.benchmark.arrays.corpus import Corpus, Dataset
from isarstep.benchmark.arrays.files import load_dataset, save_dataset
from isarstep.benchmark.arrays.inputs import FIELDS_READ
from isarstep.model.data.constants import is_constant, numbers_in, opened, read_by_model

if TYPE_CHECKING:
    from isarstep.model.decode.predict import Predictor

WELL_KNOWN = 300  # constants that somebody in a new theory has in common with the training split


def options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="a file of arrays")
    parser.add_argument("out", type=Path, nargs="?")
    parser.add_argument("--arrays", help="write DATA from this benchmark, and stop")
    parser.add_argument("--model", default="hat")
    parser.add_argument("--size", default="base")
    parser.add_argument("--style", default="paper")
    parser.add_argument("--input", default="base", choices=list(FIELDS_READ))
    parser.add_argument("--no-categories", dest="categories", action="store_false")
    parser.add_argument("--minutes", type=float, default=8)
    parser.add_argument("--batch", type=int, default=32_768)
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--renumber", type=float, default=0.0)
    parser.add_argument("--no-renumber-copies", dest="renumber_copies", action="store_false", help="no held-out target")
    parser.add_argument("--numbers", type=int, default=0, help="constants without a token that an example may have")
    parser.add_argument("--named", type=int, help="constants with a token; all of the training split if not given")
    parser.add_argument(
        "--number-constants", type=float, default=0.0, help="share of examples with known ones numbered"
    )
    parser.add_argument("--weight-decay", type=float)
    parser.add_argument("--looks", type=int, default=6)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--storage", default="int8")
    parser.add_argument("--trained", action="store_true", help="OUT/run holds the trained model: search and keep only")
    return parser


def read_data(chosen: argparse.Namespace) -> Dataset:
    """Under the vocabulary that the model has."""
    data = load_dataset(chosen.data, chosen.input)
    return opened(data, chosen.numbers, chosen.named) if chosen.numbers or chosen.named is not None else data


def make_model(chosen: argparse.Namespace, folder: Path) -> Dataset:
    """Leaves it in `folder`; what it was trained on."""
    from isarstep.model.nets.config import ModelConfig
    from isarstep.model.train.loop import ValidationPlan, train
    from isarstep.model.train.recipe_files import modern, paper

    data = read_data(chosen)
    config = ModelConfig(
        chosen.model, len(data.vocabulary), chosen.size, chosen.style, chosen.dropout, chosen.input,
        chosen.categories, dense=True,
    )  # fmt: skip
    recipe = (paper if chosen.style == "paper" else modern)(
        minutes=chosen.minutes, batch=chosen.batch, renumber=chosen.renumber, seed=chosen.seed,
        renumber_copies=chosen.renumber_copies, number_constants=chosen.number_constants,
    )  # fmt: skip
    if chosen.weight_decay is not None:
        recipe = replace(recipe, weight_decay=chosen.weight_decay)
    train(data, config, recipe, folder, validating=ValidationPlan(looks=chosen.looks), storage=chosen.storage)
    return data


def scores(folder: Path, data: Dataset, examples: int = 1000) -> dict[str, Any]:
    """Of a part of the validation split, by names: as it is, and with all but the commonest constants unheard of."""
    from isarstep.model.decode.predict import Predictor
    from isarstep.model.train.validation import sample

    predictor = Predictor(folder)
    corpus = sample(data.split("validation"), examples)
    looks = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines() if "validation_loss" in line]
    constants = [word for word in data.words if is_constant(word)]
    unheard = {*constants[WELL_KNOWN:]} - {data.vocabulary[number] for number in numbers_in(data.vocabulary)}
    disguised = tuple(word + "'" if word in unheard else word for word in data.words)
    return {
        "loss": round(looks[-1]["validation_loss"], 4),  # of vocabularies that differ: not to be compared
        **_score(predictor, corpus, data.words),
        "unheard": _score(predictor, corpus, disguised),
    }


def _score(predictor: Predictor, corpus: Corpus, words: tuple[str, ...]) -> dict[str, float]:
    from isarstep.model.decode.bleu import bleu_of_sums, ngram_counts
    from isarstep.model.decode.hypotheses import WIDE, SearchRules

    read = read_by_model(corpus, words, predictor.vocabulary, predictor.model.config.input)
    references = [" ".join(words[t] for t in corpus.proposition(n)) for n in corpus.targets.tolist()]
    found = [[text for text, _ in proposals] for _, proposals in predictor.lines(read, SearchRules(WIDE))]
    ranks = np.array(
        [texts.index(wanted) if wanted in texts else WIDE for wanted, texts in zip(references, found, strict=True)]
    )
    counts = ngram_counts(references, [texts[0] if texts else "" for texts in found])
    return {
        "top1": round(float((ranks < 1).mean()), 4),
        "top10": round(float((ranks < WIDE).mean()), 4),
        "bleu": round(float(bleu_of_sums(counts.sum(0)[None])[0]), 2),
    }


def main() -> None:
    chosen = options().parse_args()
    if chosen.arrays:
        save_dataset(load_dataset(chosen.arrays, chosen.input), chosen.data)
        return
    start = time.monotonic()
    folder = chosen.out / "run"
    if not chosen.trained:
        make_model(chosen, folder)
        names = {str(chosen.data): chosen.data.name, str(chosen.out): "OUT"}  # not where somebody's files lie
        said = [names.get(word, word) for word in sys.argv[1:]]
        note_origin(folder, shlex.join(["python", "research/experiments/train_and_keep.py", *said]), commit())
        print(f"trained after {time.monotonic() - start:.0f} s", flush=True)
        # A new process: searching begins with the whole memory of the GPU.
        os.execv(sys.executable, [sys.executable, *sys.argv, "--trained"])
    data = read_data(chosen)
    print(json.dumps(scores(folder, data)), flush=True)
    for split in keep_and_pack(folder, data, chosen.out):
        print(f"{split} searched after {time.monotonic() - start:.0f} s", flush=True)
    shutil.rmtree(folder)  # what is large and stays here


if __name__ == "__main__":
    main()
