"""How many small mistakes the tests notice: one change at a time in a copy of the source, and the tests that run it.

    python research/benchmarks/mutants.py                              # 60 mutants of each room, the same ones each time
    python research/benchmarks/mutants.py --rooms logic --sample 200
    python research/benchmarks/mutants.py --rooms logic --seed 1       # 60 others
    python research/benchmarks/mutants.py --files apps/http/gate.py --sample 0     # all of one file

Mutants are comparisons, `and`/`or`, `not`, arithmetic, whole numbers and truth values exchanged for their neighbours
(`research/benchmarks/mutating.py`); a sample is drawn from all mutants of a room, whichever file they are in. Which tests run a
block is found out once, in a copy with a mark at the head of every block. A mutant gets the tests that run its block,
cheapest first, until one fails; a mutant in a block that no test runs is a survivor. What a block has made on import or
for a cache, any test may look at, not only the one that ran it first: such a mutant gets all the others too, after its
own. Tests that fail without any change
when they run in that order are left out, because what they notice is not the mutant. Tests are collected once and each
mutant is planted in a process that starts from there (`research/benchmarks/swapping.py`); what survives so, and what runs on
import, is written into the file and loaded. Property tests draw the same examples each time and nothing depends on a
clock: a mutant that loops for ever is ended by its processor time, which counts as noticed and is told apart ("no
end"). With `--budget` a mutant gets no more tests than cost so many seconds of processor time, the cheapest, and with
`--tests` only those of some files: what only others would notice counts as a survivor, so the score may be too low,
never too high. A score on mutants for whose survivors tests were written since says little: draw others with `--seed`.
"""

from __future__ import annotations

import argparse
import builtins
import compileall
import contextlib
import functools
import hashlib
import importlib
import json
import math
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from mutating import HITS, Mutant, block_of, marked, mutants, mutated
from swapping import functions_of, plant

ROOT = Path(__file__).parents[2]
WALL = 900  # seconds, beside three times what all tests took; only for what sleeps, work is limited by processor time

# Where a wrong answer would not be seen at once: files, and the tests that have to see it.
ROOMS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "logic": (
        ("isabelle/terms/*.py", "isabelle/inference/*.py", "isabelle/syntax/*/*.py"),
        ("tests/isabelle/terms", "tests/isabelle/inference", "tests/isabelle/syntax"),
    ),
    "bench rules": (
        (
            "benchmark/rules/rules.py",
            *(f"benchmark/extraction/{name}.py" for name in ("extract", "edges", "obtains")),
            *(f"benchmark/store/{name}.py" for name in ("show_owner", "identity", "ids")),
        ),
        ("tests/benchmark",),
    ),
    "check guards": (
        (
            "prover/outcomes/verdict.py",
            "prover/outcomes/likeness.py",
            "isabelle/context/matching.py",
            "isabelle/context/monomorphisation.py",
            "prover/encode/lowering.py",
            "prover/check/step_checker.py",
        ),
        ("tests/prover",),
    ),
    "decode scores": (
        (
            *(f"model/decode/{name}.py" for name in ("hypotheses", "search", "bleu", "predictions")),
            "isabelle/inference/partial_inference.py",
        ),
        ("tests/model/decode", "tests/score/test_bleu.py"),
    ),
    "gate": (("apps/http/gate.py", "apps/admission.py"), ("tests/apps/test_gate.py", "tests/apps/test_places.py")),
}
DOORS = ("commands.py", "__init__.py")  # what a command prints is tested through other files than the room's


@dataclass
class Ran:
    """What one test costs in processor time, and the blocks that it runs; those of its file's fixtures included."""

    seconds: float
    blocks: set[tuple[str, int]] = field(default_factory=set)


