"""Search over constants that the model has no token for: a number has the type of what it stands for."""

from __future__ import annotations

import pytest
import torch

from isarstep.benchmark.arrays.dense import dense_corpus, spelt_out
from isarstep.benchmark.store.example import Example
from isarstep.benchmark.store.special_tokens import SPECIALS
from isarstep.isabelle.inference.infer import well_formed
from isarstep.isabelle.syntax.writing.sample import sample_signature
from isarstep.isabelle.terms.terms import Type
from isarstep.model.data.constants import corpus_of_examples, numbers_in, with_names
from isarstep.model.decode.constraints import TermGrammar
from isarstep.model.decode.hypotheses import SearchRules
from isarstep.model.decode.search import search_corpus
from isarstep.model.decode.typed_search import TypedGrammar
from isarstep.model.nets import ModelConfig, build_model

SIGNATURE = sample_signature()
WORDS = (*SPECIALS, *"CONST FREE $ ( ) HOL.Trueprop <X0> <C0> <C1> <C2>".split())
CONTEXT = {"<X0>": Type("HOL.bool")}
NEGATION = "( CONST HOL.Not $ FREE <X0> )"
EXAMPLES = [
    Example(str(number), "CONST HOL.Trueprop $ FREE <X0>", (), line, (), ())
    for number, line in enumerate(
        (
            f"CONST HOL.Trueprop $ ( CONST HOL.conj $ FREE <X0> $ {NEGATION} )",
            f"CONST HOL.Trueprop $ {NEGATION}",
            "CONST HOL.Trueprop $ FREE <X0>",
        )
    )
]
NAMES = (("HOL.conj", "HOL.Not"), ("HOL.Not",), ())


@pytest.mark.parametrize("dense", [False, True])
@pytest.mark.parametrize("typed", [False, True])
def test_only_numbers_that_mean_something_are_written_and_only_where_they_fit(dense: bool, typed: bool) -> None:
    corpus = corpus_of_examples(EXAMPLES, WORDS)
    assert corpus.names == NAMES
    corpus = dense_corpus(corpus, WORDS) if dense else corpus
    known = CONTEXT, lambda _: True, SIGNATURE
    grammar = TypedGrammar(WORDS, lambda *_: known, dense) if typed else TermGrammar(WORDS, dense)
    written: list[list[str]] = [[], [], []]
    for seed in range(4):
        torch.manual_seed(seed)
        model = build_model(ModelConfig("hat", len(WORDS), "tiny", dropout=0.0)).eval()
        for at, found in enumerate(search_corpus(model, corpus, SearchRules(beam=12, longest=20), grammar)):
            for hypothesis in found:
                tokens = with_names(hypothesis.tokens, WORDS, numbers_in(WORDS), corpus.names_of(at))
                written[at] += [" ".join(spelt_out(tokens) if dense else tokens)] if hypothesis.complete else []
    for lines, names in zip(written, NAMES, strict=True):
        assert lines
        assert not any("<C" in line for line in lines)
        assert {name for line in lines for name in line.split() if name in NAMES[0]} == set(names)
        if typed:
            assert all(well_formed(line, SIGNATURE, CONTEXT) for line in lines)
