"""One optimiser step on a batch of stored rows, and the logits of some: by torch here, by compiled code in
`lsgnn.out_of_core.fused_steps`. Which rows, in which order, and what for is decided in `lsgnn.out_of_core.training`."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from lsgnn.config import LSGNNConfig
from lsgnn.nn.model import LSGNN
from lsgnn.out_of_core.rows import StoredRows
from lsgnn.out_of_core.world import World
from lsgnn.train.loop import make_optimizer
from lsgnn.train.without_dynamo import step

Places = NDArray[np.int64]  # of nodes among the labelled ones


class Steps(Protocol):
    """A model in training, whichever engine runs it."""

    optimizer: torch.optim.Optimizer

    def step(self, epoch: int, own: Places, weight: Tensor, total: float) -> float:
        """Learns from this process's part of a batch; the sum of its losses by weight.

        Args:
            weight: of each row.
            total: the weight of the whole batch.
        """

    def logits(self, places: Places) -> Tensor:
        """In evaluation mode [b, C], on the CPU."""

    def publish(self) -> None:
        """Gives the module the weights as they are now, if it does not have them anyway."""


class TorchSteps:
    """By torch's own gradients, on any device.

    Args:
        y: classes of the labelled nodes.
    """

    def __init__(
        self, model: LSGNN, config: LSGNNConfig, rows: StoredRows, y: Tensor, world: World, device: str
    ) -> None:
        self.model, self.rows, self.y, self.world, self.device = model, rows, y, world, device
        self.shared, self.optimizer = world.share_gradients(model), make_optimizer(model, config)

    def step(self, epoch: int, own: Places, weight: Tensor, total: float) -> float:
        self.shared.train()
        self.shared.zero_grad()
        logits, y = self.shared(self.rows.labelled(own).to(self.device)), self.y[own].to(self.device)
        summed = (weight.to(self.device) * F.cross_entropy(logits, y, reduction="none")).sum()
        # gradients are averaged over processes, so that each counts for `size` of them
        (summed * self.world.size / total).backward()  # type: ignore[no-untyped-call]
        step(self.optimizer)
        return float(summed.detach())

    @torch.no_grad()
    def logits(self, places: Places) -> Tensor:
        logits: Tensor = self.model.eval()(self.rows.labelled(places).to(self.device))
        return logits.cpu()

    def publish(self) -> None:
        pass
