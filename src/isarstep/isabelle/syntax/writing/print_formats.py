"""What a language says about writing: formats by head, rules from terms to notation; made once for a language."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, TypeAlias

from isarstep.common.memo import memo
from isarstep.isabelle.syntax.grammar.language import Language, leaves
from isarstep.isabelle.syntax.grammar.parser import MAX_PRIORITY, PURE
from isarstep.isabelle.syntax.grammar.symbols import from_isabelle

CONST, BINDER = "\\<^const>", "\\<^binder>"
# Written by hand, because their rules nest.
_BY_HAND = frozenset(("_list", "_Finset", "_tuple", "_args", "_patterns", "_pattern", "_abs", "_Map", "_Maplets"))

Piece: TypeAlias = "str | int"  # text, or the priority of the next argument


@dataclass(frozen=True, slots=True)
class Format:
    """How a head with so many arguments is written."""

    pieces: tuple[Piece, ...]
    arguments: int
    priority: int


@dataclass(frozen=True, slots=True)
class PrintRule:
    """A term's arguments as patterns, and the tree that is written for them."""

    patterns: tuple[Any, ...]
    tree: tuple[Any, ...]


class Formats:
    """What a language says about writing, by head; made once for a language."""

    def __init__(self, language: Language) -> None:
        self.formats: dict[str, list[Format]] = {}
        self._found: dict[tuple[str, int], Format | None] = {}
        for production in PURE:
            if production.head and not any(s in ("==>", "==", "!!", "%", "[|", "=>") for s in production.symbols):
                symbols = [s if isinstance(s, str) else [s[1]] for s in production.symbols]
                self._add(production.head, _spaced(production.head, symbols), production.priority)
        for rows in language.notations:
            read = {(head, len(symbols)): symbols for _, symbols, head, _, _ in rows.get("productions", ())}
            for change, sign in ((self._add, ""), (self._remove, "no_")):
                for _, symbols, head, priority, printed in rows.get(f"{sign}productions", ()):
                    if printed and head:
                        change(head, [s if not isinstance(s, list) else [max(s[1], 0)] for s in symbols], priority)
                for head, symbols, priority in rows.get(f"{sign}prints", ()):
                    change(head, _with_delimiters(symbols, read.get((head, len(symbols)))), priority)
        self.rules: dict[str, list[PrintRule]] = {}
        for left, right in language.print_rules:
            rule = _print_rule(left, right)
            if rule is not None and left[0] in self.formats and not _is_another_term(left, language):
                self.rules.setdefault(right[0][len(CONST) :], []).insert(0, rule)
        for rules in self.rules.values():  # special ones first, then later ones
            rules.sort(key=lambda rule: -str(rule.patterns).count(CONST[1:]))

    def _add(self, head: str, symbols: list[Any], priority: int) -> None:
        made = _format(symbols, priority)
        known = self.formats.setdefault(head, [])
        if made in known:
            known.remove(made)
        known.insert(0, made)

    def _remove(self, head: str, symbols: list[Any], priority: int) -> None:
        made = _format(symbols, priority)
        if made in self.formats.get(head, ()):
            self.formats[head].remove(made)

    def find(self, head: str, count: int) -> Format | None:
        """The format for so many arguments, else the one that takes most of them."""
        key = (head, count)
        if key not in self._found:
            self._found[key] = self._find(head, count)
        return self._found[key]

    def _find(self, head: str, count: int) -> Format | None:
        best = None
        for known in self.formats.get(head, ()):
            if known.arguments == count:
                return known
            if known.arguments < count and (best is None or known.arguments > best.arguments):
                best = known
        return best


def _with_delimiters(symbols: list[Any], read: list[Any] | None) -> list[Any]:
    """Graphs that were mined before 2026-11-18 have blanks of equal length in place of delimiters that begin or end a
    sub- or superscript; the production that is read has them."""
    pairs = zip(symbols, read or symbols, strict=True)
    return [known if isinstance(known, str) and shown == len(known) else shown for shown, known in pairs]


def _spaced(head: str, symbols: list[Any]) -> list[Any]:
    """Pure's own productions have no blanks; an infix gets them, a binder one behind its full stop."""
    out: list[Any] = []
    infix = isinstance(symbols[0], list) and head != "_constrain"
    for symbol in symbols:
        out += [1, symbol, 1] if infix and isinstance(symbol, str) else [symbol]
        if symbol == ".":
            out.append(1)
    return out


def _format(symbols: list[Any], priority: int) -> Format:
    pieces: list[Piece] = []
    text = ""
    for symbol in symbols:
        if isinstance(symbol, list):
            if text:
                pieces.append(text)
            text = ""
            pieces.append(symbol[0])
        elif isinstance(symbol, int):
            text += " " * symbol
        else:
            text += from_isabelle(symbol)
    if text:
        pieces.append(text)
    count = sum(1 for piece in pieces if type(piece) is int)
    return Format(tuple(pieces), count, MAX_PRIORITY if priority < 0 else priority)


def _print_rule(left: Any, right: Any) -> PrintRule | None:
    """A rule from a constant's application to a notation, if it is of the kind that can be used here. (A constant by
    itself does not begin with what marks constants: its first part is a character.)"""
    if not isinstance(left, tuple) or left[0] in _BY_HAND or not right[0].startswith(CONST):
        return None
    if any(_awkward(part) for part in right[1:]):
        return None
    names = re.findall(r"'(\?[^']*)'", str(right))
    if len(set(names)) != len(names) or set(names) != set(re.findall(r"'(\?[^']*)'", str(left))):
        return None
    return PrintRule(tuple(_as_pattern(part) for part in right[1:]), left)


def _is_another_term(left: Any, language: Language) -> bool:
    """Does what is written mean something else where it is read? OptionalSugar writes `A ⟹ B ⟹ C` as `A ∧ B ⟹ C`."""
    heads = {leaf for leaf in leaves(left) if leaf[0] != "?"}
    return (
        all(head.startswith(CONST) for head in heads) and not {h[len(CONST) :] for h in heads} & language.abbreviations
    )


def _awkward(part: Any) -> bool:
    if isinstance(part, str):
        return not part.startswith(("?", CONST))
    head = part[0]
    if head == "_abs" or head.startswith(BINDER):
        return not (len(part) == 3 and all(isinstance(p, str) and p[0] == "?" for p in part[1:]))
    return not head.startswith(CONST) or any(_awkward(p) for p in part[1:])


def _as_pattern(part: Any) -> Any:
    if isinstance(part, tuple) and part[0].startswith(BINDER):
        return (CONST + part[0][len(BINDER) :], ("_abs", *part[1:]))
    return tuple(_as_pattern(p) for p in part) if isinstance(part, tuple) else part


def formats_of(language: Language) -> Formats:
    return memo(language, Formats)
