"""The paper's token encoding of terms: `CONST c`, `FREE x`, `VAR v`, `BOUND i`, `ABS`, `$`, brackets only where needed.

Strict reading accepts exactly what `encode` writes, so that token sequences and erased terms are one to one. With
`strict=False` it also takes the variants found in the wild: superfluous or glued brackets, an `ABS` without brackets
(it reaches to the end of its bracket group, as in the 2020 release) and `VAR v 0` with an index of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from isarstep.isabelle.terms.read_error import UnexpectedError
from isarstep.isabelle.terms.terms import Abs, App, Bound, Const, Free, Term, Var


class TokenError(UnexpectedError):
    """A token sequence is no term from this token on."""

    def place(self) -> str:
        return f"token {self.position}"


# Leaves are shared: real data repeat the same few thousand, and a table look-up is cheaper than an allocation. The
# tables are emptied when they grow past this, so that hostile input cannot fill the memory.
_MAX_SHARED = 200_000


_INDEXED = re.compile(r"(.+)\.(0|[1-9][0-9]{0,8})", re.DOTALL)


def _schematic(token: str) -> Term | None:
    """`x` is index 0, `x.3` index 3, and a name that itself ends like an index always says it: `x.3.0`."""
    match = _INDEXED.fullmatch(token)
    variable = Var(match[1], int(match[2])) if match else Var(token)
    return variable if _schematic_name(variable) == token else None


def _schematic_name(variable: Var) -> str:
    if variable.index == 0 and not _INDEXED.fullmatch(variable.name):
        return variable.name
    return f"{variable.name}.{variable.index}"


def _bound(token: str) -> Term | None:
    if token.isascii() and token.isdecimal() and len(token) <= 9 and (token[0] != "0" or token == "0"):
        return Bound(int(token))
    return None


def _is_name(token: str) -> bool:
    """Anything without blanks that cannot be confused with a bracket glued to its neighbour."""
    return token not in ("", "$") and token[0] != "(" and token[-1] != ")" and not token[0].isspace()


_LEAVES: dict[str, tuple[dict[str, Term], Callable[[str], Term | None], str]] = {
    "CONST": ({}, Const, "the name of a constant"),
    "FREE": ({}, Free, "the name of a free variable"),
    "VAR": ({}, _schematic, "the name of a schematic variable"),
    "BOUND": ({}, _bound, "the index of a bound variable"),
}


def decode(tokens: str | Sequence[str], *, strict: bool = True) -> Term:
    """The term that a token sequence (or a line of tokens separated by blanks) stands for, without types."""
    sequence = tokens.split() if isinstance(tokens, str) else list(tokens)
    if not strict:
        sequence = _split_glued(sequence)
    end = len(sequence)
    sequence.append("")  # stands for the end, and is no token
    leaves = _LEAVES
    # For every open group: the function that it is an argument of (None: the group stands in head position), the
    # abstractions that the group around it began with, and whether it has a bracket or is an `ABS` without one.
    frames: list[tuple[Term | None, int, bool]] = []
    head: Term | None = None  # what has been read of the current group
    binders = 0  # abstractions that the current group began with
    i = 0
    while True:
        # An operand must stand here.
        token = sequence[i]
        if token in leaves:
            i += 1
            leaf = leaves[token][0].get(sequence[i])
            if leaf is None:
                leaf = _new_leaf(sequence, i)
            i += 1
            if not strict and token == "VAR" and _bound(sequence[i]) is not None:
                leaf = Var(leaf.name, int(sequence[i]))  # type: ignore[union-attr]
                i += 1
            head = leaf if head is None else App(head, leaf)
        elif token == "(":
            i += 1
            if head is None and strict and sequence[i] != "ABS":
                raise _error(sequence, i, "ABS, because only an abstraction is bracketed where a function stands")
            frames.append((head, binders, True))
            head = None
            binders = 0
            continue
        elif token == "ABS" and (head is None or not strict):
            if head is None:
                binders += 1
            else:
                frames.append((head, binders, False))
                head = None
                binders = 1
            i += 1
            continue
        else:
            raise _error(sequence, i, "CONST, FREE, VAR, BOUND" + (", ABS or '('" if head is None else " or '('"))
        # The operand is complete: the application goes on, or brackets close, or all ends.
        while True:
            token = sequence[i]
            if token == "$":
                i += 1
                break
            if token != ")" and i < end:
                raise _error(sequence, i, "'$' or ')'" if frames else "'$' or the end")
            head, binders = _close(sequence, i, head, binders, frames, strict)
            if i == end:
                return head
            i += 1


def _new_leaf(sequence: list[str], i: int) -> Term:
    """The leaf at `i`, whose kind stands before it; the next one of that name is the same object."""
    table, make, wanted = _LEAVES[sequence[i - 1]]
    leaf = make(sequence[i]) if _is_name(sequence[i]) else None
    if leaf is None:
        raise _error(sequence, i, wanted)
    if len(table) >= _MAX_SHARED:
        table.clear()
    table[sequence[i]] = leaf
    return leaf


def _close(
    sequence: list[str], i: int, head: Term, binders: int, frames: list[tuple[Term | None, int, bool]], strict: bool
) -> tuple[Term, int]:
    """What was read up to the bracket or the end at `i`, and the abstractions that the group around it began with.
    Groups without a bracket close too."""
    at_end = sequence[i] != ")"
    if strict and frames and not at_end and binders == 0 and type(head) is not App:
        raise _error(sequence, i, "'$', because a single name is not bracketed")
    while True:
        for _ in range(binders):
            head = Abs("", None, head)
        if not frames:
            if at_end:
                return head, 0
            raise _error(sequence, i, "'$' or the end")
        function, binders, bracketed = frames.pop()
        if bracketed and at_end:
            raise _error(sequence, i, "'$' or ')'")
        if function is not None:
            head = App(function, head)
        if bracketed:
            if function is None and strict and sequence[i + 1] != "$":
                raise _error(sequence, i + 1, "'$', because an abstraction is bracketed only to be applied")
            return head, binders


def _error(sequence: list[str], position: int, expected: str) -> TokenError:
    return TokenError(position, sequence[position] if position < len(sequence) - 1 else None, expected)


def _split_glued(sequence: Sequence[str]) -> list[str]:
    """Give brackets that stick to a neighbour a token of their own."""
    out: list[str] = []
    for token in sequence:
        core = token.lstrip("(")
        out.extend("(" * (len(token) - len(core)))
        bare = core.rstrip(")")
        if bare:
            out.append(bare)
        out.extend(")" * (len(core) - len(bare)))
    return out


def encode(term: Term) -> list[str]:
    """The tokens of a term, types and names of abstractions left out."""
    out: list[str] = []
    todo: list[Term | str] = [term]
    while todo:
        node = todo.pop()
        applied = False
        while True:
            if type(node) is App:
                argument = node.arg
                if type(argument) is App or type(argument) is Abs:
                    todo += (")", argument, "(", "$")
                else:
                    todo += (argument, "$")
                applied = True
                node = node.fun
                continue
            if type(node) is str:
                out.append(node)
            elif type(node) is Const:
                out += ("CONST", node.name)
            elif type(node) is Free:
                out += ("FREE", node.name)
            elif type(node) is Bound:
                out += ("BOUND", str(node.index))
            elif type(node) is Var:
                out += ("VAR", _schematic_name(node))
            elif type(node) is Abs:
                if applied:
                    out.append("(")
                    todo.append(")")
                    applied = False
                out.append("ABS")
                node = node.body
                continue
            break
    return out


def encode_line(term: Term) -> str:
    """The tokens of a term as one line."""
    return " ".join(encode(term))
