"""What is varied in "What makes LocalSim matter": changes of the released configuration, and of one for FSBM graphs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lsgnn.config import LSGNNConfig

_STANDARD = {"localsim_scale": "standard"}
_SMOOTHED = _STANDARD | {"localsim_hops": 2}
_PREDICTED = _STANDARD | {"localsim_space": "predictions"}
_BOTH = {"direction": "both", "localsim_direction": "same"}
_IN = {"direction": "in", "localsim_direction": "same"}
_MAGNITUDE = {"reduce_norm": "batch", "feature_norm": "none", "out_norm": False}
_WIDE = _MAGNITUDE | {"structure_features": "degrees", "hidden_channels": 32, "dropout": 0.9, "lr": 0.01}
_WIDE |= {"weight_decay": 5e-4, "direction": "undirected", "weights": "graph", "select_by": "val_accuracy"}
_NEAR = _MAGNITUDE | {"K": 2, "structure_features": "degrees", "dropout": 0.8, "lr": 0.01, "weight_decay": 5e-4}

VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "released": ("as it is", {}),
    "graph": ("graph-level weights", {"weights": "graph"}),
    "standard": ("standardised", _STANDARD),
    "smoothed": ("standardised, φ averaged twice", _SMOOTHED),
    "degree": ("standardised, φ averaged twice, degree", _SMOOTHED | {"localsim_degree": True}),
    "predictions": ("predictions compared, standardised", _PREDICTED),
    "predictions_smoothed": ("predictions compared, φ averaged twice", _PREDICTED | _SMOOTHED),
    "propagated": ("propagated features compared, standardised", _STANDARD | {"localsim_space": "propagated"}),
    "both": ("both directions, φ averaged twice", _BOTH | _SMOOTHED),
    "both_graph": ("both directions, graph-level weights", _BOTH | {"weights": "graph"}),
    "once": ("standardised, φ averaged once", _STANDARD | {"localsim_hops": 1}),
    "magnitude": ("batch norm", _MAGNITUDE),
    "magnitude_smoothed": ("batch norm, φ averaged twice", _MAGNITUDE | _SMOOTHED),
    "near": ("batch norm, degrees, K = 2, graph-level weights", _NEAR | {"weights": "graph"}),
    "wide": ("batch norm, degrees, z = 32, dropout 0.9, K = 2, undirected, graph-level weights", _WIDE | {"K": 2}),
    "wide_far": ("batch norm, degrees, z = 32, dropout 0.9, K = 4, undirected, graph-level weights", _WIDE | {"K": 4}),
    "near_smoothed": ("batch norm, degrees, K = 2, φ averaged twice", _NEAR | _SMOOTHED),
    "near_in": ("batch norm, degrees, K = 2, φ averaged twice, in-neighbours", _NEAR | _SMOOTHED | _IN),
}
CORE = ("released", "graph", "standard", "smoothed", "degree", "predictions")  # what runs first, everywhere
# not at a tuned configuration
CHANGES_BASE = ("magnitude", "magnitude_smoothed", "near", "wide", "wide_far", "near_smoothed", "near_in")


@dataclass(frozen=True)
class Studied:
    """A graph of the study.

    Args:
        released: splits that the authors' configuration (the package's defaults, where they have none) is run on.
        tuned: splits that the configuration tuned by us is run on; 0 where there is none.
    """

    title: str
    released: int
    tuned: int


# those that take little time first; where a run takes seconds, few splits
DATASETS = {
    "texas": Studied("Texas", 10, 10),
    "wisconsin": Studied("Wisconsin", 10, 10),
    "cornell": Studied("Cornell (2021)", 10, 10),
    "cornell-fixed": Studied("Cornell", 10, 10),
    "chameleon-filtered": Studied("chameleon filtered", 10, 2),
    "chameleon": Studied("Chameleon", 3, 2),
    "cora": Studied("Cora", 3, 1),
    "squirrel-filtered": Studied("squirrel filtered", 3, 1),
    "actor": Studied("Actor", 2, 2),
    "cora-linqs": Studied("Cora (LINQS)", 3, 0),
    "squirrel": Studied("Squirrel", 2, 1),
    "citeseer": Studied("Citeseer", 2, 1),
    "tolokers": Studied("tolokers", 1, 1),
    "debian": Studied("Debian", 1, 0),
    "pubmed": Studied("Pubmed", 1, 0),
    "arxiv-2023": Studied("arxiv 2023", 1, 0),
}


def variant_of(base: str, name: str) -> str:
    """A variant in the names of units: those of tuned configurations say so."""
    return name if base == "released" else f"{base}-{name}"


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
