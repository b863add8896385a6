"""Which reduction is cheaper? A small cost model, in nanoseconds per hidden column and epoch on one core.

Narrow: every stored feature is multiplied by 2K+1 blocks of weights, and every edge carries 2·(1 + 2 + … + K) blocks
down the levels of Horner's rule; both again, transposed, for the gradient. Dense: the stack's rows times d, forward for
all scored rows, backward for those that train. A stack beyond `LARGEST_STACK` is not formed unless asked for.
"""

from __future__ import annotations

from typing import Literal

import scipy.sparse as sp

from lsgnn.config import LSGNNConfig
from lsgnn.errors import InputError
from lsgnn.propagate.precompute import Precomputed

Path = Literal["auto", "narrow", "dense"]

SPARSE_NS = 0.10  # per stored entry and column: one load and one multiply-add, at addresses that jump
DENSE_NS = 0.06  # the same where addresses run on; both measured on one core of an EPYC with AVX-512
LARGEST_STACK = 4 << 30  # bytes


def chosen_path(pre: Precomputed, config: LSGNNConfig, train_rows: int, val_rows: int, path: Path = "auto") -> Path:
    """`narrow` or `dense`; the user's choice, if any, wins."""
    if path not in ("auto", "narrow", "dense"):
        raise InputError(f"path={path!r} is not a choice: use 'auto', 'narrow' or 'dense'")
    if path != "auto":
        return path
    n, d = pre.x.shape
    K, stored = config.K, sp.csr_array(pre.x).nnz if sp.issparse(pre.x) else n * d
    narrow = 2 * ((2 * K + 1) * stored + K * (K + 1) * pre.adj.nnz) * SPARSE_NS
    dense = (2 * K + 1) * (2 * train_rows + val_rows) * d * DENSE_NS
    stack = (2 * K + 1) * (train_rows + val_rows) * d * 4
    return "dense" if dense < narrow and stack <= LARGEST_STACK else "narrow"
