"""Many people at once: latency, batch sizes and memory of a real server, with and without micro-batching.

    python benchmarks/serve.py --clients 50 --seconds 60 --requests 2000

Clients ask for proposals for examples of the test split, one request after the other. Then more clients than the limit
allows, which must be refused and nothing else; then many small requests, over which memory must stay flat. Before all
that, one proposal from the command line, best of three.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import signal
import statistics
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx

from isarstep.bench.store import load

START_SECONDS = 300


@contextmanager
def server(*arguments: str) -> Iterator[tuple[str, int]]:
    """(address, process id) of a server of this installation."""
    command = [sys.executable, "-m", "isarstep", "serve", "--port", "0", *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
    alarm = threading.Timer(START_SECONDS, process.kill)
    alarm.start()
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        alarm.cancel()
        if not line.startswith("isarstep: serving"):
            raise SystemExit("the server did not start")
        yield line.split()[-1], process.pid
    finally:
        alarm.cancel()
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(timeout=90)
        except subprocess.TimeoutExpired:
            process.kill()


def resident(pid: int) -> float:
    """Megabytes."""
    with open(f"/proc/{pid}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def processor_seconds(pid: int) -> float:
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def crowd(
    url: str, clients: int, body: Callable[[int], dict[str, Any]], until: Callable[[int], bool]
) -> dict[str, Any]:
    """Clients that ask until they are told to stop: statuses and the latencies of what was answered."""
    numbers = iter(range(10**9))
    lock = threading.Lock()
    statuses: Counter[int] = Counter()
    latencies: list[float] = []

    def client() -> None:
        with httpx.Client(timeout=300) as connection:
            while True:
                with lock:
                    number = next(numbers)
                if until(number):
                    return
                began = time.monotonic()
                answer = connection.post(url + "/propose", json=body(number))
                with lock:
                    statuses[answer.status_code] += 1
                    if answer.status_code == 200:
                        latencies.append(time.monotonic() - began)
                if answer.status_code == 429:
                    time.sleep(0.2)

    threads = [threading.Thread(target=client) for _ in range(clients)]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds = time.monotonic() - began
    cuts = statistics.quantiles(latencies, n=20) if len(latencies) > 1 else [0.0] * 19
    return {
        "statuses": dict(statuses),
        "answered": len(latencies),
        "per_second": round(len(latencies) / seconds, 2),
        "p50": round(cuts[9], 3),
        "p95": round(cuts[18], 3),
    }


def cold(identifier: str) -> dict[str, float]:
    """A first proposal from the command line, nothing loaded: on the clock, and of processors."""
    command = [sys.executable, "-m", "isarstep", "propose", "--example", identifier]
    began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"seconds": round(time.monotonic() - began, 2), "processor_seconds": round(processor, 2)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--requests", type=int, default=2000)
    parser.add_argument("--beam", type=int, default=5)
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # leaves no server behind
    identifiers = [example.id for example in load("embedded", "test")[:200]]

    def proposal(number: int) -> dict[str, Any]:
        return {"example": identifiers[number % len(identifiers)], "beam": arguments.beam, "seconds": 60}

    def small(number: int) -> dict[str, Any]:
        return {"facts": [f"x ≤ {number}"], "goal": f"x < {number + 1}", "beam": 1, "seconds": 60}

    document: dict[str, Any] = {"benchmark": "serve", "clients": arguments.clients, "beam": arguments.beam}
    document["cold"] = min((cold(identifiers[0]) for _ in range(3)), key=lambda found: found["seconds"])
    print(f"{'cold':12} {document['cold']}", flush=True)
    for name, batch in (("batched", 16), ("one_by_one", 1)):
        with server("--batch", str(batch), "--concurrency", str(arguments.clients)) as (url, pid):
            end = time.monotonic() + arguments.seconds
            before = processor_seconds(pid)
            found = crowd(url, arguments.clients, proposal, lambda _, end=end: time.monotonic() > end)  # type: ignore[misc]
            found["cpu_per_answer"] = round((processor_seconds(pid) - before) / max(1, found["answered"]), 3)
            found["mean_batch"] = httpx.get(url + "/health", timeout=60).json()["load"]["mean_batch"]
            document[name] = found
            print(f"{name:12} {found}", flush=True)
            if batch > 1:
                more = crowd(url, 2 * arguments.clients, proposal, lambda number: number >= 4 * arguments.clients)
                document["above_the_limit"] = more["statuses"]
                print(f"{'above':12} {more}", flush=True)
                megabytes = []
                for _ in range(4):
                    crowd(url, 16, small, lambda number: number >= arguments.requests // 4)
                    megabytes.append(round(resident(pid), 1))
                document["megabytes"] = megabytes
                print(f"{'memory':12} {megabytes} MB after each quarter of {arguments.requests} requests", flush=True)
    document["machine"] = f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores"
    document["load"] = os.getloadavg()
    print(json.dumps(document))


if __name__ == "__main__":
    main()
