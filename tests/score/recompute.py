"""Scores a predictions file a second time, sharing no code with the package: what the report says must come out here.

    python tests/score/recompute.py BENCHMARK SPLIT NARROW.jsonl[.zst] WIDE.jsonl[.zst]

Prints top-1 and BLEU of the narrow file and top-10 of the wide one, in percent.
"""

import json
import sys
from functools import cache
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import zstandard
from sacrebleu.metrics import BLEU


@cache
def references(benchmark: Path, split: str) -> list[tuple[str, str]]:
    files = sorted(benchmark.glob("propositions*.parquet"))
    texts = pa.concat_tables(pq.read_table(path, columns=["tokens"]) for path in files)["tokens"]
    rows = pq.read_table(benchmark / f"{split}.parquet", columns=["id", "f1"])
    return list(zip(rows["id"].to_pylist(), texts.take(rows["f1"].combine_chunks()).to_pylist(), strict=True))


def answers(path: Path) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    raw = path.read_bytes()
    if path.suffix == ".zst":
        raw = zstandard.ZstdDecompressor().stream_reader(raw).read()
    for line in raw.decode("utf-8").split("\n"):
        if line:
            record = json.loads(line)
            found[record["id"]] = [each["tokens"] for each in record["predictions"]]
    return found


def found_among(benchmark: Path, split: str, lists: dict[str, list[str]], most: int) -> float:
    """The share of references that are among so many first answers, in percent."""
    wanted = references(benchmark, split)
    return 100 * sum(reference in lists.get(example, [])[:most] for example, reference in wanted) / len(wanted)


@cache
def bleu_against(benchmark: Path, split: str) -> BLEU:
    """With the references counted once for all systems."""
    return BLEU(tokenize="none", force=True, references=[[text for _, text in references(benchmark, split)]])


def recompute(benchmark: Path, split: str, narrow: Path, wide: Path) -> dict[str, float]:
    few = answers(narrow)
    many = few if wide == narrow else answers(wide)
    wanted = references(benchmark, split)
    best = [(few.get(example) or [""])[0] for example, _ in wanted]
    bleu = bleu_against(benchmark, split).corpus_score(best, None).score
    top1, top10 = found_among(benchmark, split, few, 1), found_among(benchmark, split, many, 10)
    return {"top1": top1, "top10": top10, "bleu": bleu}


if __name__ == "__main__":
    folder, name, *files = sys.argv[1:]
    print(json.dumps(recompute(Path(folder), name, *map(Path, files))))
