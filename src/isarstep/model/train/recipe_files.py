"""Recipes as files: everything about a run that is seldom turned, in TOML, beside the few options of the command line.

A file may begin with `like = "modern"`: what it does not say is as in that recipe. The recipes inside the package are
asked for by name.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, get_args, get_type_hints

from isarstep.benchmark.arrays.corpus import Dataset
from isarstep.benchmark.arrays.inputs import Input
from isarstep.common.errors import UserError
from isarstep.model.data.constants import numbers_in, opened, under_vocabulary
from isarstep.model.nets.config import PAPER_DROPOUT, Kind, ModelConfig, Size, Style
from isarstep.model.nets.folders import Storage, read_description
from isarstep.model.train.recipe import Recipe
from isarstep.resources import model_folder

FOLDER = Path(__file__).parent / "recipes"


@dataclass(frozen=True)
class Layers:
    """Of a model of any kind and size."""

    style: Style = "paper"
    dropout: float | None = None  # None: the paper's for this kind of model
    dense: bool = False
    categories: bool = True  # HAT: tell which field a proposition is from
    constant_numbers: int = 0  # constants without a token that an example may have; 0: all of them are <UNK>
    named_constants: int | None = None  # with a token, the most frequent ones; None: all of the training split


@dataclass(frozen=True)
class Running:
    """How a run looks at itself and what it leaves."""

    looks: int = 20  # validations, with a checkpoint each
    storage: Storage = "fp32"  # of the final weights


@dataclass(frozen=True)
class RunRecipe:
    """All that a recipe file says."""

    model: Layers = field(default_factory=Layers)
    training: Recipe = field(default_factory=Recipe)
    run: Running = field(default_factory=Running)

    def data(self, dataset: Dataset, start_from: Path | None = None) -> Dataset:
        """The data under the vocabulary that the model gets: that of the model to start from, if it is an open one."""
        layers = self.model
        if start_from is not None:
            _, vocabulary = read_description(model_folder(start_from))
            if numbers_in(vocabulary):
                return under_vocabulary(dataset, vocabulary)
        return opened(dataset, layers.constant_numbers, layers.named_constants)

    def config(self, kind: Kind, size: Size, vocabulary: int, input: Input) -> ModelConfig:
        layers = self.model
        dropout = PAPER_DROPOUT[kind] if layers.dropout is None else layers.dropout
        return ModelConfig(kind, vocabulary, size, layers.style, dropout, input, layers.categories, layers.dense)

    def with_training(self, **changes: Any) -> RunRecipe:
        """With some numbers of the training changed, where they are given."""
        given = {name: value for name, value in changes.items() if value is not None}
        return replace(self, training=replace(self.training, **given))


def paper(**changes: Any) -> Recipe:
    """How the paper trains, with changes."""
    return replace(read_recipe("paper").training, **changes)


def modern(**changes: Any) -> Recipe:
    """How the modern recipe trains, with changes."""
    return replace(read_recipe("modern").training, **changes)


def names() -> list[str]:
    """Of the recipes inside the package."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


@cache
def read_recipe(where: str) -> RunRecipe:
    """A recipe by name, or from a file."""
    path = FOLDER / f"{where}.toml" if where in names() else Path(where)
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError:
        raise UserError(f"{where}: no such recipe; give a file, or one of {', '.join(names())}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: is not TOML ({error})") from None
    like = content.pop("like", None)
    start = RunRecipe() if like is None else read_recipe(str(like))
    sections = {"model": start.model, "training": start.training, "run": start.run}
    changed: dict[str, Any] = {}
    for name, given in content.items():
        if name not in sections or not isinstance(given, dict):
            raise UserError(f"{path}: {name}: not a part of a recipe; there are like, [model], [training] and [run]")
        changed[name] = _changed(path, name, sections[name], given)
    return replace(start, **changed)


def _changed(path: Path, section: str, start: Any, given: Mapping[str, Any]) -> Any:
    known = get_type_hints(type(start))
    for name, value in given.items():
        if name not in known:
            raise UserError(f"{path}: [{section}] has no {name}; there are {', '.join(known)}")
        wanted = next((kind for kind in get_args(known[name]) if isinstance(kind, type)), known[name])  # or None
        if not isinstance(wanted, type):
            if value not in get_args(wanted):
                raise UserError(f"{path}: [{section}] {value}: wants one of {', '.join(get_args(wanted))}")
        elif type(value) is not wanted and not (wanted is float and type(value) is int):
            raise UserError(f"{path}: [{section}] {name} = {value!r}: wants {wanted.__name__}")
    return replace(start, **given)
