"""What steps above use, over arrays: the same as the benchmark says of each example."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import torch
from tests.model.train.test_selector import CPU, KINDS, WORDS, small_context

from isarstep.benchmark.arrays.files import load_dataset
from isarstep.benchmark.store.earlier_uses import EarlierUses
from isarstep.benchmark.store.store import Benchmark
from isarstep.model.train.selector.data import AskedTensors, FactTensors
from isarstep.model.train.selector.model import TwoTowers
from isarstep.model.train.selector.ranking import rank_all
from isarstep.premises.selector.earlier_uses import earlier_uses
from isarstep.premises.selector.premise_arrays import premise_arrays
from isarstep.premises.selector.premise_files import over_one_list
from isarstep.premises.selector.premise_questions import FOR_PROVERS, facts_of, questions_of


def test_arrays_and_examples_say_the_same() -> None:
    split, benchmark = "unseen2", Benchmark("embedded-unseen2")
    dataset = load_dataset("embedded-unseen2", "+context")
    dataset = replace(dataset, splits={split: dataset.split(split)})
    dataset, arrays = over_one_list(dataset, premise_arrays(benchmark, (split,)), len(benchmark.propositions))
    corpus, columns = dataset.split(split), arrays.splits[split]
    known = facts_of(arrays.facts, len(corpus.token_starts) - 1, True)
    questions = questions_of(corpus, columns, arrays.facts, FOR_PROVERS, known)
    found = earlier_uses(corpus, columns, arrays.facts, known, questions)
    examples, earlier = benchmark.split(split), EarlierUses(benchmark)
    for number in range(0, len(questions), 40):
        above = earlier.above(examples[int(questions.example[number])])
        rows = found.question == number
        for kind, uses in enumerate((above.proof, above.theory, above.entry)):
            told = dict(zip(found.fact[rows].tolist(), found.times[rows][:, kind].tolist(), strict=True))
            assert Counter({fact: int(times) for fact, times in told.items() if times}) == uses


def test_what_is_added_moves_a_fact_up_that_may_be_used() -> None:
    corpus, columns, facts = small_context()
    questions = questions_of(corpus, columns, facts, FOR_PROVERS, facts_of(facts, len(corpus.token_starts) - 1, False))
    library = FactTensors(corpus, WORDS, facts, CPU)
    asked = AskedTensors.of(questions, library)
    early = AskedTensors(**{**vars(asked), "before": asked.before * 0 + 3})
    plain = rank_all(TwoTowers(), library, early, torch.zeros(KINDS), 3).facts
    assert set(plain.flatten().tolist()) == {0, 1, 2}
    last, out_of_scope = (
        rank_all(TwoTowers(), library, early, torch.zeros(KINDS), 3, added=gaining(facts)).facts
        for facts in (plain[:, 2].long(), plain[:, 2].long() * 0 + 4)
    )
    assert last[:, 0].tolist() == plain[:, 2].tolist()
    assert 4 not in out_of_scope


def gaining(facts: torch.Tensor) -> torch.Tensor:
    """One fact for each question."""
    rows, gain = torch.arange(len(facts)), torch.full((len(facts),), 99.0)
    return torch.sparse_coo_tensor(torch.stack([rows, facts]), gain, (len(facts), KINDS))
