"""Other families are asked briefly, and named where they are clearly ahead."""

import re
from dataclasses import replace

import numpy as np

import lsgnn
from lsgnn import zoo
from lsgnn.cli.given_settings import parse_settings
from lsgnn.runs.judges import Judges
from lsgnn.runs.paired import Judged
from lsgnn.runs.probe_cost import Size
from lsgnn.runs.rivals import (
    LEAST,
    LINEAR,
    OF_DIRECTIONS,
    OTHERS,
    SECONDS,
    TOGETHER,
    Other,
    Rival,
    epoch_seconds,
    note_on,
    quick_config,
    rivals,
    seconds_each,
)
from lsgnn.zoo.prepared import Prepared
from tests.graphs import random_graph, two_blocks

SHARED = {"feature_norm": "l2", "structure_features": "none", "class_weight": "balanced"}


def test_the_best_of_those_ahead_is_named_with_the_way_to_train_it() -> None:
    found = [
        Rival(Other("mlp"), 0.9, ahead=False),
        Rival(Other("gcn"), 0.7, ahead=True),
        Rival(Other("trees"), 0.8, ahead=True),
    ]
    note = note_on(found, "accuracy", 0.5)
    assert "Boosted trees: 80.00 % validation accuracy" in note
    assert "against 50.00 % of LSGNN" in note
    assert "train it with --model trees (in Python model='trees')" in note
    assert note_on(found[:1], "accuracy", 0.5) == ""


def test_a_linear_model_is_the_mlp_with_settings_that_the_note_names_and_fit_takes() -> None:
    note = note_on([Rival(LINEAR, 0.9, ahead=True)], "accuracy", 0.5)
    assert "Linear model: 90.00 %" in note
    assert "train it with --model mlp --set num_layers=1 --set bias=true --set lr=0.05 (in Python model='mlp', " in note
    assert parse_settings(re.findall(r"--set (\S+)", LINEAR.options)) == LINEAR.settings
    run = lsgnn.fit(two_blocks(), model=LINEAR.model, epochs=2, **LINEAR.settings)
    assert run.predict().probabilities.shape[1] == 2


def test_time_is_shared_by_estimate_and_too_little_of_it_asks_nobody() -> None:
    small = Size(nodes=80, edges=400, stored=480, columns=6, classes=2, train=40, val=20)
    for other in OTHERS:
        config = quick_config(small, other, "average_precision", SHARED)
        assert config.class_weight == "balanced"
        assert config.select_by == "val_average_precision"
        assert config.patience <= 40
    large = Size(nodes=10**5, edges=3 * 10**6, stored=4 * 10**6, columns=40, classes=2, train=10**4, val=10**4)
    assert quick_config(large, Other("classic"), "accuracy", SHARED) is None
    assert quick_config(large, Other("trees"), "accuracy", SHARED) is not None
    assert quick_config(replace(large, classes=100), Other("trees"), "accuracy", SHARED) is None


def test_all_of_them_share_what_they_may_take_together_and_none_that_is_asked_has_too_little() -> None:
    small = Size(nodes=80, edges=400, stored=480, columns=6, classes=2, train=40, val=20)
    large = Size(nodes=20_000, edges=90_000, stored=10**6, columns=500, classes=3, train=9_000, val=6_000)
    assert seconds_each(small, "accuracy", SHARED) == SECONDS
    seconds = seconds_each(large, "accuracy", SHARED)
    assert seconds < SECONDS
    asked = [(o, c) for o in OTHERS if (c := quick_config(large, o, "accuracy", SHARED, seconds)) is not None]
    assert all(config.epochs >= LEAST for _, config in asked)
    longer = [o for o, c in asked if c.epochs > LEAST]  # the others have what they need to be asked at all
    spent = sum(c.epochs * epoch_seconds(large, o, c) for o, c in asked if o in longer)
    assert spent <= TOGETHER


def test_degrees_are_counted_once_and_change_no_score() -> None:
    graph = two_blocks()
    split = lsgnn.stratified_splits(graph.y)[0]
    own = Judged("accuracy", 1, (np.eye(2, dtype=np.float32)[graph.y[split.val]],), (graph.y[split.val],))
    shared = SHARED | {"structure_features": "degrees"}
    once = {rival.other.title: rival.score for rival in rivals(Prepared(graph), split, "accuracy", own, shared)}
    for other in OTHERS:
        config = quick_config(Size.of(graph, split), other, "accuracy", shared)
        each = Judges(Prepared(graph), [split], "accuracy", deals=1).judge(zoo.get(other.model), config)
        assert isinstance(each, Judged)
        assert once[other.title] == each.score


def test_whoever_leads_clearly_is_ahead_and_nobody_is_ahead_of_a_perfect_model() -> None:
    graph = two_blocks(n=400)
    split = lsgnn.stratified_splits(graph.y)[0]
    y = graph.y[split.val]
    for logits, ahead in ((np.eye(2)[1 - y], True), (np.eye(2)[y], False)):
        own = Judged("accuracy", 1, (logits.astype(np.float32),), (y,))
        found = rivals(Prepared(graph), split, "accuracy", own, SHARED)
        assert [rival.other for rival in found] == list(OTHERS)
        assert all(rival.ahead is ahead for rival in found)


def test_fit_asks_them_unless_told_not_to() -> None:
    graph = two_blocks()
    asked = [row for row in lsgnn.fit(graph).tried if row.stage == "other models"]
    assert [row.candidate for row in asked if row.taken] == ["LSGNN, as trained"]
    assert len(asked) == len(OTHERS) + 1
    assert not [row for row in lsgnn.fit(graph, ask_others=False).tried if row.stage == "other models"]


def test_a_model_of_directions_is_asked_where_edges_have_one() -> None:
    graph = random_graph()
    split = lsgnn.stratified_splits(graph.y)[0]
    y = graph.y[split.val]
    own = Judged("accuracy", 1, (np.eye(graph.num_classes, dtype=np.float32)[y],), (y,))
    found = rivals(Prepared(graph), split, "accuracy", own, SHARED)
    assert [rival.other for rival in found] == [*OTHERS, OF_DIRECTIONS]
    assert quick_config(Size.of(graph, split), OF_DIRECTIONS, "accuracy", SHARED).num_layers == 2
