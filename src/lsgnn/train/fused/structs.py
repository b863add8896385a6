"""What the kernels are handed: named tuples of flat arrays and numbers. `layout.py` and `operands.py` fill them.

Letters: b rows that are scored (training rows first, then validation), N nodes that these rows can reach, d features,
z hidden columns (padded), K hops (of two directions: those of either together), C classes, U distinct similarities. The
2K+1 channels stand side by side in blocks of z columns, in the order X, low 1, high 1, low 2, high 2 …; `width` =
(2K+1)·z is the length of one such row.

Indices are uint32: unsigned, so that Numba writes no code for negative ones.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lsgnn.train.fused.vector import Width

Floats = NDArray[np.float32]
Indices = NDArray[np.uint32]


class Shape(NamedTuple):
    """Sizes, and the settings that switch something on or off inside the row kernels."""

    K: int
    z: int  # padded
    alphas: int  # 3K, padded
    C: int
    classes: int  # C, padded to whole vectors
    rows: int  # of Z, b or more
    d: int
    width: int
    train_rows: int
    val_rows: int
    train_chunks: int  # how rows and similarities are cut up for several threads; see `team.py`
    val_chunks: int
    similarity_chunks: int
    node_chunks: int
    n: int  # nodes that the adjacency embedding knows; 0 without it
    blocks: int  # that the output layer reads: K+1, one more with the adjacency embedding
    localsim: bool  # weights from LocalSim; False: 3K numbers for the whole graph
    out_norm: bool
    reduce_norm: int  # see `channel_norm.py`
    hops: int  # over which φ is averaged; 0: it is the row's own
    smoothed: int  # nodes whose φ is averaged; 0 without
    columns: int  # that α's perceptron reads: φ⁰ … φʰ and perhaps the degree
    links_norm_at: int  # where the scale and shift of either batch norm begin among the small parameters
    reduce_norm_at: int
    rows_together: int  # dense: so many are reduced and used at a time; 0: all are reduced before any is scored


class Csr(NamedTuple):
    """A sparse matrix whose row r belongs to node rows[r]; its entries are start[r] … start[r+1]-1."""

    rows: Indices
    start: Indices
    column: Indices
    value: Floats


class Filter(NamedTuple):
    """Â of one direction, in the parts that the narrow reduction multiplies by."""

    outer: Csr  # [b, N] from the scored rows to the nodes they read; row r of Z is node outer.rows[r]
    inner: Csr  # among the nodes that are read
    outer_T: Csr  # transposed, training rows only: its columns are rows of Z
    inner_T: Csr


class Narrow(NamedTuple):
    """Operands of the narrow reduction (see `narrow.py`); N nodes go by their position among those reached."""

    X: Csr  # [N, d]
    XT: Csr  # [blocks · d, N]: the transpose in blocks of nodes, those only that carry a gradient
    forth: Filter
    back: Filter  # against the edges, where both directions are read; else the same again
    unread: int  # the first so many training rows are not read by any other
    coefficients: Floats  # [S+1, width] of Â^s in each column
    tile_column: NDArray[np.int64]  # tiles: first column, number of columns, highest power of Â
    tile_size: NDArray[np.int64]
    tile_top: NDArray[np.int64]
    tile_back: NDArray[np.int64]  # 1 for tiles of hops against the edges
    unit: NDArray[np.int64]  # [units + 1] the tiles that a thread claims at a time, one or two: unit[u] … unit[u+1]-1


class Panels(NamedTuple):
    """The dense reduction's operand (see `dense.py`)."""

    values: Floats  # [2K+1 in the order of the weights, blocks, panels, block, P]
    blocks: int  # of features
    block: int  # features in one, a multiple of Q
    panels: int  # of rows
    together: int  # panels that fit the first-level cache
    rows: Width  # P = its length: a constant for the compiler
    features: Width  # Q


class Links(NamedTuple):
    """Operands of the adjacency embedding."""

    A: Csr  # [n, n] every node's own links, by the nodes' numbers in the graph
    AT: Csr


class Smoothing(NamedTuple):
    """Operands of smoothed LocalSim, of all n nodes by their numbers in the graph; empty without it."""

    step: Csr  # [n, n] the mean over a node and its neighbours
    step_T: Csr


class ScoredRows(NamedTuple):
    """Inputs of the scored rows."""

    node: Indices  # [b] number in the graph, for the dropout hash
    y: Indices  # [b]
    loss_share: Floats  # [b] of a row in the training or the validation loss
    share: Csr  # [b, U]: shares of a row's neighbours by similarity; where LocalSim is smoothed, all nodes' [n, U]
    similarity: Floats  # [U]; those of training rows come first, unless it is smoothed
    share_T: Csr  # [those of training rows, training rows]; where LocalSim is smoothed, [U, n]
    log_degree: Floats  # [b] standardised; empty where it is not read
    smoothing: Smoothing


class Weights(NamedTuple):
    """The parameters, or anything of their shape (moments, gradients, the best so far)."""

    reduce: Floats  # [d, width], tile by tile: a tile of t columns is a contiguous [d, t]
    small: Floats  # everything else in one vector, cut up by `Small`
    links: Floats  # [n, z] the adjacency embedding's, a row per node
    running: Floats  # [2, z] mean and variance of its normalisation: averages, which no optimiser touches
    averages: Floats  # [2, width] the same of the reduced columns; empty without batch norm


class State(NamedTuple):
    """What the optimiser and the selection of the best epoch remember."""

    m1: Weights  # Adam's moments
    m2: Weights
    best: Weights


