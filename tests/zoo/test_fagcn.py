import math

import torch

from lsgnn.zoo.fagcn import FALayer
from tests.zoo.reading import built


def test_an_isolated_node_keeps_only_its_share_of_the_start() -> None:
    module, inputs = built("fagcn", eps=0.4)
    h0 = module.first(inputs.x).relu()
    torch.testing.assert_close(module(inputs)[-1], module.last(0.4 * h0)[-1], atol=1e-6, rtol=1e-5)


def test_the_gate_is_one_vector_for_both_ends_and_starts_as_wide_as_that() -> None:
    torch.manual_seed(0)
    gate = FALayer(4000, dropout=0.0).gate
    assert gate.weight.shape == (1, 8000)
    assert abs(float(gate.weight.detach().std()) / (1.414 * math.sqrt(2 / 8001)) - 1) < 0.05
    assert gate.bias is not None


def test_gates_are_dropped_in_training_only() -> None:
    module, inputs = built("fagcn", dropout=0.0)
    module.layers[0].dropout = 0.5
    calm = module(inputs)
    torch.testing.assert_close(calm, module(inputs))
    assert not torch.allclose(calm, module.train()(inputs))
