"""The training loop, for one process or many.

A step is a number of packed batches, dealt out over the processes; its gradient is that of the mean loss over all its
tokens. Every batch has its own random seed, so that neither the number of processes nor an interruption changes the
result.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from isarstep.benchmark.arrays.corpus import Dataset, Longs
from isarstep.benchmark.arrays.dense import dense_dataset
from isarstep.benchmark.arrays.measures import Layout, Shape
from isarstep.common.errors import UserError
from isarstep.common.files import one_writer
from isarstep.model.data.batches import Batch, Packer, plan
from isarstep.model.data.constants import closed, numbers_in, read_by_model
from isarstep.model.nets import ModelConfig, build_model
from isarstep.model.nets.base import Seq2Seq
from isarstep.model.nets.checkpoint import (
    Progress,
    load_model,
    read_checkpoint,
    recover,
    replaced_folder,
    write_checkpoint,
    write_model,
)
from isarstep.model.nets.folders import About, Storage, open_folder
from isarstep.model.nets.rnnsearch import RNNSearch
from isarstep.model.nets.transformer import Transformer
from isarstep.model.train.constant_numbers import ConstantNumbers
from isarstep.model.train.example_replay import Replay, backward_pass
from isarstep.model.train.held_targets import like_held_out
from isarstep.model.train.loss import SmoothedLoss
from isarstep.model.train.process_group import Processes, processes
from isarstep.model.train.recipe import Recipe, optimisers
from isarstep.model.train.renumbering import Renumbering
from isarstep.model.train.resuming import saved_run
from isarstep.model.train.run_log import Log
from isarstep.model.train.validation import Validation, mean_validation, sample, validate
from isarstep.premises.selector.selected_premises import VIEWS, all_views, drawn_views, view

LOG_EVERY = 20  # steps
CLIP = 1.0  # largest norm of a gradient in the modern recipe; the paper's does not clip
HALF_RANGE = 1024.0  # brings gradients of a mean over many tokens to where a 5-bit exponent does not lose them
WATCHED = ("base", "+context+premises", "state")  # what is validated where fields are left out
DIVERGED = 3.0  # nats per token above the best so far
LOOKING = 0.25  # of the minutes of a run on processors: more is not spent on validation
ENOUGH = 200  # validated examples for which one rather looks less often
MEASURED = 16  # examples by which the pace of validation is judged


@dataclass(frozen=True)
class ValidationPlan:
    """How often a run looks at itself. At each look it also leaves a checkpoint."""

    looks: int = 20
    examples: int = 1000


@dataclass(frozen=True)
class StepData:
    batches: list[tuple[int, Batch]] = field(hash=False)  # this process's, each with its number within the step
    written: int  # target tokens of the whole step, all processes together
    tokens: int
    epoch: int
    batch: int  # of the epoch: where the next step begins


class StepStream:
    """An endless, resumable stream of steps over one corpus."""

    def __init__(
        self,
        dataset: Dataset,
        layout: Layout,
        recipe: Recipe,
        group: Processes,
        fixed: bool,
        padded: bool,
    ) -> None:
        self.recipe, self.group, self.fixed = recipe, group, fixed
        examples = dataset.split("train")
        self.examples = len(examples)
        self.packer = Packer(all_views(examples) if recipe.leave_out else examples, layout, group.device)
        self.padded = padded
        vocabulary, words = dataset.vocabulary, len(dataset.words)
        self.numbering = (
            ConstantNumbers(vocabulary, words, recipe.number_constants, group.device)
            if numbers_in(vocabulary)
            else None
        )
        self.renumbering = Renumbering(vocabulary, recipe.renumber, group.device) if recipe.renumber else None
        self.spared: torch.Tensor | None = None  # examples whose variables keep their numbers
        if self.renumbering is not None and not recipe.renumber_copies:
            spared = np.tile(like_held_out(dataset), len(VIEWS) if recipe.leave_out else 1)
            self.spared = torch.from_numpy(spared).to(group.device)
        self.measures = self.packer.measures
        self.trainable: Longs = self.measures.trainable()
        self.chosen: Longs = self.examples_of(0)
        if not len(self.chosen):
            raise UserError("no training example is within 512 source tokens; is this the right benchmark?")
        self.shape: Shape = self.measures.shape_for(recipe.batch, self.chosen, self.trainable)

    def examples_of(self, epoch: int) -> Longs:
        """Those that are read, each in one view where fields are left out."""
        if not self.recipe.leave_out:
            return self.trainable
        return np.intersect1d(self.trainable, drawn_views(self.examples, self.recipe.seed, epoch))

    def epoch_plan(self, epoch: int) -> list[Longs]:
        return plan(self.measures, self.examples_of(epoch), self.shape, self.recipe.seed, epoch, self.padded)

    def tokens_of_an_epoch(self) -> int:
        return int(self.measures.source[self.chosen].sum() + self.measures.target[self.chosen].sum())

    def batch_of(self, examples: Longs, epoch: int, batch: int) -> Batch:
        """A batch under the numbers that this epoch gives to its constants and variables."""
        batch_of = self.packer.assemble(examples, self.shape if self.fixed else None)
        seed = [self.recipe.seed, epoch, batch]
        if self.numbering is not None:
            batch_of = self.numbering.apply(batch_of, seed)
        if self.renumbering is not None:
            spared = None if self.spared is None else self.spared[self.packer.on_device(examples)]
            batch_of = self.renumbering.apply(batch_of, seed, spared)
        return batch_of

    def steps(self, epoch: int, batch: int) -> Iterator[StepData]:
        rank, count = self.group.rank, self.group.count
        batches = self.epoch_plan(epoch)
        while True:
            mine, written, tokens = [], 0, 0
            for number in range(self.recipe.accumulate):
                while batch >= len(batches):
                    epoch, batch = epoch + 1, 0
                    batches = self.epoch_plan(epoch)
                examples = batches[batch]
                written += int(self.measures.target[examples].sum())
                tokens += int(self.measures.source[examples].sum() + self.measures.target[examples].sum())
                if number % count == rank:
                    mine.append((number, self.batch_of(examples, epoch, batch)))
                batch += 1
            yield StepData(mine, written, tokens, epoch, batch)


def train(
    dataset: Dataset,
    config: ModelConfig,
    recipe: Recipe,
    folder: str | Path,
    *,
    device: str | None = None,
    resume: bool = False,
    start_from: Path | None = None,
    validating: ValidationPlan = ValidationPlan(),
    storage: Storage = "fp32",
    quiet: bool = False,
    began: float | None = None,
) -> Seq2Seq:
    """Train, leave the best model and the log in `folder`, and return the model. A recipe's minutes count from `began`
    on, of `time.monotonic`, or from now."""
    began = time.monotonic() if began is None else began
    if not numbers_in(dataset.vocabulary):
        dataset = closed(dataset)
    if config.dense:
        dataset = dense_dataset(dataset)
    with processes(device) as group:
        run = TrainingRun(dataset, config, recipe, Path(folder), group, validating, storage)
        run.began = began
        return run.go(resume, start_from, quiet)


class TrainingRun:
    def __init__(
        self,
        dataset: Dataset,
        config: ModelConfig,
        recipe: Recipe,
        folder: Path,
        group: Processes,
        validating: ValidationPlan,
        storage: Storage,
    ) -> None:
        if recipe.accumulate % group.count:
            raise UserError(f"{recipe.accumulate} batches a step do not divide over {group.count} processes")
        self.began = time.monotonic()
        self.config, self.recipe, self.folder, self.group = config, recipe, folder, group
        self.validating, self.storage = validating, storage
        running = {"looks": validating.looks, "storage": storage}
        training = {"recipe": recipe.to_json(), "running": running}
        self.about = About(dataset.benchmark, dataset.vocabulary, training)
        torch.manual_seed(recipe.seed)
        self.device = group.device
        # Fixed shapes and compilation pay where launching kernels is the bottleneck, and only attention models allow
        # them.
        self.fixed = self.device.type == "cuda" and config.kind in ("transformer", "hat")
        layout = Layout(config.hierarchical, config.input)
        padded = config.kind in ("rnnsearch", "convs2s")
        self.stream = StepStream(dataset, layout, recipe, group, self.fixed, padded)
        held_out = sample(dataset.split("validation"), validating.examples)
        held_out = read_by_model(held_out, dataset.words, dataset.vocabulary, config.input)
        self.held_out = {name: view(held_out, VIEWS[name]) for name in WATCHED} if recipe.leave_out else {"": held_out}
        self.model = build_model(config).to(self.device)
        self.loss = SmoothedLoss(self.model, recipe.smoothing)
        self.optimisers = optimisers(self.model, recipe)
        self.progress = Progress()
        self.kept_step: int | None = None  # of the last checkpoint
        self.step_seconds = self.validation_seconds = 0.0  # of the last ones: the end must be left time for both
        one_batch_a_step = group.count == recipe.accumulate == 1
        # A step goes to the GPU in one piece where it is one batch of a fixed shape.
        self.replay = Replay(self.loss) if self.fixed and one_batch_a_step else None
        self.magnified = HALF_RANGE if self.device.type == "cuda" and config.kind == "rnnsearch" else 1.0

    def go(self, resume: bool, start_from: Path | None, quiet: bool) -> Seq2Seq:
        with one_writer(self.folder) if self.group.first else nullcontext():
            return self.trained(resume, start_from, quiet)

    def trained(self, resume: bool, start_from: Path | None, quiet: bool) -> Seq2Seq:
        last = self.folder / "last"
        recover(last)
        if resume and last.exists():
            begun = saved_run(self.folder)
            if begun is not None:
                begun.refuse_others(self.config, self.recipe)
            self.progress = read_checkpoint(last, self.model, self.optimisers, self.about)
            self.kept_step = self.progress.step
            self.goes_on_from(open_folder(last).about.training.get("before"))
        elif last.exists():
            raise UserError(f"{self.folder}: holds a run already; give --resume to go on with it, or another folder")
        elif start_from is not None:
            load_pretrained(self.model, start_from, self.about)
            self.goes_on_from(open_folder(start_from).about.training)
        if self.group.first:
            self.folder.mkdir(parents=True, exist_ok=True)
        self.log = Log(self.folder / "log.jsonl", self.group.first, self.progress.step, quiet)
        if self.device.type == "cuda":
            compile_layers(self.loss)
        try:
            with self.log:
                self.steps()
        except KeyboardInterrupt:
            raise KeyboardInterrupt(self.what_is_kept()) from None
        self.group.wait()
        return self.finish()

    def goes_on_from(self, before: dict[str, Any] | None) -> None:
        """The training of the model that this run began with is a part of what its own took."""
        if before:
            self.about = replace(self.about, training=self.about.training | {"before": before})

    def what_is_kept(self) -> str:
        """For somebody who has stopped the run."""
        here = f"interrupted after step {self.progress.step}"
        if self.kept_step is None:
            first = f"{100 / self.validating.looks:.0f} % of the run"
            return f"{here}, before the first checkpoint (due after {first}): {self.folder} holds nothing but the log"
        return f"{here}; {self.folder / 'last'} has step {self.kept_step}, and --resume goes on from there"

    def steps(self) -> None:
        wrapped: nn.Module = self.loss
        if self.group.count > 1:
            wrapped = DistributedDataParallel(self.loss)
        self.model.train()
        progress, recipe = self.progress, self.recipe
        before = progress.seconds
        mark, mark_tokens, mark_nll, mark_written = time.monotonic(), 0, 0.0, 0
        nlls: list[torch.Tensor] = []
        best = float("inf")
        looks = self.affordable_looks()
        done = self.group.agree(self.done())
        next_look = (int(done * looks) + 1) / looks
        for data in self.stream.steps(progress.epoch, progress.batch):
            if done >= 1 and progress.step:  # by the first process's clock: who ends alone leaves the others waiting
                break
            step, began = progress.step + 1, time.monotonic()
            rate = recipe.rate_at(step, done, self.config.dimensions.width)
            nlls.append(self.one_step(wrapped, data, step, rate))
            progress.step, progress.epoch, progress.batch = step, data.epoch, data.batch
            progress.tokens += data.tokens
            mark_tokens, mark_written = mark_tokens + data.tokens, mark_written + data.written
            self.step_seconds = time.monotonic() - began
            progress.seconds = before + time.monotonic() - self.began
            done = self.group.agree(self.done())
            if step % LOG_EVERY == 0 or step == 1 or done >= 1:
                mark_nll = self.group.total(float(torch.stack(nlls).sum())) / mark_written
                self.stop_if_lost(mark_nll, best, step)
                best = min(best, mark_nll)
                now = time.monotonic()
                speed = mark_tokens / (now - mark)
                self.log.write(
                    step=step,
                    epoch=data.epoch,
                    loss=mark_nll,
                    rate=rate,
                    tokens=progress.tokens,
                    tokens_per_second=speed,
                    seconds=progress.seconds,
                )
                self.log.show(f"step {step}  loss {mark_nll:.3f}  {speed / 1000:.0f}K tokens/s", done)
                nlls, mark, mark_tokens, mark_written = [], now, 0, 0
            if done >= next_look:
                next_look = (int(done * looks) + 1) / looks
                self.log.show(f"step {step}  validating", done)
                self.validate_and_keep()
                mark = time.monotonic() if not nlls else mark

    def affordable_looks(self) -> int:
        """How often the run can validate. Where minutes are promised and there is no GPU, writing a thousand answers
        may take longer than they are: then fewer are written, and less often."""
        looks = self.validating.looks
        if self.recipe.minutes is None or self.device.type != "cpu":
            return looks
        if self.group.first:
            self.log.show("trying how long validation takes", self.done())
            began = time.monotonic()
            for some in self.held_out.values():
                validate(self.loss, sample(some, MEASURED), self.stream.shape)
            longest = max(map(len, self.held_out.values()))
            each = max((time.monotonic() - began) / max(1, min(MEASURED, longest)), 1e-9)
            affordable = LOOKING * 60 * self.recipe.minutes / each  # examples, over the whole run
            looks = int(min(looks, max(1, affordable // max(1, min(ENOUGH, longest)))))
            most = max(MEASURED, int(affordable / looks))
            self.held_out = {name: sample(some, most) for name, some in self.held_out.items()}
            self.validation_seconds = each * min(most, longest)
        return int(self.group.agree(looks))

    def done(self) -> float:
        """The share of the run that is behind us."""
        if self.recipe.minutes is not None:
            seconds = 60 * self.recipe.minutes
            return self.progress.seconds / max(seconds / 10, seconds - self.validation_seconds - self.step_seconds)
        if self.recipe.tokens is not None:
            return self.progress.tokens / self.recipe.tokens
        return self.progress.step / self.recipe.steps

    def one_step(self, wrapped: nn.Module, data: StepData, step: int, rate: float) -> torch.Tensor:
        total = torch.zeros((), device=self.device)
        for at, (number, batch) in enumerate(data.batches):
            torch.manual_seed(int(np.random.SeedSequence([self.recipe.seed, step, number]).generate_state(1)[0]))
            more = self.group.count > 1 and at < len(data.batches) - 1
            with wrapped.no_sync() if more else nullcontext():  # type: ignore[operator]
                # Distributed gradients are averaged over processes, and we want the mean over all tokens of the step.
                weight = self.group.count / data.written
                if self.replay is not None:
                    total += self.replay(batch, weight)
                else:
                    total += backward_pass(wrapped, batch, weight * self.magnified, self.device.type)
        if self.magnified != 1:  # recurrent kernels take fp16 where all else takes bf16
            torch._foreach_mul_([p.grad for p in self.model.parameters() if p.grad is not None], 1 / self.magnified)
        if self.recipe.style == "modern":
            norm = nn.utils.clip_grad_norm_(self.model.parameters(), CLIP)
        else:
            norm = nn.utils.get_total_norm([p.grad for p in self.model.parameters() if p.grad is not None])
        for optimiser in self.optimisers:
            for settings in optimiser.param_groups:
                settings["lr"] = rate
            optimiser.step()
            if self.replay is None or not self.replay.recorded:
                optimiser.zero_grad(set_to_none=True)
        return total + 0 * norm  # a gradient that is not finite shows up in the loss

    def stop_if_lost(self, nll: float, best: float, step: int) -> None:
        if not np.isfinite(nll):
            last = self.folder / "last"
            raise UserError(f"step {step}: the loss is not a number; go on from {last} with a lower rate in the recipe")
        if nll > best + DIVERGED:
            raise UserError(f"step {step}: the loss rose from {best:.2f} to {nll:.2f}; try a lower rate in the recipe")

    def validate_and_keep(self) -> None:
        """Validate, and leave a checkpoint; the best one is kept apart."""
        if self.group.first:
            progress = self.progress
            began = time.monotonic()
            each = {name: validate(self.loss, some, self.stream.shape) for name, some in self.held_out.items()}
            self.validation_seconds = time.monotonic() - began
            seen = mean_validation(list(each.values()))
            if seen.bleu > progress.best_bleu:
                progress.best_bleu, progress.best_step = seen.bleu, progress.step
                with replaced_folder(self.folder / "best") as temporary:
                    write_model(self.model, self.about, temporary)
            self.log_validation(seen, each)
            write_checkpoint(self.folder / "last", self.model, self.optimisers, progress, self.about)
            self.kept_step = progress.step
        self.group.wait()

    def log_validation(self, seen: Validation, each: dict[str, Validation]) -> None:
        views = {f"{part} {name}": getattr(found, part) for name, found in each.items() for part in ("loss", "exact")}
        self.log.write(
            step=self.progress.step,
            validation_loss=seen.loss,
            validation_bleu=seen.bleu,
            top1=seen.exact,
            seconds=self.progress.seconds,
            **(views if len(each) > 1 else {}),
        )
        text = (
            f"step {self.progress.step}  validation loss {seen.loss:.3f}  BLEU {seen.bleu:.1f}  exact {seen.exact:.1%}"
        )
        self.log.show(text, self.done(), always=True)

    def finish(self) -> Seq2Seq:
        """The best model's files beside the log."""
        best, _ = load_model(self.folder / "best")
        if self.group.first:
            training: dict[str, Any] = {
                "recipe": self.recipe.to_json(),
                "steps": self.progress.step,
                "best_step": self.progress.best_step,
                "tokens": self.progress.tokens,
                "epochs": round(self.progress.tokens / self.stream.tokens_of_an_epoch(), 2),
                "seconds": round(self.progress.seconds, 1),
                "device": torch.cuda.get_device_name() if self.device.type == "cuda" else "cpu",
                "processes": self.group.count,
                "validation_bleu": round(self.progress.best_bleu, 3),
            }
            if "before" in self.about.training:
                training["before"] = self.about.training["before"]
            about = About(self.about.benchmark, self.about.vocabulary, training)
            write_model(best, about, self.folder, self.storage)
        self.group.wait()
        return best.to(self.device)


