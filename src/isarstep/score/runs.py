"""What a training run leaves in its folder, and the systems that its predictions make.

A run is a model folder with more beside it: `log.jsonl`, `predictions/SPLIT.beamK[.TAG].jsonl` with meta and verdicts,
`embeddings.safetensors`, `attention.safetensors`, `probes.jsonl`. Only config.json is required.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from isarstep.benchmark.store.example import Example
from isarstep.common.errors import UserError
from isarstep.common.file_reading import parse_json, read_content, read_json, read_text
from isarstep.common.files import write_whole
from isarstep.common.progress import Watched
from isarstep.model.decode.hypotheses import NARROW, WIDE
from isarstep.model.decode.predictions import (
    Predictions,
    faults_counted,
    is_tokens,
    read_meta,
    read_predictions,
    stem,
    without_scores,
)
from isarstep.resources import model_folder
from isarstep.score.answer_reading import AnswerReader
from isarstep.score.scores import ScoringTask, System

_FILE = re.compile(r"(?P<split>[a-z]+[0-9]?)\.beam(?P<beam>[0-9]+)(?:\.(?P<tag>[A-Za-z0-9+_-]+))?\.jsonl(?:\.zst)?")

LOGS = ("log.jsonl", "log.jsonl.zst")
PROBES = "probes.jsonl"
BESIDE = ("config.json", "made.json", PROBES)  # small, and read by reports
EMBEDDINGS, ATTENTION = "embeddings.safetensors", "attention.safetensors"  # of a model that reports look into
IN_NOTATION = 0.1  # the share of answers from which on a file is read as notation
COPYING = ("copy", "rule")  # baselines that take every token from the source
NOTHING_LEARNED = "nothing"  # of a baseline
KINDS = {"rnnsearch": "RNNSearch", "convs2s": "Conv2Conv", "transformer": "Transformer", "hat": "HAT"}


@dataclass(frozen=True)
class RunFolder:
    """One run's folder."""

    folder: Path
    config: dict[str, Any] = field(hash=False)

    @property
    def name(self) -> str:
        return str(self.config.get("name") or self.folder.resolve().name)

    @property
    def kind(self) -> str:
        """As the paper names it."""
        return KINDS.get(str(self.config.get("kind")), str(self.config.get("kind", "?")))

    @property
    def input(self) -> str:
        """base, +F.5 or +context; runs of before say whether they have `hints`."""
        return str(self.config.get("input") or ("+F.5" if self.config.get("hints") else "base"))

    @property
    def vocabulary(self) -> str:
        """Open: constants that training has not seen are written as they stand in the source; closed: they cannot."""
        if self.config.get("kind") == "baseline":
            return "open" if self.name in COPYING else "closed"
        recipe = (self.config.get("training") or {}).get("recipe", {})
        return "open" if recipe.get("number_constants") else "closed"

    @property
    def trained_on(self) -> str | None:
        """The name of the benchmark that it was trained on; None: nothing, or nobody says."""
        return str(self.config["benchmark"]) if self.config.get("benchmark") else None

    @property
    def hints(self) -> bool:
        return self.input == "+F.5"

    @property
    def categories(self) -> bool:
        return bool(self.config.get("categories", True))

    @property
    def looked_into(self) -> bool:
        """Reports look into HAT as the paper does: base inputs, with categories, the first seed."""
        return self.kind == "HAT" and self.input == "base" and self.categories and not self.budget.get("seed")

    def tags(self, split: str) -> list[str]:
        """Ways of decoding that left predictions for the split; "" is the plain one and stands first."""
        return sorted({tag for found, _, tag in self._files if found == split})

    def beams(self, split: str, tag: str = "") -> dict[int, Path]:
        """The predictions files of one way of decoding, by beam."""
        return {beam: path for (found, beam, way), path in self._files.items() if (found, way) == (split, tag)}

    def system(self, task: ScoringTask, tag: str = "", beams: Collection[int] | None = None) -> System | None:
        """The run's answers, narrow from beam 5 and wide from beam 10 where both are there (and among those asked)."""
        found = self.beams(task.split, tag)
        found = {beam: path for beam, path in found.items() if beams is None or beam in beams}
        if not found:
            return None
        narrow_path = found.get(NARROW) or found[min(found, key=lambda beam: abs(beam - NARROW))]
        wide_path = found.get(WIDE) or found[max(found)]
        narrow = predictions_for(narrow_path, task)
        wide = narrow if wide_path == narrow_path else predictions_for(wide_path, task)
        label = f"{self.name} ({tag})" if tag else self.name
        return System(label, task, narrow, wide, NOTHING_LEARNED if self.kind == "baseline" else self.trained_on)

    def verdicts(self, split: str, tag: str = "") -> Path | None:
        """Where the checker wrote its verdicts on the narrow predictions, else on the wide ones."""
        for beam in (NARROW, WIDE):
            path = self._files.get((split, beam, tag))
            if path is not None:
                verdicts = path.with_name(stem(path) + ".verdicts.parquet")
                if verdicts.is_file():
                    return verdicts
        return None

    @property
    def budget(self) -> dict[str, Any]:
        """What the training took; empty for what was not trained, None for what a run did not write down."""
        training = self.config.get("training")
        if not isinstance(training, dict):
            return {}
        known = {name: training.get(name) for name in ("tokens", "epochs", "steps", "seconds", "device")}
        before = training.get("before")
        while isinstance(before, dict):  # the model that it began with was trained, too
            for name in ("tokens", "epochs", "steps", "seconds"):
                known[name] = (known[name] or 0) + (before.get(name) or 0)
            before = before.get("before")
        return known | {"seed": training.get("recipe", {}).get("seed")}

    @property
    def origin(self) -> dict[str, Any]:
        """The command that made the run and the commit of its code, as far as somebody wrote them down."""
        path = self.kept("made.json")
        made = {} if path is None else read_json(path, "mend or remove it", dict[str, Any])
        return {name: made.get(name) for name in ("command", "commit")}

    def log(self) -> list[dict[str, Any]]:
        """What was logged, in order; empty where nothing was."""
        path = next(filter(None, map(self.kept, LOGS)), None)
        if path is None:
            return []
        found = []
        text = read_text(path, "copy it again")
        for number, line in enumerate(text.split("\n"), 1):
            try:
                record = parse_json(line)
            except ValueError:
                if number == text.count("\n") + 1:  # the last one, cut by a kill or being written now
                    continue
                raise UserError(f"{path}:{number}: is not JSON; remove the line") from None
            if isinstance(record, dict) and "step" in record:
                found.append(record)
        return found

    def kept(self, name: str) -> Path | None:
        """A file beside the model, where it is there."""
        path = self.folder / name
        return path if path.is_file() else None

    @cached_property
    def _files(self) -> dict[tuple[str, int, str], Path]:
        found = {}
        for path in sorted((self.folder / "predictions").glob("*.jsonl*"), reverse=True):
            match = _FILE.fullmatch(path.name)
            if match:
                found[match["split"], int(match["beam"]), match["tag"] or ""] = path
        return found


