"""One run on a GPU from a file of arrays to a selector of premises and a model that reads what it selects.

    python research/experiments/premises_run.py arrays embedded DATA.npz     # where Parquet can be read
    python research/experiments/premises_run.py arrays embedded-unseen2 UNSEEN2.npz
    python research/experiments/premises_run.py select DATA.npz OUT --beside UNSEEN2.npz   # selectors, scores, all premises
    python research/experiments/premises_run.py train DATA.npz OUT --minutes 12
    python research/experiments/premises_run.py score DATA.npz OUT           # lists of the scored splits in every view
    python research/experiments/premises_run.py compare DATA.npz OUT --minutes 9   # F.2-F.4, F.5, premises: a model each

`all` selects, trains, goes on twice from there with less dropout and a lower rate, and scores, each in a process of its
own, and gives the model what is left of `--minutes`. Two selectors see one half of the entries each and select for
the other half in training; the one that is kept has seen all. With `--selectors` those of an earlier run that are there
are read, the others trained. Files `--beside` are scored only. OUT/progress.jsonl has a line for every result as soon
as it is there.
"""

from __future__ import annotations

import argparse
import json
import lzma
import pickle
import subprocess
import sys
import tarfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from isarstep.benchmark.arrays.corpus import Dataset, Ints, Lists
from isarstep.benchmark.arrays.inputs import Input
from isarstep.premises.selector.earlier_uses import EarlierUseArrays, earlier_uses
from isarstep.premises.selector.premise_arrays import PremiseArrays, premise_arrays
from isarstep.premises.selector.premise_files import load_with_facts, over_one_list, save_with_facts
from isarstep.premises.selector.premise_questions import (
    FOR_MODEL,
    FOR_NEXT,
    FOR_PROVERS,
    QuestionArrays,
    all_questions,
    facts_of,
    questions_of,
    together,
)
from isarstep.premises.selector.selected_premises import BASE, VIEWS, keys_for_premises, view, with_cited, with_premises

KEPT = 24  # facts of each example that are kept, before those are left out that may not be read
KNOWN = ("validation", "test")  # their entries are in training; an example of training is asked of the other half
FACTORS = (0.5, 1, 1.6, 2.5, 4, 6.5)  # of what was learned for the cosine of constants
# For each e-fold of the steps above that use a fact: in the proof, in the theory, in theories of the entry below.
USED = ((0, 0, 0), (2, 1, 0), (2, 1, 0.5), (3, 2, 0), (3, 2, 0.5), (3, 2, 1), (4, 3, 0.5), (4, 3, 1))
OTHERS = 2000  # questions of the other half by which a selector is scored
BEHIND = 3.2  # minutes for what comes after training
# Shares of the model's minutes, as the shipped model had 20.4, 8.2 and 15.5: each goes on from the weights before it.
PARTS = ((0.46, ()), (0.19, ("--dropout", "0.05", "--rate", "0.25")), (0.35, ("--dropout", "0.05", "--rate", "0.4")))
STARTED = time.monotonic()


def options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stage", choices=("arrays", "select", "train", "score", "compare", "all"))
    parser.add_argument("data", help="a file of arrays; with `arrays` the benchmark")
    parser.add_argument("out", type=Path)
    parser.add_argument("--minutes", type=float, default=22, help="of all, or with `train` of the model")
    parser.add_argument("--full", type=float, nargs="+", default=[0.9], help="minutes of selectors of all entries")
    parser.add_argument("--half", type=float, default=0.8, help="minutes of the selector of each half")
    parser.add_argument("--batch", type=int, default=4096, help="questions of a selector's batch")
    parser.add_argument(
        "--selectors", type=Path, help="a folder with files that an earlier run left: those are not trained"
    )
    parser.add_argument("--size", default="small")
    parser.add_argument("--dropout", type=float, default=0.15)
    parser.add_argument("--start-from", type=Path, help="a model to go on from, with `train`")
    parser.add_argument("--rate", type=float, default=1.0, help="times the recipe's learning rate")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--examples", type=int, help="of each split, for a trial")
    parser.add_argument("--beside", type=Path, nargs="*", default=[], help="files of arrays that are scored only")
    return parser


def say(out: Path, **fields: object) -> None:
    line = json.dumps({"at": round(time.monotonic() - STARTED, 1), **fields})
    print(line, flush=True)
    with (out / "progress.jsonl").open("a") as file:
        file.write(line + "\n")


