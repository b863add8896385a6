"""Steps on stored rows by the fused engine: it is handed one batch after the other and returns their gradients.

The channels of a batch are formed and used while they are in the cache, and torch's Adam moves the weights where they
lie. The bits of a result depend on the rows, the settings and the number of processes, not on that of threads.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from lsgnn.config import LSGNNConfig
from lsgnn.nn.model import LSGNN
from lsgnn.out_of_core.fused_rows import FusedRows
from lsgnn.out_of_core.rows import StoredRows
from lsgnn.out_of_core.steps import Places
from lsgnn.out_of_core.world import World
from lsgnn.train.fused.epochs import GRADIENT, PREDICT
from lsgnn.train.fused.layout import Layout
from lsgnn.train.fused.paths import DENSE_NS, LEAST_NS
from lsgnn.train.fused.row_stages import mixed
from lsgnn.train.fused.structs import State
from lsgnn.train.loop import make_optimizer
from lsgnn.train.without_dynamo import step


class FusedSteps:
    """By compiled code, on this machine's cores.

    Args:
        y: classes of the labelled nodes.
        threads: by default as many as torch uses, fewer where batches are small.
    """

    def __init__(
        self,
        model: LSGNN,
        config: LSGNNConfig,
        rows: StoredRows,
        y: Tensor,
        world: World,
        batch_size: int,
        threads: int | None = None,
    ) -> None:
        self.model, self.config, self.y, self.world = model, config, y.numpy(), world
        self.epoch, self.drawing = 0, config  # the latest, and the configuration with its random numbers
        self.layout = layout_of(model, config)
        state_dict = model.state_dict()
        self.constant = {name: tensor.clone() for name, tensor in state_dict.items() if name.endswith(".scale")}
        self.weights, self.gradient = self.layout.pack(state_dict), self.layout.zeros()
        self.learned = nn.ParameterList(torch.from_numpy(part) for part in (self.weights.reduce, self.weights.small))
        for parameter, part in zip(self.learned, (self.gradient.reduce, self.gradient.small), strict=True):
            parameter.grad = torch.from_numpy(part)
        self.optimizer = make_optimizer(self.learned, config)
        threads = threads or affordable_threads(self.layout, batch_size // world.size)
        self.rows = FusedRows(rows, self.layout, self.constant, threads)

    def step(self, epoch: int, own: Places, weight: Tensor, total: float) -> float:
        share = (weight / total).float().numpy()
        task = self.rows.task(own, self.y[own], share, self.weights, learns=True)
        line, state = np.zeros((1, 4)), State(self.gradient, self.gradient, self.gradient)
        if epoch != self.epoch:
            self.epoch, self.drawing = epoch, self.config.replace(seed=seed_of(self.config.seed, epoch))
        task.run(GRADIENT, self.drawing, state, line)
        for parameter in self.learned:
            assert parameter.grad is not None
            self.world.sum(parameter.grad)
        step(self.optimizer)
        return float(line[0, 0]) * total

    def logits(self, places: Places) -> Tensor:
        uncounted = np.zeros(len(places), np.float32)
        task = self.rows.task(places, self.y[places], uncounted, self.weights, learns=False)
        state = State(self.weights, self.weights, self.weights)
        _, _, work = task.run(PREDICT, self.config, state, np.zeros((1, 4)), predicts=True)
        return torch.from_numpy(work.logits.reshape(len(places), self.layout.C))

    def publish(self) -> None:
        self.model.load_state_dict(self.layout.unpack(self.weights) | self.constant)


def seed_of(seed: int, epoch: int) -> int:
    """The seed with which the first epoch of a training run drops out what the given one does with `seed`.

    Dropout goes by seed, epoch and node, and a node is in one batch of an epoch.
    """
    with np.errstate(over="ignore"):
        first, wanted = (int(mixed.py_func(np.uint32(number))) for number in (0, epoch - 1))  # type: ignore[attr-defined]
    return seed ^ first ^ wanted


def layout_of(model: LSGNN, config: LSGNNConfig) -> Layout:
    localsim = config.weights == "localsim"
    columns = config.localsim_columns if localsim else 1
    sizes = (model.K, model.hidden_channels, model.in_channels, model.out_channels)
    return Layout(*sizes, localsim, True, 0, config.reduce_norm == "batch", 0, columns)


def affordable_threads(layout: Layout, rows: int) -> int:
    """As many as torch would take, but no more than have enough to do in a batch."""
    cost = 3 * rows * layout.width * layout.d * DENSE_NS
    return max(1, min(torch.get_num_threads(), int(cost / LEAST_NS)))
