"""PetarV-/GAT: masked softmax over a node and its neighbours."""

import torch
from torch import Tensor
from torch.nn import functional as F

from tests.zoo.official.dense import Dense, Weights, sum_to_one, with_one_loop

SETTINGS = [{"heads": 2, "hidden_channels": 4}, {"heads": 3, "hidden_channels": 2, "out_heads": 2}]


def attend(h: Tensor, of_i: Tensor, of_j: Tensor, A: Tensor) -> Tensor:
    """One head: h is transformed already."""
    score = F.leaky_relu((h @ of_i)[:, None] + (h @ of_j)[None, :], 0.2)
    return torch.softmax(score.masked_fill(A == 0, float("-inf")), dim=1) @ h


def layer(h: Tensor, w: Weights, name: str, A: Tensor) -> list[Tensor]:
    to, of = w[f"{name}.att_dst"][0], w[f"{name}.att_src"][0]
    return [attend(part, to[k], of[k], A) for k, part in enumerate(h.chunk(len(to), dim=1))]


def logits(w: Weights, graph: Dense, config):
    A = with_one_loop(graph.both_ways)
    h = torch.cat(layer(sum_to_one(graph.x) @ w["linear.weight"], w, "attend", A), dim=1)
    h = F.elu(h + w["attend.bias"])
    return torch.stack(layer(h @ w["out.lin.weight"].t(), w, "out", A)).mean(dim=0) + w["out.bias"]
