"""The table of notations as a grammar: a tree for what begins an expression, another for what continues one."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

from isarstep.errors import UserError
from isarstep.logic.lexing import UPDATE
from isarstep.logic.notation import BINDER, CLOSED, Enumeration, Hole, Notation, NotationTable, Slot, lexemes
from isarstep.logic.patterns import TAKES_PROPOSITIONS
from isarstep.logic.terms import Const


@dataclass(slots=True)
class FormNode:
    """Where a reader may be inside a notation, and how it may go on."""

    words: dict[str, FormNode] = field(default_factory=dict)
    slot: FormNode | None = None
    slot_precedence: int = CLOSED
    slot_where: str = ""
    binder: FormNode | None = None
    several: bool = False  # more than one variable may be bound here
    enumeration: Enumeration | None = None
    notation: Notation | None = None  # the notation that is complete here
    order: tuple[int, ...] = ()  # the holes that the places read so far belong to
    precedence: int = CLOSED  # of what begins here; for a first word that continues an expression
    repeats: bool = True  # may an operator of this level stand to its left?
    plain: Const | None = None  # the constant, where the notation complete here just applies it to the places in order

    def last_place(self) -> FormNode | None:
        """Where one goes when nothing but one expression can follow."""
        after = self.slot
        if after is None or self.words or self.binder or self.enumeration or after.words or after.slot:
            return None
        return after if after.plain is not None else None


@dataclass(frozen=True, slots=True)
class FormGrammar:
    """First words of prefix forms and of infix forms, and what follows from them."""

    begins: dict[str, FormNode]
    continues: dict[str, FormNode]
    arguments: frozenset[str]  # words that can begin an argument of a function
    binders: frozenset[str]  # words that may have a full stop behind their variables


@cache
def grammar(table: NotationTable) -> FormGrammar:
    """Build both trees; two notations that read alike are an error."""
    begins: dict[str, FormNode] = {}
    continues: dict[str, FormNode] = {}
    arguments = {"("}
    binders = {"λ"}
    for enumeration in table.enumerations:
        if enumeration.nil is not None:
            node = begins.setdefault(enumeration.brackets[0], FormNode())
            node.enumeration = enumeration
            _slot(node, 0, "outside", enumeration.cons)
            arguments.add(enumeration.brackets[0])
    for notation in table.notations:
        pieces = notation.unicode
        if pieces is None or (notation.kind == "symbol" and pieces[0] in ("0", "1")):
            continue
        first = pieces[0]
        if isinstance(first, Slot):
            word, *rest = _words(str(pieces[1]))
            if word not in continues:
                repeats = first.precedence == notation.precedence
                continues[word] = FormNode(precedence=notation.precedence, repeats=repeats)
            node = continues[word]
            if node.precedence != notation.precedence:
                raise UserError(f"notation of {notation.constant}: {word!r} already has precedence {node.precedence}")
            _add(node, notation, [first.index], rest, 2)
        else:
            word, *rest = _words(str(first))
            if notation.precedence >= CLOSED:
                arguments.add(word)
            if BINDER in pieces and any("." in _words(piece) for piece in pieces if isinstance(piece, str)):
                binders.add(word)
            _add(begins.setdefault(word, FormNode()), notation, [], rest, 1)
    _check_full_stops(table, begins)
    _check_choices([*begins.values(), *continues.values()], begins.keys() | arguments)
    both = arguments & continues.keys()
    if both:
        raise UserError(f"notation: {sorted(both)} cannot both continue an expression and begin an argument")
    return FormGrammar(begins, continues, frozenset(arguments), frozenset(binders))


def _check_full_stops(table: NotationTable, begins: dict[str, FormNode]) -> None:
    """`⋃A` begins like `⋃x. B x`, so it needs brackets where a full stop may follow: between binder and full stop."""
    loosest, strongest = CLOSED, 0
    for notation in table.notations:
        pieces = notation.unicode or ()
        if BINDER in pieces:
            places: list[int] = []
            for piece in pieces[pieces.index(BINDER) :]:
                if isinstance(piece, str) and "." in lexemes(piece):
                    loosest = min([loosest, *places])
                    break
                if isinstance(piece, Slot):
                    places.append(piece.precedence)
        elif pieces and isinstance(pieces[0], str) and isinstance(pieces[-1], Slot):
            node = begins[_words(pieces[0])[0]]
            if node.binder is not None and node.slot is not None:
                strongest = max(strongest, notation.precedence)
    if strongest >= loosest:
        raise UserError(f"notation: a place between a binder and its full stop must bind more tightly than {strongest}")


def _check_choices(nodes: list[FormNode], first_words: set[str]) -> None:
    """Where an expression may stand, no word of the notation may look like the beginning of one: `≈[G]` beside `≈`."""
    todo = list(nodes)
    while todo:
        node = todo.pop()
        both = sorted(first_words & node.words.keys()) if node.slot is not None else []
        if both:
            raise UserError(f"notation: {both[0]!r} goes on a notation where it could also begin an expression")
        todo.extend(node.words.values())
        todo.extend(after for after in (node.slot, node.binder) if after is not None)


def _words(literal: str) -> list[str]:
    words = lexemes(literal)
    return [UPDATE, *words[1:]] if words[0] == "(" else words


def _slot(node: FormNode, precedence: int, where: str, constant: str) -> FormNode:
    if node.slot is None:
        node.slot, node.slot_where = FormNode(), where
    elif node.slot_where != where:
        raise UserError(f"notation of {constant}: it begins like another one, but its variable reaches elsewhere")
    node.slot_precedence = min(node.slot_precedence, precedence)
    return node.slot


def _add(node: FormNode, notation: Notation, order: list[int], words: list[str], position: int) -> None:
    pieces = notation.unicode
    assert pieces is not None
    for word in words:
        node = node.words.setdefault(word, FormNode())
    for piece in pieces[position:]:
        if isinstance(piece, Slot):
            order.append(piece.index)
            node = _slot(node, piece.precedence, piece.where, notation.constant)
        elif isinstance(piece, str):
            for word in _words(piece):
                node = node.words.setdefault(word, FormNode())
        else:
            if node.binder is None:
                node.binder = FormNode()
            node.several |= notation.several
            node = node.binder
    if node.notation is not None:
        raise UserError(f"notation of {notation.constant} reads like that of {node.notation.constant}")
    node.notation, node.order = notation, tuple(order)
    in_order = [Hole(i) for i in order] == list(notation.pattern.args) and order == sorted(order)
    if in_order and notation.constant not in TAKES_PROPOSITIONS:
        node.plain = Const(notation.constant)
