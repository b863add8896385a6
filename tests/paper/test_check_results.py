"""`check_results`: stored units come out again, and one that does not is told, with exit code 1."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from lsgnn.benchmark.compare import compare
from lsgnn.benchmark.made_with import LIBRARIES
from lsgnn.benchmark.model_code import model_code
from lsgnn.benchmark.units import Unit
from lsgnn.cli.main import run as behave_like_lsgnn
from lsgnn.datasets import load
from lsgnn.lines import LineFile
from lsgnn.train.commit import commit
from lsgnn.zoo.gcn import GCNConfig
from lsgnn.zoo.sgc import SGCConfig
from paper.checking import compared, drawn, stored_units
from paper.scripts.check_results import app

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    """Model → lines of two units of two epochs on a bundled graph."""
    store = tmp_path_factory.mktemp("made")
    configs = {"gcn": GCNConfig(epochs=2, hidden_channels=4), "sgc": SGCConfig(epochs=2)}
    compare(load("cora-linqs"), list(configs), which=[0, 1], metric="accuracy", configs=configs, store=store)
    files = {model: LineFile(store / "cora-linqs" / f"{model}.jsonl") for model in configs}
    return {model: [{"key": key, **line} for key, line in file.lines().items()] for model, file in files.items()}


@pytest.fixture
def store(tmp_path: Path, made: dict[str, list[dict[str, Any]]]) -> Path:
    for model in made:
        put(tmp_path, made[model])
    return tmp_path


def put(store: Path, lines: list[dict[str, Any]], **changes: Any) -> None:
    """Adds lines with a few fields replaced; with the same keys, they take the place of earlier ones."""
    for line in lines:
        LineFile(store / line["dataset"] / f"{line['model']}.jsonl").add(line["key"], line | changes)


@pytest.fixture
def call(store: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    def call(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["check_results", "--store", str(store), *words])
        with pytest.raises(SystemExit) as stop:
            behave_like_lsgnn(app)
        torch.set_flush_denormal(False)
        return int(stop.value.code or 0), *capsys.readouterr()

    return call


def test_stored_units_carry_what_made_them(made: dict[str, list[dict[str, Any]]]) -> None:
    for model, lines in made.items():
        assert {line["code"] for line in lines} == {model_code(model)}
        assert all(set(LIBRARIES) <= line["environment"].keys() for line in lines)
        assert all(line["environment"].get("commit") == commit() for line in lines)


def test_true_units_come_out_again(call: Call) -> None:
    code, out, _ = call()
    assert code == 0
    assert [line.split(", ")[0] for line in out.splitlines()] == ["gcn", "sgc"]
    assert out.count(": reproduces: ") == 2


def test_a_falsified_unit_is_found(call: Call, store: Path, made: dict[str, list[dict[str, Any]]]) -> None:
    for line in made["sgc"]:
        put(store, [line], test=line["test"] + 5.4)
    code, out, _ = call("--json")
    gcn, sgc = json.loads(out)
    assert code == 1
    assert (gcn["answer"], sgc["answer"]) == ("reproduces", "no longer reproduces")
    assert gcn["same_code"] is sgc["same_code"] is True
    assert sgc["stored_test"] == pytest.approx(sgc["test"] + 5.4)
    put(store, made["sgc"], test=0.0, code="another")
    code, out, _ = call("--models", "sgc")
    assert code == 1
    assert f"no longer reproduces: stored 0.00, now {sgc['test']:.2f}" in out
    assert "by another version of the model" in out


def test_a_configuration_that_the_model_does_not_know_does_not_reproduce(
    call: Call, store: Path, made: dict[str, list[dict[str, Any]]]
) -> None:
    put(store, made["gcn"], config={"no_such_field": 1})
    code, out, _ = call("--models", "gcn")
    assert code == 1
    assert "no longer reproduces" in out
    assert "no_such_field" in out


def test_what_is_too_long_or_too_late_is_not_checked(call: Call) -> None:
    code, out, _ = call("--cpu-seconds", "0")
    assert (code, out.count("not checked: no stored unit took at most 0 seconds")) == (0, 2)
    code, out, _ = call("--minutes", "0")
    assert (code, out.count("not checked: the time was over")) == (0, 2)


def test_bad_input_is_one_line_and_exit_code_2(call: Call, tmp_path: Path) -> None:
    for words, expected in (
        (("--models", "gnc"), "there is no model 'gnc'"),
        (("--store", str(tmp_path / "none")), "none holds no units"),
    ):
        code, out, err = call(*words)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert expected in err


def test_a_seed_draws_the_same_unit_and_another_seed_others(store: Path) -> None:
    units = stored_units(store, "gcn")
    assert [unit.split for unit in units] == [0, 1]
    picks = [drawn(units, seed, 60.0) for seed in range(8)]
    assert picks == [drawn(units, seed, 60.0) for seed in range(8)]
    assert {unit.split for unit in picks if isinstance(unit, Unit)} == {0, 1}


@pytest.mark.parametrize(
    ("now", "answer"),
    [(81.081, "reproduces"), (80.1, "within tolerance"), (82.08, "within tolerance"), (80.0, "no longer reproduces")],
)
def test_scores_are_compared_to_two_decimals(now: float, answer: str) -> None:
    assert compared(81.08, now, 1.0) == answer
