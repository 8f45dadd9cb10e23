"""How fast is the language of a context: its notation loaded, propositions written, and read again with types?

    python research/benchmarks/language.py [--theory HOL-Library.Multiset ...] [--most 4000]

Propositions are those of the theory's own proofs (training split), their variables fixed at their types. Read are the
texts that were written. All times are of the processor, on one core, the best of three rounds; a context is loaded in a
process that has loaded another one before, as a server does. The last line is one JSON document.
"""

from __future__ import annotations

import argparse
import gc
import json
import platform
import time
from typing import Any

import pyarrow.compute as pc
from logic import rate

from isarstep.benchmark.store.store import Benchmark
from isarstep.common.errors import UserError
from isarstep.isabelle.inference.infer import infer
from isarstep.isabelle.syntax.grammar.folding import canonical
from isarstep.isabelle.syntax.grammar.language import Language
from isarstep.isabelle.syntax.reading.reader import read_formula
from isarstep.isabelle.syntax.writing.print_formats import formats_of
from isarstep.isabelle.syntax.writing.writer import write_formula
from isarstep.isabelle.terms.normal_forms import beta_eta_normal
from isarstep.isabelle.terms.signature import Signature
from isarstep.isabelle.terms.terms import Free, Term, Typ, Var, erase, frees, substitute
from isarstep.isabelle.terms.tokens import decode
from isarstep.isabelle.terms.type_text import parse_type

THEORIES = ("HOL-Library.Multiset", "HOL-Library.Extended_Real", "HOL-Analysis.Convex_Euclidean_Space")
WANTED = {"read": 1_000, "write": 20_000}
LOADED_WITHIN = 0.3
WARM = "HOL.List"


def propositions(benchmark: Benchmark, theory: str, signature: Signature, most: int) -> tuple[list[Term], float]:
    """What the proofs of the theory say, typed, with variables called x0, x1, ...; and tokens of each on average."""
    split = benchmark.split("train")
    rows = pc.indices_nonzero(pc.equal(split.table()["theory"], theory)).to_pylist()
    found: dict[str, Term] = {}
    for row in rows:
        example = split[row]
        context = {name: parse_type(typ) for name, typ in example.types.items()}
        for line in (example.f1, *(line for _, line in example.source())):
            if line not in found and len(found) < most:
                term = infer([decode(line)], signature, context).propositions[0]
                found[line] = substitute(term, _called)
    return list(found.values()), sum(len(line.split()) for line in found) / max(1, len(found))


def _called(leaf: Term) -> Term | None:
    return Free(leaf.name.strip("<>").lower(), leaf.type) if type(leaf) is Free or type(leaf) is Var else None


def loaded(benchmark: Benchmark, theory: str) -> tuple[Language, float]:
    """The language with all that reading and writing look up, and the seconds that it took."""
    gc.collect()
    began = time.process_time()
    theory_context = benchmark.theory_contexts.at(theory)
    language = theory_context.language
    assert language is not None
    read_formula("x = y", language)
    write_formula(read_formula("x = y", language).term, language)
    formats_of(language)
    return language, time.process_time() - began


def _form(term: Term, language: Language) -> Term:
    return erase(beta_eta_normal(canonical(term, language)))


def types_of(term: Term) -> dict[str, Typ]:
    return {free.name: free.type for free in frees(term) if free.type is not None}


def measured(benchmark: Benchmark, theory: str, most: int) -> dict[str, Any]:
    language, seconds = loaded(benchmark, theory)
    terms, tokens = propositions(benchmark, theory, language.signature, most)
    texts = [(write_formula(term, language), types_of(term)) for term in terms]
    good: list[tuple[str, dict[str, Typ]]] = []
    same = 0
    for (text, context), term in zip(texts, terms, strict=True):
        try:
            same += _form(read_formula(text, language, context).term, language) == _form(term, language)
            good.append((text, context))
        except UserError:
            continue
    return {
        "theory": theory, "propositions": len(terms), "tokens": round(tokens, 1), "read": len(good), "same": same,
        "load_s": round(seconds, 3),
        "write_per_s": round(rate(lambda term: write_formula(term, language), terms)),
        "read_per_s": round(rate(lambda each: read_formula(each[0], language, each[1]), good)),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--theory", action="append")
    parser.add_argument("--most", type=int, default=4000, help="propositions of a theory")
    chosen = parser.parse_args()
    benchmark = Benchmark()
    loaded(benchmark, WARM)
    rows = []
    for theory in chosen.theory or THEORIES:
        rows.append(measured(benchmark, theory, chosen.most))
        row = rows[-1]
        print(
            f"{theory:36} {row['propositions']:5} propositions of {row['tokens']} tokens: {row['load_s']:.2f} s to load"
            f", {row['write_per_s']:,} written, {row['read_per_s']:,} read a second, {row['same']} as they were",
            flush=True,
        )
    reached = all(
        row["load_s"] <= LOADED_WITHIN and row["write_per_s"] >= WANTED["write"] and row["read_per_s"] >= WANTED["read"]
        for row in rows
    )
    document = {"benchmark": "language", "data": benchmark.hash[:12], "rows": rows, "reached": reached}
    print(json.dumps(document | {"python": platform.python_version(), "machine": platform.machine()}))


if __name__ == "__main__":
    main()
