"""H2GCN: "Beyond Homophily in Graph Neural Networks" (Zhu et al., NeurIPS 2020).

Against the official code: in nothing but the trainer, which stops 300 epochs after the last gain. `weights="localsim"`
is not of the original: the LSGNN paper says that weights are replaced, but H2GCN has none, so its blocks are scaled and
its classifier stays.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lsgnn.graph.graph import Graph
from lsgnn.nn.sparse import SparseMatrix
from lsgnn.propagate.column_scale import ColumnScale
from lsgnn.propagate.filters import adjacency, normalized_adjacency
from lsgnn.zoo.inputs import features
from lsgnn.zoo.layers import FeatureLinear, decay_only
from lsgnn.zoo.plugin import HostWeights, LocalSimInit, PluginConfig, PluginInputs, host_localsim, host_neighbours
from lsgnn.zoo.protocol import Model

Granularity = Literal["round", "hop"]


@dataclass(frozen=True, kw_only=True)
class H2GCNConfig(PluginConfig):
    """Settings of H2GCN."""

    K: int = 1  # ≥ 1 rounds; the width doubles with each
    relu: bool = True  # of the embedding
    granularity: Granularity = "round"  # LocalSim weights per round (K+1) or per round and hop (2K+1)
    weight_decay: float = 1e-3  # the paper's L2 of 5e-4 in Keras, which has no ½ in it

    def __post_init__(self) -> None:
        super().__post_init__()
        self._require("K", self.K >= 1, "at least 1")


@dataclass(frozen=True, kw_only=True)
class H2GCNInputs(PluginInputs):
    """`adj` is Ā1, of neighbours without the node itself."""

    two_hop: SparseMatrix  # Ā2 [n, n]


class H2GCN(nn.Module):
    r"""Ego and neighbours kept apart, two hops, all rounds side by side

    .. math::
        r_0 = \mathrm{ReLU}(X W_e), \qquad r_k = [\bar A_1 r_{k-1} \,\|\, \bar A_2 r_{k-1}], \qquad
        \hat Y = [r_0 \,\|\, r_1 \,\|\, \dots \,\|\, r_K] W_c = \textstyle\sum_k r_k W_c^{(k)};

    with `weights="localsim"`, node i scales its block :math:`r_k` by :math:`\alpha_k(i)`. No biases.

    Args:
        in_channels: d.
        hidden_channels: z.
        out_channels: C.
        K: rounds.
        dropout: before the output layer.
        relu: False leaves the embedding linear.
        weights: "localsim" adds LocalSim's weights, which have no weight decay.
        localsim_init: where they start.
        granularity: one weight per round, or one for each of its two halves.
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        K: int = 1,
        dropout: float = 0.5,
        relu: bool = True,
        weights: HostWeights = "original",
        localsim_init: LocalSimInit = "host",
        granularity: Granularity = "round",
    ) -> None:
        super().__init__()
        self.embed = FeatureLinear(in_channels, hidden_channels, bias=False)
        widths = [hidden_channels * 2**k for k in range(K + 1)]
        # one matrix, so that its Glorot bound is that of the whole layer
        self.classify = FeatureLinear(sum(widths), out_channels, bias=False)
        ones = [1.0] * (K + 1 if granularity == "round" else 2 * K + 1)
        self.localsim = host_localsim(ones, hidden_channels, localsim_init) if weights == "localsim" else None
        self.widths, self.dropout, self.relu, self.granularity = widths, dropout, relu, granularity

    def parameter_groups(self, weight_decay: float) -> list[dict[str, Any]]:
        return decay_only(self, [self.embed.weight, self.classify.weight], weight_decay)

    def forward(self, inputs: H2GCNInputs) -> Tensor:
        r = self.embed(inputs.x)  # [n, z]
        r = F.relu(r) if self.relu else r
        alpha = None if self.localsim is None else self.localsim(inputs.neighbours)
        wide = self.training and self.dropout > 0
        return self._by_representation(r, alpha, inputs) if wide else self._by_class(r, alpha, inputs)

    def _by_representation(self, r: Tensor, alpha: Tensor | None, inputs: H2GCNInputs) -> Tensor:
        """As the paper writes it: dropout needs the representation itself."""
        halves = [inputs.pick(r)]
        for _ in self.widths[1:]:
            near, far = inputs.adj @ r, inputs.two_hop @ r
            halves += [inputs.pick(near), inputs.pick(far)]
            r = torch.cat([near, far], dim=1)
        if alpha is not None:
            halves = [a * half for a, half in zip(self._per_half(inputs.pick(alpha)), halves, strict=True)]
        logits: Tensor = self.classify(F.dropout(torch.cat(halves, dim=1), self.dropout, self.training))
        return logits  # [b, C]

    def _by_class(self, r: Tensor, alpha: Tensor | None, inputs: H2GCNInputs) -> Tensor:
        """The same where nothing is dropped, at a fraction of the cost: (Ā r) W = Ā (r W), and r W has C columns."""
        first, *others = torch.split(self.classify.weight, self.widths)
        terms = [r @ first]
        for weight in others:
            near, far = weight.chunk(2)
            terms += [inputs.adj @ _times(r, near, inputs), inputs.two_hop @ _times(r, far, inputs)]
        if alpha is not None:
            terms = [a * term for a, term in zip(self._per_half(alpha), terms, strict=True)]
        return inputs.pick(torch.stack(terms).sum(dim=0))

    def _per_half(self, alpha: Tensor) -> list[Tensor]:
        """α [b, m] → a column [b, 1] for r_0 and for each half of the later rounds."""
        columns = list(torch.split(alpha, 1, dim=1))
        if self.granularity == "hop":
            return columns
        return columns[:1] + [column for column in columns[1:] for _ in range(2)]


