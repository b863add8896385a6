"""LocalSim, learned: the refined version (equation 7) and the node weights it yields (equation 8)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from lsgnn.nn.rows import Neighbours, Rows


def two_layer_perceptron(in_channels: int, hidden_channels: int, out_channels: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(in_channels, hidden_channels), nn.SiLU(), nn.Linear(hidden_channels, out_channels))


def with_square(values: Tensor) -> Tensor:
    """[v, v²] [b, 2] of values [b]."""
    return torch.stack([values, values**2], dim=-1)


class RefinedLocalSim(nn.Module):
    r"""The refined local similarity of a node to its neighbours

    .. math::
        \varphi_i = \frac{1}{|N_i|} \sum_{j \in N_i} \mathrm{MLP}_{ls}([d_{ij}, d_{ij}^2]),

    exact, and 0 for a node without neighbours. The MLP runs once per distinct similarity.

    Args:
        hidden_channels: width of :math:`\mathrm{MLP}_{ls}`.
    """

    def __init__(self, hidden_channels: int) -> None:
        super().__init__()
        self.mlp = two_layer_perceptron(2, hidden_channels, 1)

    def forward(self, neighbours: Neighbours) -> Tensor:
        """[U] distinct similarities → [n]."""
        return neighbours.mean(self.mlp(with_square(neighbours.values)).squeeze(-1))


class NaiveLocalSim(nn.Module):
    r"""The plain mean :math:`\phi_i = \frac{1}{|N_i|} \sum_j d_{ij}`; nothing to learn."""

    def forward(self, neighbours: Neighbours) -> Tensor:
        return neighbours.mean(neighbours.values)


class LocalSimWeights(nn.Module):
    r"""Node-level fusion weights from local similarity, for any GNN that mixes several representations of a node

    .. math::
        \alpha_i = \mathrm{MLP}_\alpha([\varphi_i, \varphi_i^2]) \in \mathbb R^m.

    Weights are unbounded: no softmax, so that a weight may be negative.

    Args:
        num_weights: m, how many weights each node needs (one per representation).
        hidden_channels: width of both perceptrons.
        refined: False for the naive LocalSim.
    """

    def __init__(self, num_weights: int, hidden_channels: int, refined: bool = True) -> None:
        super().__init__()
        self.localsim = RefinedLocalSim(hidden_channels) if refined else NaiveLocalSim()
        self.mlp = two_layer_perceptron(2, hidden_channels, num_weights)

    def forward(self, rows: Rows | Neighbours) -> Tensor:
        """→ [b, m] at the given rows (all nodes, if given only their neighbours)."""
        if isinstance(rows, Neighbours):
            phi = self.localsim(rows)
        else:
            phi = rows.pick(self.localsim(rows.neighbours))
        weights: Tensor = self.mlp(with_square(phi))
        return weights
