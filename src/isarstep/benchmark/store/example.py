"""One example of the task: the missing proposition (F.1) and the four fields around it, as lines of tokens.

`print(example)` shows it in notation under the authors' names; a notebook shows it in LaTeX. `isarstep show` does so in
the notation of the example's own theory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from isarstep.benchmark.store.special_tokens import BOS, EOS, F2, PAD, UNK
from isarstep.common.errors import UserError
from isarstep.isabelle.context.uses_above import NOTHING_USED, UsesAbove

if TYPE_CHECKING:
    import torch

    from isarstep.isabelle.syntax.writing.readable import ReadableLines

TargetKind = Literal["step", "assumption", "compound"]

# The readable names of F.1 to F.5.
FIELDS = {"target": "f1", "facts": "f2", "goal": "f3", "others": "f4", "hints": "f5"}
_LINES, _INTEGERS = "list<string>", "list<int32>"
FEATURES = {
    **dict.fromkeys(("id", "theorem", "name", "session", "theory"), "string"),
    **dict.fromkeys(("proof", "target_step", "consequence_step"), "int32"),
    **dict.fromkeys(("target_command", "consequence_command", "target_kind", "mark"), "string"),
    "target": "string",
    "facts": _LINES,
    "goal": "string",
    "others": _LINES,
    "hints": _LINES,
    "f1": "string",
    "f2": _LINES,
    "f3": "string",
    "f4": _LINES,
    "f5": _LINES,
    **dict.fromkeys(("types", "names"), "map<string, string>"),
    "fixed": "int32",
    "introduced": _INTEGERS,
    "introduced_after": _INTEGERS,
}


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
    types: Mapping[str, str] = field(default_factory=dict, hash=False)
    theorem: str = ""
    name: str = ""
    session: str = ""
    theory: str = ""
    proof: int = -1
    target_step: int = -1
    consequence_step: int = -1
    target_command: str = ""
    consequence_command: str = ""
    mark: str = ""  # why it teaches nothing (isarstep.benchmark.rules.marks); empty: it may
    fixed: int = -1  # variables fixed at the consequence are <X0> to <X(fixed - 1)>; -1: not known
    introduced: tuple[int, ...] = ()  # numbers of the variables that the target's own step introduces
    introduced_after: tuple[int, ...] = ()  # and those that the consequence's step introduces
    # That people gave to the variables <X..>, for displays.
    names: Mapping[str, str] = field(default_factory=dict, hash=False)
    # Row of the benchmark's proofs (an address that growth changes), and which of the proof's variables the <X..> are.
    proof_row: int | None = field(default=None, compare=False)
    places: Mapping[str, int] = field(default_factory=dict, hash=False)
    # What stands above the gap, where somebody has looked it up: the theorem's statement, and facts, the nearest first.
    statement: tuple[str, ...] = field(default=(), compare=False)
    earlier: tuple[str, ...] = field(default=(), compare=False)
    premises: tuple[str, ...] = field(default=(), compare=False)  # library facts that a selector has chosen, best first
    used_above: UsesAbove = field(default=NOTHING_USED, compare=False)  # where a file shows it

    @property
    def target(self) -> str:
        """F.1, the missing step."""
        return self.f1

    @property
    def facts(self) -> tuple[str, ...]:
        """F.2, what the target follows from."""
        return self.f2

    @property
    def goal(self) -> str | None:
        """F.3, what follows from the target."""
        return self.f3

    @property
    def others(self) -> tuple[str, ...]:
        """F.4, what else the goal follows from."""
        return self.f4

    @property
    def hints(self) -> tuple[str, ...]:
        """F.5, library lemmas that the target was proved with."""
        return self.f5

    def __str__(self) -> str:
        lines = self._readable()
        where = f"  {self.theory}, {self.name or '(unnamed)'}" if self.theory else ""
        return "\n".join([f"{self.id}{where}", *(f"{title:>7}  {lines.text(line)}" for title, line in self._titled())])

    def _repr_markdown_(self) -> str:
        lines = self._readable()
        return "\n".join(f"- {title} {lines.latex(line)}" for title, line in self._titled())

    def _readable(self) -> ReadableLines:
        from isarstep.isabelle.syntax.writing.readable import ReadableLines

        return ReadableLines((line for _, line in self._titled()), self.names)

    def _titled(self) -> Iterator[tuple[str, str]]:
        """Every proposition with the word for its field."""
        fields = {
            "fact": self.f2,
            "target": (self.f1,),
            "other": self.f4,
            "goal": () if self.f3 is None else (self.f3,),
        }
        for title, lines in (fields | {"hint": self.f5}).items():
            yield from ((title, line) for line in lines)

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


class TensorExamples:
    """Examples as tensors of token numbers: a map-style data set of PyTorch, without its workers or batches.

    An example has `source`, the propositions of F.2 to F.5 in the order in which models read them, each after the token
    of its field, and `target`, between `<BOS>` and `<EOS>`. The numbers are those of the benchmark's vocabulary.
    """

    def __init__(self, examples: Sequence[Example], vocabulary: Sequence[str]) -> None:
        self.examples = examples
        self._numbers = {token: number for number, token in enumerate(vocabulary)}

    def __len__(self) -> int:
        return len(self.examples)

    def __getitem__(self, index: int) -> dict[str, torch.Tensor]:
        return self._tensors(self.examples[index])

    def __getitems__(self, indices: Sequence[int]) -> list[dict[str, torch.Tensor]]:
        return [self[index] for index in indices]

    def _tensors(self, example: Example) -> dict[str, torch.Tensor]:
        try:
            import torch
        except ImportError:
            raise UserError("to_torch needs PyTorch: pip install 'isarstep[train]'") from None

        numbers, source = self._numbers, list[int]()
        for number, text in example.source():
            source.append(F2 + number - 2)
            source += [numbers.get(token, UNK) for token in text.split()]
        target = [BOS, *(numbers.get(token, UNK) for token in example.f1.split()), EOS]
        return {"source": torch.tensor(source), "target": torch.tensor(target)}

    @staticmethod
    def collate(examples: Sequence[Mapping[str, torch.Tensor]]) -> dict[str, torch.Tensor]:
        """A batch, padded with `<PAD>`: the `collate_fn` of a `DataLoader`."""
        from torch.nn.utils.rnn import pad_sequence

        names = ("source", "target")
        return {name: pad_sequence([e[name] for e in examples], batch_first=True, padding_value=PAD) for name in names}
