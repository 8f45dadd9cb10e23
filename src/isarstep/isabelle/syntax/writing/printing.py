"""Print terms as mathematicians read them: Unicode and LaTeX, from one layout.

The walk keeps its own stack, so depth has no limit. Nothing is changed on the way: no eta, no beta; a partially applied
notation is shown as `(+) a`, and a proposition that is no `Trueprop` where one is expected as `PROP p`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TypeAlias

from isarstep.common.errors import UserError
from isarstep.isabelle.syntax.grammar.notation import (
    APPLY,
    ARGUMENT,
    BINDER,
    HOLE,
    Enumeration,
    Notation,
    NotationTable,
    Piece,
    Slot,
    default_table,
    lexemes,
)
from isarstep.isabelle.syntax.grammar.patterns import (
    NUMERAL,
    TAKES_PROPOSITIONS,
    TRUEPROP,
    Match,
    Variables,
    abstraction,
    is_meta,
    match,
    numeral_value,
    shown_tuple,
)
from isarstep.isabelle.syntax.grammar.symbols import from_isabelle
from isarstep.isabelle.syntax.writing.latex_names import latex_constant, latex_variable
from isarstep.isabelle.syntax.writing.names import Names, subscript
from isarstep.isabelle.syntax.writing.writer import write_formula
from isarstep.isabelle.terms.hol import dest_binary
from isarstep.isabelle.terms.terms import Abs, App, Bound, Const, Free, Term, Var, applied_constant, frees, strip_comb

_POOLS = {
    "object": "x y z w u t s p q r a b c d e".split(),
    "index": "i j k l m n p q r".split(),
    "sequence": "n m k i j l".split(),
    "function": "f g h F G H".split(),
    "set": "A B C D E S T U".split(),
}
_MAX_LOOK = 60  # how much of a body is looked at to choose a telling name
_FUNCTIONLIKE = {
    "Set.image", "Set.vimage", "Set.range", "Fun.inj_on", "Fun.inj", "Fun.bij_betw", "List.list.map", "Fun.comp",
}  # fmt: skip
_SETLIKE = {"Set.subset_eq", "Set.subset", "Set.union", "Set.inter", "Finite_Set.finite", "Finite_Set.card"}


def to_unicode(term: Term, names: Names, *, prop: bool = True) -> str:
    """The Unicode form. With `prop` the term is a proposition, and `Trueprop` is not shown."""
    if names.language is not None:
        try:
            return write_formula(term, names.language, prop=prop, names=ShownNames(names))
        except UserError:  # what no context can write, such as a model's bound variable that nothing binds
            pass
    return _print(term, names, "unicode", prop)


def to_latex(term: Term, names: Names, *, prop: bool = True) -> str:
    """The LaTeX form, for math mode with amsmath."""
    return _print(term, names, "latex", prop)


class ShownNames(Mapping[str, str]):
    """Variables as they are called: by the user's names, numbered ones by number."""

    def __init__(self, names: Names, numbered: Mapping[str, str] | None = None) -> None:
        self._names, self._numbered = names, numbered or {}

    def __getitem__(self, name: str) -> str:
        if name in self._numbered:
            return self._numbered[name]
        if name in self._names.variables:
            return self._names.variables[name]
        if name.startswith("<V"):
            return self._names.schematic(name, 0)
        if name.startswith("<X"):
            return self._names.free(name)
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names.variables)

    def __len__(self) -> int:
        return len(self._names.variables)


@dataclass(frozen=True, slots=True)
class _Form:
    """A notation made ready for printing in one style."""

    notation: Notation
    args: int  # how many arguments the constant takes here
    holes: int
    flat: bool  # holes only, in order: nothing to match
    precedence: int
    pieces: tuple[Piece, ...]
    prop: bool
    pool: str


@dataclass(frozen=True, slots=True)
class _Style:
    forms: dict[str, tuple[_Form, ...]] = field(hash=False)
    chains: dict[str, Enumeration] = field(hash=False)
    bare: dict[str, str] = field(hash=False)  # constants that have a text of their own when they stand alone
    latex: bool


