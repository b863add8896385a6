"""ASGC: "Simplified Graph Convolution with Heterophily" (Chanpuriya and Musco, NeurIPS 2022).

The filter has a closed form and needs no labels, so `prepare` computes it; what is trained is a linear map.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from lsgnn.graph.graph import Features, Graph
from lsgnn.propagate.column_scale import ColumnScale
from lsgnn.propagate.feature_norm import normalize_features
from lsgnn.propagate.filters import adjacency, normalized_adjacency
from lsgnn.zoo.inputs import BaselineConfig, NodeInputs
from lsgnn.zoo.layers import FeatureLinear
from lsgnn.zoo.protocol import Model

BLOCK = 64  # columns filtered at a time: n × (K+1) × BLOCK numbers are held


@dataclass(frozen=True, kw_only=True)
class ASGCConfig(BaselineConfig):
    """Settings of ASGC; `hidden_channels` plays no part."""

    K: int = 2  # ≥ 1 hops
    ridge: float = 1e6  # R ≥ 0, keeps a column from copying itself
    scale: bool = True  # filtered columns to unit spread, which Adam needs and logistic regression does not

    def __post_init__(self) -> None:
        super().__post_init__()
        self._require("K", self.K >= 1, "at least 1")
        self._require("ridge", self.ridge >= 0, "at least 0")

    @property
    def tied_to_graph(self) -> str:
        return "a filter that is fitted to the columns of its own graph"


def asgc_filter(S: sp.csr_array, x: Features, K: int, ridge: float) -> NDArray[np.float32]:
    r"""Each feature column x, predicted from its own propagated copies

    .. math::
        c = \arg\min_c \Big\|\sum_{k=0}^{K} c_k S^k x - x\Big\|^2 + n R c_0^2, \qquad
        \bar x = \sum_{k=0}^{K} c_k S^k x,

    for all columns: [n, d] → [n, d]. The least squares are solved on unit-length copies, so that the huge R does not
    drown the others; directions that the copies do not span get the smallest coefficients.
    """
    n, d = x.shape
    out = np.empty((n, d), dtype=np.float32)
    for start in range(0, d, BLOCK):
        columns = slice(start, min(start + BLOCK, d))
        first = sp.csr_array(x)[:, columns].toarray() if sp.issparse(x) else np.asarray(x)[:, columns]
        copies = [first.astype(np.float64)]
        for _ in range(K):
            copies.append(S @ copies[-1])
        T = np.stack(copies)  # [K+1, n, c]
        G = np.einsum("inc,jnc->cij", T, T, optimize=True)  # [c, K+1, K+1]
        right = G[:, :, 0].copy()
        G[:, 0, 0] += n * ridge
        size = np.sqrt(np.einsum("cii->ci", G))
        unit = np.divide(1.0, size, out=np.zeros_like(size), where=size > 0)
        inverse = np.linalg.pinv(G * unit[:, :, None] * unit[:, None, :], rcond=1e-12, hermitian=True)
        c = unit * np.einsum("cij,cj->ci", inverse, right * unit)
        out[:, columns] = np.einsum("inc,ci->nc", T, c, optimize=True)
    return out


class ASGC(nn.Module):
    r"""Logistic regression on filtered features, :math:`\hat Y = \bar X W + b`.

    Args:
        in_channels: d.
        out_channels: C.
        dropout: of the filtered features.
    """

    def __init__(self, in_channels: int, out_channels: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.linear = FeatureLinear(in_channels, out_channels)
        self.dropout = dropout

    def reset_parameters(self) -> None:
        self.linear.reset_parameters()

    def forward(self, inputs: NodeInputs) -> Tensor:
        assert isinstance(inputs.x, Tensor)
        logits: Tensor = self.linear(F.dropout(inputs.pick(inputs.x), self.dropout, self.training))
        return logits  # [b, C]


def prepare(graph: Graph, config: ASGCConfig, columns: ColumnScale | None = None) -> NodeInputs:
    A = adjacency(graph, config.direction)
    alone = (np.diff(A.indptr) == 0).astype(np.float32)  # only a node that reads nobody gets a self loop
    S = normalized_adjacency(sp.csr_array(A + sp.diags_array(alone, format="csr")), "plain")
    filtered = asgc_filter(S, normalize_features(graph.x, config.feature_norm, columns), config.K, config.ridge)
    if config.scale:
        spread = filtered.std(axis=0)
        filtered = np.divide(filtered, spread, out=np.zeros_like(filtered), where=spread > 1e-12)
    return NodeInputs(x=torch.from_numpy(filtered))


def build(config: ASGCConfig, graph: Graph, inputs: NodeInputs) -> ASGC:
    return ASGC(inputs.x.shape[1], graph.num_classes, config.dropout)


def space(trial: Any) -> dict[str, Any]:
    return {
        "K": trial.suggest_categorical("K", [1, 2, 4, 8]),
        "ridge": trial.suggest_categorical("ridge", [0.0, 1e-3, 1.0, 1e6]),
        "lr": trial.suggest_float("lr", 1e-3, 0.2, log=True),
        "weight_decay": trial.suggest_float("weight_decay", 1e-6, 1e-1, log=True),
        "dropout": trial.suggest_categorical("dropout", [0.0, 0.5]),
        "feature_norm": trial.suggest_categorical("feature_norm", ["l1", "l2", "standard", "none"]),
    }


MODEL = Model("asgc", "ASGC", ASGCConfig, prepare, build, space)
