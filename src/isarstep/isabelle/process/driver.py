"""Mass mining: sessions in dependency order, several at a time, each with the best image that exists when it starts.

The plan is made anew whenever a session is about to start, from what lies in the output folder and in the folder of
images. That is all the state there is, so a run that was killed goes on where it stopped.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field

from isarstep.common.errors import UserError
from isarstep.isabelle.process import release
from isarstep.isabelle.process.graph_store import Record, Store
from isarstep.isabelle.process.images import Image, Images, source_hash
from isarstep.isabelle.process.installation import Installation, Sessions, Theory
from isarstep.isabelle.process.session_job import MiningLimits, Outcome, SessionJob, TheoryJob, run_session

_WORTH_SAVING = 400_000  # bytes of theories to load; saving takes about as long


@dataclass(frozen=True)
class Mining:
    """Everything that a run of `isarstep mine` works with."""

    installation: Installation
    sessions: Sessions
    images: Images
    store: Store
    limits: MiningLimits
    prove: bool = False
    only_needed: bool = False  # parent sessions without an image are not loaded as a whole
    known: Mapping[str, str] = field(default_factory=dict, hash=False)  # theories that need no graph, with their hashes

    def planned(self, names: Sequence[str]) -> tuple[str, ...]:
        """The sessions asked for and the ancestors whose images are missing, in dependency order."""
        wanted: dict[str, None] = {}
        for name in names:
            entry = self.sessions[name]
            ancestor = None if self.only_needed else entry.parent
            while ancestor is not None and ancestor != release.PURE:
                if ancestor not in self.images:
                    wanted[ancestor] = None
                ancestor = self.sessions[ancestor].parent
            wanted[name] = None
        order: dict[str, None] = {}
        for name in wanted:
            for requirement in self.sessions.requirements(name):
                if requirement in wanted:
                    order[requirement] = None
        return tuple(order)

    def unreadable(self, names: Sequence[str]) -> dict[str, str]:
        """Why some of these sessions cannot be mined: their sources are not all there. The others are left out."""
        reasons = {}
        for name in names:
            try:
                self.sessions.all_theories(name)
            except UserError as error:
                reasons[name] = str(error)
        return reasons

    def theories_to_mine(self, session: str) -> tuple[Theory, ...]:
        """Theories that a session owns or lists, have no graph yet, and would not be left out by Isabelle."""
        listed = {self.sessions.long_name(session, item.name) for item in self.sessions[session].theories}
        return tuple(
            theory
            for theory in self.sessions.all_theories(session)
            if (theory.session == session or theory.name in listed) and not self.has(theory) and _enabled(theory)
        )

    def has(self, theory: Theory) -> bool:
        """Has the theory a graph, or does it need none?"""
        if self.store.has(theory.session, theory.name):
            return True
        known = self.known.get(theory.name)
        return known is not None and known == source_hash(theory.path)

    def worth_saving(self, session: str, dependants: int) -> bool:
        """Saving takes a while: only for main sessions, and where it saves those that wait enough loading."""
        size = sum(theory.size for theory in self.sessions.own_theories(session))
        return "main" in self.sessions[session].groups or size * dependants > _WORTH_SAVING

    def job(self, session: str, save: bool, claimed: set[str]) -> tuple[SessionJob, Image] | None:
        """What remains to be done for a session now.

        None when nothing does. Theories in `claimed` are being mined elsewhere.
        """
        targets = self.theories_to_mine(session)
        save = save and session not in self.images
        if not targets and not save:
            return None
        needed = [theory for theory in self.sessions.all_theories(session) if _enabled(theory)]
        base = self.images.best(needed, frozenset(theory.name for theory in targets))
        loads = [theory for theory in needed if theory.name not in base.theories]
        items = []
        for theory in loads:
            mine = not self.has(theory) and theory.name not in claimed
            items.append(TheoryJob(theory, source_hash(theory.path), mine))
        claimed.update(item.theory.name for item in items if item.mine)
        folders = {theory.session for theory in needed} | {session} | set(self.sessions.requirements(session))
        job = SessionJob(
            session=session,
            images=base.files,
            loaded=tuple(sorted(base.theories)),
            sessions=tuple(sorted(folders)),
            theories=tuple(items),
            image=self.images.path(session) if save else None,
            prove=self.prove,
            limits=self.limits,
        )
        return job, base


def _enabled(theory: Theory) -> bool:
    return all(os.environ.get(name) for name in theory.conditions)


@dataclass(frozen=True)
class Report:
    """What the person at the screen is told while sessions run."""

    started: Callable[[SessionJob], None]
    theory: Callable[[Record], None]
    finished: Callable[[str, Outcome], None]


def mine(mining: Mining, names: Sequence[str], jobs: int, report: Report, stop: threading.Event) -> None:
    """Mine the sessions; failures are recorded and never end the run, except for a full disk and the like."""
    threads = ThreadPoolExecutor(jobs, thread_name_prefix="mine")  # an ML process each, while a job lasts
    try:
        _mine(mining, names, threads, jobs, report, stop)
    except BaseException:
        threads.shutdown(wait=False, cancel_futures=True)
        raise
    threads.shutdown()


def _mine(
    mining: Mining, names: Sequence[str], threads: ThreadPoolExecutor, jobs: int, report: Report, stop: threading.Event
) -> None:
    planned = mining.planned(names)
    above = {name: frozenset(mining.sessions.requirements(name)) & {*planned} - {name} for name in planned}
    waiting = dict.fromkeys(_longest_first(mining, planned, above))
    running: dict[Future[Outcome], tuple[SessionJob, Image]] = {}
    claimed: set[str] = set()

    def on_theory(record: Record) -> None:
        mining.store.note(record)
        report.theory(record)

    while (waiting or running) and not stop.is_set():
        active = {job.session for job, _ in running.values()}
        # A session waits for those it rests on until they are done, or at once goes ahead where their images are there.
        missing = {other for other in (*waiting, *active) if other not in mining.images}
        ready = [name for name in waiting if missing.isdisjoint(above[name])]
        for name in ready:
            if len(running) >= jobs:
                break
            del waiting[name]
            dependants = sum(name in above[other] for other in waiting)
            planned_job = mining.job(name, mining.worth_saving(name, dependants), claimed)
            if planned_job is None:
                continue
            job, _ = planned_job
            report.started(job)
            future = threads.submit(run_session, mining.installation, mining.sessions, mining.store, job, on_theory)
            running[future] = planned_job
        if not running:
            continue
        done, _ = wait(running, timeout=1.0, return_when=FIRST_COMPLETED)
        for future in done:
            job, base = running.pop(future)
            try:
                outcome = future.result()
            except UserError:
                raise
            except Exception as error:  # whatever went wrong with one session, the others go on
                outcome = Outcome(reason=f"{type(error).__name__}: {error}")
            claimed.difference_update(item.theory.name for item in job.theories)
            _note_session(mining, job, base, outcome)
            report.finished(job.session, outcome)
    if stop.is_set():
        raise UserError("stopped; run again with --resume to go on")


def _longest_first(mining: Mining, planned: Sequence[str], above: Mapping[str, Collection[str]]) -> list[str]:
    """Sessions by how many bytes of theories are still to be loaded from each of them to the end of the run."""
    ahead = dict.fromkeys(planned, 0)
    for name in reversed(planned):  # each before those that it rests on
        ahead[name] += sum(theory.size for theory in mining.theories_to_mine(name))
        for other in above[name]:
            ahead[other] = max(ahead[other], ahead[name])
    return sorted(planned, key=lambda name: -ahead[name])


def _note_session(mining: Mining, job: SessionJob, base: Image, outcome: Outcome) -> None:
    """Its image can be used from now on, and the journal says what it cost."""
    if outcome.image_saved:
        failed = {record["theory"] for record in outcome.records if record["status"] == "failed"}
        loaded = [item.theory for item in job.theories if item.theory.name not in failed]
        mining.images.register(job.session, base, loaded)
    mining.store.note(
        {
            "session_run": job.session,
            "base": base.session,
            "theories": len(job.theories),
            "cpu": round(outcome.cpu, 2),
            "elapsed": round(outcome.elapsed, 2),
            "peak_memory": outcome.peak_memory,
            "reason": outcome.reason,
        }
    )
