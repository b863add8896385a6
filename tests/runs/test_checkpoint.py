"""Runs on disk: exact round trips, damage is noticed, nothing is ever half written or overwritten by mistake."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch
from safetensors.torch import save

from lsgnn import InputError, Run
from lsgnn.digests import DIGESTS, write_digests
from lsgnn.files import EXCHANGED
from lsgnn.runs import checkpoint
from lsgnn.runs.checkpoint import CONTENT, FILES
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


@pytest.mark.parametrize("name", CONTENT)
def test_a_missing_file_is_named(folder, name):
    (folder / name).unlink()
    with pytest.raises(InputError, match=f"is not a run: it has no {name}"):
        Run.load(folder)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("place", [0.0, 0.5, 0.999])
def test_a_flipped_bit_is_noticed_wherever_it_is(folder, name, place):
    content = bytearray((folder / name).read_bytes())
    content[int(place * len(content))] ^= 4
    (folder / name).write_bytes(content)
    with pytest.raises(InputError, match=rf"{name} is damaged" if name != "digests.json" else "damaged|does not list"):
        Run.load(folder)


@pytest.mark.parametrize("name", CONTENT)
def test_a_file_of_another_run_of_the_same_shape_is_noticed(run, folder, tmp_path, name):
    other = replace(run.graph, y=(run.graph.y + 1) % 3, name="other")
    small_run(other, members=2, direction="out", lr=0.02).save(tmp_path / "other")
    (folder / name).write_bytes((tmp_path / "other" / name).read_bytes())
    with pytest.raises(InputError, match=f"{name} is damaged: its SHA-256"):
        Run.load(folder)


def test_a_run_without_digests_is_not_trusted(folder):
    (folder / "digests.json").unlink()
    with pytest.raises(InputError, match=r"has no digests\.json"):
        Run.load(folder)


def written_as(folder, name, content):
    """The file with other content, its digest recorded as if a run had been written so."""
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    write_digests(folder, CONTENT)


@pytest.mark.parametrize("name", CONTENT)
@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00nonsense", b"[]", b"null\n", "half"])
def test_a_broken_file_is_named(folder, name, content):
    whole = (folder / name).read_bytes()
    written_as(folder, name, whole[: len(whole) // 2] if content == "half" else content)
    with pytest.raises(InputError, match=rf"{name}|do not fit"):
        Run.load(folder)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("temperature", -1.0),
        ("temperature", 0),
        ("temperature", float("nan")),
        ("temperature", float("inf")),
        pytest.param("temperature", 10**400, id="temperature-huge"),
        ("temperature", True),
        ("temperature", "1.5"),
        ("temperature", None),
        ("seconds", 3),
        ("seconds", {"train": -1.0}),
        ("seconds", {"train": float("nan")}),
        ("member_seconds", []),
        ("member_seconds", [1.0, float("inf")]),
        ("member_seconds", [1.0]),
        ("notes", 7),
        ("notes", [7]),
        ("graph", None),
        ("environment", []),
        ("metric", "f2"),
        ("metric", ["accuracy"]),
        ("decision", 0.5),
        ("decision", []),
        ("decision", {}),
        ("decision", {"positive": 2, "threshold": 0.5, "rule": "f1"}),
        ("decision", {"positive": True, "threshold": 0.5, "rule": "f1"}),
        ("decision", {"positive": 1, "threshold": 1.5, "rule": "f1"}),
        ("decision", {"positive": 1, "threshold": float("nan"), "rule": "f1"}),
        ("decision", {"positive": 1, "threshold": 0.5, "rule": 3}),
        ("decision", {"positive": 1, "threshold": 0.5, "rule": "f1", "more": 0}),
    ],
)
def test_a_summary_that_no_run_writes_is_refused(folder, key, value):
    metrics = json.loads((folder / "metrics.json").read_text())
    written_as(folder, "metrics.json", json.dumps(metrics | {key: value}))
    with pytest.raises(InputError, match=r"metrics\.json is damaged|history\.jsonl is damaged"):
        Run.load(folder)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_weights_that_are_not_numbers_are_refused(run, folder, value):
    weights = {f"{m}.{name}": t.clone() for m in (0, 1) for name, t in run.members[m].state_dict.items()}
    weights["1.head.bias"][0] = value
    written_as(folder, "model.safetensors", save(weights))
    with pytest.raises(InputError, match=r"model\.safetensors is damaged \(1\.head\.bias holds no finite numbers\)"):
        Run.load(folder)


def test_weights_of_another_kind_or_of_nobody_are_refused(run, folder):
    weights = {f"{m}.{name}": t.clone() for m in (0, 1) for name, t in run.members[m].state_dict.items()}
    written_as(folder, "model.safetensors", save({name: tensor.double() for name, tensor in weights.items()}))
    with pytest.raises(InputError, match="it is not of single precision"):
        Run.load(folder)
    written_as(folder, "model.safetensors", save(weights | {"2.head.bias": torch.zeros(3)}))
    with pytest.raises(InputError, match=r"2\.head\.bias is of no member"):
        Run.load(folder)


def test_files_of_different_shapes_do_not_mix(folder, tmp_path):
    small_run(random_graph(d=7), K=2).save(tmp_path / "other")
    for name in ("config.toml", "graph.npz"):
        mine = (folder / name).read_bytes()
        written_as(folder, name, (tmp_path / "other" / name).read_bytes())
        with pytest.raises(InputError, match="do not fit its"):
            Run.load(folder)
        written_as(folder, name, mine)


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


def test_a_file_that_is_not_of_a_run_stays_in_its_folder(run, folder):
    (folder / "notes.md").write_text("mine")
    small_run(epochs=1).save(folder)
    assert (folder / "notes.md").read_text() == "mine"
    assert sorted(path.name for path in folder.iterdir()) == sorted([*FILES, "notes.md"])
    assert len(Run.load(folder).trained.history) == 1


def test_a_folder_name_that_is_too_long_is_one_sentence(run, tmp_path):
    with pytest.raises(InputError, match="is too long for this disk"):
        run.save(tmp_path / ("n" * 300))


def test_a_run_whose_replacement_was_killed_is_put_back(run, folder):
    aside = folder / f".0123{EXCHANGED}"
    aside.mkdir()
    for name in (DIGESTS, "metrics.json", "model.safetensors"):  # in the order in which they leave
        (folder / name).rename(aside / name)
    np.testing.assert_array_equal(Run.load(folder).logits, run.logits)
    assert not aside.exists()
