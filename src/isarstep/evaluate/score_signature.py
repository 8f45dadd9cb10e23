"""What a score was measured on and how: without this line no number is printed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from isarstep.version import __version__


@dataclass(frozen=True, slots=True)
class ScoreSignature:
    """One line that tells two scores apart which must not be compared."""

    benchmark: str  # that is scored
    trained: str  # the benchmark that the system was trained on
    split: str
    examples: int
    input: str  # base, +F.5 or +context
    beam: str
    length_rule: str
    constraints: str
    well_formed: str = "not judged"  # by which types
    version: str = __version__

    def __str__(self) -> str:
        return "|".join(f"{key}:{value}" for key, value in self.as_dict().items())

    def as_dict(self) -> dict[str, str | int]:
        named = {"bench" if key == "benchmark" else key: value for key, value in asdict(self).items()}
        return {key.replace("_", "-"): value for key, value in named.items()}


def signature_of(
    meta: Mapping[str, object],
    *,
    benchmark: str,
    trained: str | None,
    split: str,
    examples: int,
    width: int,
    well_formed: str = "not judged",
) -> ScoreSignature:
    """The signature of predictions from what their maker wrote down; what is not known says so."""
    return ScoreSignature(
        benchmark=benchmark[:12],
        trained=(trained or "not stated")[:12],
        split=split,
        examples=examples,
        input=str(meta.get("input", "not stated")),
        beam=str(meta["beam"]) if "beam" in meta else f"not stated ({width}-best)",
        length_rule=str(meta.get("length_rule", "not stated")),
        constraints=str(meta.get("constraints", "not stated")),
        well_formed=well_formed,
    )
