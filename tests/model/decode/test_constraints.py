"""Under the grammar everything that is written decodes to a term over known variables; references are not excluded."""

import math
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from research.benchmarks.exclusion import grammar_objection

from isarstep.benchmark.arrays.backend import NUMPY, Arrays
from isarstep.benchmark.arrays.corpus import Corpus, Longs, NumberedExample
from isarstep.benchmark.arrays.dense import IMPLIED, dense_corpus, spelt_out
from isarstep.benchmark.store.special_tokens import EOS, SPECIALS
from isarstep.common.errors import UserError
from isarstep.isabelle.syntax.writing.sample import sample_examples
from isarstep.isabelle.terms.tokens import decode as read_term
from isarstep.model.data.tensors import Tensors
from isarstep.model.decode.constraints import LONGEST, GrammarState, TermGrammar, made_moves, moves
from isarstep.model.decode.hypotheses import SearchRules
from isarstep.model.decode.search import search_corpus
from isarstep.model.nets import ModelConfig, build_model

WORDS = "CONST FREE VAR BOUND ABS $ ( ) HOL.eq HOL.conj Set.member <X0> <X1> <X2> <V0> <V1> 0 1 2".split()
VOCABULARY = (*SPECIALS, *WORDS)
NUMBER = {token: i for i, token in enumerate(VOCABULARY)}


def ids(line: str) -> list[int]:
    return [NUMBER[token] for token in line.split()]


def corpus_of(*lines: str) -> Corpus:
    return Corpus.of_examples(NumberedExample([(3, ids(line))], ids("CONST HOL.eq")) for line in lines)


def forbid(state: GrammarState, logits_BKV: Any, left: int) -> None:
    """Put -inf at every token that must not come next."""
    mask_BKF = state.forbidden(left)
    few_BKF = state.arrays.where(mask_BKF[..., :-1], -math.inf, logits_BKV[..., state.few])
    logits_BKV[:] = state.arrays.where(mask_BKF[..., -1:], -math.inf, logits_BKV)
    logits_BKV[..., state.few] = few_BKF


