"""What somebody types into a search field, understood: words, names of constants, and notation such as `⊆` or `dvd`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from isarstep.benchmark.problems.problem_reader import ProblemReader
from isarstep.benchmark.store.fact_search import SearchWord
from isarstep.common.errors import UserError
from isarstep.isabelle.terms.terms import Term, constants

_PIECE = re.compile(r"[^\W\d][\w.']*|[^\w\s()\[\]{},;?\"‹›]+|[0-9a-f]{4,12}")
_UNSAID = {"a", "an", "and", "for", "in", "is", "of", "on", "or", "the", "to", "with"}
_EVERYWHERE = {"HOL.Trueprop", "Pure.imp", "HOL.eq", "Pure.all"}  # they tell no statement from another
_LETTER = re.compile(r"[^\W\d][0-9']*")
MOST_WORDS = 12


def understood(query: str, *readers: ProblemReader) -> tuple[tuple[SearchWord, ...], Term | None]:
    """The words that count, with what they mean to any of the readers, and the whole as a term where it says something.
    A single letter is a variable, unless there is nothing else."""
    pieces = list(dict.fromkeys(_PIECE.findall(query)))[:MOST_WORDS]
    telling = [piece for piece in pieces if not _LETTER.fullmatch(piece) and piece.lower() not in _UNSAID]
    words = tuple(SearchWord(_stem(piece), _meanings(piece, readers)) for piece in telling or pieces)
    return words, _pattern(query, readers[0])


def _stem(piece: str) -> str:
    text = piece.lower()
    return text[:-1] if len(text) > 4 and text.endswith("s") and not text.endswith("ss") else text


def _meanings(piece: str, readers: Sequence[ProblemReader]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for reader in readers for name in _meaning(piece, reader)))


def _meaning(piece: str, reader: ProblemReader) -> tuple[str, ...]:
    """The constants that a name or a piece of notation stands for here."""
    name = reader.names.constant_called(piece) if piece[0].isalpha() else None
    if name is not None and name in reader.signature.constants:
        return (name,)
    for text in (f"({piece})", piece):
        try:
            term = reader.proposition(text, "notation", reader.names, "query")[0].term
        except UserError:
            continue
        return tuple(sorted({each.name for each in constants(term)} - {"HOL.Trueprop"}))
    return ()


def _pattern(query: str, reader: ProblemReader) -> Term | None:
    try:
        term = reader.proposition(query, "notation", reader.names, "query")[0].term
    except UserError:
        return None
    return term if {each.name for each in constants(term)} - _EVERYWHERE else None
