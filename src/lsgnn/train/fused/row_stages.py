"""The two stages that go over rows: one scores validation rows, one learns from training rows.

Both are compiled on their own, in a process beside the one that compiles the rest of the loop (`variant.py`), which
calls them by their addresses.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lsgnn.compiled import entry_point, inlined
from lsgnn.train.fused.dense import add_gradient, reduce_panels
from lsgnn.train.fused.fusion import fusion_weights, fusion_weights_backward
from lsgnn.train.fused.links import links_block, links_block_backward
from lsgnn.train.fused.output import classify, classify_backward, cross_entropy, softmax_gradient
from lsgnn.train.fused.rows import backward, draw_mask, forward
from lsgnn.train.fused.structs import Hyper, Links, Panels, ScoredRows, Scratch, Shape, Small, Weights, Work
from lsgnn.train.fused.team import ROWS, Team, bounds, claim, meet
from lsgnn.train.fused.vector import BATCH, Width, vload, vstore

u32 = np.uint32


@inlined
def mixed(h: Any) -> Any:
    """Wellons' lowbias32: every bit of the result depends on every bit of h."""
    h = u32(u32(h ^ (h >> u32(16))) * u32(0x7FEB352D))
    h = u32(u32(h ^ (h >> u32(15))) * u32(0x846CA68B))
    return u32(h ^ (h >> u32(16)))


@inlined
def rows_of(chunk: int, chunks: int, first_row: int, count: int, H: Panels | None) -> tuple[int, int]:
    """From where to where a chunk of so many rows reaches; the dense reduction's panels are never cut apart."""
    if H is None:
        first, end = bounds(chunk, chunks, count)
        return first_row + first, first_row + end
    P = len(H.rows)
    panel = first_row // P
    first, end = bounds(chunk, chunks, -(-(first_row + count) // P) - panel)
    return max(first_row, (panel + first) * P), min(first_row + count, (panel + end) * P)


@inlined
def end_together(row: int, end: int, H: Panels | None, shape: Shape) -> int:
    """The end of the rows that are done in one go from `row` on, by default all of a chunk's."""
    if H is not None and shape.rows_together > 0:
        return min(end, row - row % len(H.rows) + shape.rows_together)
    return end


@inlined
def reduce_some(first: int, end: int, H: Panels | None, p: Weights, work: Work, shape: Shape, w: Width) -> None:
    """Z at rows first … end-1, unless all rows have been reduced before."""
    if H is not None and shape.rows_together > 0:
        reduce_panels(H, first // len(H.rows), -(-end // len(H.rows)), p.reduce, work, shape, w)


@entry_point(None)
def evaluate(
    H: Panels | None, links: Links | None, rows: ScoredRows, p: Weights, q: Small, work: Work, s: Scratch,
    shape: Shape, team: Team, w: Width,
) -> None:  # fmt: skip
    """Cross entropy and hits of the validation rows, without dropout; keeps their logits if there is room."""
    masked = False
    chunk = claim(team, ROWS)
    while chunk < shape.val_chunks:
        row, end = rows_of(chunk, shape.val_chunks, shape.train_rows, shape.val_rows, H)
        loss, correct, reduced = 0.0, 0, row
        while row < end:
            if row == reduced:
                reduced = end_together(row, end, H, shape)
                reduce_some(row, reduced, H, p, work, shape, w)
            count = min(len(BATCH), reduced - row)
            fusion_weights(row, count, rows, work, q, s, shape, w)
            for i in range(count):
                r = row + i
                if links is not None:
                    links_block(i, rows.node[r], work, s, shape, w)
            forward(row, count, q, work, s, masked, shape, w)
            classify(q, work, s, s.Q, shape, w)
            for i in range(count):
                r = row + i
                if work.logits.shape[0] > 0:
                    for c in range(shape.C):
                        work.logits[r * shape.C + c] = s.logit[i * shape.classes + c]
                row_loss, hit = cross_entropy(i, s, rows.y[r], shape, w)
                loss += rows.loss_share[r] * row_loss
                correct += hit
            row += count
        work.val_parts[2 * chunk], work.val_parts[2 * chunk + 1] = loss, correct
        chunk = claim(team, ROWS)
    meet(team)


@entry_point(None)
def train_rows(
    H: Panels | None, links: Links | None, rows: ScoredRows, p: Weights, q: Small, g: Small, work: Work, s: Scratch,
    hyper: Hyper, epoch: int, shape: Shape, team: Team, w: Width,
) -> None:  # fmt: skip
    """The training loss; its gradient goes into work.grad_rows (small parameters), work.grad_phi and the training rows
    of work.Z; where rows are reduced a few at a time, on to work.grad_reduce. A chunk sums up in g and s.grad_tile, the
    thread's own."""
    dropout, size = hyper.dropout, s.grad_small.shape[0]
    masked, salt = dropout > 0, mixed(u32(u32(hyper.seed) ^ mixed(u32(epoch))))
    chunk = claim(team, ROWS)
    while chunk < shape.train_chunks:
        row, end = rows_of(chunk, shape.train_chunks, 0, shape.train_rows, H)
        loss, first, reduced = 0.0, row, row
        for x in range(size):
            s.grad_small[x] = 0
        if H is not None and shape.rows_together > 0:
            for x in range(s.grad_tile.shape[0]):
                s.grad_tile[x] = 0
        while row < end:
            if row == reduced:
                first, reduced = row, end_together(row, end, H, shape)
                reduce_some(first, reduced, H, p, work, shape, w)
            count = min(len(BATCH), reduced - row)
            fusion_weights(row, count, rows, work, q, s, shape, w)
            for i in range(count):
                r = row + i
                if masked:
                    base = mixed(u32(salt ^ u32(rows.node[r] * u32(0x9E3779B9))))
                    draw_mask(i, s, base, dropout, shape, w)
                if links is not None:
                    links_block(i, rows.node[r], work, s, shape, w)
            forward(row, count, q, work, s, masked, shape, w)
            seen = s.masked_Q if masked else s.Q
            classify(q, work, s, seen, shape, w)
            for i in range(count):
                r = row + i
                loss += rows.loss_share[r] * cross_entropy(i, s, rows.y[r], shape, w)[0]
                softmax_gradient(i, s, rows.y[r], rows.loss_share[r], shape, w)
            classify_backward(count, q, g, s, seen, shape, w)
            backward(row, count, g, work, s, masked, shape, w)
            for i in range(count):
                if links is not None:
                    links_block_backward(i, row + i, rows.node[row + i], g, work, s, shape, w)
            fusion_weights_backward(row, count, rows, work, q, g, s, shape, w)
            row += count
            if H is not None and shape.rows_together > 0 and row == reduced:
                for number in range((2 * shape.K + 1) * H.blocks):
                    at = number * H.block * shape.z
                    add_gradient(H, first, reduced, number, s.grad_tile, at, work, shape, w)
        if H is not None and shape.rows_together > 0:
            for x in range(0, s.grad_tile.shape[0], len(w)):
                vstore(work.grad_reduce, chunk * s.grad_tile.shape[0] + x, vload(s.grad_tile, x, w))
        work.train_parts[chunk] = loss
        for x in range(0, size, len(w)):
            vstore(work.grad_rows, chunk * size + x, vload(s.grad_small, x, w))
        chunk = claim(team, ROWS)
    meet(team)
