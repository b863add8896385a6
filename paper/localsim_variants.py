"""What is varied in "What makes LocalSim matter": changes of the released configuration, and of one for FSBM graphs."""

from __future__ import annotations

from typing import Any

from lsgnn.config import LSGNNConfig

_STANDARD = {"localsim_scale": "standard"}
_SMOOTHED = _STANDARD | {"localsim_hops": 2}
_MAGNITUDE = {"reduce_norm": "batch", "feature_norm": "none", "out_norm": False}
_NEAR = _MAGNITUDE | {"K": 2, "structure_features": "degrees", "dropout": 0.8, "lr": 0.01, "weight_decay": 5e-4}

VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "released": ("as released", {}),
    "graph": ("graph-level weights, no LocalSim", {"weights": "graph"}),
    "standard": ("standardised similarities", _STANDARD),
    "once": ("standardised, φ averaged once", _STANDARD | {"localsim_hops": 1}),
    "smoothed": ("standardised, φ averaged twice", _SMOOTHED),
    "degree": ("standardised, φ averaged twice, degree beside φ", _SMOOTHED | {"localsim_degree": True}),
    "magnitude": ("batch norm, unscaled rows", _MAGNITUDE),
    "magnitude_smoothed": ("batch norm, unscaled rows; standardised, averaged twice", _MAGNITUDE | _SMOOTHED),
    "near": ("batch norm, unscaled rows, degrees, K = 2, dropout 0.8", _NEAR | {"weights": "graph"}),
    "near_smoothed": ("the same; standardised, averaged twice", _NEAR | _SMOOTHED),
    "near_in": ("the same over in-neighbours", _NEAR | _SMOOTHED | {"direction": "in", "localsim_direction": "same"}),
}
DATASETS = {
    "squirrel": "Squirrel",
    "chameleon": "Chameleon",
    "squirrel-filtered": "squirrel filtered",
    "chameleon-filtered": "chameleon filtered",
    "cora": "Cora",
    "citeseer": "Citeseer",
    "actor": "Actor",
    "texas": "Texas",
    "wisconsin": "Wisconsin",
    "cornell-fixed": "Cornell",
}

# features of one column: rows of length one would leave its sign alone
FSBM = LSGNNConfig(
    feature_norm="none",
    similarity="squared",
    filter="self_loop",
    K=1,
    reduce_norm="batch",
    out_norm=False,
    dropout=0.0,
    weight_decay=0.0,
    epochs=300,
)
FSBM_VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "graph": ("graph-level weights, no LocalSim", {"weights": "graph"}),
    "plain": ("LocalSim of the node", {}),
    "standard": ("standardised similarities", _STANDARD),
    "once": ("standardised, φ averaged once", _STANDARD | {"localsim_hops": 1}),
    "smoothed": ("standardised, φ averaged twice", _SMOOTHED),
    "graph_two_hops": ("K = 2: graph-level weights", {"weights": "graph", "K": 2}),
    "smoothed_two_hops": ("K = 2: standardised, φ averaged twice", _SMOOTHED | {"K": 2}),
}
