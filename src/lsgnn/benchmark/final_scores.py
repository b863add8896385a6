"""What the test nodes say, after the choice: every reading made once, with seeds that the search has not seen."""

from __future__ import annotations

from typing import Any

from lsgnn.benchmark.evaluate import Evaluation, evaluate
from lsgnn.graph.graph import Graph
from lsgnn.tuning.choice import Tuning
from lsgnn.zoo.prepared import Prepared

UNSEEN = 1_000_000  # seeds from here on are none of the search


def final_scores(
    graph: Graph, tuning: Tuning, *, model: str = "lsgnn", members: int = 1, per_split: bool = True, **shared: Any
) -> dict[str, Evaluation]:
    """Rule of choice → scores of the model with the settings it chose.

    Args:
        members: if above 1, also an ensemble of so many seeds, and one of as many of the best configurations.
        per_split: also let every split use the settings that its own validation nodes prefer.
        shared: splits, metric and workers, as `evaluate` takes them.
    """
    chosen = tuning.config.replace(seed=UNSEEN)
    # the chosen settings are in three readings, and trained once; the graph is prepared once for all
    shared |= {"keep_select_by": True, "known": {}, "model": model, "prepared": Prepared(graph, keep=16)}
    found = {"one configuration for all splits": evaluate(graph, chosen, **shared)}
    if per_split:
        own = [config.replace(seed=UNSEEN) for config in tuning.configs_per_split]
        found["each split its own"] = evaluate(graph, own, **shared)
    if members > 1:
        found[f"one configuration, ensemble of {members} seeds"] = evaluate(graph, chosen, members=members, **shared)
        committee = tuning.committee(min(members, len(tuning.rescored)))
        voters = [config.replace(seed=UNSEEN + number) for number, config in enumerate(committee)]
        found[f"ensemble of the {len(voters)} best configurations"] = evaluate(graph, voters=voters, **shared)
    return found
