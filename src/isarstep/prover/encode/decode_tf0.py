"""Formulas of a TPTP derivation as formulas of the problem that the prover was given.

Names of symbols tell nothing; they are those that the encoding gave to the symbols of the problem. What a prover
invents, Skolem constants, has no sort here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from isarstep.prover.encode import formula as f
from isarstep.prover.encode.formula import BOOL, Base, Entailment, Formula, Sort, ap
from isarstep.prover.encode.symbol_names import name_of

INVENTED = Base("$invented")
FIRST_APART = 1_000  # number of a variable; the clauses of a derivation have fewer
_PIECE = re.compile(r"<=>|<~>|=>|!=|[A-Za-z_$][\w$]*|[!?~&|=()\[\],:]")
_SKOLEM_CONSTANT = re.compile(r"\besk\d+_0\b")


class CannotDecode(Exception):
    """A formula that says something that the problem cannot; the reason is one line."""


class ProblemSymbols:
    """What the names in the text of a problem stand for."""

    def __init__(self, problem: Entailment) -> None:
        self.symbols: dict[str, Formula] = {}
        self.sorts: dict[str, Sort] = {"bool": BOOL}
        self.operators: set[str] = set()  # that apply a function to an argument
        for whole in (*(part for _, part in (*problem.axioms, *problem.premises)), problem.goal):
            for part in _parts(whole):
                self._note(part)

    def _note(self, part: Formula) -> None:
        if isinstance(part, f.Sym):
            self.symbols[name_of("c", part.name)] = part
            self._note_sort(part.sort)
        elif isinstance(part, f.SortedVariable):
            self._note_sort(part.sort)
        elif isinstance(part, f.Quant | f.Lam):
            self._note_sort(part.var.sort)
        if isinstance(part, f.Lam):
            free = f.free_variables(part)
            whole: Formula = part
            for variable in reversed(free):
                whole = f.Lam(variable, whole)
            self.symbols[name_of("c", f"$lambda : {f.text_without_names(part)}")] = _apart(whole, {})

    def _note_sort(self, sort: Sort) -> None:
        if isinstance(sort, f.Fun):
            if name_of("s", repr(sort)) in self.sorts:
                return
            self.sorts[name_of("s", repr(sort))] = sort
            self.operators.add(name_of("a", f"apply {sort!r}"))
            self._note_sort(sort.argument)
            self._note_sort(sort.result)
        elif sort != BOOL:
            self.sorts[name_of("s", sort.name)] = sort


def _parts(term: Formula) -> Iterator[Formula]:
    todo = [term]
    while todo:
        part = todo.pop()
        yield part
        todo.extend(f.children(part))


def _apart(term: Formula, renamed: dict[f.SortedVariable, f.SortedVariable]) -> Formula:
    """With variables that no formula has that is read."""
    if isinstance(term, f.SortedVariable):
        return renamed.setdefault(term, f.SortedVariable(FIRST_APART + len(renamed), term.sort))
    changed = f.with_children(term, lambda part: _apart(part, renamed))
    if isinstance(changed, f.Lam | f.Quant):
        bound = _apart(changed.var, renamed)
        assert isinstance(bound, f.SortedVariable)
        return replace(changed, var=bound)
    return changed


def read_tf0(text: str, known: ProblemSymbols) -> Formula:
    """Raises CannotDecode."""
    reader = _Reader(_PIECE.findall(text), known)
    try:
        found = reader.formula()
    except (IndexError, RecursionError):
        raise CannotDecode("no formula") from None
    if reader.place != len(reader.pieces):
        raise CannotDecode("more than a formula")
    return found


class _Reader:
    def __init__(self, pieces: list[str], known: ProblemSymbols) -> None:
        self.pieces, self.known, self.place = pieces, known, 0
        self.scope: dict[str, f.SortedVariable] = {}
        self.count = 0

    def take(self, wanted: str = "") -> str:
        piece = self.pieces[self.place]
        if wanted and piece != wanted:
            raise CannotDecode(f"{piece} in place of {wanted}")
        self.place += 1
        return piece

    def at(self, *pieces: str) -> bool:
        return self.place < len(self.pieces) and self.pieces[self.place] in pieces

    def formula(self) -> Formula:
        first = self.unit()
        if not self.at("&", "|", "=>", "<=>", "<~>"):
            return first
        sign = self.take()
        parts = [first, self.unit()]
        while sign in "&|" and self.at(sign):
            self.take()
            parts.append(self.unit())
        if sign == "<=>":
            return f.Eq(*parts)
        if sign == "<~>":
            return f.neg(f.Eq(*parts))
        kinds: dict[str, Literal["and", "or", "=>"]] = {"&": "and", "|": "or", "=>": "=>"}
        return f.Conn(kinds[sign], tuple(parts))

    def unit(self) -> Formula:
        if self.at("~"):
            self.take()
            return f.Conn("not", (self.unit(),))
        if self.at("!", "?"):
            return self.quantified("forall" if self.take() == "!" else "exists")
        if self.at("("):
            self.take()
            inner = self.formula()
            self.take(")")
            return inner
        left = self.term()
        if not self.at("=", "!="):
            return left
        sign, right = self.take(), self.term()
        return f.Eq(left, right) if sign == "=" else f.Conn("not", (f.Eq(left, right),))

    def quantified(self, kind: Literal["forall", "exists"]) -> Formula:
        self.take("[")
        bound: list[tuple[str, f.SortedVariable]] = []
        while True:
            name = self.take()
            self.take(":")
            sort = self.known.sorts.get(self.take())
            if sort is None:
                raise CannotDecode(f"{name} has a sort that the problem has not")
            self.count += 1
            bound.append((name, f.SortedVariable(self.count, sort)))
            if self.take() == "]":
                break
        self.take(":")
        before = dict(self.scope)
        self.scope.update(bound)
        body = self.unit()
        self.scope = before
        for _, variable in reversed(bound):
            body = f.Quant(kind, variable, body)
        return body

    def term(self) -> Formula:
        name = self.take()
        args: list[Formula] = []
        if self.at("("):
            self.take()
            args.append(self.term())
            while self.take() != ")":
                args.append(self.term())
        if name in ("$true", "$false", "tt", "ff"):
            return f.Truth(name in ("$true", "tt"))
        if name in self.scope:
            return self.scope[name]
        if name in self.known.operators and len(args) == 2:
            return ap(*args)
        symbol = self.known.symbols.get(name)
        if symbol is None and _SKOLEM_CONSTANT.fullmatch(name):
            symbol = f.Sym(name, INVENTED)
        if symbol is None:
            raise CannotDecode(f"{name} is no symbol of the problem")
        return ap(symbol, *args)


def skolem_constants(text: str) -> list[str]:
    """Those that a formula of a derivation speaks of."""
    return [*dict.fromkeys(_SKOLEM_CONSTANT.findall(text))]
