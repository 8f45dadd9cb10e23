"""Beam search speed in examples per second: ours against Hugging Face `generate` and (on a CPU) CTranslate2, same
weights.

    python benchmarks/decode.py MODEL DATA [--beam 10] [--examples 256] [--peers hf,ct2] [--seconds 20]

MODEL is a run of `isarstep train --model transformer --style paper` (peers need that one) or any other. Says also on
how many examples the outputs agree. Prints a table; the last line is one JSON document.
"""

from __future__ import annotations

import argparse
import json
import platform
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

from isarstep.decode.hypotheses import Rules
from isarstep.decode.predict import ready
from isarstep.decode.search import decode
from isarstep.models import Seq2Seq
from isarstep.models.export import to_ctranslate2, to_marian
from isarstep.train.batches import Layout, Shelf
from isarstep.train.checkpoint import load_model
from isarstep.train.corpus import EOS, Corpus, load

Outputs = list[list[tuple[int, ...]]]


def rows_of(corpus: Corpus) -> list[list[int]]:
    shelf = Shelf(corpus, Layout(hierarchical=False, hints=False), torch.device("cpu"))
    return [shelf.source(np.array([i])).tokens_S.tolist() for i in range(len(corpus))]


def ours(model: Seq2Seq, corpus: Corpus, rules: Rules, sentences: int | None) -> tuple[float, Outputs]:
    list(decode(model, corpus.take(np.arange(min(8, len(corpus)))), rules, sentences=sentences))  # warm up
    start = time.perf_counter()
    found = [[h.tokens for h in hypotheses] for hypotheses in decode(model, corpus, rules, sentences=sentences)]
    return len(corpus) / (time.perf_counter() - start), found


@torch.inference_mode()
def hugging_face(
    model: Any, rows: list[list[int]], rules: Rules, sentences: int, seconds: float
) -> tuple[float, Outputs]:
    device = model.device
    order = sorted(range(len(rows)), key=lambda i: -len(rows[i]))
    found: Outputs = [[] for _ in rows]
    done, start = 0, time.perf_counter()
    for begin in range(0, len(order), sentences):
        chosen = order[begin : begin + sentences]
        longest = max(len(rows[i]) for i in chosen)
        ids = torch.tensor([rows[i] + [0] * (longest - len(rows[i])) for i in chosen], device=device)
        mask = torch.tensor([[1] * len(rows[i]) + [0] * (longest - len(rows[i])) for i in chosen], device=device)
        out = model.generate(
            ids,
            attention_mask=mask,
            num_beams=rules.beam,
            num_return_sequences=rules.beam,
            length_penalty=0.0,
            max_new_tokens=rules.longest + 1,
            early_stopping=False,
        ).tolist()
        for at, i in enumerate(chosen):
            lists = out[at * rules.beam : (at + 1) * rules.beam]
            found[i] = [tuple(t for t in row[1:] if t not in (0, EOS)) for row in lists]
        done += len(chosen)
        if time.perf_counter() - start > seconds:
            break
    return done / (time.perf_counter() - start), found


def ctranslate2(
    folder: Path, vocabulary: tuple[str, ...], rows: list[list[int]], rules: Rules, sentences: int
) -> tuple[float, Outputs]:
    import ctranslate2 as ct2

    translator = ct2.Translator(
        str(folder), device="cpu", compute_type="float32", intra_threads=torch.get_num_threads()
    )
    number = {token: i for i, token in enumerate(vocabulary)}
    lines = [[vocabulary[t] for t in row] for row in rows]
    translator.translate_batch(lines[:4], beam_size=rules.beam)
    start = time.perf_counter()
    results = translator.translate_batch(
        lines,
        beam_size=rules.beam,
        num_hypotheses=rules.beam,
        length_penalty=0.0,
        max_batch_size=sentences,
        max_decoding_length=rules.longest + 1,
        min_decoding_length=0,
    )
    spent = time.perf_counter() - start
    return len(rows) / spent, [[tuple(number[t] for t in line) for line in result.hypotheses] for result in results]


