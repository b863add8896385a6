"""The variants of the ablation: the paper's cumulative rows, and what the paper leaves out, as changes of settings."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from lsgnn.config import LSGNNConfig
from paper.graphs import released_config

_BASELINE: dict[str, Any] = {"weights": "graph", "filter": "self_loop", "propagation": "power"}
CUMULATIVE: dict[str, tuple[str, dict[str, Any]]] = {
    "baseline": ("Baseline: graph-level α, self loops, powers", _BASELINE),
    "rand_node": ("Rand as a map of the node's own representation", _BASELINE | {"weights": "node"}),
    "rand_free": ("Rand as free weights of every node", _BASELINE | {"weights": "free"}),
    "rand_random": ("Rand as MLP of a random number per node", _BASELINE | {"weights": "random"}),
    "localsim": ("LocalSim instead", _BASELINE | {"weights": "localsim"}),
    "weighted_self_loops": ("+ weighted self loops", {"propagation": "power"}),
    "lsgnn": ("+ IRDC = LSGNN", {}),
}
EXTRA: dict[str, tuple[str, dict[str, Any]]] = {
    "graph_weights": ("graph-level α", {"weights": "graph"}),
    "naive": ("naive LocalSim", {"weights": "localsim_naive"}),
    "localsim_same": ("LocalSim over the filter's neighbours", {"localsim_direction": "same"}),
    "localsim_undirected": ("LocalSim over all neighbours", {"localsim_direction": "undirected"}),
    "localsim_no_loops": ("LocalSim without self loops", {"localsim_self_loops": False}),
    "undirected": ("undirected", {"direction": "undirected"}),
    "out": ("out-neighbours", {"direction": "out"}),
    "in": ("in-neighbours", {"direction": "in"}),
    "plain_degree": ("degree without the node itself", {"degree": "plain"}),
    "power": ("powers (SGC) instead of IRDC", {"propagation": "power"}),
    "initial_residual": ("initial residual (APPNP) instead of IRDC", {"propagation": "initial_residual"}),
    "drc": ("difference residual (DRC) instead of IRDC", {"propagation": "drc"}),
}
DIRECTED = ("undirected", "out", "in", "localsim_same", "localsim_undirected")  # nothing to vary on a symmetric graph
PUBLISHED_NAME = {"rand_node": "rand"}  # the paper has one Rand row; it stands beside our default reading


@cache
def variants(dataset: str) -> Mapping[str, LSGNNConfig]:
    """The settings of each variant on one dataset, over the authors' released ones."""
    base = released_config(dataset)
    named = {name: base.replace(**changes) for name, (_, changes) in {**CUMULATIVE, **EXTRA}.items()}
    if base.direction == "undirected":  # the released settings say so where the files list both directions
        named = {name: config for name, config in named.items() if name not in DIRECTED}
    return named


def stored_name(dataset: str, variant: str) -> str | None:
    """The variant under which these settings are computed: the first with equal ones; None if it is not run here."""
    named = variants(dataset)
    if variant not in named:
        return None
    return next(name for name, config in named.items() if config == named[variant])