def write_arrays(benchmark: str, path: Path) -> None:
    from isarstep.benchmark.arrays.files import load_dataset
    from isarstep.benchmark.store.fact_search import uses_in_training
    from isarstep.benchmark.store.store import Benchmark

    opened, trained_on = Benchmark(benchmark), Benchmark("embedded")
    dataset = load_dataset(benchmark, "+context")
    dataset = replace(dataset, splits={name: split for name, split in dataset.splits.items() if len(split)})
    arrays = premise_arrays(opened, tuple(dataset.splits))
    save_with_facts(*over_one_list(dataset, arrays, len(opened.propositions)), path)
    key = ("theory", "name", "index")
    keys = [trained_on.facts[part].to_pylist() for part in key]
    uses = dict(zip(zip(*keys, strict=True), uses_in_training(trained_on).tolist(), strict=True))
    here = [opened.facts[part].to_pylist() for part in key]
    np.save(uses_beside(path), np.array([uses.get(key, 0) for key in zip(*here, strict=True)], np.int64))


def uses_beside(path: Path) -> Path:
    """How often the benchmark's training examples use each fact."""
    return path.with_suffix(".uses.npy")


class Asked:
    """The examples of a file of arrays, the facts that they may use, and the questions that selectors are scored by."""

    def __init__(self, path: Path, chosen: argparse.Namespace) -> None:
        import torch

        from isarstep.model.train.selector.data import FactTensors

        self.counted: tuple[QuestionArrays, EarlierUseArrays] | None = None
        self.dataset, arrays = load_with_facts(path)
        if chosen.examples is not None:
            self.dataset, arrays = first_of(self.dataset, arrays, chosen.examples)
        self.columns, self.facts = arrays.splits, arrays.facts
        self.corpus = next(iter(self.dataset.splits.values()))
        self.library = FactTensors(self.corpus, self.dataset.words, self.facts, torch.device(chosen.device))
        self.uses = self.library.there(np.load(uses_beside(path))).float().log1p()
        stated = facts_of(self.facts, len(self.corpus.token_starts) - 1, False)
        self.scored = {
            f"{split} {what}": self.of(split, kind, stated)
            for split in self.dataset.splits
            if split != "train"
            for what, kind in (("for provers", FOR_PROVERS), ("for the model", FOR_MODEL))
        }

    def of(self, split: str, kind: int, known: Lists) -> QuestionArrays:
        return questions_of(self.dataset.split(split), self.columns[split], self.facts, kind, known)

    def ranked(
        self, selector: Selector, asked: QuestionArrays, count: int, learned: bool = True, added: Any = None
    ) -> Ints:
        from isarstep.model.train.selector.data import AskedTensors
        from isarstep.model.train.selector.ranking import rank_all

        there = AskedTensors.of(asked, self.library)
        uses = self.uses if selector.uses is None else selector.uses
        found: Ints = rank_all(selector.towers, self.library, there, uses, count, learned, added).facts.cpu().numpy()
        return found

    def used_above(self, split: str, asked: QuestionArrays, weights: tuple[float, float, float]) -> Any:
        """What facts gain that steps above use: a sparse row for each question."""
        import torch

        if not any(weights):
            return None
        found = self.earlier(split, asked)
        places = torch.from_numpy(np.stack([found.question, found.fact]))
        shape = len(asked), len(self.facts)
        return torch.sparse_coo_tensor(places, torch.from_numpy(found.weighed(weights)), shape).to(self.library.device)

    def earlier(self, split: str, asked: QuestionArrays) -> EarlierUseArrays:
        """What these questions are told, counted once."""
        if self.counted is None or self.counted[0] is not asked:
            known = facts_of(self.facts, len(self.corpus.token_starts) - 1, True)
            args = self.dataset.split(split), self.columns[split], self.facts, known
            self.counted = asked, earlier_uses(*args, asked)
        return self.counted[1]


def first_of(dataset: Dataset, arrays: PremiseArrays, many: int) -> tuple[Dataset, PremiseArrays]:
    first = {name: np.arange(min(many, len(split))) for name, split in dataset.splits.items()}
    splits = {name: split.take(first[name]) for name, split in dataset.splits.items()}
    columns = {
        name: replace(each, **{part: getattr(each, part)[first[name]] for part in each.__dataclass_fields__})
        for name, each in arrays.splits.items()
    }
    return replace(dataset, splits=splits), replace(arrays, splits=columns)


