import pytest
import torch

from lsgnn.errors import InputError
from lsgnn.zoo.gprgnn import GPRGNNConfig, initial_gamma
from tests.zoo.reading import built


@pytest.mark.parametrize("alpha", [0.0, 0.1, 0.9, 1.0])
def test_the_pagerank_start_sums_to_one(alpha: float) -> None:
    gamma = initial_gamma(10, alpha, "ppr")
    assert gamma.shape == (11,)
    assert float(gamma.sum()) == pytest.approx(1.0)


def test_the_other_starts_are_those_of_the_paper() -> None:
    assert initial_gamma(3, 2.0, "sgc").tolist() == [0, 0, 1, 0]
    assert initial_gamma(2, 0.5, "nppr").tolist() == pytest.approx([4 / 7, 2 / 7, 1 / 7])
    assert float(initial_gamma(5, 0.0, "random").abs().sum()) == pytest.approx(1.0)


def test_with_all_weight_on_hop_zero_it_is_its_mlp() -> None:
    module, inputs = built("gprgnn", alpha=1.0)
    torch.testing.assert_close(module(inputs), module.mlp(inputs.x))


def test_with_its_start_frozen_it_is_appnp() -> None:
    gpr, inputs = built("gprgnn", K=6, alpha=0.2)
    appnp, _ = built("appnp", K=6, alpha=0.2)
    without = {name: torch.zeros(len(b)) for name, b in gpr.mlp.state_dict().items() if name.endswith("bias")}
    gpr.mlp.load_state_dict({**appnp.mlp.state_dict(), **without})
    torch.testing.assert_close(gpr(inputs), appnp(inputs), atol=1e-6, rtol=1e-5)


def test_gamma_and_localsim_have_no_weight_decay() -> None:
    for weights in ("original", "localsim"):
        module, _ = built("gprgnn", weights=weights)
        decayed, spared = module.parameter_groups(5e-4)
        assert {id(p) for p in decayed["params"]} == {id(p) for p in module.mlp.parameters()}
        assert spared["weight_decay"] == 0.0


def test_a_start_at_hop_needs_a_whole_number() -> None:
    with pytest.raises(InputError, match=r"alpha=0.5 is out of range: it must be a whole number from 0 to K=10"):
        GPRGNNConfig(init="sgc", alpha=0.5)
