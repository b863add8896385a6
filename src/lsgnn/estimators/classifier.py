"""`LSGNNClassifier`: LSGNN with the face of scikit-learn, for one graph whose labels are partly known."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from lsgnn.datasets.as_graph import as_graph
from lsgnn.errors import InputError
from lsgnn.estimators.inputs import config_of, encode, hold_out, id_column, seed_of
from lsgnn.graph.graph import Graph, as_features
from lsgnn.graph.lookup import numbers_of

# parameters of the estimator that are no settings of the method
ABOUT_FITTING = (
    *("graph", "metric", "threshold", "cost", "members", "engine", "device"),
    *("validation_fraction", "random_state"),
)


class LSGNNClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Classifies the nodes of a graph from the labels of some of them, as scikit-learn's `LabelPropagation` does.

    There are three ways to say what to learn from; a label of -1 is unknown in all of them:

    * `fit(graph)`: the labels that the graph holds, or `fit(graph, y)`: those in y [n];
    * `fit(X, y, edges=edge_index)`: features [n, d], labels [n] and edges [2, E];
    * `LSGNNClassifier(graph=graph).fit(nodes, y)`: labels y [m] of the nodes with these ids; labels in the graph itself
      are not read. Rows are labels here and the graph stays whole, so `cross_val_score` and `GridSearchCV` work::

          cross_val_score(LSGNNClassifier(graph=graph), graph.node_ids, graph.y, cv=NodeKFold(5))

    Args:
        graph: anything `lsgnn.as_graph` understands; only for the third way. Clones share it.
        metric: what the held-out nodes choose by, as in `lsgnn.fit`; None where the classes decide. (`score` is
            accuracy, as scikit-learn has it; its other scorers read `predict_proba`.)
        threshold, cost: of two classes, from which probability on `predict` calls a node positive, as in `lsgnn.fit`.
        members: number of seeds to ensemble; "auto" as in `lsgnn.fit`.
        engine, device: as in `lsgnn.fit`.
        validation_fraction: share of the labelled nodes, class by class, that choose the epoch and calibrate.
        random_state: seed of the held-out nodes and the training.

    All others are those of `LSGNNConfig`. What is "auto", short training runs on the held-out nodes choose, as in
    `lsgnn.fit`; name what you know, and fitting takes a tenth of the time.

    Attributes:
        classes_: the classes in sorted order [C].
        transduction_: the class of every node of the graph [n].
        label_distributions_: probability of every class for every node [n, C].
        run_: the `lsgnn.Run`, for explanations, new nodes and saving.
    """

    def __init__(
        self,
        graph: Any = None,
        *,
        structure_features: str = "auto",
        optimizer: str = "adam",
        lr: float | str = "auto",
        weight_decay: float | str = "auto",
        dropout: float | str = "auto",
        epochs: int = 200,
        patience: int = 0,
        select_by: str = "auto",
        class_weight: str = "auto",
        direction: str = "auto",
        degree: str = "with_self_loop",
        filter: str = "weighted_self_loop",
        beta: float = 1.0,
        feature_norm: str = "auto",
        propagation: str = "irdc",
        K: int | str = "auto",
        gamma: float | str = "auto",
        similarity: str = "cosine",
        euclid_sign: int = -1,
        localsim_direction: str = "same",
        localsim_self_loops: bool = False,
        localsim_space: str = "features",
        localsim_scale: str = "none",
        localsim_hops: int = 0,
        localsim_degree: bool = False,
        weights: str = "auto",
        hidden_channels: int | str = "auto",
        reduce_layers: int = 1,
        reduce_init: str = "stacked",
        reduce_norm: str = "auto",
        adjacency_embedding: bool | str = "auto",
        out_norm: bool | str = "auto",
        head: str = "linear",
        metric: str | None = None,
        threshold: str | float | None = None,
        cost: Any = None,
        members: int | str = "auto",
        engine: str = "auto",
        device: str = "cpu",
        validation_fraction: float = 0.2,
        random_state: Any = None,
    ) -> None:
        self.graph = graph
        self.structure_features = structure_features
        self.optimizer = optimizer
        self.lr = lr
        self.weight_decay = weight_decay
        self.dropout = dropout
        self.epochs = epochs
        self.patience = patience
        self.select_by = select_by
        self.class_weight = class_weight
        self.direction = direction
        self.degree = degree
        self.filter = filter
        self.beta = beta
        self.feature_norm = feature_norm
        self.propagation = propagation
        self.K = K
        self.gamma = gamma
        self.similarity = similarity
        self.euclid_sign = euclid_sign
        self.localsim_direction = localsim_direction
        self.localsim_self_loops = localsim_self_loops
        self.localsim_space = localsim_space
        self.localsim_scale = localsim_scale
        self.localsim_hops = localsim_hops
        self.localsim_degree = localsim_degree
        self.weights = weights
        self.hidden_channels = hidden_channels
        self.reduce_layers = reduce_layers
        self.reduce_init = reduce_init
        self.reduce_norm = reduce_norm
        self.adjacency_embedding = adjacency_embedding
        self.out_norm = out_norm
        self.head = head
        self.metric = metric
        self.threshold = threshold
        self.cost = cost
        self.members = members
        self.engine = engine
        self.device = device
        self.validation_fraction = validation_fraction
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, *, edges: Any = None, edge_weight: Any = None) -> LSGNNClassifier:
        """Trains on all labels given, of which `validation_fraction` choose the epoch."""
        from lsgnn.runs.defaults import Draft
        from lsgnn.runs.fit import fit

        graph, self.classes_ = self._graph_to_learn(X, y, edges, edge_weight)
        settings = {name: value for name, value in self.get_params(deep=False).items() if name not in ABOUT_FITTING}
        named = {name: value for name, value in settings.items() if not (isinstance(value, str) and value == "auto")}
        config = config_of(named, seed := seed_of(self.random_state))
        if graph.num_features == 1 and config.similarity == "cosine":  # which is but the sign of a single column
            config = config.replace(similarity="euclidean")
        drafted = Draft(config, frozenset(settings.keys() - named.keys() - {"select_by"}))
        split = hold_out(graph.y, self.validation_fraction, seed)
        how: dict[str, Any] = dict(members=self.members, engine=self.engine, device=self.device, ask_others=False)
        how |= dict(metric=self.metric, threshold=self.threshold, cost=self.cost)
        if "select_by" in named:
            how["select_by"] = config.select_by
        self.run_ = fit(graph, drafted, split=split, **how)
        self.label_distributions_ = self.run_.predict().probabilities
        self.transduction_ = self.classes_[self.run_.classes_of(self.label_distributions_)]
        return self

    def predict_proba(self, X: Any = None, *, edges: Any = None, edge_weight: Any = None) -> NDArray[np.float32]:
        """Calibrated probabilities [m, C].

        Args:
            X: node ids of the fitted graph ([m] or [m, 1]), None for all its nodes, another graph, or, with `edges`,
                the features of another graph. After `fit(X, y, edges=…)` the same X again also means all its nodes.
        """
        check_is_fitted(self)
        if edges is not None:
            return self.run_.predict(Graph(x=X, edge_index=edges, edge_weight=edge_weight)).probabilities
        if X is None:
            return self.label_distributions_
        if isinstance(X, Graph) or not hasattr(X, "__len__") or isinstance(X, str) or hasattr(X, "edge_index"):
            return self.run_.predict(X).probabilities
        if self._means_all_nodes(X):
            return self.label_distributions_
        return self.label_distributions_[numbers_of(self.run_.graph, id_column(X))]

    def predict(self, X: Any = None, *, edges: Any = None, edge_weight: Any = None) -> NDArray[Any]:
        """Classes [m]; the argument is that of `predict_proba`."""
        probabilities = self.predict_proba(X, edges=edges, edge_weight=edge_weight)
        return np.asarray(self.classes_[self.run_.classes_of(probabilities)])

    def _graph_to_learn(self, X: Any, y: Any, edges: Any, edge_weight: Any) -> tuple[Graph, NDArray[Any]]:
        """The graph with nothing but the labels to learn from, and the classes."""
        if self.graph is not None:
            if edges is not None or y is None:
                raise InputError("the estimator holds a graph: pass fit(node ids, labels), or leave graph= out")
            graph = as_graph(self.graph)
            codes, classes = encode(y, len(nodes := numbers_of(graph, id_column(X))))
            every = np.full(graph.num_nodes, -1)
            every[nodes] = codes
        elif edges is not None:
            if y is None:
                raise InputError("there is no y to learn from: pass labels [nodes], -1 where unknown")
            graph = Graph(x=X, edge_index=edges, edge_weight=edge_weight)
            self.n_features_in_ = graph.num_features
            every, classes = encode(y, graph.num_nodes)
        else:
            graph = as_graph(X)
            numbered = graph.class_names == tuple(map(str, range(graph.num_classes)))
            by_name = np.append(np.array(graph.class_names), "-1")  # y = -1 reads the last one
            own = graph.y if numbered else by_name[graph.y]
            every, classes = encode(own if y is None else y, graph.num_nodes)
        class_names = tuple(str(name) for name in classes.tolist())
        return replace(graph, y=every, class_names=class_names, splits=None), classes

    def _means_all_nodes(self, X: Any) -> bool:
        """True for the features that were fitted; other features have no neighbours and cannot be read."""
        if not hasattr(self, "n_features_in_") or np.ndim(X) != 2:
            return False
        given, fitted = as_features(X), self.run_.graph.x
        if given.shape == fitted.shape and not (given != fitted).sum():
            return True
        raise InputError("these are not the features that were fitted: pass edges= too, or node numbers [m]")

    def __sklearn_clone__(self) -> LSGNNClassifier:
        """A clone shares the graph, which nothing changes, instead of copying it for every fold."""
        parameters = self.get_params(deep=False)
        others = {name: clone(value, safe=False) for name, value in parameters.items() if name != "graph"}
        return type(self)(graph=self.graph, **others)
