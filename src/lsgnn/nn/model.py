"""LSGNN: rows in, logits out."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lsgnn.config import LOCALSIM_INPUTS, Head, LocalSimScale, LSGNNConfig, ReduceInit, ReduceNorm, Weights
from lsgnn.errors import InputError
from lsgnn.nn.channel_norm import make_channel_norm
from lsgnn.nn.fusion import LocalSimFusion, fuse, make_fusion
from lsgnn.nn.rows import Channels, Rows
from lsgnn.nn.sparse import SparseMatrix

KEPT_SIMILARITIES = "fusion.weights.localsim.kept.values"  # in a `state_dict`


class LSGNN(nn.Module):
    r"""Local Similarity Graph Neural Network (Chen et al., IJCAI 2023)

    .. math::
        \hat Y = \big[\tilde H_I \,\|\, Z^{(1)} \,\|\, \dots \,\|\, Z^{(K)}\big] W_{out},

    where :math:`\tilde H_c = \mathrm{ReLU}(\mathrm{norm}(H_c W_c))` reduces each propagated channel
    :math:`H_c \in \{X, H_L^{(k)}, H_H^{(k)}\}` to z columns and :math:`Z^{(k)}` fuses the channels of hop k with
    weights of each node's own (see `lsgnn.nn.fusion`). Rows are independent of each other.

    Args:
        in_channels: d, features per node.
        hidden_channels: z, width of every block.
        out_channels: C, classes.
        K: hops (of rows of both directions: those of either together).
        dropout: applied once, before the output layer.
        weights: what steers the fusion.
        reduce_layers: layers of the reduction; all but the last have width 2z.
        out_norm: scale every block to length one before the output layer.
        head: one linear layer, or Linear → BatchNorm → ReLU → Linear of width 2z.
        adjacency_embedding: append a block learned from the node's own out-links.
        num_nodes: n, needed only by settings that keep something per node.
        reduce_init: Glorot over the stack of matrices (as released) or per matrix.
        reduce_norm: what norm is in the reduction: rows of length one (as released), which hides how large they were,
            columns by their mean and standard deviation over the rows in training (batch norm), or nothing.
        localsim_scale, localsim_hops, localsim_degree, localsim_kept: what the weights read, as in `LocalSimWeights`.

    Shapes:
        - input: `Rows` of b nodes, made by `lsgnn.nn.rows.make_rows` or the PyG transform `LSGNNPrecompute`
        - output: logits [b, C]
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        K: int = 5,
        dropout: float = 0.5,
        weights: Weights = "localsim",
        reduce_layers: int = 1,
        out_norm: bool = True,
        head: Head = "linear",
        adjacency_embedding: bool = False,
        num_nodes: int | None = None,
        reduce_init: ReduceInit = "stacked",
        reduce_norm: ReduceNorm = "row",
        localsim_scale: LocalSimScale = "none",
        localsim_hops: int = 0,
        localsim_degree: bool = False,
        localsim_kept: int = 0,
    ) -> None:
        super().__init__()
        if adjacency_embedding and num_nodes is None:
            raise InputError("adjacency_embedding=True learns a vector per node: pass num_nodes")
        self.in_channels, self.hidden_channels, self.out_channels = in_channels, hidden_channels, out_channels
        self.K, self.out_norm, self.dropout = K, out_norm, dropout
        z, blocks = hidden_channels, K + 1 + adjacency_embedding
        self.reduce = ChannelReduction(2 * K + 1, in_channels, z, reduce_layers, reduce_init, reduce_norm)
        reads = dict(scale=localsim_scale, hops=localsim_hops, degree=localsim_degree, kept=localsim_kept)
        self.fusion = make_fusion(weights, K, z, num_nodes, **reads)
        self.adjacency = AdjacencyEmbedding(num_nodes, z) if adjacency_embedding and num_nodes else None
        self.head = output_layer(head, blocks * z, 2 * z, out_channels)

    @classmethod
    def from_config(
        cls, config: LSGNNConfig, in_channels: int, out_channels: int, num_nodes: int, localsim_kept: int = 0
    ) -> LSGNN:
        return cls(
            in_channels,
            config.hidden_channels,
            out_channels,
            K=config.num_hops,
            dropout=config.dropout,
            weights=config.weights,
            reduce_layers=config.reduce_layers,
            out_norm=config.out_norm,
            head=config.head,
            adjacency_embedding=config.adjacency_embedding,
            num_nodes=num_nodes,
            reduce_init=config.reduce_init,
            reduce_norm=config.reduce_norm,
            localsim_kept=localsim_kept,
            **{name: getattr(config, name) for name in LOCALSIM_INPUTS},
        )

    @classmethod
    def from_weights(cls, config: LSGNNConfig, state_dict: Mapping[str, Tensor], num_nodes: int) -> LSGNN:
        """A trained model in evaluation mode; draws no random numbers, because every weight is given."""
        in_channels = state_dict["reduce.weights.0"].shape[1]
        out_channels = state_dict["head.3.bias" if config.head == "mlp" else "head.bias"].shape[0]
        with torch.device("meta"):
            kept = len(state_dict[KEPT_SIMILARITIES]) if KEPT_SIMILARITIES in state_dict else 0
            model = cls.from_config(config, in_channels, out_channels, num_nodes, kept)
        model.load_state_dict(state_dict, assign=True)
        return model.eval()

    def reset_parameters(self) -> None:
        for module in self.modules():
            if module is not self and callable(reset := getattr(module, "reset_parameters", None)):
                reset()

    def set_scales(self, similarity: tuple[float, float], log_degree: tuple[float, float]) -> None:
        """Before training: mean and standard deviation of similarities and log degrees, where they are standardised."""
        if isinstance(self.fusion, LocalSimFusion):
            self.fusion.weights.set_scales(similarity, log_degree)

    def keep_similarities(self, similarities: Tensor) -> None:
        """Before training: what LocalSim reads in place of the similarities of features."""
        assert isinstance(self.fusion, LocalSimFusion)
        self.fusion.weights.keep(similarities)

    def embed(self, rows: Rows) -> Tensor:
        """The final representation of each node, [b, (K+1)·z] (one block more with the adjacency embedding)."""
        reduced = self.reduce(rows.channels)  # [2K+1, b, z]
        alpha = self.fusion(rows, reduced[0])  # [b, K, 3]
        blocks = fuse(reduced, alpha)  # [b, K+1, z]
        if self.adjacency is not None:
            if rows.links is None:
                raise InputError("the rows hold no links to embed: precompute them with adjacency_embedding=True")
            links = rows.pick(self.adjacency(rows.links))
            blocks = torch.cat([blocks, links.unsqueeze(1)], dim=1)
        if self.out_norm:
            blocks = F.normalize(blocks, dim=-1)
        return blocks.flatten(1)

    def forward(self, rows: Rows) -> Tensor:
        h = F.dropout(self.embed(rows), self.dropout, self.training)
        logits: Tensor = self.head(h)
        return logits

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.in_channels}, {self.hidden_channels}, {self.out_channels}, K={self.K})"


