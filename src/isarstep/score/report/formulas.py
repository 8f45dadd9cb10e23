"""Propositions on a page: as mathematics where the tokens are a term, as tokens where they are not."""

from __future__ import annotations

from html import escape

from isarstep.benchmark.store.example import Example
from isarstep.common.errors import UserError
from isarstep.isabelle.syntax.writing.mathml import to_mathml
from isarstep.isabelle.syntax.writing.names import Names
from isarstep.isabelle.syntax.writing.printing import to_unicode
from isarstep.isabelle.terms.tokens import decode

LABELS = {2: "F.2", 3: "F.3", 4: "F.4", 5: "F.5"}


def formula_html(tokens: str, names: Names) -> str:
    """MathML that tells its tokens when pointed at."""
    try:
        shown = to_mathml(decode(tokens, strict=False), names)
    except UserError:
        return f'<code class="tokens">{escape(tokens) or "(nothing)"}</code>'
    return f'<span class="formula" title="{escape(tokens)}">{shown}</span>'


def formula_text(tokens: str, names: Names) -> str:
    try:
        return to_unicode(decode(tokens, strict=False), names)
    except UserError:
        return f"not a term: {tokens}"


def example_html(example: Example, names: Names, answers: list[tuple[str, str]], *, hints: bool) -> str:
    """An example like the paper's appendix shows one: what is given, what is wanted, (role, answer) pairs."""
    lines = []
    for field in (2, 3, 4, *((5,) if hints else ())):
        texts = [text for number, text in example.source() if number == field]
        if texts:
            shown = "".join(f"<li>{formula_html(text, names)}</li>" for text in texts)
            lines.append(f"<dt>{LABELS[field]}</dt><dd><ul>{shown}</ul></dd>")
    lines.append(f'<dt class="wanted">F.1</dt><dd class="wanted">{formula_html(example.f1, names)}</dd>')
    for role, tokens in answers:
        lines.append(f'<dt class="answer">{escape(role)}</dt><dd class="answer">{formula_html(tokens, names)}</dd>')
    return f'<dl class="example">{"".join(lines)}</dl>'


def example_markdown(example: Example, names: Names, answers: list[tuple[str, str]], *, hints: bool) -> str:
    lines = []
    for number, text in example.source(hints=hints):
        lines.append(f"- {LABELS[number]}: {_code(formula_text(text, names))}")
    lines.append(f"- **F.1**: {_code(formula_text(example.f1, names))}")
    lines += [f"- **{role}**: {_code(formula_text(tokens, names))}" for role, tokens in answers]
    return "\n".join(lines) + "\n"


def _code(text: str) -> str:
    fence = "``" if "`" in text else "`"
    return f"{fence} {text} {fence}" if "`" in text else f"{fence}{text}{fence}"
