"""A few hundred hand-made theorems in several theories, enough for every split to have members."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.benchmark.graph_files import write_graph
from tests.benchmark.handmade import CONSTANTS, NAT, ProofMaker, fun, graph_of, lemma_uses, prop, uses

from isarstep.isabelle.process.proof_graph import DeclaredConstant, Graph, Lemma, Rule
from isarstep.isabelle.terms.terms import App, Const, Term


def theory(number: int, proofs: int = 40) -> Graph:
    """Theorems about constants of this theory and of the one before it."""
    name = f"Test.T{number}"
    made = []
    for ordinal in range(proofs):
        here = f"T{number}.c{ordinal % 7}"
        before = f"T{max(number - 1, 0)}.c{ordinal % 5}"
        maker = ProofMaker(ordinal, f"T{number}.thm{ordinal}")
        maker.step(
            "lemma", ("goal", prop("Nat.less", (here, "a"), (f"Nat.f{ordinal}", "b")), []), fixed="ab", introduced="ab"
        )
        [first] = maker.step("have", ("goal", prop("Nat.P", (here, "a")), lemma_uses(0)), parent=0, depth=1, block=1)
        [second] = maker.step(
            "have", ("goal", prop("Nat.Q", (before, (f"Nat.f{ordinal}", "b"))), uses("using", first)),
            parent=0, depth=1, block=1, fixed="abc" if ordinal % 3 else "ab",
        )  # fmt: skip
        [common] = maker.step("have", ("goal", prop("Nat.even", "a"), uses("using", first)), parent=0, depth=1, block=1)
        [show] = maker.step(
            "show",
            ("goal", prop("Nat.less", (here, "a"), (f"Nat.f{ordinal}", "b")), uses("chained", first, second, common)),
            parent=0, depth=1, block=1,
        )  # fmt: skip
        maker.use(0, *uses("block", show))
        made.append(maker.finish())
    lemma = Lemma("Nat.le", 0, prop("Nat.less", "?x", ("Nat.Suc", "?x")))
    own = [DeclaredConstant(f"T{number}.c{k}", fun(NAT, NAT)) for k in range(7)]
    functions = {f"Nat.f{k}": fun(NAT, NAT) for k in range(40)}
    shared = [DeclaredConstant(c, t) for c, t in {**CONSTANTS, **functions}.items()] if number == 0 else []
    theorem = prop("Nat.less", (f"T{number}.c1", "?x"), (f"T{max(number - 1, 0)}.c2", "?y"))
    graph = graph_of(
        made, [lemma], [Lemma(f"T{number}.fact", 0, typed(theorem))], theory=name, session=f"S{number % 2}",
        parents=[f"Test.T{number - 1}"] if number else [], constants=[*own, *shared],
    )  # fmt: skip
    before = f"T{max(number - 1, 0)}"
    return replace(
        graph,
        rules=(
            Rule("simp", f"T{number}.fact", 0, typed(prop("HOL.eq", (f"T{number}.c1", "?x"), (f"{before}.c2", "?x")))),
            Rule("intro!", f"T{number}.fact", 0),
            Rule("intro", "Nowhere.fact", 0),
        ),
        removed=(f"intro! {before}.fact 0",) if number else (),
        notation={
            "names": [[f"T{number}.c1", [1], 1]],
            "productions": [["logic", [f"!{number}"], f"\\<^const>T{number}.c1", 9, 1]],
        },
    )


def typed(term: Term) -> Term:
    """Constants that the short notation does not know are functions on numbers."""
    if isinstance(term, App):
        return App(typed(term.fun), typed(term.arg))
    if isinstance(term, Const) and term.name.startswith("T"):
        return Const(term.name, fun(NAT, NAT))
    return term


def write_corpus(folder: Path, count: int = 5) -> list[Path]:
    return [write_graph(theory(number), folder) for number in range(count)]
