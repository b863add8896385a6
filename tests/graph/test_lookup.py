"""Ids → node numbers."""

from dataclasses import replace

import numpy as np
import pytest

from lsgnn import InputError
from lsgnn.graph.lookup import number_of, numbers_of
from tests.graphs import random_graph

NAMED = replace(random_graph(), node_ids=np.array([f"paper-{i}" for i in range(40)]))


def test_an_id_finds_its_node_whether_it_is_text_or_a_number():
    assert [number_of(random_graph(), id) for id in (17, "17", np.int64(17), 17.0)] == [17] * 4
    digits = replace(random_graph(), node_ids=np.array([str(100 + i) for i in range(40)]))
    assert [number_of(digits, id) for id in (107, "107")] == [7, 7]
    assert numbers_of(NAMED, ["paper-3", "paper-1"]).tolist() == [3, 1]
    assert numbers_of(NAMED, []).tolist() == []


def test_a_mistyped_id_is_told_the_nearest_ones():
    with pytest.raises(InputError, match=r"random-0 has no node 'papr-7': did you mean 'paper-7'"):
        number_of(NAMED, "papr-7")
    with pytest.raises(InputError, match="has no node 'zebra': ids look like paper-0, paper-1, paper-2"):
        number_of(NAMED, "zebra")
    for id in (None, 1.5, "nan", float("inf")):
        with pytest.raises(InputError, match="has no node"):
            number_of(random_graph(), id)


def test_an_error_suggests_three_ids_at_most():
    with pytest.raises(InputError, match=r"did you mean '[^']+' or '[^']+' or '[^']+'\?$"):
        number_of(NAMED, "paper-")
