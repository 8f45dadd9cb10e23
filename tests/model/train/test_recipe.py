"""What an optimiser does to a parameter under each recipe: the paper's Adam, and Muon beside AdamW."""

import pytest
import torch
from torch import nn

from isarstep.model.nets.config import Style
from isarstep.model.train.recipe import optimisers
from isarstep.model.train.recipe_files import modern, paper


class Small(nn.Module):
    """A hidden matrix and a table of embeddings."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.hidden = nn.Linear(3, 3, bias=False)
        self.embedding = nn.Embedding(4, 3)


def after_one_step(
    style: Style, gradient: float, rate: float = 0.01
) -> tuple[Small, Small, list[torch.optim.Optimizer]]:
    before, model = Small(), Small()
    chosen = optimisers(model, paper() if style == "paper" else modern())
    for parameter in model.parameters():
        parameter.grad = torch.full_like(parameter, gradient)
    for optimiser in chosen:
        for group in optimiser.param_groups:
            group["lr"] = rate
        optimiser.step()
    return before, model, chosen


@pytest.mark.parametrize(("style", "memory"), [("paper", 0.98), ("modern", 0.95)])
def test_adam_remembers_squares_for_as_long_as_the_recipe_says(style: Style, memory: float) -> None:
    _, model, chosen = after_one_step(style, gradient=2.0)
    state = chosen[-1].state[model.embedding.weight]
    assert torch.allclose(state["exp_avg_sq"], torch.tensor((1 - memory) * 4.0))
    assert torch.allclose(state["exp_avg"], torch.tensor((1 - 0.9) * 2.0))


def test_the_papers_recipe_decays_nothing() -> None:
    before, model, _ = after_one_step("paper", gradient=0.0)
    assert all(torch.equal(a, b) for a, b in zip(before.parameters(), model.parameters(), strict=True))


def test_the_modern_recipe_decays_hidden_matrices_and_no_embeddings() -> None:
    before, model, _ = after_one_step("modern", gradient=0.0, rate=0.01)
    assert torch.allclose(model.hidden.weight, before.hidden.weight * (1 - 0.01 * 0.1), rtol=1e-6)
    assert torch.equal(model.embedding.weight, before.embedding.weight)
