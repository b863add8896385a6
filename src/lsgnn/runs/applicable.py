"""What a trained model may be applied to: other graphs, new nodes, or nothing but what it was trained on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from lsgnn import zoo
from lsgnn.errors import InputError
from lsgnn.graph.feature_names import in_order_of
from lsgnn.graph.graph import Graph
from lsgnn.zoo.protocol import Model


class Applicable:
    """The half of a `Run` that refuses what its model cannot do, and names one that can."""

    graph: Graph
    model: str
    config: Any
    notes: tuple[str, ...]

    @property
    def entry(self) -> Model[Any]:
        """The model in the zoo: what it can do, and how."""
        return zoo.get(self.model)

    @property
    def title(self) -> str:
        """The model's name, as in a table."""
        return self.entry.title

    def require_not_tied(self, what: str) -> None:
        """Raises where the model cannot be applied to anything but the graph it was trained on."""
        self.require_features_of_nodes(what)
        self._require_free(self.config.tied_to_graph, what)

    def require_attachable(self) -> None:
        """Raises where the model knows nothing but the nodes it was trained on."""
        self.require_features_of_nodes("new nodes")
        self._require_free(self.config.tied_to_nodes, "new nodes")

    def _require_free(self, tie: str, what: str) -> None:
        if tie:
            other = "train without it" if self.model == "lsgnn" else "train another model, lsgnn for one"
            raise InputError(f"this model was trained with {tie}, and cannot be applied to {what}: {other}")

    def require_features_of_nodes(self, what: str) -> None:
        """Raises where the features were made of the graph, because there were none."""
        from lsgnn.graph.structural_features import NOTE  # scipy's solvers load slowly

        if NOTE in (*self.notes, *self.graph.notes):
            raise InputError(
                "this model learned from degrees and spectral coordinates of its own graph and cannot be applied to "
                f"{what}: train on features that the nodes have anywhere"
            )

    def require_lsgnn(self, what: str) -> None:
        """Raises where something is asked for that only LSGNN can do."""
        if self.model != "lsgnn":
            raise InputError(f"{self.title} cannot {what}: train LSGNN, which can")

    def with_own_columns(self, graph: Graph) -> Graph:
        """Another graph with its columns in the order of the run's own; raises where they are not the same."""
        if graph.columns and self.graph.columns:
            graph.columns.require_statistics_of(self.graph.columns, graph.name)
        x = in_order_of(graph.x, graph.feature_names, self.graph.feature_names, graph.name)
        if x is not graph.x:
            graph = replace(graph, x=x, feature_names=self.graph.feature_names)
        if graph.num_features != self.graph.num_features:
            raise InputError(
                f"{graph.name} has {graph.num_features} features, but the model was trained on "
                f"{self.graph.num_features}: pass the same columns in the same order"
            )
        return graph
