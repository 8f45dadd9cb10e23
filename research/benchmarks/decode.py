"""Beam search speed in examples per second: ours against Hugging Face `generate` and (on a CPU) CTranslate2 with the
same weights; what the constraints cost; how time grows with source length, beam and batch.

    python research/benchmarks/decode.py [MODEL] [DATA] [--parts constraints,peers,growth] [--device cpu|cuda] [--examples 256]

MODEL is a model folder, `embedded`, or `random-base` (`random-small`, `random-tiny`): a paper Transformer with random
weights, which writes as many tokens as it may. Peers need the paper's Transformer: `random-base`, or a run of
`isarstep train --model transformer`. A GPU with nothing but torch and transformers, in about two minutes:

    python research/benchmarks/decode.py random-base arrays.npz --device cuda --parts peers --longest 64
    python research/benchmarks/decode.py embedded embedded --device cuda --parts constraints --examples 1024

Parts that cannot run here (a peer that is not installed, a model without counterpart) are named and left out. Prints a
table; the last line is one JSON document.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from peers import to_ctranslate2, to_marian

from isarstep.benchmark.arrays.corpus import Corpus, Dataset
from isarstep.benchmark.arrays.dense import dense_corpus
from isarstep.benchmark.arrays.files import load_dataset
from isarstep.benchmark.arrays.measures import Layout
from isarstep.benchmark.store.special_tokens import EOS
from isarstep.common.errors import UserError
from isarstep.model.data.batches import Packer
from isarstep.model.data.constants import read_by_model
from isarstep.model.decode.constraints import TermGrammar
from isarstep.model.decode.hypotheses import SearchRules
from isarstep.model.decode.predict import on_device
from isarstep.model.decode.search import search_corpus
from isarstep.model.nets import ModelConfig, build_model
from isarstep.model.nets.base import Seq2Seq
from isarstep.model.nets.checkpoint import load_model
from isarstep.model.nets.config import SIZES
from isarstep.model.nets.folders import About

Outputs = list[list[tuple[int, ...]]]
Row = dict[str, Any]


class Bench:
    """What is measured, and the rows that came out."""

    def __init__(self, chosen: argparse.Namespace) -> None:
        self.chosen = chosen
        self.dataset = load_dataset(Path(chosen.data))
        self.model, self.about = model_of(chosen.model, self.dataset)
        self.model = on_device(self.model, chosen.device)
        self.device = self.model.token_table.device
        corpus = self.dataset.split(chosen.split)
        corpus = read_by_model(corpus, self.dataset.words, self.about.vocabulary, self.model.config.input)
        every = np.linspace(0, len(corpus) - 1, min(len(corpus), chosen.examples)).astype(np.int64)
        self.corpus = corpus.take(every)
        if self.model.config.dense:
            self.corpus = dense_corpus(self.corpus, self.about.vocabulary)
        self.rules = SearchRules(chosen.beam, longest=chosen.longest)
        self.rows: list[Row] = []
        self.cpu_ms = 0.0  # of all threads, per example of the last measurement: says more on a busy machine

    def add(self, engine: str, batch: int, speed: float, **more: Any) -> None:
        more = {"cpu_ms_an_example": self.cpu_ms, **more} if self.device.type == "cpu" else more
        self.rows.append({"engine": engine, "batch": batch, "examples_per_second": round(speed, 3), **more})
        notes = ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in more.items())
        print(f"{engine:28} batch {batch or 'auto':>5} {speed:10.2f} examples/s  {notes}", flush=True)

    def ours(
        self,
        corpus: Corpus,
        rules: SearchRules,
        batch: int | None,
        constraints: TermGrammar | None = None,
    ) -> tuple[float, Outputs, dict[str, int]]:
        """Examples per second, what was found, and how many steps and steps of sentences that took."""
        steps = {"steps": 0, "sentence_steps": 0}
        step = self.model.step

        def counting(state: Any, tokens_BK: torch.Tensor, parents_BK: torch.Tensor) -> torch.Tensor:
            steps["steps"] += 1
            steps["sentence_steps"] += tokens_BK.shape[0]
            return step(state, tokens_BK, parents_BK)

        self.model.step = counting  # type: ignore[method-assign]
        try:
            wait(self.device)
            start, cpu = time.perf_counter(), time.process_time()
            found = [[h.tokens for h in best] for best in search_corpus(self.model, corpus, rules, constraints, batch)]
            wait(self.device)
            spent = time.perf_counter() - start
            self.cpu_ms = cpu_ms(cpu, len(corpus))
        finally:
            self.model.step = step  # type: ignore[method-assign]
        return len(corpus) / spent, found, steps

    def warm_up(self) -> None:
        self.ours(self.corpus.take(np.arange(min(32, len(self.corpus)))), SearchRules(self.rules.beam, longest=8), None)


def model_of(name: str, dataset: Dataset) -> tuple[Seq2Seq, About]:
    if name.startswith("random-"):
        size = name.removeprefix("random-")
        if size not in SIZES:
            raise UserError(f"{name}: no such size; there are {', '.join(SIZES)}")
        torch.manual_seed(0)
        config = ModelConfig("transformer", len(dataset.vocabulary), size, "paper", dropout=0.0)
        return build_model(config).eval(), About(dataset.benchmark, dataset.vocabulary, {})
    return load_model(Path(name))


def cpu_ms(since: float, examples: int) -> float:
    return round(1e3 * (time.process_time() - since) / examples, 1)


def wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize()


def measure_constraints(bench: Bench) -> None:
    """The same examples without constraints, with the grammar and with types, in turns; the best of each counts."""
    vocabulary, dense = bench.about.vocabulary, bench.model.config.dense
    choices: dict[str, TermGrammar | None] = {"none": None, "grammar": TermGrammar(vocabulary, dense)}
    try:
        choices["grammar+types"] = typed_grammar(bench)
    except (UserError, ImportError) as error:
        print(f"types left out: {error}", flush=True)
    for constraint in choices.values():
        bench.ours(
            bench.corpus.take(np.arange(min(8, len(bench.corpus)))),
            SearchRules(bench.rules.beam, longest=16),
            None,
            constraint,
        )
    best: dict[str, tuple[float, dict[str, int], float]] = {}
    for turn in range(bench.chosen.turns):
        for name, constraint in choices.items():
            if turn and name == "grammar+types":
                continue
            speed, _, steps = bench.ours(bench.corpus, bench.rules, None, constraint)
            if name not in best or speed > best[name][0]:
                best[name] = speed, steps, bench.cpu_ms
    for name, (speed, steps, bench.cpu_ms) in best.items():
        lost = 1 - speed / best["none"][0]
        # A constrained search may take more steps: what a step of a sentence costs is the constraint's own price.
        each = 1e6 * len(bench.corpus) / speed / steps["sentence_steps"]
        bench.add(name, 0, speed, **steps, microseconds_a_sentence_step=round(each, 1), cost=f"{100 * lost:.1f} %")


def typed_grammar(bench: Bench) -> TermGrammar:
    from isarstep.benchmark.store.store import Benchmark
    from isarstep.model.decode.typed_search import TypedGrammar
    from isarstep.model.decode.variable_types import known_in_split

    benchmark = Benchmark(bench.chosen.data)
    split = benchmark.split(bench.chosen.split)
    known = known_in_split(split, benchmark.theory_contexts)
    return TypedGrammar(bench.about.vocabulary, known, bench.model.config.dense)


def measure_growth(bench: Bench) -> None:
    """By source length at the default batch, by beam, and by batch."""
    lengths = bench.corpus.source_lengths(bench.model.config.input)
    for low, high in ((0, 64), (64, 128), (128, 256), (256, 512), (512, 1024)):
        part = np.flatnonzero((lengths > low) & (lengths <= high))[: bench.chosen.few]
        if len(part) >= 4:
            speed, _, steps = bench.ours(bench.corpus.take(part), bench.rules, None)
            bench.add(f"ours, source {low + 1}-{high}", 0, speed, examples=len(part), **steps)
    some = bench.corpus.take(np.linspace(0, len(bench.corpus) - 1, bench.chosen.few).astype(np.int64))
    for beam in (1, 5, 10, 20):
        speed, _, steps = bench.ours(some, SearchRules(beam, longest=bench.chosen.longest), None)
        bench.add(f"ours, beam {beam}", 0, speed, **steps)
    for batch in (1, 4, 16, 64) if bench.device.type == "cpu" else (16, 64, 256, 1024):
        speed, _, steps = bench.ours(some if bench.device.type == "cpu" else bench.corpus, bench.rules, batch)
        bench.add("ours", batch, speed, **steps)


def measure_peers(bench: Bench) -> None:
    on_cpu = bench.device.type == "cpu"
    ours_at = numbers(bench.chosen.batches or ("1,16,32" if on_cpu else "384,1024,2048"))
    theirs_at = numbers(bench.chosen.hf_batches or ("8,32" if on_cpu else "32,64,128,256"))
    reference: Outputs = []
    best = 0.0
    for batch in ours_at:
        few = batch < 16 and on_cpu
        corpus = bench.corpus.take(np.arange(0, len(bench.corpus), 8)) if few else bench.corpus
        speed, found, steps = bench.ours(corpus, bench.rules, batch)
        best = max(best, speed)
        reference = reference if few else found
        bench.add("ours", batch, speed, **steps)
    inputs = rows_of(bench.corpus)
    if on_cpu:
        tried(bench, "CTranslate2", lambda: measure_ctranslate2(bench, inputs, ours_at, reference))
    tried(bench, "Hugging Face", lambda: measure_hugging_face(bench, inputs, theirs_at, reference))
    for peer in ("CTranslate2", "generate"):
        speeds = [row["examples_per_second"] for row in bench.rows if row["engine"] == peer]
        if speeds:
            print(f"ours against {peer}, best batch of each: {best / max(speeds):.2f}x", flush=True)


def tried(bench: Bench, name: str, part: Callable[[], None]) -> None:
    """A peer that is not there, or that runs out of memory, ends its own part and no other."""
    try:
        part()
    except (UserError, ImportError, RuntimeError) as error:
        reason = str(error).splitlines()[0][:150]
        bench.rows.append({"engine": name, "left_out": reason})
        print(f"{name} left out: {reason}", flush=True)


def rows_of(corpus: Corpus) -> list[list[int]]:
    packer = Packer(corpus, Layout(hierarchical=False, input="base"), torch.device("cpu"))
    return [packer.source(np.array([i])).tokens_S.tolist() for i in range(len(corpus))]


def measure_ctranslate2(bench: Bench, inputs: list[list[int]], batches: list[int], reference: Outputs) -> None:
    import ctranslate2 as ct2

    vocabulary = bench.about.vocabulary
    number = {token: i for i, token in enumerate(vocabulary)}
    lines = [[vocabulary[t] for t in row] for row in inputs]
    with tempfile.TemporaryDirectory() as folder:
        to_ctranslate2(bench.model, vocabulary, Path(folder))
        translator = ct2.Translator(folder, device="cpu", compute_type="float32", intra_threads=torch.get_num_threads())
        translator.translate_batch(lines[:2], beam_size=bench.rules.beam, max_decoding_length=8)
        for batch in batches:
            some = lines[:: 8 if batch < 16 else 1]
            start, cpu = time.perf_counter(), time.process_time()
            results = translator.translate_batch(
                some,
                beam_size=bench.rules.beam,
                num_hypotheses=bench.rules.beam,
                length_penalty=0.0,
                max_batch_size=batch,
                max_input_length=0,
                max_decoding_length=bench.rules.longest + 1,
                min_decoding_length=0,
            )
            speed = len(some) / (time.perf_counter() - start)
            bench.cpu_ms = cpu_ms(cpu, len(some))
            found = [[tuple(number[t] for t in line) for line in result.hypotheses] for result in results]
            same = agreement(reference, found) if len(found) == len(reference) else {}
            bench.add("CTranslate2", batch, speed, **same)


@torch.inference_mode()
def measure_hugging_face(bench: Bench, inputs: list[list[int]], batches: list[int], reference: Outputs) -> None:
    marian = to_marian(bench.model)
    marian = marian.to(bench.device, bench.model.token_table.dtype)
    for batch in batches:
        try:
            speed, found = hugging_face(bench, marian, inputs, batch)
        except torch.OutOfMemoryError:
            print(f"generate at batch {batch}: out of memory", flush=True)
            torch.cuda.empty_cache()
            break
        bench.add("generate", batch, speed, **agreement(reference, found))


def hugging_face(bench: Bench, marian: Any, inputs: list[list[int]], batch: int) -> tuple[float, Outputs]:
    rules = bench.rules
    order = sorted(range(len(inputs)), key=lambda i: -len(inputs[i]))
    batches = [order[begin : begin + batch] for begin in range(0, len(order), batch)]
    # Time may end before the batches do: those that are done should be short and long ones in the right measure.
    np.random.default_rng(0).shuffle(batches)
    found: Outputs = [[] for _ in inputs]

    def run(chosen: list[int], longest: int) -> list[list[int]]:
        rows = [inputs[i] for i in chosen]
        width = max(map(len, rows))
        ids = torch.tensor([row + [0] * (width - len(row)) for row in rows], device=bench.device)
        mask = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in rows], device=bench.device)
        made: list[list[int]] = marian.generate(
            ids, attention_mask=mask, num_beams=rules.beam, num_return_sequences=rules.beam, length_penalty=0.0,
            max_new_tokens=longest, early_stopping=False,
        ).tolist()  # fmt: skip
        return made

    run(batches[0], 4)
    wait(bench.device)
    done, start, cpu = 0, time.perf_counter(), time.process_time()
    for chosen in batches:
        made = run(chosen, rules.longest + 1)
        for at, i in enumerate(chosen):
            lists = made[at * rules.beam : (at + 1) * rules.beam]
            found[i] = [tuple(t for t in row[1:] if t not in (0, EOS)) for row in lists]
        done += len(chosen)
        if time.perf_counter() - start > bench.chosen.seconds:
            break
    bench.cpu_ms = cpu_ms(cpu, done)
    return done / (time.perf_counter() - start), found


def agreement(ours: Outputs, theirs: Outputs) -> dict[str, Any]:
    pairs = [(a, b) for a, b in zip(ours, theirs, strict=True) if b]
    return {
        "compared": len(pairs),
        "same_top1": sum(bool(a) and a[0] == b[0] for a, b in pairs),
        "same_list": sum(a == b for a, b in pairs),
    }


def numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(",")]


PARTS = {"constraints": measure_constraints, "peers": measure_peers, "growth": measure_growth}


def parts(text: str) -> Iterator[str]:
    for part in text.split(","):
        if part not in PARTS:
            raise UserError(f"--parts {part}: there are {', '.join(PARTS)}")
        yield part


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", nargs="?", default="embedded")
    parser.add_argument("data", nargs="?", default="embedded")
    parser.add_argument("--parts", default="constraints")
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--split", default="validation")
    parser.add_argument("--beam", type=int, default=10)
    parser.add_argument("--examples", type=int, default=256)
    parser.add_argument("--longest", type=int, default=200, help="tokens of an output")
    parser.add_argument("--batches", default="", help="ours and CTranslate2's, such as 1,16,32")
    parser.add_argument("--hf-batches", default="", help="Hugging Face's; the best one counts")
    parser.add_argument("--seconds", type=float, default=20, help="for each Hugging Face measurement")
    parser.add_argument("--turns", type=int, default=2, help="how often each constraint is measured")
    parser.add_argument("--few", type=int, default=64, help="examples of each measurement of growth")
    parser.add_argument("--threads", type=int, default=0, help="of torch and CTranslate2; 0: as torch decides")
    chosen = parser.parse_args()
    if chosen.threads:
        torch.set_num_threads(chosen.threads)
    try:
        wanted = list(parts(chosen.parts))
        bench = Bench(chosen)
    except UserError as error:
        sys.exit(f"decode.py: {error}")
    bench.warm_up()
    for part in wanted:
        PARTS[part](bench)
    about = {
        "model": chosen.model,
        "data": bench.about.benchmark,
        "torch": torch.__version__,
        "beam": chosen.beam,
        "examples": len(bench.corpus),
        "longest": chosen.longest,
        "threads": torch.get_num_threads(),
        "device": torch.cuda.get_device_name() if bench.device.type == "cuda" else platform.machine(),
    }
    print(json.dumps({"benchmark": "decode", **about, "rows": bench.rows}))


if __name__ == "__main__":
    main()
