"""Types: a prefix of a well-typed proposition is never dropped, and what comes out is well typed."""

import torch

from isarstep.decode.hypotheses import Rules
from isarstep.decode.search import decode
from isarstep.decode.typing import TypedGrammar, completable, open_applications
from isarstep.logic.infer import infer_context, well_formed
from isarstep.logic.sample import sample_examples, sample_signature
from isarstep.logic.tokens import decode as read_term
from isarstep.models import ModelConfig, build
from isarstep.train.corpus import SPECIALS, Corpus, Example

SIGNATURE = sample_signature()
EXAMPLES = sample_examples()


def test_no_prefix_of_a_proposition_is_dropped() -> None:
    for example in EXAMPLES[::12]:
        lines = list(example.propositions())
        context = infer_context([read_term(line) for line in lines], SIGNATURE)
        for line in lines:
            tokens = line.split()
            for end, token in enumerate(tokens, 1):
                if token == ")" or tokens[end - 2] in ("CONST", "FREE", "VAR", "BOUND"):
                    assert completable(open_applications(tokens[:end]), SIGNATURE, context), tokens[:end]


def test_a_clash_shows_before_the_end() -> None:
    clash = "CONST HOL.Trueprop $ ( CONST HOL.conj $ ( CONST HOL.conj $ CONST HOL.conj )"
    assert not completable(open_applications(clash.split()), SIGNATURE, {})
    fine = "CONST HOL.Trueprop $ ( CONST HOL.conj $ ( CONST HOL.conj $ FREE <X0> $ FREE <X0> )".split()
    assert completable(open_applications(fine), SIGNATURE, {})
    assert not completable(open_applications(["CONST", "HOL.conj"]), SIGNATURE, {})  # never a proposition
    clash = "CONST HOL.Trueprop $ ( CONST HOL.All $ ( ABS CONST HOL.conj $ ( CONST HOL.Not $ BOUND 0 )"
    clash += " $ ( BOUND 0 $ FREE <X0>"
    assert not completable(open_applications(clash.split()), SIGNATURE, {})  # a truth value is not a function


def test_a_random_model_writes_only_well_typed_propositions() -> None:
    words = (*SPECIALS, *"CONST FREE $ ( ) HOL.Trueprop HOL.conj HOL.Not <X0>".split())
    line = [words.index(token) for token in "CONST HOL.Trueprop $ FREE <X0>".split()]
    corpus = Corpus.of_examples([Example([(3, line)], [9])])
    grammar = TypedGrammar(words, SIGNATURE)
    context = grammar.context_of_source(corpus, 0)
    written = []
    for seed in range(4):
        torch.manual_seed(seed)
        model = build(ModelConfig("hat", len(words), "tiny", dropout=0.0)).eval()
        for hypothesis in next(decode(model, corpus, Rules(beam=12, longest=20), grammar)):
            written += [" ".join(words[t] for t in hypothesis.tokens)] if hypothesis.complete else []
    assert len(set(written)) > 3
    assert all(well_formed(line, SIGNATURE, context) for line in written)
