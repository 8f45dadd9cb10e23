"""Facts with one symbol changed: the same ones for everybody, and what Isabelle's Quickcheck said about some."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.embedded import embedded_benchmark
from tests.prover.language import SIGNATURE, lemma

from isarstep.isabelle.terms.terms import Term, subterms
from isarstep.isabelle.terms.tokens import encode_line
from isarstep.premises.fact_base import Library
from isarstep.prover.values.counterexamples import Counterexamples

ROOT = Path(__file__).parents[2]
ANSWERS = Path(__file__).parent / "refuted_mutants.jsonl"
NAT = {"x": "nat", "y": "nat", "z": "nat"}
FREQUENT = ("Groups.plus_class.plus", "Groups.times_class.times", "Orderings.ord_class.less", "HOL.eq", "Nat.Suc")


@pytest.fixture(autouse=True)
def _benchmarks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "research" / "benchmarks"))


def stated(text: str) -> Term:
    from refute_mutants import with_free_variables

    return with_free_variables(lemma("fact", text, NAT).prop)


def test_one_symbol_is_changed_and_always_the_same_one() -> None:
    from refute_mutants import Mutating

    prop = stated("(==> (< x y) (= (+ x (Suc y)) (Suc (+ x y))))")
    found = [Mutating(FREQUENT, SIGNATURE).changed(f"fact {n}", prop) for n in range(60)]
    assert found == [Mutating(FREQUENT, SIGNATURE).changed(f"fact {n}", prop) for n in range(60)]
    changes = [each for each in found if each is not None]
    assert len(changes) == 60
    assert {kind for kind, _, _ in changes} == {"constant", "variable", "left out", "negated"}
    tokens = encode_line(prop).split()
    for kind, words, made in changes:
        changed = encode_line(made).split()
        assert changed != tokens
        if kind in ("constant", "variable"):
            assert [words.split(" -> ")] == [[a, b] for a, b in zip(tokens, changed, strict=True) if a != b]


def test_constants_are_replaced_by_those_of_their_type_and_arity() -> None:
    from refute_mutants import Mutating

    prop = stated("(< (+ x y) (Suc z))")
    words = {change[1] for n in range(200) if (change := Mutating(FREQUENT, SIGNATURE).changed(str(n), prop))}
    plus, times = FREQUENT[:2]
    less, eq = FREQUENT[2:4]
    assert {each for each in words if "." in each and "->" in each} == {f"{plus} -> {times}", f"{less} -> {eq}"}
    assert "Nat.Suc left out" in words


def test_a_part_is_replaced_at_its_place() -> None:
    from refute_mutants import with_part

    prop = stated("(= (+ x y) (+ y x))")
    new = stated("(= x y)")
    for place, _ in enumerate(subterms(prop)):
        changed = list(subterms(with_part(prop, place, new)))
        assert changed[place] == new
        assert with_part(prop, place, list(subterms(prop))[place]) == prop


def test_what_quickcheck_refuted_is_refuted_and_what_is_true_is_not() -> None:
    from refute_mutants import StatementMutant

    benchmark = embedded_benchmark()
    context = benchmark.theory_contexts.importing(("Complex_Main",))
    refuter = Counterexamples(Library.of_benchmark(benchmark)).refuter(context)
    records: list[dict[str, Any]] = [json.loads(line) for line in ANSWERS.read_text(encoding="utf-8").splitlines()]
    missed, wrong = [], []
    for record in records:
        mutant = StatementMutant(**{key: record[key] for key in ("id", "kind", "change", "goal", "types")})
        term = mutant.term(context.signature)
        assert term is not None
        # 200 assignments end a search long before the time does.
        refuted = refuter.search([], term, 600.0, 200).counterexample is not None
        if record["answer"] == "refuted" and not refuted:
            missed.append(mutant.id)
        if record["answer"] != "refuted" and refuted:
            wrong.append(mutant.id)  # `equal` in the place of `=`: nothing is changed but the symbol
    assert wrong == []
    assert len(missed) <= 1
