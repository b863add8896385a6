"""What a training run costs, by estimate, and how many epochs a probe can afford."""

from dataclasses import replace

import pytest

from lsgnn import stratified_splits
from lsgnn.config import LSGNNConfig
from lsgnn.runs.probe_cost import (
    FURTHER,
    LEAST,
    SECONDS,
    SEEDS,
    Budget,
    Size,
    affordable_members,
    affordable_width,
    begin_seconds,
    epoch_seconds,
    narrowed,
    run_seconds,
)
from lsgnn.runs.stages import Stage
from tests.graphs import two_blocks

SIZE = Size(nodes=10_000, edges=50_000, stored=100_000, columns=1_000, classes=5, train=5_000, val=3_000)
CONFIG = LSGNNConfig(K=2, hidden_channels=16, epochs=100)


def test_a_size_counts_the_graph_and_the_rows_that_are_scored() -> None:
    graph = two_blocks()
    split = stratified_splits(graph.y)[0]
    size = Size.of(graph, split)
    assert (size.nodes, size.edges, size.columns) == (graph.num_nodes, graph.num_edges, graph.num_features)
    assert (size.train, size.val) == (split.train.sum(), split.val.sum())


@pytest.mark.parametrize(
    "dearer", [{"K": 5}, {"hidden_channels": 64}, {"adjacency_embedding": True}, {"direction": "both"}]
)
def test_more_hops_columns_and_links_cost_more(dearer: dict[str, object]) -> None:
    assert epoch_seconds(SIZE, CONFIG.replace(**dearer)) > 1.2 * epoch_seconds(SIZE, CONFIG)


def test_many_classes_cost_more_and_dense_features_no_more_than_their_channels() -> None:
    assert epoch_seconds(replace(SIZE, classes=40), CONFIG) > 1.5 * epoch_seconds(SIZE, CONFIG)
    few = replace(SIZE, columns=4, stored=40_000, edges=10**7)
    assert epoch_seconds(few, CONFIG) == epoch_seconds(replace(few, edges=10**8), CONFIG)


def test_a_run_is_its_beginning_and_its_epochs() -> None:
    assert run_seconds(SIZE, CONFIG) == pytest.approx(begin_seconds(SIZE) + 100 * epoch_seconds(SIZE, CONFIG))


def test_a_budget_is_shared_by_all_candidates_and_their_training_runs() -> None:
    budget = Budget(SIZE, deals=2, seconds=60.0)
    epochs = budget.epochs([CONFIG] * 5)
    spent = 2 * 5 * run_seconds(SIZE, CONFIG.replace(epochs=epochs))
    assert 0.95 * 60 < spent <= 60
    assert budget.epochs([CONFIG] * 5, share=0.5) < epochs
    assert budget.epochs([CONFIG] * 10_000) == LEAST


def test_a_probe_may_cost_twice_the_run_that_it_is_for_but_seconds_anyway() -> None:
    assert Budget.towards(SIZE, 1, CONFIG.replace(epochs=1)).seconds == SECONDS
    long = CONFIG.replace(epochs=100_000)
    assert Budget.towards(SIZE, 1, long).seconds == pytest.approx(2 * run_seconds(SIZE, long))


def test_a_wide_layer_is_for_graphs_where_it_takes_seconds() -> None:
    widths = [affordable_width(replace(SIZE, train=train), CONFIG) for train in (10**3, 8 * 10**4, 10**6)]
    assert widths == [64, 32, 16]


def test_a_wide_option_is_as_wide_as_the_hops_that_were_chosen_leave_time_for() -> None:
    stage = Stage("learning", ({"hidden_channels": 16}, {"hidden_channels": 64}, {"hidden_channels": 64, "K": 5}))
    large = replace(SIZE, train=50_000)

    def widths(size: Size, hops: int) -> list[int]:
        found = narrowed(stage, size, CONFIG.replace(K=hops))
        return [option["hidden_channels"] for option in found.options]

    assert widths(SIZE, 2) == [16, 64, 64]
    assert widths(large, 2) == [16, 32, 16]
    assert widths(large, 5) == [16, 16, 16]
    other = replace(stage, name="magnitude")
    assert narrowed(other, large, CONFIG) is other


def test_further_seeds_are_for_training_runs_of_seconds() -> None:
    assert affordable_members(SIZE, CONFIG.replace(epochs=1)) == SEEDS
    epochs = int((FURTHER / 2.5 - begin_seconds(SIZE)) / epoch_seconds(SIZE, CONFIG))
    assert affordable_members(SIZE, CONFIG.replace(epochs=epochs)) == 3
    assert affordable_members(SIZE, CONFIG.replace(epochs=100_000)) == 1
