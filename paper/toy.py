"""The toy figure: accuracy on FSBM graphs over the grid of (λ1, λ2), by raw features, graph-level and LocalSim weights.

The paper writes that it "only use[s] adjacency matrix with self-loop" and one layer. Two readings are run:

* `filter`: one channel, the filtered feature P̂x, which the weights scale and sign (the text, taken literally);
* `full`: the three channels of the method (x, P̂x, x − P̂x) and its block of raw features.

A third kind of weights is ours: LocalSim averaged over a node's neighbours. Two limits come with the closed form: the
best any rule can do that sees a node and its neighbours (`one_hop_limit`), and the same when told the subgraph.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lsgnn.datasets.fsbm import fsbm, subgraph
from lsgnn.graph.graph import Graph
from lsgnn.propagate.filters import adjacency, normalized_adjacency
from paper.frame import Experiment, Plan, PlannedUnit, Results
from paper.toy_page import render

Array = NDArray[np.float64]
SIZE = 11  # λ = 0, 0.1, …, 1
PROTOCOL = {"graphs": 10, "n": 1000, "degree": 10, "epochs": 300, "lr": 0.01, "patience": 100}
QUICK = {"graphs": 2, "n": 200, "degree": 10, "epochs": 40, "lr": 0.03, "patience": 40}
MODELS = {  # name: (which channels, whether the raw block is read, what steers the weights)
    "filter_graph": (("low",), False, None),
    "filter_localsim": (("low",), False, "phi"),
    "full_graph": (("raw", "low", "high"), True, None),
    "full_localsim": (("raw", "low", "high"), True, "phi"),
    "full_localsim_averaged": (("raw", "low", "high"), True, "mean_phi"),
}


def units(plan: Plan, results: Results) -> list[PlannedUnit]:
    """One unit per cell: its graphs, all methods."""
    steps, protocol = (range(0, SIZE, 5), QUICK) if plan.quick else (range(SIZE), PROTOCOL)
    return [
        PlannedUnit(
            f"{i:02d}-{j:02d}",
            {"lambda1": i / (SIZE - 1), "lambda2": j / (SIZE - 1), "seed": 1000 * (SIZE * i + j), **protocol},
        )
        for i in steps
        for j in steps
    ]


def compute(arguments: dict[str, Any], plan: Plan) -> dict[str, Any]:
    """Test accuracy (%) of every method on each graph of one cell."""
    import torch

    from paper.toy_model import ToyInputs, train_toy

    seed = int(arguments["seed"])
    lambdas = (arguments["lambda1"], arguments["lambda2"])
    graphs = [
        fsbm(*lambdas, n=arguments["n"], degree=arguments["degree"], seed=seed + g) for g in range(arguments["graphs"])
    ]
    features = [node_features(graph) for graph in graphs]
    masks = {part: np.stack([getattr(_split(graph), part) for graph in graphs]) for part in ("train", "val", "test")}
    y = np.stack([graph.y for graph in graphs])
    accuracy = {
        "raw": _scores(np.stack([raw_classes(graph) for graph in graphs]), y, masks["test"]),
        "one_hop_limit": _scores(np.stack([limit(graph, *lambdas) for graph in graphs]), y, masks["test"]),
        "told_subgraph_limit": _scores(np.stack([limit(graph, *lambdas, True) for graph in graphs]), y, masks["test"]),
    }

    def tensor(name: str) -> torch.Tensor:
        return torch.from_numpy(np.stack([feature[name] for feature in features])).float()

    parts = {part: torch.from_numpy(mask).float() for part, mask in masks.items()}
    for model, (channels, raw_block, steering) in MODELS.items():
        h, phi = torch.stack([tensor(name) for name in channels], dim=1), tensor(steering) if steering else None
        inputs = ToyInputs(h=h, phi=phi, y=torch.from_numpy(y), **parts)
        accuracy[model] = train_toy(
            inputs, raw_block, seed, arguments["epochs"], arguments["lr"], arguments["patience"]
        )
    return {"accuracy": accuracy}


def node_features(graph: Graph) -> dict[str, Array]:
    """Per node [n]: x, its low- and high-pass filtered value, naive LocalSim and its mean over the neighbours."""
    A = adjacency(graph, "undirected")
    x = np.asarray(graph.x, dtype=np.float64)[:, 0]
    low = normalized_adjacency(A, "with_self_loop", "self_loop") @ x
    degree = np.asarray(A.sum(axis=1), dtype=np.float64)

    def over_neighbours(values: Array) -> Array:
        return np.asarray(np.divide(A @ values, degree, out=np.zeros_like(x), where=degree > 0))

    phi = -(x**2 - 2 * x * over_neighbours(x) + over_neighbours(x**2)) * (degree > 0)  # mean of −(x_i − x_j)²
    return {"raw": x, "low": low, "high": x - low, "phi": phi, "mean_phi": over_neighbours(phi)}


def raw_classes(graph: Graph) -> NDArray[np.int64]:
    """Classes [n] by the nearer of the two class means of the training nodes."""
    x, train = np.asarray(graph.x, dtype=np.float64)[:, 0], _split(graph).train
    means = [x[train & (graph.y == c)].mean() for c in (0, 1)]
    return np.asarray(np.abs(x[:, None] - means).argmin(axis=1))


def limit(graph: Graph, lambda1: float, lambda2: float, told: bool = False) -> NDArray[np.int64]:
    r"""Classes [n] by the rule that knows all parameters and sees a node and its neighbours (and, told, its subgraph).

    :math:`P(y, \tau \mid x_i, x_{N_i}) \propto f_y(x_i) \prod_j [\lambda_\tau f_y(x_j) + (1-\lambda_\tau) f_{-y}(x_j)]`
    with normal densities f of means ±1: no method that reads one hop can be right more often.
    """
    A, x = adjacency(graph, "undirected"), np.asarray(graph.x, dtype=np.float64)[:, 0]
    log_density = np.stack([-0.5 * (x - mu) ** 2 for mu in (1.0, -1.0)])  # [class, n]
    evidence = np.empty((2, 2, graph.num_nodes))  # [class, subgraph, n]
    for y in (0, 1):
        for tau, lam in enumerate((lambda1, lambda2)):
            with np.errstate(divide="ignore"):
                shares = np.log([lam, 1 - lam])
            neighbour = np.logaddexp(shares[0] + log_density[y], shares[1] + log_density[1 - y])
            evidence[y, tau] = log_density[y] + A @ neighbour
    if told:
        total = np.take_along_axis(evidence, subgraph(graph)[None, None], axis=1)[:, 0]
    else:
        total = np.logaddexp(evidence[:, 0], evidence[:, 1])
    return np.asarray(total.argmax(axis=0))


def _split(graph: Graph) -> Any:
    assert graph.splits is not None  # fsbm always draws some
    return graph.splits[0]


def _scores(predicted: NDArray[np.int64], y: NDArray[np.int64], test: NDArray[np.bool_]) -> list[float]:
    """Accuracy on each graph's test nodes, in percent."""
    return [100 * float((p == t)[mask].mean()) for p, t, mask in zip(predicted, y, test, strict=True)]


EXPERIMENT = Experiment("toy", "Toy graphs: a mixture of heterophily", render, units, compute)
