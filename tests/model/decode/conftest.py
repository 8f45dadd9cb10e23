"""Small tensors gain nothing from several threads, and lose much when the machine is busy."""

import pytest
import torch


@pytest.fixture(autouse=True, scope="session")
def _one_thread() -> None:
    torch.set_num_threads(1)
