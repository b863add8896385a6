"""The `.npz` layout of yandex-research/heterophilous-graphs."""

import dataclasses
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pytest

from lsgnn.datasets import download
from lsgnn.datasets.publishers import load_raw
from lsgnn.datasets.registry import info
from lsgnn.datasets.yandex import read_yandex
from lsgnn.errors import InputError


def arrays() -> dict[str, Any]:
    masks = {f"{part}_masks": np.eye(4, dtype=bool)[[i, i]] for i, part in enumerate(("train", "val", "test"))}
    edges = np.array([[0, 1], [1, 2], [2, 2]])
    return {"node_features": np.eye(4), "node_labels": np.array([0, 1, 1, 0]), "edges": edges, **masks}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    np.savez(tmp_path / "toy.npz", **arrays())
    return tmp_path / "toy.npz"


def test_undirected_file_gets_both_directions(file: Path) -> None:
    graph = read_yandex(file, name="toy", directed=False)
    assert graph.edge_index.tolist() == [[0, 1, 1, 2, 2], [1, 0, 2, 1, 2]]
    assert graph.notes == ("1 self loop(s) (ignored by the filters)", "1 isolated node(s)")  # nothing was merged


def test_directed_file_keeps_its_direction(file: Path) -> None:
    graph = read_yandex(file, name="toy", directed=True)
    assert graph.edge_index.tolist() == [[0, 1, 2], [1, 2, 2]]
    assert graph.y.tolist() == [0, 1, 1, 0]
    assert graph.splits is not None
    assert len(graph.splits) == 2
    assert graph.splits[1].train.tolist() == [True, False, False, False]


@pytest.mark.parametrize(
    ("name", "columns"), [("cornell-fixed", 5), ("chameleon-filtered", 3), ("squirrel-filtered", 3)]
)
def test_file_name_decides_about_direction(
    name: str, columns: int, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def answer(url: str, target: BinaryIO) -> None:
        asked.append(url)
        target.write(file.read_bytes())

    monkeypatch.setattr(download, "download", answer)
    entry = dataclasses.replace(info(name), raw_sha256={})
    assert load_raw(entry, tmp_path / "root").num_edges == columns
    commit = "a431395582e929d88271309716bea4fe24ce6318"
    base = "https://raw.githubusercontent.com/yandex-research/heterophilous-graphs"
    assert asked == [f"{base}/{commit}/data/{entry.upstream}"]


def test_missing_array_is_named(tmp_path: Path) -> None:
    np.savez(tmp_path / "toy.npz", **{key: value for key, value in arrays().items() if key != "edges"})
    with pytest.raises(InputError, match=r"has no array .*edges"):
        read_yandex(tmp_path / "toy.npz", name="toy", directed=True)


@pytest.mark.parametrize("content", [b"", b"<html>not found</html>", b"PK\x03\x04 half a zip"])
def test_damaged_file_is_one_sentence(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "toy.npz").write_bytes(content)
    with pytest.raises(InputError, match=r"cannot be read as a \.npz file"):
        read_yandex(tmp_path / "toy.npz", name="toy", directed=True)


def test_pickles_are_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "toy.npz", **(arrays() | {"node_features": np.array([{"a": 1}], dtype=object)}))
    with pytest.raises(InputError, match=r"cannot be read as a \.npz file"):
        read_yandex(tmp_path / "toy.npz", name="toy", directed=True)
