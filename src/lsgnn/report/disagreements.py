"""Nodes of which runs say different things, as rows for the page's table: those that all runs are sure about first."""

from __future__ import annotations

from typing import Any

import numpy as np

from lsgnn.report.compared_runs import ComparedRuns
from lsgnn.report.node_table import MAX_NODES, NodeTable, parts_of


def disagreements(compared: ComparedRuns, limit: int = MAX_NODES, show_test: bool = False) -> NodeTable:
    """Rows of [id, part, true, what each run says], where not all say the same.

    The part is that of the first run. True classes of nodes that any run is tested on are left out unless asked for, as
    on the page of a single run.
    """
    first, part = compared.first.graph, parts_of(compared.first.split)
    tested = np.logical_or.reduce([run.split.test for run in compared.runs.values()])
    true = compared.y if show_test else np.where(tested, -1, compared.y)
    differ = np.flatnonzero(compared.disagreed)
    least_sure = compared.confidence[:, differ].min(axis=0)
    wanted = differ[np.argsort(-least_sure, kind="stable")]
    columns = (("id", "text"), ("part", "part"), ("true", "class"), *((name, "said") for name in compared.names))
    rows: list[list[Any]] = [
        [
            str(first.node_ids[i]),
            int(part[i]),
            int(true[i]),
            *(
                [int(c), round(float(p), 4)]
                for c, p in zip(compared.predicted[:, i], compared.confidence[:, i], strict=True)
            ),
        ]
        for i in wanted[:limit]
    ]
    return NodeTable(columns, first.class_names, rows, len(wanted))
