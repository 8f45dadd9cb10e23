"""Whether our beam search returns what Hugging Face `generate` and CTranslate2 return from the same weights, on real
inputs; each difference is traced to its cause.

    python research/benchmarks/agreement.py MODEL [DATA] [--examples 200] [--beam 10]

MODEL is a run of `isarstep train --model transformer`. Length penalty 0. CTranslate2 is asked twice: as
it is (it stops as soon as its first beam has ended and the list is full, though a living hypothesis could still enter
the list), and with patience 2. Prints a table; the last line is one JSON document.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import torch
from peers import to_ctranslate2, to_marian

from isarstep.benchmark.arrays.corpus import Corpus
from isarstep.benchmark.arrays.files import load_dataset
from isarstep.benchmark.arrays.measures import Layout
from isarstep.benchmark.store.special_tokens import EOS
from isarstep.model.data.batches import Packer
from isarstep.model.data.constants import read_by_model
from isarstep.model.decode.hypotheses import SearchRules
from isarstep.model.decode.search import search_corpus
from isarstep.model.nets.checkpoint import load_model

Scored = list[tuple[tuple[int, ...], float]]  # tokens of an n-best list with their scores, only what ended
TIE = 1e-3  # nats


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("data", nargs="?", default="embedded")
    parser.add_argument("--examples", type=int, default=200)
    parser.add_argument("--beam", type=int, default=10)
    parser.add_argument("--longest", type=int, default=200)
    parser.add_argument("--peers", default="ct2,hf")
    chosen = parser.parse_args()
    model, about = load_model(chosen.model)
    data = load_dataset(Path(chosen.data))
    corpus = read_by_model(data.split("validation"), data.words, about.vocabulary, model.config.input)
    corpus = corpus.take(np.linspace(0, len(corpus) - 1, chosen.examples).astype(np.int64))
    rules = SearchRules(chosen.beam, longest=chosen.longest)
    ours = [[(h.tokens, h.score) for h in found if h.complete] for found in search_corpus(model, corpus, rules)]
    inputs = rows_of(corpus)
    rows = []
    if "ct2" in chosen.peers:
        with tempfile.TemporaryDirectory() as folder:
            to_ctranslate2(model, about.vocabulary, Path(folder))
            for patience in (1.0, 2.0):
                theirs = ctranslate2(folder, about.vocabulary, inputs, rules, patience)
                rows.append(compared(f"CTranslate2, patience {patience:g}", ours, theirs, rules))
    if "hf" in chosen.peers:
        rows.append(compared("generate", ours, hugging_face(model, inputs, rules), rules))
    document = {"benchmark": "agreement", "model": str(chosen.model), "data": about.benchmark, "beam": chosen.beam}
    print(json.dumps({**document, "torch": torch.__version__, "rows": rows}))


def rows_of(corpus: Corpus) -> list[list[int]]:
    packer = Packer(corpus, Layout(hierarchical=False, input="base"), torch.device("cpu"))
    return [packer.source(np.array([i])).tokens_S.tolist() for i in range(len(corpus))]


def ctranslate2(
    folder: str, vocabulary: tuple[str, ...], inputs: list[list[int]], rules: SearchRules, patience: float
) -> list[Scored]:
    import ctranslate2 as ct2

    translator = ct2.Translator(folder, device="cpu", compute_type="float32", intra_threads=torch.get_num_threads())
    number = {token: i for i, token in enumerate(vocabulary)}
    results = translator.translate_batch(
        [[vocabulary[t] for t in row] for row in inputs],
        beam_size=rules.beam,
        num_hypotheses=rules.beam,
        patience=patience,
        length_penalty=0.0,
        max_batch_size=32,
        max_input_length=0,
        max_decoding_length=rules.longest + 1,
        min_decoding_length=0,
        return_scores=True,
        return_end_token=True,
    )
    lists: list[Scored] = []
    for result in results:
        rows = [[number[t] for t in line] for line in result.hypotheses]
        pairs = zip(rows, result.scores, strict=True)
        lists.append([(tuple(row[:-1]), float(score)) for row, score in pairs if row and row[-1] == EOS])
    return lists


@torch.inference_mode()
def hugging_face(model: Any, inputs: list[list[int]], rules: SearchRules, batch: int = 16) -> list[Scored]:
    marian = to_marian(model)
    lists: list[Scored] = [[] for _ in inputs]
    order = sorted(range(len(inputs)), key=lambda i: -len(inputs[i]))
    for begin in range(0, len(order), batch):
        chosen = order[begin : begin + batch]
        width = max(len(inputs[i]) for i in chosen)
        ids = torch.tensor([inputs[i] + [0] * (width - len(inputs[i])) for i in chosen])
        mask = torch.tensor([[1] * len(inputs[i]) + [0] * (width - len(inputs[i])) for i in chosen])
        out = marian.generate(
            ids, attention_mask=mask, num_beams=rules.beam, num_return_sequences=rules.beam, length_penalty=0.0,
            max_new_tokens=rules.longest + 1, early_stopping=False, output_scores=True, return_dict_in_generate=True,
        )  # fmt: skip
        scores = out.sequences_scores.tolist()
        for at, row in enumerate(out.sequences.tolist()):
            if EOS in row:
                lists[chosen[at // rules.beam]].append((tuple(row[1 : row.index(EOS)]), scores[at]))
    return lists


def compared(name: str, ours: list[Scored], theirs: list[Scored], rules: SearchRules) -> dict[str, Any]:
    causes: Counter[str] = Counter()
    top = lists = 0
    for number, (a, b) in enumerate(zip(ours, theirs, strict=True)):
        same_top = [t for t, _ in a[:1]] == [t for t, _ in b[:1]]
        top += same_top
        if [t for t, _ in a] == [t for t, _ in b]:
            lists += 1
            continue
        cause = cause_of(a, b)
        causes[("the first differs: " if not same_top else "") + cause] += 1
        if not same_top or cause == "not explained":
            print(f"    example {number}: {cause}; {shown(a)} and {shown(b)}")
    print(f"{name:24} same first {top}/{len(ours)}, same list {lists}/{len(ours)}", flush=True)
    for cause, count in causes.most_common():
        print(f"    {count:4}  {cause}", flush=True)
    return {"peer": name, "examples": len(ours), "same_top1": top, "same_list": lists, "differences": dict(causes)}


def shown(scored: Scored) -> list[float]:
    return [round(score, 3) for _, score in scored]


def cause_of(ours: Scored, theirs: Scored) -> str:
    if len(ours) != len(theirs) and [t for t, _ in ours][: len(theirs)] == [t for t, _ in theirs]:
        return "theirs lists fewer that ended; those are the same"
    if len(ours) != len(theirs) and [t for t, _ in theirs][: len(ours)] == [t for t, _ in ours]:
        return "ours lists fewer that ended; those are the same"
    pairs = list(zip(ours, theirs, strict=False))
    if len(ours) == len(theirs) and all(abs(a - b) < TIE for (_, a), (_, b) in pairs):
        return "equal scores in another order"
    if len(ours) >= len(theirs) and all(a > b - TIE for (_, a), (_, b) in pairs):
        return "ours has the better score at every place: theirs stopped earlier"
    if len(theirs) >= len(ours) and all(b > a - TIE for (_, a), (_, b) in pairs):
        return "theirs has the better score at every place"
    return "not explained"


if __name__ == "__main__":
    main()
