"""Constants that a model has no token for are read and written under numbers, and get their names back."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from isarstep.benchmark.arrays.corpus import Corpus, Dataset, NumberedExample
from isarstep.benchmark.arrays.inputs import Input
from isarstep.benchmark.arrays.measures import Layout
from isarstep.benchmark.store.example import Example
from isarstep.benchmark.store.special_tokens import SPECIALS, UNK
from isarstep.model.data.batches import Packer
from isarstep.model.data.constants import (
    closed,
    corpus_of_examples,
    is_constant,
    numbers_in,
    opened,
    read_by_model,
    under_vocabulary,
    with_names,
)
from isarstep.model.train.constant_numbers import ConstantNumbers

WORDS = ("$", "CONST", "FREE", "(", ")", "<X0>", "<X1>", "HOL.eq", "List.rev", "List.append", "List.map")
VOCABULARY = (*SPECIALS, *WORDS, "<C0>", "<C1>")
NUMBERS = numbers_in(VOCABULARY)


def example(*lines: str, f1: str = "CONST HOL.eq", f5: str = "") -> Example:
    return Example("a", f1, tuple(lines[:-1]), lines[-1], (), (f5,) if f5 else ())


def read(asked: Example, input: Input = "base") -> tuple[dict[int, list[str]], list[str], tuple[str, ...]]:
    """The source by field, the target, and what the numbers stand for."""
    corpus = corpus_of_examples([asked], VOCABULARY, input)
    words = [[VOCABULARY[t] for t in corpus.proposition(n)] for n in corpus.sources.tolist()]
    target = [VOCABULARY[t] for t in corpus.proposition(int(corpus.targets[0]))]
    return dict(zip(corpus.fields.tolist(), words, strict=True)), target, corpus.names_of(0)


def test_what_is_a_constant() -> None:
    assert [token for token in (*VOCABULARY, "3", "<V0>", "ABS") if is_constant(token)] == [*WORDS[-4:], "<C0>", "<C1>"]
    assert [VOCABULARY[n] for n in NUMBERS] == ["<C0>", "<C1>"]
    assert numbers_in(VOCABULARY[:-2]) == []


def test_unknown_constants_are_numbered_as_they_are_read() -> None:
    source, target, names = read(
        example("CONST My.f $ FREE <X0> $ FREE <X1>", "CONST My.g $ CONST My.f", f1="CONST My.g $ CONST List.rev")
    )
    assert names == ("My.f", "My.g")
    assert source[2] == "CONST <C0> $ FREE <X0> $ FREE <X1>".split()
    assert source[3] == "CONST <C1> $ CONST <C0>".split()
    assert target == "CONST <C1> $ CONST List.rev".split()
    assert with_names([VOCABULARY.index(t) for t in target], VOCABULARY, NUMBERS, names) == (
        "CONST My.g $ CONST List.rev".split()
    )


def test_what_has_no_number_left_or_is_not_read_is_unknown() -> None:
    source, target, names = read(
        example("CONST A.a $ CONST A.b $ CONST A.c", "CONST A.c", f1="CONST A.d $ CONST A.b", f5="CONST A.e")
    )
    assert names == ("A.a", "A.b")
    assert source[2][-1] == source[3][-1] == "<UNK>"
    assert target == "CONST <UNK> $ CONST <C1>".split()
    # A lemma that the model does not read gives its constants no number.
    assert read(example("CONST A.a", "CONST A.a", f5="CONST A.e"))[2] == ("A.a",)
    assert read(example("CONST A.a", "CONST A.a", f5="CONST A.e"), input="+F.5")[2] == ("A.a", "A.e")


def test_examples_over_one_proposition_number_it_each_in_its_own_way() -> None:
    asked = [example("CONST A.a $ FREE <X0>", "CONST A.b"), example("CONST A.c $ CONST A.b $ FREE <X0>", "CONST A.b")]
    corpus = corpus_of_examples(asked, VOCABULARY)
    ends = [[VOCABULARY[t] for t in corpus.proposition(int(corpus.sources[at]))] for at in (1, 3)]
    assert ends == [["CONST", "<C1>"], ["CONST", "<C1>"]]
    assert corpus.names == (("A.a", "A.b"), ("A.c", "A.b"))
    assert corpus.take(np.array([1])).names == (("A.c", "A.b"),)


def dataset() -> Dataset:
    vocabulary = (*SPECIALS, *WORDS)
    place = {token: number for number, token in enumerate((*vocabulary, "My.f"))}

    def ids(line: str) -> list[int]:
        return [place[token] for token in line.split()]

    row = NumberedExample([(3, ids("CONST List.map $ CONST My.f"))], ids("CONST My.f $ CONST List.append"))
    return Dataset({"test": Corpus.of_examples([row])}, vocabulary, "hash", ("My.f",))


def test_an_opened_vocabulary_says_the_same() -> None:
    before = dataset()
    for constants in (None, 4, 2):
        after = opened(before, 2, constants)
        assert numbers_in(after.vocabulary)
        assert sorted((*before.words, "<C0>", "<C1>")) == sorted(after.words)
        assert [after.words[t] for t in after.splits["test"].tokens] == [
            before.words[t] for t in before.splits["test"].tokens
        ]
    assert after.outside == ("List.append", "List.map", "My.f")
    assert opened(after, 2, 2) is after
    seen = read_by_model(after.splits["test"], after.words, after.vocabulary, input="base")
    assert seen.names == (("List.map", "My.f"),)
    assert UNK in closed(before).splits["test"].tokens
    assert max(closed(before).splits["test"].tokens) < len(before.vocabulary)


def test_data_under_the_vocabulary_of_another_model() -> None:
    before = dataset()
    other = (*SPECIALS, "CONST", "$", "List.append", "Other.f", "<C0>")
    after = under_vocabulary(before, other)
    assert after.vocabulary == other
    tokens = [after.words[t] for t in after.splits["test"].tokens]
    assert tokens == [before.words[t] for t in before.splits["test"].tokens]
    assert not set(after.outside) & set(other)
    assert {"List.map", "My.f"} <= set(after.outside)


@pytest.mark.parametrize("hierarchical", [True, False])
@pytest.mark.parametrize("filled", [True, False])
def test_a_batch_is_numbered_as_its_examples_are(hierarchical: bool, filled: bool) -> None:
    """On the device all at once, or one by one on the host: the same tokens."""
    random = np.random.default_rng(0)
    words = (*VOCABULARY, *(f"A.c{n}" for n in range(6)))

    def proposition() -> list[int]:
        tokens = [n for n in range(len(SPECIALS), len(words)) if n not in NUMBERS]
        return random.choice(tokens, random.integers(1, 7)).tolist()

    rows = [NumberedExample([(f, proposition()) for f in (2, 2, 3, 4)], proposition()) for _ in range(50)]
    wide = Corpus.of_examples(rows)
    plain = read_by_model(wide, words, VOCABULARY, input="base")
    chosen = np.arange(50)
    layout, device = Layout(hierarchical, input="base"), torch.device("cpu")
    packer = Packer(wide, layout, device)
    shape = packer.measures.shape_for(8000, chosen) if filled else None
    found = ConstantNumbers(VOCABULARY, len(words), 0.0, device).apply(packer.assemble(chosen, shape), [0])
    expected = Packer(plain, layout, device).assemble(chosen, shape)
    assert torch.equal(found.source.tokens_S, expected.source.tokens_S)
    assert torch.equal(found.target.inputs_U, expected.target.inputs_U)
    assert torch.equal(found.target.outputs_U, expected.target.outputs_U)
    assert UNK in found.source.tokens_S


def test_known_constants_are_numbered_in_some_examples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isarstep.model.train.constant_numbers.COMMON", 1)  # HOL.eq keeps its name
    place = {token: number for number, token in enumerate(VOCABULARY)}
    source = [place[token] for token in ("HOL.eq", "List.rev", "List.append", "List.rev", "<X0>")]
    target = [place[token] for token in ("List.rev", "List.append", "List.map", "HOL.eq")]
    corpus = Corpus.of_examples([NumberedExample([(3, source)], target)] * 400)
    packer = Packer(corpus, Layout(hierarchical=True, input="base"), torch.device("cpu"))
    plain = packer.assemble(np.arange(400))
    numbers = ConstantNumbers(VOCABULARY, len(VOCABULARY), 0.5, torch.device("cpu"))
    made = numbers.apply(plain, [1, 2])
    assert torch.equal(made.source.tokens_S, numbers.apply(plain, [1, 2]).source.tokens_S)
    assert not torch.equal(made.source.tokens_S, numbers.apply(plain, [1, 3]).source.tokens_S)
    left_alone = 0
    for n in range(400):
        read_, written = made.source.tokens_S[5 * n : 5 * n + 5], made.target.outputs_U[5 * n : 5 * n + 4]
        pairs = {*zip(source, read_.tolist(), strict=True), *zip(target, written.tolist(), strict=True)}
        assert len({a for a, _ in pairs}) == len(pairs)  # alike wherever it stands
        numbered = [
            b for a, b in sorted(pairs, key=lambda pair: source.index(pair[0]) if pair[0] in source else 9) if a != b
        ]
        assert numbered == NUMBERS[: len(numbered)]
        # What the source does not mention, what is common, and variables keep their names.
        assert {a for a, b in pairs if a != b} <= {place["List.rev"], place["List.append"]}
        left_alone += not numbered
    assert 200 < left_alone < 350
