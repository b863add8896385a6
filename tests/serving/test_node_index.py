"""Ids and numbers, while nodes arrive."""

from dataclasses import replace

import numpy as np
import pytest

from lsgnn import InputError
from lsgnn.serving.node_index import NodeIndex
from tests.graphs import two_blocks
from tests.serving.clients import named_blocks


def test_nodes_that_arrive_are_numbered_on() -> None:
    index = NodeIndex(named_blocks())
    index.append(["u", 7])
    assert (index.find("page3"), index.find("u"), index.find(7), index.find("7"), len(index)) == (3, 80, 81, 81, 82)
    assert index.get("v") is None


def test_a_number_is_found_by_its_text() -> None:
    index = NodeIndex(replace(two_blocks(), node_ids=np.arange(100, 180)))
    assert index.find("101") == index.find(101) == 1


def test_a_mistyped_id_is_told_what_was_meant() -> None:
    with pytest.raises(InputError, match="has no node 'pge3': did you mean 'page3'"):
        NodeIndex(named_blocks()).find("pge3")
