"""What a model folder says of itself and whether it is whole: all but the weights, and without torch.

It holds `config.json`, `vocab.json` and `model*.safetensors`; `isarstep.model.nets.checkpoint` writes it.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from isarstep.common.errors import UserError
from isarstep.common.file_reading import read_json
from isarstep.common.files import SPOILT, crc32_of, sha256_of
from isarstep.model.nets.config import ModelConfig
from isarstep.resources import model_folder

Storage = Literal["fp32", "bf16", "int8"]


@dataclass(frozen=True)
class About:
    """Where a model comes from."""

    benchmark: str
    vocabulary: tuple[str, ...]
    training: dict[str, Any] = field(hash=False)

    @property
    def vocabulary_hash(self) -> str:
        return hashlib.sha256("\n".join(self.vocabulary).encode()).hexdigest()[:16]


def shard_paths(folder: Path, stem: str) -> list[Path]:
    return sorted([*folder.glob(f"{stem}.safetensors"), *folder.glob(f"{stem}-*.safetensors")])


def read_shards(folder: Path, stem: str, framework: str) -> dict[str, Any]:
    """All tensors by name, as numpy's ("np") or torch's ("pt")."""
    from safetensors import SafetensorError, safe_open

    tensors: dict[str, Any] = {}
    for path in shard_paths(folder, stem):
        try:
            with safe_open(str(path), framework) as file:
                tensors |= {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (not a mapping)
        except SafetensorError as error:
            raise UserError(f"{path}: cannot be read, {SPOILT} ({error})") from None
    return tensors


def refuse_changed_shards(folder: Path, written: dict[str, str]) -> None:
    """Compare with the checksums that were written beside; a folder of before has SHA-256 or nothing."""
    for name, wanted in written.items():
        if not (folder / name).is_file():
            raise UserError(f"{folder}: {name} is missing; copy the folder again")
        if (crc32_of if len(wanted) == 8 else sha256_of)(folder / name) != wanted:
            raise UserError(f"{folder / name}: {SPOILT}")


def written_sums(fields: dict[str, Any]) -> dict[str, str]:
    """Of the files of weights, by name, as `config.json` has them."""
    sums: dict[str, str] = fields.get("checksums") or fields.get("shards", {})
    return sums


def read_description(folder: Path) -> tuple[dict[str, Any], tuple[str, ...]]:
    """What a model folder says of itself beside the weights: the fields of its configuration, and its vocabulary."""
    if not (folder / "config.json").is_file():
        raise UserError(f"{folder}: not a model folder (config.json is missing)")
    cure = "not a whole model folder, copy it again"
    read_json(folder / "config.json", cure, _Description)
    fields: dict[str, Any] = read_json(folder / "config.json", cure, dict[str, Any])
    tokens = read_json(folder / "vocab.json", cure, tuple[str, ...] | _Tokens)
    return fields, tokens.tokens if isinstance(tokens, _Tokens) else tokens


@dataclass(frozen=True, eq=False)
class _Description:
    """The shape of `config.json`, fields of the model's configuration aside."""

    benchmark: str = ""
    training: dict[str, Any] = field(default_factory=dict)
    vocabulary_hash: str = ""
    storage: Storage = "fp32"
    shards: dict[str, str] = field(default_factory=dict)
    checksums: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class _Tokens:
    tokens: tuple[str, ...]


@dataclass(frozen=True)
class ModelFolder:
    """A model folder whose description has been read and fits together."""

    path: Path
    config: ModelConfig
    about: About
    storage: Storage
    shards: dict[str, str] = field(hash=False)  # checksums by name; a folder of before has none


def open_folder(folder: Path) -> ModelFolder:
    folder = model_folder(folder)
    fields, tokens = read_description(folder)
    about = About(fields.get("benchmark", ""), tokens, fields.get("training", {}))
    if fields.get("vocabulary_hash", about.vocabulary_hash) != about.vocabulary_hash:
        raise UserError(f"{folder}: vocab.json is not the vocabulary that this model was trained with")
    config = ModelConfig.from_json(fields, f"{folder / 'config.json'}:")
    if config.vocabulary != len(tokens):
        raise UserError(f"{folder}: config.json says {config.vocabulary} tokens, vocab.json has {len(tokens)}")
    return ModelFolder(folder, config, about, fields.get("storage", "fp32"), written_sums(fields))


def refuse_unfitting(folder: Path, wanted: set[str], found: set[str]) -> None:
    """Weights by name, as the configuration wants them and as they are there."""
    if missing := wanted ^ found:
        raise UserError(
            f"{folder}: weights do not fit the configuration, for example {min(missing)!r}; is a shard missing?"
        )
