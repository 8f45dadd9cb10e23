"""The selector of premises over numpy: which facts of a library does a question want?

Two towers over bags of rows (`premises/selector/word_bags.py`): a fact's score is the product of both embeddings, what
the fact gains for itself, and the cosine of the constants, the rare ones above all.
`isarstep.model.train.selector.model` computes the same in torch. Shapes: B bags, R roles, D width of a row, O width of
an embedding.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from isarstep.benchmark.arrays.corpus import Ints, starts_of
from isarstep.common.errors import UserError
from isarstep.common.files import SPOILT, sha256_of
from isarstep.premises.selector.premise_questions import MAIN, ROLES
from isarstep.premises.selector.word_bags import Bags, Words, each_once
from isarstep.resources import selector_folder

WIDTH, HIDDEN, OUT = 128, 512, 192
SELECTOR = "selector.safetensors"
AT_ONCE = 4096  # facts that are embedded together

Floats = npt.NDArray[np.float32]


def save_selector(weights: dict[str, Floats], about: dict[str, Any], folder: Path) -> None:
    """Matrices in int8, every row with its own scale; the rest as it is."""
    stored: dict[str, npt.NDArray[Any]] = {}
    for name, weight in weights.items():
        if weight.ndim < 2:
            stored[name] = np.atleast_1d(weight).astype(np.float32)
            continue
        scale = np.maximum(np.abs(weight).max(1, keepdims=True), 1e-12).astype(np.float32) / 127
        stored[name] = np.rint(weight / scale).astype(np.int8)
        stored[f"{name}:scale"] = scale
    folder.mkdir(parents=True, exist_ok=True)
    save_file(stored, folder / SELECTOR, {"about": json.dumps(about)})


def load_selector(where: str | Path) -> LightSelector:
    """From a folder, or `embedded` for the one inside the package."""
    path = selector_folder(where) / SELECTOR
    return LightSelector(*selector_weights(path), sha256_of(path))


def selector_weights(path: Path) -> tuple[dict[str, Floats], dict[str, Any]]:
    """What `save_selector` wrote, and what it says of itself."""
    try:
        with safe_open(str(path), "np") as file:
            stored = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (not a mapping)
            about = json.loads(file.metadata()["about"])
    except FileNotFoundError:
        raise UserError(f"{path.parent}: holds no {SELECTOR}") from None
    except (OSError, SafetensorError, KeyError, TypeError) as error:
        raise UserError(f"{path}: cannot be read, {SPOILT} ({error})") from None
    weights = {
        name: np.multiply(value, stored.get(f"{name}:scale", np.float32(1)), dtype=np.float32)
        for name, value in stored.items()
        if not name.endswith(":scale")
    }
    return weights, about


@dataclass(frozen=True, eq=False)
class EmbeddedFacts:
    vectors: Floats
    gains: Floats

    def __len__(self) -> int:
        return len(self.gains)


class LightSelector:
    def __init__(self, weights: dict[str, Floats], about: dict[str, Any], hash_: str) -> None:
        self._weights, self.about, self.hash = weights, about, hash_
        self.scale = float(np.exp(weights["scale"].reshape(-1)[0]))
        self.for_provers, self.for_model = map(float, weights["alpha"])  # what multiplies the cosine of constants
        self._table = weights["table"]

    def words(self, words: Words) -> Floats:
        """A vector for each word, by its name and its parts."""
        of_words: Floats = self._table[words.own]
        spoken = np.flatnonzero(np.diff(words.part_starts))
        if len(spoken):
            of_words[spoken] += np.add.reduceat(self._table[words.parts], words.part_starts[spoken], 0)
        return of_words

    def entries(self, words: Floats, values: npt.NDArray[np.integer]) -> Floats:
        """The vectors of what is in bags: words, then rows of the table."""
        inside = values < len(words)
        found = self._table[np.where(inside, 0, values - len(words))]
        found[inside] = words[values[inside]]
        return found

    def pooled(self, words: Floats, bags: Bags) -> Floats:
        """The sum of each bag, less for large ones."""
        sums = np.zeros((len(bags), WIDTH), np.float32)
        full = np.flatnonzero(bags.counts)
        if len(full):
            sums[full] = np.add.reduceat(self.entries(words, bags.values), bags.starts[:-1][full], 0)
        out: Floats = (sums / np.sqrt(np.float32(1) + bags.counts)[:, None]).astype(np.float32)
        return out

    def facts(self, words: Floats, said: Bags, named: Bags, uses: npt.NDArray[np.integer]) -> EmbeddedFacts:
        """Facts by the bags of their propositions and of their names, and by how often training examples use them."""
        vectors, gains = np.empty((len(said), OUT), np.float32), np.empty(len(said), np.float32)
        for begin in range(0, len(said), AT_ONCE):
            here = np.arange(begin, min(begin + AT_ONCE, len(said)))
            often = np.log1p(uses[here].astype(np.float32))[:, None]
            x = np.concatenate([self.pooled(words, said.take(here)), self.pooled(words, named.take(here)), often], 1)
            y = self._layer("fact_out", silu(self._layer("fact_in", x)))
            vectors[here], gains[here] = unit(y[:, :OUT]), y[:, OUT]
        return EmbeddedFacts(vectors, gains)

    def question(self, words: Floats, bags: Bags, roles: npt.NDArray[np.integer]) -> Floats:
        """One question: bags with their roles."""
        owner = np.repeat(roles, bags.counts)
        order = np.argsort(owner, kind="stable")
        sizes = np.bincount(owner, minlength=ROLES)
        x = self.pooled(words, Bags(bags.values[order], starts_of(sizes))).reshape(1, -1)
        return unit(self._layer("query_out", silu(self._layer("query_in", x))))[0]

    def _layer(self, name: str, x: Floats) -> Floats:
        y: Floats = x @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]
        return y


def asked_words(bags: Bags, roles: npt.NDArray[np.integer], words: int) -> Ints:
    """The constants that a question is compared by."""
    main = bags.take(np.flatnonzero(np.isin(roles, MAIN))).values
    return each_once(main[main < words]).astype(np.int32)


def silu(x: Floats) -> Floats:
    y: Floats = x / (1 + np.exp(-np.clip(x, -60, 60)))
    return y


def unit(x: Floats) -> Floats:
    y: Floats = x / np.maximum(np.linalg.norm(x, axis=-1, keepdims=True), 1e-12)
    return y
