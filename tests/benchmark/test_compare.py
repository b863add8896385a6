import json
from pathlib import Path

import numpy as np
import pytest

from lsgnn import zoo
from lsgnn.benchmark.compare import compare
from lsgnn.benchmark.comparison import Difference
from lsgnn.benchmark.units import Unit
from lsgnn.errors import InputError
from tests.graphs import two_blocks

GRAPH = two_blocks()
CONFIGS = {name: zoo.get(name).config(epochs=20, lr=0.05) for name in ("gcn", "mlp")}


def test_it_ranks_the_models_and_says_how_sure_it_is() -> None:
    result = compare(GRAPH, ["majority", "mlp", "gcn"], which=[0, 1, 2], configs=CONFIGS)
    assert [row.model for row in result.rows][-1] == "majority"
    best, *others = result.rows
    assert best.difference is None
    for row in others:
        assert row.difference.mean == pytest.approx(row.mean - best.mean)
        low, high = row.difference.interval
        assert low <= row.difference.mean <= high
    assert result.rows[-1].num_parameters == 0
    assert all(0 <= unit.test <= 100 and unit.config == CONFIGS["gcn"].to_dict() for unit in _units(result, "gcn"))


def _units(result, model: str) -> tuple[Unit, ...]:
    return next(row.units for row in result.rows if row.model == model)


def test_the_paired_interval_by_hand() -> None:
    # gaps -1, -2, -3: mean -2, sd 1, t(2, 97.5 %) = 4.3027
    gap = Difference.between([79.0, 78.0, 77.0], [80.0, 80.0, 80.0])
    assert gap.mean == pytest.approx(-2.0)
    assert gap.interval == pytest.approx((-2 - 4.302653 / 3**0.5, -2 + 4.302653 / 3**0.5))
    assert str(gap) == "-2.00 [-4.48, +0.48]"
    assert Difference.between([70.0], [80.0]).interval is None  # one split says nothing about others


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
    assert document["models"][0]["difference_to_best"] is None
    lines = result.to_markdown().splitlines()
    assert lines[0] == "| model | accuracy, % | to the best [95 %] | parameters | seconds |"
    assert len(lines) == 4


def test_it_refuses_what_it_cannot_compare() -> None:
    with pytest.raises(InputError, match="there is no model to compare: name some of lsgnn, mlp"):
        compare(GRAPH, [])
    with pytest.raises(InputError, match="did you mean 'gcn'"):
        compare(GRAPH, ["majority", "gcnn"])
    with pytest.raises(InputError, match="split 12 does not exist"):
        compare(GRAPH, ["majority"], which=[12])
    with pytest.raises(InputError, match="which is empty"):
        compare(GRAPH, ["majority"], which=[])
