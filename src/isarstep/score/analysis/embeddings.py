"""What a token table knows: principal components, nearest neighbours by cosine, sums of tokens.

Only tokens that were seen often are looked at: what was seen a few times lies about where it began, near everything.
Nor does it say anything that all tokens have a direction in common: `centred` takes it away.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from isarstep.benchmark.arrays.dense import IMPLIED
from isarstep.benchmark.store.special_tokens import SPECIALS
from isarstep.common.errors import UserError
from isarstep.common.files import write_whole
from isarstep.resources import model_folder

NEIGHBOURS = 50  # as in the paper's figure
COMMON = 2000  # tokens, the most frequent ones; a vocabulary is in that order

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Neighbour:
    token: str
    cosine: float


def embeddings_of(folder: str | Path) -> Embeddings | None:
    """The token table of a model's folder: kept apart, or from the weights; None where neither is there."""
    folder = model_folder(folder)
    kept = folder / "embeddings.safetensors"
    if kept.is_file():
        return load_embeddings(kept)
    if not list(folder.glob("model*.safetensors")):
        return None
    from isarstep.model.nets.checkpoint import load_model
    from isarstep.model.nets.folders import read_description

    table = np.asarray(load_model(folder)[0].token_table.detach().float().numpy(), np.float32)
    fields, vocabulary = read_description(folder)
    return common_tokens(vocabulary, table, IMPLIED if fields.get("dense") else ())


def common_tokens(vocabulary: Sequence[str], table: Floats, unread: Collection[str] = ()) -> Embeddings:
    """Of a vocabulary with its V x D table. Special tokens (`<PAD>`, `<F2>`, ...) are no neighbours of anything, nor
    are tokens that the model never reads."""
    if len(vocabulary) != len(table):
        raise UserError(f"{len(vocabulary)} tokens but {len(table)} embeddings: they don't belong together")
    read = [i for i, token in enumerate(vocabulary) if i >= len(SPECIALS) and token not in unread]
    kept = read[:COMMON]
    return Embeddings([vocabulary[i] for i in kept], np.asarray(table[kept], np.float32))


def save_embeddings(known: Embeddings, path: Path) -> None:
    """In bytes, each row with its own scale: cosines keep two digits."""
    from safetensors.numpy import save

    scale = np.maximum(np.abs(known.vectors).max(1, keepdims=True), 1e-12) / 127
    rows = np.rint(known.vectors / scale).astype(np.int8)
    names = {"tokens": json.dumps(known.tokens, ensure_ascii=False)}
    write_whole(path, save({"rows": rows, "scale": scale.astype(np.float32)}, names))


def load_embeddings(path: Path) -> Embeddings:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(str(path), "np") as file:
            table = file.get_tensor("rows").astype(np.float32) * file.get_tensor("scale")
            return Embeddings(json.loads(file.metadata()["tokens"])[:COMMON], table[:COMMON])
    except (SafetensorError, KeyError, TypeError, ValueError) as error:
        raise UserError(f"{path}: not embeddings that isarstep wrote ({error}); run 'isarstep keep' again") from None


class Embeddings:
    """Tokens, the most frequent first, with their vectors."""

    def __init__(self, tokens: Sequence[str], vectors: Floats) -> None:
        self.tokens = list(tokens)
        self.vectors = vectors
        self._unit = self.vectors / np.maximum(np.linalg.norm(self.vectors, axis=1, keepdims=True), 1e-12)
        self._place = {token: i for i, token in enumerate(self.tokens)}

    def centred(self) -> Embeddings:
        """Without the vector that all tokens have in common, which makes any two of them look alike."""
        return Embeddings(self.tokens, self.vectors - self.vectors.mean(0))

    def find(self, name: str) -> int:
        """The place of a token, given in full or by the end of its name (`card` for `Finite_Set.card`)."""
        if name in self._place:
            return self._place[name]
        ends = [i for i, token in enumerate(self.tokens) if token.endswith("." + name)]
        if not ends:
            raise UserError(f"{name}: not among the {len(self.tokens):,} tokens that this model saw most often")
        return ends[0]  # the vocabulary is in order of frequency: the first is the commonest

    def has(self, name: str) -> bool:
        return name in self._place or any(token.endswith("." + name) for token in self.tokens)

    def neighbours(self, name: str, count: int = NEIGHBOURS) -> list[Neighbour]:
        """The tokens closest to a token, itself left out."""
        place = self.find(name)
        return [n for n in self.nearest(self.vectors[place], count + 1) if n.token != self.tokens[place]][:count]

    def arithmetic(self, expression: str, count: int = 10) -> list[Neighbour]:
        """The tokens closest to a sum such as `bounded + closed`, its summands included, as in the paper."""
        pieces = re.split(r"\s+([+-])\s+", expression.strip())
        total = self.vectors[self.find(pieces[0])].copy()
        for sign, name in zip(pieces[1::2], pieces[2::2], strict=True):
            total += (1 if sign == "+" else -1) * self.vectors[self.find(name)]
        return self.nearest(total, count)

    def nearest(self, vector: Floats, count: int) -> list[Neighbour]:
        cosines = self._unit @ (vector / max(float(np.linalg.norm(vector)), 1e-12))
        best = np.argsort(-cosines, kind="stable")[:count]
        return [Neighbour(self.tokens[i], float(cosines[i])) for i in best]

    def components(self, count: int = 3) -> tuple[Floats, list[float]]:
        """Coordinates of all tokens along the principal components, and the share of variance each explains."""
        centred = self.vectors - self.vectors.mean(0)
        # From the D x D covariance: far quicker than decomposing the table, and three directions need no more.
        variances, directions = np.linalg.eigh(centred.T.astype(np.float64) @ centred)
        variances, directions = np.maximum(variances[::-1], 0), directions[:, ::-1]
        shares = variances / max(float(variances.sum()), 1e-12)
        return (centred @ directions[:, :count]).astype(np.float32), [float(v) for v in shares[:count]]

    def cosines(self, places: Sequence[int]) -> Floats:
        """Cosines among the chosen tokens."""
        chosen = self._unit[list(places)]
        return np.asarray(chosen @ chosen.T, np.float32)
