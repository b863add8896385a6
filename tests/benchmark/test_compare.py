import json
from pathlib import Path

import numpy as np
import pytest

import lsgnn
from lsgnn import zoo
from lsgnn.benchmark.compare import compare
from lsgnn.benchmark.comparison import Comparison
from lsgnn.benchmark.units import Unit
from lsgnn.errors import InputError
from lsgnn.runs.stages import LSGNN_OPEN
from tests.benchmark.rows import row_of
from tests.graphs import two_blocks

GRAPH = two_blocks()
CONFIGS = {name: zoo.get(name).config(epochs=20, lr=0.05) for name in ("gcn", "mlp")}


def test_it_ranks_the_models_and_says_how_sure_it_is() -> None:
    result = compare(GRAPH, ["majority", "mlp", "gcn"], which=[0, 1, 2], configs=CONFIGS)
    assert [row.model for row in result.rows][-1] == "majority"
    best, *others = result.rows
    assert (best.val_difference, best.test_difference) == (None, None)
    assert [row.mean_val for row in result.rows] == sorted((row.mean_val for row in result.rows), reverse=True)
    for row in others:
        assert row.val_difference.mean == pytest.approx(row.mean_val - best.mean_val)
        assert row.test_difference.mean == pytest.approx(row.mean - best.mean)
        low, high = row.test_difference.interval
        assert low <= row.test_difference.mean <= high
    assert result.rows[-1].num_parameters == 0
    assert all(0 <= unit.test <= 100 and unit.config == CONFIGS["gcn"].to_dict() for unit in _units(result, "gcn"))


def _units(result, model: str) -> tuple[Unit, ...]:
    return next(row.units for row in result.rows if row.model == model)


def test_a_killed_run_goes_on_where_it_was(tmp_path: Path) -> None:
    seen: list[tuple[str, int]] = []

    def die_after_three(unit: Unit) -> None:
        seen.append((unit.model, unit.split))
        if len(seen) == 3:
            raise KeyboardInterrupt

    arguments = dict(which=[0, 1], configs=CONFIGS, store=tmp_path)
    with pytest.raises(KeyboardInterrupt):
        compare(GRAPH, ["gcn", "mlp"], on_done=die_after_three, **arguments)
    gcn, mlp = (tmp_path / "two-blocks" / f"{model}.jsonl" for model in ("gcn", "mlp"))
    before = gcn.read_text() + mlp.read_text()
    assert before.count("\n") == 3
    resumed = compare(GRAPH, ["gcn", "mlp"], **arguments)
    after = gcn.read_text() + mlp.read_text()
    assert after.startswith(before)  # read, not trained again
    assert after.count("\n") == 4
    straight = compare(GRAPH, ["gcn", "mlp"], which=[0, 1], configs=CONFIGS)
    assert [row.test for row in resumed.rows] == [row.test for row in straight.rows]


def test_units_of_other_settings_data_or_splits_are_not_mixed_up(tmp_path: Path) -> None:
    model = ["mlp"]
    compare(GRAPH, model, which=[0], configs=CONFIGS, store=tmp_path)
    compare(GRAPH, model, which=[0], configs={"mlp": CONFIGS["mlp"].replace(lr=0.01)}, store=tmp_path)
    compare(two_blocks(seed=1), model, which=[0], configs=CONFIGS, store=tmp_path)
    stored = [json.loads(line) for line in (tmp_path / "two-blocks" / "mlp.jsonl").read_text().splitlines()]
    assert len({unit["key"] for unit in stored}) == 3
    assert [unit["split"] for unit in stored] == [0, 0, 0]


def test_a_damaged_unit_is_computed_again(tmp_path: Path) -> None:
    first = compare(GRAPH, ["mlp"], which=[0], configs=CONFIGS, store=tmp_path)
    (file,) = tmp_path.rglob("*.jsonl")
    file.write_text(file.read_text()[:100])
    again = compare(GRAPH, ["mlp"], which=[0], configs=CONFIGS, store=tmp_path)
    assert again.rows[0].test == first.rows[0].test
    damaged, whole = file.read_text().splitlines()
    assert len(damaged) == 100
    assert json.loads(whole)["test"] == first.rows[0].test[0]


