import torch

from lsgnn.zoo.layers import DefaultLinear, FeatureLinear, FeatureMLP, decay_only, kernels


def test_feature_linear_is_x_w_plus_b() -> None:
    linear = FeatureLinear(3, 2)
    x = torch.tensor([[1.0, 0.0, 2.0]])
    with torch.no_grad():
        linear.weight.copy_(torch.tensor([[1.0, 2.0], [5.0, 5.0], [0.5, -1.0]]))
        linear.bias.copy_(torch.tensor([0.25, 0.0]))
    assert linear(x).tolist() == [[2.25, 0.0]]
    assert str(linear) == "FeatureLinear(3, 2, bias=True)"


def test_weights_start_within_glorots_bound() -> None:
    weight = FeatureLinear(90, 60).weight.detach()
    assert 0.9 * (6 / 150) ** 0.5 < float(weight.abs().max()) <= (6 / 150) ** 0.5


def test_torchs_own_start_is_uniform_within_one_over_the_root_of_its_inputs() -> None:
    linear, theirs = DefaultLinear(90, 60), torch.nn.Linear(90, 60)
    for ours, other in ((linear.weight, theirs.weight), (linear.bias, theirs.bias)):
        for parameter in (ours.detach(), other.detach()):
            assert 0.9 / 90**0.5 < float(parameter.abs().max()) <= 1 / 90**0.5


def test_weight_decay_goes_to_the_named_parameters_only() -> None:
    mlp = FeatureMLP(4, 3, 2)
    first, others = decay_only(mlp, mlp.first_layer, 0.1)
    assert [tuple(p.shape) for p in first["params"]] == [(4, 3), (3,)]
    assert [tuple(p.shape) for p in others["params"]] == [(3, 2), (2,)]
    assert (first["weight_decay"], others["weight_decay"]) == (0.1, 0.0)
    assert [tuple(p.shape) for p in kernels(mlp)] == [(4, 3), (3, 2)]
