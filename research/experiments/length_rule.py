"""By which length rule should lists be ordered? Measured on validation; and the lists of older runs put into the order.

    python research/experiments/length_rule.py measure RUN...    # BLEU and top-1 of validation lists, for a row of penalties
    python research/experiments/length_rule.py order RUN...      # every list without constraints, in place, with its *.meta.json

`isarstep keep` writes lists in that order (`isarstep.model.decode.ranking.COMPARED_ORDER`). Lists that a run made before
there was one are in the order of log probability, and the same search stands behind both: `order` makes the one of the
other.
The last line of `measure` is one JSON document.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import zstandard

from isarstep.benchmark.store.store import open_split
from isarstep.model.decode.bleu import bleu_of_sums, ngram_counts
from isarstep.model.decode.hypotheses import NARROW
from isarstep.model.decode.predictions import read_meta, read_scored, stem, write_predictions
from isarstep.model.decode.ranking import COMPARED_ORDER, Order

PENALTIES = (0.0, 0.2, 0.4, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["measure", "order"])
    parser.add_argument("runs", type=Path, nargs="+")
    chosen = parser.parse_args(arguments)
    if chosen.what == "measure":
        wanted = {example.id: example.f1 for example in open_split("embedded", "validation")}
        print(json.dumps({"length rule": [row for run in chosen.runs for row in measured(run, wanted)]}))
        return
    for run in chosen.runs:
        for path in sorted((run / "predictions").glob("*.jsonl*")):
            print(f"{path}: {'ordered' if order(path) else 'left as it is'}")


def measured(run: Path, wanted: dict[str, str]) -> list[dict[str, str | float]]:
    """What the validation lists of the narrow beam, which gives top-1 and BLEU, score under each penalty."""
    lists = read_scored(run / "predictions" / f"validation.beam{NARROW}.jsonl")
    references = [wanted[name] for name in lists]
    rows: list[dict[str, str | float]] = []
    for penalty in PENALTIES:
        rule = Order(penalty=penalty)
        best = [rule.ordered(proposals)[0][0] if proposals else "" for proposals in lists.values()]
        sums = ngram_counts(references, best).sum(0, keepdims=True)
        right = np.mean([answer == reference for answer, reference in zip(best, references, strict=True)])
        bleu, top1, length = float(bleu_of_sums(sums)[0]), 100 * float(right), float(sums[0, -2] / sums[0, -1])
        rows.append({"run": run.name, "penalty": penalty, "bleu": bleu, "top1": top1, "length": length})
        print(f"{run.name} penalty {penalty}: BLEU {bleu:.1f}, top-1 {top1:.2f}, {length:.3f} as long", flush=True)
    return rows


def order(path: Path) -> bool:
    """Put a list that has log probabilities alone into the order; False where there is nothing to do, or where verdicts
    on the first answers would no longer be about them."""
    about = read_meta(path)
    rule = str(about.get("length_rule", ""))
    checked = path.with_name(f"{stem(path)}.verdicts.parquet").exists()
    if checked or about.get("constraints") != "none" or not rule.startswith("log p / length^0,") or ";" in rule:
        return False
    lists = {name: COMPARED_ORDER.ordered(proposals) for name, proposals in read_scored(path).items()}
    plain = path.with_name(f"{stem(path)}.jsonl")
    write_predictions(plain, lists.items(), about | {"length_rule": f"{rule}; {COMPARED_ORDER}"})
    if path.suffix == ".zst":
        path.write_bytes(zstandard.ZstdCompressor(level=19).compress(plain.read_bytes()))
        plain.unlink()
    return True


if __name__ == "__main__":
    main()
