"""Which reduction is cheaper? A small cost model, in nanoseconds per hidden column and epoch on one core.

Narrow: every stored feature is multiplied by 2K+1 blocks of weights, and every edge carries 2·(1 + 2 + … + K) blocks
down the levels of Horner's rule; both again, transposed, for the gradient. Dense: the stack's rows times d, forward for
all scored rows, backward for those that train. A stack beyond `LARGEST_STACK` is not formed unless asked for.
"""

from __future__ import annotations

from typing import Literal

import scipy.sparse as sp
import torch

from lsgnn.config import LSGNNConfig
from lsgnn.errors import InputError
from lsgnn.propagate.precompute import Precomputed

Path = Literal["auto", "narrow", "dense"]

SPARSE_NS = 0.065  # per stored entry and column: one load and one multiply-add, at addresses that jump
DENSE_NS = 0.04  # the same where addresses run on; both measured on one core with AVX-512
LARGEST_STACK = 4 << 30  # bytes
ROW_NS = 0.02  # of the rows: per class and column, forward once and backward twice
LEAST_NS = 400_000  # that an epoch should cost for each thread: below it, meeting the others costs more than they save


def chosen_path(pre: Precomputed, config: LSGNNConfig, train_rows: int, val_rows: int, path: Path = "auto") -> Path:
    """`narrow` or `dense`; the user's choice, if any, wins."""
    if path not in ("auto", "narrow", "dense"):
        raise InputError(f"path={path!r} is not a choice: use 'auto', 'narrow' or 'dense'")
    if path != "auto":
        return path
    narrow, dense = (reduction_ns(pre, config, train_rows, val_rows, path) for path in ("narrow", "dense"))
    stack = (2 * config.num_hops + 1) * (train_rows + val_rows) * pre.x.shape[1] * 4
    return "dense" if dense < narrow and stack <= LARGEST_STACK else "narrow"


def reduction_ns(pre: Precomputed, config: LSGNNConfig, train_rows: int, val_rows: int, path: Path) -> float:
    """Per hidden column and epoch."""
    (n, d), K, blocks = pre.x.shape, config.K, 2 * config.num_hops + 1
    if path == "dense":
        return float(blocks * (2 * train_rows + val_rows) * d * DENSE_NS)
    stored = sp.csr_array(pre.x).nnz if sp.issparse(pre.x) else n * d
    edges = sum(adj.nnz for adj in pre.filters)
    return float(2 * (blocks * stored + K * (K + 1) * edges) * SPARSE_NS)


def chosen_threads(
    threads: int | None, pre: Precomputed, config: LSGNNConfig, train_rows: int, val_rows: int, C: int, path: Path
) -> int:
    """How many threads one training takes: as many as torch would (all cores, `OMP_NUM_THREADS`,
    `torch.set_num_threads`) unless told, but no more than have enough to do. Results do not depend on it."""
    if threads is not None and threads < 1:
        raise InputError(f"threads={threads} is out of range: it must be at least 1")
    if threads is not None:
        return threads
    columns = (config.num_hops + 1) * config.hidden_channels
    rows = (3 * train_rows + val_rows) * columns * (C + 2 * config.num_hops + 1) * ROW_NS
    cost = reduction_ns(pre, config, train_rows, val_rows, path) * config.hidden_channels + rows
    return max(1, min(torch.get_num_threads(), int(cost / LEAST_NS)))
