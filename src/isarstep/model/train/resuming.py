"""A run that goes on is the same run: its own configuration is read from its checkpoint, and another one is refused."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from isarstep.common.errors import UserError
from isarstep.common.file_reading import read_json
from isarstep.model.nets.config import ModelConfig
from isarstep.model.nets.folders import Storage
from isarstep.model.train.recipe import Recipe
from isarstep.model.train.recipe_files import RunRecipe

# What says how long a run is; a run may go on for longer than was planned.
LENGTH = frozenset(("steps", "minutes", "tokens"))


@dataclass(frozen=True)
class SavedRun:
    """How the run in a folder was configured."""

    folder: Path
    config: ModelConfig
    recipe: Recipe
    running: dict[str, Any] = field(hash=False)  # looks, storage; empty in runs of before

    def refuse_others(self, config: ModelConfig, recipe: Recipe) -> None:
        """Raise where the model or its training would be another one, and say in what."""
        changed = [
            f"{each.name} {getattr(theirs, each.name)!r}, now {getattr(ours, each.name)!r}"
            for theirs, ours in ((self.config, config), (self.recipe, recipe))
            for each in fields(theirs)
            if each.name not in LENGTH and getattr(theirs, each.name) != getattr(ours, each.name)
        ]
        if changed:
            raise UserError(
                f"{self.folder}: this run was begun otherwise ({'; '.join(changed)}); leave these options out to go on "
                "with it, or start another run in another folder"
            )

    def asked(self, config: ModelConfig, *, recipe: str | None, **said: Any) -> ModelConfig:
        """The configuration that options ask for: what they do not say is as it was."""
        if recipe is None:  # style, dropout and the like come from it
            config = replace(
                self.config, vocabulary=config.vocabulary, kind=config.kind, size=config.size, input=config.input
            )
        silent = {name: getattr(self.config, name) for name, value in said.items() if value is None}
        return replace(config, **silent)

    def recipe_again(self, chosen: RunRecipe, steps: int | None, minutes: float | None, seed: int | None) -> RunRecipe:
        """Its own recipe, with another length where one is given (and another seed, which is refused later)."""
        training = self.recipe
        if steps is not None:
            training = replace(training, steps=steps, minutes=None, tokens=None)
        elif minutes is not None:
            training = replace(training, minutes=minutes, tokens=None)
        if seed is not None:
            training = replace(training, seed=seed)
        return replace(chosen, training=training, run=replace(chosen.run, **self.running))


@dataclass(frozen=True)
class _Running:
    looks: int | None = None
    storage: Storage | None = None


@dataclass(frozen=True)
class _Training:
    recipe: Recipe  # a run of before may have had other fields, too
    running: _Running = _Running()


@dataclass(frozen=True)
class _Description:
    training: _Training


def saved_run(folder: Path) -> SavedRun | None:
    """The run whose last checkpoint is in the folder; None where there is none."""
    path = folder / "last" / "config.json"
    if not path.is_file():
        return None
    cure = "start another run in another folder"
    training = read_json(path, cure, _Description).training
    config = ModelConfig.from_json(read_json(path, cure, dict[str, Any]), f"{path}:")
    running = {name: value for name, value in vars(training.running).items() if value is not None}
    return SavedRun(folder, config, training.recipe, running)
