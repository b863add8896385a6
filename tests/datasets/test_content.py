"""The digest of a graph's numbers: the same for the same numbers, another for any other."""

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from lsgnn import Graph
from lsgnn.datasets import names
from lsgnn.datasets.content import content_sha256, verify_content
from lsgnn.datasets.registry import info
from lsgnn.errors import InputError
from lsgnn.graph.splits import Splits

X = np.array([[0, 2.0], [0, 0], [1, -1]], dtype=np.float32)
EDGES = np.array([[0, 1, 2], [1, 2, 2]])
MASKS = Splits(*np.eye(3, dtype=bool)[:, None])


def graph(**changes: Any) -> Graph:
    return Graph(**(dict(x=X, edge_index=EDGES, y=np.array([0, 1, 0]), splits=MASKS) | changes))


@pytest.mark.parametrize(
    "same",
    [
        graph(x=sp.csr_array(X)),
        graph(x=np.where(X == 0, -0.0, X)),
        graph(edge_index=EDGES[:, ::-1].astype(np.int32)),
        graph(name="another", class_names=("a", "b"), node_ids=["x", "y", "z"]),
    ],
    ids=["sparse", "minus zero", "order of edges", "names"],
)
def test_the_same_numbers_in_another_form(same: Graph) -> None:
    assert content_sha256(same) == content_sha256(graph())


@pytest.mark.parametrize(
    "other",
    [
        graph(x=X * np.float32(1 + 1e-6)),
        graph(x=np.pad(X, ((0, 0), (0, 1)))),
        graph(y=np.array([0, 1, -1])),
        graph(edge_index=EDGES[::-1]),
        graph(splits=None),
        graph(splits=Splits(MASKS.train, MASKS.test, MASKS.val)),
    ],
    ids=["x", "an empty column", "y", "direction", "no masks", "masks"],
)
def test_any_other_number(other: Graph) -> None:
    assert content_sha256(other) != content_sha256(graph())


def test_the_digest_stays_what_it_is() -> None:
    """The registry holds such digests: they must not change with numpy, scipy or this package."""
    assert content_sha256(graph()) == "d9e073b45c7d5d62825baf593a2f063e0e5a88a42b0c0167d0989430b05bee06"


def test_another_graph_is_refused_with_the_fix() -> None:
    entry = dataclasses.replace(info("texas"), content_sha256="0" * 64)
    with pytest.raises(
        InputError,
        match=r"from a test is not the registry's 'texas' .*instead of 000000000000….*: mend it, or name a data",
    ):
        verify_content(graph(), entry, "a test", "mend it")


def test_where_no_digest_is_listed_nothing_is_asked() -> None:
    verify_content(graph(), dataclasses.replace(info("texas"), content_sha256=""), "a test", "mend it")


@pytest.mark.dataset
@pytest.mark.parametrize("name", [name for name in names() if info(name).content_sha256])
def test_the_registry_lists_the_digests_of_the_reference_files(name: str, data_dir: Path) -> None:
    assert content_sha256(Graph.load(data_dir / f"{name}.npz")) == info(name).content_sha256
