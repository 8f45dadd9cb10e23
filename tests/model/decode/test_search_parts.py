"""The parts of a search, one by one: batches, what is settled, and what a kernel of a GPU is asked for."""

import math
import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from tests.model.decode.plain_search import search_plainly
from tests.model.decode.test_search import lively_model, some_corpus

from isarstep.benchmark.arrays.backend import NUMPY
from isarstep.benchmark.arrays.corpus import Corpus, NumberedExample
from isarstep.benchmark.store.special_tokens import EOS, SPECIALS
from isarstep.model.data.tensors import Tensors
from isarstep.model.decode import search
from isarstep.model.decode.constraints import TermGrammar
from isarstep.model.decode.hypotheses import NARROW, WIDE, SearchRules
from isarstep.model.decode.search import batches_of, best_by_kernel, best_next, hopeless_below, search_corpus
from isarstep.model.nets import ModelConfig, build_model

VOCABULARY = (*SPECIALS, *"CONST FREE $ ( ) HOL.eq HOL.conj <X0> <X1>".split())


def test_a_batch_has_so_many_sentences_and_so_many_tokens_at_most_and_one_sentence_at_least() -> None:
    lengths = np.array([100, 50, 50, 50, 3, 2, 1, 1, 0])
    found = [batch.tolist() for batch in batches_of(np.arange(9), lengths, 3, 100)]
    assert found == [[0], [1, 2], [3, 4], [5, 6, 7], [8]]
    assert [batch.tolist() for batch in batches_of(np.array([0, 1]), lengths, 3, 10)] == [[0], [1]]
    assert [batch.tolist() for batch in batches_of(np.array([8, 8]), lengths, 9, 2)] == [[8, 8]]


