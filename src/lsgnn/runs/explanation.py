"""Why is a node classified as it is? The last read-out of the data flow: `Run` and a node id in, `Explanation` out.

The arithmetic is in `lsgnn.nn.contributions`.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from torch import Tensor

from lsgnn.errors import InputError
from lsgnn.graph.lookup import number_of
from lsgnn.nn.contributions import contributions
from lsgnn.nn.fusion import LocalSimFusion
from lsgnn.nn.localsim import read
from lsgnn.nn.model import LSGNN
from lsgnn.nn.rows import Neighbours, Rows
from lsgnn.propagate.filters import adjacency
from lsgnn.propagate.precompute import localsim_features, localsim_neighbours
from lsgnn.propagate.similarity import edge_similarity
from lsgnn.softmax import softmax

if TYPE_CHECKING:
    from lsgnn.runs.run import Run

CHANNELS = ("own", "low", "high")


@dataclass(frozen=True)
class Neighbour:
    """A node that the explained one reads."""

    node_id: Any
    similarity: float  # d_ij
    weight: float  # Â_ij
    label: str | None  # its known class
    prediction: str | None  # None where its hops are not kept (see `lsgnn.out_of_core.explanation`)


@dataclass(frozen=True, eq=False)
class Explanation:
    """How one node came to its class.

    Args:
        node_id: the user's id of the node.
        label: its known class, if it has one, and `part`, the part of the split it is in.
        prediction: the most probable class.
        probabilities: calibrated probability of each class [C].
        logits: what the contributions add up to [C], before calibration.
        localsim: φ, the learned local similarity (averaged `localsim_hops` times); None where the model's weights do
            not use it.
        localsim_percentile: share of nodes (in percent) with a smaller φ, ties counted half.
        naive_localsim: the plain mean similarity to the neighbours, and its percentile.
        alpha: fusion weights [K, 3], last axis (own, low, high); of two directions [2K, 3], along the edges first.
        own: contribution of the node's own block G_I to each class [C].
        hops: contributions of each hop and channel [K, 3, C].
        links: contribution of the adjacency embedding [C]; zero without one.
        bias: what is left [C]; own + hops + links + bias = logits.
        neighbours: the nodes it reads, the largest weight first.
        hop_names: what the hops are called: "hop 1" and so on, of two directions "out 1" and "in 1".
        members: how many training runs the values are means of (φ and α of different ones are not on one scale, so
            look at a single `member` to interpret those).
    """

    node_id: Any
    label: str | None
    part: str | None
    prediction: str
    class_names: tuple[str, ...] = field(repr=False)
    probabilities: NDArray[np.float64]
    logits: NDArray[np.float64] = field(repr=False)
    localsim: float | None
    localsim_percentile: float | None
    naive_localsim: float
    naive_percentile: float
    alpha: NDArray[np.float64] = field(repr=False)
    own: NDArray[np.float64] = field(repr=False)
    hops: NDArray[np.float64] = field(repr=False)
    links: NDArray[np.float64] = field(repr=False)
    bias: NDArray[np.float64] = field(repr=False)
    neighbours: tuple[Neighbour, ...] = field(repr=False)
    hop_names: tuple[str, ...] = field(repr=False)
    members: int

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; per-class arrays become {class: value}."""

        def named(values: NDArray[np.float64]) -> dict[str, float]:
            return dict(zip(self.class_names, values.tolist(), strict=True))

        hops = [
            {
                channel: {"alpha": float(a), "contribution": named(c)}
                for channel, a, c in zip(CHANNELS, *hop, strict=True)
            }
            for hop in zip(self.alpha, self.hops, strict=True)
        ]
        return {
            "node": self.node_id,
            "label": self.label,
            "part": self.part,
            "prediction": self.prediction,
            "probabilities": named(self.probabilities),
            "localsim": {"value": self.localsim, "percentile": self.localsim_percentile},
            "naive_localsim": {"value": self.naive_localsim, "percentile": self.naive_percentile},
            "logits": named(self.logits),
            "own": named(self.own),
            "hops": hops,
            "hop_names": list(self.hop_names),
            "links": named(self.links),
            "bias": named(self.bias),
            "members": self.members,
            "neighbours": [asdict(neighbour) for neighbour in self.neighbours],
        }

    def __str__(self) -> str:
        from lsgnn.runs.explanation_text import lines_of

        return "\n".join(lines_of(self))


