"""Presentation MathML, translated from the LaTeX form, so that both show the same layout.

Only the LaTeX that the printer writes is understood; anything else (unknown commands, unbalanced braces, two scripts)
is a `ValueError`, which makes the translation a check of the LaTeX as well. Nesting is kept on a stack, without limit.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import escape

from isarstep.isabelle.syntax.writing.latex_names import GREEK
from isarstep.isabelle.syntax.writing.names import Names
from isarstep.isabelle.syntax.writing.printing import to_latex
from isarstep.isabelle.terms.terms import Term

_OPERATORS = {
    "bigwedge": "⋀", "Longrightarrow": "⟹", "equiv": "≡", "forall": "∀", "exists": "∃", "longleftrightarrow": "⟷",
    "longrightarrow": "⟶", "lor": "∨", "land": "∧", "lnot": "¬", "ne": "≠", "Rightarrow": "⇒", "le": "≤", "ge": "≥",
    "cdot": "⋅", "bullet": "•", "mid": "∣", "sqcap": "⊓", "sqcup": "⊔", "in": "∈", "notin": "∉", "subseteq": "⊆",
    "subset": "⊂", "supseteq": "⊇", "supset": "⊃", "cup": "∪", "cap": "∩", "times": "×", "to": "→", "lesssim": "≲",
    "approx": "≈", "prec": "≺", "circ": "∘", "lvert": "|", "rvert": "|", "lVert": "‖", "rVert": "‖", "lfloor": "⌊",
    "rfloor": "⌋", "lceil": "⌈", "rceil": "⌉", "partial": "∂", "cong": "≅", "sim": "∼", "otimes": "⊗", "oplus": "⊕",
    "ominus": "⊖", "odot": "⊙", "trianglelefteq": "⊴", "sqsubseteq": "⊑", "rightsquigarrow": "⇝", "backslash": "\\",
    "uparrow": "↑",
}  # fmt: skip
_LARGE = {
    "sum": "∑", "prod": "∏", "int": "∫", "oint": "∮", "bigcup": "⋃", "bigcap": "⋂", "bigoplus": "⨁", "bigotimes": "⨂",
}  # fmt: skip
_LETTERS = {
    "lambda": "λ", "emptyset": "∅", "infty": "∞", "top": "⊤", "bot": "⊥",
    **{command: letter for letter, command in GREEK.items()},
}  # fmt: skip
_FUNCTIONS = frozenset(
    "exp ln log sin cos tan cot sinh cosh tanh arctan arcsin arccos min max gcd det dim deg".split()
    + "limsup liminf lim sup inf".split()
)
_WITH_LIMITS = frozenset("sum prod bigcup bigcap bigoplus bigotimes lim sup inf max min limsup liminf".split())
_VARIANTS = {
    "mathrm": "normal", "mathit": "italic", "mathbf": "bold", "mathcal": "script", "mathbb": "double-struck",
    "mathsf": "sans-serif",
}  # fmt: skip
_COMMANDS = {  # with places for their arguments
    "frac": "<mfrac>{0}{1}</mfrac>",
    "binom": '<mrow><mo>(</mo><mfrac linethickness="0">{0}{1}</mfrac><mo>)</mo></mrow>',
    "sqrt": "<msqrt>{0}</msqrt>",
    "root": "<mroot>{1}{0}</mroot>",
    "overline": '<mover accent="true">{0}<mo>¯</mo></mover>',
    "xrightarrow": '<mover><mo stretchy="true">→</mo>{0}</mover>',
}
_SPACES = {",": "0.17em", ";": "0.28em", "!": "-0.17em", " ": "0.33em"}
_TOKEN = re.compile(r"\\([A-Za-z]+) ?|\\(.)|([{}_^])|([0-9]+)|('+)|(\s+)|(.)", re.DOTALL)
_TEXT = re.compile(r"\{((?:[^{}\\]|\\.)*)\}", re.DOTALL)


def to_mathml(term: Term, names: Names, *, prop: bool = True) -> str:
    """The MathML form, a `math` element."""
    return translate(to_latex(term, names, prop=prop))


@dataclass(slots=True)
class _Node:
    """A row element; scripts that follow are attached to it."""

    xml: str
    limits: bool = False
    low: str | None = None
    high: str | None = None

    def rendered(self) -> str:
        if self.low is None and self.high is None:
            return self.xml
        under, over, both = ("munder", "mover", "munderover") if self.limits else ("msub", "msup", "msubsup")
        tag = both if self.low is not None and self.high is not None else under if self.low is not None else over
        return f"<{tag}>{self.xml}{self.low or ''}{self.high or ''}</{tag}>"


@dataclass(slots=True)
class _Group:
    """An open group of braces (or the whole), and the commands in it that still wait for arguments."""

    nodes: list[_Node] = field(default_factory=list)
    waiting: list[tuple[str, list[str]]] = field(default_factory=list)

    def add(self, node: _Node) -> None:
        while self.waiting:
            command, args = self.waiting[-1]
            if command in "_^":
                self.waiting.pop()
                base = self.nodes[-1]
                if (base.low if command == "_" else base.high) is not None:
                    raise ValueError(f"two scripts at one place: {command}")
                if command == "_":
                    base.low = node.xml
                else:
                    base.high = node.xml
                return
            args.append(node.xml)
            if len(args) < _COMMANDS[command].count("{"):
                return
            self.waiting.pop()
            node = _Node(_COMMANDS[command].format(*args))
        self.nodes.append(node)

    def script(self, which: str) -> None:
        if self.waiting:
            raise ValueError(f"{which} where an argument should stand")
        if not self.nodes:
            self.nodes.append(_Node("<mrow></mrow>"))
        self.waiting.append((which, []))

    def row(self) -> str:
        if self.waiting:
            raise ValueError(f"{self.waiting[-1][0]} lacks its argument")
        return f"<mrow>{''.join(node.rendered() for node in self.nodes)}</mrow>"


def translate(latex: str) -> str:
    """Translate a formula in the printer's LaTeX."""
    groups = [_Group()]
    position = 0
    while position < len(latex):
        match = _TOKEN.match(latex, position)
        assert match is not None
        position = match.end()
        command, escaped, brace, number, primes, blank, other = match.groups()
        group = groups[-1]
        if command is not None:
            if command in _VARIANTS or command == "mathbin":
                if command == "mathbin":
                    end = _closing(latex, position)
                    group.add(_Node(f"<mo>{_plain(latex[position + 1 : end])}</mo>"))
                    position = end + 1
                else:
                    text = _TEXT.match(latex, position)
                    if text is None:
                        raise ValueError(f"\\{command} needs plain text in braces")
                    group.add(_Node(f'<mi mathvariant="{_VARIANTS[command]}">{_plain(text[1])}</mi>'))
                    position = text.end()
            elif command == "sqrt" and latex.startswith("[", position):
                group.waiting.append(("root", []))
                position += 1
            elif command in _COMMANDS and command != "root":
                group.waiting.append((command, []))
            else:
                group.add(_symbol(command))
        elif escaped is not None:
            if escaped in _SPACES:
                group.nodes.append(_Node(f'<mspace width="{_SPACES[escaped]}"/>'))
            else:
                group.add(_Node(f"<mo>{escape(escaped)}</mo>"))
        elif brace == "{":
            groups.append(_Group())
        elif brace == "}":
            if len(groups) == 1:
                raise ValueError("a brace too many")
            row = groups.pop().row()
            groups[-1].add(_Node(row))
        elif brace is not None:
            group.script(brace)
        elif number is not None:
            group.add(_Node(f"<mn>{number}</mn>"))
        elif primes is not None:
            group.script("^")
            group.add(_Node(f"<mo>{'′' * len(primes)}</mo>"))
        elif other == "]" and group.waiting and group.waiting[-1][0] == "root":
            pass  # ends the degree of a root, which is a group of braces
        elif other is not None:
            if not other.isascii():
                raise ValueError(f"{other!r} is not plain LaTeX")
            group.add(_Node(f"<mi>{other}</mi>" if other.isalpha() else f'<mo stretchy="false">{escape(other)}</mo>'))
        else:
            assert blank is not None
    if len(groups) > 1:
        raise ValueError("a brace is not closed")
    return f'<math xmlns="http://www.w3.org/1998/Math/MathML">{groups[0].row()}</math>'