def compile_layers(loss: SmoothedLoss) -> None:
    """Layer by layer: all layers of a kind share one compiled program, so that compiling takes seconds, not a
    minute."""
    model = loss.model
    if isinstance(model, Transformer):
        for layer in [*model.encoder, *model.decoder]:
            layer.compile(dynamic=False)
        model.enter = torch.compile(model.enter, dynamic=False)  # type: ignore[method-assign]
        loss.slice_loss = torch.compile(loss.slice_loss, dynamic=False)
    elif isinstance(model, RNNSearch):
        loss.slice_loss = torch.compile(loss.slice_loss, dynamic=True)  # lengths differ from batch to batch


def load_pretrained(model: Seq2Seq, folder: Path, about: About) -> None:
    """Weights of another run of the same architecture; tokens are matched by name, new ones keep their random rows."""
    other, theirs = load_model(folder)
    weights = {name: tensor.to(model.token_table.device) for name, tensor in other.state_dict().items()}
    table_name = next(name for name, p in model.named_parameters() if p is model.token_table)
    known = {token: number for number, token in enumerate(theirs.vocabulary)}
    pairs = [(here, known[token]) for here, token in enumerate(about.vocabulary) if token in known]
    table = model.token_table.detach().clone()
    table[[here for here, _ in pairs]] = weights[table_name][[there for _, there in pairs]]
    weights[table_name] = table
    if "categories" in weights and len(weights["categories"]) < len(own := model.state_dict()["categories"]):
        # A context has two more than there were.
        weights["categories"] = torch.cat([weights["categories"], own[len(weights["categories"]) :]])
    mine = {name: tensor.shape for name, tensor in model.state_dict().items()}
    if mine != {name: tensor.shape for name, tensor in weights.items()}:
        raise UserError(f"{folder}: another kind, size or style than asked for; train with the same ones")
    model.load_state_dict(weights)