def agreement(ours: Outputs, theirs: Outputs) -> dict[str, Any]:
    pairs = [(a, b) for a, b in zip(ours, theirs, strict=True) if b]
    return {
        "compared": len(pairs),
        "same_top1": sum(bool(a) and a[0] == b[0] for a, b in pairs),
        "same_list": sum(a == b for a, b in pairs),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("--split", default="validation")
    parser.add_argument("--beam", type=int, default=10)
    parser.add_argument("--examples", type=int, default=256)
    parser.add_argument("--sentences", default="1,16,32", help="our and CTranslate2's batch sizes")
    parser.add_argument("--hf-sentences", default="32,64,128")
    parser.add_argument("--peers", default="hf,ct2")
    parser.add_argument("--seconds", type=float, default=20, help="for each Hugging Face measurement")
    parser.add_argument("--growth", action="store_true", help="also how time grows with beam and source length")
    chosen = parser.parse_args()
    model, about = load_model(chosen.model)
    plain = model
    corpus = load(chosen.data).split(chosen.split)
    corpus = corpus.take(np.linspace(0, len(corpus) - 1, min(len(corpus), chosen.examples)).astype(np.int64))
    rules = Rules(chosen.beam)
    on_gpu = torch.cuda.is_available()
    marian = to_marian(plain) if "hf" in chosen.peers else None
    folder = tempfile.mkdtemp()
    if "ct2" in chosen.peers and not on_gpu:
        to_ctranslate2(plain, about.vocabulary, Path(folder))
    model = ready(model, None)
    rows: list[dict[str, Any]] = []
    reference: Outputs = []
    for sentences in map(int, chosen.sentences.split(",")):
        speed, reference = ours(model, corpus, rules, sentences)
        rows.append({"engine": "ours", "batch": sentences, "examples_per_second": speed})
        show(rows[-1])
    inputs = rows_of(corpus)
    if "ct2" in chosen.peers and not on_gpu:
        for sentences in map(int, chosen.sentences.split(",")):
            speed, found = ctranslate2(Path(folder), about.vocabulary, inputs, rules, sentences)
            rows.append(
                {"engine": "CTranslate2", "batch": sentences, "examples_per_second": speed}
                | agreement(reference, found)
            )
            show(rows[-1])
    if marian is not None:
        marian = marian.to("cuda", torch.bfloat16) if on_gpu else marian
        for sentences in map(int, chosen.hf_sentences.split(",")):
            speed, found = hugging_face(marian, inputs, rules, sentences, chosen.seconds)
            rows.append(
                {"engine": "generate", "batch": sentences, "examples_per_second": speed} | agreement(reference, found)
            )
            show(rows[-1])
    if chosen.growth:
        lengths = corpus.source_lengths(model.config.hints)
        for low, high in ((0, 128), (128, 256), (256, 512), (512, 1024)):
            part = np.flatnonzero((lengths > low) & (lengths <= high))
            if len(part):
                speed, _ = ours(model, corpus.take(part), rules, None)
                rows.append({"engine": f"ours, source {low}-{high}", "batch": 0, "examples_per_second": speed})
                show(rows[-1])
        for beam in (1, 5, 20):
            speed, _ = ours(model, corpus, Rules(beam), None)
            rows.append({"engine": f"ours, beam {beam}", "batch": 0, "examples_per_second": speed})
            show(rows[-1])
    about_run = {
        "torch": torch.__version__,
        "beam": chosen.beam,
        "examples": len(corpus),
        "threads": torch.get_num_threads(),
        "device": torch.cuda.get_device_name() if on_gpu else platform.machine(),
    }
    print(json.dumps({"benchmark": "decode", "data": about.benchmark, "rows": rows, **about_run}))


def show(row: dict[str, Any]) -> None:
    same = (
        f"  same top-1 {row['same_top1']}/{row['compared']}, same list {row['same_list']}" if "compared" in row else ""
    )
    print(f"{row['engine']:24} batch {row['batch']:4}  {row['examples_per_second']:9.2f} examples/s{same}", flush=True)


if __name__ == "__main__":
    main()
