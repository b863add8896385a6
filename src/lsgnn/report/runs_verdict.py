"""Several runs in a few sentences: which one is ahead on validation nodes, how sure that is, and where to look next."""

from __future__ import annotations

from lsgnn.benchmark.score_scale import gap_written
from lsgnn.report.compared_runs import ComparedRuns
from lsgnn.report.scoring import brief, title_of
from lsgnn.train.metrics import displayed


def verdict_of_runs(compared: ComparedRuns) -> list[str]:
    """Sentences; the choice is made on validation nodes, test nodes are only told of by the page's tables."""
    nodes = int(compared.shared("val").sum())
    best, second, *_ = compared.ranking()
    score = compared.score(best, "val")
    title = title_of(compared.metric, compared.first.graph.class_names, compared.first.positive)
    if score is None:
        found = ["No labelled validation node is shared by all runs, so that nothing says which one is better."]
    else:
        pair = compared.pair(best, second, "val")
        assert pair.lead is not None
        points = gap_written(compared.metric, displayed(compared.metric, pair.lead.mean))
        told = f"{best} has the best validation {title}, {brief(compared.metric, score.mean)} of {nodes:,} shared nodes"
        if pair.lead.mean == 0:
            found = [f"{told}, and so has {second}."]
        else:
            sure = "clearly so" if pair.is_clear else "not clearly so: the 95 % interval has 0 in it"
            found = [f"{told}: {points} ahead of {second}, {sure}."]
    differ, n = int(compared.disagreed.sum()), len(compared.y)
    found.append(
        f"The runs disagree about {differ:,} of {n:,} nodes." if differ else f"The runs agree about all {n:,} nodes."
    )
    return found
