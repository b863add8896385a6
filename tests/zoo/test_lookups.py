"""The two rows that learn nothing: majority class and twin look-up."""

from pathlib import Path

import numpy as np
import pytest

from lsgnn import zoo
from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import Split

# 0, 1, 2 and 5 read {6, 7}, 3 and 4 read {6}; 6 and 7 read nobody
EDGES = np.array([[0, 0, 1, 1, 2, 2, 5, 5, 3, 4], [6, 7, 7, 6, 6, 7, 6, 7, 6, 6]])
GRAPH = Graph(x=np.eye(8), edge_index=EDGES, y=[0, 0, 1, 2, 2, 0, 1, 1])
TRAIN = np.array([True, True, True, True, False, False, True, True])
SPLIT = Split(TRAIN, np.zeros(8, bool), ~TRAIN)


def solved(name: str, **settings: object) -> list[int]:
    model = zoo.get(name)
    solution = model.solve(GRAPH, SPLIT, model.config(**settings))
    assert (solution.trained.history, solution.num_parameters) == ([], 0)
    return solution.logits.argmax(axis=1).tolist()


def test_the_majority_class_is_that_of_the_training_nodes() -> None:
    assert solved("majority") == [1] * 8  # classes 0, 0, 1, 2, 1, 1 train


def test_twins_vote_and_nodes_without_one_get_the_majority_class() -> None:
    # 5 copies 0 and 1 against 2; 4 copies 3; 6 and 7 have no neighbours, hence no twins
    assert solved("twin_lookup") == [0, 0, 0, 2, 2, 0, 1, 1]


def test_there_is_nothing_to_tune() -> None:
    assert not any(zoo.get(name).tunable for name in ("majority", "twin_lookup"))
    assert zoo.get("gcn").tunable


def test_the_direction_says_whose_neighbours_must_agree() -> None:
    assert solved("twin_lookup", direction="in")[:6] == [1] * 6  # nobody reads them


@pytest.mark.dataset
@pytest.mark.parametrize(
    ("name", "expected"),
    [("chameleon", 72.2), ("squirrel", 67.7), ("chameleon-filtered", 27.0), ("squirrel-filtered", 35.2)],
)
def test_duplicates_explain_most_of_chameleon_and_squirrel(data_dir: Path, name: str, expected: float) -> None:
    graph, model = Graph.load(data_dir / f"{name}.npz"), zoo.get("twin_lookup")
    config = model.config()
    groups = model.prepare(graph, config)
    right = [
        (model.solve(graph, split, config, groups).logits.argmax(axis=1) == graph.y)[split.test].mean()
        for split in graph.splits
    ]
    assert 100 * np.mean(right) == pytest.approx(expected, abs=0.2)
