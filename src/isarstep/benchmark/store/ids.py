"""Names that never change: of propositions, theorems and examples, all from the text of their tokens.

Order inside a field does not count, so an example keeps its id when it travels through the release format.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence

VARIABLE = re.compile(r"<X(\d+)>")
CONSTANT = re.compile(r"CONST (\S+)")


def proposition_digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def theorem_identity(statements: Iterable[str]) -> str:
    """16 hex digits (of SHA-256) for the normalised statements of a theorem; equal statements are one theorem."""
    return hashlib.sha256("\n".join(statements).encode()).hexdigest()[:16]


def content_key(f1: bytes, f2: Sequence[bytes], f3: bytes | None, f4: Sequence[bytes], f5: Sequence[bytes]) -> bytes:
    """Equal for examples with equal F.1-F.5, given by the digests of their propositions."""
    parts = [f1, b"2", *sorted(f2), b"3", f3 or b"", b"4", *sorted(f4), b"5", *sorted(f5)]
    return hashlib.blake2b(b"".join(parts), digest_size=16).digest()


def example_id(theorem: str, content: bytes) -> str:
    return hashlib.sha256(theorem.encode() + content).hexdigest()[:12]


def variables_of(text: str) -> tuple[int, ...]:
    """Numbers of the variables `<X..>` of a proposition in order of first occurrence."""
    return tuple(dict.fromkeys(map(int, VARIABLE.findall(text))))


def numbered(text: str) -> str:
    """Variables `<X..>` numbered by first occurrence."""
    new: dict[str, str] = {}
    return VARIABLE.sub(lambda match: new.setdefault(match[0], f"<X{len(new)}>"), text)


def places_of_lowest(ids: Sequence[str], limit: int | None) -> list[int]:
    """Where the `limit` lowest ids stand, in the order of the list: what `--limit` means everywhere. Ids are hashes, so
    these are a sample, and it stays the same while a benchmark grows."""
    return sorted(sorted(range(len(ids)), key=ids.__getitem__)[:limit])


def unique_names(own: Mapping[str, str]) -> dict[str, str]:
    """The names that the text gives to variables; a name that was given before gets a letter more, as in Isabelle."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for variable, name in own.items():
        while name in taken:
            name += "a"
        taken.add(name)
        names[variable] = name
    return names
