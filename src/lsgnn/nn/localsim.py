"""LocalSim, learned: the refined version (equation 7) and the node weights it yields (equation 8)."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor, nn

from lsgnn.config import LocalSimScale, Similarity
from lsgnn.errors import InputError
from lsgnn.nn.rows import Neighbours, Rows
from lsgnn.propagate.feature_norm import normalize_features
from lsgnn.propagate.similarity import NeighbourSimilarity, edge_similarity, smoothing_matrix


def two_layer_perceptron(in_channels: int, hidden_channels: int, out_channels: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(in_channels, hidden_channels), nn.SiLU(), nn.Linear(hidden_channels, out_channels))


def with_square(values: Tensor) -> Tensor:
    """[v, v²] [b, 2] of values [b]; of several columns [b, m], one pair after the other [b, 2m]."""
    pairs = torch.stack([values, values**2], dim=-1)
    return pairs if values.dim() == 1 else pairs.flatten(1)


class Standardized(nn.Module):
    """Numbers by a mean and a standard deviation that were measured once, on the graph that is trained on, and are kept
    with the weights."""

    def __init__(self) -> None:
        super().__init__()
        self.scale: Tensor
        self.register_buffer("scale", torch.tensor([0.0, 1.0]))

    def set(self, mean_and_std: tuple[float, float]) -> None:
        self.scale.copy_(torch.tensor(mean_and_std))

    def forward(self, values: Tensor) -> Tensor:
        return (values - self.scale[0]) / self.scale[1]


class KeptSimilarities(nn.Module):
    """Similarities of a graph's own edges that are not those of features: kept with the weights [E]."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.values: Tensor
        self.register_buffer("values", torch.zeros(count))


def read(neighbours: Neighbours, kept: KeptSimilarities | None) -> Tensor:
    """The similarities that LocalSim reads: those of the rows, or the model's own in their place."""
    if kept is None:
        return neighbours.values
    if len(kept.values) != len(neighbours.values):
        raise InputError("the model keeps the similarities of its own edges: it cannot read another graph")
    return kept.values


class RefinedLocalSim(nn.Module):
    r"""The refined local similarity of a node to its neighbours

    .. math::
        \varphi_i = \frac{1}{|N_i|} \sum_{j \in N_i} \mathrm{MLP}_{ls}([d_{ij}, d_{ij}^2]),

    exact, and 0 for a node without neighbours. The MLP runs once per distinct similarity.

    Args:
        hidden_channels: width of :math:`\mathrm{MLP}_{ls}`.
        scale: `standard` for similarities with mean 0 and standard deviation 1. On most graphs they lie in a narrow
            band far from 0, where the MLP starts nearly constant and some seeds never recover.
        kept: number of similarities that the model keeps itself (`KeptSimilarities`).
    """

    def __init__(self, hidden_channels: int, scale: LocalSimScale = "none", kept: int = 0) -> None:
        super().__init__()
        self.standardized = Standardized() if scale == "standard" else nn.Identity()
        self.kept = KeptSimilarities(kept) if kept else None
        self.mlp = two_layer_perceptron(2, hidden_channels, 1)

    def forward(self, neighbours: Neighbours) -> Tensor:
        """[U] distinct similarities → [n]."""
        return neighbours.mean(self.mlp(with_square(self.standardized(read(neighbours, self.kept)))).squeeze(-1))


class NaiveLocalSim(nn.Module):
    r"""The plain mean :math:`\phi_i = \frac{1}{|N_i|} \sum_j d_{ij}`; nothing to learn."""

    def __init__(self, scale: LocalSimScale = "none", kept: int = 0) -> None:
        super().__init__()
        self.standardized = Standardized() if scale == "standard" else nn.Identity()
        self.kept = KeptSimilarities(kept) if kept else None

    def forward(self, neighbours: Neighbours) -> Tensor:
        return neighbours.mean(self.standardized(read(neighbours, self.kept)))


