"""`Run`: one trained model with everything needed to trust, repeat and use it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray

from lsgnn import zoo
from lsgnn.config import Direction
from lsgnn.datasets.as_graph import as_graph
from lsgnn.errors import InputError
from lsgnn.graph.feature_names import in_order_of
from lsgnn.graph.graph import Graph, as_features
from lsgnn.graph.new_nodes import new_nodes
from lsgnn.graph.sparsity import sparse_if_mostly_zero
from lsgnn.graph.splits import Split
from lsgnn.propagate.column_scale import ColumnScale
from lsgnn.runs.predictions import Predictions
from lsgnn.train.calibration import expected_calibration_error, fit_temperature
from lsgnn.train.ensemble import mean_logits
from lsgnn.train.trained import Trained
from lsgnn.zoo.protocol import Model, logits_of

if TYPE_CHECKING:
    from lsgnn.runs.explanation import Explanation


@dataclass(frozen=True, eq=False, kw_only=True)
class Run:
    """A trained model, the graph it was trained on and how it went.

    Args:
        graph: the graph, with the user's node ids and class names.
        model: the model's name in the zoo.
        config: the settings used.
        split: the training, validation and test nodes.
        members: best weights and history of each training run; several, which differ in their seeds, are an ensemble.
        seconds: wall time of precompute and training.
        environment: versions and machine.
        notes: what was noticed on the way.
        prepared: what the model has prepared of the graph, if it is at hand; else computed when needed.
        known_temperature: the temperature of a run that was saved; else fitted when needed.
    """

    graph: Graph = field(repr=False)
    model: str = "lsgnn"
    config: Any
    split: Split = field(repr=False)
    members: tuple[Trained, ...] = field(repr=False)
    seconds: dict[str, float]
    environment: dict[str, str] = field(repr=False)
    notes: tuple[str, ...] = ()
    prepared: Any = field(default=None, repr=False)
    known_temperature: float | None = field(default=None, repr=False)

    @property
    def trained(self) -> Trained:
        """The first (usually the only) member."""
        return self.members[0]

    @property
    def direction(self) -> Direction:
        """Whose neighbours a node reads; a model that reads none is looked at as on an undirected graph."""
        found: Direction = getattr(self.config, "direction", "undirected")
        return found

    @property
    def entry(self) -> Model[Any]:
        """The model in the zoo: what it can do, and how."""
        return zoo.get(self.model)

    @cached_property
    def inputs(self) -> Any:
        """What the model has prepared of the run's own graph; for LSGNN its parameter-free half."""
        return self.entry.prepare(self.graph, self.config) if self.prepared is None else self.prepared

    @cached_property
    def modules(self) -> list[Any]:
        """The torch module of each member with its best weights, in evaluation mode."""
        states = [member.state_dict for member in self.members]
        return [self.entry.module(self.graph, self.inputs, self.config, state) for state in states]

    @property
    def module(self) -> Any:
        return self.modules[0]

    @cached_property
    def rows(self) -> Any:
        """What the module reads of all nodes of the run's own graph."""
        return self.entry.readable(self.inputs, self.config)

    @cached_property
    def columns(self) -> ColumnScale | None:
        """The scale of standardised columns, which other graphs and new nodes are brought to."""
        standard = getattr(self.config, "feature_norm", "none") == "standard"
        return ColumnScale.of(sparse_if_mostly_zero(self.graph.x)) if standard else None

    @cached_property
    def logits(self) -> NDArray[np.float32]:
        """Logits of all nodes of the run's own graph [n, C]; of several members, the log of their mean probability."""
        return self.logits_of(self.rows)

    def logits_of(self, rows: Any) -> NDArray[np.float32]:
        """Logits of whatever nodes are read [b, C], before calibration."""
        return mean_logits([logits_of(module, rows) for module in self.modules])

    @cached_property
    def temperature(self) -> float:
        """What logits are divided by so that probabilities can be believed; fitted on the validation nodes."""
        if self.known_temperature is not None:
            return self.known_temperature
        rows = self.split.val & self.graph.labelled
        return fit_temperature(self.logits[rows], self.graph.y[rows])

    def predict(self, graph: Any = None, *, calibrated: bool = True) -> Predictions:
        """Class probabilities of every node, keyed by the user's ids.

        Args:
            graph: another graph with the same features (anything `lsgnn.as_graph` understands); None for the run's own.
            calibrated: False for the softmax of the logits as they are; the predicted classes are the same.
        """
        if graph is None:
            return self._predictions(self.logits, self.graph.node_ids, calibrated)
        graph = as_graph(graph)
        self.require_not_tied("another graph")
        x = in_order_of(graph.x, graph.feature_names, self.graph.feature_names, graph.name)
        if x is not graph.x:
            graph = replace(graph, x=x, feature_names=self.graph.feature_names)
        if graph.num_features != self.graph.num_features:
            raise InputError(
                f"{graph.name} has {graph.num_features} features, but the model was trained on "
                f"{self.graph.num_features}: pass the same columns in the same order"
            )
        rows = self.entry.readable(self.entry.prepare(graph, self.config, self.columns), self.config)
        return self._predictions(self.logits_of(rows), graph.node_ids, calibrated)

    def predict_new(
        self,
        x: Any,
        edges: Any,
        node_ids: Any = None,
        *,
        edge_weight: Any = None,
        feature_names: Sequence[str] = (),
        exact: bool = False,
        calibrated: bool = True,
    ) -> Predictions:
        """Class probabilities of new nodes attached to the run's own graph.

        For LSGNN known nodes stay as they are: a new node reads the hop representations that its neighbours have
        without it, so that only its surroundings are touched. This is exact where no known node reads a new one
        (direction "out" and edges that leave new nodes, say) and an approximation elsewhere; see
        `lsgnn.nn.attached_rows`. Other models are applied to the whole enlarged graph.

        Args:
            x: features of the new nodes [m, d], columns as in the graph, unless `feature_names` says which they are.
            edges: pairs (source id, target id) [E, 2]; each has a new end, the other is new or known.
            node_ids: ids of the new nodes [m]; by default the numbers (or names "new-0", …) after the known ones.
            edge_weight: positive weights [E], if the graph has some.
            exact: propagate over the whole enlarged graph instead (for large batches often the quicker way as well).
            calibrated: as in `predict`.
        """
        self.require_not_tied("new nodes")
        x = in_order_of(as_features(x), feature_names, self.graph.feature_names, "the table of new nodes")
        new = new_nodes(self.graph, x, edges, node_ids, edge_weight)
        rows = self.entry.attached(self.graph, self.inputs, new, self.config, self.columns, exact)
        return self._predictions(self.logits_of(rows), new.node_ids, calibrated)

    def explain(self, node_id: Any, member: int | None = None) -> Explanation:
        """Why a node of the run's own graph is classified as it is; see `lsgnn.Explanation`."""
        from lsgnn.runs.explanation import explain

        return explain(self, node_id, member)

    def _predictions(self, logits: NDArray[np.float32], node_ids: NDArray[Any], calibrated: bool) -> Predictions:
        temperature = self.temperature if calibrated else 1.0
        return Predictions.of_logits(logits, node_ids, self.graph.class_names, temperature)

    def require_not_tied(self, what: str) -> None:
        """Raises where the model cannot be applied to anything but the nodes it was trained on."""
        from lsgnn.graph.structural_features import NOTE  # scipy's solvers load slowly

        if NOTE in (*self.notes, *self.graph.notes):
            raise InputError(
                "this model learned from degrees and spectral coordinates of its own graph and cannot be applied to "
                f"{what}: train on features that the nodes have anywhere"
            )
        if tie := self.config.tied_to_graph:
            other = "train without it" if self.model == "lsgnn" else "train another model, lsgnn for one"
            raise InputError(f"this model was trained with {tie}, and cannot be applied to {what}: {other}")

    def require_lsgnn(self, what: str) -> None:
        """Raises where something is asked for that only LSGNN can do."""
        if self.model != "lsgnn":
            raise InputError(f"{self.entry.title} cannot {what}: train LSGNN (model='lsgnn'), which can")

    @cached_property
    def metrics(self) -> dict[str, float]:
        """Loss and accuracy on each part of the split (absent where a part has no labelled node).

        `val_ece` and `test_ece` are the calibration errors of `predict()`, `…_ece_uncalibrated` those before. Where
        several members are an ensemble, `val_accuracy_one_member` is what one of them reaches alone, on average.
        """
        out = {}
        for part in ("train", "val", "test"):
            rows = getattr(self.split, part) & self.graph.labelled
            if not rows.any():
                continue
            logits, y = torch.from_numpy(self.logits[rows]), torch.from_numpy(self.graph.y[rows])
            out[f"{part}_loss"] = float(torch.nn.functional.cross_entropy(logits, y))
            out[f"{part}_accuracy"] = float((logits.argmax(dim=-1) == y).double().mean())
            if part != "train":
                for key, calibrated in (("ece", True), ("ece_uncalibrated", False)):
                    probabilities = self.predict(calibrated=calibrated).probabilities[rows]
                    out[f"{part}_{key}"] = expected_calibration_error(probabilities, self.graph.y[rows])
        if len(self.members) > 1 and all(member.history for member in self.members):
            out["val_accuracy_one_member"] = float(
                np.mean([m.history[m.best_epoch - 1]["val_accuracy"] for m in self.members])
            )
        return out

    @property
    def ensemble_gain(self) -> float:
        """By how many points of validation accuracy the ensemble is ahead of one member; 0 for a single one."""
        together = self.metrics["val_accuracy"]
        return 100 * (together - self.metrics.get("val_accuracy_one_member", together))

    def save(self, folder: str | Path) -> None:
        """Writes the run as a folder of plain files (weights as safetensors, no pickles)."""
        from lsgnn.runs.checkpoint import save_run

        save_run(self, Path(folder).expanduser())

    @classmethod
    def load(cls, folder: str | Path) -> Run:
        """Reads a folder written by `save`; executes no code from it."""
        from lsgnn.runs.checkpoint import load_run

        return load_run(Path(folder).expanduser())

    def summary(self) -> dict[str, Any]:
        """What `--json` prints and `metrics.json` holds."""
        return {
            "graph": self.graph.name,
            "model": self.model,
            "metrics": self.metrics,
            "temperature": self.temperature,
            "best_epoch": self.trained.best_epoch,
            "epochs": len(self.trained.history),
            "members": len(self.members),
            "seconds": self.seconds,
            "notes": list(self.notes),
            "environment": self.environment,
        }

    def __getstate__(self) -> dict[str, Any]:
        """Pickles hold what the run is, not what was derived from it."""
        return {f.name: getattr(self, f.name) for f in fields(self)}
