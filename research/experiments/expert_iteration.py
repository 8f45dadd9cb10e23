"""One round of learning from answers: those that provers confirm, or those of a better model.

    python research/experiments/premises_run.py select DATA.npz OUT --selectors SELECTORS --half 0.4 --beside UNSEEN2.npz
    python research/experiments/expert_iteration.py all OUT --start-from MODEL --minutes 5                       # confirmed
    python research/experiments/expert_iteration.py all OUT --start-from MODEL --model TEACHER --targets taught --minutes 5

OUT is what `select` left: what training and scoring read. The stages, each of which can be asked for alone:

    search   n-best lists of training examples, a sample by id; the author's target is no proposal to be judged
    check    provers judge both sides of the others; goes on where it ended; wants asked.jsonl alone, which lies packed
             in OUT/back, so that it may run elsewhere, where there is Parquet; training wants its confirmed.json
    train    on from the model: `--targets author`, `confirmed` or `taught` (a list gives one answer, drawn by its odds)
    score    validation: exact match of the model as it was and of all that went on from it
    judge    their first answers by provers, all by one run of the checker

`all` lets provers work while the model goes on with the author's targets alone, for so many minutes; then it goes on
from the same start for as many steps with the others mixed in, at a share.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tarfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from further_targets import drawn, further_examples, held_out, mixed
from premises_run import say, trained_model, with_selected

from isarstep.benchmark.arrays.corpus import Corpus
from isarstep.benchmark.arrays.dense import spelt_out
from isarstep.benchmark.arrays.measures import Layout, Measures
from isarstep.benchmark.store.ids import places_of_lowest
from isarstep.benchmark.store.special_tokens import SPECIALS, UNK
from isarstep.model.decode.hypotheses import WIDE, SearchRules
from isarstep.model.decode.predict import Predictor, meta_of
from isarstep.model.decode.predictions import read_scored, write_predictions
from isarstep.model.decode.ranking import COMPARED_ORDER, learned_ranking
from isarstep.premises.selector.selected_premises import VIEWS, view

READ = "+context+premises"  # the view in which lists are searched for
SCORED = ("base", READ)
BEFORE = "before"  # the model that all others go on from
UNKNOWN = SPECIALS[UNK]
LEFT_TO_TRAINING = 3  # processors


def options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stage", choices=("search", "check", "train", "score", "judge", "all"))
    parser.add_argument("out", type=Path)
    parser.add_argument("--start-from", type=Path, default=Path("embedded"), help="the model that goes on")
    parser.add_argument("--model", type=Path, help="whose lists are searched for; the same if not given")
    parser.add_argument("--targets", choices=("author", "confirmed", "taught"), default="confirmed")
    parser.add_argument("--share", type=float, default=0.05, help="of further targets among all examples")
    parser.add_argument("--examples", type=int, default=20_000, help="of training, those of lowest id")
    parser.add_argument("--top", type=int, default=3, help="proposals of each that are judged")
    parser.add_argument("--seconds", type=float, default=0.5, help="of processor time, a gap of a training example")
    parser.add_argument("--minutes", type=float, default=5, help="of a training, and of provers meanwhile")
    parser.add_argument("--steps", type=int, help="instead of minutes of a training")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 1) - LEFT_TO_TRAINING))
    parser.add_argument("--judged", type=int, default=300, help="validation examples whose first answers are judged")
    parser.add_argument("--benchmark", default="embedded")
    parser.add_argument("--size", default="small")
    parser.add_argument("--dropout", type=float, default=0.05)
    parser.add_argument("--rate", type=float, default=0.25, help="times the recipe's learning rate")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="cuda")
    return parser


def texts_of_targets(corpus: Corpus, words: Sequence[str]) -> list[str]:
    return [" ".join(spelt_out([words[t] for t in corpus.proposition(n)])) for n in corpus.targets.tolist()]


def search(chosen: argparse.Namespace) -> None:
    data = with_selected(chosen.out)[0]
    train = view(data.split("train"), VIEWS[READ])
    with_goal = np.zeros(len(train), bool)
    with_goal[np.repeat(np.arange(len(train)), np.diff(train.source_starts))[train.fields == 3]] = True
    able = np.intersect1d(Measures(train, Layout(True, "+premises")).trainable(), np.flatnonzero(with_goal))
    train = train.take(able)
    some = train.take(np.array(places_of_lowest(train.ids, chosen.examples), np.int64))
    predictor, rules = Predictor(chosen.model or chosen.start_from, chosen.device), SearchRules(WIDE)
    corpus = predictor.split(replace(data, splits={"train": some}), "train")
    lines = list(predictor.lines(corpus, rules))
    meta = meta_of(predictor, data.benchmark, "train", rules, "none")
    write_predictions(chosen.out / "lists.jsonl", lines, meta)
    asked, right = [], 0
    for at, ((name, proposals), own) in enumerate(zip(lines, texts_of_targets(some, data.words), strict=True)):
        given = predictor.given(corpus, at)
        right += [tokens for tokens, _ in proposals[:1]] == [own]
        others = [each for each in proposals if each[0] != own and each[0] not in given and UNKNOWN not in each[0]]
        asked.append((name, learned_ranking().ordered(others)))
    write_predictions(chosen.out / "asked.jsonl", asked, meta)
    many = sum(len(others) for _, others in asked)
    pack(chosen.out, "asked.*")
    say(chosen.out, done="search", lists=len(lines), authors_first=right, others=many)


def check(chosen: argparse.Namespace) -> None:
    """Nothing justifies an assumption, so that no prover confirms another one."""
    from judging import counts, judged  # Parquet and provers are needed here and to judge

    from isarstep.benchmark.store.store import Benchmark
    from isarstep.prover.check.jobs import Settings

    lists = read_scored(chosen.out / "asked.jsonl")
    kinds = Benchmark(chosen.benchmark).table("train", ["id", "target_kind"]).to_pydict()
    derived = {name for name, kind in zip(*kinds.values(), strict=True) if kind != "assumption"}
    asked = {
        name: [tokens for tokens, _ in proposals[: chosen.top]] for name, proposals in lists.items() if name in derived
    }
    settings = Settings(chosen.benchmark, "train", chosen.seconds)
    rows = judged(asked, settings, chosen.out / "verdicts.parquet", chosen.minutes, chosen.jobs)
    written = [(row["example"], asked[row["example"]][row["rank"]]) for row in rows if row["strict_alternative"]]
    (chosen.out / "confirmed.json").write_text(json.dumps(written))
    say(chosen.out, done="check", **counts(rows))


def written_targets(chosen: argparse.Namespace) -> list[tuple[str, str]]:
    """(id of a training example, another target)"""
    if chosen.targets == "taught":
        return drawn(read_scored(chosen.out / "lists.jsonl").items(), chosen.seed)
    return [(name, tokens) for name, tokens in json.loads((chosen.out / "confirmed.json").read_text())]


def train(chosen: argparse.Namespace) -> None:
    sets = with_selected(chosen.out)
    data, counts = sets[0], Counter[str]()
    if chosen.targets != "author":
        further = further_examples(data, written_targets(chosen), held_out(sets), counts)
        data = mixed(data, further, chosen.share, counts)
    say(chosen.out, targets=chosen.targets, examples=len(data.split("train")), **counts)
    length = {"minutes": chosen.minutes} if chosen.steps is None else {"steps": chosen.steps}
    trained_model(data, chosen, chosen.out / chosen.targets, "+premises", 2, 1000, views=True, **length)
    say(chosen.out, done=chosen.targets)


def arms(chosen: argparse.Namespace) -> dict[str, Path]:
    """The model as it was, and what went on from it."""
    folders = {each: chosen.out / each for each in ("author", "confirmed", "taught")}
    return {BEFORE: chosen.start_from} | {
        name: folder for name, folder in folders.items() if (folder / "config.json").exists()
    }


def list_of(chosen: argparse.Namespace, arm: str, read: str) -> Path:
    path: Path = chosen.out / "lists" / f"validation-{arm}-{read.replace('+', '_')}.jsonl"
    return path


def score(chosen: argparse.Namespace) -> None:
    data, rules = with_selected(chosen.out)[0], SearchRules(WIDE)
    corpus = data.split("validation")
    wanted = texts_of_targets(corpus, data.words)
    for arm, folder in arms(chosen).items():
        predictor = Predictor(folder, chosen.device)
        for read in SCORED:
            seen = replace(data, splits={"validation": view(corpus, VIEWS[read])})
            lines = list(predictor.lines(predictor.split(seen, "validation"), rules, order=COMPARED_ORDER))
            texts = [[text for text, _ in proposals] for _, proposals in lines]
            top1 = np.mean([found[:1] == [right] for found, right in zip(texts, wanted, strict=True)])
            top10 = np.mean([right in found for found, right in zip(texts, wanted, strict=True)])
            meta = meta_of(predictor, data.benchmark, "validation", rules, "none", COMPARED_ORDER)
            write_predictions(list_of(chosen, arm, read), lines, meta)
            say(chosen.out, arm=arm, view=read, top1=round(100 * float(top1), 2), top10=round(100 * float(top10), 2))


def judge(chosen: argparse.Namespace) -> None:
    """The first answers of all models to the same examples, each different answer once."""
    from judging import counts, judged

    from isarstep.prover.check.jobs import Settings

    firsts = {
        arm: {name: proposals[0][0] for name, proposals in read_scored(list_of(chosen, arm, READ)).items() if proposals}
        for arm in arms(chosen)
        if list_of(chosen, arm, READ).exists()
    }
    names = sorted(set.intersection(*(set(answers) for answers in firsts.values())))[: chosen.judged]
    asked = {name: list(dict.fromkeys(answers[name] for answers in firsts.values())) for name in names}
    settings = Settings(chosen.benchmark, "validation")
    rows = judged(asked, settings, chosen.out / "validation.parquet", chosen.minutes, chosen.jobs)
    for arm, answers in firsts.items():
        own = [row for row in rows if asked[row["example"]][row["rank"]] == answers[row["example"]]]
        say(chosen.out, judged=arm, **counts(own))


def pack(out: Path, *patterns: str) -> None:
    """What is to be carried away: weights as they are, all else in one archive."""
    back = out / "back"
    back.mkdir(exist_ok=True)
    with tarfile.open(back / "rest.tar.xz", "w:xz", preset=1) as packed:
        for path in sorted(path for pattern in patterns for path in out.glob(pattern)):
            if path.suffix == ".safetensors":
                shutil.copy(path, back / path.name)
            else:
                packed.add(path, path.relative_to(out))


def everything(chosen: argparse.Namespace, words: Sequence[str]) -> None:
    def command(stage: str, *more: str) -> list[str]:
        return [sys.executable, __file__, *(stage if word == "all" else word for word in words), *more]

    def run(stage: str, *more: str) -> None:
        subprocess.run(command(stage, *more), check=True)

    run("search")
    provers = subprocess.Popen(command("check")) if chosen.targets == "confirmed" else None
    run("train", "--targets", "author")
    if provers is not None and provers.wait():
        raise SystemExit("provers could not be asked")
    about = json.loads((chosen.out / "author" / "config.json").read_text())
    run("train", "--steps", str(about["training"]["steps"]))
    results = [f"{arm}/*.json*" for arm in ("author", chosen.targets)] + ["*.json", "progress.jsonl", "lists/*.jsonl"]
    results += [f"{chosen.targets}/model*.safetensors", "*.parquet"]
    run("score")
    pack(chosen.out, *results)
    run("judge")
    pack(chosen.out, *results)


def main(words: Sequence[str] | None = None) -> None:
    words = sys.argv[1:] if words is None else words
    chosen = options().parse_args(words)
    stages = {"search": search, "check": check, "train": train, "score": score, "judge": judge}
    if chosen.stage == "all":
        everything(chosen, words)
    else:
        stages[chosen.stage](chosen)


if __name__ == "__main__":
    main()