class LocalSimWeights(nn.Module):
    r"""Node-level fusion weights from local similarity, for any GNN that mixes several representations of a node

    .. math::
        \alpha_i = \mathrm{MLP}_\alpha([\varphi_i, \varphi_i^2]) \in \mathbb R^m.

    Weights are unbounded: no softmax, so that a weight may be negative. To give a GNN of your own node-level weights,
    build `neighbours_of` your graph once and weigh what it used to add up::

        class TwoHops(torch.nn.Module):
            def __init__(self, in_channels, out_channels):
                super().__init__()
                self.linear = torch.nn.Linear(in_channels, out_channels)
                self.conv = SimpleConv(aggr="mean")
                self.weights = LocalSimWeights(num_weights=3, hidden_channels=16)

            def forward(self, x, edge_index, neighbours):
                h0 = self.linear(x)
                h1 = self.conv(h0, edge_index)
                h2 = self.conv(h1, edge_index)
                alpha = self.weights(neighbours)  # [n, 3]
                return (torch.stack([h0, h1, h2], dim=-1) * alpha.unsqueeze(1)).sum(dim=-1)

        neighbours = neighbours_of(data.x, data.edge_index)  # once, before training

    Args:
        num_weights: m, how many weights each node needs (one per representation).
        hidden_channels: width of both perceptrons.
        refined: False for the naive LocalSim.
        scale: `standard` for similarities on one scale, which `set_scales` measures.
        hops: φ is also read as averaged over the node and its neighbours, once or twice: φ of one node is mostly noise.
        degree: True to read the node's standardised log degree as well.
        kept: number of similarities that the model keeps itself, in place of those of the rows.
    """

    def __init__(
        self,
        num_weights: int,
        hidden_channels: int,
        refined: bool = True,
        scale: LocalSimScale = "none",
        hops: int = 0,
        degree: bool = False,
        kept: int = 0,
    ) -> None:
        super().__init__()
        self.hops = hops
        self.localsim = RefinedLocalSim(hidden_channels, scale, kept) if refined else NaiveLocalSim(scale, kept)
        self.degree = Standardized() if degree else None
        self.mlp = two_layer_perceptron(2 * (1 + hops + degree), hidden_channels, num_weights)

    @torch.no_grad()
    def set_scales(self, similarity: tuple[float, float], log_degree: tuple[float, float]) -> None:
        """Mean and standard deviation of the graph that is trained on, where they are used."""
        if isinstance(self.localsim.standardized, Standardized):
            self.localsim.standardized.set(similarity)
        if self.degree is not None:
            self.degree.set(log_degree)

    @torch.no_grad()
    def keep(self, similarities: Tensor) -> None:
        """The similarities [E] to read in place of those of the rows."""
        assert self.localsim.kept is not None
        self.localsim.kept.values.copy_(similarities)

    @torch.no_grad()
    def start_at(self, weights: Tensor, scale: float = 0.1) -> None:
        """Starts near weights [m] that are the same for all nodes, such as those of the model it is put into.

        They become the last bias, and `scale` shrinks what LocalSim adds to them at first.
        """
        last = self.mlp[-1]
        assert isinstance(last, nn.Linear)
        last.weight.mul_(scale)
        last.bias.copy_(weights)

    def forward(self, rows: Rows | Neighbours) -> Tensor:
        """→ [b, m] at the given rows (all nodes, if given only their neighbours)."""
        columns = self.columns(rows) if isinstance(rows, Neighbours) else rows.pick(self.columns(rows.neighbours))
        weights: Tensor = self.mlp(with_square(columns))
        return weights

    def columns(self, neighbours: Neighbours) -> Tensor:
        """What the weights of all nodes are made of: φ, φ averaged once and twice, the log degree [n, 1 to 4]."""
        found = [self.localsim(neighbours)]
        for _ in range(self.hops):
            found.append(neighbours.smoothed(found[-1]))
        if self.degree is not None:
            found.append(self.degree(neighbours.log_degree))
        return torch.stack(found, dim=1)


def neighbours_of(
    x: Tensor, edge_index: Tensor, similarity: Similarity = "cosine", smoothing: bool = False
) -> Neighbours:
    """The similarities that `LocalSimWeights` reads, for users of PyG: computed once, without gradients.

    Node i's neighbours are the sources of the edges into i, as PyG's messages flow; self loops do not count, repeated
    edges count once. Features are scaled to length one first, as LSGNN does.

    Args:
        x: features [n, d].
        edge_index: edges [2, E], row 0 the source, row 1 the target.
        similarity: `cosine`, `euclidean` (minus the distance) or `squared` (minus its square).
        smoothing: True for `LocalSimWeights` with `hops`.
    """
    n = x.shape[0]
    source, target = edge_index.detach().cpu().numpy()
    keep = source != target
    places = (target[keep], source[keep])
    neighbours = sp.csr_array((np.ones(len(places[0]), np.float32), places), shape=(n, n))  # row i reads its columns
    neighbours.data[:] = 1
    pairs = np.stack([np.repeat(np.arange(n), np.diff(neighbours.indptr)), neighbours.indices])
    scaled = normalize_features(x.detach().cpu().float().numpy(), "l2")
    values = edge_similarity(scaled, pairs, similarity)
    averages = smoothing_matrix(neighbours) if smoothing else None
    return Neighbours.of(NeighbourSimilarity.of(neighbours, values), averages).to(x.device)
