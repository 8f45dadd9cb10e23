"""Scores a predictions file a second time, sharing no code with the package: what the report says must come out here.

    python tests/evaluate/recompute.py BENCHMARK SPLIT NARROW.jsonl[.zst] WIDE.jsonl[.zst]

Prints top-1 and BLEU of the narrow file and top-10 of the wide one, in percent.
"""

import json
import sys
from pathlib import Path

import pyarrow.parquet as pq
import sacrebleu
import zstandard


def references(benchmark: Path, split: str) -> list[tuple[str, str]]:
    files = sorted(benchmark.glob("propositions*.parquet"))
    texts = [text for path in files for text in pq.read_table(path)["tokens"].to_pylist()]
    rows = pq.read_table(benchmark / f"{split}.parquet", columns=["id", "f1"]).to_pylist()
    return [(row["id"], texts[row["f1"]]) for row in rows]


def answers(path: Path) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    raw = path.read_bytes()
    if path.suffix == ".zst":
        raw = zstandard.ZstdDecompressor().stream_reader(raw).read()
    for line in raw.decode("utf-8").split("\n"):
        if line:
            record = json.loads(line)
            found[record["id"]] = [" ".join(each["tokens"].split()) for each in record["predictions"]]
    return found


def recompute(benchmark: Path, split: str, narrow: Path, wide: Path) -> dict[str, float]:
    wanted, few, many = references(benchmark, split), answers(narrow), answers(wide)
    best = [(few.get(example) or [""])[0] for example, _ in wanted]
    first = sum(answer == reference for answer, (_, reference) in zip(best, wanted, strict=True))
    ten = sum(reference in many.get(example, [])[:10] for example, reference in wanted)
    bleu = sacrebleu.corpus_bleu(best, [[reference for _, reference in wanted]], tokenize="none", force=True).score
    return {"top1": 100 * first / len(wanted), "top10": 100 * ten / len(wanted), "bleu": bleu}


if __name__ == "__main__":
    folder, name, *files = sys.argv[1:]
    print(json.dumps(recompute(Path(folder), name, *map(Path, files))))
