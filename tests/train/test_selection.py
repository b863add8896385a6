"""Which epoch is the best, by any score, and what the history has of it."""

import math

import numpy as np
import pytest
import torch

from lsgnn import InputError
from lsgnn.train.metrics import METRICS
from lsgnn.train.selection import BestEpoch, ValidationScore, require_selectable, select_by_for
from lsgnn.train.trained import Epoch


def line(epoch: int, loss: float, **scores: float) -> Epoch:
    return Epoch(epoch=epoch, train_loss=0.0, val_loss=loss, val_accuracy=0.5, **scores)


def test_by_a_score_the_highest_counts_and_of_equals_the_one_with_the_lowest_loss() -> None:
    best = BestEpoch("val_macro_f1")
    for epoch, (loss, score) in enumerate([(1.0, 0.4), (2.0, 0.7), (1.5, 0.7), (0.1, 0.6), (math.inf, math.nan)], 1):
        best.improved(line(epoch, loss, val_macro_f1=score))
    assert best.epoch == 3


def test_every_metric_has_its_rule() -> None:
    assert select_by_for("accuracy", "val_loss") == "val_loss"
    assert select_by_for("accuracy", "val_accuracy") == "val_accuracy"
    assert select_by_for("log_loss", "val_accuracy") == "val_loss"
    others = METRICS.keys() - {"accuracy", "log_loss"}
    assert {select_by_for(metric, "val_loss") for metric in others} == Epoch.__optional_keys__


def test_the_score_is_of_the_rarer_class_among_training_and_validation_nodes() -> None:
    further = ValidationScore("val_average_precision", np.array([1, 1, 1, 0]), np.array([0, 1]))
    logits = torch.tensor([[0.0, 2.0], [0.0, 1.0]])  # class 0 comes last
    assert further.added(line(1, 0.5), logits)["val_average_precision"] == 0.5
    assert math.isnan(further.added(line(1, math.nan), logits)["val_average_precision"])
    assert ValidationScore("val_loss", np.array([0]), np.array([1])).added(line(1, 0.5), logits) == line(1, 0.5)


def test_a_rule_that_validation_nodes_cannot_follow_is_refused() -> None:
    require_selectable("val_accuracy", np.array([1]), 3)
    with pytest.raises(InputError, match="recall at k is for two classes, but there are 3"):
        require_selectable("val_recall_at_k", np.array([0, 1]), 3)
