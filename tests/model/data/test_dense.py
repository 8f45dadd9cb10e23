"""Dense tokens lose nothing, and renumbered variables change nothing but their names."""

from pathlib import Path

import numpy as np
import pytest
import torch

from isarstep.benchmark.arrays.corpus import Corpus, Dataset
from isarstep.benchmark.arrays.dense import dense_corpus, spelt_out
from isarstep.benchmark.arrays.files import load_dataset
from isarstep.benchmark.arrays.measures import Layout
from isarstep.model.data.batches import Packer
from isarstep.model.data.constants import closed
from isarstep.model.train.renumbering import Renumbering

pytestmark = pytest.mark.slow  # on all of the embedded benchmark


@pytest.fixture(scope="module")
def dataset() -> Dataset:
    return closed(load_dataset(Path("embedded")))


@pytest.fixture(scope="module")
def validation(dataset: Dataset) -> Corpus:
    split = dataset.split("validation")
    return split.take(np.arange(0, len(split), 10)).compacted()


def words(corpus: Corpus, vocabulary: tuple[str, ...], number: int) -> list[str]:
    return [vocabulary[token] for token in corpus.proposition(number)]


def test_the_tokens_of_the_paper_come_back(dataset: Dataset, validation: Corpus) -> None:
    vocabulary = dataset.vocabulary
    short = dense_corpus(validation, vocabulary)
    assert len(short.tokens) < 0.55 * len(validation.tokens)
    count = len(validation.token_starts) - 1
    assert count > 1000
    known = [words(validation, vocabulary, n) for n in range(count)]
    # The kind of an unknown name is not known either.
    same = [spelt_out(words(short, vocabulary, n)) == known[n] for n in range(count) if "<UNK>" not in known[n]]
    assert len(same) > 0.9 * count
    assert all(same)


@pytest.mark.parametrize("hierarchical", [True, False])
def test_renumbering_exchanges_the_numbers_of_an_example(
    dataset: Dataset, validation: Corpus, hierarchical: bool
) -> None:
    packer = Packer(validation, Layout(hierarchical, input="+F.5"), torch.device("cpu"))
    examples = np.arange(60)
    shape = packer.measures.shape_for(60_000, examples)
    plain = packer.assemble(examples, shape)
    renumbering = Renumbering(dataset.vocabulary, 1.0, torch.device("cpu"))
    other = renumbering.apply(plain, [3, 1])
    assert torch.equal(other.source.tokens_S, renumbering.apply(plain, [3, 1]).source.tokens_S)
    assert not torch.equal(other.source.tokens_S, plain.source.tokens_S)
    changed = 0
    for n in examples:
        pairs = set()
        for before, after, segments in (
            (plain.source.tokens_S, other.source.tokens_S, plain.source.examples),
            (plain.target.inputs_U, other.target.inputs_U, plain.target.examples),
            (plain.target.outputs_U, other.target.outputs_U, plain.target.examples),
        ):
            here = slice(int(segments.starts[n]), int(segments.starts[n + 1]))
            pairs |= set(zip(before[here].tolist(), after[here].tolist(), strict=True))
        # One new name for each old one, and the other way round; only variables have changed.
        assert len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})
        moved = {a for a, b in pairs if a != b}
        assert all(dataset.vocabulary[token].startswith("<X") for token in moved)
        changed += bool(moved)
    assert changed > 40


def test_no_share_no_change(dataset: Dataset, validation: Corpus) -> None:
    packer = Packer(validation, Layout(hierarchical=True, input="base"), torch.device("cpu"))
    plain = packer.assemble(np.arange(20))
    same = Renumbering(dataset.vocabulary, 0.0, torch.device("cpu")).apply(plain, [0])
    assert torch.equal(same.source.tokens_S, plain.source.tokens_S)
    assert torch.equal(same.target.outputs_U, plain.target.outputs_U)
