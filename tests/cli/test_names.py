"""A graph's name comes from its file, and a file may be called anything: the name stays a name."""

import json
import os
import tomllib
from pathlib import Path
from typing import Any

import pytest

from lsgnn import LSGNNConfig
from tests.graphs import two_blocks

QUICK = ("--trials", "1", "--rescore", "1", "--splits", "0", "--set", "epochs=1")


def named(folder: Path, name: str) -> Path:
    """A graph in a file of that name."""
    path = folder / f"{name}.npz"
    two_blocks(n=40).save(path)
    return path


@pytest.mark.parametrize("name", ["..", ".", ".hidden", "new\nline", "x" * 240])
def test_finished_units_stay_in_their_store(lsgnn: Any, tmp_path: Path, name: str) -> None:
    (tmp_path / "graphs").mkdir()
    graph, store = named(tmp_path / "graphs", name), tmp_path / "parent" / "store"
    store.mkdir(parents=True)
    for _ in range(2):  # computed, then found again
        result = lsgnn("compare", graph, "--models", "majority", "--splits", "0", "--store", store)
        assert result.code == 0, result.err
    (unit,) = tmp_path.glob("parent/**/*.jsonl")
    assert unit.parent.parent == store
    assert not unit.parent.name.startswith(".")


@pytest.mark.parametrize(
    "name",
    ["x\nK = 99\nbogus = 1", "cr\rK = 99", 'quo"te', "back\\slash", "#hash", "del\x7fete", "sep\u2028K = 99", "😀"],
)
def test_an_exported_preset_holds_the_settings_and_nothing_else(lsgnn: Any, tmp_path: Path, name: str) -> None:
    graph, preset = named(tmp_path, name), tmp_path / "preset.toml"
    result = lsgnn("tune", graph, *QUICK, "--no-test", "--set", "K=2", "--export", preset)
    assert result.code == 0, result.err
    settings = tomllib.loads(preset.read_text("utf-8"))
    assert settings.keys() == LSGNNConfig().to_dict().keys()
    assert settings["K"] == 2
    assert lsgnn("fit", "fsbm", "--preset", preset).code == 0


def test_a_file_name_that_is_no_utf8_is_spelled_with_escapes(lsgnn: Any, tmp_path: Path) -> None:
    graph, preset, out = named(tmp_path, os.fsdecode(b"\xff")), tmp_path / "preset.toml", tmp_path / "out.json"
    result = lsgnn("tune", graph, *QUICK, "--no-test", "--json", "--export", preset, "--out", out)
    assert result.code == 0, result.err
    assert result.json["dataset"] == json.loads(out.read_text("utf-8"))["dataset"] == r"\udcff"
    assert tomllib.loads(preset.read_text("utf-8")).keys() == LSGNNConfig().to_dict().keys()


def test_brackets_in_a_name_are_no_markup_of_the_progress_bar(
    lsgnn: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich takes stderr for a terminal
    result = lsgnn("tune", named(tmp_path, "a[red]b]"), *QUICK, "--no-test")
    assert result.code == 0, result.err
    assert "a[red]b]" in result.err