def test_the_table_and_the_json_say_the_same() -> None:
    result = compare(GRAPH, ["majority", "twin_lookup"], which=[0, 1], presets=False)
    document = json.loads(json.dumps(result.to_dict()))
    assert document["models"][0]["test"]["mean"] == pytest.approx(np.mean(result.rows[0].test))
    first = document["models"][0]
    assert first["val_difference_to_first"] is first["test_difference_to_first"] is None
    assert first["val"]["per_split"] == result.rows[0].val
    assert first["test_recall_by_class"] == list(result.rows[0].recall)
    assert first["cpu_seconds"] >= 0
    assert document["chosen"]["model"] == result.chosen.model
    assert document["chosen"]["sentences"][0] in result.to_markdown()


def test_a_board_is_sorted_by_validation_whatever_test_says() -> None:
    rows = [row_of("mlp", [80, 82], [90, 92]), row_of("gcn", [83, 85], [71, 75])]
    board = Comparison.of("d", "accuracy", (0, 1), rows)
    assert [row.model for row in board.rows] == ["gcn", "mlp"]
    assert board.rows[1].test_difference.mean == 18.0


def test_costs_and_recall_of_each_class_are_kept_per_split() -> None:
    result = compare(GRAPH, ["majority", "mlp"], which=[0, 1], configs=CONFIGS)
    for row in result.rows:
        assert row.cpu_seconds == row.units[0].prepare_cpu_seconds + sum(unit.cpu_seconds for unit in row.units)
        test = np.mean([unit.test for unit in row.units])
        assert np.mean(row.recall) == pytest.approx(test, abs=2)  # classes are of one size
    (majority,) = (row for row in result.rows if row.model == "majority")
    assert set(majority.units[0].recall) == {0.0, 100.0}
    assert majority.cpu_seconds < next(row for row in result.rows if row.model == "mlp").cpu_seconds


def test_changes_are_over_the_preset_and_fit_is_told_of_them() -> None:
    result = compare(GRAPH, ["sgc"], which=[0], changes={"sgc": {"epochs": 2, "K": 1, "feature_norm": "none"}})
    config = result.rows[0].units[0].config
    assert (config["epochs"], config["K"], config["feature_norm"]) == (2, 1, "none")
    for_fit = {"epochs": 2, "K": 1, "feature_norm": "none", "structure_features": "none", "class_weight": "none"}
    assert result.rows[0].for_fit == for_fit
    with pytest.raises(InputError, match="changes of 'gcn', which is not compared"):
        compare(GRAPH, ["sgc"], changes={"gcn": {"lr": 0.1}})


def test_of_a_tuned_model_fit_is_told_all_that_it_would_choose_anew() -> None:
    (row,) = compare(GRAPH, ["lsgnn"], which=[0], tune=1, changes={"lsgnn": {"epochs": 3}}).rows
    assert set(LSGNN_OPEN) <= set(row.for_fit)
    again = lsgnn.fit(GRAPH, members=1, ask_others=False, **row.for_fit)
    assert again.config.to_dict() | {"seed": 0} == row.units[0].config | {"seed": 0}


def test_a_loss_is_no_share_of_nodes() -> None:
    percent, loss = (compare(GRAPH, ["mlp", "sgc"], which=[0, 1], metric=one) for one in ("accuracy", "log_loss"))
    assert {row.nodes for row in percent.rows} == {(20, 16)}
    assert {row.nodes for row in loss.rows} == {(0, 0)}


def test_it_refuses_what_it_cannot_compare() -> None:
    with pytest.raises(InputError, match="there is no model to compare: name some of lsgnn, mlp"):
        compare(GRAPH, [])
    with pytest.raises(InputError, match="'gcn' is there twice: name each model once"):
        compare(GRAPH, ["gcn", "mlp", "gcn"])
    with pytest.raises(InputError, match="did you mean 'gcn'"):
        compare(GRAPH, ["majority", "gcnn"])
    with pytest.raises(InputError, match="split 12 does not exist"):
        compare(GRAPH, ["majority"], which=[12])
    with pytest.raises(InputError, match="which is empty"):
        compare(GRAPH, ["majority"], which=[])
