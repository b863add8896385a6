"""Histories on disk: the same when read again, and nothing that no training writes is taken for one."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsgnn.train.saved_history import read_history, write_history
from lsgnn.train.trained import Epoch

losses = st.floats(min_value=0, allow_infinity=False) | st.just(math.nan)
epochs = st.lists(st.tuples(losses, losses, st.floats(0, 1)), max_size=4)


@given(st.lists(epochs, min_size=1, max_size=3))
def test_a_round_trip_changes_nothing(members):
    histories = [
        [
            Epoch(epoch=number, train_loss=train, val_loss=val, val_accuracy=accuracy)
            for number, (train, val, accuracy) in enumerate(member, start=1)
        ]
        for member in members
    ]
    assert str(read_history(write_history(histories), len(members))) == str(histories)  # as text, NaN equals NaN


def test_a_further_score_is_kept_and_may_be_unknown():
    lines = [
        Epoch(epoch=1, train_loss=1.0, val_loss=1.0, val_accuracy=0.5, val_roc_auc=0.75),
        Epoch(epoch=2, train_loss=1.0, val_loss=math.nan, val_accuracy=0.5, val_roc_auc=math.nan),
    ]
    assert str(read_history(write_history([lines]), 1)) == str([lines])


def test_an_infinite_loss_is_null_in_the_file():
    text = write_history([[Epoch(epoch=1, train_loss=math.inf, val_loss=1.0, val_accuracy=0.5)]])
    assert json.loads(text) == {"member": 0, "epoch": 1, "train_loss": None, "val_loss": 1.0, "val_accuracy": 0.5}


LINE = {"member": 0, "epoch": 1, "train_loss": 1.0, "val_loss": 1.0, "val_accuracy": 0.5}


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"epoch": 2}, "of epoch 2 in place of 1"),
        ({"epoch": 1.0}, "of epoch 1.0 in place of 1"),
        ({"epoch": "1"}, "of epoch 1 in place of 1"),
        ({"member": 1}, "of member 1, but there are 1"),
        ({"member": -1}, "of member -1"),
        ({"member": None}, "of member None"),
        ({"train_loss": -0.5}, "a loss in line 1: -0.5 is not a finite number"),
        ({"val_loss": math.inf}, "a loss in line 1: inf"),
        ({"val_loss": "low"}, "a loss in line 1: 'low'"),
        ({"val_loss": True}, "a loss in line 1: True"),
        ({"val_accuracy": 1.5}, "the accuracy in line 1 is 1.5"),
        ({"val_accuracy": None}, "None is not a finite number"),
        ({"val_roc_auc": 1.5}, "the val_roc_auc in line 1 is 1.5"),
        ({"val_roc_auc": 0.5, "val_macro_f1": 0.5}, "line 1 is not the record of an epoch"),
        ({"more": 1}, "line 1 is not the record of an epoch"),
    ],
)
def test_what_cannot_have_happened_is_refused(wrong, words):
    with pytest.raises(ValueError, match=words):
        read_history(json.dumps(LINE | wrong), 1)


@pytest.mark.parametrize("line", ["[]", "3", '{"member": 0}', "{", "null"])
def test_a_line_that_is_no_record_is_refused(line):
    with pytest.raises(ValueError, match=r"line 1 is not the record|Expecting"):
        read_history(line, 1)


def test_a_history_of_nobody_is_refused():
    with pytest.raises(ValueError, match="there is no member"):
        read_history("", 0)
