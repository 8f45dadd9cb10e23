"""What does mining cost on top of loading a session, in CPU time, memory and bytes?

    python benchmarks/mining.py SESSION [--runs 3] [--trust] [-d DIRECTORY] [--heaps FOLDER]

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

from isarstep.mine.driver import Mining
from isarstep.mine.images import Images
from isarstep.mine.isabelle import Sessions, find_installation
from isarstep.mine.session_job import MiningLimits, run_session
from isarstep.mine.store import Store


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("session")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--trust", action="store_true")
    parser.add_argument("-d", "--directory", type=Path, action="append", default=[])
    parser.add_argument("--heaps", type=Path)
    arguments = parser.parse_args()
    installation = find_installation()
    sessions = Sessions(installation, arguments.directory)
    measured: dict[bool, list[tuple[float, int]]] = {True: [], False: []}
    steps = size = plain_size = 0
    mining_cpu: list[float] = []
    with tempfile.TemporaryDirectory(prefix="isarstep-benchmark-") as scratch:
        heaps = arguments.heaps or Path(scratch) / "heaps"
        heaps.mkdir(parents=True, exist_ok=True)
        images = Images(installation, sessions, heaps)
        for number in range(arguments.runs):
            for with_miner in (False, True):
                store = Store(Path(scratch) / f"{number}-{with_miner}")
                mining = Mining(installation, sessions, images, store, MiningLimits(), prove=not arguments.trust)
                planned = mining.job(arguments.session, save=False, claimed=set())
                assert planned is not None
                job = planned[0]
                if not with_miner:
                    job = replace(job, theories=tuple(replace(item, mine=False) for item in job.theories))
                outcome = run_session(installation, sessions, store, job, lambda _: None)
                measured[with_miner].append((outcome.cpu, outcome.peak_memory))
                if with_miner:
                    steps = sum(record.get("steps", 0) for record in outcome.records)
                    size = sum(record.get("bytes", 0) for record in outcome.records)
                    plain_size = sum(record.get("plain_bytes", 0) for record in outcome.records)
                    mining_cpu.append(sum(record.get("mine_cpu", 0.0) for record in outcome.records))
                print(
                    f"run {number + 1} {'with' if with_miner else 'without'} miner: {outcome.cpu:.1f} s, "
                    f"{outcome.peak_memory / 2**20:.0f} MB {outcome.reason}",
                    flush=True,
                )
    cpu = {kind: statistics.median(value for value, _ in runs) for kind, runs in measured.items()}
    memory = {kind: statistics.median(value for _, value in runs) for kind, runs in measured.items()}
    result = {
        "session": arguments.session,
        "proofs_run": not arguments.trust,
        "runs": arguments.runs,
        "cpu_without": cpu[False],
        "cpu_with": cpu[True],
        "cpu_ratio": statistics.median(
            after / before for (before, _), (after, _) in zip(measured[False], measured[True], strict=True)
        ),
        "cpu_in_miner": statistics.median(mining_cpu),
        "cpu_ratio_within": statistics.median(
            total / (total - mining) for (total, _), mining in zip(measured[True], mining_cpu, strict=True)
        ),
        "memory_without": memory[False],
        "memory_with": memory[True],
        "memory_ratio": memory[True] / memory[False],
        "steps": steps,
        "bytes_per_step": size / max(1, steps),
        "plain_bytes_per_step": plain_size / max(1, steps),
        "isabelle": installation.identifier,
        "machine": platform.machine(),
    }
    print(
        f"CPU {cpu[False]:.1f} s without, {cpu[True]:.1f} s with the miner: {result['cpu_ratio']:.3f}x (wanted: 1.05)"
    )
    print(f"within the runs with the miner: {result['cpu_ratio_within']:.3f}x")
    megabytes = {kind: value / 2**20 for kind, value in memory.items()}
    print(f"memory {megabytes[False]:.0f} MB, {megabytes[True]:.0f} MB: {result['memory_ratio']:.3f}x (wanted: 1.2)")
    print(f"{steps} steps, {result['bytes_per_step']:.1f} bytes each, {result['plain_bytes_per_step']:.1f} plain")
    print(json.dumps(result))


if __name__ == "__main__":
    main()
