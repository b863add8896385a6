"""Runs on disk: exact round trips, damage is noticed, nothing is ever half written or overwritten by mistake."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from lsgnn import InputError, Run
from lsgnn.runs import checkpoint
from lsgnn.runs.checkpoint import FILES
from tests.graphs import random_graph
from tests.trained import small_run


@pytest.fixture(scope="module")
def run():
    graph = replace(
        random_graph(sparse=True), node_ids=np.array([f"päper {i}" for i in range(40)]), class_names=("a", "b", "ç")
    )
    return small_run(graph, members=2, direction="out")


@pytest.fixture
def folder(run, tmp_path):
    run.save(tmp_path / "run")
    return tmp_path / "run"


def test_a_round_trip_changes_nothing(run, folder):
    again = Run.load(folder)
    assert sorted(path.name for path in folder.iterdir()) == sorted(FILES)
    np.testing.assert_array_equal(again.logits, run.logits)
    assert (again.config, again.temperature, again.metrics) == (run.config, run.temperature, run.metrics)
    assert (again.seconds, again.environment, again.notes) == (run.seconds, run.environment, run.notes)
    assert again.graph.name == run.graph.name
    assert again.predict().to_table().equals(run.predict().to_table())
    for part in ("train", "val", "test"):
        np.testing.assert_array_equal(getattr(again.split, part), getattr(run.split, part))
    for mine, its in zip(run.members, again.members, strict=True):
        assert (mine.best_epoch, mine.history, mine.seconds) == (its.best_epoch, its.history, its.seconds)
        assert all(torch.equal(tensor, its.state_dict[name]) for name, tensor in mine.state_dict.items())


def test_a_loaded_run_needs_no_logits_of_its_own_graph_to_calibrate(folder):
    again = Run.load(folder)
    _ = again.temperature
    assert "logits" not in vars(again)


def test_a_run_saves_the_same_bytes_twice_and_after_loading(run, folder, tmp_path):
    Run.load(folder).save(tmp_path / "again")
    for name in ("model.safetensors", "config.toml", "metrics.json", "history.jsonl"):
        assert (tmp_path / "again" / name).read_bytes() == (folder / name).read_bytes()


def test_a_loss_that_was_not_a_number_is_null_in_the_file_and_nan_again_when_loaded(run, tmp_path):
    member = run.members[0]
    bad = dict(member.history[-1], train_loss=float("nan"))
    odd = replace(run, members=(replace(member, history=[*member.history[:-1], bad]),))
    odd.save(tmp_path / "run")
    assert '"train_loss": null' in (tmp_path / "run" / "history.jsonl").read_text()
    assert np.isnan(Run.load(tmp_path / "run").members[0].history[-1]["train_loss"])


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_named(folder, name):
    (folder / name).unlink()
    with pytest.raises(InputError, match=f"is not a run: it has no {name}"):
        Run.load(folder)


@pytest.mark.parametrize("name", FILES)
def test_a_truncated_file_is_named(folder, name):
    whole = (folder / name).read_bytes()
    (folder / name).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match=rf"{name}|do not fit"):
        Run.load(folder)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00nonsense", b"[]", b"null\n"])
def test_a_damaged_file_is_named(folder, name, content):
    (folder / name).write_bytes(content)
    with pytest.raises(InputError, match=rf"{name}|do not fit"):
        Run.load(folder)


def test_damage_within_valid_json_is_noticed(folder):
    metrics = json.loads((folder / "metrics.json").read_text())
    for key, value in {"temperature": -1.0, "seconds": 3, "member_seconds": [], "notes": 7}.items():
        (folder / "metrics.json").write_text(json.dumps(metrics | {key: value}))
        with pytest.raises(InputError, match="is damaged"):
            Run.load(folder)


def test_files_of_different_runs_do_not_mix(folder, tmp_path):
    small_run(random_graph(d=7), K=2).save(tmp_path / "other")
    for name in ("config.toml", "graph.npz"):
        mine = (folder / name).read_bytes()
        (folder / name).write_bytes((tmp_path / "other" / name).read_bytes())
        with pytest.raises(InputError, match="do not fit its"):
            Run.load(folder)
        (folder / name).write_bytes(mine)


def test_a_save_that_is_killed_leaves_the_old_run(run, folder, monkeypatch):
    def killed(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(checkpoint, "save", killed)
    with pytest.raises(KeyboardInterrupt):
        small_run(epochs=1).save(folder)
    assert [path.name for path in folder.parent.iterdir()] == ["run"]
    np.testing.assert_array_equal(Run.load(folder).logits, run.logits)


def test_a_run_may_replace_a_run_and_an_empty_folder_but_nothing_else(run, folder, tmp_path):
    run.save(folder)
    (tmp_path / "empty").mkdir()
    run.save(tmp_path / "empty")
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "cat.jpg").touch()
    for place in (tmp_path / "photos", tmp_path / "photos" / "cat.jpg"):
        with pytest.raises(InputError, match="is not a run: choose another folder"):
            run.save(place)
    assert (tmp_path / "photos" / "cat.jpg").exists()
