"""Time and memory of `isarstep build` on a corpus of a given size: mined graphs repeated with renamed constants.

    python research/benchmarks/build.py GRAPHS [--examples 1000000] [--jobs 2]

Renaming constants, theories and lemmas gives new propositions and new theorems, so that nothing collapses into
duplicates. Copies are prepared before the clock starts. The last line of the output is one JSON document.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import platform
import resource
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import pyarrow
import zstandard

from isarstep.benchmark.building.build import build
from isarstep.benchmark.building.gather import graph_files
from isarstep.benchmark.extraction.extract import Extractor
from isarstep.isabelle.process.proof_graph import read_graph

# Constants of the logic itself keep their names, as they would in a real corpus.
KEEP = ("Pure.", "HOL.")


def raw_examples(path: Path) -> int:
    extractor = Extractor(read_graph(path))
    extractor.run()
    return extractor.counts["raw"]


def renamed(record: dict[str, Any], copy: int) -> dict[str, Any]:
    """The same record about other constants."""
    end = f"'{copy}"
    if "terms" in record:
        for row in record["terms"]:
            if row[0] == "c" and not row[1].startswith(KEEP):
                row[1] += end
    elif "lemma" in record:
        record["lemma"][0] += end
    elif "theorems" in record:
        for row in record["theorems"]:
            row[0] += end
    elif "proof" in record:
        record["proof"]["name"] = (record["proof"]["name"] or "") + end
    elif "signature" in record:
        for row in record["signature"]["constants"]:
            if not row[0].startswith(KEEP):
                row[0] += end
    elif "rules" in record:
        record["rules"].pop("removed", None)
        for rows in record["rules"].values():
            for row in rows:
                row[0] += end
    elif "format" in record:
        record["theory"] += end
        record["parents"] = [parent + end for parent in record["parents"]]
        record["hash"] += end
    return record


def write_copy(task: tuple[Path, Path, int]) -> None:
    source, folder, copy = task
    data = zstandard.ZstdDecompressor().stream_reader(source.read_bytes()).read()
    lines = [json.dumps(renamed(json.loads(line), copy)) for line in data.splitlines()]
    target = folder / f"{source.parent.name}-{copy}" / source.name
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(zstandard.ZstdCompressor(level=1).compress(("\n".join(lines) + "\n").encode()))


class MemoryWatch(threading.Thread):
    """The largest sum of resident memory of this process and its children (proportional set size where known)."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.peak = 0
        self._stop_now = threading.Event()

    def run(self) -> None:
        while not self._stop_now.wait(1):  # a look takes CPU, which the result must not show
            self.peak = max(self.peak, sum(map(_memory, _family())))

    def stop(self) -> int:
        self._stop_now.set()
        self.join()
        return self.peak


def _family() -> list[int]:
    return [os.getpid(), *(child.pid for child in multiprocessing.active_children() if child.pid is not None)]


def _memory(pid: int) -> int:
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss_Anon:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("graphs", type=Path)
    parser.add_argument("--examples", type=int, default=1_000_000)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    files = graph_files([arguments.graphs])
    with tempfile.TemporaryDirectory(prefix="isarstep-benchmark-") as scratch:
        folder = Path(scratch) / "graphs"
        with multiprocessing.get_context("spawn").Pool(arguments.jobs) as pool:
            once = sum(pool.map(raw_examples, files))
            copies = -(-arguments.examples // once)
            pool.map(write_copy, [(path, folder, copy) for path in files for copy in range(copies)])
        print(f"{len(files)} graphs with {once:,} raw examples, {copies} copies", flush=True)
        watch = MemoryWatch()
        watch.start()
        start = time.perf_counter()
        before = os.times()
        manifest = build([folder], Path(scratch) / "out", workers=arguments.jobs)
        seconds = time.perf_counter() - start
        after = os.times()
        peak = watch.stop()
        size = sum(path.stat().st_size for path in (Path(scratch) / "out").iterdir())
    parent, workers = sum(after[:2]) - sum(before[:2]), sum(after[2:4]) - sum(before[2:4])
    cpu = parent + workers
    raw = manifest["counts"]["raw"]
    result = {
        "raw_examples": raw,
        "examples": manifest["examples"],
        "seconds": round(seconds, 1),
        "cpu_seconds": round(cpu, 1),
        "cpu_seconds_parent": round(parent, 1),  # what no second core can share
        "load_average": round(os.getloadavg()[0], 1),  # CPU seconds grow when others use the machine
        "seconds_per_million": round(seconds / raw * 1e6, 1),
        "peak_anonymous_mib": peak >> 20,
        "max_rss_parent_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10,
        "benchmark_mib": round(size / 2**20, 1),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "pyarrow": pyarrow.__version__,
    }
    print(f"{raw:,} raw examples: {seconds:.1f} s wall, {cpu:.1f} s CPU, {peak >> 20:,} MiB; wrote {size >> 20:,} MiB")
    print(json.dumps(result))


if __name__ == "__main__":
    main()
