"""A few hundred real examples with the signature they need, inside the package: for the demo, the gallery and tests."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from isarstep.isabelle.terms.signature import Signature, from_zstandard


@dataclass(frozen=True, slots=True)
class SampleExample:
    """One example, its propositions as lines of tokens; F.1 to F.5 as in the paper."""

    theory: str
    theorem: str
    f1: str
    f2: tuple[str, ...]
    f3: str
    f4: tuple[str, ...]
    f5: tuple[str, ...]

    def propositions(self) -> list[str]:
        """All of them, in the order that numbers variables: F.2, F.3, F.4, F.5, F.1."""
        return [*self.f2, self.f3, *self.f4, *self.f5, self.f1]


def _read(name: str) -> bytes:
    return from_zstandard(files("isarstep.resources").joinpath(name).read_bytes())


@cache
def sample_examples() -> tuple[SampleExample, ...]:
    rows = [json.loads(line) for line in _read("sample.jsonl.zst").decode().splitlines()]
    return tuple(
        SampleExample(r["theory"], r["theorem"], r["f1"], tuple(r["f2"]), r["f3"], tuple(r["f4"]), tuple(r["f5"]))
        for r in rows
    )


@cache
def sample_signature() -> Signature:
    return Signature.from_json(json.loads(_read("sample-signature.json.zst")))
