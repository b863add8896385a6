"""`Run`: one trained model with everything needed to trust, repeat and use it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lsgnn.config import Direction
from lsgnn.datasets.as_graph import as_graph
from lsgnn.graph.feature_names import in_order_of
from lsgnn.graph.graph import Graph, as_features
from lsgnn.graph.new_nodes import NewNodes, new_nodes
from lsgnn.graph.splits import Split
from lsgnn.propagate.structure_features import Scales
from lsgnn.runs.applicable import Applicable
from lsgnn.runs.predictions import Predictions
from lsgnn.runs.row_parts import LargeRows, large_rows, parts_of
from lsgnn.runs.tried import Tried
from lsgnn.train.calibration import calibrated_temperature
from lsgnn.train.decision import Decision, decision_by
from lsgnn.train.ensemble import mean_logits
from lsgnn.train.metrics import Metric, positive_class
from lsgnn.train.trained import Trained
from lsgnn.zoo.protocol import logits_of

if TYPE_CHECKING:
    from lsgnn.runs.explanation import Explanation


@dataclass(frozen=True, eq=False, kw_only=True)
class Run(Applicable):
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
        metric: what the run is scored by.
        decision: from which probability on a node is called positive, for two classes; None: the most probable class.
        tried: what a probe has tried on the validation nodes before this configuration was chosen.
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
    metric: Metric = "accuracy"
    decision: Decision | None = None
    tried: tuple[Tried, ...] = field(default=(), repr=False)

    @property
    def trained(self) -> Trained:
        """The first (usually the only) member."""
        return self.members[0]

    @property
    def direction(self) -> Direction:
        """Whose neighbours a node reads; a model that reads none is looked at as on an undirected graph."""
        config = self.config
        found: Direction = getattr(config, "read_direction", getattr(config, "direction", "undirected"))
        return found

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

    def rows_at(self, nodes: NDArray[np.int64]) -> Any:
        """What the module reads of some nodes of the run's own graph."""
        import torch

        return self.rows.select(torch.from_numpy(nodes))

    @cached_property
    def scales(self) -> Scales:
        """The scales of standardised columns and of degrees, which other graphs and new nodes are brought to."""
        return Scales.of(self.graph, self.config)

    @cached_property
    def logits(self) -> NDArray[np.float32]:
        """Logits of all nodes of the run's own graph [n, C]; of several members, the log of their mean probability."""
        return self.logits_of(large_rows(self.inputs, self.config) or self.rows)

    def logits_of(self, rows: Any) -> NDArray[np.float32]:
        """Logits of whatever nodes are read [b, C], before calibration."""
        if isinstance(rows, LargeRows):
            return rows.answers(self._logits_of_part)
        return np.concatenate([self._logits_of_part(part) for part in parts_of(rows)])

    def _logits_of_part(self, rows: Any) -> NDArray[np.float32]:
        return mean_logits([logits_of(module, rows) for module in self.modules])

    @cached_property
    def temperature(self) -> float:
        """What logits are divided by so that probabilities can be believed; fitted on the validation nodes.

        It is 1 where cross-fitting finds no gain (see `lsgnn.train.calibration`).
        """
        if self.known_temperature is not None:
            return self.known_temperature
        rows = self.split.val & self.graph.labelled
        return calibrated_temperature(self.logits[rows], self.graph.y[rows])

    @cached_property
    def positive(self) -> int:
        """The class that is looked for, of two: that of the decision, else the rarer one among the labels learned."""
        return positive_class(self.split.visible(self.graph.y)) if self.decision is None else self.decision.positive

    def predict(self, graph: Any = None, *, calibrated: bool = True, threshold: float | None = None) -> Predictions:
        """Class probabilities of every node, keyed by the user's ids.

        Args:
            graph: another graph with the same features (anything `lsgnn.as_graph` understands); None for the run's own.
            calibrated: False for the softmax of the logits as they are; the predicted classes are the same.
            threshold: for two classes, call a node positive from this calibrated probability on, whatever the decision
                of the run.
        """
        if graph is None:
            return self.predictions_of(self.logits, self.graph.node_ids, calibrated, threshold)
        self.require_not_tied("another graph")
        graph = self.with_own_columns(as_graph(graph))
        return self.predictions_of(self._logits_elsewhere(graph), graph.node_ids, calibrated, threshold)

    def _logits_elsewhere(self, graph: Graph) -> NDArray[np.float32]:
        """Logits of the nodes of another graph, which is known to have the right columns."""
        inputs = self.entry.prepare(graph, self.config, self.scales)
        rows = large_rows(inputs, self.config) or self.entry.readable(inputs, self.config)
        del inputs  # of which rows need only a part
        return self.logits_of(rows)

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
        threshold: float | None = None,
    ) -> Predictions:
        """Class probabilities of new nodes attached to the run's own graph.

        For LSGNN known nodes stay as they are: a new node reads the hop representations that its neighbours have
        without it, so that only its surroundings are touched. This is exact where no known node reads a new one
        (direction "out" and edges that leave new nodes, say) and an approximation elsewhere; see
        `lsgnn.nn.attached_rows`. With `structure_features="degrees"` known nodes keep their degrees, too. Other models
        are applied to the whole enlarged graph.

        Args:
            x: features of the new nodes [m, d], columns as in the graph, unless `feature_names` says which they are.
            edges: pairs (source id, target id) [E, 2]; each has a new end, the other is new or known.
            node_ids: ids of the new nodes [m]; by default the numbers (or names "new-0", …) after the known ones.
            edge_weight: positive weights [E], if the graph has some.
            exact: propagate over the whole enlarged graph instead (for large batches often the quicker way as well).
            calibrated, threshold: as in `predict`.
        """
        self.require_attachable()
        x = in_order_of(as_features(x), feature_names, self.graph.feature_names, "the table of new nodes")
        new = new_nodes(self.graph, x, edges, node_ids, edge_weight)
        return self.predictions_of(self.logits_new(new, exact), new.node_ids, calibrated, threshold)

    def predict_new_tables(
        self,
        edges: Any,
        nodes: Any,
        *,
        exact: bool = False,
        calibrated: bool = True,
        threshold: float | None = None,
        **columns: Any,
    ) -> Predictions:
        """Class probabilities of new nodes in tables as they are: the run's own transformers make their features.

        Args:
            edges, nodes: tables (paths, pyarrow tables or data frames) of the new nodes, with the columns of those that
                the run was trained on, and of the edges that attach them (None: they have none).
            exact, calibrated, threshold: as in `predict_new`.
            columns: id, label, source, target, weight or delimiter, where they differ from those of the training
                tables.
        """
        from lsgnn.graph.io.new_node_tables import read_new_nodes

        new = read_new_nodes(edges, nodes, like=self.graph if self.graph.columns else None, **columns)
        how: dict[str, Any] = dict(exact=exact, calibrated=calibrated, threshold=threshold)
        named: dict[str, Any] = dict(edge_weight=new.edge_weight, feature_names=new.feature_names)
        return self.predict_new(new.x, new.edges, new.node_ids, **named, **how)

    def logits_new(self, new: NewNodes, exact: bool) -> NDArray[np.float32]:
        """Logits of new nodes attached to the run's own graph."""
        return self.logits_of(self.entry.attached(self.graph, self.inputs, new, self.config, self.scales, exact))

    def explain(self, node_id: Any, member: int | None = None) -> Explanation:
        """Why a node of the run's own graph is classified as it is; see `lsgnn.Explanation`."""
        from lsgnn.runs.explanation import explain

        return explain(self, node_id, member)

    def predictions_of(
        self,
        logits: NDArray[np.float32],
        node_ids: NDArray[Any],
        calibrated: bool = True,
        threshold: float | None = None,
    ) -> Predictions:
        """What is said of logits [b, C], calibrated and by the run's decision; arguments as in `predict`."""
        decision = decision_by(threshold, self.decision, self.positive, self.graph.num_classes)
        if decision is not None and not calibrated:
            decision = decision.before_calibration(self.temperature)
        temperature = self.temperature if calibrated else 1.0
        return Predictions.of_logits(logits, node_ids, self.graph.class_names, temperature, decision)

    def classes_of(self, probabilities: NDArray[np.floating]) -> NDArray[np.int64]:
        """What is said of calibrated probabilities [b, C]: the decision, else the most probable class."""
        if self.decision is not None:
            return self.decision.predicted(probabilities)
        return np.asarray(probabilities.argmax(axis=1))

    @cached_property
    def metrics(self) -> dict[str, float]:
        """Loss, accuracy and the run's own metric on each part of the split (absent where a part cannot be scored).

        Accuracy is that of the classes that `predict()` says, by the decision where there is one; then precision,
        recall and F1 of the positive class are there too. `val_ece` and `test_ece` are the calibration errors of
        `predict()`, `…_ece_uncalibrated` those before. Where several members are an ensemble,
        `val_accuracy_one_member` (or of the run's metric) is what one of them reaches alone, on average.
        """
        from lsgnn.runs.run_metrics import metrics_of

        return metrics_of(self)

    @property
    def ensemble_gain(self) -> float:
        """By how many points on validation nodes the ensemble is ahead of one member; 0 for a single one."""
        from lsgnn.runs.run_metrics import ensemble_gain

        return ensemble_gain(self)

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
        from lsgnn.runs.summary import summary_of

        return summary_of(self)

    def settings_toml(self) -> str:
        """The model and its configuration, as `config.toml` holds them."""
        return f"model = {json.dumps(self.model)}\n" + str(self.config.to_toml())

    def __getstate__(self) -> dict[str, Any]:
        """Pickles hold what the run is, not what was derived from it."""
        return {f.name: getattr(self, f.name) for f in fields(self)}
