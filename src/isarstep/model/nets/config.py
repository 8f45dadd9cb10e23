"""What a model is, in a handful of numbers: its kind, its size and the style of its layers.

`size` is the one dial: every width and depth follows from it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from isarstep.benchmark.arrays.inputs import Input
from isarstep.common.errors import UserError
from isarstep.common.file_reading import Misfit, fitting

Kind = Literal["rnnsearch", "convs2s", "transformer", "hat"]
Size = Literal["tiny", "small", "base"]
Style = Literal["paper", "modern"]

PAPER_DROPOUT: dict[Kind, float] = {"rnnsearch": 0.2, "convs2s": 0.2, "transformer": 0.1, "hat": 0.1}


@dataclass(frozen=True)
class Dimensions:
    """Widths and depths of one size. `local_layers` of the encoder's layers stay inside a proposition (HAT)."""

    width: int
    filter: int
    heads: int
    encoder_layers: int
    local_layers: int
    decoder_layers: int


# `base` is the paper's. `small` is what fits into the package: a deep encoder runs once per example, so that depth is
# spent there; every decoder layer is paid for at each token of each hypothesis.
SIZES: dict[Size, Dimensions] = {
    "tiny": Dimensions(64, 256, 4, 3, 2, 2),
    "small": Dimensions(384, 1536, 6, 6, 4, 3),
    "base": Dimensions(512, 2048, 8, 6, 4, 6),
}


@dataclass(frozen=True)
class ModelConfig:
    """Everything needed to build a model again, besides its weights."""

    kind: Kind
    vocabulary: int
    size: Size = "base"
    style: Style = "paper"
    dropout: float = 0.1
    input: Input = "base"  # what is read beside F.2-F.4
    categories: bool = True  # False: the paper's ablation without category information
    dense: bool = False  # reads and writes without the tokens that others imply (benchmark/arrays/dense.py)

    @property
    def dimensions(self) -> Dimensions:
        return SIZES[self.size]

    @property
    def hierarchical(self) -> bool:
        """Reads propositions as segments with categories; the others read one row of tokens with labels."""
        return self.kind == "hat"

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def from_json(fields: dict[str, Any], where: str = "model configuration") -> ModelConfig:
        """Return the configuration in a model folder's description, whose other fields are ignored.

        Raises:
            UserError: a field is missing or has a value that is not understood; the message begins with `where`.
        """
        if "hints" in fields:  # of before there was a third input
            fields = {"input": "+F.5" if fields["hints"] else "base"} | fields
        for name, allowed in (("kind", Kind), ("size", Size), ("style", Style), ("input", Input)):
            if (value := fields.get(name)) is not None and value not in get_args(allowed):
                raise UserError(f"{where} names {value!r}, expected one of {', '.join(get_args(allowed))}")
        try:
            config: ModelConfig = fitting(fields, ModelConfig)
        except Misfit as error:
            raise UserError(f"{where} not understood ({error}); it was written by another version") from None
        return config