class Marks:
    """A plugin that writes down what every test runs."""

    def __init__(self) -> None:
        self.hits: set[tuple[str, int]] = set()
        setattr(builtins, HITS, self.hits)
        self.ran: dict[str, Ran] = {}
        self.shared: dict[str, set[tuple[str, int]]] = {}
        self.imported: set[tuple[str, int]] = set()
        self.kept: set[tuple[str, int]] = set()
        self.failed: set[str] = set()

    def pytest_sessionstart(self) -> None:
        same_examples()

    def pytest_collection_finish(self) -> None:
        self.imported = {*self.hits}

    def see_caches(self) -> None:
        """From now on, what is loaded tells which blocks it runs for a cache."""
        real, remembered = functools.lru_cache, self.remembered

        class Property(functools.cached_property[Any]):
            def __init__(self, make: Callable[[Any], Any]) -> None:
                super().__init__(remembered(make))

        def lru_cache(maxsize: Any = 128, typed: bool = False) -> Any:
            if callable(maxsize):
                return real(remembered(maxsize))
            return lambda make: real(maxsize, typed)(remembered(make))

        functools.lru_cache = lru_cache
        functools.cached_property = Property  # type: ignore[assignment, misc]
        memo = importlib.import_module("isarstep.common.memo")
        memo.memo = remembered(memo.memo)  # type: ignore[attr-defined]

    def remembered(self, make: Callable[..., Any]) -> Callable[..., Any]:
        """The same function, whose blocks are noted as those of a cache."""

        @functools.wraps(make)
        def noted(*args: Any, **named: Any) -> Any:
            before = {*self.hits}
            self.hits.clear()
            try:
                return make(*args, **named)
            finally:
                self.kept |= self.hits
                self.hits |= before

        return noted

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.add(report.nodeid)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Any:
        self.hits.clear()
        begun = time.process_time()
        result = yield
        self.ran[item.nodeid] = Ran(time.process_time() - begun, {*self.hits})
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Any:
        result = yield
        # A later test of the file may be the one that looks at what a fixture has made.
        self.shared.setdefault(item.nodeid.partition("::")[0], set()).update(self.hits)
        return result

    def table(self) -> dict[str, Ran]:
        for name, ran in self.ran.items():
            ran.blocks |= self.shared.get(name.partition("::")[0], set())
        return self.ran


class Chosen:
    """A plugin that runs some tests only, file by file, cheapest first."""

    def __init__(self, order: Sequence[str]) -> None:
        self.place = {name: i for i, name in enumerate(order)}

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        same_examples()
        session.config.option.maxfail = 1

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = sorted((item for item in items if item.nodeid in self.place), key=lambda i: self.place[i.nodeid])


class Swapped:
    """A plugin that collects tests once and then tries mutants, each in a process of its own that starts from there."""

    def __init__(self, room: Room, tried: Sequence[Mutant], budget: float, writing: int) -> None:
        self.room, self.tried, self.budget, self.writing = room, tried, budget, writing

    def pytest_sessionstart(self) -> None:
        same_examples()

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = {item.nodeid: item for item in session.items}
        paid = [name for name in items if self.room.ran[name].seconds <= self.budget]
        _, said = self.room.limited(paid, lambda writing: self._control(session, self.room.ordered(paid), writing))
        os.write(self.writing, said + b"\n")
        self.room.leave_out(said)
        functions = {file: functions_of(str(self.room.path(file))) for file in self.room.texts}

        def work(mutant: Mutant, order: Sequence[str]) -> int:
            if plant(self.room.texts[mutant.file], mutant, str(self.room.path(mutant.file)), functions[mutant.file]):
                return int(any(self._failing(session, order)))
            return 0

        for mutant in self.tried:
            order = self.room.ordered(self.room.paid(mutant, self.budget))
            answer = "nobody"
            if order:
                with self.room.planted(mutant):  # for processes that a test starts
                    answer = self.room.said(self.room.limited(order, lambda _: work(mutant, order))[0])  # noqa: B023
            os.write(self.writing, answer.encode() + b"\n")
        return True

    def _control(self, session: pytest.Session, order: Sequence[str], writing: int) -> int:
        """The tests that fail without any change when they run in this order: they notice nothing."""
        os.write(writing, json.dumps([*self._failing(session, order)]).encode())
        return 0

    @staticmethod
    def _failing(session: pytest.Session, order: Sequence[str]) -> Iterator[str]:
        items = {item.nodeid: item for item in session.items}
        for name, following in zip(order, [*order[1:], None], strict=True):
            before = session.testsfailed
            later = items[following] if following else None
            session.config.hook.pytest_runtest_protocol(item=items[name], nextitem=later)
            if session.testsfailed > before:
                yield name


def same_examples() -> None:
    """Property tests draw the same examples each time, keep none, and don't look for smaller ones."""
    from hypothesis import Phase, settings

    usual = settings.get_profile("isarstep")
    settings.register_profile(
        "mutants", usual, database=None, derandomize=True, phases=(Phase.explicit, Phase.generate), print_blob=False
    )
    settings.load_profile("mutants")


def silent() -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)


