"""Under the grammar everything that is written decodes to a term over known variables; references are not excluded."""

import numpy as np
import pytest
import torch

from isarstep.decode.constraints import Grammar
from isarstep.decode.hypotheses import Rules
from isarstep.decode.search import decode
from isarstep.errors import UserError
from isarstep.logic.tokens import decode as read_term
from isarstep.models import ModelConfig, build
from isarstep.train.corpus import SPECIALS, Corpus, Example

WORDS = "CONST FREE VAR BOUND ABS $ ( ) HOL.eq HOL.conj Set.member <X0> <X1> <X2> <V0> <V1> 0 1 2".split()
VOCABULARY = (*SPECIALS, *WORDS)
NUMBER = {token: i for i, token in enumerate(VOCABULARY)}


def ids(line: str) -> list[int]:
    return [NUMBER[token] for token in line.split()]


def corpus_of(*lines: str) -> Corpus:
    return Corpus.of_examples(Example([(3, ids(line))], ids("CONST HOL.eq")) for line in lines)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("longest", [9, 40])
def test_whatever_a_random_model_writes_is_a_term(seed: int, longest: int) -> None:
    torch.manual_seed(seed)
    model = build(ModelConfig("hat", len(VOCABULARY), "tiny", dropout=0.0)).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(2.0)
    corpus = corpus_of("FREE <X1> $ FREE <X2>", "CONST Set.member", "CONST HOL.eq $ FREE <X0> $ ( ABS BOUND 0 )")
    rules = Rules(beam=4, longest=longest)
    known = [{"<X1>", "<X2>"}, set(), {"<X0>"}]
    plain = list(decode(model, corpus, rules))
    assert any(not readable(h.tokens) for found in plain for h in found)
    for variables, found in zip(known, decode(model, corpus, rules, Grammar(VOCABULARY)), strict=True):
        assert found
        for hypothesis in found:
            assert hypothesis.complete
            text = [VOCABULARY[t] for t in hypothesis.tokens]
            read_term(text)
            assert {token for token in text if token.startswith("<X")} <= variables


def readable(tokens: tuple[int, ...]) -> bool:
    try:
        read_term([VOCABULARY[t] for t in tokens])
    except UserError:
        return False
    return True


@pytest.mark.parametrize(
    ("line", "fine"),
    [
        ("CONST HOL.eq $ FREE <X0> $ ( CONST HOL.conj $ VAR <V0> $ VAR <V1> )", True),
        ("( ABS BOUND 0 ) $ FREE <X0>", True),
        ("ABS ABS BOUND 1 $ ( ABS BOUND 2 )", True),
        ("CONST HOL.eq $ ( ( ABS BOUND 0 ) $ FREE <X0> )", True),
        ("CONST HOL.eq $ ( FREE <X0> )", False),  # superfluous brackets
        ("( ABS BOUND 0 )", False),
        ("( CONST HOL.eq $ FREE <X0> ) $ FREE <X0>", False),
        ("CONST HOL.eq $ ABS BOUND 0", False),
        ("ABS BOUND 1", False),  # no such binder
        ("CONST HOL.eq $ ( ABS BOUND 0 ) $ BOUND 0", False),  # its binder is closed
        ("FREE <X1>", False),  # not a variable of the source
        ("VAR <V1>", False),  # not the next number
        ("CONST HOL.eq $", False),
        ("CONST HOL.eq $ ( CONST HOL.conj $ VAR <V0>", False),
        ("CONST <UNK>", False),
    ],
)
def test_the_automaton_accepts_what_the_codec_writes(line: str, fine: bool) -> None:
    corpus = corpus_of("FREE <X0> $ FREE <X2>")
    assert Grammar(VOCABULARY).accepts(ids(line), corpus, 0) == fine
    if fine:
        read_term(line)


def test_a_known_context_says_which_variables_there_are() -> None:
    corpus = Corpus.of_examples([Example([(3, ids("FREE <X2>"))], ids("CONST HOL.eq"), variables=1)])
    grammar = Grammar(VOCABULARY)
    assert [grammar.accepts(ids(f"FREE <X{n}>"), corpus, 0) for n in range(3)] == [True, False, True]


def test_the_mask_leaves_a_way_out_at_every_length() -> None:
    corpus = corpus_of("FREE <X0>")
    grammar = Grammar(VOCABULARY)
    rng = np.random.default_rng(0)
    for _ in range(200):
        state = grammar.start(corpus, np.array([0]), 1, torch.device("cpu"))
        left = int(rng.integers(4, 40))
        written = []
        while True:
            choices = state.allowed(left)[0, 0].nonzero()[:, 0].tolist()
            assert choices, f"stuck after {written}"
            token = int(rng.choice(choices))
            left -= 1
            if VOCABULARY[token] == "<EOS>":
                break
            assert left > 0, f"no room to end after {written}"
            written.append(VOCABULARY[token])
            state.advance(torch.zeros(1, 1, dtype=torch.long), torch.tensor([[token]]))
        read_term(written)
