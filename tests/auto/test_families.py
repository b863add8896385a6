"""Which models suit a graph, where they begin and what they vary."""

import numpy as np
import optuna
import pytest

from lsgnn import Graph, LSGNNConfig, zoo
from lsgnn.auto.families import Facts, families
from tests.graphs import random_graph, two_blocks

SHARED = {"feature_norm": "l2", "structure_features": "degrees", "class_weight": "none"}


def found(graph: Graph, metric: str = "accuracy") -> dict:
    return {f.model: f for f in families(Facts(graph, metric), LSGNNConfig(K=2), SHARED)}


def test_a_model_of_directions_is_for_directed_graphs() -> None:
    assert "dir_gnn" in found(random_graph())
    assert "dir_gnn" not in found(two_blocks())


def test_two_hops_of_a_hub_are_too_many() -> None:
    n = 6_000
    star = Graph(x=np.ones((n, 1)), edge_index=np.stack([np.zeros(n - 1, int), np.arange(1, n)]))
    assert "h2gcn" in found(random_graph())
    assert "h2gcn" not in found(star)


def test_every_family_starts_from_what_suits_all_and_can_be_drawn_from() -> None:
    for family in found(random_graph(), "average_precision").values():
        entry = zoo.get(family.model)
        for start in family.starts:
            assert isinstance(start, entry.config)
            assert start.patience > 0
        if family.tunable:
            drawn = family.starts[0].replace(**family.space(optuna.create_study().ask()))
            assert isinstance(drawn, entry.config)
            assert drawn.class_weight in ("none", "balanced")
    assert found(random_graph())["lsgnn"].starts[0].K == 2
    assert found(random_graph())["gprgnn"].starts[0].structure_features == "degrees"


@pytest.mark.parametrize(("directed", "varies"), [(True, True), (False, False)])
def test_direction_is_varied_where_there_is_one(directed: bool, varies: bool) -> None:
    family = found(random_graph() if directed else two_blocks())["gprgnn"]
    assert ("direction" in family.space(optuna.create_study().ask())) is varies


def test_on_a_graph_too_large_for_the_time_of_a_training_run_models_begin_narrow() -> None:
    graph = two_blocks()

    def widths(limit: float) -> dict[str, int]:
        starts = {f.model: f.starts[0] for f in families(Facts(graph, "accuracy", limit), LSGNNConfig(), SHARED)}
        return {model: start.hidden_channels for model, start in starts.items() if hasattr(start, "hidden_channels")}

    assert widths(0.0)["classic"] == widths(60.0)["classic"] == 128
    assert widths(1e-6) == {model: min(width, 16 if model == "lsgnn" else 32) for model, width in widths(0.0).items()}
