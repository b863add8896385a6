"""Both directions as channels of one model: the hops along the edges and those against them, before one output layer.

An experiment, not part of the method: two bodies of LSGNN, one per direction, and a linear map of both representations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lsgnn.config import LSGNNConfig
from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import Split
from lsgnn.nn.model import LSGNN
from lsgnn.nn.rows import Rows, make_rows
from lsgnn.train.loop import train_torch
from lsgnn.train.seeded import seeded
from lsgnn.zoo.lsgnn import MODEL
from lsgnn.zoo.prepared import Prepared


@dataclass(frozen=True)
class BothRows:
    """The rows of the same nodes in each direction."""

    sides: tuple[Rows, ...]

    def select(self, index: Tensor) -> Self:
        return type(self)(tuple(rows.select(index) for rows in self.sides))

    def to(self, device: torch.device | str) -> Self:
        return type(self)(tuple(rows.to(device) for rows in self.sides))


class BothDirections(nn.Module):
    r""":math:`\hat Y = [\mathrm{embed}_{out} \,\|\, \mathrm{embed}_{in}] W`, dropout before W as in LSGNN.

    Args:
        bodies: an LSGNN per direction; their own output layers are not used.
        out_channels: C.
        dropout: before the output layer.
    """

    def __init__(self, bodies: list[LSGNN], out_channels: int, dropout: float) -> None:
        super().__init__()
        width = sum((body.K + 1) * body.hidden_channels for body in bodies)
        for body in bodies:
            body.head = nn.Identity()
        self.bodies, self.dropout = nn.ModuleList(bodies), dropout
        self.head = nn.Linear(width, out_channels)

    def forward(self, rows: BothRows) -> Tensor:
        pairs = zip(self.bodies, rows.sides, strict=True)
        h = torch.cat([body.embed(side) for body, side in pairs], dim=1)  # type: ignore[operator]
        logits: Tensor = self.head(F.dropout(h, self.dropout, self.training))
        return logits


def both_logits(graph: Graph, shared: Prepared, config: LSGNNConfig, split: Split) -> Any:
    """Logits of all nodes [n, C] by one training run; no test label is read."""
    sides = [config.replace(direction=direction) for direction in ("out", "in")]
    rows = BothRows(tuple(make_rows(shared(MODEL, side), side) for side in sides))
    with seeded(config.seed):
        sizes = (graph.num_features, graph.num_classes, graph.num_nodes)
        model = BothDirections([LSGNN.from_config(side, *sizes) for side in sides], graph.num_classes, config.dropout)
        train_torch(model, rows, split.visible(graph.y), split, config)
    with torch.no_grad():
        return model.eval()(rows).numpy()
