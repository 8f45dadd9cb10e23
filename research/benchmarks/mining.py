"""What does mining cost on top of loading a session, in CPU time, memory and bytes?

    python research/benchmarks/mining.py SESSION [--runs 3] [--trust] [-d DIRECTORY] [--heaps FOLDER]

The same session is loaded with and without the miner, alternately, in the same way: one thread, same image below it,
output silenced. Proofs are run (as `isabelle build` does) unless --trust is given. Reports medians of the runs, as
ratio the median over pairs of neighbouring runs (a busy machine drifts), and what the miner takes in its own runs.
Needs an Isabelle (ISABELLE_HOME). Prints a table; the last line is one JSON document.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from isarstep.isabelle.process.driver import Mining
from isarstep.isabelle.process.graph_store import Store
from isarstep.isabelle.process.images import Images
from isarstep.isabelle.process.installation import Installation, Sessions, find_installation
from isarstep.isabelle.process.session_job import MiningLimits, Outcome, run_session


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("session")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--trust", action="store_true")
    parser.add_argument("-d", "--directory", type=Path, action="append", default=[])
    parser.add_argument("--heaps", type=Path)
    arguments = parser.parse_args()
    installation = find_installation()
    with tempfile.TemporaryDirectory(prefix="isarstep-benchmark-") as scratch:
        without, mined = measure(arguments, installation, Path(scratch))
    result: dict[str, Any] = {
        "session": arguments.session,
        "proofs_run": not arguments.trust,
        "runs": arguments.runs,
        **compared(without, mined),
        "isabelle": installation.identifier,
        "machine": platform.machine(),
    }
    print(
        f"CPU {result['cpu_without']:.1f} s without, {result['cpu_with']:.1f} s with the miner: "
        f"{result['cpu_ratio']:.3f}x (wanted: 1.05)"
    )
    print(f"within the runs with the miner: {result['cpu_ratio_within']:.3f}x")
    print(
        f"memory {result['memory_without'] / 2**20:.0f} MB, {result['memory_with'] / 2**20:.0f} MB: "
        f"{result['memory_ratio']:.3f}x (wanted: 1.2)"
    )
    print(
        f"{result['steps']} steps, {result['bytes_per_step']:.1f} bytes each, "
        f"{result['plain_bytes_per_step']:.1f} plain"
    )
    print(json.dumps(result))


def measure(
    arguments: argparse.Namespace, installation: Installation, scratch: Path
) -> tuple[list[Outcome], list[Outcome]]:
    """Runs without the miner, and as many with it."""
    sessions = Sessions(installation, arguments.directory)
    heaps = arguments.heaps or scratch / "heaps"
    heaps.mkdir(parents=True, exist_ok=True)
    images = Images(installation, sessions, heaps)
    outcomes: dict[bool, list[Outcome]] = {False: [], True: []}
    for number in range(arguments.runs):
        for with_miner in (False, True):
            store = Store(scratch / f"{number}-{with_miner}")
            mining = Mining(installation, sessions, images, store, MiningLimits(), prove=not arguments.trust)
            planned = mining.job(arguments.session, save=False, claimed=set())
            assert planned is not None
            job = planned[0]
            if not with_miner:
                job = replace(job, theories=tuple(replace(item, mine=False) for item in job.theories))
            outcome = run_session(installation, sessions, store, job, lambda _: None)
            outcomes[with_miner].append(outcome)
            print(
                f"run {number + 1} {'with' if with_miner else 'without'} miner: {outcome.cpu:.1f} s, "
                f"{outcome.peak_memory / 2**20:.0f} MB {outcome.reason}",
                flush=True,
            )
    return outcomes[False], outcomes[True]


def compared(without: list[Outcome], mined: list[Outcome]) -> dict[str, Any]:
    """Medians of the runs; steps and bytes are those of the last one."""
    in_miner = [sum(record.get("mine_cpu", 0.0) for record in run.records) for run in mined]
    steps, size, plain = (
        sum(record.get(key, 0) for record in mined[-1].records) for key in ("steps", "bytes", "plain_bytes")
    )
    memory_without = statistics.median(run.peak_memory for run in without)
    memory_with = statistics.median(run.peak_memory for run in mined)
    return {
        "cpu_without": statistics.median(run.cpu for run in without),
        "cpu_with": statistics.median(run.cpu for run in mined),
        "cpu_ratio": statistics.median(after.cpu / before.cpu for before, after in zip(without, mined, strict=True)),
        "cpu_in_miner": statistics.median(in_miner),
        "cpu_ratio_within": statistics.median(
            run.cpu / (run.cpu - inside) for run, inside in zip(mined, in_miner, strict=True)
        ),
        "memory_without": memory_without,
        "memory_with": memory_with,
        "memory_ratio": memory_with / memory_without,
        "steps": steps,
        "bytes_per_step": size / max(1, steps),
        "plain_bytes_per_step": plain / max(1, steps),
    }


if __name__ == "__main__":
    main()
