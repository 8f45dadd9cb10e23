"""The selector of premises learns what is used, in torch, and numpy computes the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

from isarstep.benchmark.arrays.corpus import Corpus, starts_of
from isarstep.model.train.selector.data import AskedTensors, FactTensors
from isarstep.model.train.selector.model import TwoTowers
from isarstep.model.train.selector.ranking import rank_all, scores_of
from isarstep.model.train.selector.training import SelectorRecipe, SelectorRun, uses_of
from isarstep.premises.selector.network import load_selector, save_selector
from isarstep.premises.selector.premise_arrays import ExampleColumns, FactArrays
from isarstep.premises.selector.premise_questions import FOR_MODEL, FOR_PROVERS, facts_of, questions_of, together
from isarstep.premises.selector.word_bags import Bags, bags_of, bags_of_names, word_table

KINDS = 24
WORDS = ("<PAD>", "<X0>", *(f"T.want{n}" for n in range(KINDS)), *(f"T.use{n}" for n in range(KINDS)))
CPU = torch.device("cpu")


def small_context() -> tuple[Corpus, ExampleColumns, FactArrays]:
    """A step about `want n` uses the fact about `use n`: nothing that both mention says so."""
    rows = [[2 + n, 1] for n in range(KINDS)] + [[2 + KINDS + n, 1] for n in range(KINDS)]
    wanted = np.repeat(np.arange(KINDS), 4)
    many = len(wanted)
    corpus = Corpus(
        np.array([token for row in rows for token in row], np.int32),
        starts_of(np.array([len(row) for row in rows])),
        wanted.astype(np.int32),
        np.stack([wanted, wanted + KINDS], 1).flatten().astype(np.int32),
        np.tile(np.array([3, 5], np.int8), many),
        np.arange(many + 1) * 2,
        np.ones(many, np.int32),
        tuple(map(str, range(many))),
    )
    names = bags_of_names([f"T.lemma{n}" for n in range(KINDS)], 0)
    none = np.zeros(0, np.int32)
    facts = FactArrays(
        np.arange(KINDS, 2 * KINDS, dtype=np.int32),
        np.zeros(KINDS, np.int32),
        ("S.T", "S.Other"),
        np.eye(2, dtype=bool),
        names,
        none,
        none,
    )
    every = np.arange(many)
    columns = ExampleColumns(
        np.zeros(many, np.int32),
        np.full(many, KINDS, np.int32),
        (every % 2).astype(np.int8),
        every.astype(np.int32),
        *([every.astype(np.int64)] * 4),
    )
    return corpus, columns, facts


def test_what_is_used_comes_first_after_training(tmp_path: Path) -> None:
    corpus, columns, facts = small_context()
    known = facts_of(facts, len(corpus.token_starts) - 1, False)
    kinds = [questions_of(corpus, columns, facts, kind, known) for kind in (FOR_PROVERS, FOR_MODEL)]
    questions = together(kinds)
    uses, own = uses_of(corpus, columns, facts, np.ones(len(corpus), bool), questions)
    assert uses.tolist() == [4] * KINDS
    assert set(own.tolist()) == {1}  # every example is a theorem of its own
    library = FactTensors(corpus, WORDS, facts, CPU)
    recipe = SelectorRecipe(steps=60, batch=64, others=8, hard_batch=16, hard=4, mined=6, warmup=5, rate=1e-2)
    run = SelectorRun(library, questions, uses, own, recipe, tmp_path / "log.jsonl")
    asked, often = AskedTensors.of(questions, library), run.uses.float().log1p()
    before = scores_of(questions, rank_all(run.towers, library, asked, often, 3).facts.numpy())
    towers = run.go()
    after = scores_of(questions, rank_all(towers, library, asked, often, 3).facts.numpy())
    assert before["mrr"] < 0.5
    assert after["mrr"] > 0.9
    assert '"mined": 192' in (tmp_path / "log.jsonl").read_text()


def test_nothing_is_ranked_that_is_not_there_yet() -> None:
    corpus, columns, facts = small_context()
    known = facts_of(facts, len(corpus.token_starts) - 1, False)
    questions = questions_of(corpus, columns, facts, FOR_PROVERS, known)
    library = FactTensors(corpus, WORDS, facts, CPU)
    asked = AskedTensors.of(questions, library)
    early = AskedTensors(**{**vars(asked), "before": asked.before * 0 + 3})
    found = rank_all(TwoTowers(), library, early, torch.zeros(len(facts)), 5).facts
    assert set(found[:, :3].flatten().tolist()) == {0, 1, 2}
    assert set(found[:, 3:].flatten().tolist()) == {-1}
    elsewhere = AskedTensors(**{**vars(asked), "theory": asked.theory * 0 + 1})
    assert set(rank_all(TwoTowers(), library, elsewhere, torch.zeros(len(facts)), 5).facts.flatten().tolist()) == {-1}


def test_numpy_computes_what_torch_does(tmp_path: Path) -> None:
    corpus, columns, facts = small_context()
    torch.manual_seed(1)
    towers = TwoTowers().eval()
    known = facts_of(facts, len(corpus.token_starts) - 1, False)
    questions = questions_of(corpus, columns, facts, FOR_MODEL, known)
    library = FactTensors(corpus, WORDS, facts, CPU)
    uses = torch.arange(len(facts))
    vectors, gains = library.all_facts(towers, uses.float().log1p())
    queries = AskedTensors.of(questions, library).all_embedded(towers, library)
    save_selector({name: value.detach().numpy() for name, value in towers.state_dict().items()}, {}, tmp_path)
    light = load_selector(tmp_path)
    words = word_table(WORDS)
    bags, rows = bags_of(corpus.tokens, corpus.token_starts, words), light.words(words)
    named = Bags(facts.names.values + len(words), facts.names.starts)
    found = light.facts(rows, bags.take(facts.proposition), named, uses.numpy())
    # Weights are kept in one byte each.
    assert np.allclose(found.vectors, vectors.numpy(), atol=0.02)
    assert np.allclose(found.gains, gains.numpy(), atol=0.02)
    roles = questions.roles[questions.starts[5] : questions.starts[6]]
    said = bags.take(questions.propositions[questions.starts[5] : questions.starts[6]])
    theory = bags_of_names(["S.T"], len(words))
    whole = Bags(np.concatenate([said.values, theory.values]), starts_of(np.append(said.counts, theory.counts)))
    one = light.question(rows, whole, np.append(roles, 6))
    assert np.allclose(one, queries[5].numpy(), atol=0.02)
    assert (light.for_provers, light.for_model) == (6.0, 6.0)
