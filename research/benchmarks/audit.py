"""Random examples beside the proofs they come from, for a reader who judges whether their edges are true.

    python research/benchmarks/audit.py BENCHMARK GRAPHS --sessions HOL HOL-Library ... --examples 200 -d AFP/thys

Needs an Isabelle whose sources the graphs were mined from. Of each session an equal number of training examples, chosen
by `--seed`; each is printed as `isarstep show` prints it, then the text of its proof. What the reader finds is
counted in docs/benchmark.md.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

import pyarrow.compute as pc

from isarstep.benchmark.export.display import Printer, describe
from isarstep.benchmark.store.store import Benchmark
from isarstep.isabelle.process.installation import Sessions, find_installation
from isarstep.isabelle.process.proof_graph import Proof, read_graph

LINES = 90  # of a proof, at most


def proof_text(source: list[str], proofs: tuple[Proof, ...], ordinal: int) -> str:
    """The lines from the head of a proof to the next one, numbered."""
    first = next(proof.line for proof in proofs if proof.ordinal == ordinal)
    after = min((proof.line for proof in proofs if proof.line > first), default=len(source) + 1)
    lines = [f"{number:5} {source[number - 1]}" for number in range(first, min(after, first + LINES))]
    return "\n".join([*lines, *(["      ..."] if after > first + LINES else [])])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("benchmark")
    parser.add_argument("graphs", type=Path)
    parser.add_argument("--sessions", nargs="+", required=True)
    parser.add_argument("--examples", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("-d", "--directory", type=Path, action="append", default=[])
    arguments = parser.parse_args()
    sessions = Sessions(find_installation(), arguments.directory)
    benchmark = Benchmark(arguments.benchmark)
    train = benchmark.split("train")
    owners = train.table()["session"].cast("string")
    printer = Printer(benchmark, "unicode")
    choice = random.Random(arguments.seed)
    number = 0
    for session in arguments.sessions:
        rows = pc.indices_nonzero(pc.equal(owners, session)).to_pylist()
        for row in choice.sample(rows, min(len(rows), arguments.examples // len(arguments.sessions))):
            example = train[row]
            graph = read_graph(arguments.graphs / session / f"{example.theory.rpartition('.')[2]}.jsonl.zst")
            path = sessions.theory(example.theory, "the audit").path
            number += 1
            print(f"\n=== {number}")
            print("\n".join(describe(example, "train", printer)))
            print(f"names: {', '.join(f'{variable}={name}' for variable, name in example.names.items())}")
            print(f"consequence: command {example.consequence_step} ({example.consequence_command}) of the proof\n")
            print(proof_text(path.read_text(encoding="utf-8").splitlines(), graph.proofs, example.proof))


if __name__ == "__main__":
    main()
