"""One example of the task: the missing proposition (F.1) and the four fields around it, as lines of tokens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

TargetKind = Literal["step", "assumption", "compound"]


@dataclass(frozen=True, slots=True)
class Example:
    """F.1-F.5, where they are from, and the types of the variables `<X..>` as `format_type` writes them."""

    id: str
    f1: str
    f2: tuple[str, ...]
    f3: str | None
    f4: tuple[str, ...]
    f5: tuple[str, ...]
    target_kind: TargetKind = "step"
    types: Mapping[str, str] = field(default_factory=dict)
    theorem: str = ""
    name: str = ""
    session: str = ""
    theory: str = ""
    proof: int = -1
    target_step: int = -1
    consequence_step: int = -1
    target_command: str = ""
    consequence_command: str = ""
    mark: str = ""  # why it teaches nothing (isarstep.bench.marks); empty: it may
    fixed: int = -1  # variables fixed at the consequence are <X0> to <X(fixed - 1)>; -1: not known
    introduced: tuple[int, ...] = ()  # numbers of the variables that the target's own step introduces
    introduced_after: tuple[int, ...] = ()  # and those that the consequence's step introduces
    names: Mapping[str, str] = field(default_factory=dict)  # that people gave to the variables <X..>, for displays
    # Row of the benchmark's proofs (an address that growth changes), and which of the proof's variables the <X..> are.
    proof_row: int | None = field(default=None, compare=False)
    places: Mapping[str, int] = field(default_factory=dict)
    # What stands above the gap, where somebody has looked it up: the theorem's statement, and facts, the nearest first.
    statement: tuple[str, ...] = field(default=(), compare=False)
    earlier: tuple[str, ...] = field(default=(), compare=False)

    @property
    def step_id(self) -> str:
        """Names the command that states the target: theory, ordinal of the proof, ordinal of the command."""
        return f"{self.theory}:{self.proof}:{self.target_step}"

    def source(self, *, hints: bool = True) -> list[tuple[int, str]]:
        """(field, proposition) in the order in which models read them: fields in order, longest proposition first."""
        fields = ((2, self.f2), (3, () if self.f3 is None else (self.f3,)), (4, self.f4), (5, self.f5 if hints else ()))
        return [
            (number, text)
            for number, texts in fields
            for text in sorted(texts, key=lambda text: -(text.count(" ") + 1))
        ]
