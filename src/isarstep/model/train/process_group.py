"""One process, or many under torchrun: who we are, and how all agree on a number."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
import torch.distributed as dist

from isarstep.common.errors import UserError


@dataclass(frozen=True)
class Processes:
    rank: int
    count: int
    device: torch.device

    @property
    def first(self) -> bool:
        return self.rank == 0

    def agree(self, value: float) -> float:
        """The first process's value, in all of them."""
        return self._exchanged(value, lambda box: dist.broadcast(box, 0))

    def total(self, value: float) -> float:
        return self._exchanged(value, dist.all_reduce)

    def _exchanged(self, value: float, exchange: Callable[[torch.Tensor], object]) -> float:
        if self.count == 1:
            return value
        box = torch.tensor([value], dtype=torch.float64, device=self.device)
        exchange(box)
        return float(box)

    def wait(self) -> None:
        if self.count > 1:
            dist.barrier()


@contextmanager
def processes(device: str | None = None) -> Iterator[Processes]:
    """Joins the group that torchrun started, if it did."""
    kind = device or ("cuda" if torch.cuda.is_available() else "cpu")
    if kind == "cuda" and not torch.cuda.is_available():
        raise UserError("no CUDA device here; leave out --device, or use --device cpu")
    if "RANK" not in os.environ:
        yield Processes(0, 1, torch.device(kind))
        return
    local = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0"))) if kind == "cuda" else torch.device("cpu")
    if kind == "cuda":
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if kind == "cuda" else "gloo")
    try:
        yield Processes(dist.get_rank(), dist.get_world_size(), local)
    finally:
        dist.destroy_process_group()
