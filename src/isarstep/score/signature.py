"""What a score was measured on and how: without this line no number is printed."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from isarstep.common.version import __version__


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
        named = {"bench" if key == "benchmark" else key: value for key, value in asdict(self).items()}
        return "|".join(f"{key.replace('_', '-')}:{value}" for key, value in named.items())
