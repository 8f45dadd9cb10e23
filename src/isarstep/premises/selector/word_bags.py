"""Propositions as bags of rows of one small table, so that facts nobody has seen can be read.

A constant has a row by its whole name and one for each part of it (`Groups.plus_class.plus`: groups, plus, class); two
neighbouring symbols of a proposition have a row together. Rows are hashes: no vocabulary is kept. Free and
schematic variables are all alike, so are bound ones; brackets and announcing words are left out.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from isarstep.benchmark.arrays.corpus import Ints, Lists, Longs, starts_of
from isarstep.benchmark.arrays.dense import IMPLIED, kind_of_name
from isarstep.benchmark.store.special_tokens import SPECIALS

Integer = TypeVar("Integer", np.int32, np.int64)

NAMES, PARTS, PAIRS = 12_288, 8_192, 12_288  # rows of each kind
FIRST_PAIR = NAMES + PARTS
ROWS = FIRST_PAIR + PAIRS
AT_ONCE = 16_384  # propositions that are sorted together
_SILENT = frozenset((*SPECIALS, *IMPLIED, "(", ")"))
_BETWEEN = re.compile(r"[._\-]+")
_SPREAD = np.uint64(0x9E3779B97F4A7C15)


def hashed(text: str) -> int:
    return zlib.crc32(text.encode())


def part_rows(name: str) -> list[int]:
    """The rows of the parts of a name, each once."""
    parts = dict.fromkeys(part for part in _BETWEEN.split(name.lower()) if part)
    return list(dict.fromkeys(NAMES + hashed(part) % PARTS for part in parts))


@dataclass(frozen=True, eq=False)
class Words:
    """What the words of some texts are in the table. Word n has the row `own[n]` and the rows of its parts."""

    named: npt.NDArray[np.bool_]  # a constant
    symbol: npt.NDArray[np.uint64]  # that is compared in pairs; 0: it is left out
    own: Ints
    parts: Ints
    part_starts: Longs

    def __len__(self) -> int:
        return len(self.own)


def word_table(words: Sequence[str]) -> Words:
    named, symbol, own, parts, counts = [], [], [], [], []
    for word in words:
        kind = "" if word in _SILENT else "ABS" if word == "ABS" else kind_of_name(word)
        kind = "FREE" if kind == "VAR" else kind  # a step's variable matches a fact's schematic one
        constant = kind == "CONST"
        number = hashed(word if constant else kind)
        named.append(constant)
        symbol.append(number + 1 if kind else 0)
        own.append(number % NAMES)
        rows = part_rows(word) if constant else []
        parts += rows
        counts.append(len(rows))
    return Words(
        np.array(named, np.bool_),
        np.array(symbol, np.uint64),
        np.array(own, np.int32),
        np.array(parts, np.int32),
        starts_of(np.array(counts, np.int64)),
    )


# For each proposition the numbers of what is in it, each once and in order: constants as numbers of words, then rows of
# pairs behind all words (`len(words) + row`).
Bags = Lists


def bags_of(tokens: npt.NDArray[np.integer], token_starts: Longs, words: Words) -> Bags:
    """The bags of propositions that are laid end to end as numbers of words."""

    def part(begin: int) -> Bags:
        starts = token_starts[begin : begin + AT_ONCE + 1]
        return _bags_of(tokens[starts[0] : starts[-1]], starts - starts[0], words)

    begins = range(0, len(token_starts) - 1, AT_ONCE)
    if len(begins) < 2:
        return part(0)
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor() as threads:  # sorting leaves the interpreter free
        return joined_bags(*threads.map(part, begins))


def _bags_of(tokens: npt.NDArray[np.integer], token_starts: Longs, words: Words) -> Bags:
    many = len(token_starts) - 1
    speaks = words.symbol[tokens] > 0
    owner = np.repeat(np.arange(many), np.diff(token_starts))[speaks]
    spoken = tokens[speaks]
    width = len(words) + ROWS
    named = words.named[spoken]
    singles = owner[named] * width + spoken[named]
    together = np.flatnonzero(owner[1:] == owner[:-1])
    symbols = words.symbol[spoken]
    mixed = (symbols[together] * _SPREAD) ^ (symbols[together + 1] * np.uint64(0xC2B2AE3D27D4EB4F))
    mixed ^= mixed >> np.uint64(31)
    rows = (mixed % np.uint64(PAIRS)).astype(np.int64) + FIRST_PAIR
    pairs = owner[together] * width + len(words) + rows
    found = each_once(np.concatenate([singles, pairs]))
    starts = np.searchsorted(found, np.arange(many + 1, dtype=np.int64) * width)
    return Bags((found % width).astype(np.int32), starts.astype(np.int64))


def each_once(numbers: npt.NDArray[Integer]) -> npt.NDArray[Integer]:
    """In order. As `np.unique`, which loads numpy's masked arrays for it: a cold command has better things to do."""
    ordered = np.sort(numbers)
    return ordered[np.flatnonzero(np.diff(ordered, prepend=ordered[:1] - 1))]


def bags_of_names(names: Iterable[str], words: int) -> Bags:
    """Names of facts or theories, by their parts alone, over the table of so many words."""
    found = [part_rows(name) for name in names]
    values = np.array([words + row for rows in found for row in rows], np.int32)
    return Bags(values, starts_of(np.array(list(map(len, found)), np.int64)))


def joined_bags(*parts: Bags) -> Bags:
    counts = np.concatenate([part.counts for part in parts])
    return Bags(np.concatenate([part.values for part in parts]), starts_of(counts))


def numbered_texts(texts: Iterable[str]) -> tuple[tuple[str, ...], Ints, Longs]:
    """The words of lines of tokens, the lines laid end to end as numbers of words, and where each begins."""
    place: dict[str, int] = {}
    numbers: list[int] = []
    counts: list[int] = []
    for text in texts:
        row = [place.setdefault(word, len(place)) for word in text.split()]
        numbers += row
        counts.append(len(row))
    return tuple(place), np.array(numbers, np.int32), starts_of(np.array(counts, np.int64))