class Selecting:
    """Selectors and what they select, over one set of data."""

    def __init__(self, chosen: argparse.Namespace) -> None:
        self.chosen, self.out = chosen, chosen.out
        self.in_new_entries: list[float] = [1, 1]  # factors of the cosine of constants, for provers and for the model
        self.used: tuple[float, float, float] = USED[0]  # weights of what steps above use there
        self.data = Asked(Path(chosen.data), chosen)
        self.corpus = self.data.dataset.split("train")
        say(self.out, done="read", facts=len(self.data.facts))
        known = facts_of(self.data.facts, len(self.corpus.token_starts) - 1, True)
        kinds = (FOR_PROVERS, FOR_NEXT, FOR_MODEL)
        self.questions = together([self.data.of("train", kind, known) for kind in kinds])
        scored = {what: len(asked) for what, asked in self.data.scored.items()}
        say(self.out, done="questions", count=len(self.questions), scored=scored)

    def trained(self, name: str, half: int | None, minutes: float) -> Selector:
        from isarstep.model.train.selector.training import SelectorRecipe, SelectorRun, uses_of

        columns = self.data.columns["train"]
        seen = np.ones(len(self.corpus), bool) if half is None else columns.half == half
        some = self.questions.take(np.flatnonzero(seen[self.questions.example]))
        uses, own = uses_of(self.corpus, columns, self.data.facts, seen, some)
        chosen = self.chosen
        if self.was_kept(name):
            counted = self.data.library.there(uses).float().log1p()
            return Selector(name, self.kept(chosen.selectors / f"{name}.safetensors"), counted, minutes)
        recipe = SelectorRecipe(minutes=minutes, batch=chosen.batch, others=chosen.batch, seed=chosen.seed)
        run = SelectorRun(self.data.library, some, uses, own, recipe, self.out / f"{name}.jsonl")
        towers = run.go()
        say(self.out, done=name, questions=len(some), minutes=minutes)
        return Selector(name, towers, run.uses.float().log1p(), minutes)

    def was_kept(self, name: str) -> bool:
        return self.chosen.selectors is not None and (self.chosen.selectors / f"{name}.safetensors").exists()

    def kept(self, path: Path) -> Any:
        """The towers that an earlier run has trained."""
        import torch

        from isarstep.model.train.selector.model import TwoTowers
        from isarstep.premises.selector.network import selector_weights

        towers = TwoTowers()
        there = towers.state_dict()
        weights = selector_weights(path)[0]
        towers.load_state_dict({part: torch.from_numpy(weights[part]).reshape(there[part].shape) for part in there})
        say(self.out, read=path.name)
        return towers.to(self.data.library.device).eval()

    def keep(self, selector: Selector) -> None:
        from isarstep.premises.selector.network import save_selector

        state = selector.towers.state_dict()
        weights = {part: value.detach().float().cpu().numpy() for part, value in state.items()}
        about = {"benchmark": self.data.dataset.benchmark, "minutes": selector.minutes, "seed": self.chosen.seed}
        save_selector(weights, about, self.out / selector.name)

    def scores(self, data: Asked, selector: Selector, split: str, learned: bool = True) -> float:
        total = 0.0
        with self.weighed_for(split, selector):
            for what, asked in data.scored.items():
                if what.split()[0] == split and len(asked):
                    total += self.told(data, selector, what, asked, learned)["recall@32"]
        return total

    @contextmanager
    def weighed_for(self, split: str, selector: Selector) -> Iterator[None]:
        """In entries that it has not seen, constants count for more."""
        alpha = selector.towers.alpha
        learned = alpha.detach().clone()
        if split not in KNOWN:
            alpha.data.mul_(alpha.new_tensor(self.in_new_entries))
        yield
        alpha.data.copy_(learned)

    def told(
        self, data: Asked, selector: Selector, what: str, asked: QuestionArrays, learned: bool = True
    ) -> dict[str, float]:
        from isarstep.model.train.selector.ranking import scores_of

        split = what.split()[0]
        added = data.used_above(split, asked, self.used) if learned and split not in (*KNOWN, "other") else None
        got = scores_of(asked, data.ranked(selector, asked, 1024, learned, added))
        say(self.out, selector=selector.name if learned else "cosine of constants", on=what, **got)
        return got

    def other_half(self, selector: Selector, half: int) -> list[list[float]]:
        """Entries that a selector of one half has not seen, as those of `unseen`, but of training: what each factor of
        the cosine of constants is worth there, for provers and for the model."""
        there = np.flatnonzero(self.data.columns["train"].half[self.questions.example] != half)
        worth: list[list[float]] = []
        for kind, what in ((FOR_PROVERS, "for provers"), (FOR_MODEL, "for the model")):
            asked = there[self.questions.kind[there] == kind]
            some = np.random.default_rng(0).choice(asked, min(len(asked), OTHERS), replace=False)
            questions, alpha = self.questions.take(np.sort(some)), selector.towers.alpha
            kept = alpha.detach().clone()
            worth.append([])
            for factor in FACTORS:
                alpha.data.copy_(kept * factor)
                got = self.told(self.data, selector, f"other half {what}, factor {factor}", questions)
                worth[-1].append(got["recall@8"] + got["recall@32"])
            alpha.data.copy_(kept)
            self.told(self.data, selector, f"other half {what}", questions, learned=False)
        return worth

    def earlier_uses_of_other_half(self, selector: Selector, half: int) -> list[float]:
        """What each of `USED` is worth there."""
        from isarstep.model.train.selector.ranking import scores_of

        there = np.flatnonzero(self.data.columns["train"].half[self.questions.example] != half)
        worth = [0.0] * len(USED)
        with self.weighed_for("other half", selector):
            for kind, what in ((FOR_PROVERS, "for provers"), (FOR_MODEL, "for the model")):
                asked = there[self.questions.kind[there] == kind]
                some = np.random.default_rng(0).choice(asked, min(len(asked), OTHERS), replace=False)
                questions = self.questions.take(np.sort(some))
                for place, weights in enumerate(USED):
                    added = self.data.used_above("train", questions, weights)
                    got = scores_of(questions, self.data.ranked(selector, questions, 1024, added=added))
                    say(self.out, selector=selector.name, on=f"other half {what}, earlier uses {weights}", **got)
                    worth[place] += got["recall@8"] + got["recall@32"]
        return worth

    def weigh_constants(self, selector: Selector) -> None:
        """The factors of the cosine of constants that are best on validation, for provers and for the model."""
        from isarstep.model.train.selector.ranking import scores_of

        alpha = selector.towers.alpha
        for what, place in (("validation for provers", 0), ("validation for the model", 1)):
            asked, learned, tried = self.data.scored[what], float(alpha[place]), []
            for factor in FACTORS if len(asked) else ():
                alpha.data[place] = learned * factor
                got = scores_of(asked, self.data.ranked(selector, asked, 128))
                tried.append((got["recall@8"] + got["recall@32"], factor))
                say(self.out, selector=selector.name, on=what, factor=factor, **got)
            alpha.data[place] = learned * max(tried, default=(0, 1))[1]

    def premises(self, data: Asked, whole: Selector, halves: list[Selector]) -> Dataset:
        """An example of training is asked of the selector that has not seen its entry."""
        keys = keys_for_premises(data.corpus, data.dataset.words)
        splits = {}
        for split, examples in data.dataset.splits.items():
            asked = all_questions(examples, data.columns[split], FOR_MODEL)
            found = np.full((len(examples), KEPT), -1, np.int32)
            half = data.columns[split].half
            askers = [(whole, np.arange(len(examples)))]
            if split == "train":
                askers = [(halves[1 - each], np.flatnonzero(half == each)) for each in (0, 1)]
            for asker, rows in askers:
                some = asked.take(rows)
                new = split not in (*KNOWN, "train")
                added = data.used_above(split, some, self.used) if new else None
                with self.weighed_for(split, asker):
                    found[rows] = data.ranked(asker, some, KEPT, added=added)
            counts: Counter[str] = Counter()
            read = with_premises(examples, found, data.facts.proposition, keys, counts)
            splits[split] = with_cited(read, data.facts.proposition)
            say(self.out, selected=split, examples=len(examples), **counts)
            if split != "train":
                np.save(self.out / f"premises-{split}.npy", found)
        return replace(data.dataset, splits=splits)


