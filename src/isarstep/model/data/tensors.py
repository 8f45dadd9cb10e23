"""What a search asks of arrays, over torch and on a device; see `isarstep.benchmark.arrays.backend`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
import torch
from torch import Tensor

from isarstep.benchmark.arrays.backend import Arrays


class Tensors(Arrays):
    int32 = torch.int32
    add = staticmethod(torch.add)
    maximum = staticmethod(torch.maximum)
    where = staticmethod(torch.where)

    def __init__(self, device: torch.device) -> None:
        self.device, self.name, self.kind = device, str(device), device.type
        if self.kind == "cuda":
            self.gigabytes = torch.cuda.get_device_properties(device).total_memory >> 30

    def searching(self) -> AbstractContextManager[Any]:
        return torch.inference_mode()

    def of(self, host: Any) -> Tensor:
        return torch.as_tensor(host).to(self.device)

    def host(self, x: Tensor) -> np.ndarray[Any, Any]:
        return x.cpu().numpy()

    def full(self, shape: tuple[int, ...], value: float, dtype: Any = None) -> Tensor:
        return torch.full(shape, value, dtype=dtype, device=self.device)

    def arange(self, count: int) -> Tensor:
        return torch.arange(count, device=self.device)

    def cat(self, parts: Sequence[Tensor], axis: int) -> Tensor:
        return torch.cat(list(parts), axis)

    def stacked_lists(self, *parts: Tensor) -> Any:
        return torch.stack(parts).tolist()

    def rows(self, x_BX: Tensor, places_BK: Tensor) -> Tensor:
        more = x_BX.shape[2:]
        return x_BX.gather(1, places_BK.view(*places_BK.shape, *(1 for _ in more)).expand(-1, -1, *more))

    def last(self, x_BKX: Tensor, places_BKQ: Tensor) -> Tensor:
        return x_BKX.gather(2, places_BKQ)

    def topk(self, x: Tensor, count: int) -> tuple[Tensor, Tensor]:
        values, places = x.topk(count)
        return values, places

    def descending(self, x: Tensor) -> Tensor:
        return x.argsort(-1, descending=True)

    def logsumexp(self, x: Tensor) -> Tensor:
        return x.logsumexp(-1)

    def true_places(self, x_B: Tensor) -> Tensor:
        return x_B.nonzero()[:, 0]
