"""Conv2Conv against fairseq's own recipe: loss curves beside a second implementation, and runs of one change each.

    python research/experiments/conv2conv.py curves arrays.npz OUT --minutes 4          # ours and `fconv.py`, the same batches
    python research/experiments/conv2conv.py train updates arrays.npz OUT --minutes 14  # then nag, then untied: each one change
    isarstep evaluate OUT                                                      # of a run: its scores from its lists

The row `convs2s-base` has Adam on 131,072 tokens a step. `updates` has fairseq's 4,000 tokens instead, `nag` moreover
its optimiser (Nesterov's momentum 0.99, rate 0.25, norm of gradients at most 0.1, shrunk tenfold near the end, no label
smoothing), `untied` moreover its own tables and output layer: `fconv_iwslt_de_en` as fairseq's guide trains it. Losses
are means over the tokens of a step in all of them.

On a GPU a step of 4,000 tokens is recorded once for each shape: source and target are padded to one of a few lengths.
"""

from __future__ import annotations

import argparse
import json
import sys
import tarfile
import tempfile
import time
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from fconv import FConv, SearchedFConv, weights_of
from packing import commit, note_origin
from torch import Tensor, nn

from isarstep.benchmark.arrays.corpus import Corpus, Dataset, Longs
from isarstep.benchmark.arrays.dense import dense_dataset
from isarstep.benchmark.arrays.files import load_dataset
from isarstep.benchmark.arrays.measures import Layout
from isarstep.benchmark.store.special_tokens import BOS, UNK
from isarstep.common.errors import UserError
from isarstep.model.data.batches import Batch, Packer
from isarstep.model.data.constants import closed
from isarstep.model.decode.bleu import bleu_of_sums, ngram_counts
from isarstep.model.decode.hypotheses import NARROW, WIDE, SearchRules
from isarstep.model.decode.predict import Predictor, meta_of
from isarstep.model.decode.predictions import write_predictions
from isarstep.model.decode.ranking import COMPARED_ORDER
from isarstep.model.decode.search import search_corpus
from isarstep.model.nets.checkpoint import write_model
from isarstep.model.nets.config import ModelConfig, Size
from isarstep.model.nets.convs2s import ConvS2S
from isarstep.model.nets.folders import About
from isarstep.model.train.loop import TrainingRun, ValidationPlan
from isarstep.model.train.process_group import Processes
from isarstep.model.train.recipe_files import paper
from isarstep.model.train.validation import sample

LAYOUT = Layout(hierarchical=False, input="base")
TOKENS = 4_000  # of a step, the longer side, padding counted: fairseq's --max-tokens
SOURCE_LENGTHS = (16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512)
TARGET_LENGTHS = (8, 16, 24, 32, 48, 64, 96, 128)
CLIP, MOMENTUM, RATE, SHRUNK = 0.1, 0.99, 0.25, 0.2  # the last: share of the run with a tenth of the rate
ADAM, WARMUP = (0.9, 0.98, 1e-9), 4_000
WATCHED = 1_000  # validation examples of a look, those of every other run
RECORDED_AFTER = 3  # ordinary steps of a shape


@dataclass(frozen=True)
class Variant:
    nesterov: bool
    tied: bool

    @property
    def smoothing(self) -> float:
        return 0.0 if self.nesterov else 0.1


VARIANTS = {"updates": Variant(False, True), "nag": Variant(True, True), "untied": Variant(True, False)}


