import torch

from lsgnn.zoo.acm_gcn import ACMConv
from tests.zoo.exact import dense, dense_adjacency
from tests.zoo.reading import GRAPH, built

LOW = dense_adjacency(GRAPH, self_loops=True) + torch.eye(40, dtype=torch.float64)
LOW = LOW / LOW.sum(dim=1, keepdim=True)


def test_low_pass_rows_sum_to_one_and_high_pass_rows_to_zero() -> None:
    _, inputs = built("acm_gcn")
    torch.testing.assert_close(dense(inputs.low), LOW.float())
    torch.testing.assert_close((torch.eye(40) - dense(inputs.low)).sum(dim=1), torch.zeros(40), atol=1e-6, rtol=0)


def test_the_residual_reads_the_features_as_the_first_layer_does_dropped() -> None:
    module, inputs = built("acm_gcn", variant="++", dropout=0.5)
    seen: dict[str, torch.Tensor] = {}
    module.conv1.register_forward_hook(lambda layer, given, out: seen.update(conv=given[0]))
    module.residual.register_forward_hook(lambda layer, given, out: seen.update(residual=given[0]))
    module.train()(inputs)
    assert seen["conv"] is seen["residual"]
    assert not torch.equal(dense(seen["conv"]), dense(inputs.x))


def test_mixing_weights_sum_to_one() -> None:
    conv = ACMConv(5, 7)
    weights = conv.mixing_weights(torch.randn(3, 11, 7))
    torch.testing.assert_close(weights.sum(dim=0), torch.ones(11))


def test_plus_without_structure_is_the_plain_model() -> None:
    plain, inputs = built("acm_gcn")
    plus, same = built("acm_gcn", variant="+", structure=False)
    torch.testing.assert_close(plain(inputs), plus(same), atol=0, rtol=0)