def accepts(grammar: TermGrammar, targets: Sequence[Sequence[int]], corpus: Corpus, examples: Longs) -> list[bool]:
    """Whether these sequences (without `<EOS>`) could have been written for these examples."""
    longest = max(map(len, targets), default=0)
    state = grammar.start(corpus, examples, SearchRules(1, longest=max(longest, LONGEST // 2)), NUMPY)
    zero, fine = NUMPY.full((len(examples), 1), 0), np.ones(len(examples), bool)
    for place in range(longest + 1):
        now = NUMPY.of([[row[place] if place < len(row) else EOS] for row in targets])
        allowed = NUMPY.full((len(examples), 1, len(grammar.kinds)), 0.0)
        forbid(state, allowed, LONGEST)
        ended = np.array([place > len(row) for row in targets])
        fine &= ended | (NUMPY.host(NUMPY.last(allowed, now[..., None]))[:, 0, 0] == 0)
        state.advance(zero, now)
    return fine.tolist()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("longest", [9, 40])
def test_whatever_a_random_model_writes_is_a_term(seed: int, longest: int) -> None:
    torch.manual_seed(seed)
    model = build_model(ModelConfig("hat", len(VOCABULARY), "tiny", dropout=0.0)).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(2.0)
    corpus = corpus_of("FREE <X1> $ FREE <X2>", "CONST Set.member", "CONST HOL.eq $ FREE <X0> $ ( ABS BOUND 0 )")
    rules = SearchRules(beam=4, longest=longest)
    known = [{"<X1>", "<X2>"}, set(), {"<X0>"}]
    plain = list(search_corpus(model, corpus, rules))
    assert any(not readable(h.tokens) for found in plain for h in found)
    for variables, found in zip(known, search_corpus(model, corpus, rules, TermGrammar(VOCABULARY)), strict=True):
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
    assert accepts(TermGrammar(VOCABULARY), [ids(line)], corpus, np.array([0])) == [fine]
    assert (grammar_objection(line.split(), {"<X0>", "<X2>"}) is None) == fine


def test_a_known_context_says_which_variables_there_are() -> None:
    corpus = Corpus.of_examples([NumberedExample([(3, ids("FREE <X2>"))], ids("CONST HOL.eq"), variables=1)])
    grammar = TermGrammar(VOCABULARY)
    lines = [ids(f"FREE <X{n}>") for n in range(3)]
    assert accepts(grammar, lines, corpus, np.array([0, 0, 0])) == [True, False, True]


def test_what_only_a_hint_mentions_is_not_known() -> None:
    corpus = Corpus.of_examples([NumberedExample([(4, ids("FREE <X1>")), (5, ids("FREE <X2>"))], ids("CONST HOL.eq"))])
    lines = [ids(f"FREE <X{n}>") for n in range(3)]
    assert accepts(TermGrammar(VOCABULARY), lines, corpus, np.array([0, 0, 0])) == [False, True, False]


def term_of(rng: random.Random, depth: int) -> str:
    """A random term, now and then with a mistake."""
    heads = ["CONST HOL.eq", "FREE <X0>", "FREE <X2>", "VAR <V0>", "VAR <V1>", "BOUND 0", "BOUND 1", "FREE <X1>"]
    pieces = [rng.choice(heads[: rng.choice([3, 4, 8])])]
    if depth and rng.random() < 0.1:
        pieces = [f"( {'ABS ' if rng.random() < 0.8 else ''}{term_of(rng, depth - 1)} )"]
    for _ in range(rng.randrange(3) if depth else 0):
        argument = term_of(rng, depth - 1)
        plain = argument.count(" ") == 1
        pieces.append(argument if plain == (rng.random() < 0.95) else f"( {argument} )")
    line = " $ ".join(pieces)
    return f"ABS {line}" if rng.random() < 0.2 else line


def test_the_automaton_is_the_plain_definition_on_random_terms() -> None:
    rng = random.Random(7)
    lines = [term_of(rng, 3) for _ in range(1500)]
    for line in lines[:700]:  # and with one token exchanged, left out or put in
        tokens = line.split()
        at = rng.randrange(len(tokens))
        tokens[at : at + rng.randrange(2)] = rng.choices(WORDS, k=rng.randrange(2))
        lines.append(" ".join(tokens))
    lines = [line for line in lines if line and len(line.split()) < 200]
    corpus = corpus_of("FREE <X0> $ FREE <X2>")
    found = accepts(TermGrammar(VOCABULARY), [ids(line) for line in lines], corpus, np.zeros(len(lines), np.int64))
    plain = [grammar_objection(line.split(), {"<X0>", "<X2>"}) is None for line in lines]
    assert 200 < sum(plain) < len(lines) - 200
    assert [line for line, a, b in zip(lines, found, plain, strict=True) if a != b] == []


def test_dense_tokens_are_followed_like_those_that_they_stand_for() -> None:
    rng = random.Random(8)
    names = [word for word in WORDS if word not in IMPLIED]
    lines = [[word for word in term_of(rng, 3).split() if word not in IMPLIED] for _ in range(1500)]
    for line in lines[:700]:
        at = rng.randrange(len(line))
        lines.append([*line[:at], *rng.choices(names, k=rng.randrange(2)), *line[at + rng.randrange(2) :]])
    lines = [line for line in lines if line and len(line) < 200]
    corpus = corpus_of("FREE <X0> $ FREE <X2>")
    rows = [[NUMBER[word] for word in line] for line in lines]
    found = accepts(TermGrammar(VOCABULARY, dense=True), rows, corpus, np.zeros(len(lines), np.int64))
    plain = [grammar_objection(spelt_out(line), {"<X0>", "<X2>"}) is None for line in lines]
    assert 200 < sum(plain) < len(lines) - 200
    assert [line for line, a, b in zip(lines, found, plain, strict=True) if a != b] == []


def test_the_automaton_is_the_plain_definition_on_real_propositions() -> None:
    examples = sample_examples()[::4]
    words = sorted({token for example in examples for line in example.propositions() for token in line.split()})
    vocabulary = (*SPECIALS, *(word for word in words if word not in SPECIALS))
    number = {token: i for i, token in enumerate(vocabulary)}
    lines = [line for example in examples for line in example.propositions()]
    rows = [[number[token] for token in line.split()] for line in lines]
    corpus = Corpus.of_examples([NumberedExample([(3, rows[0])], rows[0], variables=3)])
    found = accepts(TermGrammar(vocabulary), rows, corpus, np.zeros(len(rows), np.int64))
    known = {"<X0>", "<X1>", "<X2>"} | {token for token in lines[0].split() if token.startswith("<X")}
    assert found == [grammar_objection(line.split(), known) is None for line in lines]
    assert 20 < sum(found) < len(found)
    short = dense_corpus(Corpus.of_examples(NumberedExample([(3, row)], row, variables=3) for row in rows), vocabulary)
    dense_rows = [short.proposition(number).tolist() for number in short.targets.tolist()]
    assert found == accepts(TermGrammar(vocabulary, dense=True), dense_rows, corpus, np.zeros(len(rows), np.int64))


@pytest.fixture(params=["numpy", "torch"])
def arrays(request: pytest.FixtureRequest) -> Arrays:
    return NUMPY if request.param == "numpy" else Tensors(torch.device("cpu"))


def test_hypotheses_are_followed_through_a_reordered_beam(arrays: Arrays) -> None:
    """Three hypotheses that trade places, one of them dead, against the same sequences followed alone."""
    corpus = corpus_of("FREE <X0>", "FREE <X0> $ FREE <X1>")
    grammar = TermGrammar(VOCABULARY)
    rng = np.random.default_rng(3)
    state = grammar.start(corpus, np.array([0, 1]), SearchRules(3, longest=24), arrays)
    written: list[list[list[int]]] = [[[], [], []], [[], [], []]]
    for left in range(24, 0, -1):
        allowed = state_mask(state, 2, 3, left)
        for sentence in range(2):
            for k, past in enumerate(written[sentence]):
                alone = grammar.start(corpus, np.array([sentence]), SearchRules(1, longest=24), arrays)
                for token in past:
                    alone.advance(arrays.of([[0]]), arrays.of([[token]]))
                assert np.array_equal(state_mask(alone, 1, 1, left)[0, 0], allowed[sentence, k]), past
        parents = rng.integers(0, 3, (2, 3))
        tokens = np.zeros_like(parents)
        for sentence, k in np.ndindex(2, 3):
            choices = np.flatnonzero(allowed[sentence, parents[sentence, k]]).tolist()
            every = [t for t in choices if VOCABULARY[t] != "<EOS>"] or choices or [0]  # dead
            tokens[sentence, k] = int(rng.choice(every)) if k < 2 else int(rng.integers(0, len(VOCABULARY)))
        state.advance(arrays.of(parents), arrays.of(tokens))
        written = [[[*written[s][int(parents[s, k])], int(tokens[s, k])] for k in range(3)] for s in range(2)]


@pytest.mark.parametrize("dense", [False, True])
def test_the_best_are_those_that_the_mask_leaves(dense: bool, arrays: Arrays) -> None:
    corpus = corpus_of("FREE <X0>", "FREE <X0> $ FREE <X1>")
    state = TermGrammar(VOCABULARY, dense).start(corpus, np.array([0, 1]), SearchRules(3, longest=40), arrays)
    rng = np.random.default_rng(0)
    for left in range(41, 0, -1):
        logits = rng.standard_normal((2, 3, len(VOCABULARY)), np.float32)
        masked = arrays.of(logits.copy())
        forbid(state, masked, left)
        scores, tokens = map(arrays.host, arrays.topk(masked, 6))
        found_scores, found_tokens = map(arrays.host, state.best(arrays.of(logits), 6, left))
        assert np.array_equal(scores, found_scores)
        alive = scores > -np.inf
        assert np.array_equal(tokens[alive], found_tokens[alive])
        state.advance(arrays.of(rng.integers(0, 3, (2, 3))), arrays.of(np.where(alive, tokens, 0)[..., 0]))


def state_mask(state: GrammarState, batch: int, beams: int, left: int) -> np.ndarray:
    logits = state.arrays.full((batch, beams, len(VOCABULARY)), 0.0)
    forbid(state, logits, left)
    return state.arrays.host(logits) == 0


@pytest.mark.parametrize("dense", [False, True])
def test_the_mask_leaves_a_way_out_at_every_length(dense: bool) -> None:
    corpus = corpus_of("FREE <X0>")
    grammar = TermGrammar(VOCABULARY, dense)
    rng = np.random.default_rng(0)
    for _ in range(200):
        state = grammar.start(corpus, np.array([0]), SearchRules(1), NUMPY)
        left = int(rng.integers(4, 40))
        written: list[str] = []
        while True:
            choices = np.flatnonzero(state_mask(state, 1, 1, left)[0, 0]).tolist()
            assert choices, f"stuck after {written}"
            token = int(rng.choice(choices))
            left -= 1
            if VOCABULARY[token] == "<EOS>":
                break
            assert left > 0, f"no room to end after {written}"
            written.append(VOCABULARY[token])
            state.advance(NUMPY.of([[0]]), NUMPY.of([[token]]))
        read_term(spelt_out(written) if dense else written)


@pytest.mark.parametrize("dense", [False, True])
def test_moves_of_an_earlier_process_are_the_same(dense: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for _ in ("made", "found"):
        moves.cache_clear()
        assert np.array_equal(moves(dense), made_moves(dense))
    assert len(list(tmp_path.rglob("moves/*"))) == 1
