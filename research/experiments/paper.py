"""The paper's tables from one command: every model trained, searched, checked, reported.

    python research/experiments/paper.py all embedded runs/paper docs/results      # hours of one GPU
    python research/experiments/paper.py all BENCHMARK RUNS OUT --scale twin       # the same way on a CPU, in a minute

Every stage is a command of `isarstep`, printed before it runs, and is left out where its result is there already: after
any interruption the same line goes on where it was. Runs are made one at a time, in the order of the table. OUT gets
the report, LEADERBOARD.md, and under OUT/runs the lists and all else from which both can be made again.

A row may also be trained where there is a GPU with torch, numpy and safetensors and nothing else:

    python research/experiments/paper.py arrays embedded arrays.npz                # here: what travels
    python research/experiments/paper.py row hat-base arrays.npz out               # there: train, search, pack
    python research/experiments/paper.py take out runs/paper                       # here: what came back, as a run
    python research/experiments/paper.py report embedded runs/paper docs/results   # here: the rows that there are
    python research/experiments/paper.py page docs/results docs/paper.md           # here: the paper, claim by claim

A split that lies beside the benchmark (`embedded-unseen2`) is answered by a model with an open vocabulary alone:

    python research/experiments/paper.py arrays embedded-unseen2 unseen2.npz       # here
    python research/experiments/paper.py lists MODEL unseen2.npz out               # there: both beams; then move OUT's files
                                                                          # to the run's predictions and report
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import sys
import time
from pathlib import Path

from packing import ARCHIVE, commit, keep_and_pack, note_origin, unpack
from paper_rows import SCALES, Row, Scale, recipe_of

from isarstep.common.errors import UserError

MOST_FILES, LARGEST_FILE = 8, 16 << 20  # of what may come back from a machine that trains
WORK = Path("runs/rows")  # checkpoints of rows, on the machine that trains them: the same line again goes on from there


class Stopped(Exception):
    """A stage has failed, and has said why."""


def main(arguments: list[str] | None = None) -> int:
    chosen = read_line(arguments)
    try:
        match chosen.what:
            case "all":
                make_all(chosen.benchmark, chosen.runs, chosen.out, SCALES[chosen.scale], chosen.device)
            case "report":
                report(chosen.benchmark, chosen.runs, chosen.out, SCALES[chosen.scale])
            case "arrays":
                make_arrays(chosen.benchmark, chosen.file, chosen.input)
            case "row":
                if not chosen.trained:
                    train_row(chosen.name, chosen.file, chosen.scale, chosen.minutes, chosen.commit)
                    # A new process: searching begins with the whole memory of the GPU.
                    os.execv(sys.executable, [sys.executable, __file__, *(arguments or sys.argv[1:]), "--trained"])
                search_row(chosen.name, chosen.file, chosen.out)
            case "lists":
                search_model(chosen.model, chosen.file, chosen.out)
            case "take":
                take(chosen.out, chosen.runs, chosen.name)
            case "page":
                chosen.file.write_text(page(chosen.out), encoding="utf-8")
    except Stopped as stop:
        print(f"stopped at: {stop}; give the same line again to go on", file=sys.stderr)
        return 1
    except UserError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def read_line(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ways = parser.add_subparsers(dest="what", required=True)
    for name, words in (
        ("all", ("benchmark", "runs", "out")),
        ("report", ("benchmark", "runs", "out")),
        ("arrays", ("benchmark", "file")),
        ("row", ("name", "file", "out")),
        ("lists", ("model", "file", "out")),
        ("take", ("out", "runs")),
        ("page", ("out", "file")),
    ):
        way = ways.add_parser(name)
        for word in words:
            way.add_argument(word, type=str if word in ("benchmark", "name") else Path)
        if name in ("all", "report", "row"):
            way.add_argument("--scale", choices=list(SCALES), default="paper")
        if name == "all":
            way.add_argument("--device", help="cpu or cuda; the GPU where there is one")
        if name == "row":
            way.add_argument("--minutes", type=float, help="of training in all, instead of the scale's tokens")
            way.add_argument("--commit", help="of the code, where git can't tell")
            way.add_argument("--trained", action="store_true", help="search and pack what is trained already")
        if name == "arrays":
            way.add_argument("--input", choices=["base", "+context"], default="base", help="+context: with contexts")
        if name == "take":
            way.add_argument(
                "--name", help="of a run that is none of the rows (research/experiments/train_and_keep.py)"
            )
    return parser.parse_args(arguments)


def make_all(benchmark: str, runs: Path, out: Path, scale: Scale, device: str | None) -> None:
    on = ["--device", device] if device else []
    for row in scale.rows:
        make_run(row, scale, benchmark, runs, on)
    references = out / "test.references.verdicts.parquet"
    check(["--split", "test"], benchmark, references, scale)
    report(benchmark, runs, out, scale)


def make_run(row: Row, scale: Scale, benchmark: str, runs: Path, device: list[str]) -> None:
    folder = runs / row.name
    runs.mkdir(parents=True, exist_ok=True)
    recipe = runs / f"{row.name}.toml"
    recipe.write_text(recipe_of(row, scale))
    if not (folder / "config.json").is_file():  # written last
        line = ["train", benchmark, str(folder), "--model", row.model, "--size", scale.size, "--recipe", str(recipe)]
        line += [*(["--input", "+F.5"] if row.hints else []), "--seed", str(row.seed), *device, "--resume"]
        folder.mkdir(exist_ok=True)
        note_origin(folder, shlex.join(["isarstep", *line]), commit())
        stage(line)
    if not (folder / "embeddings.safetensors").is_file():  # written after the lists
        stage(["keep", str(folder), benchmark, *device])
    lists = folder / "predictions" / "test.beam5.jsonl"
    check([str(lists)], benchmark, lists.with_name("test.beam5.verdicts.parquet"), scale)


def check(what: list[str], benchmark: str, verdicts: Path, scale: Scale) -> None:
    if not scale.checked or verdicts.is_file():
        return
    verdicts.parent.mkdir(parents=True, exist_ok=True)
    line = ["check", *what, "--benchmark", benchmark, "--out", str(verdicts), "--limit", str(scale.checked)]
    stage([*line, *(["--resume"] if list(verdicts.parent.glob(f"{verdicts.name}*")) else [])])


def make_arrays(benchmark: str, file: Path, read: str) -> None:
    from isarstep.benchmark.arrays.files import load_dataset, save_dataset

    data = load_dataset(benchmark, read)  # type: ignore[arg-type]
    save_dataset(data, file)
    counts = ", ".join(f"{len(corpus):,} {name}" for name, corpus in data.splits.items())
    included = "F.5 and contexts" if read == "+context" else "F.5"
    print(f"{file}: {file.stat().st_size / 2**20:.1f} MiB, {included} included; {counts}")


def train_row(name: str, file: Path, scale_name: str, minutes: float | None, known: str | None) -> None:
    """One row on a machine without Parquet; the same line again goes on from its last checkpoint."""
    from isarstep.benchmark.arrays.files import load_dataset
    from isarstep.model.train.loop import ValidationPlan, train
    from isarstep.model.train.recipe_files import read_recipe

    began = time.monotonic()
    scale = SCALES[scale_name]
    row = scale.row(name)
    if row is None:
        raise UserError(f"{name}: no such row; there are {', '.join(each.name for each in scale.rows)}")
    folder = WORK / name
    folder.mkdir(parents=True, exist_ok=True)
    written = folder / "recipe.toml"
    written.write_text(recipe_of(row, scale, minutes))
    recipe = read_recipe(str(written)).with_training(seed=row.seed)
    data = load_dataset(file)
    config = recipe.config(row.model, scale.size, len(data.vocabulary), "+F.5" if row.hints else "base")  # type: ignore[arg-type]
    looks = ValidationPlan(looks=recipe.run.looks)
    train(data, config, recipe.training, folder, resume=True, validating=looks, storage=recipe.run.storage)
    said = ["python", "research/experiments/paper.py", "row", name, file.name, "OUT"]
    note_origin(folder, shlex.join([*said, *(["--minutes", f"{minutes:g}"] if minutes else [])]), known or commit())
    shutil.rmtree(folder / "predictions", ignore_errors=True)  # of an earlier, shorter budget
    print(f"{name}: trained in {time.monotonic() - began:.0f} s", flush=True)


def search_row(name: str, file: Path, out: Path) -> None:
    """What `train_row` trained, searched and packed to go back."""
    from isarstep.benchmark.arrays.files import load_dataset

    began = time.monotonic()
    for split in keep_and_pack(WORK / name, load_dataset(file), out):
        print(f"{name}: {split} searched after {time.monotonic() - began:.0f} s", flush=True)
    sizes = [path.stat().st_size for path in out.iterdir()]
    if len(sizes) > MOST_FILES or max(sizes) > LARGEST_FILE:
        print(f"{out}: {len(sizes)} files, the largest of {max(sizes):,} bytes: too many or too large to come back")


def search_model(model: Path, file: Path, out: Path) -> None:
    """A model's lists of all splits of a file of arrays, both beams."""
    from isarstep.benchmark.arrays.files import load_dataset
    from isarstep.resources import model_folder
    from isarstep.score.analysis.keeping import keep_predictions

    out.mkdir(parents=True, exist_ok=True)
    for path in keep_predictions(model_folder(model), load_dataset(file), into=out):
        print(path, flush=True)


