"""Model folders and checkpoints: safetensors in shards, written whole or not at all.

A model folder holds `config.json`, `vocab.json` and `model*.safetensors`. A checkpoint is a model folder with the
optimiser's state beside. Each is written under a temporary name and renamed when it is complete and on the disk, so
that what was there before survives a kill or a full disk.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import save_file
from torch import Tensor
from torch.overrides import TorchFunctionMode

from isarstep.common.errors import UserError
from isarstep.common.file_reading import read_json
from isarstep.common.files import crc32_of, sha256_of
from isarstep.common.version import __version__
from isarstep.model.nets import build_model
from isarstep.model.nets.base import Seq2Seq
from isarstep.model.nets.folders import (
    About,
    Storage,
    open_folder,
    read_shards,
    refuse_changed_shards,
    refuse_unfitting,
    shard_paths,
    written_sums,
)

SHARD = 15_000_000  # bytes


def write_shards(
    tensors: dict[str, Tensor], folder: Path, stem: str, about: dict[str, str], limit: int = SHARD
) -> None:
    shards: list[dict[str, Tensor]] = [{}]
    room = limit
    for name, tensor in tensors.items():
        size = tensor.numel() * tensor.element_size()
        if size > room and shards[-1]:
            shards.append({})
            room = limit
        shards[-1][name] = tensor.detach().cpu().contiguous()
        room -= size
    for number, shard in enumerate(shards, 1):
        name = f"{stem}.safetensors" if len(shards) == 1 else f"{stem}-{number:05}-of-{len(shards):05}.safetensors"
        save_file(shard, str(folder / name), metadata=about)


def packed(tensors: dict[str, Tensor], storage: Storage) -> dict[str, Tensor]:
    """In int8 every row of a matrix has its own scale; vectors stay as they are."""
    if storage == "fp32":
        return tensors
    if storage == "bf16":
        return {name: t.bfloat16() if t.is_floating_point() else t for name, t in tensors.items()}
    small: dict[str, Tensor] = {}
    for name, tensor in tensors.items():
        if tensor.ndim == 2:
            scale = tensor.float().abs().amax(1, keepdim=True).clamp(min=1e-12) / 127
            small[name] = (tensor.float() / scale).round().to(torch.int8)
            small[name + ":scale"] = scale
        else:
            small[name] = tensor
    return small


def unpacked(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    full: dict[str, Tensor] = {}
    for name, tensor in tensors.items():
        if name.endswith(":scale"):
            continue
        scale = tensors.get(name + ":scale")
        full[name] = tensor.float() * scale if scale is not None else tensor.float()
    return full


@contextmanager
def replaced_folder(folder: Path) -> Iterator[Path]:
    """A folder that appears under its name only when everything in it is on the disk."""
    temporary, old = folder.with_name(f".{folder.name}.tmp"), folder.with_name(f".{folder.name}.old")
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir(parents=True)
    try:
        yield temporary
    except BaseException as error:
        shutil.rmtree(temporary, ignore_errors=True)
        if not isinstance(error, OSError | SafetensorError):
            raise
        why = error.strerror if isinstance(error, OSError) else error
        raise UserError(f"{folder}: could not be written ({why}); what was there is untouched") from None
    for path in temporary.iterdir():
        sync(path)
    shutil.rmtree(old, ignore_errors=True)
    if folder.exists():
        folder.rename(old)
    temporary.rename(folder)
    sync(folder.parent)
    shutil.rmtree(old, ignore_errors=True)


def sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_model(model: Seq2Seq, about: About, folder: Path, storage: Storage = "fp32", shard: int = SHARD) -> None:
    """A model folder's files, into a folder that exists."""
    config = model.config.to_json() | {
        "benchmark": about.benchmark,
        "vocabulary_hash": about.vocabulary_hash,
        "training": about.training,
        "storage": storage,
        "version": __version__,
    }
    (folder / "vocab.json").write_text(json.dumps(about.vocabulary, ensure_ascii=False) + "\n", encoding="utf-8")
    hashes = {"benchmark": about.benchmark, "vocabulary": about.vocabulary_hash}
    write_shards(packed(model.state_dict(), storage), folder, "model", hashes, shard)
    paths = shard_paths(folder, "model")
    config["shards"] = {path.name: sha256_of(path) for path in paths}
    config["checksums"] = {path.name: crc32_of(path) for path in paths}
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n", encoding="utf-8")