class ChannelReduction(nn.Module):
    r""":math:`\tilde H_c = \mathrm{ReLU}(\mathrm{norm}(H_c W_c))`, one matrix per channel and layer, no bias."""

    def __init__(
        self, num_channels: int, in_channels: int, z: int, num_layers: int, init: ReduceInit, norm: ReduceNorm
    ) -> None:
        super().__init__()
        widths = [in_channels] + [2 * z] * (num_layers - 1) + [z]
        self.weights = nn.ParameterList(torch.empty(num_channels, d, width) for d, width in pairwise(widths))
        self.norms = nn.ModuleList(make_channel_norm(norm, num_channels, width) for width in widths[1:])
        self.init = init
        self.reset_parameters()

    def reset_parameters(self) -> None:
        for weight in self.weights:
            c, d, z = weight.shape
            fan = z * (d + c) if self.init == "stacked" else d + z  # torch counts the fans of a 3-D tensor this way
            bound = math.sqrt(6.0 / fan)
            nn.init.uniform_(weight, -bound, bound)

    def forward(self, channels: Channels) -> Tensor:
        h = F.relu(self.norms[0](channels.project(self.weights[0])))
        for weight, norm in zip(self.weights[1:], self.norms[1:], strict=True):
            h = F.relu(norm(h @ weight))
        return h  # [2K+1, b, z]


class AdjacencyEmbedding(nn.Module):
    """A block learned from the node's own row of the adjacency matrix, as LINKX does: ReLU(BN(A W + b))."""

    def __init__(self, num_nodes: int, hidden_channels: int) -> None:
        super().__init__()
        self.linear = nn.Linear(num_nodes, hidden_channels)
        self.norm = nn.BatchNorm1d(hidden_channels)

    def forward(self, links: SparseMatrix) -> Tensor:
        return F.relu(self.norm(links @ self.linear.weight.t() + self.linear.bias))


def output_layer(kind: Head, in_channels: int, hidden_channels: int, out_channels: int) -> nn.Module:
    if kind == "linear":
        return nn.Linear(in_channels, out_channels)
    return nn.Sequential(
        nn.Linear(in_channels, hidden_channels),
        nn.BatchNorm1d(hidden_channels),
        nn.ReLU(),
        nn.Linear(hidden_channels, out_channels),
    )
