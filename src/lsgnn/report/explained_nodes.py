"""Explanations that a run page carries with it: what the page's script shows when a node is clicked.

Only some nodes have one, so that the page stays small: half of them at most are wrong predictions of the part that is
taken apart, the most confident first; the others come in the order of the page's table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from lsgnn.nn.contributions import contributions
from lsgnn.nn.fusion import LocalSimFusion
from lsgnn.report.ego_networks import EgoNetwork, ego_networks
from lsgnn.runs.predictions import Predictions
from lsgnn.runs.run import Run

MAX_EXPLAINED = 1500
SHOWN_CLASSES = 5  # the most probable ones


@dataclass(frozen=True, eq=False)
class Sums:
    """Why LSGNN gives some nodes their class: terms that add up to its logit, means over the members of an ensemble.

    Args:
        alpha: fusion weights [b, K, 3]; hops: what each adds to the logit [b, K, 3].
        rest: what the node itself, its links and the bias add [b, 3].
        localsim: percentile of each node's LocalSim among all nodes [b]; None where the weights do not use it.
    """

    alpha: NDArray[np.float64]
    hops: NDArray[np.float64]
    rest: NDArray[np.float64]
    localsim: NDArray[np.float64] | None


@dataclass(frozen=True, eq=False)
class ExplainedNodes:
    """The nodes with an explanation, in order, as numbers of the run's graph [b]."""

    run: Run
    predictions: Predictions
    nodes: NDArray[np.int64]
    shown: NDArray[np.int64]  # classes that may be shown [n]; -1 elsewhere

    def to_dict(self) -> dict[str, Any]:
        """Names once, then one list per explained node; nodes are numbers into `ids`."""
        egos = ego_networks(self.run, self.nodes)
        sums = sums_of(self.run, self.nodes, self.predictions.predicted) if self.run.model == "lsgnn" else None
        mentioned = np.unique(np.concatenate([self.nodes, *(np.array(e.neighbours, dtype=np.int64) for e in egos)]))
        place = {int(node): k for k, node in enumerate(mentioned)}
        return {
            "ids": [str(self.run.graph.node_ids[i]) for i in mentioned],
            "classes": list(self.run.graph.class_names),
            "predicted": self.predictions.predicted[mentioned].tolist(),
            "known": self.shown[mentioned].tolist(),
            "members": len(self.run.members),
            "nodes": [
                [place[int(i)], self._probable(int(i)), _ego(ego, place), None if sums is None else _sum(sums, k)]
                for k, (i, ego) in enumerate(zip(self.nodes, egos, strict=True))
            ],
        }

    def _probable(self, i: int) -> list[list[Any]]:
        p = self.predictions.probabilities[i]
        order = np.argsort(-p, kind="stable")[:SHOWN_CLASSES]
        return [[int(c), round(float(p[c]), 4)] for c in order]


def explained_nodes(
    run: Run,
    predictions: Predictions,
    order: NDArray[np.int64],
    first: NDArray[np.int64],
    shown: NDArray[np.int64],
    limit: int = MAX_EXPLAINED,
) -> ExplainedNodes:
    """Half of the limit for the nodes `first`, the rest for those in `order`; `shown` are the classes told of [n]."""
    wanted = list(dict.fromkeys([*first[: max(1, limit // 2)].tolist(), *order.tolist()]))[:limit]
    return ExplainedNodes(run, predictions, np.array(wanted, dtype=np.int64), shown)


def sums_of(run: Run, nodes: NDArray[np.int64], predicted: NDArray[np.int64]) -> Sums:
    """The logit of each node's predicted class, taken apart."""
    rows, classes = run.rows.select(torch.from_numpy(nodes)), torch.from_numpy(predicted[nodes])
    parts = [contributions(model, rows, classes) for model in run.modules]

    def mean(name: str) -> NDArray[np.float64]:
        return np.asarray(torch.stack([getattr(part, name) for part in parts]).mean(dim=0).numpy())

    rest = np.concatenate([mean("own"), mean("links"), mean("bias")], axis=1)
    return Sums(mean("alpha"), mean("hops")[..., 0], rest, _localsim_percentiles(run, nodes))


@torch.no_grad()
def _localsim_percentiles(run: Run, nodes: NDArray[np.int64]) -> NDArray[np.float64] | None:
    """Share of all nodes with a smaller LocalSim, in percent, ties counted half."""
    fusions = [model.fusion for model in run.modules if isinstance(model.fusion, LocalSimFusion)]
    if not fusions:
        return None
    phi = torch.stack([fusion.weights.localsim(run.rows.neighbours) for fusion in fusions]).mean(dim=0).numpy()
    ordered = np.sort(phi)
    below, up_to = (np.searchsorted(ordered, phi[nodes], side) for side in ("left", "right"))
    return np.asarray(50 * (below + up_to) / len(phi))


def _ego(ego: EgoNetwork, place: dict[int, int]) -> list[Any]:
    """[degree, [[node, weight, similarity], …], ties]; the similarity is left out where there is none."""
    similarities = [[round(s, 3)] for s in ego.similarities] or [[] for _ in ego.neighbours]
    weights = (round(w, 4) for w in ego.weights)
    near = zip(ego.neighbours, weights, similarities, strict=True)
    return [ego.degree, [[place[j], w, *s] for j, w, s in near], [list(tie) for tie in ego.ties]]


def _sum(sums: Sums, k: int) -> list[Any]:
    """[[[weight, addend] of the three channels] of each hop, [self, links, bias], percentile of LocalSim]."""
    hops = [
        [[round(a, 3), round(t, 3)] for a, t in zip(alpha, terms, strict=True)]
        for alpha, terms in zip(sums.alpha[k].tolist(), sums.hops[k].tolist(), strict=True)
    ]
    at = None if sums.localsim is None else round(float(sums.localsim[k]))
    return [hops, [round(v, 3) for v in sums.rest[k].tolist()], at]
