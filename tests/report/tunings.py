"""A finished search made by hand: which score belongs to which settings is known, and nothing has to be trained."""

from __future__ import annotations

from lsgnn import LSGNNConfig
from lsgnn.tuning.choice import Tuning

LRS = (0.001, 0.003, 0.01, 0.03, 0.1)


def made_by_hand(word: str = "cosine") -> Tuning:
    """Twelve trials: the score is 80 with beta 0.1 and 90 with beta 0.9, and hardly depends on anything else.

    Trial 10 was pruned after one split and trial 11 diverged. The search's best is trial 9; with fresh seeds it falls
    behind trial 7.
    """
    settings = [
        {"lr": LRS[k % 5], "beta": 0.9 if k % 2 else 0.1, "similarity": (word, "euclidean")[k % 3 == 0], "K": 3}
        for k in range(12)
    ]
    scores = [[80.0 + 10 * (k % 2) + 0.01 * k] * 2 for k in range(10)] + [[60.0], []]
    states = ["complete"] * 10 + ["pruned"] * 2
    trials = [
        {"trial": k, "state": state, "settings": s, "val": val}
        for k, (state, s, val) in enumerate(zip(states, settings, scores, strict=True))
    ]
    rescored = [
        {"trial": 7, "settings": settings[7], "val": 89.5, "rounds": 2, "search_val": 90.07},
        {"trial": 9, "settings": settings[9], "val": 88.25, "rounds": 2, "search_val": 90.09},
        {"trial": 5, "settings": settings[5], "val": 87.0, "rounds": 1, "search_val": 90.05},
    ]
    return Tuning(LSGNNConfig(), settings[7], [settings[9]] * 2, rescored, trials, seconds=12.3)