@cache
def _style(table: NotationTable, latex: bool) -> _Style:
    forms: dict[str, list[_Form]] = {}
    bare: dict[str, str] = {}
    for section, constant in sections(table).items():
        bare[constant] = f"({section})"
    for notation in table.notations:
        pieces = notation.latex if latex else notation.unicode
        if pieces is None:
            continue
        if latex and bare.get(notation.constant, "").startswith("(") and not notation.truth:
            bare[notation.constant] = _latex_section(pieces, notation.kind)
        if notation.kind == "symbol":
            bare[notation.constant] = str(pieces[0])
            continue
        first = str(next(piece for piece in notation.unicode or ("",) if isinstance(piece, str)))
        args = notation.args
        holes = [piece for piece in pieces if isinstance(piece, Slot)]
        form = _Form(
            notation,
            len(args),
            max((slot.index for slot in holes), default=0),
            all(arg == Var(HOLE, i) for i, arg in enumerate(args, 1)),
            notation.latex_precedence if latex else notation.precedence,
            pieces,
            notation.constant in TAKES_PROPOSITIONS,
            "sequence" if first.startswith("lim") else "index" if first.startswith(("∑", "∏")) else "object",
        )
        forms.setdefault(notation.constant, []).append(form)
    chains = {enumeration.cons: enumeration for enumeration in table.enumerations}
    for enumeration in table.enumerations:
        if enumeration.nil is not None:
            bare.setdefault(enumeration.nil, "".join(enumeration.latex if latex else enumeration.brackets))
    return _Style({name: tuple(found) for name, found in forms.items()}, chains, bare, latex)


@cache
def sections(table: NotationTable) -> dict[str, str]:
    """Symbols that stand for their constant in brackets, as in `(+)`: those of plain infixes and binders."""
    found: dict[str, str] = {}
    shown: set[str] = set()
    for notation in table.notations:
        if notation.unicode is None or notation.constant in shown:
            continue
        symbols = [lexeme for piece in notation.unicode if isinstance(piece, str) for lexeme in lexemes(piece)]
        slots = [piece.index for piece in notation.unicode if isinstance(piece, Slot)]
        infix = notation.kind.startswith("infix") and len(symbols) == 1 and slots == [1, 2]
        if ((infix and not notation.truth) or notation.kind == "binder") and symbols[0] not in found:
            shown.add(notation.constant)
            found[symbols[0]] = notation.constant
    return found


def _latex_section(pieces: tuple[Piece, ...], kind: str) -> str:
    """`(+)` where the symbol stands alone between its arguments, else the notation with dots for them."""
    if kind == "binder":
        return f"({pieces[0]})"
    if len(pieces) == 3 and isinstance(pieces[1], str) and pieces[1].count("{") == pieces[1].count("}"):
        return f"({pieces[1].strip()})"
    return "(" + "".join(piece if isinstance(piece, str) else r"{\cdot}" for piece in pieces) + ")"


# What is still to be written: text; a term with the precedence that its place asks for and whether a proposition is
# expected there; names that come into scope (a list); the number of names that go out of scope.
_Item: TypeAlias = "str | tuple[Term, int, bool] | list[str] | int"


class _NameClash(Exception):
    """A bound variable took the name of a free one that occurs further in."""


def _print(term: Term, names: Names, style: str, prop: bool) -> str:
    try:
        return _Layout(names, style == "latex", frozenset()).run(term, prop)
    except _NameClash:
        return _Layout(names, style == "latex", frozenset(names.free(free.name) for free in frees(term))).run(
            term, prop
        )


