import torch

from tests.zoo.reading import built


def test_keeping_all_of_every_hop_makes_it_gprgnn_with_ones() -> None:
    dagnn, inputs = built("dagnn", K=3, dropout=0.5)
    gprgnn, _ = built("gprgnn", K=3)
    with torch.no_grad():
        dagnn.retain.bias.fill_(50.0)  # σ(50) = 1
        gprgnn.gamma.fill_(1.0)
    gprgnn.mlp.load_state_dict(dagnn.mlp.state_dict())
    torch.testing.assert_close(dagnn(inputs), gprgnn(inputs), atol=1e-6, rtol=1e-5)
