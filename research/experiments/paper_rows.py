"""The rows of the paper's tables and what each is trained with: one definition for every machine that makes one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One line of the paper's tables."""

    model: str
    hints: bool = False
    categories: bool = True
    seed: int = 0

    @property
    def name(self) -> str:
        if not self.categories:
            return f"{self.model}-nocat"
        if self.seed:
            return f"{self.model}-seed{self.seed}"
        return f"{self.model}-{'f5' if self.hints else 'base'}"


ROWS = (
    *(Row(model, hints) for model in ("rnnsearch", "convs2s", "transformer", "hat") for hints in (False, True)),
    Row("hat", categories=False),
    Row("hat", seed=1),  # what a seed is worth
)


@dataclass(frozen=True)
class Scale:
    size: str
    tokens: int  # read and written, dense, of each run
    batch: int
    padded_batch: int  # RNNSearch and ConvS2S wait for the host at every step: more sequences cost little more
    warmup: int
    looks: int
    checked: int  # examples whose first answers provers are asked about; 0: none
    rows: tuple[Row, ...] = ROWS

    def row(self, name: str) -> Row | None:
        return next((row for row in self.rows if row.name == name), None)


SCALES = {
    "paper": Scale("base", 1_000_000_000, 32_768, 131_072, 4_000, 8, 5_000),
    "twin": Scale("tiny", 6_000, 1024, 2048, 10, 1, 2, (Row("rnnsearch"), Row("hat", hints=True))),
}


def recipe_of(row: Row, scale: Scale, minutes: float | None = None) -> str:
    """A recipe file: the paper's recipe on dense tokens, to the scale's budget of tokens or to one of minutes.

    The paper's learning rate follows the number of steps alone, so that a longer budget only goes on.
    """
    batch = scale.padded_batch if row.model in ("rnnsearch", "convs2s") else scale.batch
    warmup = scale.warmup * scale.batch // batch  # over the same number of tokens
    budget = f"tokens = {scale.tokens}" if minutes is None else f"minutes = {float(minutes)}"
    return (
        f'like = "paper"\n[model]\ndense = true\ncategories = {str(row.categories).lower()}\n'
        f"[training]\n{budget}\nbatch = {batch}\nwarmup = {warmup}\n"
        f'[run]\nlooks = {scale.looks}\nstorage = "int8"\n'
    )
