"""How large a model is, before it is built: numbers of its weights and of what it computes on the way."""

from __future__ import annotations

from lsgnn.config import LSGNNConfig


def num_weights(config: LSGNNConfig, in_channels: int, out_channels: int, num_nodes: int) -> int:
    """Parameters and buffers of `lsgnn.nn.LSGNN`, all but a counter or two."""
    K, z, n = config.num_hops, config.hidden_channels, num_nodes
    per_channel = in_channels * z
    if (layers := config.reduce_layers) > 1:  # all but the last are 2z wide
        per_channel = in_channels * 2 * z + (layers - 2) * (2 * z) ** 2 + 2 * z * z
    perceptron = 3 * z + 3 * K * (z + 1)  # of two inputs: [v, v²] → 3K weights
    localsim = perceptron + 2 * z * (config.localsim_columns - 1)
    localsim += 2 * (config.localsim_scale == "standard") + 2 * config.localsim_degree  # means and deviations
    fusion = {
        "localsim": 3 * z + z + 1 + localsim,
        "localsim_naive": localsim,
        "graph": 3 * K,
        "node": 3 * K * (z + 1),
        "free": 3 * K * n,
        "random": perceptron + n,
    }[config.weights]
    links = z * (n + 5) if config.adjacency_embedding else 0
    blocks = (K + 1 + config.adjacency_embedding) * z
    head = (blocks + 1) * out_channels
    if config.head == "mlp":
        head = 2 * z * (blocks + 1) + 8 * z + (2 * z + 1) * out_channels
    norms = 4 * (2 * z * layers - z) if config.reduce_norm == "batch" else 0  # of each channel
    return (2 * K + 1) * (per_channel + norms) + fusion + links + head


def num_activations(config: LSGNNConfig, rows: int, similarities: int) -> int:
    """What is held at the same time while so many rows pass through the model, none of it kept for a gradient."""
    K, z = config.num_hops, config.hidden_channels
    widest = z if config.reduce_layers == 1 else 3 * z  # a layer and the one before it
    per_row = (2 * K + 1) * (z + widest) + (K + 1) * z
    per_similarity = 2 * z if config.weights == "localsim" else 0
    return rows * per_row + similarities * per_similarity


def largest_settings(config: LSGNNConfig) -> str:
    """The settings that the sizes grow with, as NAME=VALUE."""
    named = [f"{name}={getattr(config, name)}" for name in _to_lower(config)]
    return ", ".join([*named, *filter(None, [config.kept_per_node])])


def smaller_settings(config: LSGNNConfig) -> str:
    """What to do about a model that is too large."""
    drop = f", or drop {config.kept_per_node}" if config.kept_per_node else ""
    return f"lower {' or '.join(_to_lower(config))}{drop}"


def _to_lower(config: LSGNNConfig) -> list[str]:
    return ["hidden_channels", "K", *["reduce_layers"] * (config.reduce_layers > 1)]
