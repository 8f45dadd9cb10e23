"""Types: a prefix of a well-typed proposition is never dropped, what comes out is well typed, and both agree with the
plain inference."""

import random
from itertools import pairwise

import pytest
import torch
from research.benchmarks.exclusion import dropped_prefix

from isarstep.benchmark.arrays.corpus import Corpus, NumberedExample
from isarstep.benchmark.arrays.dense import IMPLIED, dense_corpus, spelt_out
from isarstep.benchmark.store.special_tokens import SPECIALS
from isarstep.isabelle.inference.infer import infer_context, well_formed
from isarstep.isabelle.inference.partial_inference import Solution, Unfinished
from isarstep.isabelle.inference.unification import Algebra, Cell
from isarstep.isabelle.syntax.writing.sample import sample_examples, sample_signature
from isarstep.isabelle.terms.terms import Type
from isarstep.isabelle.terms.tokens import decode as read_term
from isarstep.model.decode.constraints import kind_of
from isarstep.model.decode.hypotheses import SearchRules
from isarstep.model.decode.search import search_corpus
from isarstep.model.decode.typed_search import TypedGrammar
from isarstep.model.decode.variable_types import inferred
from isarstep.model.nets import ModelConfig, build_model

SIGNATURE = sample_signature()
EXAMPLES = sample_examples()


def after(line: str) -> Unfinished | None:
    state: Unfinished | None = Unfinished.nothing(SIGNATURE, {})
    for token in line.split():
        assert state is not None, line
        state = state.followed_by(token, kind_of(token))
    return state


def test_a_type_fits_a_variable_only_where_its_sort_lets_it() -> None:
    """Else a term would be begun that no argument can give the type that is wanted."""
    algebra = Algebra(SIGNATURE)
    solution = Solution(algebra, {}, {})
    ordered, anything = Cell(algebra.sort_number(["Orderings.linorder"])), Cell(0)
    natural, function = ("Nat.nat",), ("fun", ("Nat.nat",), ("Nat.nat",))
    assert solution.unifiable(natural, ordered)
    assert not solution.unifiable(function, ordered)
    assert solution.unifiable(function, anything)
    assert solution.arguments_until(function, ordered) == 1


def test_no_prefix_of_a_proposition_is_dropped() -> None:
    for example in EXAMPLES[::3]:
        lines = list(example.propositions())
        context = infer_context([read_term(line) for line in lines], SIGNATURE)
        for line in lines:
            tokens = line.split()
            assert dropped_prefix(tokens, SIGNATURE, context) is None
            plain: Unfinished | None = Unfinished.nothing(SIGNATURE, context)
            for place, token in enumerate(tokens):
                assert plain is not None
                assert plain.need() <= len(tokens) + 1 - place
                plain = plain.followed_by(token, kind_of(token))
            state: Unfinished | None = Unfinished.nothing(SIGNATURE, context)
            for token in line.split():
                if token not in IMPLIED and state is not None:
                    state = state.followed_densely(token, kind_of(token))
            assert state is not None
            assert state.complete()
            assert " ".join(state.words) == line


def test_what_is_not_dropped_is_well_typed() -> None:
    """Propositions with one name exchanged for another of the same kind: the verdict is that of the plain inference."""
    rng = random.Random(1)
    names: dict[str, list[str]] = {"CONST": [], "FREE": [], "BOUND": ["0", "1"]}
    for example in EXAMPLES:
        for line in example.propositions():
            tokens = line.split()
            for word, name in pairwise(tokens):
                if word in ("CONST", "FREE"):
                    names[word].append(name)
    wrong = 0
    for example in EXAMPLES[::2]:
        lines = list(example.propositions())
        context = infer_context([read_term(line) for line in lines[1:]], SIGNATURE)
        tokens = lines[0].split()
        places = [at + 1 for at, token in enumerate(tokens) if token in names]
        at = rng.choice(places)
        tokens[at] = rng.choice(names[tokens[at - 1]])
        try:
            fine = bool(well_formed(tokens, SIGNATURE, context))
            assert (dropped_prefix(tokens, SIGNATURE, context) is None) == fine, tokens
        except IndexError:  # a bound variable without a binder, which the grammar does not allow
            continue
        wrong += not fine
    assert wrong > 10


@pytest.mark.parametrize(
    ("line", "last"),
    [
        ("CONST HOL.Trueprop $ ( CONST HOL.conj $ ( CONST HOL.conj $ CONST", "HOL.conj"),
        ("CONST", "HOL.conj"),  # never a proposition
        ("CONST HOL.Trueprop $ ( CONST HOL.All $ ( ABS CONST HOL.conj $ ( CONST HOL.Not $ BOUND 0 ) $ ( BOUND", "0"),
        ("CONST HOL.Trueprop $ (", "ABS"),  # no truth value is a function
        ("", "ABS"),
        ("CONST HOL.Trueprop $ ( CONST HOL.eq $ FREE <X0> $ FREE <X0>", "$"),
        ("CONST HOL.Trueprop $ ( CONST", "HOL.True"),  # a name that takes no argument does not stand in brackets
    ],
)
def test_a_clash_shows_at_once(line: str, last: str) -> None:
    state = after(line)
    assert state is not None
    assert state.followed_by(last, kind_of(last)) is None


