"""The lemmas that authors used (F.5) in the place of selected premises: a bound on what a selector can be worth.

    python research/experiments/authors_lemmas.py validation F5.jsonl --limit 1000
    isarstep premises --split validation --limit 1000 --out SELECTED.jsonl
    isarstep predict embedded embedded --split validation --limit 1000 --constraint types --premises F5.jsonl

The last line again with SELECTED.jsonl, and without premises; `research/benchmarks/ranking.py LIST --split validation`
counts. The same weights read all three, so that none has more minutes. A lemma that is the target up to the names of
variables is left out, as among selected ones.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from isarstep.benchmark.store.ids import numbered, places_of_lowest
from isarstep.benchmark.store.store import Benchmark
from isarstep.premises.selector.premise_files import write_premises
from isarstep.premises.selector.selected_premises import premises_read


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("split")
    parser.add_argument("out", type=Path)
    parser.add_argument("--limit", type=int, default=1000, help="examples, those of lowest id")
    parser.add_argument("--benchmark", default="embedded")
    chosen = parser.parse_args()
    benchmark = Benchmark(chosen.benchmark)
    examples = benchmark.split(chosen.split)
    rows, some = [], 0
    for place in places_of_lowest(benchmark.table(chosen.split, ["id"])["id"].to_pylist(), chosen.limit):
        example = examples[int(place)]
        lemmas = [text for text in example.f5 if numbered(text) != numbered(example.f1)]
        rows.append((example.id, premises_read(lemmas, (*example.f2, example.f3 or "", *example.f4))))
        some += bool(rows[-1][1])
    print(f"{write_premises(chosen.out, rows)} examples, {some} with lemmas -> {chosen.out}")


if __name__ == "__main__":
    main()