class _Blank(TorchFunctionMode):
    """Leaves out the initialisation of weights that are read from a file anyway. On the meta device it would do
    nothing, but import torch's compiler to do so, for more than a second."""

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if getattr(func, "__name__", "") in ("normal_", "uniform_", "trunc_normal_"):
            return args[0] if args else (kwargs or {})["tensor"]
        return func(*args, **(kwargs or {}))


def load_model(folder: Path) -> tuple[Seq2Seq, About]:
    """A model in eval mode, in fp32 on the CPU, and where it comes from."""
    opened = open_folder(folder)
    with torch.device("meta"), _Blank():
        model = build_model(opened.config)
    refuse_changed_shards(opened.path, opened.shards)
    weights = unpacked(read_shards(opened.path, "model", "pt"))
    refuse_unfitting(opened.path, set(model.state_dict()), set(weights))
    model.load_state_dict(weights, assign=True)
    return model.eval(), opened.about


_CURE = "the checkpoint is damaged: start another run in another folder, or copy this one again"


@dataclass
class Progress:
    """Where a run stands, besides its weights."""

    step: int = 0
    epoch: int = 0
    batch: int = 0  # of the epoch's plan
    tokens: int = 0
    seconds: float = 0.0
    best_bleu: float = -1.0
    best_step: int = 0


def write_checkpoint(
    folder: Path,
    model: Seq2Seq,
    optimisers: Sequence[torch.optim.Optimizer],
    progress: Progress,
    about: About,
) -> None:
    names = {id(parameter): name for name, parameter in model.named_parameters()}
    state: dict[str, Tensor] = {}
    for number, optimiser in enumerate(optimisers):
        for parameter, values in optimiser.state.items():
            for key, value in values.items():
                state[f"{number}/{names[id(parameter)]}/{key}"] = value
    with replaced_folder(folder) as temporary:
        write_model(model, about, temporary)
        write_shards(state, temporary, "optimiser", {}, 1 << 30)
        (temporary / "progress.json").write_text(json.dumps(vars(progress)) + "\n", encoding="utf-8")


def read_checkpoint(
    folder: Path, model: Seq2Seq, optimisers: Sequence[torch.optim.Optimizer], about: About
) -> Progress:
    fields = read_json(folder / "config.json", _CURE, dict[str, Any])
    for what, ours in (("benchmark", about.benchmark), ("vocabulary_hash", about.vocabulary_hash)):
        if fields.get(what) != ours:
            raise UserError(
                f"{folder}: trained on other data ({what} {fields.get(what)}, here {ours}); start another run, or "
                "give the recipe again with which this one was begun"
            )
    progress: Progress = read_json(folder / "progress.json", _CURE, Progress)  # before anything is changed
    refuse_changed_shards(folder, written_sums(fields))
    model.load_state_dict(read_shards(folder, "model", "pt"))
    parameters = dict(model.named_parameters())
    for key, value in read_shards(folder, "optimiser", "pt").items():
        number, name, field = key.split("/")
        parameter = parameters[name]
        on_cpu = field == "step" and not parameter.is_cuda
        optimisers[int(number)].state[parameter][field] = value if on_cpu else value.to(parameter.device)
    return progress


def recover(folder: Path) -> None:
    """After a kill between two renames: the complete folder gets its name back."""
    old = folder.with_name(f".{folder.name}.old")
    if not folder.exists() and old.exists():
        old.rename(folder)
