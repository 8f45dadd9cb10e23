"""What `isarstep mine` shows: how far it is, what each theory gave, a summary at the end."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

from isarstep.common.errors import UserError
from isarstep.common.progress import Watched
from isarstep.isabelle.process import release
from isarstep.isabelle.process.driver import Mining, Report, mine
from isarstep.isabelle.process.external_programs import remove_stale_folders
from isarstep.isabelle.process.graph_store import Record, Store
from isarstep.isabelle.process.images import Images
from isarstep.isabelle.process.installation import Sessions, find_installation
from isarstep.isabelle.process.ml_process import allow_starts, end_all
from isarstep.isabelle.process.session_job import MiningLimits, Outcome, SessionJob
from isarstep.isabelle.terms.signature import load_document

SIGNATURE = "signature.json.zst"  # of a benchmark, with a table of its theories


class Screen:
    """Counts theories and steps; how far it is, is measured by the size of the sources."""

    def __init__(self, mining: Mining, names: Sequence[str]) -> None:
        theories = {t.name: t for name in mining.planned(names) for t in mining.theories_to_mine(name)}
        self.total = len(theories)
        self.done = self.mined = self.steps = 0
        self._left = {name: theory.size for name, theory in theories.items()}
        self._lock = threading.Lock()
        self.watched = Watched("mining", sum(self._left.values()), percent=True)

    def say(self, text: str) -> None:
        self.watched.say(f"{time.strftime('%H:%M:%S')} {text}")

    def started(self, job: SessionJob) -> None:
        mined = sum(item.mine for item in job.theories)
        image = ", leaves an image" if job.image else ""
        base = job.images[-1].name
        self.say(f"{job.session}: {len(job.theories)} theories to load on {base}, {mined} to mine{image}")

    def theory(self, record: Record) -> None:
        with self._lock:
            size = self._left.pop(record["theory"], 0)
            status = record["status"]
            self.done += size > 0
            self.mined += status == "mined"
            self.steps += record.get("steps", 0)
            if status == "mined" and not self.watched.on_terminal:
                cpu = f"{record.get('load_cpu', 0):.1f} s + {record.get('mine_cpu', 0):.1f} s"
                self.say(f"{record['theory']}: {record['proofs']} proofs, {record['steps']} steps, {cpu}")
            if status in ("failed", "unmined"):
                self.say(f"{record['theory']}: {status}: {record['reason']}")
            for reason in record.get("failures", ()):
                self.say(f"{record['theory']}: {reason}")
            self.watched.news(f"{self.done:,} of {self.total:,} theories, {self.steps:,} steps", size)

    def finished(self, session: str, outcome: Outcome) -> None:
        memory = f"{outcome.peak_memory / 2**30:.1f} GB"
        text = f"{session}: done in {outcome.elapsed:.0f} s, {outcome.cpu:.0f} s of CPU, {memory}"
        self.say(text if not outcome.reason else f"{text}; ended early: {outcome.reason}")


def run_mining(
    names: Sequence[str],
    *,
    out: Path,
    jobs: int,
    resume: bool,
    isabelle: Path | None,
    any_release: bool = False,
    directories: Sequence[Path],
    heaps: Path,
    limits: MiningLimits,
    prove: bool,
    only_needed: bool = False,
    known: Sequence[Path] = (),
) -> bool:
    """Run the whole command: check what is given, mine (every session if none is named), and print a summary.

    False when there was something to mine, and nothing was.
    """
    installation = find_installation(isabelle, any_release=any_release)
    sessions = Sessions(installation, directories)
    for name in names:
        sessions[name]
    every = not names
    names = names or tuple(sessions.entries)
    store = Store(out)
    if not resume and next(out.glob("*/*.jsonl.zst"), None) is not None:
        raise UserError(f"{out} already has graphs; go on with --resume, or give another folder")
    store.remove_leftovers()
    remove_stale_folders()
    try:
        heaps.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"cannot write to {heaps}: {error.strerror}") from error
    images = Images(installation, sessions, heaps.resolve())
    mining = Mining(installation, sessions, images, store, limits, prove, only_needed, known_theories(known))
    if every:  # one session without its sources must not keep the others from being mined
        unreadable = mining.unreadable(names)
        names = [name for name in names if name not in unreadable and name != release.PURE]
        for name, reason in unreadable.items():
            store.note({"session_run": name, "theories": 0, "reason": reason})
    screen = Screen(mining, names)
    stop = threading.Event()
    allow_starts()

    def on_signal(number: int, frame: FrameType | None) -> None:
        stop.set()
        end_all()

    handlers = {number: signal.signal(number, on_signal) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        with screen.watched:
            mine(mining, names, jobs, Report(screen.started, screen.theory, screen.finished), stop)
    finally:
        end_all()
        for number, handler in handlers.items():
            signal.signal(number, handler)
        summary = store.write_summary()
        if summary["sessions"] or screen.total == 0:
            _print_summary(summary)
    return screen.mined > 0 or screen.total == 0


def known_theories(benchmarks: Sequence[Path]) -> dict[str, str]:
    """Theories of these benchmarks or additions, with the hashes of their sources."""
    found: dict[str, str] = {}
    for folder in benchmarks:
        path = next((p for p in (folder / SIGNATURE, folder / "library" / SIGNATURE) if p.is_file()), None)
        if path is None:
            raise UserError(f"{folder}: no benchmark and no addition here ({SIGNATURE} is missing)")
        found.update((row["name"], row["hash"]) for row in load_document(path)["theories"])
    return found


def _print_summary(summary: Record) -> None:
    total = summary["total"]
    print(
        f"{total['theories']:.0f} theories, {total['proofs']:.0f} proofs, {total['steps']:.0f} steps;"
        f" uses resolved {total['resolved']:.0f}, unresolved {total['unresolved']:.0f};"
        f" {total['bytes'] / 2**20:.1f} MB; CPU {total['load_cpu']:.0f} s loading, {total['mine_cpu']:.0f} s mining;"
        f" {total['failed_theories']:.0f} theories failed"
    )
    for failure in summary["failures"][:20]:
        print(f"  {failure['theory']}: {failure['reason'][:200]}")
    for name, count in list(summary["unresolved_names"].items())[:10]:
        print(f"  unresolved {count} x {name}")
