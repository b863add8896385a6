"""ASGC: a least-squares polynomial for every raw column, then logistic regression with penalty ½ ‖W‖²."""

import torch
from torch.nn import functional as F

from tests.zoo.official.dense import Dense, Weights, symmetric_norm

TRAINED = True
SETTINGS = [{"search": False, "K": K, "ridge": R} for K, R in ((1, 1e-4), (2, 0.1), (4, 1.0))]


def logits(w: Weights, graph: Dense, config):
    A, n = graph.both_ways, len(graph.x)
    S = symmetric_norm(A + torch.diag((A.sum(dim=1) == 0).to(A.dtype)))
    penalty = torch.zeros(1, config.K + 1, dtype=A.dtype)
    penalty[0, 0] = (n * config.ridge) ** 0.5
    columns = []
    for x in graph.x.t():
        T = torch.stack([torch.linalg.matrix_power(S, k) @ x for k in range(config.K + 1)], dim=1)
        c = torch.linalg.pinv(torch.cat([T, penalty])) @ torch.cat([x, penalty.new_zeros(1)])
        columns.append(T @ c)
    x = torch.stack(columns, dim=1)
    W, b = regression(x[graph.train], graph.y[graph.train], w["bias"].shape[0])
    return x @ W + b


def regression(x, y, num_classes):
    """The minimum of the summed loss and ½ ‖W‖², by Newton-like steps until nothing moves."""
    W = torch.zeros(x.shape[1], num_classes, dtype=x.dtype, requires_grad=True)
    b = torch.zeros(num_classes, dtype=x.dtype, requires_grad=True)
    solver = torch.optim.LBFGS([W, b], max_iter=500, tolerance_grad=1e-10, line_search_fn="strong_wolfe")

    def loss():
        solver.zero_grad()
        total = F.cross_entropy(x @ W + b, y, reduction="sum") + 0.5 * W.square().sum()
        total.backward()
        return total

    solver.step(loss)
    return W.detach(), b.detach()
