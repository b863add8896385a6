"""Inside a trained run: the fusion weights it learned, and a flat map of its node representations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray

from lsgnn.errors import InputError
from lsgnn.nn.model import LSGNN
from lsgnn.runs.run import Run

MapMethod = Literal["pca", "tsne"]
MAP_POINTS = 1200  # drawn on the map: more would only hide each other and weigh down the page
TSNE_POINTS = 2000  # t-SNE compares all pairs


@dataclass(frozen=True, eq=False)
class FusionWeights:
    """Mean and standard deviation over nodes of α, by hop and channel [K, 3] (I, L, H)."""

    mean: NDArray[np.float64]
    std: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class EmbeddingMap:
    """Places [m, 2] of the nodes `index` [m], and what the two axes are."""

    index: NDArray[np.int64]
    places: NDArray[np.float64]
    axes: tuple[str, str]


@torch.no_grad()
def fusion_weights(run: Run) -> FusionWeights:
    """Of the first member: members have weights of their own that mean nothing when averaged.

    Of a run on a store those of a sample of its nodes.
    """
    alpha = run.module.fusion(run.rows, run.module.reduce(run.rows.channels)[0]).double()  # [n, K, 3]
    return FusionWeights(alpha.mean(dim=0).numpy(), alpha.std(dim=0, correction=0).numpy())


@torch.no_grad()
def embedding_map(run: Run, method: MapMethod = "pca", points: int = MAP_POINTS, seed: int = 0) -> EmbeddingMap:
    """The representation before the output layer, flattened to two dimensions; many nodes are sampled."""
    n = run.graph.num_nodes
    index = np.arange(n) if n <= points else np.sort(np.random.default_rng(seed).choice(n, points, replace=False))
    H = representation(run, index)
    if method == "pca":
        places, shares = principal_axes(H)
        return EmbeddingMap(
            index, places, (f"first axis ({100 * shares[0]:.0f} % of variance)", f"second ({100 * shares[1]:.0f} %)")
        )
    if len(index) > TSNE_POINTS:
        raise InputError(f"t-SNE of {len(index)} nodes would take minutes: ask for at most {TSNE_POINTS}, or use pca")
    from sklearn.manifold import TSNE

    perplexity = min(30.0, max(1.0, (len(index) - 1) / 3))
    places = TSNE(perplexity=perplexity, init="pca", random_state=seed).fit_transform(H.astype(np.float32))
    return EmbeddingMap(index, np.asarray(places, dtype=np.float64), ("t-SNE 1", "t-SNE 2"))


@torch.no_grad()
def representation(run: Run, nodes: NDArray[np.int64]) -> NDArray[np.float64]:
    """What the output layer reads of some nodes [b, …]; the logits of a model that does not show it."""
    if isinstance(run.module, LSGNN):
        return np.asarray(run.module.embed(run.rows_at(nodes)).double().numpy())
    return run.logits[nodes].astype(np.float64)


def principal_axes(H: NDArray[np.float64]) -> tuple[NDArray[np.float64], tuple[float, float]]:
    """Coordinates on the two axes of largest variance [m, 2] and their shares of it; the largest entry is positive."""
    centred = H - H.mean(axis=0)
    _, size, axes = np.linalg.svd(centred, full_matrices=False)
    places, shares = np.zeros((len(H), 2)), [0.0, 0.0]
    total = float((size**2).sum())
    for a in range(min(2, len(size))):
        sign = 1.0 if axes[a][np.abs(axes[a]).argmax()] >= 0 else -1.0
        places[:, a] = sign * (centred @ axes[a])
        shares[a] = float(size[a] ** 2) / total if total > 0 else 0.0
    return places, (shares[0], shares[1])