def started(work: Callable[[int], int]) -> tuple[int, int]:
    """A process in a group of its own that does this work in silence and ends with its answer as exit code, 99 where it
    has none; and where to read what it writes."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 99
        try:
            os.setsid()
            os.close(reading)
            silent()
            code = work(writing)
        finally:
            os._exit(code)
    os.close(writing)
    return pid, reading


def forked(work: Callable[[int], int], seconds: float, wall: float) -> tuple[int, bytes]:
    """Exit code and what was written of a process that does this work with so much processor time, or a signal's -n."""

    def within_limits(writing: int) -> int:
        limit = math.ceil(seconds)
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
        signal.alarm(math.ceil(wall))
        return work(writing)

    pid, reading = started(within_limits)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read()
    _, status = os.waitpid(pid, 0)
    with contextlib.suppress(ProcessLookupError):  # provers and servers that its tests have left behind
        os.killpg(pid, signal.SIGKILL)
    return os.waitstatus_to_exitcode(status), said


def streamed(work: Callable[[int], int]) -> Iterator[str]:
    """The lines that a process writes which does this work."""
    pid, reading = started(work)
    with os.fdopen(reading) as pipe:
        for line in pipe:
            yield line.rstrip("\n")
    os.waitpid(pid, 0)


class Room:
    """Files to change, in a copy of the source, and what is known of their tests."""

    def __init__(self, source: Path, files: Sequence[str], tests: Sequence[str]) -> None:
        self.source, self.tests = source, tests
        self.texts = {file: (source / "isarstep" / file).read_text(encoding="utf-8") for file in files}
        self.ran: dict[str, Ran] = {}
        self.imported: set[tuple[str, int]] = set()
        self.kept: set[tuple[str, int]] = set()
        self.wall = 0.0

    def look(self, keep: Path | None = None) -> None:
        """Run all tests once on marked files; where that was kept for the same files and tests, read it."""
        kept = keep / f"{self._digest()}.json" if keep else None
        known = kept is not None and kept.exists()
        told = json.loads(kept.read_text()) if kept and known else self._looked()
        self.wall = WALL + 3 * told["wall"]
        self.imported, self.kept = ({(file, line) for file, line in told[which]} for which in ("imported", "kept"))
        preload(told["modules"])
        everything = {(file, line) for _, blocks, _ in told["tests"].values() for file, line in blocks}
        for name, (cost, blocks, good) in told["tests"].items():
            # Tests that count executed lines don't like marks: they get every mutant.
            self.ran[name] = Ran(cost, {(file, line) for file, line in blocks} if good else everything)
        if doubtful := [name for name, (_, _, good) in told["tests"].items() if not good]:
            print(f"fail on marked files, and so run with every mutant: {', '.join(doubtful)}", flush=True)
            if not known and self._failure(doubtful):
                raise SystemExit("and fail without any change; run them first")
        if kept and not known:
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_text(json.dumps(told))

    def _digest(self) -> str:
        """Of all that a look depends on, but for packages and data."""
        tests = sorted(
            path for name in self.tests for path in {Path(name), *Path(name).rglob("*.py")} if path.is_file()
        )
        texts = [*self.texts.items(), *((str(path), path.read_text(encoding="utf-8")) for path in tests)]
        return hashlib.sha256(json.dumps(["with caches", *texts]).encode()).hexdigest()[:16]

    def _looked(self) -> dict[str, Any]:
        for file, text in self.texts.items():
            self._write(file, marked(file, text))
        begun = time.monotonic()
        _, said = forked(self._marked_run, 3600, 4 * 3600)
        for file, text in self.texts.items():
            self._write(file, text)
        return {**json.loads(said), "wall": time.monotonic() - begun}

    def _marked_run(self, writing: int) -> int:
        marks = Marks()
        sys.path.insert(0, str(self.source))
        marks.see_caches()
        code = self._pytest(self.tests, marks)
        tests = {name: (r.seconds, sorted(r.blocks), name not in marks.failed) for name, r in marks.table().items()}
        modules = [
            name for name, module in sys.modules.items() if "site-packages" in str(getattr(module, "__file__", ""))
        ]
        with os.fdopen(writing, "w") as stream:
            known = {"imported": sorted(marks.imported), "kept": sorted(marks.kept)}
            json.dump({"tests": tests, "modules": modules, **known}, stream)
        return code

    def _pytest(self, tests: Iterable[str], plugin: object) -> int:
        sys.path.insert(0, str(self.source))
        os.environ["PYTHONPATH"] = str(self.source)
        sys.dont_write_bytecode = True
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
        return int(pytest.main(["-q", "--no-header", *tests], plugins=[plugin]))

    def path(self, file: str) -> Path:
        return self.source / "isarstep" / file

    def _write(self, file: str, text: str) -> None:
        path = self.path(file)
        for stale in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
            stale.unlink()
        path.write_text(text, encoding="utf-8")

    @contextlib.contextmanager
    def planted(self, mutant: Mutant) -> Iterator[None]:
        self._write(mutant.file, mutated(self.texts[mutant.file], mutant))
        try:
            yield
        finally:
            self._write(mutant.file, self.texts[mutant.file])

    def running(self, mutant: Mutant) -> tuple[list[str], list[str]]:
        """The tests that run its block, and those that may look at what it has made before they began."""
        block = block_of(self.texts[mutant.file], mutant)
        if block is None:
            return list(self.ran), []
        place = (mutant.file, block)
        own = [name for name, ran in self.ran.items() if place in ran.blocks]
        if place not in self.imported and place not in self.kept:
            return own, []
        return own, [name for name, ran in self.ran.items() if place not in ran.blocks]

    def paid(self, mutant: Mutant, budget: float) -> list[str]:
        """The tests that a mutant gets: those that run its block before the others."""
        own, others = ({name: self.ran[name].seconds for name in names} for names in self.running(mutant))
        first = affordable(own, budget)
        return first + affordable(others, budget - sum(own[name] for name in first))

    def is_loaded(self, mutant: Mutant) -> bool:
        """Does its block run on import only, so that the mistake must be made in the file?"""
        block = block_of(self.texts[mutant.file], mutant)
        return block is None or ((mutant.file, block) in self.imported and not self.running(mutant)[0])

    def judged(self, tried: Sequence[Mutant], budget: float) -> Iterator[tuple[Mutant, str]]:
        """Who notices each. Mistakes inside functions are first made in what is loaded, which is quick; whatever nobody
        notices then is made in the file, before anything is loaded."""
        inside = [mutant for mutant in tried if not self.is_loaded(mutant)]
        left = [mutant for mutant in tried if mutant not in inside]
        answers = streamed(lambda writing: self._pytest(self.tests, Swapped(self, inside, budget, writing)))
        if flaky := self.leave_out(next(answers)):
            print(f"fail without any change in another order, and so left out: {', '.join(flaky)}", flush=True)
        for mutant, answer in zip(inside, answers, strict=True):
            if answer == "nobody":
                left.append(mutant)
            else:
                yield mutant, answer
        for mutant in left:
            yield mutant, self.noticed(mutant, budget)

    def leave_out(self, said: str | bytes) -> list[str]:
        names: list[str] = json.loads(said)
        for name in names:
            del self.ran[name]
        return names

    def noticed(self, mutant: Mutant, budget: float = math.inf) -> str:
        """Who notices it: "its tests", "nobody"; "no end", or "not run" where no test runs its block."""
        cheap = self.paid(mutant, budget)
        with self.planted(mutant):
            answer = self.said(self._failure(cheap)) if cheap else "nobody"
        return answer if any(self.running(mutant)) else "not run"

    @staticmethod
    def said(code: int) -> str:
        if not code:
            return "nobody"
        return "no end" if -code in (signal.SIGXCPU, signal.SIGKILL, signal.SIGALRM) else "its tests"

    def ordered(self, names: Iterable[str]) -> list[str]:
        """File by file, because tests of a file share what they need; the file with the cheapest test first."""
        cheapest: dict[str, float] = {}
        for name in (names := list(names)):
            file = name.partition("::")[0]
            cheapest[file] = min(cheapest.get(file, math.inf), self.ran[name].seconds)
        return sorted(names, key=lambda n: (cheapest[n.partition("::")[0]], n.partition("::")[0], self.ran[n].seconds))

    def limited(self, names: Sequence[str], work: Callable[[int], int]) -> tuple[int, bytes]:
        """The exit code of a process that runs these tests, and what it said."""
        usual = sum(self.ran[name].seconds for name in names)
        return forked(work, 20 + 3 * usual, self.wall)

    def _failure(self, names: list[str]) -> int:
        """0 where all of them pass."""
        order = self.ordered(names)
        files = sorted({name.partition("::")[0] for name in names})
        return self.limited(names, lambda _: self._pytest(files, Chosen(order)))[0]


