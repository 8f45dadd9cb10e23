"""What the steps above one use, in entries that nobody trains on."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from isarstep.benchmark.store.earlier_uses import EarlierUses, StepEnds
from isarstep.benchmark.store.example import Example
from isarstep.benchmark.store.store import Benchmark
from isarstep.isabelle.context.uses_above import NOTHING_USED
from isarstep.premises.fact_base import lemmas_in_context

pytestmark = pytest.mark.slow  # on all of the embedded benchmark


@pytest.fixture(scope="module")
def unseen(benchmark: Benchmark) -> list[Example]:
    return list(benchmark.split("unseen"))


@pytest.fixture(scope="module")
def stating(benchmark: Benchmark) -> dict[str, set[int]]:
    """The facts that state each proposition, as they stand or in the words of a context."""
    facts = enumerate(benchmark.propositions.lines(benchmark.facts["proposition"].to_numpy()))
    found: dict[str, set[int]] = {}
    for number, text in (*facts, *((n, text) for text, some in lemmas_in_context(benchmark).items() for n in some)):
        found.setdefault(text, set()).add(number)
    return found


def test_earlier_steps_count_later_ones_and_the_step_itself_do_not(
    benchmark: Benchmark, unseen: list[Example], stating: dict[str, set[int]]
) -> None:
    """Counted again from the examples themselves, by their propositions, in the theory with most of them."""
    earlier = EarlierUses(benchmark)
    theory, _ = Counter(example.theory for example in unseen).most_common(1)[0]
    here = [example for example in unseen if example.theory == theory]
    steps: dict[tuple[int, int], set[str]] = {}
    for example in here:
        steps.setdefault((example.proof, example.target_step), set()).update(example.f5)
        steps.setdefault((example.proof, example.consequence_step), set()).update(example.f4)
    ends = StepEnds(benchmark, here)

    def ended(proof: int, step: int, example: Example) -> bool:
        return ends.of(theory, proof, step) <= example.target_step

    told = 0
    for example in sorted(here, key=lambda each: each.id)[:40]:
        above = earlier.above(example)
        in_proof, before = (
            Counter(
                number
                for (proof, step), texts in steps.items()
                if (proof < example.proof if whole else (proof == example.proof and ended(proof, step, example)))
                for number in {n for text in texts for n in stating.get(text, ())}
            )
            for whole in (False, True)
        )
        assert (above.proof, above.theory) == (in_proof, before)
        told += bool(above.proof) + bool(above.theory)
    assert told > 20


def test_a_step_ends_behind_its_proof(benchmark: Benchmark, unseen: list[Example]) -> None:
    """`show` at 19 is proved at 20 and 21; `lemma` at the end; a `using` states nothing that is proved."""
    theory, proof = "Combinatorics_Words_Lyndon.Lyndon", 52
    there = [example for example in unseen if (example.theory, example.proof) == (theory, proof)]
    ends = StepEnds(benchmark, there)
    found = {step: ends.of(theory, proof, step) for step in (10, 11, 15, 19, 20)}
    assert found == {10: 13, 11: 12, 15: 18, 19: 22, 20: 21}
    nobody_knows = StepEnds(benchmark, [replace(example, proof_row=None) for example in there])
    for step, known in ((0, ends), (1, ends), (19, nobody_knows)):
        assert known.of(theory, proof, step) > 10**5


def test_what_a_step_assumes_does_not_end_its_proof() -> None:
    """`show A if B` at 6 is proved at 7 and 8; B holds from 7 on."""
    benchmark = Benchmark("embedded-unseen2")
    theory = "ADS_Functor.ADS_Construction"
    there = [each for each in benchmark.split("unseen2") if each.theory == theory and "merge_on_fun" in each.name]
    (proof,) = {example.proof for example in there}
    ends = StepEnds(benchmark, there)
    assert ends.of(theory, proof, 6) > 8


def test_inside_the_proof_of_a_step_nobody_is_told_what_it_is_proved_with(
    benchmark: Benchmark, unseen: list[Example], stating: dict[str, set[int]]
) -> None:
    """A consequence that is stated above its target is proved behind it: F.4 is cited there, or the step would be one
    of other examples, too."""
    earlier = EarlierUses(benchmark)
    proofs: dict[tuple[str, int], list[Example]] = {}
    for example in unseen:
        proofs.setdefault((example.theory, example.proof), []).append(example)
    asked = 0
    for here in proofs.values():
        for example in here:
            if example.consequence_step < example.target_step:
                others = [text for e in here for text in e.f5 if e.target_step < example.target_step]
                others += [text for e in here for text in e.f4 if e.consequence_step != example.consequence_step]
                known = {n for text in others for n in stating.get(text, ())}
                own = {n for text in example.f4 for n in stating.get(text, ())} - known
                assert not own & set(earlier.above(example).proof)
                asked += bool(own)
    assert asked > 200


def test_a_first_step_is_told_nothing_of_its_own(benchmark: Benchmark, unseen: list[Example]) -> None:
    earlier = EarlierUses(benchmark)
    first = min(unseen, key=lambda each: (each.theory, each.proof, each.target_step))
    above = earlier.above(replace(first, proof=-1, target_step=-1))
    assert not above.proof
    assert not above.theory


def test_theories_of_the_entry_count_where_they_are_imported(
    benchmark: Benchmark, unseen: list[Example], stating: dict[str, set[int]]
) -> None:
    earlier = EarlierUses(benchmark)
    told = 0
    for theory in {example.theory for example in unseen}:
        one = next(example for example in unseen if example.theory == theory)
        below = benchmark.theory_contexts.at(theory).theories or frozenset()
        others = [e for e in unseen if e.session == one.session and e.theory != theory and e.theory in below]
        known = {n for e in others for text in (*e.f4, *e.f5) for n in stating.get(text, ())}
        assert set(earlier.above(one).entry) == known
        told += bool(known)
    assert told > 5


def test_of_entries_in_training_nothing_is_told(benchmark: Benchmark, unseen: list[Example]) -> None:
    earlier = EarlierUses(benchmark)
    example = benchmark.split("validation")[0]
    assert earlier.above(example) is NOTHING_USED
    assert not earlier.has(example.theory)
    assert earlier.has(unseen[0].theory)
    assert not earlier.has("My_Own")