def _symbol(command: str) -> _Node:
    if command in _LARGE:
        return _Node(f"<mo>{_LARGE[command]}</mo>", command in _WITH_LIMITS)
    if command in ("lvert", "rvert", "lVert", "rVert"):  # browsers take a bar for an operator between two things
        form = "prefix" if command[0] == "l" else "postfix"
        return _Node(f'<mo form="{form}" stretchy="false" lspace="0" rspace="0">{_OPERATORS[command]}</mo>')
    if command in _OPERATORS:
        return _Node(f"<mo>{escape(_OPERATORS[command])}</mo>")
    if command in _LETTERS:
        return _Node(f"<mi>{_LETTERS[command]}</mi>")
    if command in _FUNCTIONS:
        return _Node(f"<mi>{command}</mi>", command in _WITH_LIMITS)
    raise ValueError(f"unknown command \\{command}")


def _closing(latex: str, position: int) -> int:
    depth = 0
    for match in re.compile(r"\\.|[{}]", re.DOTALL).finditer(latex, position):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if depth == 0:
            return match.start()
    raise ValueError("a brace is not closed")


def _plain(text: str) -> str:
    """Text without formatting, for the inside of one element."""
    text = re.sub(r"\\mathrm|\\!|(?<!\\)[{}]", "", text)
    text = re.sub(r"\\([A-Za-z]+) ?", lambda match: (_LETTERS | _OPERATORS).get(match[1], match[1]), text)
    return escape(re.sub(r"\\(.)", lambda match: " " if match[1] in ",; " else match[1], text), quote=False)
