import subprocess
import sys

import torch

from lsgnn.train.without_dynamo import MARK, step, without_dynamo

PROGRAM = """
import sys
from lsgnn import stratified_splits, zoo
from tests.graphs import two_blocks
graph = two_blocks(n=20)
zoo.get("mlp").solve(graph, stratified_splits(graph.y, num_splits=1)[0], zoo.get("mlp").config(epochs=2))
print("torch._dynamo" in sys.modules)
"""


def test_a_model_is_trained_without_importing_torchs_compiler() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_steps_are_torchs_own_and_torch_is_left_as_it_was() -> None:
    ours, theirs = torch.nn.Parameter(torch.ones(2)), torch.nn.Parameter(torch.ones(2))
    with without_dynamo():
        optimizer = torch.optim.Adam([ours], lr=0.1, fused=True)
    plain = torch.optim.Optimizer.add_param_group.__wrapped__
    assert getattr(plain, MARK, None) is not plain
    reference = torch.optim.Adam([theirs], lr=0.1, fused=True)
    for weight in (ours, theirs):
        weight.sum().backward()
    step(optimizer)
    reference.step()
    assert ours.tolist() == theirs.tolist()
    assert ours.tolist() != [1.0, 1.0]
