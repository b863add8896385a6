"""`LSGNNRowClassifier`: what is left of LSGNN when there is no graph, as an ordinary scikit-learn classifier."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from lsgnn.errors import InputError
from lsgnn.estimators.inputs import config_of, hold_out, seed_of
from lsgnn.graph.graph import Graph
from lsgnn.nn.rows import DenseChannels, Rows
from lsgnn.propagate.feature_norm import normalize_features
from lsgnn.propagate.precompute import mixing
from lsgnn.softmax import softmax


class LSGNNRowClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """LSGNN on a graph without edges: every row for itself.

    Without neighbours every hop is a multiple of the features and LocalSim is 0, so one hop and one weight per channel
    say it all: reduce, normalise, ReLU, mix, classify. It answers the question that comes before any graph model: what
    do the features alone give, with the same code, selection and calibration? Columns are standardised, and a constant
    one is added, because the model scales every row to length one.

    Args:
        hidden_channels, dropout, lr, weight_decay, epochs, patience, beta, out_norm: as in `LSGNNConfig`.
        validation_fraction: share of the rows, class by class, that choose the epoch and calibrate.
        random_state: seed of the held-out rows and the training.

    Attributes:
        classes_: the classes in sorted order [C].
        mean_, scale_: of each column [d].
        run_: the `lsgnn.Run` behind it.
    """

    def __init__(
        self,
        *,
        hidden_channels: int = 16,
        dropout: float = 0.5,
        lr: float = 0.01,
        weight_decay: float = 5e-4,
        epochs: int = 200,
        patience: int = 0,
        beta: float = 0.5,
        out_norm: bool = True,
        validation_fraction: float = 0.2,
        random_state: Any = None,
    ) -> None:
        self.hidden_channels = hidden_channels
        self.dropout = dropout
        self.lr = lr
        self.weight_decay = weight_decay
        self.epochs = epochs
        self.patience = patience
        self.beta = beta
        self.out_norm = out_norm
        self.validation_fraction = validation_fraction
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> LSGNNRowClassifier:
        from lsgnn.runs.fit import fit

        X, y = validate_data(self, X, y, dtype=np.float64)
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise InputError(f"y holds only one class, {self.classes_[0]!r}: pass labels of two or more classes")
        self.mean_ = X.mean(axis=0)
        deviation = X.std(axis=0)
        self.scale_ = np.where(deviation > 0, deviation, 1.0)
        graph = Graph(x=self._columns(X), edge_index=np.zeros((2, 0), np.int64), y=codes, name="rows")
        settings = self.get_params(deep=False)
        settings = {name: settings[name] for name in settings if name not in ("validation_fraction", "random_state")}
        seed = seed_of(self.random_state)
        config = config_of(settings | {"K": 1, "weights": "graph"}, seed)
        self.run_ = fit(graph, config, split=hold_out(codes, self.validation_fraction, seed), engine="torch")
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Calibrated probabilities [b, C]; double precision, so that a row's answer never depends on other rows."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        x = np.asarray(normalize_features(self._columns(X), "l2"), dtype=np.float64)
        hop = mixing(self.run_.config)[:, 0, 0]  # without neighbours the powers of Â beyond the zeroth vanish
        stack = torch.from_numpy(np.stack([x, hop[0] * x, hop[1] * x]))
        model = copy.deepcopy(self.run_.module).double()
        with torch.no_grad():
            logits = model(Rows(DenseChannels(stack), self.run_.rows.neighbours)).numpy()
        return np.asarray(softmax(logits / self.run_.temperature, axis=1))

    def predict(self, X: Any) -> NDArray[Any]:
        probabilities = self.predict_proba(X)
        return np.asarray(self.classes_[self.run_.classes_of(probabilities)])

    def _columns(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Standardised columns and a constant one [b, d+1]."""
        return np.column_stack([(X - self.mean_) / self.scale_, np.ones(len(X))])
