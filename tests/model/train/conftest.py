"""Small tensors gain nothing from several threads, and lose much when the machine is busy. Training is tried on a
smaller size than any that is offered: a layer of each kind, a fifth of the time."""

from collections.abc import Iterator

import pytest
import torch

from isarstep.model.nets.config import SIZES, Dimensions

SMALLEST = Dimensions(width=32, filter=64, heads=2, encoder_layers=2, local_layers=1, decoder_layers=1)


@pytest.fixture(autouse=True, scope="module")
def _small() -> Iterator[None]:
    torch.set_num_threads(1)
    tiny, SIZES["tiny"] = SIZES["tiny"], SMALLEST
    yield
    SIZES["tiny"] = tiny
