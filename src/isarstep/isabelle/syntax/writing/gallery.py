"""The gallery in docs: real propositions of the sample in tokens, Unicode and LaTeX.

Write it anew with `python -m isarstep.isabelle.syntax.writing.gallery docs/gallery.md`; a test checks that it is up to
date.
"""

from __future__ import annotations

import sys
from pathlib import Path

from isarstep.isabelle.syntax.grammar.notation import default_table
from isarstep.isabelle.syntax.writing.names import Names
from isarstep.isabelle.syntax.writing.printing import to_latex, to_unicode
from isarstep.isabelle.syntax.writing.sample import sample_examples, sample_signature
from isarstep.isabelle.terms.tokens import decode

COUNT = 30
_MAX_TOKENS = 80

_HEAD = """# Gallery

Real propositions from Isabelle's library, as the data store them and as lists and reports show them, by one table for
all theories (`src/isarstep/isabelle/syntax/grammar/notation.txt`). In a context, formulas are written in its own
notation and read back (reading.md). The LaTeX form is for math mode with amsmath. `x₀, x₁, ...` are variables fixed in
the proof, `v₀, v₁, ...` the schematic variables of a lemma. This page is written by
`python -m isarstep.isabelle.syntax.writing.gallery docs/gallery.md`.
"""


def chosen_lines() -> list[tuple[str, str]]:
    """Theory and tokens of propositions that together show as many notations as possible, the richest first."""
    with_notation = {notation.constant for notation in default_table().notations if notation.unicode}
    candidates = dict.fromkeys(
        (example.theory, line)
        for example in sample_examples()
        for line in (example.f1, example.f3, *example.f4)
        if 12 <= len(line.split()) <= _MAX_TOKENS
    )
    constants = {entry: with_notation.intersection(entry[1].split()) for entry in candidates}
    shown: set[str] = set()
    chosen: list[tuple[str, str]] = []
    while len(chosen) < COUNT and constants:
        best = max(constants, key=lambda entry: (len(constants[entry] - shown), -len(entry[1]), entry))
        shown |= constants.pop(best)
        chosen.append(best)
    return chosen


def gallery() -> str:
    """The page."""
    names = Names.of_signature(sample_signature())
    parts = [_HEAD]
    for number, (theory, line) in enumerate(chosen_lines(), 1):
        term = decode(line)
        parts.append(
            f"## {number}. {theory}\n\n```\n{line}\n```\n\n```\n{to_unicode(term, names)}\n```\n\n"
            f"```latex\n{to_latex(term, names)}\n```\n\n$${to_latex(term, names)}$$\n"
        )
    return "\n".join(parts)


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(gallery(), encoding="utf-8")
