"""GAT: "Graph Attention Networks" (Veličković et al., ICLR 2018), over PyG's `GATConv`.

Against the official code: the messages themselves are not dropped, as PyG's layer has it; only the inputs of both
layers and the attention are. Otherwise in nothing but the trainer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn
from torch.nn import functional as F
from torch_geometric.nn import GATConv
from torch_geometric.utils import add_self_loops

from lsgnn.graph.graph import Graph
from lsgnn.propagate.column_scale import ColumnScale
from lsgnn.zoo.inputs import BaselineConfig, NodeInputs, features, message_edges
from lsgnn.zoo.layers import FeatureLinear, drop
from lsgnn.zoo.protocol import Model


@dataclass(frozen=True, kw_only=True)
class GATConfig(BaselineConfig):
    """Settings of GAT; `hidden_channels` is the width of one head."""

    hidden_channels: int = 8
    heads: int = 8  # ≥ 1
    out_heads: int = 1  # ≥ 1, averaged
    dropout: float = 0.6
    lr: float = 0.005

    def __post_init__(self) -> None:
        super().__post_init__()
        for field in ("heads", "out_heads"):
            self._require(field, getattr(self, field) >= 1, "at least 1")


@dataclass(frozen=True, kw_only=True)
class EdgeInputs(NodeInputs):
    """Features and the edges that messages follow."""

    edge_index: Tensor  # [2, E], source → target


class GAT(nn.Module):
    r"""Graph attention network of two layers, each

    .. math::
        h_i' = \sum_{j \in N_i \cup \{i\}} \alpha_{ij} W h_j, \qquad
        \alpha_{ij} = \mathrm{softmax}_j\, \mathrm{LeakyReLU}_{0.2}(a_d^\top W h_i + a_s^\top W h_j),

    the first with heads side by side and ELU, the second with heads averaged.

    Args:
        in_channels: d.
        hidden_channels: width of each head of the first layer.
        out_channels: C.
        heads: heads of the first layer.
        out_heads: heads of the second.
        dropout: of the inputs of both layers and of the attention.
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        heads: int = 8,
        out_heads: int = 1,
        dropout: float = 0.6,
    ) -> None:
        super().__init__()
        width = heads * hidden_channels
        self.linear = FeatureLinear(in_channels, width, bias=False)
        self.attend = GATConv(width, hidden_channels, heads, dropout=dropout, add_self_loops=False)
        self.attend.lin = nn.Identity()  # PyG's own cannot read sparse features; `linear` stands in for it
        self.out = GATConv(width, out_channels, out_heads, concat=False, dropout=dropout, add_self_loops=False)
        self.dropout = dropout

    def forward(self, inputs: EdgeInputs) -> Tensor:
        h = self.linear(drop(inputs.x, self.dropout, self.training))
        h = F.elu(self.attend(h, inputs.edge_index))  # [n, heads·z]
        h = self.out(F.dropout(h, self.dropout, self.training), inputs.edge_index)
        return inputs.pick(h)  # [b, C]


def prepare(graph: Graph, config: GATConfig, columns: ColumnScale | None = None) -> EdgeInputs:
    edge_index, _ = add_self_loops(message_edges(graph, config.direction), num_nodes=graph.num_nodes)
    return EdgeInputs(x=features(graph, config.feature_norm, columns), edge_index=edge_index)


def build(config: GATConfig, graph: Graph, inputs: EdgeInputs) -> GAT:
    return GAT(
        inputs.x.shape[1],
        config.hidden_channels,
        graph.num_classes,
        config.heads,
        config.out_heads,
        config.dropout,
    )


def space(trial: Any) -> dict[str, Any]:
    return {
        "lr": trial.suggest_categorical("lr", [0.002, 0.005, 0.01]),
        "weight_decay": trial.suggest_float("weight_decay", 1e-6, 1e-2, log=True),
        "dropout": trial.suggest_categorical("dropout", [0.2, 0.4, 0.6, 0.8]),
        "heads": trial.suggest_categorical("heads", [4, 8]),
    }


MODEL = Model("gat", "GAT", GATConfig, prepare, build, space)
