"""Why is the flat Transformer so far behind HAT? Many short runs side by side, each with one thing changed.

    python research/experiments/flat_transformer.py DATA OUT --seconds 450 --variants flat,hat,restart,inside,rotary,larger
    python research/experiments/flat_transformer.py --table OUT/curves.jsonl

Every variant (`flat_variants.py`, and `marian`, Hugging Face's) is a process of its own on the one device. All begin
with the same weights, as far as they have them, and read the same batches under the paper's recipe.
`OUT/curves.jsonl` gets a line for every hundred steps (training loss) and for every `--look` tokens (validation loss,
BLEU and exact matches of greedy decoding). DATA is a file of arrays with splits `train` and `validation`, already
dense; it may be packed with xz.
"""

from __future__ import annotations

import argparse
import json
import lzma
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
from flat_variants import VARIANTS, Variant

from isarstep.benchmark.arrays.corpus import Dataset
from isarstep.benchmark.arrays.files import load_dataset
from isarstep.benchmark.arrays.inputs import Segments
from isarstep.model.data.batches import Batch
from isarstep.model.nets import ModelConfig
from isarstep.model.train.loop import StepData, TrainingRun, ValidationPlan, compile_layers
from isarstep.model.train.process_group import Processes
from isarstep.model.train.recipe import Recipe
from isarstep.model.train.recipe_files import paper
from isarstep.model.train.validation import validate

LOG_EVERY = 100  # steps
Writer = Callable[..., None]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="?")
    parser.add_argument("out", type=Path, nargs="?")
    parser.add_argument("--variants", default="flat,hat,restart,inside,rotary,larger,single,plain,marian")
    parser.add_argument("--seconds", type=float, default=450, help="for all of them together")
    parser.add_argument("--steps", type=int, default=100_000)
    parser.add_argument("--brief", default="plain,marian,launched,flash", help="these stop after --brief-steps")
    parser.add_argument("--brief-steps", type=int, default=1500)
    parser.add_argument("--size", default="base", choices=["tiny", "small", "base"])
    parser.add_argument("--batch", type=int, default=8192)
    parser.add_argument("--warmup", type=int, default=2000)
    parser.add_argument("--look", type=int, default=20_000_000, help="tokens between two validations")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--one", help="run this variant only, in this process, and write to standard output")
    parser.add_argument("--table", type=Path)
    chosen = parser.parse_args()
    if chosen.table:
        print_table(chosen.table)
    elif chosen.one:
        run_one(chosen)
    else:
        run_all(chosen)


def run_all(chosen: argparse.Namespace) -> None:
    """One process a variant; what they have written is gathered every few seconds, so that little is lost."""
    deadline = time.time() + chosen.seconds
    chosen.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data.npz"
        data.write_bytes(
            lzma.decompress(chosen.data.read_bytes()) if chosen.data.suffix == ".xz" else chosen.data.read_bytes()
        )
        workers: dict[str, subprocess.Popen[bytes]] = {}
        arguments = [sys.executable, __file__, str(data), str(chosen.out)]
        for name in ("steps", "seconds", "size", "batch", "warmup", "look", "device"):
            arguments += [f"--{name}", str(getattr(chosen, name))]
        for name in chosen.variants.split(","):
            steps = chosen.brief_steps if name in chosen.brief.split(",") else chosen.steps
            with (Path(folder) / name).open("wb") as log, (Path(folder) / f"{name}.err").open("wb") as errors:
                workers[name] = subprocess.Popen(
                    [*arguments, "--one", name, "--steps", str(steps)], stdout=log, stderr=errors
                )
        while time.time() < deadline + 45 and any(worker.poll() is None for worker in workers.values()):
            time.sleep(min(5, chosen.seconds / 10))
            gather(Path(folder), list(workers), chosen.out)
        for name, worker in workers.items():
            if worker.poll() is None:
                worker.kill()
            if worker.wait():
                print(f"{name}: ended with {worker.returncode}: {(Path(folder) / f'{name}.err').read_text()[-1500:]}")
        gather(Path(folder), list(workers), chosen.out)
    print_table(chosen.out / "curves.jsonl")


def gather(folder: Path, names: list[str], out: Path) -> None:
    lines = [line for name in names for line in (folder / name).read_text().splitlines() if line.endswith("}")]
    (out / "curves.jsonl").write_text("\n".join(lines) + "\n")


def run_one(chosen: argparse.Namespace) -> None:
    began = time.time()
    torch.set_float32_matmul_precision("high")
    device = torch.device(chosen.device)
    if device.type == "cpu":
        torch.set_num_threads(1)
    dataset = load_dataset(chosen.data)
    recipe = recipe_of(chosen)

    def write(**fields: Any) -> None:
        print(json.dumps({"variant": chosen.one, **fields, "seconds": round(time.time() - began, 1)}), flush=True)

    def ended(step: int) -> bool:
        return step >= chosen.steps or time.time() - began > chosen.seconds

    curve = marian_curve if chosen.one == "marian" else variant_curve
    curve(chosen, dataset, recipe, device, write, ended)


def recipe_of(chosen: argparse.Namespace) -> Recipe:
    """The paper's, with its largest learning rate reached earlier."""
    return paper(batch=chosen.batch, warmup=chosen.warmup, rate=(chosen.warmup / 4000) ** 0.5)


