"""Search by what people type, theories to choose from, and statements pasted from theories."""

from typing import Any

import pytest

from isarstep.apps.engine import Engine
from isarstep.apps.service import schema
from isarstep.apps.service.service import Service
from isarstep.benchmark.store.fact_search import FactSearch
from isarstep.isabelle.theory.problems.problem import ProblemError


@pytest.fixture
def service(service_with_facts: Service) -> Service:
    return service_with_facts


def names_of(found: dict[str, Any]) -> list[str]:
    return [fact["name"] for fact in found["facts"]]


def test_before_the_index_is_there_names_are_searched(
    service: Service, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "fact_search", FactSearch(engine.benchmark))
    assert not service.fact_search.knows_constants
    found = service.facts("card_mono", [], 5)
    assert not found["constants"]
    assert names_of(found)[0] == "Finite_Set.card_mono"


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("card mono", "Finite_Set.card_mono"),  # words of a name
        ("finite ⊆ card ≤", "Finite_Set.card_mono"),  # constants and notation
        ("finite A ⟹ B ⊆ A ⟹ card B ≤ card A", "Finite_Set.card_mono"),  # the statement itself, in other letters
        ("dvd trans", "Rings.comm_monoid_mult_class.dvd_trans"),  # a word that is notation
        ("the sum of squares", "NthRoot.real_sqrt_sum_squares_ge1"),  # in plain words
    ],
)
def test_facts_by_what_people_type(service: Service, query: str, wanted: str) -> None:
    found = service.facts(query, [], 20)
    assert found["constants"]
    assert wanted in names_of(found)


def test_facts_of_this_world_come_before_others_that_fit_as_well(service: Service) -> None:
    theory = "HOL-Computational_Algebra.Primes"
    assert [fact["imported"] for fact in service.facts("prime_dvd", [], 9)["facts"]].count(False) >= 4
    here = service.facts("prime_dvd", [theory], 5)
    assert {fact["imported"] for fact in here["facts"]} == {True}
    assert 0 < here["elsewhere"] < here["total"]
    with pytest.raises(ProblemError, match="there is none"):
        service.facts("prime", ["No_Such_Theory"], 5)


def test_a_plain_word_finds_its_definition_and_what_proofs_use(service: Service) -> None:
    for imports in ([], ["HOL-Computational_Algebra.Primes"]):
        first = names_of(service.facts("prime", imports, 6))
        assert first[0] == "Factorial_Ring.normalization_semidom_class.prime_def"
        assert sum(name.startswith("Primes.prime_") for name in first) >= 3


def test_the_text_of_a_proof_means_what_was_typed(service: Service) -> None:
    body = schema.IsarBody(goal="finite {p::nat. p < 3}", facts=["∃c. a = 2 * c"], extra=["∃k::nat. k = k"])
    isar = service.isar(body)["isar"]
    assert 'shows "finite {(p::nat). p < (3::nat)}"' in isar
    assert 'assumes "∃c. a = 2 * c"' in isar
    assert 'have s1: "∃(k::nat). k = k"' in isar


def test_a_fact_that_was_found_can_be_put_into_the_problem(service: Service) -> None:
    text = service.facts("card mono", [], 1)["facts"][0]["text"]
    assert service.read(schema.ProblemBody(others=[text], goal="card B ≤ card A"))["ok"]


def test_a_line_that_cannot_be_read_leaves_the_others_readable(service: Service) -> None:
    """No theory reads all lines, so each unknown name is a question, and what can be read is."""
    facts = ["prime p", "x ∈ y ∈ z", "path g", "n < p"]
    answer = service.read(schema.ProblemBody(facts=facts, goal="1 < p", types={"p": "nat"}))
    assert [fact["ok"] for fact in answer["facts"]] == [False, False, False, True]
    messages = [fact["error"]["message"] for fact in answer["facts"][:3]]
    assert "prime is not known in Complex_Main; import " in messages[0]
    assert "HOL-Computational_Algebra.Factorial_Ring" in messages[0]
    assert "relations do not chain" in messages[1]
    assert "path is not known in Complex_Main; import HOL-Analysis.Path_Connected" in messages[2]
    assert answer["goal"]["ok"]
    assert answer["types"]["n"] == "nat"
    alone = service.read(schema.ProblemBody(facts=["prime p", "n < p"], goal="1 < p", types={"p": "nat"}))
    assert "Factorial_Ring.normalization_semidom_class.prime" in alone["facts"][0]["tokens"]


def test_examples_by_notation_are_those_that_mention_it(service: Service, engine: Engine) -> None:
    found = service.examples("⊆ card", "test", 5, 0)
    assert found["examples"]
    for row in found["examples"]:
        _, example = engine.catalogue.find(row["id"])
        text = " ".join((*example.f2, example.f3 or ""))
        assert "Set.subset_eq" in text
        assert "card" in text + example.name
    sizes = [row["size"] for row in service.examples("Finite_Set.card", "test", 20, 0)["examples"]]
    assert sizes == sorted(sizes)  # equally good: the short ones first


def test_theories_are_found_by_the_beginning_of_their_name(service: Service) -> None:
    assert service.theories("", 3)["theories"][0] == "Complex_Main"
    assert service.theories("primes", 3)["theories"] == ["HOL-Computational_Algebra.Primes"]
    assert service.theories("nothing so", 3) == {"total": 0, "theories": []}


def test_a_lemma_is_pasted_with_the_head_of_its_theory(service: Service) -> None:
    text = """theory Scratch imports Complex_Main begin
    (* a remark *)
    lemma order [simp]:
      fixes x y :: nat and z
      assumes "x < y" and le: "y ≤ z"
      shows "x < z"
      using assms by simp"""
    found = service.pasted(schema.PasteBody(text=text))
    assert found == {
        "facts": ["x < y", "y ≤ z"],
        "goal": "x < z",
        "fixed": ["x", "y", "z"],
        "types": {"x": "nat", "y": "nat"},
        "imports": ["Complex_Main"],
    }
    with pytest.raises(ProblemError) as wrong:
        service.pasted(schema.PasteBody(text="x < y"))
    assert wrong.value.field == "text"


def test_open_types_come_with_what_may_have_been_meant(service: Service) -> None:
    body = schema.ProblemBody(facts=["x ≤ y ∧ y ≤ z"], goal="x ≤ z")
    offered = {"variables": ["x", "y", "z"], "type": "'a", "classes": ["ord"], "readings": ["nat", "int", "real"]}
    assert service.read(body)["open"] == [offered]
    assert service.read(body.model_copy(update={"types": {"y": "real"}}))["open"] == []
