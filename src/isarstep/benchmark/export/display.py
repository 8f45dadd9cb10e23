"""Examples for people: propositions in a style, and one example like those in the paper's appendix."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, cached_property, lru_cache

from isarstep.benchmark.store.example import Example
from isarstep.benchmark.store.store import Benchmark
from isarstep.common.errors import UserError
from isarstep.isabelle.syntax.grammar.symbols import from_isabelle
from isarstep.isabelle.syntax.writing.names import Names
from isarstep.isabelle.syntax.writing.printing import to_latex, to_unicode
from isarstep.isabelle.terms.tokens import TokenError, decode
from isarstep.isabelle.terms.type_text import parse_type, show_type

VARIABLE_TOKEN = re.compile(r"<X\d+>")
_REMEMBERED = 200_000  # texts
_NOBODY = Names()  # no constants: the words of notation alone
STYLES = ("tokens", "unicode", "latex")


class Printer:
    """Lines of tokens in a style; each is printed once for the same names of variables.

    `at_home`: every example in the notation of its own theory, which takes a moment for each of them. Otherwise all are
    written by one table.
    """

    def __init__(self, benchmark: Benchmark, style: str, *, at_home: bool = False) -> None:
        if style not in STYLES:
            raise UserError(f"{style}: no such style; there are {', '.join(STYLES)}")
        self._benchmark, self._style = benchmark, style
        self._theory_contexts = (
            benchmark.theory_contexts if at_home and style == "unicode" and benchmark.has_signature else None
        )
        self._write = to_unicode if style == "unicode" else to_latex
        self._known: dict[tuple[str, str, tuple[str, ...]], str] = {}
        self._names_at = cache(self._names_of_theory)

    def of(self, example: Example) -> Callable[[str], str]:
        """A function that shows variables under the names that the text of the theory gives them."""
        if self._style == "tokens":
            return str
        written = {x: from_isabelle(name) for x, name in example.names.items()}
        own = {x: name for x, name in written.items() if _can_name(name)}
        names = self._names_at(example.theory)
        names = names.with_variables(own) if own else names

        def show(text: str) -> str:
            key = (
                example.theory if self._theory_contexts else "",
                text,
                tuple([own.get(x, "") for x in dict.fromkeys(VARIABLE_TOKEN.findall(text))]),
            )
            shown = self._known.get(key)
            if shown is None:
                try:
                    shown = self._write(decode(text), names)
                except TokenError:
                    shown = text  # an imported line that is no term
                if len(self._known) >= _REMEMBERED:
                    self._known.clear()
                self._known[key] = shown
            return shown

        return show

    @cached_property
    def _names(self) -> Names:
        """For all theories; who shows examples at home does without."""
        return Names.of_signature(self._benchmark.signature) if self._benchmark.has_signature else Names()

    def _names_of_theory(self, theory: str) -> Names:
        if self._theory_contexts is None or theory not in self._theory_contexts.parents:
            return self._names
        theory_context = self._theory_contexts.at(theory)
        return Names.of_signature(theory_context.signature, language=theory_context.language)


@lru_cache(_REMEMBERED)
def _can_name(name: str) -> bool:
    """Could somebody who reads the text type it? What notation uses as a word cannot be a variable there."""
    try:
        _NOBODY.with_variables({"<X0>": name})
    except UserError:
        return False
    return True


def example_json(example: Example, split: str, printer: Printer) -> dict[str, str | list[str] | dict[str, str] | None]:
    """One example for a program; propositions in the printer's style."""
    show = printer.of(example)
    return {
        "id": example.id,
        "split": split,
        "kind": example.target_kind,
        "theory": example.theory,
        "theorem": example.name,
        "step": example.step_id if example.proof >= 0 else None,
        "facts": [show(line) for line in example.facts],
        "target": show(example.target),
        "goal": None if example.goal is None else show(example.goal),
        "others": [show(line) for line in example.others],
        "hints": [show(line) for line in example.hints],
        "types": _shown_types(example, show),
    }


def _shown_types(example: Example, show: Callable[[str], str]) -> dict[str, str]:
    """By the names of variables."""
    types = example.types.items()
    return {show(f"FREE {name}").removeprefix("PROP "): show_type(parse_type(typ)) for name, typ in types}


def describe(example: Example, split: str, printer: Printer) -> Iterator[str]:
    """One example like those in the paper's appendix."""
    show = printer.of(example)
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
        yield from (f"     {name} :: {typ}" for name, typ in _shown_types(example, show).items())