class Examples:
    """Sources and targets of a corpus laid end to end on a device, as any shape of padded batch."""

    def __init__(self, corpus: Corpus, device: torch.device) -> None:
        packer = Packer(corpus, LAYOUT, device)
        self.device, self.chosen = device, packer.measures.trainable()
        self.lengths = packer.measures.source[self.chosen], packer.measures.target[self.chosen]
        pieces = np.array_split(self.chosen, max(1, len(self.chosen) // 20_000))
        self.source = torch.cat([packer.source(piece).tokens_S.int() for piece in pieces])
        self.target = torch.cat([packer.target(piece).outputs_U.int() for piece in pieces])
        self.counts = [torch.from_numpy(lengths).to(device) for lengths in self.lengths]
        self.begins = [count.cumsum(0) - count for count in self.counts]

    def __len__(self) -> int:
        return len(self.chosen)

    def padded(self, side: int, numbers: Tensor, length: int) -> tuple[Tensor, Tensor]:
        flat = (self.source, self.target)[side]
        at = torch.arange(length, device=self.device)
        real = at < self.counts[side][numbers][:, None]
        places = (self.begins[side][numbers][:, None] + at).clamp(max=len(flat) - 1)
        return flat[places].long().masked_fill(~real, 0), real

    def grid(self, numbers: Tensor, shape: tuple[int, int]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Source, which of it is real, what is read back, and what is to be written (-1: nothing)."""
        source, is_source = self.padded(0, numbers, shape[0])
        outputs, real = self.padded(1, numbers, shape[1])
        inputs = F.pad(outputs[:, :-1], (1, 0), value=BOS)
        return source, is_source, inputs, outputs.masked_fill(~real, -1)

    def shapes(self) -> tuple[Longs, list[tuple[int, int]]]:
        """Which padded shape each example belongs to, and the shapes."""
        sides = []
        for lengths, edges in zip(self.lengths, (SOURCE_LENGTHS, TARGET_LENGTHS), strict=True):
            known = np.array([*(edge for edge in edges if edge < lengths.max()), int(lengths.max())])
            sides.append(known[np.searchsorted(known, lengths)])
        pairs, which = np.unique(np.stack(sides, 1), axis=0, return_inverse=True)
        return which.reshape(-1), [(int(source), int(target)) for source, target in pairs]


def epoch_plan(which: Longs, sizes: list[int], random: np.random.Generator) -> list[tuple[int, Longs]]:
    """Full batches of one shape each, in random order. What is left of a shape waits for another epoch."""
    order = random.permutation(len(which))
    order = order[np.argsort(which[order], kind="stable")]
    bounds = np.searchsorted(which[order], np.arange(len(sizes) + 1))
    found = []
    for shape, size in enumerate(sizes):
        here = order[bounds[shape] : bounds[shape + 1]]
        found += [(shape, here[at : at + size]) for at in range(0, len(here) - size + 1, size)]
    return [found[at] for at in random.permutation(len(found))]


class Flat:
    """All parameters of a model in one row, all gradients in another."""

    def __init__(self, model: nn.Module) -> None:
        parameters = list(model.parameters())
        self.values = torch.cat([p.detach().flatten() for p in parameters])
        self.gradients = torch.zeros_like(self.values)
        at = 0
        for p in parameters:
            here = slice(at, at + p.numel())
            p.data, p.grad = self.values[here].view_as(p), self.gradients[here].view_as(p)
            at += p.numel()


class Nesterov:
    """fairseq's NAG with its clipping. The momentum holds the rate: what a smaller rate leaves of it is scaled."""

    def __init__(self, flat: Flat, rate: Tensor) -> None:
        self.flat, self.rate = flat, rate
        self.momentum, self.before = torch.zeros_like(flat.values), torch.full_like(rate, RATE)

    def step(self) -> None:
        gradient = self.flat.gradients
        gradient *= (CLIP / (gradient.norm() + 1e-6)).clamp(max=1)
        ratio = self.rate / self.before
        self.flat.values += self.momentum * (MOMENTUM * MOMENTUM * ratio) - gradient * ((1 + MOMENTUM) * self.rate)
        self.momentum *= MOMENTUM * ratio
        self.momentum -= gradient * self.rate
        self.before.copy_(self.rate)

    @staticmethod
    def rate_at(step: int, done: float) -> float:
        return RATE if done < 1 - SHRUNK else RATE / 10


class Adam:
    """As the rows of the paper are trained."""

    def __init__(self, flat: Flat, rate: Tensor) -> None:
        self.flat, self.rate = flat, rate
        self.mean, self.square = torch.zeros_like(flat.values), torch.zeros_like(flat.values)
        self.first, self.second = torch.ones_like(rate), torch.ones_like(rate)  # to the power of the steps

    def step(self) -> None:
        first, second, tiny = ADAM
        self.first *= first
        self.second *= second
        self.mean.lerp_(self.flat.gradients, 1 - first)
        self.square.mul_(second).addcmul_(self.flat.gradients, self.flat.gradients, value=1 - second)
        size = self.rate / (1 - self.first)
        self.flat.values -= size * self.mean / ((self.square / (1 - self.second)).sqrt() + tiny)

    @staticmethod
    def rate_at(step: int, done: float) -> float:
        return float(512**-0.5 * min(step**-0.5, step * WARMUP**-1.5))


class Steps:
    """Steps of padded batches; on a GPU each shape is recorded after a few."""

    def __init__(self, model: FConv, examples: Examples, variant: Variant, shapes: list[tuple[int, int]]) -> None:
        self.model, self.examples, self.shapes, self.smoothing = model, examples, shapes, variant.smoothing
        self.flat = Flat(model)
        self.rate = torch.zeros((), device=examples.device)
        self.optimiser = (Nesterov if variant.nesterov else Adam)(self.flat, self.rate)
        self.nll, self.written = (torch.zeros((), device=examples.device) for _ in range(2))
        self.calls = [0] * len(shapes)
        self.records = examples.device.type == "cuda"
        self.recorded: dict[int, tuple[Any, Tensor]] = {}
        self.pool: Any = None

    def one(self, shape: int, numbers: Tensor) -> None:
        self.flat.gradients.zero_()
        source, is_source, inputs, outputs = self.examples.grid(numbers, self.shapes[shape])
        loss, nll, written = losses(self.model(source, is_source, inputs), outputs, self.smoothing)
        (loss / written).backward()
        self.optimiser.step()
        self.nll += nll
        self.written += written

    def __call__(self, shape: int, numbers: Tensor) -> None:
        self.calls[shape] += 1
        if not self.records or self.calls[shape] <= RECORDED_AFTER:
            self.one(shape, numbers)
            return
        if shape not in self.recorded:
            place, graph = numbers.clone(), torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, pool=self.pool, stream=torch.cuda.current_stream()):
                self.one(shape, place)
            self.pool = graph.pool()
            self.recorded[shape] = graph, place
        graph, place = self.recorded[shape]
        place.copy_(numbers)
        graph.replay()


def losses(logits: Tensor, outputs: Tensor, smoothing: float) -> tuple[Tensor, Tensor, Tensor]:
    """Sums over a batch: what is minimised, -log p of what is to be written; and how many tokens that are."""
    logs = logits.float().log_softmax(-1).flatten(0, 1)
    labels = outputs.flatten()
    real = (labels >= 0).float()
    nll = -(logs.gather(1, labels.clamp(min=0)[:, None])[:, 0] * real).sum()
    loss = nll if not smoothing else (1 - smoothing) * nll - smoothing * (logs.mean(-1) * real).sum()
    return loss, nll.detach(), real.sum()


class Log:
    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path, self.began = path, time.monotonic()
        path.write_text("")

    def write(self, **fields: Any) -> None:
        line = json.dumps({"seconds": round(time.monotonic() - self.began, 1), **fields})
        with self.path.open("a") as file:
            file.write(line + "\n")
        print(line, flush=True)


@dataclass(frozen=True)
class Budget:
    minutes: float
    steps: int | None = None
    recorded: bool = True  # False: no step is, which takes several times as long

    def done(self, began: float, step: int) -> float:
        spent = (time.monotonic() - began) / (60 * self.minutes)
        return spent if self.steps is None else max(spent, step / self.steps)


def train(name: str, data: Dataset, out: Path, budget: Budget, size: Size, looks: int, origin: tuple[str, str]) -> None:
    """One variant from nothing to lists of validation and test in `out`."""
    variant, device = VARIANTS[name], torch.device("cuda" if torch.cuda.is_available() else "cpu")
    log = Log(out / "log.jsonl")
    began, dense = log.began, dense_dataset(closed(data))
    config = ModelConfig("convs2s", len(dense.vocabulary), size, dropout=0.2, dense=True)
    torch.manual_seed(0)
    model = FConv(config.vocabulary, config.dimensions.width // 2, config.dropout, variant.tied).to(device)
    examples = Examples(dense.split("train"), device)
    which, shapes = examples.shapes()
    sizes = [max(1, TOKENS // max(shape)) for shape in shapes]
    steps, random = Steps(model, examples, variant, shapes), np.random.default_rng(0)
    steps.records &= budget.recorded
    read = sum(examples.lengths)
    log.write(variant=name, shapes=len(shapes), parameters=steps.flat.values.numel(), examples=len(examples))
    step = tokens = epoch = 0
    next_look, looked, done = 1 / looks, 0, 0.0
    while done < 1:
        for shape, numbers in epoch_plan(which, sizes, random):
            step += 1
            steps.rate.fill_(steps.optimiser.rate_at(step, done))
            steps(shape, torch.from_numpy(numbers).to(device, non_blocking=True))
            tokens += int(read[numbers].sum())
            done = budget.done(began, step)
            if step % 500 == 0 or done >= 1:
                nll = float(steps.nll / steps.written)
                log.write(step=step, epoch=epoch, loss=nll, rate=float(steps.rate), tokens=tokens)
                steps.nll.zero_(), steps.written.zero_()
                if not np.isfinite(nll):
                    raise UserError(f"{name}: the loss is not a number after {step} steps")
            if done >= next_look or done >= 1:
                looked += 1
                next_look = (looked + 1) / looks
                log.write(step=step, tokens=tokens, **look(model, config, dense.split("validation")))
            if done >= 1:
                break
        epoch += 1
    recipe = asdict(variant) | {"batch": TOKENS, "smoothing": variant.smoothing, "minutes": budget.minutes, "seed": 0}
    training = {"recipe": recipe, "steps": step, "tokens": tokens, "epochs": round(tokens / int(read.sum()), 2)}
    training |= {"seconds": round(time.monotonic() - began, 1), "processes": 1}
    training |= {"device": torch.cuda.get_device_name() if device.type == "cuda" else "cpu"}
    note_origin(out, *origin)
    keep(model, config, data, out, training)


@torch.no_grad()
def look(model: FConv, config: ModelConfig, corpus: Corpus) -> dict[str, float]:
    """Loss, BLEU and exact matches of greedy decoding on a part of a split, as the log of every run has them."""
    device = model.source_tokens.device
    part = sample(corpus, WATCHED)
    examples = Examples(part, device)
    model.eval()
    total = written = 0.0
    for some in np.array_split(np.argsort(examples.lengths[0]), max(1, len(examples) // 50)):
        shape = int(examples.lengths[0][some].max()), int(examples.lengths[1][some].max())
        source, is_source, inputs, outputs = examples.grid(torch.from_numpy(some).to(device), shape)
        _, nll, count = losses(model(source, is_source, inputs), outputs, 0.0)
        total, written = total + float(nll), written + float(count)
    searched = SearchedFConv(config, model).to(device).eval()
    found = [best[0].tokens if best else () for best in search_corpus(searched, part, SearchRules(beam=1))]
    model.train()
    references = [tuple(part.proposition(number).tolist()) for number in part.targets.tolist()]
    exact = sum(a == b and UNK not in b for a, b in zip(found, references, strict=True)) / max(1, len(references))
    counts = ngram_counts(*([" ".join(map(str, row)) for row in rows] for rows in (references, found)))
    bleu = float(bleu_of_sums(counts.sum(0)[None])[0])
    return {"validation_loss": total / max(1.0, written), "validation_bleu": bleu, "top1": exact}


def keep(model: FConv, config: ModelConfig, data: Dataset, out: Path, training: dict[str, Any]) -> None:
    """A run's description and the n-best lists of both beams, in the order that all rows have."""
    plain = ConvS2S(config)
    plain.load_state_dict(weights_of(model))
    write_model(plain, About(data.benchmark, data.vocabulary, training), out)
    predictor = Predictor(out, "cpu")
    predictor.model = SearchedFConv(config, model).to(model.source_tokens.device).eval()
    for split in ("test", "validation"):
        for beam in (NARROW, WIDE):
            began, rules = time.monotonic(), SearchRules(beam)
            lines = predictor.lines(predictor.split(data, split), rules, order=COMPARED_ORDER)
            about = meta_of(predictor, data.benchmark, split, rules, "none", COMPARED_ORDER)
            write_predictions(out / "predictions" / f"{split}.beam{beam}.jsonl", lines, about)
            print(f"{out.name}: {split}, beam {beam}: {time.monotonic() - began:.0f} s", flush=True)
        with tarfile.open(out / "run.tar.xz.tmp", "w:xz", preset=2) as packed:
            for path in [*out.glob("*.json*"), *out.glob("predictions/*")]:
                packed.add(path, path.relative_to(out))
        (out / "run.tar.xz.tmp").replace(out / "run.tar.xz")


def curves(data: Dataset, out: Path, budget: Budget, size: Size, batch: int) -> None:
    """Ours as it trains the row and the second implementation, from the same weights on the same batches, without
    dropout; both with the row's optimiser."""
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    log, dense = Log(out / "curves.jsonl"), dense_dataset(closed(data))
    config = ModelConfig("convs2s", len(dense.vocabulary), size, dropout=0.0, dense=True)
    recipe = paper(steps=10**9, batch=batch, warmup=1_000)
    with tempfile.TemporaryDirectory() as folder:
        alone = Processes(0, 1, device)
        run = TrainingRun(dense, config, recipe, Path(folder), alone, ValidationPlan(), "fp32")
    theirs = FConv(config.vocabulary, config.dimensions.width // 2, 0.0, tied=True).to(device)
    run.model.load_state_dict(weights_of(theirs))
    flat, rate = Flat(theirs), torch.zeros((), device=device)
    optimiser, sums, written = Adam(flat, rate), torch.zeros(2, device=device), 0
    for step, data_of_step in enumerate(run.stream.steps(0, 0), 1):
        rate.fill_(recipe.rate_at(step, 0.0, config.dimensions.width))
        sums[0] += run.one_step(run.loss, data_of_step, step, float(rate))
        flat.gradients.zero_()
        source, is_source, inputs, outputs = padded(data_of_step.batches[0][1])
        loss, nll, count = losses(theirs(source, is_source, inputs), outputs, recipe.smoothing)
        (loss / count).backward()
        optimiser.step()
        sums[1] += nll
        written += data_of_step.written
        done = budget.done(log.began, step) >= 1
        if step % 20 == 0 or step == 1 or done:
            ours, other = (sums / written).tolist()
            log.write(step=step, ours=round(ours, 5), theirs=round(other, 5), rate=float(rate))
            sums.zero_()
            written = 0
        if done:
            return


def padded(batch: Batch) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """A packed batch as the other implementation reads it."""
    rows, is_source = batch.source.examples.grid()
    places, real = batch.target.examples.grid()
    source = torch.where(is_source, batch.source.tokens_S[rows], 0)
    inputs = torch.where(real, batch.target.inputs_U[places], 0)
    return source, is_source, inputs, torch.where(real, batch.target.outputs_U[places], -1)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ways = parser.add_subparsers(dest="what", required=True)
    for what in ("curves", "train"):
        way = ways.add_parser(what)
        if what == "train":
            way.add_argument("name", choices=list(VARIANTS))
        way.add_argument("data", type=Path)
        way.add_argument("out", type=Path)
        way.add_argument("--minutes", type=float, default=14)
        way.add_argument("--steps", type=int, help="fewer than the minutes would give")
        way.add_argument("--size", default="base", choices=["tiny", "base"])
        way.add_argument("--ordinary", action="store_true", help="record no steps, where a GPU or its driver refuses")
        way.add_argument("--looks", type=int, default=4)
        way.add_argument("--batch", type=int, default=131_072, help="of curves: source tokens")
        way.add_argument("--commit", help="of the code, where git can't tell")
    chosen = parser.parse_args(arguments)
    torch.set_float32_matmul_precision("high")
    budget, data = Budget(chosen.minutes, chosen.steps, not chosen.ordinary), load_dataset(chosen.data)
    on_side = torch.cuda.stream(torch.cuda.Stream()) if torch.cuda.is_available() else nullcontext()
    try:
        with on_side:  # what is recorded must not be on the stream that everything else waits for
            if chosen.what == "curves":
                curves(data, chosen.out, budget, chosen.size, chosen.batch)
            else:
                said = f"python research/experiments/conv2conv.py train {chosen.name} arrays.npz OUT --minutes {chosen.minutes:g}"
                train(
                    chosen.name, data, chosen.out, budget, chosen.size, chosen.looks, (said, chosen.commit or commit())
                )
    except UserError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
