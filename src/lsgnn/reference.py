"""Opens checkpoints of the authors' released code: their `state_dict` and configuration → logits by our model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from lsgnn.config import LSGNNConfig
from lsgnn.datasets.as_graph import as_graph
from lsgnn.errors import InputError
from lsgnn.nn.model import LSGNN
from lsgnn.nn.rows import make_rows
from lsgnn.propagate.precompute import precompute

# their parameter names → ours; the longest match wins
_NAMES = {
    "reduce_": "reduce.weights.",
    "dist_mlp.": "fusion.weights.localsim.mlp.",
    "alpha_mlp.": "fusion.weights.mlp.",
    "A_mlp.0.": "adjacency.linear.",
    "A_mlp.1.": "adjacency.norm.",
    "out_linear.": "head.",
}


def our_config(settings: Mapping[str, Any]) -> LSGNNConfig:
    """Our settings for a configuration of the released code.

    What it calls `transposed` is out-aggregation; LocalSim there always reads incoming edges, self loops kept;
    `norm2` is a distance, not a similarity. Flags may come as one-element lists (a stray comma of the original).
    """
    get = {key: value[0] if isinstance(value, list | tuple) else value for key, value in settings.items()}.get
    methods = {"cos": "cosine", "norm2": "euclidean"}
    method = str(get("method", "cos"))
    if method not in methods:
        raise InputError(f"method={method!r} is unknown to the released code: it is one of {sorted(methods)}")
    undirected = bool(get("undirected", False))
    ours = dict(
        direction="undirected" if undirected else "out" if get("transposed", False) else "in",
        localsim_direction="undirected" if undirected else "in",
        localsim_self_loops=True,
        propagation="irdc" if get("irdc", True) else "power",
        similarity=methods[method],
        euclid_sign=1,
        K=get("K", 5),
        beta=get("beta", 1.0),
        gamma=get("gamma", 0.5),
        hidden_channels=get("hidden_channels", 16),
        reduce_layers=get("num_reduce_layers", 1),
        dropout=get("dropout", 0.5),
        out_norm=bool(get("out_norm", True)),
        head="mlp" if get("out_mlp", False) else "linear",
        adjacency_embedding=bool(get("A_embed", False)),
    )
    return LSGNNConfig.from_dict(ours)


def our_weights(released: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The released code's parameters under our names."""
    renamed = {}
    for name, tensor in released.items():
        prefix = next((p for p in _NAMES if name.startswith(p)), None)
        if prefix is None:
            raise InputError(f"parameter {name!r} is not one of the released LSGNN: expected {', '.join(_NAMES)}…")
        renamed[_NAMES[prefix] + name.removeprefix(prefix)] = torch.as_tensor(tensor)
    return renamed


@torch.no_grad()
def logits(graph: Any, state_dict: Mapping[str, Tensor], config: Mapping[str, Any]) -> Tensor:
    """Logits [n, C] of a trained model of the released code on `graph`, in evaluation mode."""
    graph, settings, weights = as_graph(graph), our_config(config), our_weights(state_dict)
    model = LSGNN.from_weights(settings, weights, graph.num_nodes)
    out: Tensor = model(make_rows(precompute(graph, settings), settings))
    return out
