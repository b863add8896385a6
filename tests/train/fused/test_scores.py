"""The scores inside the compiled loop are those of `lsgnn.train.metrics`, and both engines select alike by them."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from lsgnn.compiled import OPTIONS
from lsgnn.config import SelectBy
from lsgnn.errors import InputError
from lsgnn.nn.rows import make_rows
from lsgnn.train.fused import train_cpu
from lsgnn.train.fused.scores import RULES, validation_score
from lsgnn.train.loop import train_torch
from lsgnn.train.metrics import measure
from tests.train.fused.problems import make_problem

FURTHER: list[SelectBy] = [rule for rule in RULES if rule not in ("val_loss", "val_accuracy")]
RANKED = FURTHER[2:]


# named tuples with the fields that the kernel reads
Rows = namedtuple("Rows", "y")
Work = namedtuple("Work", "logits keys counts")
Hyper = namedtuple("Hyper", "rule positive")
Shape = namedtuple("Shape", "train_rows val_rows C")


@njit(**OPTIONS)
def compiled_score(rows: Any, work: Any, hyper: Any, shape: Any) -> Any:
    return validation_score(rows, work, hyper, shape)


def score(rule: SelectBy, logits: Any, y: Any, positive: int = 1) -> float:
    """By the kernel, with two training rows before those that count."""
    b, C = logits.shape
    padded = np.concatenate([np.full((2, C), 9), logits]).astype(np.float32).ravel()
    rows = Rows(np.concatenate([[0, 1], y]).astype(np.uint32))
    work = Work(padded, np.zeros(b, np.int64), np.full(3 * C, 7, np.int64))
    return float(compiled_score(rows, work, Hyper(RULES[rule], positive), Shape(2, b, C)))


# few different values, so that many are equal; both zeros, numbers of any size
values = st.sampled_from([-2.0, -0.0, 0.0, 0.5]) | st.floats(-(2.0**99), 2.0**99, width=32)
two_classes = st.lists(st.tuples(values, st.booleans()), min_size=2, max_size=60)


@given(two_classes.filter(lambda rows: len({truth for _, truth in rows}) == 2), st.integers(0, 1))
@settings(deadline=None)  # the first call compiles
def test_rankings(rows: list[tuple[float, bool]], positive: int) -> None:
    margin, y = (np.array(column) for column in zip(*rows, strict=True))
    logits = np.stack([np.zeros_like(margin), margin], axis=1).astype(np.float32)
    for rule in RANKED:
        expected = measure(rule.removeprefix("val_"), logits, y.astype(int), positive)
        assert score(rule, logits, y, positive) == pytest.approx(expected, rel=1e-12), rule


four = st.lists(st.sampled_from([0.0, 1.0, -1.0]), min_size=4, max_size=4)


@given(st.lists(st.tuples(four, st.integers(0, 3)), min_size=1))
@settings(deadline=None)
def test_scores_of_classes(rows: list[tuple[list[float], int]]) -> None:
    logits, y = (np.array(column) for column in zip(*rows, strict=True))
    for rule in ("val_balanced_accuracy", "val_macro_f1"):
        assert score(rule, logits, y) == pytest.approx(measure(rule.removeprefix("val_"), logits, y), rel=1e-12), rule


@pytest.mark.parametrize("select_by", FURTHER)
@pytest.mark.parametrize("path", ["narrow", "dense"])
def test_both_engines_select_the_same_epoch(select_by: SelectBy, path: Any) -> None:
    problem = make_problem(seed=1, n=120, C=2, dropout=0.0, lr=0.02, epochs=30, select_by=select_by)
    ours = train_cpu(problem.pre, problem.y, problem.split, problem.config, problem.initial, path=path)
    rows = make_rows(problem.pre, problem.config, dense=True)
    theirs = train_torch(problem.model, rows, problem.y, problem.split, problem.config)
    scores = [epoch[select_by] for epoch in ours.history]
    assert scores == pytest.approx([epoch[select_by] for epoch in theirs.history], abs=1e-6)
    assert ours.best_epoch == theirs.best_epoch
    assert scores[ours.best_epoch - 1] == max(scores) > min(scores)


def test_a_ranking_of_three_classes_or_of_one_is_refused_before_the_loop_begins() -> None:
    three = make_problem(C=3, select_by="val_roc_auc")
    with pytest.raises(InputError, match="ROC AUC is for two classes, but there are 3"):
        train_cpu(three.pre, three.y, three.split, three.config, three.initial)
    two = make_problem(C=2, select_by="val_average_precision")
    y = np.where(two.split.val, 0, two.y)
    with pytest.raises(InputError, match="average precision needs both classes"):
        train_cpu(two.pre, y, two.split, two.config, two.initial)