def affordable(costs: Mapping[str, float], budget: float) -> list[str]:
    """The cheapest that cost no more together."""
    cheapest = sorted(costs, key=costs.__getitem__)
    sums = accumulate(costs[name] for name in cheapest)
    return [name for name, cost in zip(cheapest, sums, strict=True) if cost <= budget]


def preload(modules: Iterable[str]) -> None:
    """What every process would load anew; our own files are never among them."""
    for name in modules:
        with contextlib.suppress(Exception):
            importlib.import_module(name)
        assert "isarstep" not in sys.modules, f"{name} loads what is to be changed"


def files_of(patterns: Iterable[str]) -> list[str]:
    package = ROOT / "src" / "isarstep"
    found = sorted(str(path.relative_to(package)) for pattern in patterns for path in package.glob(pattern))
    return [file for file in found if Path(file).name not in DOORS]


def interval(noticed: int, count: int) -> tuple[float, float]:
    """Wilson's, at 95 %."""
    z, share = 1.96, noticed / count
    middle = share + z * z / (2 * count)
    spread = z * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return (middle - spread) / (1 + z * z / count), (middle + spread) / (1 + z * z / count)


def drawn_from(made: Sequence[Mutant], sample: int, seed: str) -> Sequence[Mutant]:
    """The same ones each time for a seed."""
    return made if not sample or sample >= len(made) else random.Random(seed).sample(made, sample)