def copy_lists(run: RunFolder, splits: Sequence[str], folder: Path) -> None:
    """What it takes to report on a run again, small enough to publish: configuration, log, answers without their scores
    (of the narrow beam the first ones, where a wide beam gives the ten), and the views of a model that reports look
    into."""
    import zstandard

    from isarstep.score.analysis.embeddings import load_embeddings, save_embeddings

    pack = zstandard.ZstdCompressor(level=19).compress
    (folder / "predictions").mkdir(parents=True, exist_ok=True)
    whole = [*BESIDE, *([ATTENTION] if run.looked_into else ())]
    if run.looked_into and (run.folder / EMBEDDINGS).is_file():
        save_embeddings(load_embeddings(run.folder / EMBEDDINGS), folder / EMBEDDINGS)
    copies = {name: (run.folder / name).read_bytes() for name in whole if (run.folder / name).is_file()}
    for name in LOGS:
        if (run.folder / name).is_file():
            copies[LOGS[-1]] = pack(read_content(run.folder / name))
    for (split, beam, tag), path in run._files.items():
        if split not in splits:
            continue
        most = 1 if beam == NARROW and WIDE in run.beams(split, tag) else beam
        copies[f"predictions/{stem(path)}.jsonl.zst"] = pack(without_scores(path, most).encode())
        for suffix in (".meta.json", ".verdicts.parquet"):
            other = path.with_name(stem(path) + suffix)
            if other.is_file():
                copies[f"predictions/{other.name}"] = other.read_bytes()
    for name, content in copies.items():
        write_whole(folder / name, content)
    for name in copies:
        if name.endswith(".zst"):  # what lay there uncompressed would be kept twice
            (folder / name.removesuffix(".zst")).unlink(missing_ok=True)


def open_run(folder: Path) -> RunFolder:
    """The run in a folder; a UserError where there is none."""
    folder = model_folder(folder)
    path = folder / "config.json"
    if not path.is_file():
        raise UserError(f"{folder}: no run or model here (config.json is missing)")
    config = read_json(path, "copy the folder again", dict[str, Any])
    return RunFolder(folder, {**config, **config.get("model", {})} if isinstance(config.get("model"), dict) else config)


def predictions_for(path: Path, task: ScoringTask) -> Predictions:
    """Predictions for the task; refused where their maker says that they answer another benchmark or split."""
    meta = read_meta(path)  # first: of another benchmark the ids are others, too, and that says less
    made_for = str(meta.get("benchmark", task.benchmark))
    shared = min(len(made_for), len(task.benchmark))
    gone = None if task.home is None else task.home.taken_out(made_for, task.split)
    if made_for[:shared] != task.benchmark[:shared] and gone is None:
        raise UserError(
            f"{path}: made for benchmark {made_for[:12]}, not for {task.benchmark[:12]}; give the right --benchmark"
        )
    split = str(meta.get("split", task.split))
    if split != task.split:
        raise UserError(f"{path}: made for split {split}, not for {task.split}; give --split {split}")
    predictions = read_predictions(path, task.ids, gone or ())
    return read_notation_of(predictions if task.places is None else predictions.at(task.places), task)


def read_notation_of(predictions: Predictions, task: ScoringTask) -> Predictions:
    """Answers in notation as tokens; those that cannot be read stay as they are, and are no term."""
    answers = [answer for nbest in predictions.lists for answer in nbest]
    # A few lines without a leaf are a model's broken terms, and no notation.
    if task.home is None or sum(not is_tokens(answer) for answer in answers) < IN_NOTATION * max(len(answers), 1):
        return predictions
    reader = AnswerReader(task.home)
    lists = []
    with Watched("reading notation", len(predictions.lists)) as watched:
        for example, nbest in zip(task.examples, predictions.lists, strict=True):
            lists.append(tuple(_in_tokens(reader, example, answer) for answer in nbest))
            watched.advance(1)
    return faults_counted(tuple(lists), predictions.meta)


def _in_tokens(reader: AnswerReader, example: Example, answer: str) -> str:
    if is_tokens(answer):
        return answer
    try:
        return reader.read(example, answer)
    except UserError:
        return answer
