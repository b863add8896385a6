"""One decision after the other: what is trained, how long, and what is taken."""

import numpy as np
import pytest

from lsgnn.config import LSGNNConfig
from lsgnn.errors import TrainingDiverged
from lsgnn.runs.decisions import LONGER, Decisions
from lsgnn.runs.paired import Judged
from lsgnn.runs.probe_cost import LEAST, Budget, Size
from lsgnn.runs.stages import Stage

NODES = 100
HOPS = Stage("hops", ({"K": 2}, {"K": 5}))
WIDTH = Stage("width", ({"hidden_channels": 8}, {"hidden_channels": 16}), longer=True)


def right(count: int) -> Judged:
    """A model that is right on the first so many of a hundred nodes."""
    logits = np.zeros((NODES, 2), np.float32)
    logits[np.arange(NODES), (np.arange(NODES) >= count).astype(int)] = 1
    return Judged("accuracy", 1, (logits,), (np.zeros(NODES, np.int64),))


class Judge:
    """Knows how good a configuration is, and remembers what it was asked."""

    def __init__(self, scores: dict[int, int | None]) -> None:
        self.scores, self.asked = scores, list[LSGNNConfig]()

    def __call__(self, config: LSGNNConfig) -> Judged | TrainingDiverged:
        self.asked.append(config)
        score = self.scores[config.K]
        return right(score) if score is not None else TrainingDiverged("too fast")


def decisions(judge: Judge, epochs: int = 10, most_epochs: int = 200, seconds: float = 20.0) -> Decisions:
    size = Size(nodes=NODES, edges=NODES, stored=NODES, columns=1, classes=2, train=50, val=NODES)
    return Decisions(judge, LSGNNConfig(epochs=epochs, K=2), most_epochs, Budget(size, 1, seconds))


def test_a_later_option_is_taken_where_it_leads_by_more_than_an_error() -> None:
    for score, K in ((51, 2), (60, 5)):
        deciding = decisions(Judge({2: 50, 5: score}))
        deciding.decide(HOPS)
        assert deciding.config.K == K
        assert [(row.candidate, row.taken) for row in deciding.tried] == [("2", K == 2), ("5", K == 5)]


def test_nothing_is_judged_twice() -> None:
    judge = Judge({2: 50, 5: 60})
    deciding = decisions(judge)
    deciding.decide(HOPS)
    deciding.decide(Stage("hops again", HOPS.options))
    assert [config.K for config in judge.asked] == [2, 5]
    assert len(deciding.tried) == 4


@pytest.mark.parametrize(("most", "trained"), [(200, LONGER * 10), (20, 20)])
def test_where_short_runs_would_mislead_they_are_longer_and_the_next_are_short_again(most: int, trained: int) -> None:
    judge = Judge({2: 50, 5: 60})
    deciding = decisions(judge, most_epochs=most)
    deciding.decide(WIDTH)
    deciding.decide(HOPS)
    assert [config.epochs for config in judge.asked] == [trained, trained, 10, 10]


def test_they_are_no_longer_than_the_budget_allows() -> None:
    judge = Judge({2: 50, 5: 60})
    decisions(judge, epochs=LEAST - 5, seconds=1e-9).decide(WIDTH)
    assert [config.epochs for config in judge.asked] == [LEAST, LEAST]


def test_an_option_that_diverges_is_left_out_and_if_all_do_that_is_the_error() -> None:
    deciding = decisions(Judge({2: None, 5: 60}))
    deciding.decide(HOPS)
    assert deciding.config.K == 5
    assert [row.candidate for row in deciding.tried] == ["5"]
    with pytest.raises(TrainingDiverged, match="too fast"):
        decisions(Judge({2: None, 5: None})).decide(HOPS)
