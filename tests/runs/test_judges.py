"""Who judges: few validation nodes are dealt out anew, test nodes never judge nor teach."""

from dataclasses import replace

import numpy as np

from lsgnn import LSGNNConfig, zoo
from lsgnn.errors import TrainingDiverged
from lsgnn.graph.splits import stratified_splits
from lsgnn.runs.judges import ENOUGH, MAX_DEALS, Judges, dealt
from lsgnn.runs.paired import Judged
from lsgnn.zoo.prepared import Prepared
from tests.graphs import two_blocks

GRAPH = two_blocks()
SPLIT = stratified_splits(GRAPH.y)[0]


def test_few_validation_nodes_are_dealt_out_anew_and_test_nodes_stay_out() -> None:
    deals = dealt(SPLIT, GRAPH)
    assert len(deals) == MAX_DEALS
    assert np.array_equal(deals[0].val, SPLIT.val)  # the split itself comes first
    for deal in deals:
        assert not ((deal.train | deal.val) & SPLIT.test).any()
        assert deal.val.sum() == SPLIT.val.sum()
    assert len(dealt(SPLIT, GRAPH, shared_by=ENOUGH)) == 1


def test_enough_validation_nodes_judge_alone() -> None:
    big = two_blocks(n=5 * ENOUGH)
    assert len(dealt(stratified_splits(big.y)[0], big)) == 1


def test_every_candidate_is_judged_on_the_same_nodes() -> None:
    judges = Judges(Prepared(GRAPH), [SPLIT], "accuracy", "torch")
    config = LSGNNConfig(K=1, hidden_channels=4, epochs=5, weights="graph")
    one, other = (judges.judge(zoo.get("lsgnn"), c) for c in (config, config.replace(seed=1)))
    assert len(one.logits) == MAX_DEALS
    for mine, theirs, deal in zip(one.classes, other.classes, judges.splits, strict=True):
        assert np.array_equal(mine, theirs)
        assert np.array_equal(mine, GRAPH.y[deal.val])


def test_what_diverges_is_no_candidate() -> None:
    huge = replace(GRAPH, x=GRAPH.x * np.float32(1e30))
    judges = Judges(Prepared(huge), [SPLIT], "accuracy", "torch", deals=1)
    as_it_is = LSGNNConfig(K=1, epochs=3, weights="graph", feature_norm="none")
    assert isinstance(judges.judge(zoo.get("lsgnn"), as_it_is), TrainingDiverged)
    assert isinstance(judges.judge(zoo.get("lsgnn"), as_it_is.replace(feature_norm="l2")), Judged)


def test_test_labels_play_no_part() -> None:
    config = LSGNNConfig(K=1, hidden_channels=4, epochs=5, weights="graph")
    scrambled = replace(GRAPH, y=np.where(SPLIT.test, 1 - GRAPH.y, GRAPH.y))
    scores = [
        Judges(Prepared(g), [SPLIT], "accuracy", "torch").judge(zoo.get("lsgnn"), config).score
        for g in (GRAPH, scrambled)
    ]
    assert scores[0] == scores[1]
