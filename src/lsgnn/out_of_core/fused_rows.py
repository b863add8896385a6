"""Some labelled nodes of a store → a `Task` of the fused engine, which trains on them or scores them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from torch import Tensor

from lsgnn.memory import require_memory
from lsgnn.out_of_core.row_kernels import pack_rows, shares_on_grid, similarity_range, transposed
from lsgnn.out_of_core.rows import StoredRows
from lsgnn.propagate.aligned import aligned
from lsgnn.train.fused.dense import register_rows
from lsgnn.train.fused.layout import DEGREE_SCALE, SIMILARITY_SCALE, Layout
from lsgnn.train.fused.operands import NO_FLOATS, NO_SMOOTHING, NOTHING, as_csr, power_coefficients, standardized
from lsgnn.train.fused.packed import BYTES_TOGETHER, feature_blocks
from lsgnn.train.fused.similarity_table import POINTS
from lsgnn.train.fused.structs import Csr, Floats, Panels, ScoredRows, Weights
from lsgnn.train.fused.task import Task
from lsgnn.train.interruptible import together

Places = NDArray[np.int64]
FEWER_ROWS = "take a smaller batch_size"
Shares = tuple[Csr, Csr, Floats]  # of each row, the same by similarity, and the similarities


class FusedRows:
    """The rows of a store as the fused engine reads them; one batch at a time, because batches share their memory.

    Args:
        scales: the `state_dict` of the model, which knows the scales of what is standardised.
    """

    def __init__(self, rows: StoredRows, layout: Layout, scales: Mapping[str, Tensor], threads: int) -> None:
        self.rows, self.layout, self.threads = rows, layout, threads
        self.scales = {name: scales[name] for name in (SIMILARITY_SCALE, DEGREE_SCALE) if name in scales}
        self._coefficients = power_coefficients(rows.config)
        self._room = aligned(0)  # for the channels of the largest batch so far

    def task(self, places: Places, y: NDArray[np.int64], loss_share: Floats, weights: Weights, learns: bool) -> Task:
        """Rows to train on, or to score, with these weights.

        Args:
            places: of the nodes among the labelled ones.
            y: their classes.
            loss_share: what each counts in the loss.
        """
        nodes = np.asarray(self.rows.files["labelled"][places])
        H, packing = self._panels(places)
        shares: list[Shares] = []
        together([*packing, lambda: shares.append(self._shares(nodes, learns))])
        share, share_T, similarity = shares[0]
        rows = ScoredRows(
            node=nodes.astype(np.uint32),
            y=y.astype(np.uint32),
            loss_share=loss_share,
            share=share,
            similarity=similarity,
            share_T=share_T,
            log_degree=self._log_degree(nodes),
            smoothing=NO_SMOOTHING,
        )
        train_rows = len(places) if learns else 0
        return Task(self.layout, rows, train_rows, 0, None, H, None, weights, self.threads)

    def _panels(self, places: Places) -> tuple[Panels, list[Callable[[], None]]]:
        """The channels at these places, and what is to be done to fill them."""
        (rows, features), basis, d = register_rows(), self.rows.files["rows"], self.layout.d
        P, (blocks, block), channels = len(rows), feature_blocks(d, len(features)), 2 * self.layout.K + 1
        panels, size = -(-len(places) // P), block * P
        needed = channels * blocks * panels * size
        if needed > len(self._room):
            require_memory(4 * needed, f"a batch of {len(places)} rows of {d} features", FEWER_ROWS)
            self._room = aligned(needed)
        values = self._room[:needed]
        out = values.reshape(channels, blocks, panels, size)
        bits = basis.view(np.uint16) if basis.dtype == np.float16 else basis

        def work_of(number: int) -> Callable[[], None]:
            first, end = (panels * n // self.threads for n in (number, number + 1))
            tile = aligned(len(self._coefficients), size)
            return lambda: pack_rows(bits, places, self._coefficients, out, P, first, end, tile)

        H = Panels(values, blocks, block, panels, max(1, BYTES_TOGETHER // (4 * size)), rows, features)
        return H, [work_of(number) for number in range(self.threads)]

    def _shares(self, nodes: Places, learns: bool) -> Shares:
        """Which share of its neighbours has which similarity; where these are many, by way of points on a grid."""
        if not self.layout.localsim:
            return NOTHING, NOTHING, NO_FLOATS
        first, last = self._edges_of(nodes)
        count = int((last - first).sum())
        if count <= POINTS:
            exact = self.rows.similarities(nodes)
            by_similarity = as_csr(sp.csr_array(exact.share.T)) if learns else NOTHING
            return as_csr(exact.share), by_similarity, self._standardized(exact.values)
        similarity, ends = self.rows.files["similarity"], np.zeros(2)
        weights = self.rows.files.get("weights", NO_FLOATS)
        similarity_range(first, last, similarity, ends)
        share, step = _csr(len(nodes), 2 * count), float(ends[1] - ends[0]) / (POINTS - 1)
        grid = float(ends[0]), step, POINTS
        shares_on_grid(first, last, similarity, weights, *grid, share.start, share.column, share.value)
        share_T = _csr(POINTS, 2 * count) if learns else NOTHING
        if learns:
            transposed(share.start, share.column, share.value, share_T.start, share_T.column, share_T.value)
        return share, share_T, self._standardized(np.linspace(ends[0], ends[1], POINTS).astype(np.float32))

    def _edges_of(self, nodes: Places) -> tuple[Places, Places]:
        indptr = self.rows.files["indptr"]
        return indptr[nodes].astype(np.int64), indptr[nodes + 1].astype(np.int64)

    def _standardized(self, similarity: Floats) -> Floats:
        return standardized(similarity, self.scales.get(SIMILARITY_SCALE))

    def _log_degree(self, nodes: Places) -> Floats:
        if DEGREE_SCALE not in self.scales:
            return NO_FLOATS
        first, last = self._edges_of(nodes)
        return standardized(np.log1p(last - first).astype(np.float32), self.scales[DEGREE_SCALE])


def _csr(rows: int, entries: int) -> Csr:
    """Room for a sparse matrix."""
    start, column = np.zeros(rows + 1, np.uint32), np.zeros(entries, np.uint32)
    return Csr(np.arange(rows, dtype=np.uint32), start, column, np.zeros(entries, np.float32))
