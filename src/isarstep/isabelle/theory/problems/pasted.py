"""A statement as it stands in a theory, made a problem: `lemma fixes x :: nat assumes "P x" shows "Q x"`, `have "A"`.

Only the statement is read: what is assumed becomes facts, what is fixed gets its type, labels, attributes and the proof
behind it are left aside.
"""

from __future__ import annotations

import re
from itertools import chain, pairwise

from isarstep.common.errors import UserError
from isarstep.isabelle.theory.problems.problem import Problem
from isarstep.isabelle.theory.text.outer_syntax import SourceToken, outer_tokens
from isarstep.isabelle.theory.text.source import PROOF, STATEMENTS, TOKEN

_COMMANDS = ("lemma", "theorem", "corollary", "proposition", "have", "show", "hence", "thus", "obtain")
_STATEMENT = re.compile(rf"\s*(?:(?:then|moreover|also|finally|ultimately|with|from)\b.*?)?({'|'.join(_COMMANDS)})\b")
_SECTIONS = {"fixes": "fixes", "for": "fixes", "shows": "shows", **dict.fromkeys(("assumes", "if", "when"), "assumes")}
_IMPORTS = re.compile(r"\bimports\s+(.*?)\b(?:begin|keywords|abbrevs)\b", re.DOTALL)


def problem_of_text(text: str, imports: tuple[str, ...] = ()) -> Problem:
    """The problem that a pasted statement poses; what is no statement is an error in words."""
    found = _STATEMENT.match(text)
    if found is None:
        raise UserError(f"pasted text: it begins with none of {', '.join(_COMMANDS[:-1])}")
    if found[1] == "obtain":
        raise UserError("pasted text: `obtain` states no proposition of its own; paste a have, a show or a lemma")
    parts, types = _parts(text[found.end() :])
    shows = parts["shows"]
    if not shows:
        raise UserError("pasted text: it states nothing; a proposition in quotes is missing")
    goal = shows[0] if len(shows) == 1 else " ∧ ".join(f"({prop})" for prop in shows)
    fixed = tuple(dict.fromkeys(parts["fixes"]))
    return Problem(goal, tuple(parts["assumes"]), fixed=fixed, types=types, imports=imports)


def problem_of_theory_text(text: str) -> Problem:
    """The first statement of a text, with the imports of its theory where the text has its head."""
    lines = text.splitlines()
    start = next((place for place, line in enumerate(lines) if _STATEMENT.match(line)), 0)
    header = _IMPORTS.search(text)
    names = [name.strip('"').rpartition("/")[2] for name in header[1].split()] if header else []
    return problem_of_text("\n".join(lines[start:]), tuple(name for name in names if name != "Pure"))


def _parts(text: str) -> tuple[dict[str, list[str]], dict[str, str]]:
    """Variables and propositions by section, and the types of variables."""
    parts: dict[str, list[str]] = {"fixes": [], "assumes": [], "shows": []}
    types: dict[str, str] = {}
    section, skipping, typed = "shows", False, False
    group: list[str] = []  # variables that the next type is for
    end = len(text)
    tokens = outer_tokens(text, TOKEN, lambda _, what: UserError(f"pasted text: {what}"))
    for token, following in pairwise(chain(tokens, [SourceToken("symbol", "", end, end, end)])):
        word = token.kind in ("name", "var", "typevar")
        if skipping or token.keyword("[", "("):  # attributes, `(in locale)`
            skipping = not token.keyword("]", ")")
        elif typed:
            types.update(dict.fromkeys(group, token.text))
            typed = False
        elif token.keyword(*_SECTIONS):
            section, group = _SECTIONS[token.text], []
        elif token.keyword(*PROOF, *STATEMENTS):
            break  # a command ends the statement
        elif token.keyword("and"):
            group = []
        elif section == "fixes":
            typed = token.keyword("::")
            if word:
                parts[section].append(token.text)
                group = [*group, token.text]
        elif token.quoted or (word and not following.keyword(":", "[", "(")):
            parts[section].append(token.text)
    return parts, types
