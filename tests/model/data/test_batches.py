"""Batches: nothing lost, nothing doubled, little filling, the same again from the same seed."""

import numpy as np
import pytest
import torch

from isarstep.benchmark.arrays.corpus import Corpus, Dataset, NumberedExample
from isarstep.benchmark.arrays.files import load_dataset, save_dataset
from isarstep.benchmark.arrays.measures import Layout, Measures, Shape
from isarstep.benchmark.store.special_tokens import BOS, EOS, F2, F3, SEP
from isarstep.model.data.batches import Batch, Packer, plan
from isarstep.model.nets import ModelConfig, build_model
from isarstep.model.train.loss import SmoothedLoss


def assemble(corpus: Corpus, examples: np.ndarray, layout: Layout, shape: Shape | None = None) -> Batch:
    return Packer(corpus, layout, torch.device("cpu")).assemble(examples, shape)


def random_corpus(count: int, seed: int = 0, vocabulary: int = 60) -> Corpus:
    rng = np.random.default_rng(seed)

    def proposition() -> list[int]:
        return rng.integers(9, vocabulary, rng.integers(2, 30)).tolist()

    return Corpus.of_examples(
        NumberedExample(
            [(3, proposition()), *((int(rng.choice([2, 4, 5])), proposition()) for _ in range(rng.integers(0, 6)))],
            proposition(),
            f"id{i}",
        )
        for i in range(count)
    )


def test_sequence_models_read_labels_and_separators() -> None:
    corpus = Corpus.of_examples([NumberedExample([(3, [20]), (2, [21]), (2, [22, 23]), (5, [24])], [25])])
    batch = assemble(corpus, np.array([0]), Layout(hierarchical=False, input="base"))
    assert batch.source.tokens_S.tolist() == [F2, 22, 23, SEP, F2, 21, SEP, F3, 20]
    assert batch.target.inputs_U.tolist() == [BOS, 25]
    assert batch.target.outputs_U.tolist() == [25, EOS]


def test_hat_reads_propositions_with_categories() -> None:
    corpus = Corpus.of_examples([NumberedExample([(3, [20]), (2, [21]), (2, [22, 23]), (5, [24])], [25])])
    source = assemble(corpus, np.array([0]), Layout(hierarchical=True, input="+F.5")).source
    assert source.tokens_S.tolist() == [22, 23, 21, 20, 24]
    assert source.positions_S.tolist() == [0, 1, 0, 0, 0]
    assert source.categories_S.tolist() == [0, 0, 0, 1, 3]
    assert source.propositions.starts.tolist() == [0, 2, 3, 4, 5]
    assert source.examples.starts.tolist() == [0, 5]


@pytest.mark.parametrize("hierarchical", [True, False])
def test_an_epoch_holds_every_example_once_and_little_filling(hierarchical: bool) -> None:
    corpus = random_corpus(4000)
    measures = Measures(corpus, Layout(hierarchical, input="+F.5"))
    chosen = measures.trainable()
    shape = measures.shape_for(16384, chosen)
    batches = plan(measures, chosen, shape, seed=1, epoch=0)
    assert sorted(np.concatenate(batches).tolist()) == chosen.tolist()
    full = [measures.source[b].sum() / shape.source for b in batches[:-1]]
    assert np.mean(full) > 0.95
    again = plan(measures, chosen, shape, seed=1, epoch=0)
    assert all((a == b).all() for a, b in zip(batches, again, strict=True))
    assert (plan(measures, chosen, shape, seed=1, epoch=1)[0][:5] != batches[0][:5]).any()


