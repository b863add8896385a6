"""`equal-budget`: every model has the same budget, searches go on after a kill, and the page shows what has run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lsgnn.benchmark.bench import Bench
from lsgnn.datasets import info
from lsgnn.graph.graph import Graph
from lsgnn.graph.splits import stratified_splits
from lsgnn.tuning.study import count_finished
from paper.equal_budget import _study, compute, limits, search, start, tuned_and_tested, units
from paper.equal_budget_page import models_of, render
from paper.frame import Plan, PlannedUnit, Results
from paper.page import NOT_RUN, Table, to_markdown
from paper.published import nine
from tests.graphs import two_blocks
from tests.paper.stored import add_zoo_unit

BUDGET = {"dataset": "texas", "model": "sgc", "trials": 2, "minutes": 5.0, "search_splits": 2, "epochs": 3}


@pytest.fixture
def graph(monkeypatch: pytest.MonkeyPatch) -> Graph:
    """A tiny graph of three splits that is called Texas."""
    tiny = two_blocks()
    tiny = replace(tiny, name="texas", splits=stratified_splits(tiny.y, 3))
    monkeypatch.setattr("paper.equal_budget.graph_of", lambda name, data_dir: tiny)
    return tiny


def test_every_model_has_the_same_budget_on_a_dataset(tmp_path: Path) -> None:
    for dataset in nine():
        for number, model in enumerate(("gcn", "sgc", "majority")):
            add_zoo_unit(tmp_path, dataset, model, 0, 50.0 + number)
    add_zoo_unit(tmp_path, "texas", "gat", 0, 99.0)  # not on all nine
    results = Results(tmp_path, "equal-budget")
    assert models_of(results) == ("lsgnn", "classic", "sgc", "gcn")
    planned = units(Plan(datasets=("pubmed", "texas")), results)
    assert [unit.name for unit in planned[:4]] == ["texas/lsgnn", "texas/classic", "texas/sgc", "texas/gcn"]
    for dataset in ("texas", "pubmed"):
        own = [u.arguments | {"model": ""} for u in planned if u.arguments["dataset"] == dataset]
        assert len(own) == 4
        assert all(arguments == own[0] for arguments in own)
    assert planned[0].arguments["trials"] == 30
    assert limits(info("texas").nodes) == {"search_splits": 3}


def test_the_models_can_be_named(tmp_path: Path) -> None:
    planned = units(Plan(datasets=("texas",), models=("gat",)), Results(tmp_path, "equal-budget"))
    assert [unit.name for unit in planned] == ["texas/gat"]


def test_a_unit_searches_on_validation_and_tests_every_split_once(graph: Graph) -> None:
    found = compute(BUDGET, Plan())
    assert found["num_trials"] == 2
    assert len(found["val"]) == len(found["test"]) == 3
    assert found["config"]["epochs"] == 3
    assert found["config"]["seed"] == 1_000_000


def test_time_of_a_core_ends_a_search_after_a_complete_trial(graph: Graph, tmp_path: Path) -> None:
    budget = BUDGET | {"trials": 20, "minutes": 0.0}
    base = start(graph, budget)
    assert search(graph, base, budget, tmp_path / "one.db")["num_trials"] == 1
    again = search(graph, base, budget, tmp_path / "one.db")  # as after a kill between search and test
    assert again["num_trials"] == 1


def test_a_killed_unit_goes_on_from_its_trials_and_splits(
    graph: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = tuned_and_tested(graph, BUDGET, tmp_path / "whole")
    tested: list[int] = []
    unit = Bench.unit

    def killed_once_at_the_second(bench: Any, number: int, *more: Any) -> Any:
        tested.append(number)
        if tested == [0, 1]:
            raise KeyboardInterrupt
        return unit(bench, number, *more)

    monkeypatch.setattr(Bench, "unit", killed_once_at_the_second)
    with pytest.raises(KeyboardInterrupt):
        tuned_and_tested(graph, BUDGET, tmp_path / "killed")
    (study,) = (tmp_path / "killed").glob("texas-*.db")
    assert count_finished(_study(study)) == 2
    resumed = tuned_and_tested(graph, BUDGET, tmp_path / "killed")
    assert tested == [0, 1, 1, 2]
    assert count_finished(_study(study)) == 2
    assert {name: resumed[name] for name in ("config", "test")} == {name: whole[name] for name in ("config", "test")}


def test_a_model_that_cannot_run_is_a_result_and_not_the_end(graph: Graph) -> None:
    assert "majority" in compute(BUDGET | {"model": "majority"}, Plan())["error"]


def test_the_page_shows_scores_trials_and_gaps(tmp_path: Path) -> None:
    results = Results(tmp_path, "equal-budget")
    effort = {"num_trials": 12, "search_cpu_seconds": 300.0}
    results.add(PlannedUnit("texas/lsgnn", BUDGET), result={"test": [80.0, 90.0]} | effort)
    results.add(PlannedUnit("texas/sgc", BUDGET), result={"test": [70.0]} | effort)
    results.add(PlannedUnit("cora-linqs/sgc", BUDGET | {"dataset": "cora-linqs"}), result={"error": "too large"})
    page = render(results)
    scores, others, trials = (item for item in page.items if isinstance(item, Table))
    texas = nine().index("texas")
    shown = {row.label: row.cells[texas] for row in scores.rows}
    assert {label: str(cell) for label, cell in shown.items() if cell} == {"LSGNN": "85.00 ± 5.00", "SGC": "70.00"}
    assert shown["Classic GNN"] is None
    assert {row.cells[0] for row in scores.rows} == {None}
    assert others.columns[-1] == "cora-linqs"
    assert others.rows[-1].cells[-1] == "cannot run"
    assert trials.rows[0].cells[texas] == "12 (5.0)"
    assert page.findings == ("LSGNN minus the best baseline that has run: Texas +15.00 (SGC)",)
    text = to_markdown(page)
    assert "2 trials or 5 minutes of one core per dataset" in text
    assert "Fewer splits tested: Texas SGC 1." in text
    assert "Cannot run: cora-linqs SGC (too large)." in text
    assert NOT_RUN in text