def run_of(variant: Variant, size: Any, dataset: Dataset, recipe: Recipe, device: torch.device) -> TrainingRun:
    config = ModelConfig(variant.kind, len(dataset.vocabulary), size)  # type: ignore[arg-type]
    with tempfile.TemporaryDirectory() as folder:
        run = TrainingRun(
            dataset, config, recipe, Path(folder), Processes(0, 1, device), ValidationPlan(examples=500), "fp32"
        )
    if not variant.compiled:
        run.replay = None
    return run


def variant_curve(
    chosen: argparse.Namespace,
    dataset: Dataset,
    recipe: Recipe,
    device: torch.device,
    write: Writer,
    ended: Callable[[int], bool],
) -> None:
    variant = VARIANTS[chosen.one]
    with variant.applied():
        run = run_of(variant, chosen.size, dataset, recipe, device)
        run.model.train()
        if device.type == "cuda" and variant.compiled:
            compile_layers(run.loss)

        def look(step: int, tokens: int) -> None:
            (held_out,) = run.held_out.values()  # the recipe leaves no field out
            seen = validate(run.loss, held_out, run.stream.shape)
            write(step=step, tokens=tokens, validation_loss=seen.loss, bleu=seen.bleu, exact=seen.exact)

        def step(data: StepData, number: int) -> torch.Tensor:
            return run.one_step(run.loss, data, number, recipe.rate_at(number, 0, run.config.dimensions.width))

        follow(run.stream.steps(0, 0), step, look, chosen.look, write, ended)


def follow(
    steps: Iterator[StepData],
    step: Callable[[StepData, int], torch.Tensor],
    look: Callable[[int, int], None],
    every: int,
    write: Writer,
    ended: Callable[[int], bool],
) -> None:
    nlls: list[torch.Tensor] = []
    tokens = written = 0
    next_look = every
    for number, data in enumerate(steps, 1):
        nlls.append(step(data, number))
        tokens, written = tokens + data.tokens, written + data.written
        stops = ended(number)
        if number % LOG_EVERY == 0 or stops:
            write(step=number, tokens=tokens, loss=float(torch.stack(nlls).sum()) / written)
            nlls, written = [], 0
        if tokens >= next_look or stops:
            look(number, tokens)
            next_look += every
        if stops:
            return


def marian_curve(
    chosen: argparse.Namespace,
    dataset: Dataset,
    recipe: Recipe,
    device: torch.device,
    write: Writer,
    ended: Callable[[int], bool],
) -> None:
    """Marian from the same first weights, on the same batches with padding."""
    run = run_of(VARIANTS["launched"], chosen.size, dataset, recipe, device)
    sys.path.append(str(Path(__file__).parents[2] / "research" / "benchmarks"))
    from peers import to_marian

    theirs = to_marian(run.model.cpu()).to(device).train()
    optimiser = torch.optim.Adam(theirs.parameters(), betas=(0.9, 0.98), eps=1e-9, fused=device.type == "cuda")

    def step(data: StepData, number: int) -> torch.Tensor:
        ((_, batch),) = data.batches
        fields, labels = padded(batch)
        with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
            logits = theirs(**fields, use_cache=False).logits
        rows = labels >= 0
        flat, right = logits[rows].float(), labels[rows]
        loss = torch.nn.functional.cross_entropy(flat, right, reduction="sum", label_smoothing=recipe.smoothing)
        (loss / data.written).backward()
        for settings in optimiser.param_groups:
            settings["lr"] = recipe.rate_at(number, 0, run.config.dimensions.width)
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
        return torch.nn.functional.cross_entropy(flat.detach(), right, reduction="sum")

    follow(run.stream.steps(0, 0), step, lambda *_: None, chosen.look, write, ended)


def padded(batch: Batch) -> tuple[dict[str, torch.Tensor], torch.Tensor]:
    """Real sentences only: what fills a packed batch up is left out."""
    source, target = batch.source, batch.target
    real = int((target.outputs_U >= 0).sum())
    count = int(torch.searchsorted(target.examples.starts, real))
    sources, targets = cut(source.examples, count), cut(target.examples, count)
    s_index, s_valid = sources.grid()
    t_index, t_valid = targets.grid()
    fields = {
        "input_ids": torch.where(s_valid, source.tokens_S[s_index], 0),
        "attention_mask": s_valid.long(),
        "decoder_input_ids": torch.where(t_valid, target.inputs_U[t_index], 0),
    }
    return fields, torch.where(t_valid, target.outputs_U[t_index], -1)


def cut(segments: Segments, count: int) -> Segments:
    starts = segments.starts[: count + 1]
    return Segments(starts, int((starts[1:] - starts[:-1]).max()))


def print_table(path: Path) -> None:
    """Training loss at equal numbers of steps, then every look."""
    rows = [json.loads(line) for line in path.read_text().splitlines() if line]
    names = list(dict.fromkeys(row["variant"] for row in rows))
    steps = sorted({row["step"] for row in rows if "loss" in row and row["step"] % LOG_EVERY == 0})
    shown = [step for step in steps if step <= 1000 or step % 1000 == 0]
    losses = {(row["variant"], row["step"]): row["loss"] for row in rows if "loss" in row}
    print("training loss\nstep   " + "".join(f"{name:>10}" for name in names))
    for step in shown:
        print(f"{step:6} " + "".join(f"{losses.get((name, step), float('nan')):10.3f}" for name in names))
    print("\nvariant    tokens      step  validation loss  BLEU  exact")
    for row in rows:
        if "exact" in row:
            print(
                f"{row['variant']:10} {row['tokens'] / 1e6:6.1f}M {row['step']:8}  {row['validation_loss']:15.3f}"
                f"  {row['bleu']:4.1f}  {row['exact']:5.1%}"
            )


if __name__ == "__main__":
    main()
