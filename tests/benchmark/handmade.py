"""Proof graphs written by hand: a short way to state proofs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from isarstep.isabelle.process.proof_graph import (
    DeclaredConstant,
    Fact,
    Graph,
    Lemma,
    Proof,
    ProofStep,
    TheorySignature,
    Use,
    Variable,
)
from isarstep.isabelle.terms.terms import App, Const, Free, Term, Typ, Type, Var

NAT = Type("Nat.nat")
BOOL = Type("HOL.bool")
PROP = Type("prop")


def fun(*types: Typ) -> Typ:
    result = types[-1]
    for argument in reversed(types[:-1]):
        result = Type("fun", (argument, result))
    return result


Expression = str | tuple[Any, ...]


def raw(expression: Expression) -> Term:
    """`("even", "a")`: single letters are free variables of type nat, `?x` are schematic, all else constants."""
    if isinstance(expression, str):
        if expression.startswith("?"):
            return Var(expression[1:], 0, NAT)
        if len(expression) == 1 and expression.isalpha():
            return Free(expression, NAT)
        return Const(expression, CONSTANTS.get(expression, NAT))
    term = raw(expression[0])
    for argument in expression[1:]:
        term = App(term, raw(argument))
    return term


CONSTANTS: dict[str, Typ] = {
    "HOL.Trueprop": fun(BOOL, PROP),
    "Nat.even": fun(NAT, BOOL),
    "Nat.times": fun(NAT, NAT, NAT),
    "Nat.sq": fun(NAT, NAT),
    "Nat.eq": fun(NAT, NAT, BOOL),
    "Nat.less": fun(NAT, NAT, BOOL),
    "Nat.P": fun(NAT, BOOL),
    "Nat.Q": fun(NAT, BOOL),
    "Nat.R": fun(NAT, BOOL),
    "Pure.imp": fun(PROP, PROP, PROP),
}


def prop(*expression: Any) -> Term:
    return App(Const("HOL.Trueprop", CONSTANTS["HOL.Trueprop"]), raw(expression))


def uses(how: str, *numbers: int) -> list[Use]:
    return [Use(how, fact=number) for number in numbers]  # type: ignore[arg-type]


def lemma_uses(*numbers: int) -> list[Use]:
    return [Use("method", lemma=number) for number in numbers]


class ProofMaker:
    """Collects steps and facts; a step's facts are `(kind, proposition, uses)`, and what is stated if that differs."""

    def __init__(self, ordinal: int, name: str, variables: str = "abctxyz", command: str = "lemma") -> None:
        self.ordinal, self.name, self.command = ordinal, name, command
        self.variables = variables
        self.steps: list[ProofStep] = []
        self.facts: list[Fact] = []

    def step(
        self,
        command: str,
        *facts: tuple[str, Term, Sequence[Use]] | tuple[str, Term, Sequence[Use], Term],
        parent: int | None = None,
        depth: int = 0,
        block: int = 0,
        fixed: str | None = None,
        introduced: str = "",
    ) -> list[int]:
        """`fixed` are all variables fixed at this step; None: the same as at the step before."""
        number = len(self.steps)
        before = self.steps[-1].fixed if self.steps else ()
        chosen = before if fixed is None else tuple(self.variables.index(name) for name in fixed)
        new = tuple(self.variables.index(name) for name in introduced)
        self.steps.append(ProofStep(number, command, parent, depth, block, None, chosen, new))
        first = len(self.facts)
        self.facts += [Fact(kind, number, None, term, tuple(used), *more) for kind, term, used, *more in facts]  # type: ignore[arg-type]
        return list(range(first, len(self.facts)))

    def use(self, fact: int, *more: Use) -> None:
        old = self.facts[fact]
        self.facts[fact] = replace(old, uses=(*old.uses, *more))

    def finish(self, complete: bool = True) -> Proof:
        """The proof; variables that no step fixes are left out."""
        names = sorted({self.variables[v] for step in self.steps for v in step.fixed})

        def renumbered(numbers: Sequence[int]) -> tuple[int, ...]:
            return tuple(names.index(self.variables[v]) for v in numbers)

        steps = [replace(s, fixed=renumbered(s.fixed), introduced=renumbered(s.introduced)) for s in self.steps]
        variables = tuple(Variable(name, NAT) for name in names)
        return Proof(self.ordinal, self.command, self.name, 1, variables, tuple(steps), tuple(self.facts), complete, ())


def graph_of(
    proofs: Sequence[Proof],
    lemmas: Sequence[Lemma] = (),
    theorems: Sequence[Lemma] = (),
    *,
    theory: str = "Test.T",
    session: str = "Test",
    parents: Sequence[str] = (),
    constants: Sequence[DeclaredConstant] | None = None,
) -> Graph:
    known = [DeclaredConstant(name, typ) for name, typ in CONSTANTS.items()] if constants is None else constants
    signature = TheorySignature(
        tuple(known), (("Nat.nat", 0),), (("HOL.type", ()),), (("Nat.nat", "HOL.type", ()),), ()
    )
    return Graph(
        "Isabelle2025-1", session, theory, tuple(parents), f"hash of {theory}", tuple(lemmas), tuple(proofs),
        signature, tuple(theorems), (),
    )  # fmt: skip


def sqrt_two() -> Graph:
    """The paper's example: 2 b^2 = a^2, hence even a, hence a = 2 c for some c."""
    maker = ProofMaker(0, "Test.sqrt_two")
    squares = prop("Nat.eq", ("Nat.times", "Nat.two", ("Nat.sq", "b")), ("Nat.sq", "a"))
    maker.step("lemma", ("goal", prop("HOL.False"), []))
    maker.step("proof", parent=0, depth=1, block=1)
    [given] = maker.step("obtain", ("goal", squares, []), parent=0, depth=1, block=1, fixed="ab")
    [even] = maker.step(
        "hence", ("goal", prop("Nat.even", "a"), uses("chained", given) + lemma_uses(0)), parent=0, depth=1, block=1
    )
    [double] = maker.step(
        "then obtain",
        ("goal", prop("Nat.eq", "a", ("Nat.times", "Nat.two", "c")), uses("chained", even)),
        parent=0, depth=1, block=1, fixed="abc",
    )  # fmt: skip
    [show] = maker.step("show", ("goal", prop("HOL.False"), uses("using", double, given)), parent=0, depth=1, block=1)
    maker.use(0, *uses("block", show))
    lemma = Lemma(
        "Parity.even_mult_iff", 0,
        prop("HOL.iff", ("Nat.even", ("Nat.times", "?a", "?b")), ("HOL.or", ("Nat.even", "?a"), ("Nat.even", "?b"))),
    )  # fmt: skip
    return graph_of([maker.finish()], [lemma], [Lemma("Test.sqrt_two", 0, prop("Nat.even", "?n"))], theory="Test.Sqrt")
