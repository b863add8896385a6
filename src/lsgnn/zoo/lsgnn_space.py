"""What the tuner may choose: the paper's search space for LSGNN and a wider one of our own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

from optuna import Trial

from lsgnn.config import SelectBy

Space: TypeAlias = Callable[[Trial], dict[str, Any]]
SpaceName = Literal["paper", "extended"]

SHARES = (0.1, 0.3, 0.5, 0.7, 0.9, 1.0)  # β and γ of the paper's table
DROPOUTS = (0.1, 0.5, 0.6, 0.7, 0.8, 0.9)


def paper_space(trial: Trial) -> dict[str, Any]:
    """The table of the paper's appendix."""
    return {
        "lr": trial.suggest_float("lr", 1e-3, 1e-1, log=True),
        "weight_decay": trial.suggest_float("weight_decay", 1e-6, 1e-1, log=True),
        "dropout": trial.suggest_categorical("dropout", DROPOUTS),
        "beta": trial.suggest_categorical("beta", SHARES),
        "gamma": trial.suggest_categorical("gamma", SHARES),
        "similarity": trial.suggest_categorical("similarity", ("cosine", "euclidean")),
    }


def extended_space(trial: Trial, score: SelectBy = "val_accuracy") -> dict[str, Any]:
    """Also what the paper leaves fixed or unspecified: directions, degrees, weights and what LocalSim reads, widths,
    depth and selection (by loss or by `score`)."""
    return paper_space(trial) | {
        "direction": trial.suggest_categorical("direction", ("undirected", "out", "in", "both")),
        "localsim_direction": trial.suggest_categorical("localsim_direction", ("same", "undirected", "out", "in")),
        "localsim_space": trial.suggest_categorical("localsim_space", ("features", "propagated", "predictions")),
        "localsim_scale": trial.suggest_categorical("localsim_scale", ("none", "standard")),
        "localsim_hops": trial.suggest_categorical("localsim_hops", (0, 1, 2)),
        "localsim_degree": trial.suggest_categorical("localsim_degree", (False, True)),
        "degree": trial.suggest_categorical("degree", ("with_self_loop", "plain")),
        "weights": trial.suggest_categorical("weights", ("localsim", "graph")),
        "adjacency_embedding": trial.suggest_categorical("adjacency_embedding", (False, True)),
        "out_norm": trial.suggest_categorical("out_norm", (True, False)),
        "reduce_norm": trial.suggest_categorical("reduce_norm", ("row", "batch", "none")),
        "feature_norm": trial.suggest_categorical("feature_norm", ("l2", "l1", "standard", "none")),
        "hidden_channels": trial.suggest_categorical("hidden_channels", (16, 32, 64)),
        "K": trial.suggest_categorical("K", (2, 3, 5, 8)),
        "select_by": trial.suggest_categorical("select_by", ("val_loss", score)),
    }


SPACES: dict[SpaceName, Space] = {"paper": paper_space, "extended": extended_space}
