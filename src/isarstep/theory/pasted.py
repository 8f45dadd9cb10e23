"""A statement as it stands in a theory, made a problem: `lemma fixes x :: nat assumes "P x" shows "Q x"`, `have "A"`.

Only the statement is read: what is assumed becomes facts, what is fixed gets its type, labels, attributes and the proof
behind it are left aside.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from isarstep.errors import UserError
from isarstep.theory.problem import Problem

_COMMANDS = ("lemma", "theorem", "corollary", "proposition", "have", "show", "hence", "thus", "obtain")
_STATEMENT = re.compile(rf"\s*(?:(?:then|moreover|also|finally|ultimately|with|from)\b.*?)?({'|'.join(_COMMANDS)})\b")
_TOKEN = re.compile(
    r'(?P<quoted>"(?:[^"\\]|\\.)*"|‹[^›]*›|\\<open>.*?\\<close>)|(?P<comment>\(\*.*?\*\))'
    r"|(?P<word>(?:[A-Za-zα-ωΑ-Ω_?']|\\<\w+>)(?:[\w.']|\\<\^?\w+>|[₀-₉⇩])*)|(?P<symbol>::|[^\s])",
    re.DOTALL,
)
_SECTIONS = {
    "fixes": "fixes",
    "for": "fixes",
    "assumes": "assumes",
    "if": "assumes",
    "when": "assumes",
    "shows": "shows",
}
_ENDS = {
    "using",
    "unfolding",
    "proof",
    "by",
    "apply",
    "sorry",
    "oops",
    "done",
    "supply",
    "include",
    "including",
    ".",
    "..",
}
_IMPORTS = re.compile(r"\bimports\s+(.*?)\b(?:begin|keywords|abbrevs)\b", re.DOTALL)


@dataclass
class _Parts:
    fixed: list[str] = field(default_factory=list)
    types: dict[str, str] = field(default_factory=dict)
    assumes: list[str] = field(default_factory=list)
    shows: list[str] = field(default_factory=list)


def problem_of_text(text: str, imports: tuple[str, ...] = ()) -> Problem:
    """The problem that a pasted statement poses; what is no statement is an error in words."""
    found = _STATEMENT.match(text)
    if found is None:
        raise UserError(f"pasted text: it begins with none of {', '.join(_COMMANDS[:-1])}")
    if found[1] == "obtain":
        raise UserError("pasted text: `obtain` states no proposition of its own; paste a have, a show or a lemma")
    parts = _parts(_tokens(text[found.end() :]))
    if not parts.shows:
        raise UserError("pasted text: it states nothing; a proposition in quotes is missing")
    goal = parts.shows[0] if len(parts.shows) == 1 else " ∧ ".join(f"({prop})" for prop in parts.shows)
    fixed = tuple(dict.fromkeys(parts.fixed))
    return Problem(goal, tuple(parts.assumes), fixed=fixed, types=parts.types, imports=imports)


def problem_of_theory_text(text: str) -> Problem:
    """The first statement of a text, with the imports of its theory where the text has its head."""
    lines = text.splitlines()
    start = next((place for place, line in enumerate(lines) if _STATEMENT.match(line)), 0)
    return problem_of_text("\n".join(lines[start:]), _imports(text))


def _imports(text: str) -> tuple[str, ...]:
    header = _IMPORTS.search(text)
    names = [name.strip('"').rpartition("/")[2] for name in header[1].split()] if header else []
    return tuple(name for name in names if name != "Pure")


def _tokens(text: str) -> list[tuple[str, str]]:
    return [(m.lastgroup or "", m[0]) for m in _TOKEN.finditer(text) if m.lastgroup != "comment"]


def _unquoted(text: str) -> str:
    for opening, closing in (('"', '"'), ("‹", "›"), ("\\<open>", "\\<close>")):
        if text.startswith(opening) and text.endswith(closing):
            return text[len(opening) : -len(closing)]
    return text


def _parts(tokens: list[tuple[str, str]]) -> _Parts:
    parts = _Parts()
    section, place = "shows", 0
    group: list[str] = []  # variables that the next type is for
    said = False  # has a proposition been stated? Then a command ends the statement
    while place < len(tokens):
        kind, text = tokens[place]
        following = tokens[place + 1][1] if place + 1 < len(tokens) else ""
        place += 1
        if kind == "word" and text in _SECTIONS:
            section, group = _SECTIONS[text], []
        elif text in _ENDS or (said and section != "fixes" and kind == "word" and text in _COMMANDS):
            break
        elif text == "and":
            group = []
        elif text in ("[", "("):  # attributes, `(in locale)`
            while place < len(tokens) and tokens[place - 1][1] not in ("]", ")"):
                place += 1
        elif section == "fixes":
            if text == "::" and place < len(tokens):
                parts.types.update(dict.fromkeys(group, _unquoted(tokens[place][1])))
                place += 1
            elif kind == "word":
                parts.fixed.append(text)
                group = [*group, text]
        elif kind == "quoted" or (kind == "word" and following not in (":", "[", "(")):
            (parts.shows if section == "shows" else parts.assumes).append(_unquoted(text))
            said = True
    return parts
