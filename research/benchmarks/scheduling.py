"""How long would mining a whole library take on so many workers? A simulation from measured times and the graph of
imports.

Times of theories that were mined come from the journal; those of others are estimated from the size of their files,
with the CPU seconds per kilobyte of all measured ones. Jobs are sessions, as in `isarstep mine`: a session loads what
the best image of the sessions it rests on does not hold. Theories as jobs are the ideal that no process boundary
disturbs.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from isarstep.common.errors import UserError
from isarstep.isabelle.process.graph_store import Record
from isarstep.isabelle.process.installation import Sessions

START_SECONDS = 5.0  # to start a process and load its image
SAVE_SECONDS = 20.0  # to share data and save an image


@dataclass(frozen=True)
class Schedule:
    workers: int
    makespan: float  # seconds until the last job is done
    busy: float  # seconds that all workers together worked
    memory: float  # the most bytes in use at a time


def schedule(
    costs: Mapping[str, float],
    above: Mapping[str, Sequence[str]],
    workers: int,
    memory: Mapping[str, float] | None = None,
) -> Schedule:
    """List scheduling: of the jobs that may start, the one with the longest way to the end goes first."""
    rank = critical_paths(costs, above)
    waiting = {job: sum(other in costs for other in above[job]) for job in costs}
    below: dict[str, list[str]] = {job: [] for job in costs}
    for job in costs:
        for other in above[job]:
            if other in below:
                below[other].append(job)
    ready = [(-rank[job], job) for job, count in waiting.items() if not count]
    heapq.heapify(ready)
    running: list[tuple[float, str]] = []
    now = in_use = most = 0.0
    while ready or running:
        while ready and len(running) < workers:
            _, job = heapq.heappop(ready)
            heapq.heappush(running, (now + costs[job], job))
            in_use += memory[job] if memory else 0.0
            most = max(most, in_use)
        now, job = heapq.heappop(running)
        in_use -= memory[job] if memory else 0.0
        for following in below[job]:
            waiting[following] -= 1
            if not waiting[following]:
                heapq.heappush(ready, (-rank[following], following))
    return Schedule(workers, now, sum(costs.values()), most)


def critical_paths(costs: Mapping[str, float], above: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """For each job the time from its start to the end of the longest chain of jobs that wait for it."""
    below: dict[str, list[str]] = {job: [] for job in costs}
    count = dict.fromkeys(costs, 0)
    for job in costs:
        for other in above[job]:
            if other in below:
                below[other].append(job)
                count[other] += 1
    path = dict(costs)
    longest = dict.fromkeys(costs, 0.0)
    todo = [job for job in costs if not below[job]]
    while todo:
        job = todo.pop()
        path[job] = costs[job] + longest[job]
        for other in above[job]:
            if other in below:
                longest[other] = max(longest[other], path[job])
                count[other] -= 1
                if not count[other]:
                    todo.append(other)
    return path


@dataclass(frozen=True)
class SessionJobs:
    """The jobs of a set of sessions, with estimated seconds."""

    theory_costs: dict[str, float]
    theory_above: dict[str, tuple[str, ...]]
    session_costs: dict[str, float]
    session_above: dict[str, tuple[str, ...]]
    session_memory: dict[str, float]
    measured: int  # theories whose time was measured
    seconds_per_kilobyte: float


def estimate(sessions: Sessions, names: Sequence[str], journal: Sequence[Record]) -> SessionJobs:
    """Costs of everything that mining `names` takes."""
    times = {
        record["theory"]: record["load_cpu"] + record.get("mine_cpu", 0.0)
        for record in journal
        if record.get("status") == "mined" and "load_cpu" in record
    }
    peaks = {record["session_run"]: float(record["peak_memory"]) for record in journal if record.get("peak_memory")}
    needed = {theory.name: theory for name in names for theory in sessions.all_theories(name)}
    sizes = sum(needed[name].size for name in times if name in needed)
    if not sizes:
        raise UserError("the journal has no times of these sessions; mine some of them first")
    rate = sum(times[name] for name in times if name in needed) / sizes
    costs = {name: times.get(name, theory.size * rate) for name, theory in needed.items()}
    members = sorted({theory.session for theory in needed.values()} | set(names))
    closures = {name: {theory.name for theory in sessions.all_theories(name)} for name in members}
    usual = sorted(peaks.values())[len(peaks) // 2] if peaks else 0.0
    session_costs: dict[str, float] = {}
    session_above: dict[str, tuple[str, ...]] = {}
    for name in members:
        above = tuple(other for other in sessions.requirements(name) if other != name and other in closures)
        total = sum(costs[theory] for theory in closures[name] if theory in costs)
        saved = max(
            (sum(costs[t] for t in closures[other] & closures[name] if t in costs) for other in above), default=0.0
        )
        session_above[name] = above
        session_costs[name] = total - saved + START_SECONDS
    for name in {other for above in session_above.values() for other in above}:
        session_costs[name] += SAVE_SECONDS
    return SessionJobs(
        costs,
        {name: theory.imports for name, theory in needed.items()},
        session_costs,
        session_above,
        {name: peaks.get(name, usual) for name in members},
        sum(name in times for name in needed),
        rate * 1000,
    )
