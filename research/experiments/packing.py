"""A run on its way between two machines: the model's shards as they are, all else in one archive beside them.

Lists are written and packed split by split, so that a run that is cut off leaves what it had.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path

from isarstep.benchmark.arrays.corpus import Dataset

SPLITS = ("test", "unseen", "fresh", "validation")  # in the order of how much they matter
ARCHIVE = "run.tar.xz"


def keep_and_pack(folder: Path, data: Dataset, out: Path, device: str | None = None) -> Iterator[str]:
    """Search the held-out splits with a trained run and put all of it under `out`; each split's name when done."""
    from isarstep.score.analysis.keeping import keep_predictions

    out.mkdir(parents=True, exist_ok=True)
    for shard in folder.glob("model*.safetensors"):
        shutil.copy(shard, out / shard.name)
    for split in (name for name in SPLITS if name in data.splits):
        keep_predictions(folder, data, device, splits=[split])
        # The lists repeat themselves: a light preset packs them nearly as well as a heavy one, in a tenth of the time.
        with tarfile.open(out / f"{ARCHIVE}.tmp", "w:xz", preset=2) as packed:
            for path in [*folder.glob("*.json*"), *folder.glob("predictions/*")]:
                packed.add(path, path.relative_to(folder))
        (out / f"{ARCHIVE}.tmp").replace(out / ARCHIVE)
        yield split


def unpack(out: Path, folder: Path) -> None:
    """The run's folder from what `keep_and_pack` left."""
    folder.mkdir(parents=True, exist_ok=True)
    with tarfile.open(out / ARCHIVE, "r:xz") as packed:
        packed.extractall(folder, filter="data")
    for shard in out.glob("model*.safetensors"):
        shutil.copy(shard, folder / shard.name)


def note_origin(folder: Path, command: str, made_at: str) -> None:
    """For the leaderboard: how the run was made, and by which code."""
    (folder / "made.json").write_text(json.dumps({"command": command, "commit": made_at}) + "\n")


def commit() -> str:
    """Of this checkout, where it is one."""
    line = ["git", "rev-parse", "--short", "HEAD"]
    try:
        found = subprocess.run(line, cwd=Path(__file__).parent, capture_output=True, text=True, check=False)
    except OSError:
        return "unknown"
    return found.stdout.strip() or "unknown"
