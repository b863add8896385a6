"""The registry: complete, consistent, and helpful with names it does not know."""

import re

import pytest

from lsgnn.datasets import info, names
from lsgnn.errors import InputError

ELEVEN = "cora citeseer pubmed chameleon squirrel actor cornell texas wisconsin ogbn-arxiv arxiv-year"


def test_lists_the_papers_eleven_first() -> None:
    assert " ".join(names()[:11]) == ELEVEN
    assert {"cornell-fixed", "roman-empire", "arxiv-2023", "cora-linqs", "debian", "fsbm"} < set(names())


@pytest.mark.parametrize("name", names())
def test_entry_is_complete(name: str) -> None:
    entry = info(name)
    assert entry.name == name
    assert entry.title
    assert entry.source
    assert entry.licence
    assert min(entry.nodes, entry.edges, entry.features) > 0
    assert entry.classes >= 2
    assert 0 < entry.edge_homophily < 1
    assert entry.metric == ("roc_auc" if name in ("minesweeper", "tolokers", "questions") else "accuracy")
    assert not entry.sha256 or re.fullmatch("[0-9a-f]{64}", entry.sha256)
    assert not entry.content_sha256 or re.fullmatch("[0-9a-f]{64}", entry.content_sha256)
    assert all(re.fullmatch("[0-9a-f]{64}", digest) for digest in entry.raw_sha256.values())


@pytest.mark.parametrize("name", ELEVEN.split())
def test_paper_figures_follow_from_the_statistics(name: str) -> None:
    entry = info(name)
    columns_per_edge = 1 if entry.loader.startswith("ogb") else 2
    assert entry.paper_edges == entry.edges // columns_per_edge
    assert entry.paper_homophily is not None
    assert entry.edge_homophily == pytest.approx(entry.paper_homophily, abs=0.0051)


def test_texas_and_2021_cornell_share_their_node_file() -> None:
    file = "out1_node_feature_label.txt"
    assert info("texas").raw_sha256[file] == info("cornell").raw_sha256[file]


def test_unknown_name_suggests_close_ones() -> None:
    with pytest.raises(InputError, match=r"there is no dataset 'Cornel': did you mean cornell.*\?"):
        info("Cornel")


def test_hopeless_name_lists_all() -> None:
    with pytest.raises(InputError, match="the datasets are cora, citeseer"):
        info("zzz")
