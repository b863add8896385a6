r"""GCN for the depth experiment: the zoo's, with the biases that PyG's layers have.

.. math:: H^{(l)} = \mathrm{ReLU}(\hat P H^{(l-1)} W_l + b_l)

Without them (as in the original code, meant for two layers) the signal of a deep stack shrinks below what Adam can see,
and 64 layers answer with the class that rounding favours: an artefact of initialisation that is not over-smoothing.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lsgnn.graph.graph import Graph
from lsgnn.nn.sparse import SparseMatrix
from lsgnn.zoo.gcn import GCN, GCNConfig, space
from lsgnn.zoo.inputs import AdjacencyInputs, gcn_inputs
from lsgnn.zoo.layers import drop
from lsgnn.zoo.protocol import Model


class DeepGCN(GCN):
    """GCN with a bias after every propagation, zero at first."""

    def __init__(
        self, in_channels: int, hidden_channels: int, out_channels: int, num_layers: int, dropout: float
    ) -> None:
        super().__init__(in_channels, hidden_channels, out_channels, num_layers, dropout)
        widths = [*[hidden_channels] * (num_layers - 1), out_channels]
        self.biases = nn.ParameterList(torch.zeros(width) for width in widths)

    def forward(self, inputs: AdjacencyInputs) -> Tensor:
        h: SparseMatrix | Tensor = inputs.x
        for layer, bias in zip(self.layers, self.biases, strict=True):
            out = inputs.adj @ layer(drop(h, self.dropout, self.training)) + bias
            h = F.relu(out)
        return inputs.pick(out)


def build(config: GCNConfig, graph: Graph, inputs: AdjacencyInputs) -> DeepGCN:
    return DeepGCN(inputs.x.shape[1], config.hidden_channels, graph.num_classes, config.num_layers, config.dropout)


MODEL = Model("deep_gcn", "GCN", GCNConfig, gcn_inputs, build, space)