@dataclass
class Selector:
    name: str
    towers: Any
    uses: Any  # of facts, as far as it has seen them, as a logarithm; None: as the file of arrays says
    minutes: float


def select(chosen: argparse.Namespace) -> None:
    work = Selecting(chosen)
    best: tuple[float, Selector] | None = None
    for number, minutes in enumerate(chosen.full):
        selector = work.trained(f"selector-full{number}", None, minutes)
        if not work.was_kept(selector.name):
            work.weigh_constants(selector)
        work.keep(selector)
        value = work.scores(work.data, selector, "validation")
        if best is None or value > best[0]:
            best = value, selector
    assert best is not None
    whole = best[1]
    say(chosen.out, chosen=whole.name)
    halves = [work.trained(f"selector-half{half}", half, chosen.half) for half in (0, 1)]
    worth = np.zeros((2, len(FACTORS)))
    for number, half in enumerate(halves):
        half.towers.alpha.data.copy_(whole.towers.alpha.data)  # validation weighs for all
        work.keep(half)
        worth += np.array(work.other_half(half, number))
    work.in_new_entries = [FACTORS[place] for place in worth.argmax(1).tolist()]
    say(chosen.out, in_new_entries=work.in_new_entries)  # `IN_NEW_ENTRIES` of premises/learned_selection.py
    used = sum(np.array(work.earlier_uses_of_other_half(half, number)) for number, half in enumerate(halves))
    work.used = USED[int(np.argmax(used))]
    say(chosen.out, used=work.used)  # `USED` there
    sets = [work.premises(work.data, whole, halves)]
    anywhere = replace(whole, uses=None)
    for path in chosen.beside:
        data = Asked(path, chosen)
        sets.append(work.premises(data, anywhere, []))
        for split in data.dataset.splits:
            work.scores(data, anywhere, split)
            work.scores(data, anywhere, split, learned=False)
    with (chosen.out / "premises.pickle").open("wb") as file:
        pickle.dump(sets, file, protocol=5)
    say(chosen.out, done="premises")
    for split in ("test", "unseen", "validation"):
        if split != "validation":
            work.scores(work.data, whole, split)
        work.scores(work.data, whole, split, learned=False)


