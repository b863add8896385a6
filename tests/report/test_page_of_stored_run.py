"""The page of a run on a store has the numbers of the page of the same run in memory."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np

import lsgnn
from lsgnn import LSGNNConfig
from lsgnn.out_of_core.filling import precompute
from lsgnn.out_of_core.fitting import fit_stored
from lsgnn.out_of_core.surroundings import surroundings
from lsgnn.report import run_page, stored_run_page
from lsgnn.report.neighbourhoods import homophily_of_nodes
from lsgnn.report.structure import neighbour_counts
from tests.graphs import random_graph

CONFIG = LSGNNConfig(K=2, hidden_channels=8, epochs=4, direction="out")
GRAPH = replace(random_graph(), y=np.where(np.arange(40) % 7 == 0, -1, random_graph().y))


def test_scores_classes_and_neighbourhoods_are_those_of_the_page_in_memory(tmp_path: Path) -> None:
    store = precompute(GRAPH, tmp_path / "store", CONFIG)
    labelled = store.array("labelled")
    degree, homophily = surroundings(store)
    np.testing.assert_array_equal(degree, neighbour_counts(GRAPH, "out")[labelled])
    np.testing.assert_allclose(homophily, homophily_of_nodes(GRAPH, "out")[labelled])
    page = stored_run_page(fit_stored(store, CONFIG), store)
    other = run_page(lsgnn.fit(GRAPH, CONFIG, engine="cpu"))
    assert "34 labelled of 40 nodes" in page
    for section in ("scores", "classes"):
        ours, theirs = (re.search(rf'<h2 id="{section}">.*?<h2', text, re.DOTALL) for text in (page, other))
        assert ours is not None
        assert theirs is not None
        assert ours[0] == theirs[0]
    assert "lsgnn explain" in page
    assert "Click an id" not in page
