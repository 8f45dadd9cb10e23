"""Notation of Isabelle/HOL that theories switch on for a while (`unbundle lattice_syntax`, `includes lifting_syntax`).

A graph has what a theory leaves switched on at its end, so these few are written by hand, as rows of docs/graphs.md.
They are used only where a text cannot be read without them.
"""

from __future__ import annotations

from typing import Any


def _infix(symbol: str, constant: str, left: int, right: int, priority: int) -> list[list[Any]]:
    head = "\\<^const>" + constant
    return [
        ["logic", [["any", left], 1, symbol, 1, ["any", right]], head, priority, 0],
        ["logic", [f"({symbol})"], head, 1000, 0],
    ]


def _closed(symbols: list[Any], constant: str, priority: int = 1000) -> list[Any]:
    return ["logic", symbols, "\\<^const>" + constant, priority, 0]


_ORDERS = "BNF_Wellorder_Constructions"
_CARDINALS = "BNF_Cardinal_Arithmetic"
PRODUCTIONS: list[list[Any]] = [
    # lattices
    *_infix("\\<sqinter>", "Lattices.inf_class.inf", 70, 71, 70),
    *_infix("\\<squnion>", "Lattices.sup_class.sup", 65, 66, 65),
    _closed(["\\<bottom>"], "Orderings.bot_class.bot"),
    _closed(["\\<top>"], "Orderings.top_class.top"),
    _closed(["\\<Sqinter>", 1, ["logic", 900]], "Complete_Lattices.Inf_class.Inf", 900),
    _closed(["\\<Squnion>", 1, ["logic", 900]], "Complete_Lattices.Sup_class.Sup", 900),
    ["logic", ["\\<Sqinter>", ["pttrn", 0], "\\<in>", ["logic", 0], ".", 1, ["any", 10]], "_INF", 10, 0],
    ["logic", ["\\<Squnion>", ["pttrn", 0], "\\<in>", ["logic", 0], ".", 1, ["any", 10]], "_SUP", 10, 0],
    ["logic", ["\\<Sqinter>", ["pttrns", 0], ".", 1, ["any", 10]], "_INF1", 10, 0],
    ["logic", ["\\<Squnion>", ["pttrns", 0], ".", 1, ["any", 10]], "_SUP1", 10, 0],
    # operations on bits
    *_infix("AND", "Bit_Operations.semiring_bit_operations_class.and", 65, 64, 64),
    *_infix("OR", "Bit_Operations.semiring_bit_operations_class.or", 60, 59, 59),
    *_infix("XOR", "Bit_Operations.semiring_bit_operations_class.xor", 60, 59, 59),
    _closed(["NOT"], "Bit_Operations.ring_bit_operations_class.not"),
    # relators
    *_infix("===>", "BNF_Def.rel_fun", 56, 55, 55),
    *_infix("--->", "Fun.map_fun", 56, 55, 55),
    # cardinals
    *_infix("\\<le>o", f"{_ORDERS}.ordLeq3", 51, 51, 50),
    *_infix("<=o", f"{_ORDERS}.ordLeq2", 51, 51, 50),
    *_infix("<o", f"{_ORDERS}.ordLess2", 51, 51, 50),
    *_infix("=o", f"{_ORDERS}.ordIso2", 51, 51, 50),
    _closed(["|", ["logic", 0], "|"], "BNF_Cardinal_Order_Relation.card_of"),
    *_infix("+c", f"{_CARDINALS}.csum", 66, 65, 65),
    *_infix("*c", f"{_CARDINALS}.cprod", 81, 80, 80),
    *_infix("^c", f"{_CARDINALS}.cexp", 91, 90, 90),
    # programs with a state
    *_infix("\\<circ>>", "Product_Type.fcomp", 60, 61, 60),
    *_infix("\\<circ>\\<rightarrow>", "Product_Type.scomp", 60, 61, 60),
]