def with_selected(out: Path) -> list[Dataset]:
    """What a model learns from first, then what is scored beside."""
    from isarstep.model.data.constants import opened

    with (out / "premises.pickle").open("rb") as file:
        first, *beside = pickle.load(file)
    return [opened(first, 32, 8000), *beside]  # as in the recipe `shipped`


def trained_model(
    data: Dataset,
    chosen: argparse.Namespace,
    folder: Path,
    read: Input,
    looks: int,
    examples: int,
    *,
    views: bool = False,
    **length: float,
) -> None:
    """HAT by the recipe `shipped`, from this input; `+premises` reads whatever is known. `length`: minutes or steps."""
    from isarstep.model.nets.config import ModelConfig
    from isarstep.model.train.loop import ValidationPlan, train
    from isarstep.model.train.recipe_files import modern, read_recipe

    gpu = chosen.device == "cuda"
    config = ModelConfig("hat", len(data.vocabulary), chosen.size, "modern", chosen.dropout, read, dense=True)
    recipe = modern(
        batch=65_536 if gpu else 2048, renumber=0.5, renumber_copies=False, number_constants=0.5, leave_out=views,
        rate=chosen.rate * read_recipe("modern").training.rate, seed=chosen.seed, **length,
    )  # fmt: skip
    plan = ValidationPlan(looks=looks, examples=examples if gpu else 10)
    train(
        data, config, recipe, folder, device=chosen.device, start_from=chosen.start_from, validating=plan,
        storage="int8",
    )  # fmt: skip


def train_model(chosen: argparse.Namespace) -> None:
    data = with_selected(chosen.out)[0]
    say(chosen.out, done="data of the model")
    trained_model(data, chosen, chosen.out / "run", "+premises", 6, 1000, views=True, minutes=chosen.minutes)
    say(chosen.out, done="model")
    pack(chosen.out)


