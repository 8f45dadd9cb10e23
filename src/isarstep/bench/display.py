"""Examples for people: propositions in a style, and one example like those in the paper's appendix."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from isarstep.bench.example import Example
from isarstep.bench.store import Benchmark
from isarstep.errors import UserError
from isarstep.logic.names import Names
from isarstep.logic.printing import to_latex, to_unicode
from isarstep.logic.tokens import TokenError, decode

STYLES = ("tokens", "unicode", "latex")


def printer(benchmark: Benchmark, style: str) -> Callable[[str], str]:
    """A function from a line of tokens to text in the style; each proposition is printed once."""
    if style not in STYLES:
        raise UserError(f"{style}: no such style; there are {', '.join(STYLES)}")
    if style == "tokens":
        return str
    names = Names.of_signature(benchmark.signature) if benchmark.has_signature else Names()
    write = to_unicode if style == "unicode" else to_latex
    known: dict[str, str] = {}

    def show(text: str) -> str:
        shown = known.get(text)
        if shown is None:
            try:
                shown = write(decode(text), names)
            except TokenError:
                shown = text  # an imported line that is no term
            known[text] = shown
        return shown

    return show


def describe(example: Example, split: str, show: Callable[[str], str], type_of: Callable[[str], str]) -> Iterator[str]:
    """One example like those in the paper's appendix."""
    yield f"{example.id}  {split}, {example.target_kind}"
    if example.theory:
        where = f"{example.theory}, theorem {example.name or '(unnamed)'}"
        yield where if example.proof < 0 else f"{where}, step {example.step_id} ({example.target_command})"
    titles = (
        ("F.1  target", [example.f1]),
        ("F.2  used local propositions", list(example.f2)),
        ("F.3  consequence", [] if example.f3 is None else [example.f3]),
        ("F.4  other propositions used for F.3", list(example.f4)),
        ("F.5  library lemmas used for F.1", list(example.f5)),
    )
    for title, texts in titles:
        yield ""
        yield title if texts else f"{title}: none"
        yield from (f"     {show(text)}" for text in texts)
    if example.types:
        yield ""
        yield "types"
        for name, typ in example.types.items():
            yield f"     {show(f'FREE {name}').removeprefix('PROP ')} :: {type_of(typ)}"
