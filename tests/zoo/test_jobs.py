from dataclasses import fields
from typing import Any

import numpy as np
import pytest
import torch

from lsgnn import LSGNNConfig, stratified_splits
from lsgnn.errors import TrainingDiverged
from lsgnn.train.trained import Trained
from lsgnn.zoo.jobs import Job, train_in_order, train_many
from lsgnn.zoo.lsgnn import MODEL, LSGNNEntry
from lsgnn.zoo.prepared import Prepared
from tests.graphs import two_blocks

GRAPH = two_blocks()
SPLITS = stratified_splits(GRAPH.y, 3)
QUICK = LSGNNConfig(epochs=15, K=2, hidden_channels=8, lr=0.05)
JOBS = [Job(MODEL, QUICK.replace(gamma=gamma), split) for split in SPLITS for gamma in (0.1, 0.9)]


def test_results_do_not_depend_on_workers_or_order() -> None:
    one = train_many(Prepared(GRAPH), JOBS, workers=1)
    two = train_many(Prepared(GRAPH), JOBS[::-1], workers=2)[::-1]
    for a, b in zip(one, two, strict=True):
        assert a.history == b.history
        assert all(torch.equal(a.state_dict[name], b.state_dict[name]) for name in a.state_dict)


class DivergesAtSeed2(LSGNNEntry):
    def train(self, graph: Any, inputs: Any, split: Any, config: LSGNNConfig, **how: Any) -> Trained:
        if config.seed == 2:
            raise TrainingDiverged("too fast")
        return super().train(graph, inputs, split, config, **how)


@pytest.mark.parametrize("workers", [1, 2])
def test_in_order_those_before_a_failure_have_come_whatever_ends_first(workers: int) -> None:
    model = DivergesAtSeed2(**{field.name: getattr(MODEL, field.name) for field in fields(MODEL)})
    jobs = [Job(model, QUICK.replace(seed=seed), SPLITS[0]) for seed in range(4)]
    results = train_in_order(Prepared(GRAPH), jobs, workers=workers)
    come = [next(results).history, next(results).history]
    with pytest.raises(TrainingDiverged):
        next(results)
    alone = train_many(Prepared(GRAPH), jobs[:2], workers=1)
    assert come == [trained.history for trained in alone]


def test_depth_and_shares_do_not_need_a_new_precompute_but_direction_does() -> None:
    assert QUICK.input_settings == QUICK.replace(beta=0.1, gamma=0.1, K=4, lr=0.5, seed=9).input_settings
    assert QUICK.input_settings != QUICK.replace(direction="out").input_settings
    shared = Prepared(GRAPH)
    assert shared(MODEL, QUICK) is shared(MODEL, QUICK.replace(gamma=0.2))


def test_degrees_are_prepared_apart() -> None:
    shared = Prepared(GRAPH)
    assert shared(MODEL, QUICK).x.shape[1] == 6
    assert shared(MODEL, QUICK.replace(structure_features="degrees")).x.shape[1] == 6 + 2  # and a constant


def test_labels_of_test_nodes_are_never_read_in_training() -> None:
    from dataclasses import replace

    split = SPLITS[0]
    poisoned = replace(GRAPH, y=np.where(split.test, 1 - GRAPH.y, GRAPH.y))
    for engine in ("cpu", "torch"):
        a, b = (train_many(Prepared(g), [Job(MODEL, QUICK, split)], engine)[0] for g in (GRAPH, poisoned))
        assert a.history == b.history