def take(out: Path, runs: Path, name: str | None) -> None:
    """What `row` left, as a run in RUNS under the row's name, with probes, embeddings and attention."""
    if not (out / ARCHIVE).is_file():
        raise UserError(f"{out}: holds no {ARCHIVE}; give the folder that 'row' filled")
    runs.mkdir(parents=True, exist_ok=True)
    temporary = runs / ".taken.tmp"
    shutil.rmtree(temporary, ignore_errors=True)
    unpack(out, temporary)
    folder = runs / (name or shlex.split(json.loads((temporary / "made.json").read_text())["command"])[3])
    if folder.exists():
        raise UserError(f"{folder}: is there already; remove it to take another run in its place")
    stage(["keep", str(temporary)])
    temporary.rename(folder)
    print(f"{folder}: taken")


def report(benchmark: str, runs: Path, out: Path, scale: Scale) -> None:
    """Rows, baselines, and whatever else RUNS and OUT/runs hold, in one report; the page on the paper follows it."""
    from isarstep.benchmark.store.store import Benchmark
    from isarstep.resources import BESIDE, EMBEDDED
    from isarstep.score.baselines import BASELINES
    from isarstep.score.runs import COPYING

    opened = Benchmark(benchmark)
    splits = {name: benchmark for name in ("test", "unseen") if name in opened.splits and len(opened.split(name))}
    if benchmark == EMBEDDED:
        splits |= BESIDE
    for name in BASELINES:
        for split, home in splits.items():
            folder = place_of(name, runs, out) or runs / name
            # Baselines that look into training examples have none in a folder beside the benchmark.
            if not answers(folder, split) and (home == benchmark or name in COPYING):
                stage(["baseline", name, home, "--split", split, "--out", str(folder)])
    named = [*(row.name for row in scale.rows), *BASELINES]
    there = {path.parent.name for each in (runs, out / "runs") for path in each.glob("*/predictions")}
    found = []
    for name in [*named, *sorted(there - {*named})]:
        found_at = place_of(name, runs, out)
        if found_at is None:
            print(f"{name}: not run")
        elif (other := made_for(found_at)) != opened.hash and opened.taken_out(other, "test") is None:
            raise UserError(f"{found_at}: made for benchmark {other[:12]}, not for {opened.hash[:12]}; remove it")
        else:
            found.append(found_at)
    lists = [word for folder in found for word in ("--lists", folder.name)]
    stage(["report", *map(str, found), "--benchmark", benchmark, "--split", "test", "--out", str(out), *lists])
    if (text := out.parent / "paper.md").is_file():
        text.write_text(page(out), encoding="utf-8")


def place_of(name: str, runs: Path, out: Path) -> Path | None:
    """Where a run that answered the test split lies: among the runs, else among what a report has kept."""
    return next((each / name for each in (runs, out / "runs") if answers(each / name, "test")), None)


def page(results: Path) -> str:
    from paper_page import page as filled  # here: it reads what a machine that trains rows does not have

    return filled(results)


def answers(folder: Path, split: str) -> list[Path]:
    return sorted((folder / "predictions").glob(f"{split}.beam*.jsonl*"))


def made_for(folder: Path) -> str:
    """The hash of the benchmark that a run's lists answer."""
    about = next(iter(sorted((folder / "predictions").glob("test.*.meta.json"))))
    return str(json.loads(about.read_text())["benchmark"])


def isarstep(line: list[str]) -> int:
    from isarstep.cli import run  # here, so that rows can be trained where there is no typer

    return run(line)


def stage(line: list[str]) -> None:
    said = shlex.join(["isarstep", *line])
    print(said, flush=True)
    if isarstep(line):
        raise Stopped(said)


if __name__ == "__main__":
    raise SystemExit(main())
