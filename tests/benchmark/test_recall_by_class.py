import numpy as np

from lsgnn.benchmark.recall_by_class import mean_recall, recall_by_class


def test_shares_by_hand() -> None:
    logits = np.eye(3, dtype=np.float32)[[0, 0, 1, 1]]
    assert recall_by_class(logits, np.array([0, 1, 1, 0]), 3) == (50.0, 50.0, None)
    assert mean_recall([(100.0, None, None), (50.0, 20.0, None)]) == (75.0, 20.0, None)
