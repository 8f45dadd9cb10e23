"""Where the constants of a theory are first seen, and its instances."""

from dataclasses import replace

from tests.benchmark.handmade import CONSTANTS, ProofMaker, graph_of, lemma_uses, prop

from isarstep.benchmark.extraction.declared import declarations
from isarstep.benchmark.extraction.texts import Texts
from isarstep.isabelle.process.proof_graph import DeclaredConstant, Lemma, Proof


def proof(ordinal: int, constant: str, *lemmas: int) -> Proof:
    maker = ProofMaker(ordinal, f"Nat.l{ordinal}")
    maker.step("lemma", ("goal", prop(constant, "a"), lemma_uses(*lemmas)), fixed="a")
    return maker.finish()


def test_the_first_proof_that_mentions_a_constant_counts():
    lemmas = [Lemma("Nat.even_def", 0, prop("Nat.even", ("Nat.sq", "?x"))), Lemma("Nat.unused", 0, prop("Nat.R", "?x"))]
    proofs = [proof(7, "Nat.even", 0), proof(2, "Nat.P"), proof(4, "Nat.P"), proof(5, "Nat.Q", 0)]
    own = [DeclaredConstant(name, CONSTANTS[name]) for name in ("Nat.even", "Nat.P", "Nat.sq", "Nat.R")]
    found = declarations(graph_of(proofs, lemmas, constants=own), Texts())
    # Q is another theory's; R is in no proof; what a lemma says that a proof uses was there before it.
    assert found == {
        "exact": False,
        "constants": {"Nat.P": 2, "Nat.even": 5, "Nat.sq": 5},
        "arities": ["Nat.nat HOL.type"],
        "arities_after": [0],
        "arities_sorts": [[]],
    }


def test_where_a_graph_says_it_the_declaration_counts():
    own = [
        DeclaredConstant("Nat.even", CONSTANTS["Nat.even"], after=0),
        DeclaredConstant("Nat.R", CONSTANTS["Nat.R"], after=3),
    ]
    graph = graph_of([proof(2, "Nat.even")], constants=own)
    # An instance of which nothing is said is there from the start.
    assert declarations(graph, Texts())["arities_after"] == [0]
    signature = replace(graph.signature, arities_after=(1,))
    assert declarations(replace(graph, signature=signature), Texts()) == {
        "exact": True,
        "constants": {"Nat.R": 3, "Nat.even": 0},
        "arities": ["Nat.nat HOL.type"],
        "arities_after": [1],
        "arities_sorts": [[]],
    }


def test_an_abbreviation_is_there_where_it_is_mentioned():
    own = [DeclaredConstant("Nat.even", CONSTANTS["Nat.even"], after=5)]  # folded in a proof that stands before it
    assert declarations(graph_of([proof(2, "Nat.even")], constants=own), Texts())["constants"] == {"Nat.even": 2}
