"""A manifest is what was written, or an error names the file and what is wrong with it."""

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from lsgnn import InputError, LSGNNConfig
from lsgnn.out_of_core.manifest import Manifest, read_manifest, write_manifest
from lsgnn.out_of_core.records import write_sealed
from lsgnn.out_of_core.store import Store

RIGHT = Manifest("data", 9, 5, ["a", "ü"], LSGNNConfig(K=2).to_dict(), [[0, 3], [3, 5]], 1000, [], True)


def test_a_manifest_is_read_as_it_was_written(tmp_path: Path) -> None:
    write_manifest(tmp_path, RIGHT)
    assert read_manifest(tmp_path) == RIGHT


def test_the_identity_is_of_what_decides_the_arrays() -> None:
    settings = LSGNNConfig(K=2, beta=0.1).to_dict()
    same = replace(RIGHT, memory=7, settings=settings, class_names=["b", "c"], blocks=((0, 3), (3, 5)))
    assert same.identity == RIGHT.identity
    others = [{"source": "other"}, {"blocks": [[0, 5]]}, {"weighted": False}, {"num_nodes": 8}]
    others += [{"settings": LSGNNConfig(K=3).to_dict()}]
    assert len({replace(RIGHT, **other).identity for other in others} | {RIGHT.identity}) == 6


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"num_nodes": 0}, "num_nodes is 0, but must be a positive whole number"),
        ({"num_nodes": True}, "num_nodes is True"),
        ({"num_features": "5"}, "num_features is '5'"),
        ({"memory": -1}, "memory is -1"),
        ({"class_names": "ab"}, "class_names must be a list of names"),
        ({"feature_names": [1]}, "feature_names must be a list of names"),
        ({"feature_names": ["x"]}, "names 1 of 5 columns"),
        ({"source": 3}, "source must be text"),
        ({"weighted": 1}, "weighted true or false"),
        ({"settings": []}, "settings must be names and values"),
        ({"settings": {"K": "two"}}, "K='two' is of type str"),
        ({"settings": {"k": 2}}, "no setting 'k'"),
        ({"blocks": []}, r"the blocks \[\] are not the columns 0..4"),
        ({"blocks": [[0, 3], [2, 5]]}, "are not the columns"),
        ({"blocks": [[0, 3], [3, 9]]}, "are not the columns"),
        ({"blocks": [[0, 0], [0, 5]]}, "blocks must be pairs"),
        ({"blocks": [0, 5]}, "blocks must be pairs"),
        ({"blocks": {"0": 5}}, "blocks must be pairs"),
        ({"more": 1}, "unexpected keyword argument 'more'"),
    ],
)
def test_a_document_of_another_shape_is_named(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    write_sealed(tmp_path / "manifest.json", asdict(RIGHT) | change)
    with pytest.raises(InputError, match=message) as error:
        Store(tmp_path)
    assert "manifest.json is damaged" in str(error.value)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "[" * 100_000, "\x00", '{"sha256": 1}'])
def test_a_file_that_is_no_manifest_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(InputError, match=r"manifest\.json is damaged.*: restore it, or remove the folder"):
        Store(tmp_path)


def test_a_changed_value_is_noticed_and_a_store_without_digests_is_refused(tmp_path: Path) -> None:
    write_manifest(tmp_path, RIGHT)
    text = (tmp_path / "manifest.json").read_text()
    (tmp_path / "manifest.json").write_text(text.replace('"beta": 1.0', '"beta": 0.5'))
    with pytest.raises(InputError, match=r"manifest\.json is damaged: what it holds has another SHA-256"):
        Store(tmp_path)
    (tmp_path / "manifest.json").write_text(json.dumps(asdict(RIGHT)))
    with pytest.raises(InputError, match=r"has no SHA-256: it is damaged, or of a store made before"):
        Store(tmp_path)
