"""Facts that a proof does without are left out of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest
from tests.prover.language import local

from isarstep.isabelle.context.monomorphisation import Named
from isarstep.prover.atp.fewest import MOST, with_fewest_facts
from isarstep.prover.atp.problems import Query
from isarstep.prover.atp.provers import CVC5, Attempt, ProverLimits, Provers
from isarstep.prover.outcomes.verdict import Gap, Proved, Unknown


class Wasteful(Provers):
    """Proves whatever has these facts, and says that it used all that it was given."""

    def __init__(self, needed: set[str]) -> None:
        super().__init__(ProverLimits())
        self.needed, self.asked = needed, 0

    def prove(self, attempts: Iterable[Attempt]) -> Gap:
        (asked,) = attempts
        self.asked += 1
        given = tuple(asked.labels.values())
        return Proved("cvc5", 0.0, given, 0) if self.needed <= set(given) else Unknown("not from these")


@pytest.fixture
def query() -> Query:
    names = "ABCDEFGH"
    (goal, *props) = local(["Z", *names], dict.fromkeys((*names, "Z"), "bool"))
    named = [Named(name, prop) for name, prop in zip(names, props, strict=True)]
    return Query(tuple(named[:4]), goal, tuple(named[4:]))


def proof_from(names: Iterable[str]) -> Proved:
    return Proved(CVC5.name, 0.0, tuple(names), 4)


@pytest.mark.parametrize("needed", ["", "A", "AE", "BDFH", "ABCDEFGH"])
def test_only_what_is_needed_stays(query: Query, needed: str) -> None:
    provers = Wasteful(set(needed))
    found = with_fewest_facts(provers, query, proof_from("ABCDEFGH"))
    assert set(found.facts) == set(needed)
    assert provers.asked <= MOST


def test_what_was_not_used_is_not_offered_again(query: Query) -> None:
    provers = Wasteful({"A"})
    assert with_fewest_facts(provers, query, proof_from("AF")).facts == ("A",)
    assert provers.asked == 2  # without F, then without A


def test_a_proof_that_cannot_name_its_facts_stays_as_it_is(query: Query) -> None:
    provers = Wasteful(set())
    for proof in (proof_from(["A", "?"]), Proved("simp", 0.0, ("A",), 0)):
        assert with_fewest_facts(provers, query, proof) == proof
    assert not provers.asked


@pytest.fixture
def cvc5() -> Iterator[Provers]:
    with Provers(ProverLimits(2.0)) as provers:
        yield provers


def test_a_real_prover_needs_no_more_than_one_of_two_ways(cvc5: Provers) -> None:
    goal, *props = local(["Q", "P", "(--> P Q)", "(& Q R)"], dict.fromkeys("PQR", "bool"))
    facts = tuple(Named(f"F.2({place})", prop) for place, prop in enumerate(props, 1))
    proof = proof_from(fact.name for fact in facts)
    assert with_fewest_facts(cvc5, Query(facts, goal), proof).facts in (("F.2(3)",), ("F.2(1)", "F.2(2)"))
