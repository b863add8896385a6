"""A trained head as ONNX: after propagation a node is a row, and rows are classified without this package or torch.

The file reads `channels` [b, 2K+1, d] (a node's scaled features and, if it has them, degrees, then its K low-pass and
its K high-pass hops; of two directions, [b, 4K+1, d] with those along the edges first in either part) and, where the
weights come from LocalSim, `similarity` [b, w] and `share` [b, w]: a node's similarities to its neighbours and the
share of the neighbours that has each (rows sum to 1, padded with zeros; all zeros without neighbours); with
`localsim_degree` also `log_degree` [b], log(1 + neighbours). LocalSim itself is in the file. Out come `logits` [b, C]
and calibrated `probabilities` [b, C]; b and w are free. `onnx_inputs` makes the inputs.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from torch import nn

from lsgnn.errors import InputError
from lsgnn.files import write_atomically
from lsgnn.nn.channel_norm import ChannelBatchNorm, RowNorm, folded
from lsgnn.nn.fusion import GraphFusion, LocalSimFusion, NodeFusion
from lsgnn.nn.localsim import LocalSimWeights, NaiveLocalSim, RefinedLocalSim, Standardized
from lsgnn.nn.model import LSGNN
from lsgnn.propagate.precompute import channels
from lsgnn.runs.onnx_graph import OnnxGraph, Shape

if TYPE_CHECKING:
    from lsgnn.runs.run import Run


def export_onnx(run: Run, path: str | Path) -> None:
    """Writes the row head of a run to `path`, whole or not at all; needs the extra `[onnx]`."""
    path = Path(path).expanduser()
    if path.suffix != ".onnx":
        raise InputError(f"cannot export to {path.name!r}: the name must end in .onnx")
    data = onnx_model(run).SerializeToString(deterministic=True)
    with write_atomically(path) as file:
        file.write(data)


def onnx_model(run: Run) -> Any:
    """The row head as an ONNX `ModelProto`; several members are averaged by probability, as in the run."""
    run.require_lsgnn("be written as a head that reads single rows")
    run.require_not_tied("single rows")
    if run.config.localsim_hops:
        raise InputError(
            f"localsim_hops={run.config.localsim_hops} reads the φ of other nodes, which a single row does not know: "
            "train with localsim_hops=0 to export a head"
        )
    g, K, graph = OnnxGraph(), run.config.num_hops, run.graph
    logits = [_logits(g, model) for model in run.modules]
    if len(logits) == 1:
        out = logits[0]
    else:
        mean = g.op("Mean", *(g.op("Softmax", value, axis=-1) for value in logits))
        out = g.op("Log", g.op("Max", mean, g.constant(np.finfo(np.float32).tiny)))
    probabilities = g.op("Softmax", g.op("Div", out, g.constant(np.float32(run.temperature))), axis=-1)
    inputs: dict[str, Shape] = {"channels": ("rows", 2 * K + 1, run.inputs.x.shape[1])}
    if _reads_similarities(run):
        inputs |= {"similarity": ("rows", "neighbours"), "share": ("rows", "neighbours")}
        if run.config.localsim_degree:
            inputs["log_degree"] = ("rows",)
    shape = ("rows", graph.num_classes)
    facts = {
        "class_names": json.dumps(graph.class_names, ensure_ascii=False),
        "settings": json.dumps(run.config.to_dict()),
        "temperature": repr(run.temperature),
        "decision": json.dumps(run.decision and asdict(run.decision)),
        "lsgnn": run.environment.get("lsgnn", ""),
    }
    return g.model(inputs, {"logits": (out, shape), "probabilities": (probabilities, shape)}, facts, str(__doc__))


def onnx_inputs(run: Run, nodes: NDArray[np.int64] | None = None) -> dict[str, NDArray[np.float32]]:
    """The inputs of the exported head for nodes of the run's own graph, by number (None: all)."""
    pre = run.inputs
    nodes = np.arange(pre.num_nodes) if nodes is None else np.asarray(nodes)
    feed = {"channels": np.ascontiguousarray(channels(pre, run.config)[:, nodes].transpose(1, 0, 2))}
    if _reads_similarities(run):
        share = sp.csr_array(pre.similarity.share[nodes])
        counts = np.diff(share.indptr)
        place = (np.repeat(np.arange(len(nodes)), counts), np.arange(share.nnz) - np.repeat(share.indptr[:-1], counts))
        for name, values in (("similarity", pre.similarity.values[share.indices]), ("share", share.data)):
            feed[name] = np.zeros((len(nodes), max(1, counts.max(initial=0))), np.float32)
            feed[name][place] = values
        if run.config.localsim_degree:
            feed["log_degree"] = pre.similarity.log_degree[nodes]
    return feed


