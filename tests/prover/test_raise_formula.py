"""What encodings say is said in HOL again, and means the same: encoded once more, it is the same text."""

from __future__ import annotations

import re

import pytest
from tests.prover.derivations import FALSE, TRUE, Derivation
from tests.prover.language import local
from tests.prover.test_derivations import query

from isarstep.isabelle.terms.hol import trueprop
from isarstep.isabelle.terms.terms import frees
from isarstep.isabelle.terms.type_text import parse_type
from isarstep.prover.atp.problems import state
from isarstep.prover.encode import formula as f
from isarstep.prover.encode.decode_tf0 import CannotDecode, ProblemSymbols, read_tf0
from isarstep.prover.encode.formula import CannotEncode, Entailment, Formula
from isarstep.prover.encode.lowering import type_text
from isarstep.prover.encode.raise_formula import Raising, head_of_symbol, type_of_text
from isarstep.prover.encode.tf0 import encode_tf0

# Without variables: conditions between constants are encoded as True.
SIMPLIFIED = ("three truth values at nat",)
STATEMENT = re.compile(r"^tff\((\w+),(?:axiom|conjecture),(.*)\)\.$", re.MULTILINE)


def formulas(problem: Entailment) -> list[Formula]:
    """Of its text, as they are read: the premises, then the goal. What defines a symbol is encoded as what is trivial."""
    known = ProblemSymbols(problem)
    texts = dict(STATEMENT.findall(encode_tf0(problem)[0]))
    first, count = len(problem.axioms), len(problem.premises)
    labels = [*(f"p{first + place}" for place in range(count)), "goal"]
    return [read_tf0(texts[label], known) for label in labels]


def normal(formula: Formula, names: dict[f.SortedVariable, int]) -> object:
    """The same for formulas that differ in names of variables and brackets around what is joined."""
    match formula:
        case f.SortedVariable(_, sort):
            return "variable", names.setdefault(formula, len(names)), sort
        case f.Conn("and" | "or" as op, args):
            parts: list[object] = []
            for part in args:
                inner = normal(part, names)
                parts += inner[1:] if isinstance(inner, tuple) and inner[0] == op else [inner]
            return (op, *parts)
        case f.Quant(kind, var, body):
            return kind, normal(var, names), normal(body, names)
        case f.Sym(name, sort):
            return name, sort
        case _:
            own = (formula.op if isinstance(formula, f.Conn) else "", getattr(formula, "value", None))
            return (type(formula).__name__, *own, *(normal(part, names) for part in f.children(formula)))


@pytest.mark.parametrize("unfold", [False, True])
@pytest.mark.parametrize("derivation", [*TRUE, *FALSE], ids=lambda derivation: derivation.name)
def test_what_is_said_again_is_encoded_as_before(derivation: Derivation, unfold: bool) -> None:
    asked = query(derivation)
    try:
        problem = state((*asked.premises, *asked.library), asked.goal, arithmetic=False, unfold=unfold)
        read = formulas(problem)
    except CannotEncode:
        return
    for formula in read:
        try:
            said = trueprop(Raising().proposition(formula), typed=True)
        except CannotDecode as reason:
            assert "no symbol" in str(reason) or "of another type" in str(reason), reason
            continue
        again = formulas(state((), said, arithmetic=False, unfold=unfold))[-1]
        if derivation.name in SIMPLIFIED:
            continue
        assert normal(again, {}) == normal(formula, {})


def test_types_and_symbols_are_those_of_hol() -> None:
    (said,) = local(["(in x A)"], {"x": "nat", "A": "(set nat)"})
    assert head_of_symbol("free A : (Set.set Nat.nat)") in frees(said)
    typ = "(fun ('a :: HOL.type) (List.list ('b :: A.c & B.d)))"
    assert type_text(type_of_text(type_text(parse_type(typ)))) == type_text(parse_type(typ))
    with pytest.raises(CannotDecode):
        head_of_symbol("$lambda : whatever it was")
