"""One training of LSGNN by whichever engine can do it quickest: the fused CPU engine or the torch loop."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lsgnn.config import LSGNNConfig
from lsgnn.errors import InputError
from lsgnn.graph.splits import Split
from lsgnn.memory import require_memory
from lsgnn.nn.model import LSGNN
from lsgnn.nn.rows import make_rows, require_memory_for_rows
from lsgnn.nn.size import largest_settings, num_weights, smaller_settings
from lsgnn.propagate.extremes import require_moderate_similarity
from lsgnn.propagate.precompute import Precomputed
from lsgnn.train.engine import Engine, require_device, require_engine
from lsgnn.train.fused import supports, train_cpu
from lsgnn.train.loop import OnEpoch, train_torch
from lsgnn.train.seeded import seeded
from lsgnn.train.trained import Trained

WEIGHT_COPIES = 5  # weights, gradients, two moments, the best ones so far


def train(
    pre: Precomputed,
    y: NDArray[np.int64],
    num_classes: int,
    split: Split,
    config: LSGNNConfig,
    engine: Engine = "auto",
    device: str = "cpu",
    on_epoch: OnEpoch | None = None,
    threads: int | None = None,
) -> Trained:
    """One training by the chosen engine; both start from the same weights, drawn from `config.seed`."""
    require_engine(engine)
    fused = engine == "cpu" or (engine == "auto" and device == "cpu" and supports(config))
    if engine == "cpu" and device != "cpu":
        raise InputError(f"engine='cpu' cannot train on device={device!r}: use engine='auto' or 'torch'")
    if engine == "cpu" and not supports(config):
        raise InputError("engine='cpu' cannot train these settings: use engine='auto' or 'torch'")
    require_moderate_similarity(pre.similarity, config)
    if not fused:
        require_device(device)
    _require_memory(pre, num_classes, config)
    with seeded(config.seed):
        model = LSGNN.from_config(config, pre.x.shape[1], num_classes, pre.num_nodes)
        model.set_scales(pre.similarity.scale, pre.similarity.degree_scale)
        if not fused:
            return train_torch(model.to(device), make_rows(pre, config), y, split, config, on_epoch)
    return train_cpu(pre, y, split, config, model.state_dict(), threads=threads, on_epoch=on_epoch)


def _require_memory(pre: Precomputed, num_classes: int, config: LSGNNConfig) -> None:
    """Raises before anything is allocated that there is no room for."""
    n, d = pre.x.shape
    weights = 4 * WEIGHT_COPIES * num_weights(config, d, num_classes, n)
    what = f"training a model with {largest_settings(config)} on {d} features"
    require_memory(weights, what, smaller_settings(config))
    require_memory_for_rows(pre, config)
