"""How fast are decoding, typing, judging, encoding and printing on one core, and what memory do a million terms take?

    python research/benchmarks/logic.py                                        the sample inside the package
    python research/benchmarks/logic.py --signature S.json.gz FILE.txt.gz ...  all propositions in these files

A file has one proposition a line, or lines of the original release format (`<used_local_facts> <SEP> p ...`). Also
checks that every line decodes strictly and encodes back to itself, and that reading the printed form gives the same
term. Rates are in CPU time of one process, best of three runs. Prints a table; the last line is one JSON document.
"""

from __future__ import annotations

import argparse
import gc
import gzip
import json
import platform
import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from isarstep.common.errors import UserError
from isarstep.isabelle.inference.infer import well_formed
from isarstep.isabelle.syntax.grammar.language import Language, usual_notation
from isarstep.isabelle.syntax.reading.named_statements import read_named
from isarstep.isabelle.syntax.writing.names import Names
from isarstep.isabelle.syntax.writing.printing import to_unicode
from isarstep.isabelle.syntax.writing.sample import sample_examples, sample_signature
from isarstep.isabelle.terms.signature import Signature
from isarstep.isabelle.terms.terms import Term, size
from isarstep.isabelle.terms.tokens import decode, encode_line

T = TypeVar("T")
WANTED = {"decode": 20_000, "infer": 5_000, "judge": 5_000, "encode": 20_000, "print": 5_000}
LABELS = re.compile(r"<used_local_facts>|<consequences>|<consequences_others>|<used_global_facts>|<SEP>")


def lines_of(paths: Sequence[Path]) -> list[str]:
    """Distinct propositions, in order."""
    if not paths:
        return list(dict.fromkeys(line for example in sample_examples() for line in example.propositions()))
    found: dict[str, None] = {}
    for path in paths:
        text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        for line in text.decode().splitlines():
            found.update((p, None) for part in LABELS.split(line) if (p := " ".join(part.split())))
    return list(found)


def rate(job: Callable[[T], object], inputs: Sequence[T]) -> float:
    """Inputs a second, the best of three runs."""
    best = 0.0
    for _ in range(3):
        gc.collect()
        start = time.process_time()
        for item in inputs:
            job(item)
        best = max(best, len(inputs) / (time.process_time() - start))
    return best


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def memory_per_term(lines: Sequence[str]) -> tuple[float, float]:
    """Bytes that a decoded proposition and a node of it take when all are kept."""
    gc.collect()
    before = resident()
    kept = [decode(line) for line in lines for _ in range(max(1, 100_000 // len(lines)))]
    gc.collect()
    used = resident() - before
    return used / len(kept), used / sum(size(term) for term in kept)


def reads_back(term: Term, names: Names) -> bool:
    assert names.language is not None
    try:
        return read_named(to_unicode(term, names), names.language, names).term == term
    except UserError:
        return False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--signature", type=Path)
    parser.add_argument("--timed", type=int, default=20_000, help="propositions to time; all are checked")
    options = parser.parse_args()
    lines = lines_of(options.files)
    signature = Signature.load(options.signature) if options.signature else sample_signature()
    names = Names.of_signature(signature, language=Language(usual_notation().values(), signature))

    per_proposition, per_node = memory_per_term(lines)
    timed = lines[:: max(1, len(lines) // options.timed)]
    terms = [decode(line) for line in timed]
    rates = {
        "decode": rate(decode, timed),
        "infer": rate(lambda term: well_formed(term, signature).term, terms),
        "judge": rate(lambda term: well_formed(term, signature), terms),
        "encode": rate(encode_line, terms),
        "print": rate(lambda term: to_unicode(term, names), terms),
    }
    exact = readable = typed = 0
    unknown = 0
    failures: list[str] = []
    for line in lines:
        term = decode(line)
        exact += encode_line(term) == line
        back = reads_back(term, names)
        readable += back
        judgement = well_formed(term, signature)
        typed += bool(judgement)
        unknown += "is not in the signature" in (judgement.reason or "")
        if not back and len(failures) < 5:
            failures.append(line)

    tokens = sum(len(line.split()) for line in lines) / len(lines)
    print(f"{len(lines):,} distinct propositions, {tokens:.1f} tokens each")
    for job, value in rates.items():
        print(f"{job:<8} {value:>10,.0f} a second   (at least {WANTED[job]:,})")
    million = per_proposition * 1e6 / 2**20
    print(f"memory   {million:>10,.0f} MiB for a million propositions, {per_node:.0f} bytes a node")
    print(f"exact    {exact:>10,} decode strictly and encode back to the same tokens")
    print(f"read     {readable:>10,} are the same term after printing and reading")
    print(f"typed    {typed:>10,} are well-formed, {unknown:,} have a constant that the signature lacks")
    for line in failures:
        print(f"not read back: {line}")
    document = {
        "benchmark": "logic",
        "propositions": len(lines),
        "rates_per_s": {job: round(value) for job, value in rates.items()},
        "reached": all(rates[job] >= wanted for job, wanted in WANTED.items()),
        "bytes_per_proposition": round(per_proposition),
        "bytes_per_node": round(per_node, 1),
        "exact": exact,
        "readable": readable,
        "well_formed": typed,
        "unknown_constant": unknown,
        "python": platform.python_version(),
        "machine": platform.machine(),
    }
    print(json.dumps(document))


if __name__ == "__main__":
    main()