def try_room(room: Room, name: str, sample: int, seed: int, budget: float) -> dict[str, Any]:
    """A sample of the mutants of a room that has been looked at; prints survivors as they come."""
    print(f"{name}: {len(room.ran)} tests, {sum(ran.seconds for ran in room.ran.values()):.0f} s", file=sys.stderr)
    made = [mutant for file, text in room.texts.items() for mutant in mutants(file, text)]
    drawn = drawn_from(made, sample, f"{name} {seed}" if seed else name)
    answers: dict[str, int] = {}
    survivors = []
    for number, (mutant, answer) in enumerate(room.judged(drawn, budget), 1):
        print(f"{time.strftime('%H:%M:%S')} {number}/{len(drawn)} {mutant}: {answer}", file=sys.stderr, flush=True)
        answers[answer] = answers.get(answer, 0) + 1
        if answer in ("nobody", "not run"):
            survivors.append(f"{mutant} ({answer})")
            print(survivors[-1], flush=True)
    noticed = len(drawn) - len(survivors)
    low, high = interval(noticed, len(drawn))
    print(
        f"{name}: {len(made)} mutants, {len(drawn)} tried, {noticed} noticed,"
        f" {100 * noticed / len(drawn):.1f} % (95 %: {100 * low:.0f}-{100 * high:.0f})",
        flush=True,
    )
    told = {"room": name, "seed": seed, "mutants": len(made), "tried": len(drawn)}
    return {**told, "answers": answers, "survivors": survivors}


@contextlib.contextmanager
def copied_source() -> Iterator[Path]:
    """A copy of the source to make mistakes in."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "src"
        large = ("benchmark", "model", "fresh")  # nobody changes them
        shutil.copytree(
            ROOT / "src",
            source,
            ignore=lambda folder, names: (
                {"__pycache__", *(large if Path(folder).name == "resources" else ())} & {*names}
            ),
        )
        for data in large:
            (source / "isarstep" / "resources" / data).symlink_to(ROOT / "src" / "isarstep" / "resources" / data)
        compileall.compile_dir(source, quiet=2)
        yield source


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rooms", nargs="*", default=list(ROOMS), choices=[*ROOMS], metavar="ROOM")
    parser.add_argument("--files", nargs="*", default=[], help="only these files of the rooms")
    parser.add_argument("--sample", type=int, default=60, help="so many mutants of each room; 0 is all")
    parser.add_argument("--tests", nargs="*", help="only these files of tests, which must be the rooms'")
    parser.add_argument("--seed", type=int, default=0, help="another number draws other mutants")
    parser.add_argument("--budget", type=float, default=math.inf, help="seconds of tests for a mutant; all")
    parser.add_argument("--keep", type=Path, help="a folder for which tests run what, for the next run")
    chosen = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    os.chdir(ROOT)
    rows = []
    with copied_source() as source:
        for name in chosen.rooms:
            patterns, tests = ROOMS[name]
            files = [file for file in files_of(patterns) if not chosen.files or file in chosen.files]
            if files:
                room = Room(source, files, chosen.tests or tests)
                room.look(chosen.keep)
                rows.append(try_room(room, name, chosen.sample, chosen.seed, chosen.budget))
    tried, left = sum(row["tried"] for row in rows), sum(len(row["survivors"]) for row in rows)
    print(json.dumps({"benchmark": "mutants", "tried": tried, "noticed": tried - left, "rows": rows}))


if __name__ == "__main__":
    main()
