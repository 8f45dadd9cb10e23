"""Cross entropy with label smoothing over a large vocabulary, a slice of the tokens at a time."""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from isarstep.benchmark.arrays.inputs import Source, Target
from isarstep.model.nets.base import Seq2Seq

LOGITS_AT_ONCE = 1 << 29  # of one slice: 2 GB in single precision
SliceLoss = Callable[[Tensor, Tensor, Tensor, float], tuple[Tensor, Tensor]]
COLUMNS = 128  # the vocabulary is filled up to a multiple of these


class SmoothedLoss(nn.Module):
    """The model with its loss, so that distributed wrappers and the compiler see one call."""

    def __init__(self, model: Seq2Seq, smoothing: float) -> None:
        super().__init__()
        self.model = model
        self.smoothing = smoothing
        self.slice_loss: SliceLoss = slice_loss

    def forward(self, source: Source, target: Target) -> tuple[Tensor, Tensor]:
        """Sums over the tokens to be learned: the smoothed loss, and -log p of the target."""
        hidden_UD = self.model(source, target)
        table_VD = self.model.token_table
        outputs_U, count = target.outputs_U, target.outputs_U.shape[0]
        at_once = LOGITS_AT_ONCE // table_VD.shape[0]
        if count <= at_once:
            return self.slice_loss(hidden_UD, table_VD, outputs_U, self.smoothing)
        pieces = [
            checkpoint(
                self.slice_loss,
                hidden_UD[at:end],
                table_VD,
                outputs_U[at:end],
                self.smoothing,
                use_reentrant=False,
                preserve_rng_state=False,  # there is nothing random in it
            )
            for at, end in ((at, at + at_once) for at in range(0, count, at_once))
        ]
        return torch.stack([loss for loss, _ in pieces]).sum(), torch.stack([nll for _, nll in pieces]).sum()


def slice_loss(hidden_UD: Tensor, table_VD: Tensor, outputs_U: Tensor, smoothing: float) -> tuple[Tensor, Tensor]:
    vocabulary = table_VD.shape[0]
    filling = -vocabulary % COLUMNS if table_VD.is_cuda else 0  # the quick products want a round number of columns
    if filling:
        logits_UV = F.linear(hidden_UD, F.pad(table_VD, (0, 0, 0, filling))).float()
        is_filling_V = torch.arange(vocabulary + filling, device=table_VD.device) >= vocabulary
        total_U = logits_UV.masked_fill(is_filling_V, -torch.inf).logsumexp(-1)
    else:
        logits_UV = F.linear(hidden_UD, table_VD).float()
        total_U = logits_UV.logsumexp(-1)
    right_U = logits_UV.gather(1, outputs_U.clamp(min=0)[:, None])[:, 0]
    mean_U = logits_UV.sum(-1) / vocabulary  # logits of the filling are zero
    real_U = (outputs_U >= 0).float()
    nll = ((total_U - right_U) * real_U).sum()
    uniform = ((total_U - mean_U) * real_U).sum()
    return (1 - smoothing) * nll + smoothing * uniform, nll.detach()