def compare(chosen: argparse.Namespace) -> None:
    """A model each that reads F.2-F.4 alone, with the lemmas that authors used, and with selected premises, of one size
    and an equal share of the minutes: what share of the gain by F.5 do premises keep?"""
    data = with_selected(chosen.out)[0]
    inputs: dict[Input, dict[int, int]] = {"base": BASE, "+F.5": BASE | {5: 5}, "+premises": VIEWS["+premises"]}
    for read, read_as in inputs.items():
        splits = {name: view(data.split(name), read_as) for name in ("train", "validation")}
        folder = chosen.out / f"compared{read}"
        minutes = chosen.minutes / len(inputs)
        trained_model(replace(data, splits=splits), chosen, folder, read, 1, 5000, minutes=minutes)
        last = json.loads((folder / "log.jsonl").read_text().splitlines()[-1])
        say(chosen.out, compared=read, minutes=minutes, **last)


def pack(out: Path) -> None:
    """The model's shards as they are, all else in one archive."""
    import shutil

    back = out / "back"
    back.mkdir(exist_ok=True)
    for shard in (out / "run").glob("model*.safetensors"):
        shutil.copy(shard, back / shard.name)
    with tarfile.open(back / "run.tar.xz.tmp", "w:xz", preset=1) as packed:
        for path in [*(out / "run").glob("*.json*"), *out.glob("*.json*"), *out.glob("lists/*"), *out.glob("*.npy")]:
            packed.add(path, path.relative_to(out))
    (back / "run.tar.xz.tmp").replace(back / "run.tar.xz")
    for folder in out.glob("selector-*"):
        if folder.is_dir():
            shutil.copy(folder / "selector.safetensors", back / f"{folder.name}.safetensors")


def score(chosen: argparse.Namespace) -> None:
    from isarstep.benchmark.arrays.dense import spelt_out
    from isarstep.model.decode.hypotheses import WIDE, SearchRules
    from isarstep.model.decode.predict import Predictor
    from isarstep.model.decode.ranking import COMPARED_ORDER

    out: Path = chosen.out
    sets = with_selected(out)
    predictor = Predictor(out / "run", chosen.device)
    (out / "lists").mkdir(exist_ok=True)
    for data, split in ((each, name) for each in sets for name in each.splits if name != "train"):
        corpus, words = data.split(split), data.words
        wanted = [" ".join(spelt_out([words[t] for t in corpus.proposition(n)])) for n in corpus.targets.tolist()]
        for name, read_as in VIEWS.items():
            seen = replace(data, splits={split: view(corpus, read_as)})
            lines = list(predictor.lines(predictor.split(seen, split), SearchRules(WIDE), order=COMPARED_ORDER))
            texts = [[text for text, _ in proposals] for _, proposals in lines]
            first = np.mean([found[:1] == [right] for found, right in zip(texts, wanted, strict=True)])
            among = np.mean([right in found[:WIDE] for found, right in zip(texts, wanted, strict=True)])
            say(out, split=split, view=name, top1=round(100 * float(first), 2), top10=round(100 * float(among), 2))
            with lzma.open(out / "lists" / f"{split}{name}.jsonl.xz", "wt", preset=1) as file:
                file.writelines(json.dumps([example, proposals]) + "\n" for example, proposals in lines)
        pack(out)
    say(out, done="scores")


def everything(chosen: argparse.Namespace) -> None:
    words = [word for word in sys.argv[1:] if word != "all"]

    def run(stage: str, *more: str) -> None:
        subprocess.run([sys.executable, __file__, stage, *words, *more], check=True)

    run("select")
    left = chosen.minutes - (time.monotonic() - STARTED) / 60 - BEHIND
    say(chosen.out, minutes_left_for_the_model=round(left, 2))
    before: tuple[str, ...] = ()
    for number, (share, otherwise) in enumerate(PARTS, 1):
        run("train", "--minutes", f"{left * share:.2f}", *before, *otherwise)
        if number < len(PARTS):
            before = "--start-from", str((chosen.out / "run").rename(chosen.out / f"run{number}"))
    run("score")
    say(chosen.out, done="all")


def main() -> None:
    chosen = options().parse_args()
    if chosen.stage == "arrays":
        write_arrays(chosen.data, chosen.out)
        return
    chosen.out.mkdir(parents=True, exist_ok=True)
    stages = {"select": select, "train": train_model, "score": score, "compare": compare, "all": everything}
    stages[chosen.stage](chosen)


if __name__ == "__main__":
    main()
