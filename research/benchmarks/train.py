"""Training speed in non-pad tokens per second: ours, packed and compiled, against Hugging Face's Marian of the same
size.

    python research/benchmarks/train.py DATA [--size base] [--seconds 15] [--models transformer,hat] [--no-peer]

DATA is a benchmark folder or a file of arrays. Marian gets what helps it: bf16, fused attention, compilation, batches
sorted by length, and the best of several batch sizes. Prints a table; the last line is one JSON document.
"""

from __future__ import annotations

import argparse
import json
import platform
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from peers import marian_config

from isarstep.benchmark.arrays.corpus import Dataset
from isarstep.benchmark.arrays.files import load_dataset
from isarstep.benchmark.arrays.measures import Layout
from isarstep.model.data.batches import Packer
from isarstep.model.nets import ModelConfig
from isarstep.model.nets.base import Seq2Seq
from isarstep.model.train.loop import TrainingRun, ValidationPlan, compile_layers
from isarstep.model.train.process_group import Processes
from isarstep.model.train.recipe_files import modern, paper

PEAK = {"NVIDIA H200": 989e12, "NVIDIA H100": 989e12}  # dense bf16, from the data sheet


def synchronise(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize()


READS = ("encoder", "join_directions", "attention.key")  # what works on source tokens, by the names of parameters


def flops_per_step(model: Seq2Seq, source: float, target: float) -> float:
    """Six per parameter and token; attention's own products left out."""
    sizes = {name: p.numel() for name, p in model.named_parameters() if p.ndim > 1 and p is not model.token_table}
    reads = {name for name in sizes if name.startswith(READS) or ".keys_values" in name}
    reading, all_layers = sum(sizes[name] for name in reads), sum(sizes.values())
    return 6 * (source * reading + target * (all_layers - reading + model.token_table.numel()))


def ours(dataset: Dataset, config: ModelConfig, batch: int, seconds: float, device: torch.device) -> dict[str, Any]:
    recipe = (paper if config.style == "paper" else modern)(steps=10**9, batch=batch)
    with tempfile.TemporaryDirectory() as folder:
        run = TrainingRun(dataset, config, recipe, Path(folder), Processes(0, 1, device), ValidationPlan(), "fp32")
    run.model.train()
    began = time.perf_counter()
    if device.type == "cuda":
        compile_layers(run.loss)
    tokens = read = written = steps = 0
    first = 0.0
    for number, data in enumerate(run.stream.steps(0, 0), 1):
        run.one_step(run.loss, data, number, 1e-4)
        if number == 1:
            synchronise(device)
            first = time.perf_counter() - began
        if number == 5:
            synchronise(device)
            start = time.perf_counter()
        if number > 5:
            tokens, written, steps = tokens + data.tokens, written + data.written, steps + 1
            read += data.tokens - data.written
            if number % 5 == 0:
                synchronise(device)
                if time.perf_counter() - start > seconds:
                    break
    synchronise(device)
    spent = time.perf_counter() - start
    flops = flops_per_step(run.model, read / steps, written / steps)
    name = torch.cuda.get_device_name() if device.type == "cuda" else "cpu"
    return {
        "model": f"{config.kind} {config.size} {config.style}",
        "batch": batch,
        "tokens_per_second": tokens / spent,
        "step_ms": 1000 * spent / steps,
        "first_step_s": first,
        "share_of_peak": flops * steps / spent / PEAK[name] if name in PEAK else None,
        "filled": read / steps / run.stream.shape.source,
    }


def marian_batches(dataset: Dataset, sentences: int, device: torch.device) -> Iterator[tuple[dict[str, Any], int]]:
    """Padded batches of examples of nearly equal length, sentences in each by a budget of padded tokens."""
    packer = Packer(dataset.split("train"), Layout(hierarchical=False, input="base"), device)
    measures = packer.measures
    chosen = measures.trainable()
    order = chosen[np.lexsort((measures.target[chosen], measures.source[chosen]))]
    cuts = [order[i : i + sentences] for i in range(0, len(order) - sentences, sentences)]
    for at in np.random.default_rng(0).permutation(len(cuts)):
        batch = packer.assemble(cuts[at])
        source, target = batch.source, batch.target
        s_index, s_valid = source.examples.grid()
        t_index, t_valid = target.examples.grid()
        fields = {
            "input_ids": torch.where(s_valid, source.tokens_S[s_index], 0),
            "attention_mask": s_valid.long(),
            "decoder_input_ids": torch.where(t_valid, target.inputs_U[t_index], 0),
            "labels": torch.where(t_valid, target.outputs_U[t_index], -100),
        }
        yield fields, batch.tokens


def smoothed_loss(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.cross_entropy(
        logits.flatten(0, 1).float(), labels.flatten(), ignore_index=-100, label_smoothing=0.1
    )


def marian(
    dataset: Dataset, config: ModelConfig, sizes: list[int], seconds: float, device: torch.device, compiled: bool
) -> Iterator[dict[str, Any]]:
    """One model, compiled once for all shapes, then a sweep over batch sizes.

    It is compiled layer by layer, as ours: the compiler cannot see through Marian's loop over layers, which asks a
    random number whether to leave one out."""
    from transformers import MarianMTModel

    kind: Any = MarianMTModel
    model = kind._from_config(marian_config(config), attn_implementation="sdpa").to(device).train()
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-4, fused=device.type == "cuda")
    loss_of: Any = smoothed_loss
    if compiled:
        for layer in [*model.model.encoder.layers, *model.model.decoder.layers]:
            layer.compile(dynamic=True)
        loss_of = torch.compile(smoothed_loss, dynamic=True)
    for sentences in sizes:
        tokens, warm = 0, 20
        first, start = 0.0, time.perf_counter()
        try:
            for number, (fields, count) in enumerate(marian_batches(dataset, sentences, device), 1):
                with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
                    labels = fields.pop("labels")
                    loss = loss_of(model(**fields, use_cache=False).logits, labels)
                loss.backward()
                optimiser.step()
                optimiser.zero_grad(set_to_none=True)
                if number == warm:
                    synchronise(device)
                    first, start, tokens = time.perf_counter() - start, time.perf_counter(), 0
                    continue
                tokens += count
                if number > warm and number % 5 == 0:
                    synchronise(device)
                    if time.perf_counter() - start > seconds:
                        break
            synchronise(device)
        except torch.OutOfMemoryError:
            print(f"Marian with {sentences} sentences does not fit into memory", flush=True)
            optimiser.zero_grad(set_to_none=True)
            continue
        yield {
            "model": f"Marian {config.size}{' compiled' if compiled else ''}",
            "batch": sentences,
            "first_step_s": first,
            "tokens_per_second": tokens / (time.perf_counter() - start),
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--size", default="base", choices=["tiny", "small", "base"])
    parser.add_argument("--style", default="paper", choices=["paper", "modern"])
    parser.add_argument("--models", default="transformer,hat")
    parser.add_argument("--batch", default="65536,131072", help="source tokens of our batches")
    parser.add_argument("--sentences", default="64,128,256,512,1024", help="Marian's batch sizes")
    parser.add_argument("--seconds", type=float, default=15)
    parser.add_argument("--eager", action="store_true", help="Marian without compilation")
    parser.add_argument("--no-peer", action="store_true")
    chosen = parser.parse_args()
    torch.set_float32_matmul_precision("high")
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    dataset = load_dataset(chosen.data)
    rows = []
    for kind in chosen.models.split(","):
        config = ModelConfig(kind, len(dataset.vocabulary), chosen.size, chosen.style)
        for batch in chosen.batch.split(","):
            rows.append(ours(dataset, config, int(batch), chosen.seconds, device))
            show(rows[-1])
    if not chosen.no_peer:
        config = ModelConfig("transformer", len(dataset.vocabulary), chosen.size)
        sizes = [int(size) for size in chosen.sentences.split(",")]
        for row in marian(dataset, config, sizes, chosen.seconds, device, not chosen.eager):
            rows.append(row)
            show(row)
        best = max(row["tokens_per_second"] for row in rows if row["model"].startswith("Marian"))
        for row in rows:
            row["ratio"] = row["tokens_per_second"] / best
            print(f"{row['model']:32} {row['ratio']:6.2f}x Marian's best")
    about = {
        "torch": torch.__version__,
        "device": torch.cuda.get_device_name() if device.type == "cuda" else platform.machine(),
    }
    print(json.dumps({"benchmark": "train", "data": dataset.benchmark, "rows": rows, **about}))


def show(row: dict[str, Any]) -> None:
    share = f"  {row['share_of_peak']:.1%} of peak" if row.get("share_of_peak") else ""
    print(
        f"{row['model']:32} batch {row['batch']:6}  {row['tokens_per_second'] / 1000:9.1f}K tokens/s"
        f"  first step {row['first_step_s']:.1f} s{share}",
        flush=True,
    )


if __name__ == "__main__":
    main()
