"""What a training run leaves in its folder, and the systems that its predictions make.

A run is a model folder with more beside it: `log.jsonl`, `predictions/SPLIT.beamK[.TAG].jsonl` with meta and verdicts,
`embeddings.safetensors`, `attention.safetensors`, `probes.jsonl`. Only config.json is required.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from isarstep.data import model_folder
from isarstep.decode.hypotheses import NARROW, WIDE
from isarstep.decode.predictions import Predictions, read_predictions, stem
from isarstep.errors import UserError
from isarstep.evaluate.scores import ScoringTask, System

_FILE = re.compile(r"(?P<split>[a-z]+)\.beam(?P<beam>[0-9]+)(?:\.(?P<tag>[A-Za-z0-9+_-]+))?\.jsonl(?:\.zst)?")

KINDS = {"rnnsearch": "RNNSearch", "convs2s": "Conv2Conv", "transformer": "Transformer", "hat": "HAT"}


@dataclass(frozen=True)
class RunFolder:
    """One run's folder."""

    folder: Path
    config: dict[str, Any]

    @property
    def name(self) -> str:
        return str(self.config.get("name") or self.folder.resolve().name)

    @property
    def kind(self) -> str:
        """As the paper names it."""
        return KINDS.get(str(self.config.get("kind")), str(self.config.get("kind", "?")))

    @property
    def hints(self) -> bool:
        return bool(self.config.get("hints", False))

    @property
    def categories(self) -> bool:
        return bool(self.config.get("categories", True))

    def tags(self, split: str) -> list[str]:
        """Ways of decoding that left predictions for the split; "" is the plain one and stands first."""
        return sorted({tag for found, _, tag in self._files if found == split})

    def files(self, split: str) -> list[Path]:
        """All predictions files for the split."""
        return [path for (found, _, _), path in self._files.items() if found == split]

    def system(self, task: ScoringTask, tag: str = "", name: str | None = None) -> System | None:
        """The run's answers, narrow from beam 5 and wide from beam 10 where both are there."""
        wanted = (task.split, tag)
        beams = {beam: path for (split, beam, found), path in self._files.items() if (split, found) == wanted}
        if not beams:
            return None
        narrow_path = beams.get(NARROW) or beams[min(beams, key=lambda beam: abs(beam - NARROW))]
        wide_path = beams.get(WIDE) or beams[max(beams)]
        narrow = aligned(narrow_path, task)
        wide = narrow if wide_path == narrow_path else aligned(wide_path, task)
        label = name or (f"{self.name} ({tag})" if tag else self.name)
        return System(label, task, narrow, wide)

    def verdicts(self, split: str, tag: str = "") -> Path | None:
        """Where the checker wrote its verdicts on the narrow predictions, else on the wide ones."""
        for beam in (NARROW, WIDE):
            path = self._files.get((split, beam, tag))
            if path is not None:
                verdicts = path.with_name(stem(path) + ".verdicts.parquet")
                if verdicts.is_file():
                    return verdicts
        return None

    def log(self) -> list[dict[str, Any]]:
        """What was logged, in order; empty where nothing was."""
        path = self.folder / "log.jsonl"
        if not path.is_file():
            return []
        found = []
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            try:
                record = json.loads(line)
            except ValueError:
                raise UserError(f"{path}:{number}: is not JSON; remove the line") from None
            if isinstance(record, dict) and "step" in record:
                found.append(record)
        return found

    @property
    def attention(self) -> Path | None:
        path = self.folder / "attention.safetensors"
        return path if path.is_file() else None

    @property
    def probes(self) -> Path | None:
        path = self.folder / "probes.jsonl"
        return path if path.is_file() else None

    @cached_property
    def _files(self) -> dict[tuple[str, int, str], Path]:
        found = {}
        for path in sorted((self.folder / "predictions").glob("*.jsonl*"), reverse=True):
            match = _FILE.fullmatch(path.name)
            if match:
                found[match["split"], int(match["beam"]), match["tag"] or ""] = path
        return found


def copy_lists(run: RunFolder, split: str, folder: Path) -> None:
    """What it takes to score a run again, small enough to publish: configuration and compressed n-best lists."""
    import zstandard

    (folder / "predictions").mkdir(parents=True, exist_ok=True)
    copies = {"config.json": (run.folder / "config.json").read_bytes()}
    for path in run.files(split):
        raw = path.read_bytes()
        if path.suffix != ".zst":
            raw = zstandard.ZstdCompressor(level=19).compress(raw)
        copies[f"predictions/{stem(path)}.jsonl.zst"] = raw
        for beside in (".meta.json", ".verdicts.parquet"):
            other = path.with_name(stem(path) + beside)
            if other.is_file():
                copies[f"predictions/{other.name}"] = other.read_bytes()
    for name, content in copies.items():
        temporary = folder / (name + ".tmp")
        temporary.write_bytes(content)
        temporary.replace(folder / name)


def open_run(folder: Path) -> RunFolder:
    """The run in a folder; a UserError where there is none."""
    folder = model_folder(folder)
    path = folder / "config.json"
    if not path.is_file():
        raise UserError(f"{folder}: no run or model here (config.json is missing)")
    config = _json(path)
    if not isinstance(config, dict):
        raise UserError(f"{path}: must hold one JSON object")
    return RunFolder(folder, {**config, **config.get("model", {})} if isinstance(config.get("model"), dict) else config)


def aligned(path: Path, task: ScoringTask) -> Predictions:
    """Predictions for the task; refused where their maker says that they answer another benchmark or split."""
    predictions = read_predictions(path, task.ids)
    if task.places is not None:
        predictions = predictions.at(task.places)
    made_for = str(predictions.meta.get("benchmark", task.benchmark))
    shared = min(len(made_for), len(task.benchmark))
    if made_for[:shared] != task.benchmark[:shared]:
        raise UserError(
            f"{path}: made for benchmark {made_for[:12]}, not for {task.benchmark[:12]}; give the right --benchmark"
        )
    split = str(predictions.meta.get("split", task.split))
    if split != task.split:
        raise UserError(f"{path}: made for split {split}, not for {task.split}; give --split {split}")
    return predictions


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise UserError(f"{path}: is not JSON ({error})") from None
