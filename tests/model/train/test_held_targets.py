"""Other numbers for variables never make a held-out target of a training target, where a recipe forbids it."""

import numpy as np
import torch

from isarstep.benchmark.arrays.corpus import Corpus, Dataset, NumberedExample
from isarstep.benchmark.arrays.measures import Layout
from isarstep.benchmark.store.special_tokens import SPECIALS
from isarstep.model.train.held_targets import like_held_out
from isarstep.model.train.loop import StepStream
from isarstep.model.train.process_group import Processes
from isarstep.model.train.recipe_files import modern

VOCABULARY = (*SPECIALS, "f", "g", *(f"<X{n}>" for n in range(5)))
NUMBER = {token: number for number, token in enumerate(VOCABULARY)}


def corpus(*targets: str) -> Corpus:
    def ids(line: str) -> list[int]:
        return [NUMBER[token] for token in line.split()]

    source = [(3, ids("g <X0> <X1> <X2> <X3> <X4>"))]
    return Corpus.of_examples(NumberedExample(source, ids(target)) for target in targets)


def dataset() -> Dataset:
    train = (
        "f <X0> <X1>",
        "f <X1> <X1>",
        "g <X0> <X1>",
        "f <X1>",
        "f",
        "f <X4> <X0>",
        "f <X0> <X1> <X0>",
        "f <X1> <X0>",
    )
    splits = {
        "train": corpus(*train),
        "validation": corpus("f <X2> <X0>", "f", "g"),
        "test": corpus("f <X3> <X3>", "f <X0> <X1> <X2>"),
    }
    return Dataset(splits, VOCABULARY, "hash")


def test_what_is_like_a_held_out_target() -> None:
    expected = [True, True, False, False, True, True, False, True]
    assert like_held_out(dataset()).tolist() == expected


def test_a_recipe_can_forbid_to_make_copies() -> None:
    data, group = dataset(), Processes(0, 1, torch.device("cpu"))
    like, examples = like_held_out(data), np.arange(8)
    changed = {}
    for copies in (True, False):
        recipe = modern(batch=512, renumber=1.0, renumber_copies=copies)
        stream = StepStream(data, Layout(hierarchical=True, input="base"), recipe, group, fixed=True, padded=False)
        plain = stream.packer.assemble(examples, stream.shape)
        changed[copies] = np.zeros(8, bool)
        for epoch in range(20):
            other = stream.batch_of(examples, epoch, 0)
            moved = (plain.source.tokens_S != other.source.tokens_S)[:48].view(8, 6).any(1)
            changed[copies] |= moved.numpy()
    assert changed[True].all()
    assert (changed[False] == ~like).all()
