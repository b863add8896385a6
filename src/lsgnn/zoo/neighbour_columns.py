"""A node as a row of a table: its own columns, its neighbours' means over some hops each way, and log degrees."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from torch import Tensor

from lsgnn.graph.graph import Features
from lsgnn.graph.sparsity import sparse_if_mostly_zero
from lsgnn.propagate.column_scale import ColumnScale
from lsgnn.zoo.neighbour_labels import label_columns

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Columns:
    """Which columns are made of the features, decided on the training graph and kept as weights of the model.

    Args:
        kept: numbers of features that are read as they are [k].
        mixed: weights [d, m] of further columns, each a mixture of all features.
        two_ways: True if the neighbours out and in are read apart, as on a directed graph.
    """

    kept: Tensor
    mixed: Tensor
    two_ways: Tensor

    @classmethod
    def fitted(cls, x: Features, limit: int, two_ways: bool) -> Columns:
        """All features, if they are at most `limit`; a wider table is reduced to half as many, without any label.

        Trees read dense columns, and their time grows with the number. Tables that someone made by hand are seldom so
        wide; words and embeddings are. Of words, half of the new columns are the most frequent ones and half are
        mixtures, the first singular directions of the scaled table; of embeddings all are mixtures. Both are weights
        of the model, so that new nodes get the same columns.
        """
        d = x.shape[1]
        if d <= limit:
            return cls(torch.arange(d), torch.zeros(d, 0), torch.tensor(two_ways))
        x = sparse_if_mostly_zero(_known(x))
        words = limit // 4 if sp.issparse(x) else 0
        scale = ColumnScale.of(x)
        common = np.argsort(-scale.nonzero, kind="stable")[:words]
        mixed = _directions(x, scale, limit // 2 - words)
        return cls(torch.from_numpy(np.sort(common)), torch.from_numpy(mixed), torch.tensor(two_ways))

    @classmethod
    def of_state(cls, state: Mapping[str, Tensor]) -> Columns:
        return cls(**{field.name: state[field.name] for field in dataclasses.fields(cls)})

    @property
    def state(self) -> dict[str, Tensor]:
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}

    def of(self, x: Features) -> Floats:
        """The columns of these features [n, k + m]; a missing value stays missing, but for mixtures, where it is 0."""
        of_kept: Any = x[:, self.kept.numpy()]
        kept = np.asarray(of_kept.toarray() if sp.issparse(of_kept) else of_kept, dtype=np.float32)
        if not self.mixed.shape[1]:
            return kept
        return np.hstack([kept, np.asarray(_known(x) @ self.mixed.numpy(), dtype=np.float32)])

    def count(self, hops: int) -> int:
        """How many columns the whole table has."""
        ways = 2 if self.two_ways else 1
        return (len(self.kept) + self.mixed.shape[1] + ways) * (1 + ways * hops)


@dataclass(frozen=True)
class TableInputs:
    """What trees read of a graph: its features and edges, as they are; `index` says whose scores are wanted.

    Args:
        x: features [n, d].
        out: adjacency [n, n] without self loops: row i has the nodes that i points to.
        limit: a wider table is reduced, see `Columns.fitted`.
    """

    x: Features
    out: sp.csr_array
    limit: int
    index: Tensor | None = None

    @cached_property
    def columns(self) -> Columns:
        """What a model that is trained on this graph reads of it."""
        return Columns.fitted(self.x, self.limit, two_ways=bool((self.out != self.out.T).nnz))

    def ways(self, columns: Columns) -> list[sp.csr_array]:
        """Adjacencies out and in or, where they are not told apart, of neighbours either way."""
        out = self.out
        return [out, sp.csr_array(out.T)] if columns.two_ways else [sp.csr_array(out.maximum(out.T))]

    def table(self, columns: Columns, hops: int) -> Tensor:
        """A row per wanted node [b, p]: NaN where a value is missing or there is no neighbour to take the mean of."""
        ways = self.ways(columns)
        degrees = [np.log1p(np.asarray(A.sum(axis=1), dtype=np.float32)) for A in ways]
        own = np.hstack([columns.of(self.x), np.stack(degrees, axis=1)])
        blocks = [own]
        for A in ways:
            h = own
            for _ in range(hops):
                h = neighbour_means(A, h)
                blocks.append(h)
        return torch.from_numpy(np.hstack([self._wanted(block) for block in blocks]))

    def label_table(self, columns: Columns, labels: Tensor, num_classes: int) -> Tensor:
        """Further columns of the wanted nodes [b, q]: the classes of neighbours, see `label_columns`."""
        found = label_columns(self.ways(columns), labels.numpy(), num_classes, self.limit)
        return torch.from_numpy(self._wanted(found))

    def _wanted(self, rows: Floats) -> Floats:
        return rows if self.index is None else rows[self.index.numpy()]

    def select(self, index: Tensor) -> Self:
        return dataclasses.replace(self, index=index)

    def to(self, device: torch.device | str) -> Self:
        """Trees are grown and applied where numpy is."""
        return self


def neighbour_means(A: sp.csr_array, h: Floats) -> Floats:
    """Means over the neighbours whose value is known [n, p], weighted if the edges are; NaN where none is."""
    known = ~np.isnan(h)
    total = A @ np.where(known, h, np.float32(0))
    weight = A @ known.astype(np.float32)
    mean: Floats = np.divide(total, weight, out=np.full(h.shape, np.nan, np.float32), where=weight > 0)
    return mean


def _known(x: Features) -> Any:
    """The features with 0 where a value is missing."""
    if sp.issparse(x):
        return x
    return np.nan_to_num(x, nan=0.0) if np.isnan(x).any() else x


def _directions(x: Features, scale: ColumnScale, count: int) -> Floats:
    """Weights [d, m] that make the first principal columns of the scaled table; the seed is fixed, as the table is."""
    from sklearn.utils.extmath import randomized_svd

    factor = np.asarray(scale.factor, dtype=np.float32)
    scaled = sp.csr_array(x @ sp.diags_array(factor)) if sp.issparse(x) else scale.apply(x)
    count = min(count, *scaled.shape)
    _, _, directions = randomized_svd(scaled, count, random_state=0)
    return np.ascontiguousarray(factor[:, None] * directions.T, dtype=np.float32)