class Small(NamedTuple):
    """Views into `Weights.small`."""

    ls_in: Floats  # [2, z]   LocalSim's perceptron: for d and d²
    ls_bias: Floats  # [z]
    ls_out: Floats  # [z]
    ls_out_bias: Floats  # [1], padded
    al_in: Floats  # [2 · columns, z]   α's perceptron: for φ and φ², and so on
    al_bias: Floats  # [z]
    al_out: Floats  # [alphas, z]
    al_out_bias: Floats  # [alphas]; with graph-level weights, these are α
    head: Floats  # [C padded to a batch, blocks, z]
    head_bias: Floats  # [C], padded
    links_bias: Floats  # [z]   the adjacency embedding and its normalisation; empty without it
    norm_weight: Floats  # [z]
    norm_bias: Floats  # [z]
    norm_scale: Floats  # [width]   batch norm of the reduced columns; empty without it
    norm_shift: Floats  # [width]


class Hyper(NamedTuple):
    lr: float
    coupled_decay: np.float32  # Adam: weight decay joins the gradient
    shrink: np.float32  # AdamW: weights shrink by this factor each step
    dropout: float
    seed: int
    epochs: int
    patience: int  # 0: never stop early
    rule: int  # what the best epoch is selected by, see `scores.py`
    positive: int  # the class that rankings look for


class Log(NamedTuple):
    """What is known of the epochs so far."""

    history: NDArray[np.float64]  # [epochs, 4] train loss, val loss, val accuracy, any further score
    best: NDArray[np.float64]  # [2] score and validation loss of the best epoch: at first -∞, ∞


class Work(NamedTuple):
    """Buffers that the threads of one training share."""

    Z: Floats  # [b, width] the reduced rows, tile by tile; after the backward pass the gradient of the training rows
    Z_start: NDArray[np.int64]  # [width / vector] where a vector of columns lies in row 0, and how far rows are apart
    Z_stride: NDArray[np.int64]
    f: Floats  # [U] LocalSim's perceptron at the distinct similarities
    phi: Floats  # [hops + 1, n] of all nodes, where LocalSim is smoothed; later the gradient there
    grad_phi: Floats  # [training rows] the gradient at refined LocalSim; where it is smoothed, [hops + 1, n]
    grad_rows: Floats  # [train chunks, small] each chunk's gradient of the small parameters
    grad_reduce: Floats  # [train chunks, 2K+1, d padded, z] the same of the reduction's weights, with `rows_together`
    grad_localsim: Floats  # [similarity chunks, first part of small] the same for LocalSim's perceptron
    al_out_T: Floats  # [z, alphas]
    head_T: Floats  # [blocks · z, classes]
    L: Floats  # [n, z] the adjacency embedding before it is normalised, later the gradient there
    G: Floats  # [training rows, z] the gradient after the normalisation
    norm: Floats  # [4, z] its mean, inverse deviation, scale and shift
    norm_parts: Floats  # [node chunks, z] sums over nodes
    standardized: Floats  # [width / vector, training rows, vector] the reduced rows under batch norm
    inverse_std: Floats  # [width]
    train_parts: NDArray[np.float64]  # [train chunks] loss
    val_parts: NDArray[np.float64]  # [val chunks, 2] loss, rows that are right
    verdict: NDArray[np.int64]  # [3] best epoch, whether it is the latest, whether to end
    logits: Floats  # [b, C] when predicting, or where `scores.py` reads those of validation rows
    keys: NDArray[np.int64]  # [validation rows] for rankings
    counts: NDArray[np.int64]  # [3, C] of scored rows by class


class Scratch(NamedTuple):
    """One thread's own memory: a tile of the narrow reduction, and one row's intermediate values, which are small
    enough to stay in the first-level cache."""

    Y: Floats  # [N, tile] narrow: X W, later outerᵀ G
    Y2: Floats  # [N, tile] X W of the second tile of a pair, later the gradient there
    T0: Floats  # [N, tile]
    T1: Floats  # [N, tile] later the gradient at X W
    grad_tile: Floats  # [d, tile] sums of its weights' gradient, one for each of a pair; dense: of a block, or of all
    grad_small: Floats  # of the rows of one chunk; `Small` has its views
    # of the rows of one batch, B of them
    phi: Floats  # [B, columns] refined LocalSim, and what else α is made of
    grad_phi: Floats  # [columns] of one row
    hidden_in: Floats  # [B, z] of α's perceptron, before and after SiLU, and the sigmoid itself
    sigmoid: Floats
    hidden: Floats
    grad_hidden: Floats
    alpha: Floats  # [B, alphas]
    grad_alpha: Floats
    R: Floats  # [B, 2K+1, z] channels after norm and ReLU
    inverse_norm: Floats  # [2K+1, B]
    Q: Floats  # [B, blocks, z] what the output layer reads, before dropout
    inverse_out_norm: Floats  # [blocks, B]
    mask: Floats  # [B, blocks, z] dropout
    masked_Q: Floats  # [B, blocks, z] after dropout
    grad_Q: Floats  # [B, blocks, z]
    logit: Floats  # [B, classes]
    total: Floats  # [B] of the softmax
    grad_R: Floats  # [2K+1, z] of one row
    parts: Floats  # [sums, vector] of norms and dot products, before `vsums`; sums of B rows, or more of one
    along: Floats  # [sums] dot products of gradients and what they are the gradient at
    dots: Floats  # [3K+1] of one row
