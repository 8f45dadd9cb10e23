"""Types as text: the prefix form `(fun 'a (List.list ('b :: C & D)))` for files, and `'a ⇒ 'b list` for people.

The prefix form is exact: `parse_type(format_type(t)) == t`. A schematic variable is `?'a` or `?'a.1` (packages also
make `?a`); a sort follows its variable in brackets; a constructor without arguments needs no brackets.
"""

from __future__ import annotations

import re
from functools import lru_cache

from isarstep.common.errors import UserError
from isarstep.isabelle.terms.terms import Sort, TFree, TVar, Typ, Type

_PIECE = re.compile(r"[()&]|::|[^\s()&]+")
_NO_NAME = frozenset(("", "(", ")", "&", "::"))
# Types that are written between their arguments: how, and what may stand on both sides (see `show_type`).
_BETWEEN = {"fun": (" ⇒ ", 1, 0), "Product_Type.prod": (" × ", 2, 1), "Sum_Type.sum": (" + ", 2, 1)}


def parse_type(text: str) -> Typ:
    """Read the prefix form. Errors name the character."""
    pieces: list[str] = _PIECE.findall(text)
    pieces += ["", ""]  # twice, to look one piece further
    groups: list[list[Typ | str]] = []
    result: Typ | None = None
    i = 0
    while result is None:
        piece = pieces[i]
        i += 1
        made: Typ
        if piece == "(":
            name = pieces[i]
            if name[:1] in ("'", "?"):
                if pieces[i + 1] != "::":
                    raise _error(text, i)
                made, i = _sorted_variable(text, pieces, i)
            else:
                if name in _NO_NAME:
                    raise _error(text, i)
                groups.append([name])
                i += 1
                continue
        elif piece == ")" and groups:
            constructor, *arguments = groups.pop()
            made = Type(constructor, tuple(arguments))  # type: ignore[arg-type]
        elif piece in _NO_NAME:
            raise _error(text, i - 1)
        else:
            made = _leaf(piece)
        if groups:
            groups[-1].append(made)
        else:
            result = made
    if pieces[i]:
        raise _error(text, i)
    return result


def _sorted_variable(text: str, pieces: list[str], i: int) -> tuple[Typ, int]:
    """`'a :: C & D )`, from the variable on."""
    variable = pieces[i]
    classes = []
    i += 1
    separator = "::"
    while pieces[i] == separator:
        separator = "&"
        if pieces[i + 1] in _NO_NAME:
            raise _error(text, i + 1)
        classes.append(pieces[i + 1])
        i += 2
    if pieces[i] != ")":
        raise _error(text, i)
    return _variable(variable, tuple(sorted(classes))), i + 1


@lru_cache(maxsize=10_000)
def _leaf(piece: str) -> Typ:
    """A variable or a constructor without arguments; a signature has few of them, many times over."""
    return _variable(piece, ()) if piece.startswith(("'", "?")) else Type(piece)


@lru_cache(maxsize=10_000)
def _variable(name: str, sort: Sort) -> Typ:
    if not name.startswith("?"):
        return TFree(name, sort)
    base, dot, index = name[1:].rpartition(".")
    if dot and index.isascii() and index.isdecimal() and len(index) < 10:
        return TVar(base, int(index), sort)
    return TVar(name[1:], 0, sort)


def _error(text: str, number: int) -> UserError:
    """The piece with this number cannot stand where it does."""
    starts = [match.start() for match in _PIECE.finditer(text)]
    found = repr(text[starts[number] :][:20]) if number < len(starts) else "the end"
    position = starts[number] if number < len(starts) else len(text.rstrip())
    return UserError(f"type, character {position}: {found} cannot stand here; write it like (fun 'a (List.list 'b))")


def format_type(typ: Typ) -> str:
    """Write the prefix form."""
    out: list[str] = []
    todo: list[Typ | str] = [typ]
    while todo:
        node = todo.pop()
        if isinstance(node, str):
            out.append(node)
        elif type(node) is Type:
            if node.args:
                todo.append(")")
                for argument in reversed(node.args):
                    todo.extend((argument, " "))
                out.append("(" + node.name)
            else:
                out.append(node.name)
        else:
            name = node.name
            if type(node) is TVar:
                name = f"?{name}.{node.index}" if node.index or "." in name else "?" + name
            out.append(f"({name} :: {' & '.join(node.sort)})" if node.sort else name)
    return "".join(out)


def show_type(typ: Typ, limit: int = 400) -> str:
    """The way Isabelle's users write it: `nat ⇒ 'a list`, short names, no sorts; cut off when longer than the limit."""
    out: list[str] = []
    length = 0
    todo: list[tuple[Typ | str, int]] = [(typ, 0)]  # 0: anything may stand here, 1: no bare function, 2: an argument
    while todo:
        node, place = todo.pop()
        if isinstance(node, str):
            text = node
        elif type(node) is not Type:
            text = node.name if type(node) is TFree else "?" + node.name + (str(node.index) if node.index else "")
        elif node.name in _BETWEEN and len(node.args) == 2:
            if place:
                todo.append((")", 0))
            sign, left, right = _BETWEEN[node.name]
            todo += [(node.args[1], right), (sign, 0), (node.args[0], left)]
            text = "(" if place else ""
        else:
            todo.append(((" " if node.args else "") + node.name.rpartition(".")[2], 0))
            if len(node.args) == 1:
                todo.append((node.args[0], 2))
            elif node.args:
                todo.append((")", 0))
                for position, argument in enumerate(reversed(node.args)):
                    if position:
                        todo.append((", ", 0))
                    todo.append((argument, 0))
            text = "(" if len(node.args) > 1 else ""
        out.append(text)
        length += len(text)
        if length > limit:
            return "".join(out)[:limit] + "…"
    return "".join(out)


def type_variables(typ: Typ) -> list[TFree | TVar]:
    """The variables of a type, each once, in order."""
    found: dict[TFree | TVar, None] = {}
    todo = [typ]
    while todo:
        node = todo.pop()
        if type(node) is Type:
            todo.extend(reversed(node.args))
        else:
            found[node] = None
    return list(found)
