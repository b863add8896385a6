"""Runs side by side: counted by hand on nodes that all share, whatever their splits, labels and metrics."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from lsgnn import InputError, Run
from lsgnn.graph.splits import Split
from lsgnn.report.compared_runs import ComparedRuns, compared_runs
from lsgnn.report.compared_runs_json import document_of
from lsgnn.report.disagreements import disagreements
from lsgnn.report.runs_verdict import verdict_of_runs
from tests.graphs import two_blocks
from tests.trained import small_run

GRAPH = two_blocks(n=40)
VAL = np.arange(40) < 8
SPLIT = Split(train=np.arange(40) >= 20, val=VAL, test=(np.arange(40) >= 8) & (np.arange(40) < 12))


def answering(run: Run, wrong: tuple[int, ...], sure: float = 4.0) -> Run:
    """The run, as if it named the true class of every node but these."""
    said = run.graph.y.copy()
    said[list(wrong)] = 1 - said[list(wrong)]
    twin = replace(run, known_temperature=1.0)
    twin.__dict__["logits"] = (sure * np.eye(2)[said]).astype(np.float32)
    return twin


@pytest.fixture(scope="module")
def base() -> Run:
    return small_run(GRAPH, split=SPLIT, epochs=2)


@pytest.fixture
def compared(base: Run) -> ComparedRuns:
    return compared_runs({"a": answering(base, (0, 1, 2, 9)), "b": answering(base, (0, 30), sure=2.0)})


def test_scores_and_pairs_are_counted_on_the_shared_nodes(compared: ComparedRuns) -> None:
    assert [compared.score(name, "val").mean for name in "ab"] == [5 / 8, 7 / 8]
    assert [compared.score(name, "test").mean for name in "ab"] == [3 / 4, 1.0]
    assert compared.ranking() == ["b", "a"]
    pair = compared.pair("b", "a", "val")
    assert (pair.both, pair.only_first, pair.only_second, pair.neither) == (5, 2, 0, 1)
    assert pair.lead.mean == pytest.approx(2 / 8)
    assert pair.lead.low <= 2 / 8 <= pair.lead.high


def test_agreement_leaves_out_what_a_run_was_trained_on(compared: ComparedRuns) -> None:
    assert compared.untrained.sum() == 20
    assert compared.agreement.tolist() == [[1.0, 17 / 20], [17 / 20, 1.0]]  # nodes 1, 2 and 9 differ; 30 was learned
    assert np.flatnonzero(compared.disagreed).tolist() == [1, 2, 9, 30]


def test_disagreements_hide_the_classes_of_test_nodes_unless_asked_for(compared: ComparedRuns) -> None:
    rows = {row[0]: row for row in disagreements(compared).rows}
    assert set(rows) == {"1", "2", "9", "30"}
    assert (rows["9"][1], rows["9"][2]) == (3, -1)
    assert rows["1"][1:4] == [2, GRAPH.y[1], [1 - GRAPH.y[1], pytest.approx(0.982, abs=1e-3)]]
    shown = {row[0]: row for row in disagreements(compared, show_test=True).rows}
    assert shown["9"][2] == GRAPH.y[9]


def test_the_limit_keeps_what_all_runs_are_sure_about(base: Run) -> None:
    sure, unsure = answering(base, (0, 1)), answering(base, ())
    unsure.logits[0] *= 0.1
    found = disagreements(compared_runs({"a": sure, "b": unsure}), limit=1)
    assert ([row[0] for row in found.rows], found.total) == (["1"], 2)


def test_different_splits_are_scored_where_they_overlap(base: Run) -> None:
    other = replace(SPLIT, val=(np.arange(40) >= 4) & (np.arange(40) < 8))
    found = compared_runs({"a": answering(base, (0,)), "b": replace(answering(base, ()), split=other)})
    assert found.shared("val").sum() == 4
    assert found.notes == (
        "the runs have different splits: only nodes that are in the same part in all of them are scored",
    )


def test_no_shared_validation_nodes_is_said(base: Run) -> None:
    swapped = replace(SPLIT, val=SPLIT.test, test=SPLIT.val)
    found = compared_runs({"a": base, "b": replace(base, split=swapped)})
    assert found.score("a", "val") is None
    assert "No labelled validation node is shared" in verdict_of_runs(found)[0]
    assert document_of(found)["runs"][0]["val"] is None


def test_labels_that_differ_are_not_scored(base: Run) -> None:
    y = GRAPH.y.copy()
    y[0] = -1
    found = compared_runs({"a": base, "b": replace(base, graph=replace(GRAPH, y=y))})
    assert found.shared("val").sum() == 7
    assert "1 nodes do not have the same label" in found.notes[0]


def test_the_verdict_names_the_better_run_and_how_sure_that_is(compared: ComparedRuns, base: Run) -> None:
    first, second = verdict_of_runs(compared)
    assert first.startswith("b has the best validation accuracy, 87.5 % of 8 shared nodes: 25.00 points ahead of a, ")
    assert second == "The runs disagree about 4 of 40 nodes."
    same = verdict_of_runs(compared_runs({"a": base, "b": base}))
    assert same[0].endswith(", and so has b.")
    assert same[1] == "The runs agree about all 40 nodes."


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"node_ids": np.arange(1, 41)}, r"b was trained on other nodes \(two-blocks, 40 nodes\) than a"),
        ({"class_names": ("x", "y")}, "b has other classes than a"),
    ],
)
def test_runs_on_other_graphs_are_refused(base: Run, change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        compared_runs({"a": base, "b": replace(base, graph=replace(GRAPH, **change))})


def test_one_run_is_nothing_to_compare(base: Run) -> None:
    with pytest.raises(InputError, match="pass two or more"):
        compared_runs({"a": base})


def test_another_metric_is_scored_for_all(base: Run) -> None:
    found = compared_runs({"a": answering(base, (0, 1)), "b": answering(base, ())}, "roc_auc")
    assert found.score("b", "val").mean == 1.0
    assert found.ranking() == ["b", "a"]
    lossy = compared_runs({"a": answering(base, (0, 1)), "b": answering(base, ())}, "log_loss")
    assert lossy.ranking() == ["b", "a"]
    assert lossy.pair("b", "a", "val").lead.mean > 0
