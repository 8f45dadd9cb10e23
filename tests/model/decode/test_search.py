"""The batched search returns what the plain one does, for every model, and its constraints hold."""

import numpy as np
import pytest
import torch
from tests.model.decode.plain_search import search_plainly

from isarstep.benchmark.arrays.corpus import Corpus, NumberedExample
from isarstep.benchmark.store.special_tokens import EOS
from isarstep.model.decode import search
from isarstep.model.decode.hypotheses import Hypothesis, SearchRules
from isarstep.model.decode.search import search_corpus
from isarstep.model.nets import ModelConfig, build_model
from isarstep.model.nets.base import Seq2Seq
from isarstep.model.nets.config import Kind
from isarstep.model.nets.layers import ATTENTION_INPUTS


def some_corpus(count: int, vocabulary: int) -> Corpus:
    rng = np.random.default_rng(5)

    def proposition() -> list[int]:
        return rng.integers(9, vocabulary, rng.integers(2, 12)).tolist()

    return Corpus.of_examples(
        NumberedExample([(3, proposition()), *((4, proposition()) for _ in range(rng.integers(0, 4)))], proposition())
        for _ in range(count)
    )


def lively_model(kind: Kind, vocabulary: int = 20, seed: int = 0) -> Seq2Seq:
    """Random, but with hypotheses that differ and end at different lengths."""
    torch.manual_seed(seed)
    model = build_model(ModelConfig(kind, vocabulary, "tiny", dropout=0.0)).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(1.0 if kind == "convs2s" else 1.5)
        for name, module in model.named_modules():
            if isinstance(module, torch.nn.Linear) and name.rsplit(".", 1)[-1] in ATTENTION_INPUTS:
                module.weight.mul_(2**0.5)
        model.token_table[EOS].mul_(1.1)
    return model


def assert_same(ours: list[Hypothesis], plain: list[Hypothesis]) -> None:
    assert [h.tokens for h in ours] == [h.tokens for h in plain]
    assert [h.score for h in ours] == pytest.approx([h.score for h in plain], abs=1e-4)
    assert [h.complete for h in ours] == [h.complete for h in plain]


@pytest.mark.parametrize("kind", ["transformer", "hat", "rnnsearch", "convs2s"])
@pytest.mark.parametrize(
    "rules",
    [
        SearchRules(beam=1, longest=12),
        SearchRules(beam=4, longest=12),
        SearchRules(beam=4, nbest=1, longest=12),
        SearchRules(beam=5, penalty=1.0, longest=9),
    ],
    ids=["greedy", "beam", "best only", "length penalty"],
)
def test_the_engine_agrees_with_the_plain_search(kind: Kind, rules: SearchRules) -> None:
    model, corpus = lively_model(kind), some_corpus(9, 20)
    told: list[int] = []
    for example, ours in enumerate(search_corpus(model, corpus, rules, sentences=4, on_progress=told.append)):
        assert_same(ours, search_plainly(model, corpus, example, rules))
    assert sum(told) == len(corpus)
    assert max(told) <= 4  # batch by batch, not at the end


@pytest.mark.parametrize("sentences", [1, 9])
def test_what_is_far_behind_the_best_is_left_out_whoever_shares_the_batch(sentences: int) -> None:
    model, corpus, margin = lively_model("transformer"), some_corpus(9, 20), 1.5
    short = 0
    for example, ours in enumerate(
        search_corpus(model, corpus, SearchRules(6, longest=12, margin=margin), sentences=sentences)
    ):
        plain = search_plainly(model, corpus, example, SearchRules(6, longest=12))
        assert_same(ours, [h for h in plain if h.score > plain[0].score - margin])
        short += len(ours) < len(plain)
    assert short


def test_room_for_the_past_grows() -> None:
    model, corpus = lively_model("hat", seed=3), some_corpus(2, 20)
    with torch.no_grad():
        model.token_table[EOS].mul_(-1)
    rules = SearchRules(beam=2, longest=70)
    for example, ours in enumerate(search_corpus(model, corpus, rules)):
        assert_same(ours, search_plainly(model, corpus, example, rules))


def test_an_example_without_a_source_has_no_answer() -> None:
    corpus = Corpus.of_examples([NumberedExample([], [9]), NumberedExample([(3, [10])], [9])])
    assert [len(found) > 0 for found in search_corpus(lively_model("hat"), corpus, SearchRules(beam=2, longest=5))] == [
        False,
        True,
    ]


class OnlyAfter:
    """A constraint that shows late: whatever did not begin with one token has no second one."""

    prunes = True
    column_V = torch.zeros(20, dtype=torch.long)

    def __init__(self, token: int) -> None:
        self.token = token
        self.first_BK: torch.Tensor | None = None

    def start(self, *_: object) -> "OnlyAfter":
        return OnlyAfter(self.token)

    def forbidden(self, left: int) -> torch.Tensor:
        raise NotImplementedError

    def best(self, logits_BKV: torch.Tensor, wanted: int, left: int) -> tuple[torch.Tensor, torch.Tensor]:
        values, tokens = logits_BKV.topk(wanted)
        return values, tokens

    def prune(self, scores_BQ: torch.Tensor, parents_BQ: torch.Tensor, tokens_BQ: torch.Tensor) -> torch.Tensor:
        if self.first_BK is None:
            return scores_BQ.masked_fill(tokens_BQ == EOS, -torch.inf)
        return scores_BQ.masked_fill(self.first_BK.gather(1, parents_BQ) != self.token, -torch.inf)

    def advance(self, parents_BK: torch.Tensor, tokens_BK: torch.Tensor) -> None:
        self.first_BK = tokens_BK if self.first_BK is None else self.first_BK.gather(1, parents_BK)

    def keep(self, rows: torch.Tensor) -> None:
        assert self.first_BK is not None
        self.first_BK = self.first_BK[rows]


def test_a_sentence_whose_beam_got_stuck_is_searched_again_with_a_wider_one(monkeypatch: pytest.MonkeyPatch) -> None:
    model, corpus, rules = lively_model("hat"), some_corpus(3, 20), SearchRules(beam=2, longest=6)
    for token in range(9, 20):
        for found in search_corpus(model, corpus, rules, OnlyAfter(token)):
            assert 0 < len(found) <= 2
            assert all(h.tokens[0] == token for h in found)
    monkeypatch.setattr(search, "WIDER", ())
    assert any(not found for token in range(9, 20) for found in search_corpus(model, corpus, rules, OnlyAfter(token)))


def test_nothing_of_a_search_is_kept_for_gradients() -> None:
    """It would hold every step's tensors, and the kernels for a step on a GPU stand back where gradients are wanted."""
    model, asked = lively_model("hat"), []
    plain = model.logits

    def logits(hidden: torch.Tensor) -> torch.Tensor:
        asked.append(torch.is_grad_enabled() or hidden.requires_grad)
        return plain(hidden)

    model.logits = logits  # type: ignore[method-assign]
    list(search_corpus(model, some_corpus(2, 20), SearchRules(2, longest=4)))
    assert asked
    assert not any(asked)
