"""Notation of Isabelle/HOL that theories switch on for a while (`unbundle lattice_syntax`, `includes lifting_syntax`).

A graph has what a theory leaves switched on at its end, so these few are written by hand, as rows of docs/graphs.md,
without blanks: they are used only where a text cannot be read without them, and nothing is written with them.
"""

from __future__ import annotations

from typing import Any


def _row(symbols: list[Any], head: str, priority: int) -> list[Any]:
    return ["logic", symbols, head, priority, 0]


def _infix(symbol: str, constant: str, left: int, right: int, priority: int) -> list[list[Any]]:
    around = [["any", left], symbol, ["any", right]]
    return [_row(around, "\\<^const>" + constant, priority), _closed([f"({symbol})"], constant)]


def _closed(symbols: list[Any], constant: str, priority: int = 1000) -> list[Any]:
    return _row(symbols, "\\<^const>" + constant, priority)


_ORDERS = "BNF_Wellorder_Constructions"
_CARDINALS = "BNF_Cardinal_Arithmetic"
_LATTICES = [
    *_infix("\\<sqinter>", "Lattices.inf_class.inf", 70, 71, 70),
    *_infix("\\<squnion>", "Lattices.sup_class.sup", 65, 66, 65),
    _closed(["\\<bottom>"], "Orderings.bot_class.bot"),
    _closed(["\\<top>"], "Orderings.top_class.top"),
    _closed(["\\<Sqinter>", ["logic", 900]], "Complete_Lattices.Inf_class.Inf", 900),
    _closed(["\\<Squnion>", ["logic", 900]], "Complete_Lattices.Sup_class.Sup", 900),
    _row(["\\<Sqinter>", ["pttrn", 0], "\\<in>", ["logic", 0], ".", ["any", 10]], "_INF", 10),
    _row(["\\<Squnion>", ["pttrn", 0], "\\<in>", ["logic", 0], ".", ["any", 10]], "_SUP", 10),
    _row(["\\<Sqinter>", ["pttrns", 0], ".", ["any", 10]], "_INF1", 10),
    _row(["\\<Squnion>", ["pttrns", 0], ".", ["any", 10]], "_SUP1", 10),
]
_BITS = [
    *_infix("AND", "Bit_Operations.semiring_bit_operations_class.and", 65, 64, 64),
    *_infix("OR", "Bit_Operations.semiring_bit_operations_class.or", 60, 59, 59),
    *_infix("XOR", "Bit_Operations.semiring_bit_operations_class.xor", 60, 59, 59),
    _closed(["NOT"], "Bit_Operations.ring_bit_operations_class.not"),
]
_LIFTING = [
    *_infix("===>", "BNF_Def.rel_fun", 56, 55, 55),
    *_infix("--->", "Fun.map_fun", 56, 55, 55),
]
_OF_CARDINALS = [
    *_infix("\\<le>o", f"{_ORDERS}.ordLeq3", 51, 51, 50),
    *_infix("<=o", f"{_ORDERS}.ordLeq2", 51, 51, 50),
    *_infix("<o", f"{_ORDERS}.ordLess2", 51, 51, 50),
    *_infix("=o", f"{_ORDERS}.ordIso2", 51, 51, 50),
    _closed(["|", ["logic", 0], "|"], "BNF_Cardinal_Order_Relation.card_of"),
    *_infix("+c", f"{_CARDINALS}.csum", 66, 65, 65),
    *_infix("*c", f"{_CARDINALS}.cprod", 81, 80, 80),
    *_infix("^c", f"{_CARDINALS}.cexp", 91, 90, 90),
]
_STATES = [
    *_infix("\\<circ>>", "Product_Type.fcomp", 60, 61, 60),
    *_infix("\\<circ>\\<rightarrow>", "Product_Type.scomp", 60, 61, 60),
]
BUNDLES: dict[str, list[list[Any]]] = {
    "lattice_syntax": _LATTICES,
    "bit_operations_syntax": _BITS,
    "lifting_syntax": _LIFTING,
    "cardinal_syntax": _OF_CARDINALS,
    "state_combinator_syntax": _STATES,
}
PRODUCTIONS: list[list[Any]] = [row for rows in BUNDLES.values() for row in rows]