@pytest.mark.parametrize(("beam", "expected"), [(1, 32), (10, 32), (20, 16), (400, 1)])
def test_the_wider_the_beam_the_fewer_sentences_at_once(
    beam: int, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a batch needs of memory stays the same."""
    model = build_model(ModelConfig("hat", len(VOCABULARY), "tiny", dropout=0.0)).eval()
    corpus = Corpus.of_examples(NumberedExample([(3, [10])], [9]) for _ in range(33))
    batches: list[int] = []
    monkeypatch.setattr(search, "search", lambda model, source, *_: [[]] * source.examples.count)
    assert list(search_corpus(model, corpus, SearchRules(beam), on_progress=batches.append)) == [[]] * 33
    assert max(batches) == expected
    assert sum(batches) == 33


def test_the_more_memory_the_more_sentences_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    model = build_model(ModelConfig("hat", len(VOCABULARY), "tiny", dropout=0.0)).eval()
    corpus = Corpus.of_examples(NumberedExample([(3, [10])], [9]) for _ in range(70))
    batches: list[int] = []
    monkeypatch.setattr(search, "search", lambda model, source, *_: [[]] * source.examples.count)
    monkeypatch.setattr(Tensors, "gigabytes", 2)
    list(search_corpus(model, corpus, SearchRules(10), on_progress=batches.append))
    assert batches == [64, 6]


def test_the_papers_beams_and_lengths() -> None:
    assert (NARROW, WIDE) == (5, 10)
    assert SearchRules().length_rule == "log p / length^0, at most 200 tokens"
    assert [SearchRules(4, nbest).keep for nbest in (None, 2, 9)] == [4, 2, 4]


@pytest.mark.parametrize("penalty", [0.0, 1.0])
def test_a_score_is_log_p_over_its_length_with_the_end_to_a_power(penalty: float) -> None:
    model, corpus, rules = lively_model("convs2s"), some_corpus(3, 20), SearchRules(4, longest=6, penalty=penalty)
    with torch.no_grad():
        model.token_table[EOS].mul_(-1)  # so that some hypotheses end, after one token and after four
    lengths = set()
    for example, found in enumerate(search_corpus(model, corpus, rules)):
        expected = search_plainly(model, corpus, example, rules)
        assert [(h.tokens, h.complete) for h in found] == [(h.tokens, h.complete) for h in expected]
        assert [h.score for h in found] == pytest.approx([h.score for h in expected], abs=1e-4)
        lengths |= {len(h.tokens) for h in found if h.complete}
    assert len(lengths) > 1


def test_answers_come_in_the_order_of_the_corpus_window_by_window(monkeypatch: pytest.MonkeyPatch) -> None:
    """A window is searched longest first, and nothing of the next one before its answers are taken."""
    model = build_model(ModelConfig("hat", len(VOCABULARY), "tiny", dropout=0.0)).eval()
    corpus = Corpus.of_examples(NumberedExample([(3, [10] * n)], [9]) for n in (1, 2, 3, 4, 5, 6, 7))
    monkeypatch.setattr(search, "WINDOW", 3)
    monkeypatch.setattr(search, "search", lambda model, source, *_: [[n] for n in source.examples.lengths().tolist()])
    heard: list[int] = []
    answers = search_corpus(model, corpus, SearchRules(2), sentences=2, on_progress=heard.append)
    found = [next(answers)]
    assert heard == [2, 1]
    found += answers
    assert found == sorted(found)  # lengths, as in the corpus
    assert len({n for [n] in found}) == 7
    assert heard == [2, 1, 2, 1, 1]


def test_a_hypothesis_is_hopeless_once_it_cannot_be_among_the_kept_or_within_the_margin() -> None:
    rules, done = SearchRules(beam=3, nbest=2, longest=7), np.array([[-1.0, -2.0, -9.0], [-1.0, -math.inf, -math.inf]])
    assert hopeless_below(NUMPY, done, rules).tolist() == [-2.0, -math.inf]
    # A hypothesis of eight places, the end among them, would be worth an eighth of its log p.
    assert hopeless_below(NUMPY, done, replace(rules, penalty=1.0)).tolist() == [-16.0, -math.inf]
    assert hopeless_below(NUMPY, done, replace(rules, margin=0.5)).tolist() == [-1.5, -1.5]


def test_a_model_computes_one_hypothesis_at_first_and_afterwards_those_that_have_hope(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model, corpus, rules = lively_model("hat"), some_corpus(9, 20), SearchRules(6, longest=12, margin=1.0)
    counts: list[int] = []
    plain = model.logits

    def logits(hidden: torch.Tensor) -> torch.Tensor:
        counts.append(hidden.shape[1])
        return plain(hidden)

    monkeypatch.setattr(model, "logits", logits)
    narrow = list(search_corpus(model, corpus, rules, sentences=1))
    assert counts.count(1) >= 2
    assert counts.count(6) >= 2
    assert set(counts) & {2, 3, 4, 5}
    monkeypatch.setattr(search, "hopeless_below", lambda _arrays, done, _rules: done[:, 0] - math.inf)
    for found, everything in zip(narrow, search_corpus(model, corpus, rules, sentences=1), strict=True):
        assert [h.tokens for h in found] == [h.tokens for h in everything]
        assert [h.score for h in found] == pytest.approx([h.score for h in everything], abs=1e-4)


def plain_select(
    scores_RV: torch.Tensor, wanted: int, forbidden_RF: torch.Tensor | None = None, column_V: torch.Tensor | None = None
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """What `isarstep.model.nets.step_kernels.select` does, in words of torch."""
    norm_R = scores_RV.logsumexp(1)
    if forbidden_RF is not None and column_V is not None:
        scores_RV = scores_RV.masked_fill(forbidden_RF[:, column_V.long()], -math.inf)
    return norm_R, *scores_RV.topk(wanted)


@pytest.mark.parametrize("constrained", [False, True])
def test_a_kernel_is_asked_for_what_is_found_without_it(constrained: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "isarstep.model.nets.step_kernels", SimpleNamespace(select=plain_select))
    arrays = Tensors(torch.device("cpu"))
    torch.manual_seed(1)
    logits_BKV = torch.randn(3, 4, len(VOCABULARY))
    corpus = Corpus.of_examples(NumberedExample([(3, [10])], [9]) for _ in range(3))
    rules = SearchRules(4, longest=20)
    constraint = TermGrammar(VOCABULARY).start(corpus, np.arange(3), rules, arrays) if constrained else None
    expected = best_next(arrays, logits_BKV.clone(), 2, constraint, 21)
    found = best_by_kernel(logits_BKV, 2, constraint, 21)
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.shape == theirs.shape
    finite = expected[1] > -math.inf
    assert finite.any()
    assert torch.equal(found[0], expected[0])
    assert torch.equal(found[1], expected[1])
    assert torch.equal(found[2][finite], expected[2][finite])
