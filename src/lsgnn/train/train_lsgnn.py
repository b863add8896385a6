"""One training of LSGNN by whichever engine can do it quickest: the fused CPU engine or the torch loop."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray

from lsgnn.config import LOCALSIM_INPUTS, LSGNNConfig
from lsgnn.errors import InputError
from lsgnn.graph.splits import Split
from lsgnn.memory import require_memory
from lsgnn.nn.model import LSGNN
from lsgnn.nn.rows import make_rows, require_memory_for_rows
from lsgnn.nn.size import largest_settings, num_weights, smaller_settings
from lsgnn.propagate.extremes import require_moderate_similarity
from lsgnn.propagate.precompute import Precomputed
from lsgnn.propagate.similarity import edge_similarity, mean_and_std, pairs_of
from lsgnn.softmax import softmax
from lsgnn.train.engine import Engine, require_device, require_engine
from lsgnn.train.fused import logits_cpu, obstacle, supports, train_cpu
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
        raise InputError(f"engine='cpu' cannot train with {obstacle(config)}: use engine='auto' or 'torch'")
    require_moderate_similarity(pre.similarity, config)
    if not fused:
        require_device(device)
    _require_memory(pre, num_classes, config)
    kept = _predicted_similarity(pre, y, num_classes, split, config, engine, device, threads)
    with seeded(config.seed):
        model = LSGNN.from_config(config, pre.x.shape[1], num_classes, pre.num_nodes, len(kept))
        model.set_scales(mean_and_std(kept) if len(kept) else pre.similarity.scale, pre.similarity.degree_scale)
        if len(kept):
            model.keep_similarities(torch.from_numpy(kept))
        if not fused:
            return train_torch(model.to(device), make_rows(pre, config), y, split, config, on_epoch)
    return train_cpu(pre, y, split, config, model.state_dict(), threads=threads, on_epoch=on_epoch)


def _predicted_similarity(
    pre: Precomputed,
    y: NDArray[np.int64],
    num_classes: int,
    split: Split,
    config: LSGNNConfig,
    engine: Engine,
    device: str,
    threads: int | None,
) -> NDArray[np.float32]:
    """How alike the class probabilities of neighbours are by a first model, with graph-level weights [E]; empty where
    LocalSim compares features.

    The first model learns from four fifths of the training nodes, and its best epoch is chosen on the others: labels of
    validation nodes play no part, or those that LocalSim is chosen by would be in what it reads.
    """
    if pre.compared is None or not config.has_first_model:
        return np.zeros(0, np.float32)
    plain = LSGNNConfig()
    first = config.replace(
        weights="graph", localsim_space="features", select_by="val_loss",
        **{name: getattr(plain, name) for name in LOCALSIM_INPUTS},
    )  # fmt: skip
    held_out = _held_out(split, config.seed)
    trained = train(pre, y, num_classes, held_out, first, engine, device, threads=threads)
    if supports(first) and engine != "torch":
        logits = logits_cpu(pre, first, trained.state_dict, threads)
    else:
        with torch.no_grad():
            model = LSGNN.from_weights(first, trained.state_dict, pre.num_nodes)
            logits = model(make_rows(pre, first)).numpy()
    probabilities = softmax(logits.astype(np.float64), axis=1).astype(np.float32)
    return edge_similarity(probabilities, pairs_of(pre.compared), config.similarity, config.euclid_sign)


def _held_out(split: Split, seed: int) -> Split:
    """The training nodes, a fifth of them to validate on (of fewer than two nodes, the same)."""
    nodes = np.random.default_rng(seed).permutation(np.flatnonzero(split.train))
    last = max(1, len(nodes) // 5)
    train, val = np.zeros_like(split.train), np.zeros_like(split.train)
    train[nodes[:-last] if len(nodes) > 1 else nodes] = True
    val[nodes[-last:]] = True
    return Split(train, val, np.zeros_like(train))


def _require_memory(pre: Precomputed, num_classes: int, config: LSGNNConfig) -> None:
    """Raises before anything is allocated that there is no room for."""
    n, d = pre.x.shape
    weights = 4 * WEIGHT_COPIES * num_weights(config, d, num_classes, n)
    what = f"training a model with {largest_settings(config)} on {d} features"
    require_memory(weights, what, smaller_settings(config))
    require_memory_for_rows(pre, config)
