"""Synthetic tasks are what they say, and the same again from the same seed."""

import numpy as np
import pytest

from isarstep.bench.specials import SEP, SPECIALS, UNK
from isarstep.errors import UserError
from isarstep.feed.corpus import Corpus, Dataset, NumberedExample
from isarstep.train.lime import CASE, RESULT, RULE, TASKS, synthetic_dataset

WORDS = (*SPECIALS, "(", ")", *(f"w{i}" for i in range(60)))


def data() -> Dataset:
    number = {word: i for i, word in enumerate(WORDS)}
    line = [number[w] for w in "w1 ( w2 ( w3 w4 ) w5 ) w6".split()]
    corpus = Corpus.of_examples([NumberedExample([(3, line), (4, [number["w7"]])], [number["w8"]])])
    return Dataset({"train": corpus, "validation": corpus}, WORDS, "hash")


def parts(corpus: Corpus, example: int) -> tuple[dict[int, list[list[int]]], list[int]]:
    given: dict[int, list[list[int]]] = {RULE: [], RESULT: [], CASE: []}
    for at in range(int(corpus.source_starts[example]), int(corpus.source_starts[example + 1])):
        given[int(corpus.fields[at])].append(corpus.proposition(int(corpus.sources[at])).tolist())
    return given, corpus.proposition(int(corpus.targets[example])).tolist()


def put_in(rule: list[int], case: list[list[int]]) -> list[int]:
    meaning = {line[0]: line[2:] for line in case}
    return [token for symbol in rule for token in meaning.get(symbol, [symbol])]


def split_case(tokens: list[int]) -> list[list[int]]:
    """`v <SEP> a b w <SEP> c` is two equations: a variable stands before each separator."""
    begins = [at - 1 for at, token in enumerate(tokens) if token == SEP]
    return [tokens[a:b] for a, b in zip(begins, [*begins[1:], len(tokens)], strict=True)]


def test_two_of_three_give_the_third() -> None:
    for task in ("deduct", "abduct", "induct"):
        corpus = synthetic_dataset(data(), task, 50, 3).split("train")
        for example in range(len(corpus)):
            given, target = parts(corpus, example)
            rule = target if task == "induct" else given[RULE][0]
            case = split_case(target) if task == "abduct" else given[CASE]
            result = target if task == "deduct" else given[RESULT][0]
            assert put_in(rule, case) == result


def test_rewriting_ends_where_no_definition_applies() -> None:
    corpus = synthetic_dataset(data(), "rewrite", 50, 3).split("train")
    for example in range(len(corpus)):
        given, target = parts(corpus, example)
        term = given[RULE][0]
        for _ in range(5):
            term = put_in(term, given[CASE])
        assert term == target
        assert not {line[0] for line in given[CASE]} & set(target)


def test_a_masked_subterm_fills_its_hole() -> None:
    corpus = synthetic_dataset(data(), "masked", 20, 3).split("train")
    original = data().split("train").proposition(0).tolist()
    for example in range(len(corpus)):
        given, target = parts(corpus, example)
        (line,) = [line for lines in given.values() for line in lines if UNK in line]
        hole = line.index(UNK)
        assert [*line[:hole], *target, *line[hole + 1 :]] in (original, data().split("train").proposition(1).tolist())


@pytest.mark.parametrize("task", [*TASKS, "masked"])
def test_equal_seeds_make_equal_examples(task: str) -> None:
    first, second, other = (synthetic_dataset(data(), task, 30, seed).split("train") for seed in (1, 1, 2))
    assert np.array_equal(first.tokens, second.tokens)
    if task != "masked":
        assert not np.array_equal(first.tokens, other.tokens)


def test_an_unknown_task_is_named() -> None:
    with pytest.raises(UserError, match="no task 'dance'"):
        synthetic_dataset(data(), "dance", 1, 0)
