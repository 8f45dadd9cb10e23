"""Has anything become slower? The same jobs in two checkouts, taking turns: processor time, and ratios.

    git worktree add OLD COMMIT
    python research/benchmarks/before_after.py OLD . [--rounds 3] [--examples 600]

Both get the same examples: the release format of the second checkout's test split, which each imports into a benchmark
of its own form, and a tiny model that each trains on it. So forms of files may differ between the checkouts, and what
is compared is the code. Jobs are whole commands, start included: load (every example), score (`evaluate`), check
(references, provers limited by their own time), cold propose, training steps, search (`predict`).

Printed is the median of each job's processor time, children included, and after/before; the last line is JSON.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

LOAD = "import sys, isarstep; print(sum(len(e.f1) for e in isarstep.load(sys.argv[1], 'train')))"
FIRST = "import sys, isarstep; print(min(e.id for e in isarstep.load(sys.argv[1], 'test')))"
SIGNATURE = Path("src") / "isarstep" / "resources" / "sample-signature.json.zst"
STEPS = (2, 10)


class Checkout:
    """One state of the repository, and its benchmark and model of the common examples."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.root, self.folder = root.resolve(), folder
        folder.mkdir()
        self.benchmark, self.model = folder / "benchmark", folder / "model"

    def python(self, *arguments: str) -> tuple[float, str]:
        """Processor time of a process of this checkout with its children, and what it printed."""
        environment = {**os.environ, "PYTHONPATH": str(self.root / "src"), "OMP_NUM_THREADS": "1"}
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            [sys.executable, *arguments], cwd=self.folder, env=environment, capture_output=True, text=True, check=False
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode:
            raise SystemExit(f"{self.root}: {' '.join(arguments)}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime), done.stdout

    def isarstep(self, *arguments: str) -> float:
        return self.python("-m", "isarstep", *arguments)[0]

    def prepare(self, release: Path, signature: Path) -> None:
        self.isarstep("import", str(release), "--out", str(self.benchmark), "--signature", str(signature))
        self.train(STEPS[0], self.model)
        self.example = self.python("-c", FIRST, str(self.benchmark))[1].strip()

    def train(self, steps: int, folder: Path) -> float:
        shutil.rmtree(folder, ignore_errors=True)
        options = ("--model", "hat", "--size", "tiny", "--steps", str(steps), "--device", "cpu")
        return self.isarstep("train", str(self.benchmark), str(folder), *options)

    def job(self, name: str, count: int) -> float:
        """Do one of the jobs; its processor time."""
        data, few = ("--benchmark", str(self.benchmark)), ("--limit", str(count // 20))
        answers, verdicts = self.folder / "predictions.jsonl", self.folder / "verdicts.parquet"
        if name == "load":
            return self.python("-c", LOAD, str(self.benchmark))[0]
        if name == "search":
            where = (str(self.model), str(self.benchmark), "--out", str(answers))
            return self.isarstep("predict", *where, *few, "--beam", "5", "--device", "cpu")
        if name == "score":
            return self.isarstep("evaluate", str(answers), *data, *few)
        if name == "check":
            verdicts.unlink(missing_ok=True)
            return self.isarstep("check", *data, *few, "--jobs", "1", "--out", str(verdicts))
        if name == "cold propose":
            return self.isarstep("propose", "--example", self.example, "--model", str(self.model), *data, "--json")
        assert name == "training steps"
        short, long = (self.train(steps, self.folder / "run") for steps in STEPS)
        return (long - short) / (STEPS[1] - STEPS[0])


JOBS = ("load", "search", "score", "check", "cold propose", "training steps")


def common_release(checkout: Path, folder: Path, count: int) -> Path:
    """Examples of the test split in the release's format: the first ones as test, more of them as training."""
    environment = {**os.environ, "PYTHONPATH": str(checkout.resolve() / "src")}
    whole, release = folder / "whole", folder / "release"
    command = [sys.executable, "-m", "isarstep", "export", "embedded", "--split", "test", "--out", str(whole)]
    subprocess.run(command, env=environment, check=True, capture_output=True)
    release.mkdir()
    for path in whole.glob("test.*.txt"):
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        kind = path.name.removeprefix("test.")
        for split, part in (
            ("test", lines[:count]),
            ("valid", lines[count : 2 * count]),
            ("train", lines[2 * count :]),
        ):
            (release / f"{split}.{kind}").write_text("".join(part), encoding="utf-8")
    return release


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--examples", type=int, default=600)
    parser.add_argument("--jobs", nargs="*", default=list(JOBS), choices=JOBS)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        release = common_release(chosen.after, folder, chosen.examples)
        pair = {"before": Checkout(chosen.before, folder / "before"), "after": Checkout(chosen.after, folder / "after")}
        for checkout in pair.values():
            checkout.prepare(release, (chosen.after / SIGNATURE).resolve())
        times: dict[tuple[str, str], list[float]] = {}
        for number, job in itertools.product(range(chosen.rounds), chosen.jobs):
            # Who begins changes from round to round: a machine that warms up favours neither.
            for which in ("before", "after") if number % 2 == 0 else ("after", "before"):
                times.setdefault((job, which), []).append(pair[which].job(job, chosen.examples))
                print(f"round {number + 1}, {which}: {job} {times[job, which][-1]:.2f} s", file=sys.stderr, flush=True)
    rows = {}
    print(f"{'processor seconds':16} {'before':>9} {'after':>9} {'ratio':>7}")
    for job in chosen.jobs:
        before, after = (statistics.median(times[job, which]) for which in pair)
        rows[job] = {"before": before, "after": after, "ratio": after / before}
        print(f"{job:16} {before:9.2f} {after:9.2f} {after / before:7.2f}")
    print(json.dumps({"benchmark": "before_after", "rounds": chosen.rounds, "rows": rows}))


if __name__ == "__main__":
    main()