@pytest.mark.parametrize(
    ("line", "need"),
    [
        ("", 3),
        ("CONST", 2),
        ("CONST HOL.Trueprop", 4),
        ("CONST HOL.Trueprop $ FREE <X0>", 1),
        ("CONST HOL.Trueprop $ ( CONST HOL.conj", 8),
        ("CONST HOL.Trueprop $ ( CONST HOL.conj $ FREE <X0> $", 4),
        ("CONST HOL.Trueprop $ (", 7),
        ("CONST HOL.Trueprop $ ( (", 9),
        ("CONST HOL.Trueprop $ ( CONST HOL.All $ ( ABS", 5),
        ("CONST HOL.Trueprop $ ( ( ABS CONST HOL.conj", 12),  # ) $ VAR <V0> $ VAR <V1> $ VAR <V2> ) <EOS>
        ("CONST HOL.Trueprop $ ( ( ABS ABS CONST HOL.True", 9),
        ("CONST HOL.Trueprop $ ( ( ABS CONST HOL.True", 6),
        ("CONST HOL.Trueprop $ ( ( ABS", 8),
        ("CONST HOL.Trueprop $ ( CONST HOL.eq $ ( CONST HOL.Not $ FREE <X0>", 6),
        ("CONST HOL.Trueprop $ ( CONST HOL.eq $ (", 9),  # ABS VAR <V0> ) $ VAR <V1> ) <EOS>
        ("CONST HOL.Trueprop $ ( CONST HOL.All $ (", 6),
        ("CONST HOL.Trueprop $ ( CONST HOL.All $ ( CONST", 7),  # no name stands alone in brackets
    ],
)
def test_the_shortest_way_to_an_end_is_known(line: str, need: int) -> None:
    state = after(line)
    assert state is not None
    assert state.need() == need


def test_what_may_still_fit_is_kept() -> None:
    assert after("CONST HOL.Trueprop $ ( CONST HOL.conj $ ( CONST HOL.conj $ FREE <X0> $ FREE <X0> )") is not None
    state = after("CONST HOL.Trueprop $ ( ( ABS BOUND 0 ) $ FREE <X0> )")
    assert state is not None
    assert state.complete()
    assert not after("CONST HOL.Trueprop $ ( CONST HOL.Not").complete()  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "line",
    [
        "",
        "CONST",
        "CONST HOL.Trueprop",
        "CONST HOL.Trueprop $",
        "CONST Pure.imp",
        "CONST HOL.Trueprop $ ( CONST HOL.Not $ FREE <X0>",  # but for its bracket
    ],
)
def test_what_needs_more_to_be_a_proposition_is_not_complete(line: str) -> None:
    assert not after(line).complete()  # type: ignore[union-attr]


@pytest.mark.parametrize("longest", [7, 12, 30])
def test_everything_ends_in_time(longest: int) -> None:
    names = sorted({t for e in EXAMPLES[:20] for line in e.propositions() for t in line.split()} - set(SPECIALS))
    words = tuple(dict.fromkeys((*SPECIALS, *names, "VAR", *(f"<V{n}>" for n in range(12)))))
    corpus = Corpus.of_examples(
        [NumberedExample([(3, [words.index(t) for t in "CONST HOL.Trueprop $ FREE <X0>".split()])], [9])]
    )
    for seed in range(4):
        torch.manual_seed(seed)
        model = build_model(ModelConfig("hat", len(words), "tiny", dropout=0.0)).eval()
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.mul_(2.0)
        grammar = TypedGrammar(words, lambda *_: ({"<X0>": Type("HOL.bool")}, lambda _: True, SIGNATURE))
        found = next(search_corpus(model, corpus, SearchRules(beam=5, longest=longest), grammar))
        assert found
        for hypothesis in found:
            assert hypothesis.complete
            assert well_formed([words[t] for t in hypothesis.tokens], SIGNATURE, {"<X0>": Type("HOL.bool")})


@pytest.mark.parametrize("dense", [False, True])
@pytest.mark.parametrize("foreign", ["", "HOL.conj"])
def test_a_random_model_writes_only_well_typed_propositions(dense: bool, foreign: str) -> None:
    words = (*SPECIALS, *"CONST FREE $ ( ) HOL.Trueprop HOL.conj HOL.Not <X0>".split())
    line = [words.index(token) for token in "CONST HOL.Trueprop $ FREE <X0>".split()]
    corpus = Corpus.of_examples([NumberedExample([(3, line)], [9])])
    corpus = dense_corpus(corpus, words) if dense else corpus
    context = inferred(["CONST HOL.Trueprop $ FREE <X0>"], SIGNATURE)
    grammar = TypedGrammar(words, lambda *_: (context, lambda name: name != foreign, SIGNATURE), dense)
    written = []
    for seed in range(4):
        torch.manual_seed(seed)
        model = build_model(ModelConfig("hat", len(words), "tiny", dropout=0.0)).eval()
        for hypothesis in next(search_corpus(model, corpus, SearchRules(beam=12, longest=20), grammar)):
            tokens = [words[t] for t in hypothesis.tokens]
            written += [" ".join(spelt_out(tokens) if dense else tokens)] if hypothesis.complete else []
    assert len(set(written)) > (1 if foreign else 3)
    assert all(well_formed(line, SIGNATURE, context) for line in written)
    assert any("HOL.conj" in line for line in written) == (not foreign)