@pytest.mark.parametrize("kind", ["hat", "transformer"])
def test_filling_up_changes_neither_loss_nor_gradient(kind: str) -> None:
    corpus = random_corpus(40)
    layout = Layout(kind == "hat", input="+F.5")
    measures = Measures(corpus, layout)
    shape = measures.shape_for(4096, np.arange(40))
    torch.manual_seed(0)
    loss = SmoothedLoss(build_model(ModelConfig(kind, 60, "tiny", dropout=0.0)), 0.1)  # type: ignore[arg-type]
    gradients = []
    totals = []
    for filled in (None, shape):
        batch = assemble(corpus, np.arange(11), layout, filled)
        total, _ = loss(batch.source, batch.target)
        total.backward()
        totals.append(total.item())
        gradients.append(torch.cat([p.grad.flatten() for p in loss.parameters() if p.grad is not None]))
        loss.zero_grad()
        assert batch.written == int(corpus.target_lengths()[:11].sum()) + 11
    assert totals[0] == pytest.approx(totals[1], rel=1e-5)
    torch.testing.assert_close(gradients[0], gradients[1], atol=1e-4, rtol=1e-4)
    assert len({tuple(x.shape) for x in (batch.source.examples.starts, batch.target.examples.starts)}) == 1


def test_smoothed_loss_is_pytorchs() -> None:
    corpus = random_corpus(5)
    batch = assemble(corpus, np.arange(5), Layout(True, "+F.5"))
    loss = SmoothedLoss(build_model(ModelConfig("hat", 60, "tiny", dropout=0.0)), 0.1)
    smoothed, nll = loss(batch.source, batch.target)
    logits = loss.model.logits(loss.model(batch.source, batch.target))
    for smoothing, ours in ((0.1, smoothed), (0.0, nll)):
        theirs = torch.nn.functional.cross_entropy(
            logits, batch.target.outputs_U, label_smoothing=smoothing, reduction="sum"
        )
        torch.testing.assert_close(ours, theirs)


def test_a_dataset_survives_its_file(tmp_path) -> None:  # type: ignore[no-untyped-def]
    corpus = random_corpus(20)
    save_dataset(Dataset({"train": corpus}, ("a", "b"), "hash"), tmp_path / "data.npz")
    again = load_dataset(tmp_path / "data.npz")
    assert again.vocabulary == ("a", "b")
    assert again.benchmark == "hash"
    assert again.split("train").ids == corpus.ids
    layout = Layout(hierarchical=True, input="+F.5")
    ours, theirs = (assemble(c, np.arange(20), layout) for c in (corpus, again.split("train")))
    assert torch.equal(ours.source.tokens_S, theirs.source.tokens_S)
    assert torch.equal(ours.target.outputs_U, theirs.target.outputs_U)


def test_models_that_pad_get_examples_of_similar_lengths() -> None:
    corpus = random_corpus(4000)
    measures = Measures(corpus, Layout(hierarchical=False, input="+F.5"))
    chosen = measures.trainable()
    shape = measures.shape_for(4096, chosen)

    def filled(batches: list[np.ndarray]) -> float:
        return sum(measures.source[b].sum() for b in batches) / sum(
            len(b) * int(measures.source[b].max()) for b in batches
        )

    batches = plan(measures, chosen, shape, seed=1, epoch=0, padded=True)
    assert sorted(np.concatenate(batches).tolist()) == chosen.tolist()
    assert filled(batches) > 0.75 > 0.6 > filled(plan(measures, chosen, shape, seed=1, epoch=0))
    assert [b.tolist() for b in batches] != sorted((b.tolist() for b in batches), key=lambda b: measures.source[b[0]])


@pytest.mark.parametrize("hierarchical", [True, False])
def test_training_reads_sources_of_512_tokens_and_targets_of_200_and_no_longer_ones(hierarchical: bool) -> None:
    """Labels and separators do not count; F.5 does where it is read."""
    sizes = [(512, 0, 5), (513, 0, 5), (500, 12, 5), (500, 13, 5), (5, 0, 200), (5, 0, 201)]
    corpus = Corpus.of_examples(
        NumberedExample([(3, [20] * c), *([(5, [21] * hint)] if hint else [])], [22] * target)
        for c, hint, target in sizes
    )
    with_hints = Measures(corpus, Layout(hierarchical, input="+F.5")).trainable()
    without = Measures(corpus, Layout(hierarchical, input="base")).trainable()
    assert with_hints.tolist() == [0, 2, 4]
    assert without.tolist() == [0, 2, 3, 4]