def _times(r: Tensor, weight: Tensor, inputs: H2GCNInputs) -> Tensor:
    """r_k W [n, m] from r_0 = r alone; the number of rows of W says which k it is."""
    if len(weight) == r.shape[1]:
        return r @ weight
    m = weight.shape[1]
    both = _times(r, torch.cat(weight.chunk(2), dim=1), inputs)  # [n, 2m]
    return inputs.adj @ both[:, :m] + inputs.two_hop @ both[:, m:]


def two_hop_adjacency(A: sp.csr_array) -> sp.csr_array:
    """1 where j is exactly two steps from i: reached in two, not in one, and not i itself."""
    A = sp.csr_array((np.ones_like(A.data), A.indices, A.indptr), shape=A.shape)
    reached = sp.coo_array(A @ A)
    reached = sp.csr_array((np.ones_like(reached.data), (reached.row, reached.col)), shape=A.shape)
    exact = sp.coo_array(reached - reached.multiply(A))
    keep = (exact.data > 0) & (exact.row != exact.col)
    return sp.csr_array((exact.data[keep], (exact.row[keep], exact.col[keep])), shape=A.shape)


def prepare(graph: Graph, config: H2GCNConfig, columns: ColumnScale | None = None) -> H2GCNInputs:
    A = adjacency(graph, config.direction)
    near, far = (normalized_adjacency(M, "plain") for M in (A, two_hop_adjacency(A)))
    return H2GCNInputs(
        x=features(graph, config.feature_norm, columns),
        adj=SparseMatrix.of(near),
        two_hop=SparseMatrix.of(far),
        neighbours=host_neighbours(graph, config, columns),
    )


def build(config: H2GCNConfig, graph: Graph, inputs: H2GCNInputs) -> H2GCN:
    return H2GCN(
        inputs.x.shape[1],
        config.hidden_channels,
        graph.num_classes,
        config.K,
        config.dropout,
        config.relu,
        config.weights,
        config.localsim_init,
        config.granularity,
    )


def space(trial: Any) -> dict[str, Any]:
    return {
        "K": trial.suggest_categorical("K", [1, 2]),
        "relu": trial.suggest_categorical("relu", [True, False]),
        "dropout": trial.suggest_categorical("dropout", [0.0, 0.5]),
        "weight_decay": trial.suggest_categorical("weight_decay", [1e-3, 2e-5]),
        "lr": trial.suggest_categorical("lr", [0.01, 0.05]),
    }


MODEL = Model("h2gcn", "H2GCN", H2GCNConfig, prepare, build, space)
