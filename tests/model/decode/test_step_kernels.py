"""A search with the GPU's kernels finds what one without them finds: in Triton's interpreter, where Triton is there."""

import os

import pytest
import torch

if not torch.cuda.is_available():
    os.environ["TRITON_INTERPRET"] = "1"  # before Triton is imported
pytest.importorskip("triton", reason="Triton is not installed: kernels for a GPU cannot be tried, even interpreted")

from isarstep.benchmark.arrays.corpus import Corpus, NumberedExample
from isarstep.benchmark.store.special_tokens import SPECIALS
from isarstep.model.decode import search
from isarstep.model.decode.constraints import TermGrammar
from isarstep.model.decode.hypotheses import SearchRules
from isarstep.model.nets import ModelConfig, build_model

WORDS = "CONST FREE VAR BOUND ABS $ ( ) HOL.eq HOL.conj Set.member <X0> <X1> <X2> <V0> <V1> 0 1 2".split()
VOCABULARY = (*SPECIALS, *WORDS)


def corpus_of(*lines: str) -> Corpus:
    number = {token: i for i, token in enumerate(VOCABULARY)}
    return Corpus.of_examples(NumberedExample([(3, [number[token] for token in line.split()])], [9]) for line in lines)


@pytest.mark.skipif(torch.cuda.is_available(), reason="kernels are on there in half precision; this compares single")
@pytest.mark.parametrize("constrained", [False, True])
def test_kernels_find_what_plain_steps_find(constrained: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(1)
    model = build_model(ModelConfig("hat", len(VOCABULARY), "tiny", dropout=0.0)).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(1.5)
    corpus = corpus_of("FREE <X1> $ FREE <X2>", "CONST Set.member")
    constraints = TermGrammar(VOCABULARY) if constrained else None
    rules = SearchRules(beam=2, longest=5)
    plain = list(search.search_corpus(model, corpus, rules, constraints))

    from isarstep.model.nets.step_kernels import attend_slots

    monkeypatch.setattr(search, "best_next", lambda arrays, *asked: search.best_by_kernel(*asked))
    asked = []

    def attend_few(*arguments: torch.Tensor) -> torch.Tensor:
        asked.append(1)
        return attend_slots(*arguments)

    monkeypatch.setattr("isarstep.model.nets.layers.attend_few", attend_few)
    found = list(search.search_corpus(model, corpus, rules, constraints))
    assert asked
    for ours, theirs in zip(found, plain, strict=True):
        assert [h.tokens for h in ours] == [h.tokens for h in theirs]
        assert [h.score for h in ours] == pytest.approx([h.score for h in theirs], abs=1e-4)
