"""Many people at once: latency, batch sizes and memory of a real server, with and without micro-batching.

    python research/benchmarks/serve.py --clients 50 --seconds 60 --requests 2000

Clients ask for proposals for examples of the test split, one request after the other (`batched`, and `one_by_one` for
a server that shares no searches). `above`: more clients than the limit allows, which must be refused and nothing else.
`crowds`: 1, 8, 32, 64 and 200 clients of a server as it is by default, without provers and with them; whoever is
refused (429 or 503) comes again with the same request when it was told to. Counted is what arrives after a warm-up of
one budget and before the end: whoever sleeps then is woken. `refused_again` are those who came when they were told and
were refused again; `retry_right` is the share of those refused in that time who were let in within twice the time that
they were first told (who waits for longer at the end was not); `late` are searches that ended after their request's
time.
`idle`: after the crowds, when nobody else asks, every request must be answered. `memory`: many small requests, over
which memory must stay flat. `cold`: proposals from the command line.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
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
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import httpx

from isarstep.benchmark.store.store import open_split

START_SECONDS = 300
WARMING = 20.0  # seconds: one budget
PARTS = ("cold", "batched", "above", "crowds", "memory", "one_by_one")
CROWDS = (1, 8, 32, 64, 200)
REFUSED = (429, 503)


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


class Tally:
    """Statuses, the latencies of what was answered, and what became of those who were refused, in a window of time."""

    def __init__(self, begin: float, end: float) -> None:
        self.begin, self.end = begin, end
        self.statuses: Counter[int] = Counter()
        self.latencies: list[float] = []
        self.again = 0  # refusals of those who came when they had been told to
        self.ratios: list[float] = []  # how long it took to be let in, in times of what was first told
        self.lock = threading.Lock()

    def add(self, began: float, status: int, told: tuple[float, float] | None) -> None:
        """An answer that arrives now; `told` is when its client was first refused, and the wait that it was told."""
        now = time.monotonic()
        if not self.begin <= now <= self.end:
            return
        with self.lock:
            self.statuses[status] += 1
            if status == 200:
                self.latencies.append(now - began)
            if told is not None and status in REFUSED:
                self.again += 1
            elif told is not None and told[0] >= self.begin:
                self.ratios.append((began - told[0]) / told[1])

    def still_out(self, told: tuple[float, float]) -> None:
        """Somebody who was refused and not let in before the end."""
        ratio = (min(time.monotonic(), self.end) - told[0]) / told[1]
        if told[0] >= self.begin and ratio > 2:
            with self.lock:
                self.ratios.append(ratio)

    def summary(self) -> dict[str, Any]:
        cuts = statistics.quantiles(self.latencies, n=20) if len(self.latencies) > 1 else [0.0] * 19
        seconds = min(self.end, time.monotonic()) - self.begin
        ratios = self.ratios
        return {
            "statuses": dict(self.statuses),
            "answered": len(self.latencies),
            "per_second": round(len(self.latencies) / seconds, 2),
            "p50": round(cuts[9], 3),
            "p95": round(cuts[18], 3),
            "refused_again": self.again,
            "came_again": len(ratios),
            "retry_right": round(sum(ratio <= 2 for ratio in ratios) / len(ratios), 3) if ratios else None,
        }


def crowd(
    url: str,
    clients: int,
    body: Callable[[int], dict[str, Any]],
    most: int = 10**9,
    warming: float = 0.0,
    seconds: float = math.inf,
) -> dict[str, Any]:
    """Clients that make so many requests, or ask for so many seconds after a warm-up."""
    numbers = itertools.count()
    over = threading.Event()
    begin = time.monotonic() + warming
    tally = Tally(begin, begin + seconds)

    def client() -> None:
        told: tuple[float, float] | None = None
        with httpx.Client(timeout=300) as connection:
            number = next(numbers)
            while number < most and not over.is_set():
                began = time.monotonic()
                answer = connection.post(url + "/propose", json=body(number))
                tally.add(began, answer.status_code, told)
                if answer.status_code in REFUSED:
                    wait = float(answer.headers["retry-after"])
                    told = told or (time.monotonic(), wait)
                    over.wait(wait)
                else:
                    told, number = None, next(numbers)
        if told is not None:
            tally.still_out(told)

    threads = [threading.Thread(target=client) for _ in range(clients)]
    for thread in threads:
        thread.start()
    if seconds < math.inf:
        time.sleep(warming + seconds)
        over.set()
    for thread in threads:
        thread.join()
    return tally.summary()


def cold(identifier: str, runs: int) -> dict[str, Any]:
    """Proposals from the command line, nothing loaded: medians on the clock, until the first line of them and in all,
    and of processors."""
    command = [sys.executable, "-m", "isarstep", "propose", "--no-check", "--example", identifier]
    first, whole, processor = [], [], []
    for _ in range(runs):
        began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=os.environ | {"PYTHONUNBUFFERED": "1"}) as process:
            assert process.stdout is not None
            while not process.stdout.readline().startswith(b"  1 "):
                if process.poll() is not None:
                    raise SystemExit(f"no proposal for {identifier}")
            first.append(time.monotonic() - began)
            process.stdout.read()
        whole.append(time.monotonic() - began)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        processor.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    every = {"first": first, "whole": whole, "processor": processor}
    medians = {name: round(statistics.median(values), 2) for name, values in every.items()}
    return medians | {"slowest_first": round(max(first), 2), "runs": runs}


def loaded(url: str, pid: int, clients: int, seconds: float, body: Callable[[int], dict[str, Any]]) -> dict[str, Any]:
    """Clients for so many seconds."""
    before, late = processor_seconds(pid), searched_late(url)
    found = crowd(url, clients, body, warming=WARMING, seconds=seconds)
    found["processor_seconds"] = round(processor_seconds(pid) - before, 1)
    found["late"] = searched_late(url) - late
    found["mean_batch"] = httpx.get(url + "/health", timeout=60).json()["load"]["mean_batch"]
    return found


def searched_late(url: str) -> int:
    return int(httpx.get(url + "/health", timeout=60).json()["load"]["late"])


def settled(pid: int) -> None:
    """Wait until a server has loaded what it loads while nobody asks."""
    before = -1.0
    while processor_seconds(pid) - before > 0.2:
        before = processor_seconds(pid)
        time.sleep(3)


def crowds(
    sizes: Sequence[int], seconds: float, asked: Callable[[int], dict[str, Any]], say: Callable[[str, Any], None]
) -> None:
    """Of clients of a server as it is by default, and one alone afterwards."""

    def checked(number: int) -> dict[str, Any]:
        return asked(number) | {"check": True, "prover_seconds": 0.1, "library": 16}

    def wide_last(number: int) -> dict[str, Any]:
        return asked(number) | {"beam": 20 if number > 7 else 1}

    with server() as (url, pid):
        settled(pid)
        for name, body in (("", asked), (", checked", checked)):
            for clients in sizes:
                say(f"crowd of {clients}{name}", loaded(url, pid, clients, seconds, body))
        say("idle", crowd(url, 1, wide_last, 10))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--requests", type=int, default=2000)
    parser.add_argument("--beam", type=int, default=5)
    parser.add_argument("--crowds", type=int, nargs="+", default=CROWDS, help="clients of the part of this name")
    parser.add_argument("--runs", type=int, default=10, help="of a cold command, for each of three examples")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # leaves no server behind
    examples = open_split("embedded", "test")[:200]
    identifiers = [example.id for example in examples]

    def proposal(number: int) -> dict[str, Any]:
        return {
            "example": identifiers[number % len(identifiers)],
            "beam": arguments.beam,
            "seconds": 60,
            "check": False,
        }

    def asked(number: int) -> dict[str, Any]:
        return proposal(number) | {"seconds": 20}

    def small(number: int) -> dict[str, Any]:
        return {"facts": [f"x ≤ {number}"], "goal": f"x < {number + 1}", "beam": 1, "seconds": 60, "check": False}

    document: dict[str, Any] = {"benchmark": "serve", "clients": arguments.clients, "beam": arguments.beam}

    def say(name: str, found: Any) -> None:
        document[name] = found
        print(f"{name:12} {found}", flush=True)

    if "cold" in arguments.parts:
        by_length = sorted(examples, key=lambda example: sum(len(line) for _, line in example.source(hints=False)))
        for name, place in (("short", 20), ("middle", 100), ("longest", 199)):
            say(f"cold {name}", cold(by_length[place].id, arguments.runs))
    limit = str(arguments.clients)
    if not {"batched", "above", "memory"}.isdisjoint(arguments.parts):
        with server("--concurrency", limit) as (url, pid):
            if "batched" in arguments.parts:
                say("batched", loaded(url, pid, arguments.clients, arguments.seconds, proposal))
            if "above" in arguments.parts:
                say("above", crowd(url, 2 * arguments.clients, proposal, 4 * arguments.clients))
            if "memory" in arguments.parts:
                megabytes = []
                for _ in range(4):
                    crowd(url, 16, small, arguments.requests // 4)
                    megabytes.append(round(resident(pid), 1))
                say("memory", {"megabytes_after_quarters": megabytes, "requests": arguments.requests})
    if "crowds" in arguments.parts:
        crowds(arguments.crowds, arguments.seconds, asked, say)
    if "one_by_one" in arguments.parts:
        with server("--batch", "1", "--concurrency", limit) as (url, pid):
            say("one_by_one", loaded(url, pid, arguments.clients, arguments.seconds, proposal))
    document["machine"] = f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores"
    document["load"] = os.getloadavg()
    print(json.dumps(document))


if __name__ == "__main__":
    main()