class _Layout:
    """One walk over one term."""

    def __init__(self, names: Names, latex: bool, avoid: frozenset[str]) -> None:
        self.names = names
        self.style = _style(default_table(), latex)
        self.latex = latex
        self.avoid = avoid
        self.scope: list[str] = []
        self.used: set[str] = set()
        self.todo: list[_Item] = []
        self.open_chains: set[int] = set()  # applications known not to end in the nil of their enumeration

    def run(self, term: Term, prop: bool) -> str:
        out: list[str] = []
        todo = self.todo
        todo.append((term, 0, prop))
        scope, used = self.scope, self.used
        while todo:
            item = todo.pop()
            kind = type(item)
            if kind is str:
                out.append(item)  # type: ignore[arg-type]
            elif kind is tuple:
                self.lay_out(*item)  # type: ignore[misc]
            elif kind is list:
                scope.extend(item)  # type: ignore[arg-type]
                used.update(item)  # type: ignore[arg-type]
            else:
                used.difference_update(scope[-item:])  # type: ignore[operator]
                del scope[-item:]  # type: ignore[operator]
        return "".join(out)

    def lay_out(self, term: Term, precedence: int, prop: bool) -> None:
        """Push what the term is made of, last piece first."""
        if prop:
            if type(term) is App and type(term.fun) is Const and term.fun.name == TRUEPROP and not is_meta(term.arg):
                term = term.arg
            elif not is_meta(term):
                word = r"\mathrm{PROP}\;" if self.latex else "PROP "
                self.bracket(precedence > APPLY, [word, (term, ARGUMENT, False)])
                return
        if type(term) is App:
            head, args = strip_comb(term)
            if type(head) is Const:
                if self.notation(term, head.name, args, precedence):
                    return
            elif type(head) is Abs:
                self.application((head, APPLY, False), args, precedence)
                return
            self.application(self.leaf(head), args, precedence)
        elif type(term) is Abs:
            self.function(term, precedence)
        else:
            self.todo.append(self.leaf(term))

    def leaf(self, term: Term) -> str:
        if type(term) is Const:
            name = term.name
            text = self.style.bare.get(name)
            if text is not None:
                return text
            return latex_constant(self.names.constant(name)) if self.latex else self.names.constant(name)
        if type(term) is Free:
            text = self.names.free(term.name)
            if text in self.used:
                raise _NameClash
        elif type(term) is Bound:
            if term.index < len(self.scope):
                text = self.scope[-1 - term.index]
            else:
                text = "b" + subscript(term.index - len(self.scope))
        else:
            assert type(term) is Var
            text = self.names.schematic(term.name, term.index)
        return latex_variable(text) if self.latex else text

    def bracket(self, needed: bool, items: list[_Item]) -> None:
        todo = self.todo
        if needed:
            todo.append(")")
        items.reverse()
        todo.extend(items)
        if needed:
            todo.append("(")

    def application(self, head: _Item, args: list[Term], precedence: int) -> None:
        if self.latex:
            self.enclosed("(", args, ")")
            self.todo.append(head)
            return
        items: list[_Item] = [head]
        for arg in args:
            kind = type(arg)
            items += (" ", (arg, ARGUMENT, False) if kind is App or kind is Abs else self.leaf(arg))
        self.bracket(precedence > APPLY, items)

    def enclosed(self, opening: str, terms: Sequence[Term], closing: str) -> None:
        """Terms with commas between them."""
        items: list[_Item] = []
        for term in terms:
            items += (", " if items else opening, (term, 0, False))
        self.bracket(False, [*items, closing])

    def function(self, term: Term, precedence: int) -> None:
        groups: list[str] = []
        entered: list[str] = []
        body = term
        while (parts := abstraction(body)) is not None:
            variables, body = parts
            groups.append(self.name_variables(variables, body, "object", entered))
        self.used.difference_update(entered)
        lambda_ = r"\lambda " if self.latex else "λ"
        dot = r".\; " if self.latex else ". "
        separator = r"\, " if self.latex else " "
        self.bracket(
            precedence > 10,
            [lambda_, separator.join(groups), dot, entered, (body, 10, False), len(entered)],
        )

    def notation(self, term: Term, name: str, args: list[Term], precedence: int) -> bool:
        """Use the first notation of the constant that fits; False when none does."""
        count = len(args)
        if name == NUMERAL:
            value = numeral_value(args[0])
            if value is not None:
                if len(args) > 1:
                    self.application(str(value), args[1:], precedence)
                else:
                    self.todo.append(str(value))
                return True
        chain = self.style.chains.get(name)
        if chain is not None and count >= 2 and self.chain(chain, term, args, precedence):
            return True
        for form in self.style.forms.get(name, ()):
            if form.args > count:
                continue
            if form.notation.truth and not (self.is_truth(args[0]) or self.is_truth(args[1])):
                continue
            if form.flat:
                found = None
            else:
                found = Match(form.holes)
                patterns = form.notation.args
                if not all(match(pattern, arg, found) for pattern, arg in zip(patterns, args, strict=False)):
                    continue
            if form.args < count:
                for _ in range(count - form.args):
                    term = term.fun  # type: ignore[union-attr]
                self.application((term, APPLY, False), args[form.args :], precedence)
            elif found is None:
                self.fill_flat(form, args, precedence)
            else:
                self.fill(form, found, precedence)
            return True
        return False

    def is_truth(self, term: Term) -> bool:
        name, arguments = applied_constant(term)
        return self.names.truths(name) == len(arguments)

    def fill_flat(self, form: _Form, args: list[Term], precedence: int) -> None:
        items: list[_Item] = []
        for piece in form.pieces:
            if type(piece) is str:
                items.append(piece)
            else:
                assert type(piece) is Slot
                arg = args[piece.index - 1]
                laid_out = form.prop or type(arg) is App or type(arg) is Abs
                items.append((arg, piece.precedence, form.prop) if laid_out else self.leaf(arg))
        self.bracket(precedence > form.precedence, items)

    def fill(self, form: _Form, found: Match, precedence: int) -> None:
        """Write a notation with a pattern: name its variables, bring them into scope where they are."""
        holes = found.holes
        entered: list[str] = []
        body_index = max((p.index for p in form.pieces if isinstance(p, Slot) and p.where == "scoped"), default=0)
        shown = ""
        if found.variables:
            body = holes[body_index]
            shown = self.name_variables(found.variables, body, form.pool, entered)
            while form.notation.several and type(body) is App and type(body.fun) is Const:
                if body.fun.name != form.notation.constant or (parts := abstraction(body.arg)) is None:
                    break
                variables, body = parts
                shown += (r"\, " if self.latex else " ") + self.name_variables(variables, body, form.pool, entered)
            holes[body_index] = body
            self.used.difference_update(entered)
        items: list[_Item] = []
        for piece in form.pieces:
            if isinstance(piece, str):
                items.append(piece)
            elif piece is BINDER:
                items.append(shown)
            else:
                assert isinstance(piece, Slot)
                item = (holes[piece.index], piece.precedence, form.prop)
                if piece.where == "outside":
                    items.append(item)
                else:
                    items += (entered, item, len(entered))
        self.bracket(precedence > form.precedence, items)

    def chain(self, chain: Enumeration, term: Term, args: list[Term], precedence: int) -> bool:
        """Write `[a, b]`, `{a, b}`, `(a, b, c)`; False when the chain does not end as it must."""
        rest: Term = args[1]
        elements = [args[0]]
        passed: list[int] = [id(term)]
        if len(args) > 2 or id(term) in self.open_chains:
            return False
        while (both := dest_binary(chain.cons, rest)) is not None:
            elements.append(both[0])
            passed.append(id(rest))
            rest = both[1]
        if chain.nil is None:
            elements.append(rest)
        elif type(rest) is not Const or rest.name != chain.nil:
            self.open_chains.update(passed)
            return False
        opening, closing = chain.latex if self.latex else chain.brackets
        self.enclosed(opening, elements, closing)
        return True

    def name_variables(self, variables: Variables, body: Term, pool: str, entered: list[str]) -> str:
        """Choose names for the variables of an abstraction, note them, and say how the binder shows them."""
        count = sum(1 for entry in variables if entry is not None)
        chosen: list[str] = []
        for entry in variables:
            if entry is not None:
                chosen.append(self.choose(entry, body, count - len(chosen) - 1, pool))
                self.used.add(chosen[-1])
        entered += chosen
        if len(variables) == 1:
            return latex_variable(chosen[0]) if self.latex else chosen[0]
        return shown_tuple([latex_variable(name) for name in chosen] if self.latex else chosen, variables)

    def choose(self, hint: str, body: Term, index: int, pool: str) -> str:
        names, used, avoid = self.names, self.used, self.avoid
        hint = from_isabelle(hint)
        if hint and hint not in used and hint not in avoid and names.is_free_for_binding(hint):
            return hint
        for name in _POOLS[_role(body, index) or pool]:
            if name not in used and name not in avoid and names.is_free_for_binding(name):
                return name
        number = len(used)
        while True:
            name = f"x{number}"
            if name not in used and name not in avoid and names.is_free_for_binding(name):
                return name
            number += 1


def _role(body: Term, index: int) -> str | None:
    """Is the bound variable used as a function or as a set? Only the beginning of the body is looked at."""
    todo: list[tuple[Term, int]] = [(body, index)]
    for _ in range(_MAX_LOOK):
        if not todo:
            return None
        node, depth = todo.pop()
        if type(node) is App:
            fun, arg = node.fun, node.arg
            if type(fun) is Bound and fun.index == depth:
                return "function"
            if type(arg) is Bound and arg.index == depth:
                if type(fun) is Const and fun.name in _FUNCTIONLIKE:
                    return "function"
                if type(fun) is Const and fun.name in _SETLIKE:
                    return "set"
                if type(fun) is App and type(fun.fun) is Const and fun.fun.name in ("Set.member", *_SETLIKE):
                    return "set"
            todo.append((fun, depth))
            todo.append((arg, depth))
        elif type(node) is Abs:
            todo.append((node.body, depth + 1))
    return None
