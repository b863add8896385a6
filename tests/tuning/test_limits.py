import pytest

from lsgnn import LSGNNConfig, zoo
from lsgnn.tuning.limits import limits_of, nearest
from lsgnn.zoo.lsgnn_space import extended_space, paper_space
from lsgnn.zoo.presets import zoo_preset


def test_settings_are_moved_to_the_nearest_that_the_space_has() -> None:
    base = LSGNNConfig(lr=5e-4, weight_decay=0.5, dropout=0.25, beta=0.95, gamma=0.3, similarity="euclidean")
    assert nearest(base.to_dict(), limits_of(paper_space)) == {
        "lr": 1e-3,
        "weight_decay": 0.1,
        "dropout": 0.1,
        "beta": 0.9,
        "gamma": 0.3,
        "similarity": "euclidean",
    }


def test_a_word_that_the_space_does_not_have_is_left_to_the_search() -> None:
    found = nearest(LSGNNConfig(weights="node", K=4).to_dict(), limits_of(extended_space))
    assert "weights" not in found
    assert found["K"] == 3
    assert found["adjacency_embedding"] is False


@pytest.mark.parametrize("model", [name for name in zoo.names() if zoo.get(name).tunable and name != "lsgnn"])
def test_a_search_can_begin_with_every_peers_card(model: str) -> None:
    card, limits = zoo_preset(model, "texas"), limits_of(zoo.get(model).space)
    first = nearest(card.to_dict(), limits)
    assert set(first) <= set(limits)
    assert card.replace(**first).to_dict().items() >= first.items()