def explain(run: Run, node_id: Any, member: int | None = None) -> Explanation:
    """Explains one node of the run's own graph: by the mean of all members, or by one of them."""
    run.require_lsgnn("say why a node is classified as it is")
    i = number_of(run.graph, node_id)
    if member is not None and not 0 <= member < len(run.modules):
        raise InputError(f"member {member} does not exist: the run has members 0..{len(run.modules) - 1}")
    models = run.modules if member is None else [run.modules[member]]
    row = run.rows.select(torch.tensor([i]))
    parts = [contributions(model, row) for model in models]
    localsim = [phi for model in models if (phi := localsim_of(model, run.rows.neighbours)) is not None]
    phi = np.mean(localsim, axis=0) if localsim else None
    naive = _naive_localsim(models, run)
    with torch.no_grad():
        logits = run.logits if member is None else models[0](run.rows).numpy()
    probabilities = softmax(logits.astype(np.float64) / run.temperature, axis=1)
    graph = run.graph
    return Explanation(
        node_id=graph.node_ids[i].item(),
        label=_label(run, i),
        part=next((part for part in ("train", "val", "test") if getattr(run.split, part)[i]), None),
        prediction=graph.class_names[run.classes_of(probabilities[[i]])[0]],
        class_names=graph.class_names,
        probabilities=probabilities[i],
        localsim=None if phi is None else float(phi[i]),
        localsim_percentile=None if phi is None else percentile(phi, i),
        naive_localsim=float(naive[i]),
        naive_percentile=percentile(naive, i),
        neighbours=_neighbours(run, models, i, probabilities),
        hop_names=run.config.hop_names,
        members=len(models),
        **{
            name: mean_of([getattr(p, name)[0] for p in parts])
            for name in ("logits", "alpha", "own", "hops", "links", "bias")
        },
    )


@torch.no_grad()
def localsim_of(model: LSGNN, neighbours: Neighbours) -> NDArray[np.float32] | None:
    """φ of all nodes [n], averaged over neighbourhoods if the model does so; None if its weights do not read it."""
    if not isinstance(model.fusion, LocalSimFusion):
        return None
    weights = model.fusion.weights
    phi: Tensor = weights.columns(neighbours)[:, weights.hops]
    return phi.numpy()


def _naive_localsim(models: list[LSGNN], run: Run) -> NDArray[np.float32]:
    """The plain mean similarity of all nodes [n], as the models read it."""
    share = run.inputs.similarity.share
    return np.asarray(np.mean([share @ _similarities(model, run.rows) for model in models], axis=0), dtype=np.float32)


def _similarities(model: LSGNN, rows: Rows) -> NDArray[np.float32]:
    """The similarities that a model reads [U]: those of the rows, or the ones it keeps itself."""
    kept = model.fusion.weights.localsim.kept if isinstance(model.fusion, LocalSimFusion) else None
    return np.asarray(read(rows.neighbours, kept).numpy())


def _compared(run: Run, models: list[LSGNN], i: int, near: NDArray[np.integer]) -> NDArray[np.float32]:
    """How similar node i is to the nodes near it; by a first model's predictions where they are compared (0 where
    LocalSim does not read the edge), else by features, propagated if the model has them so."""
    config, pre = run.config, run.inputs
    if config.has_first_model:
        mean = np.mean([_similarities(model, run.rows) for model in models], axis=0)
        known = sp.csr_array((mean, pre.compared.indices, pre.compared.indptr), shape=pre.compared.shape)
        return np.asarray(known[[i]].toarray()[0][near], dtype=np.float32)
    x = localsim_features(pre.x, localsim_neighbours(run.graph, config), config)
    return edge_similarity(x, np.stack([np.full(len(near), i), near]), config.similarity, config.euclid_sign)


def _neighbours(run: Run, models: list[LSGNN], i: int, probabilities: NDArray[np.float64]) -> tuple[Neighbour, ...]:
    """The nodes that node i reads in one hop."""
    graph, pre = run.graph, run.inputs
    near = adjacency(graph, run.direction)[[i]].indices
    similarity = _compared(run, models, i, near)
    weight = sum(adj[[i]].toarray()[0] for adj in pre.filters)  # of two directions together
    found = [
        Neighbour(
            node_id=graph.node_ids[j].item(),
            similarity=float(d),
            weight=float(weight[j]),
            label=_label(run, j),
            prediction=graph.class_names[run.classes_of(probabilities[[j]])[0]],
        )
        for j, d in zip(near.tolist(), similarity, strict=True)
    ]
    return tuple(sorted(found, key=lambda neighbour: (-neighbour.weight, -neighbour.similarity)))


def _label(run: Run, i: int) -> str | None:
    return run.graph.class_names[run.graph.y[i]] if run.graph.labelled[i] else None


def percentile(values: NDArray[np.float32], i: int) -> float:
    return float(50 * ((values < values[i]).mean() + (values <= values[i]).mean()))


def mean_of(tensors: list[Tensor]) -> NDArray[np.float64]:
    return torch.stack(tensors).mean(dim=0).numpy()