def _reads_similarities(run: Run) -> bool:
    return run.config.weights in ("localsim", "localsim_naive")


def _logits(g: OnnxGraph, model: LSGNN) -> str:
    """`LSGNN.forward` in evaluation mode, operation by operation."""
    K = model.K
    h = g.op("Transpose", "channels", perm=[1, 0, 2])  # [2K+1, b, d]
    for weight, norm in zip(model.reduce.weights, model.reduce.norms, strict=True):
        h = g.op("Relu", _normed(g, norm, g.op("MatMul", h, g.constant(weight))))
    G_I, G_L, G_H = g.slice(h, 0, 1), g.slice(h, 1, K + 1), g.slice(h, K + 1, 2 * K + 1)
    alpha = _alpha(g, model.fusion, G_I, K)  # [3, K, b or 1]
    weights = [
        g.op("Unsqueeze", g.op("Squeeze", g.slice(alpha, c, c + 1), g.constant([0])), g.constant([-1]))
        for c in range(3)
    ]
    own, low, high = (g.op("Mul", weight, G) for weight, G in zip(weights, (G_I, G_L, G_H), strict=True))
    blocks = g.op("Concat", G_I, g.op("Add", g.op("Add", own, low), high), axis=0)  # [K+1, b, z]
    if model.out_norm:
        blocks = g.unit_length(blocks)
    embedding = g.op("Flatten", g.op("Transpose", blocks, perm=[1, 0, 2]), axis=1)
    return _head(g, model.head, embedding)


def _normed(g: OnnxGraph, norm: nn.Module, h: str) -> str:
    """The norm of the reduced channels [2K+1, b, z]."""
    if isinstance(norm, ChannelBatchNorm):
        scale, shift = (values.view(norm.num_channels, 1, -1) for values in folded(norm))
        return g.scaled(h, scale, shift)
    return g.unit_length(h) if isinstance(norm, RowNorm) else h


def _alpha(g: OnnxGraph, fusion: nn.Module, G_I: str, K: int) -> str:
    """The fusion weights with the channel first [3, K, b], or [3, K, 1] where they are the same for all rows."""
    if isinstance(fusion, GraphFusion):
        return g.constant(fusion.alpha.T.unsqueeze(-1))
    if isinstance(fusion, NodeFusion):
        flat = g.linear(fusion.linear, g.op("Squeeze", G_I, g.constant([0])))
    else:
        assert isinstance(fusion, LocalSimFusion)
        flat = g.perceptron(fusion.weights.mlp, _columns(g, fusion.weights))
    return g.op("Transpose", g.op("Reshape", flat, g.constant([-1, K, 3])), perm=[2, 1, 0])


def _columns(g: OnnxGraph, weights: LocalSimWeights) -> str:
    """What the weights are made of, squares included [b, 2 or 4]."""
    phi = g.with_square(_localsim(g, weights.localsim))
    if weights.degree is None:
        return phi
    return g.op("Concat", phi, g.with_square(_standardized(g, weights.degree, "log_degree")), axis=-1)


def _standardized(g: OnnxGraph, by: nn.Module, value: str) -> str:
    if not isinstance(by, Standardized):
        return value
    mean, std = by.scale
    return g.scaled(value, 1 / std, -mean / std)


def _localsim(g: OnnxGraph, localsim: nn.Module) -> str:
    """φ [b]: the mean over the neighbours of a function of one similarity."""
    assert isinstance(localsim, RefinedLocalSim | NaiveLocalSim)
    value = _standardized(g, localsim.standardized, "similarity")
    if isinstance(localsim, RefinedLocalSim):
        value = g.op("Squeeze", g.perceptron(localsim.mlp, g.with_square(value)), g.constant([-1]))
    return g.op("ReduceSum", g.op("Mul", "share", value), g.constant([-1]), keepdims=0)


def _head(g: OnnxGraph, head: nn.Module, h: str) -> str:
    if isinstance(head, nn.Linear):
        return g.linear(head, h)
    assert isinstance(head, nn.Sequential)
    first, norm, _, last = head
    assert isinstance(norm, nn.BatchNorm1d)
    scale, shift = folded(norm)
    return g.linear(last, g.op("Relu", g.scaled(g.linear(first, h), scale, shift)))
