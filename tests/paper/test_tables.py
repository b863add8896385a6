"""Tables made from what other commands leave behind: the main table, the cost table and the plug-ins."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lsgnn.files import write_json
from paper import cost, large, main_table, plug_in, tuning
from paper.frame import Plan, PlannedUnit, Results
from paper.inputs import read_tuned, read_zoo
from paper.main_table import with_ranks
from paper.page import Row, Score, Table, to_markdown
from paper.published import nine
from tests.paper.stored import add_zoo_unit


def store(path: Path, document: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_json(path, document)


def test_of_several_settings_the_best_on_the_validation_nodes_of_shared_splits_counts(tmp_path: Path) -> None:
    for split in range(5):  # worse on splits 0 to 2, which both have run on; splits 3 and 4 must not help it
        add_zoo_unit(tmp_path, "texas", "gcn", split, 40.0, val=50.0 if split < 3 else 99.0)
    for split in range(3):
        add_zoo_unit(tmp_path, "texas", "gcn", split, 30.0, val=51.0, lr=0.2)
    add_zoo_unit(tmp_path, "texas", "gcn", 0, 20.0, val=100.0, lr=0.3)  # stopped after a split
    assert read_zoo(tmp_path, "texas") == {"gcn": [30.0] * 3}


def test_configurations_with_few_splits_do_not_compete(tmp_path: Path) -> None:
    for split, test, lr in [(1, 60.0, 0.1), (0, 50.0, 0.1), (0, 99.0, 0.2)]:
        add_zoo_unit(tmp_path, "texas", "gcn", split, test, lr=lr)
    assert read_zoo(tmp_path, "texas") == {"gcn": [50.0, 60.0]}
    assert read_zoo(tmp_path, "cora") == {}


def test_tuned_scores_show_in_the_main_table_beside_the_published_ones(tmp_path: Path) -> None:
    evaluation = {"test_accuracy": {"per_split": [80.0, 90.0]}, "val_accuracy": {"per_split": [81.0, 91.0]}}
    for dataset in nine():
        document = {
            "dataset": dataset,
            "space": "paper",
            "trials": [{}] * 200,
            "test": {"one setting for all splits": evaluation},
        }
        document |= {"seconds": 60.0, "chosen": {"lr": 0.1}, "rescored": [{"settings": {"lr": 0.1}, "val": 86.5}]}
        store(tmp_path / "tuning" / f"{dataset}.json", document)
    assert read_tuned(tmp_path)[0].trials == 200
    page = main_table.render(Results(tmp_path, "main"))
    text = to_markdown(page)
    assert "LSGNN, tuned, the paper's space, single seed | ours | 85.00 ± 5.00 |" in text
    assert "| LSGNN | published | **88.49** |" in text
    assert (
        page.findings[0] == "best on average over the nine (ours): LSGNN, tuned, the paper's space, single seed 85.00"
    )


def test_tuned_datasets_are_listed_with_trials_and_every_test_protocol(tmp_path: Path) -> None:
    rules = {"one setting for all splits": [0.8, 0.9], "one setting, 5 seeds voting": [0.7]}
    document = {
        "dataset": "tolokers",
        "metric": "roc_auc",
        "space": "extended",
        "num_trials": 60,
        "search_splits": 3,
        "seconds": 330.0,
        "chosen": {"lr": 0.1},
        "rescored": [{"settings": {"lr": 0.1}, "val": 81.0}, {"settings": {"lr": 0.2}, "val": 82.0}],
        "test": {rule: {f"{part}_roc_auc": {"per_split": s} for part in ("val", "test")} for rule, s in rules.items()},
    }
    store(tmp_path / "tuning" / "extended" / "tolokers.json", document)
    page = tuning.EXPERIMENT.render(Results(tmp_path, "tuning"))
    (table,) = page.items
    assert isinstance(table, Table)
    shown = ["–", "60", "3", "6", "81.00", "0.85 ± 0.05", "–", "0.70", "–"]
    assert [str(cell) for cell in table.rows[0].cells] == shown
    assert page.findings == ()


def test_averages_over_the_nine_have_an_error_and_validation_may_prefer_a_protocol(tmp_path: Path) -> None:
    rules = {
        "one setting for all splits": ([70.0, 70.0], [60.0, 60.0]),
        "each split its own": ([99.0, 99.0], [50.0, 50.0]),
        "one setting, 5 seeds voting": ([71.0, 71.0], [64.0, 66.0]),
    }
    read = {r: {"val_accuracy": {"per_split": v}, "test_accuracy": {"per_split": t}} for r, (v, t) in rules.items()}
    for dataset in nine():
        document = {"dataset": dataset, "space": "paper", "num_trials": 9, "seconds": 60.0, "test": read}
        document |= {"chosen": {"lr": 0.1}, "rescored": [{"settings": {"lr": 0.1}, "val": 70.0}]}
        store(tmp_path / "tuning" / "paper" / f"{dataset}.json", document)
    one, own, ensemble, preferred = tuning.EXPERIMENT.render(Results(tmp_path, "tuning")).findings
    assert "single seed: 60.00 (standard error 0.00) on average" in one
    assert "one configuration per split: 50.00 (standard error 0.00)" in own
    assert "seed ensemble: 65.00 (standard error 0.33)" in ensemble  # 1 on each of nine: √9 / 9
    assert "best: 65.00 (standard error 0.33)" in preferred


def test_the_corrected_table_has_the_twin_look_up(tmp_path: Path) -> None:
    add_zoo_unit(tmp_path, "squirrel-filtered", "twin_lookup", 0, 35.2)
    text = to_markdown(main_table.render(Results(tmp_path, "main")))
    assert "| Twin look-up | ours | not run yet | not run yet | 35.20 | not run yet |" in text


def test_ranks_are_among_complete_rows_of_the_same_source() -> None:
    rows = [
        Row("a", (Score(3.0), Score(1.0), Score(2.0)), "ours"),
        Row("b", (Score(2.0), Score(1.0), Score(1.5)), "ours"),
        Row("c", (Score(9.0), None, None), "ours"),
        Row("d", (Score(9.0), Score(9.0), Score(9.0)), "published"),
    ]
    assert [row.cells[-1] for row in with_ranks(rows)] == ["1.2", "1.8", None, "1.0"]


def test_the_cost_table_reads_the_benchmark(tmp_path: Path) -> None:
    rounds = {"lsgnn": [[0.5, 0.6], [0.4, 0.5], [0.9, 1.0]], "sgc": [[1.0, 1.0]]}
    entries = [{"dataset": name, "epochs": 200, "precompute_cpu_seconds": 0.25, "seconds": rounds} for name in nine()]
    entries.append({"dataset": "synthetic-arxiv", "epochs": 5, "precompute_cpu_seconds": 1, "seconds": rounds})
    document = {"torch": "2.9", "threads": 1, "rounds": 3, "results": entries}
    store(tmp_path / "benchmarks" / "train_cost.json", document)
    page = cost.render(Results(tmp_path, "cost", benchmarks=tmp_path / "benchmarks"))
    text = to_markdown(page)
    assert "| LSGNN, fused engine | ours | **0.50** |" in text
    assert "| GAT (PyG) | ours | not run yet |" in text
    assert page.findings == ("SGC (PyG) takes 2.0 times the time of our engine (2.0 to 2.0 over 9 datasets)",)


def test_both_sides_of_a_plug_in_try_the_same_configurations(tmp_path: Path) -> None:
    pytest.importorskip("optuna")
    results = Results(tmp_path, "plug-in")
    units = plug_in.units(Plan(datasets=("texas",)), results)
    sides = {
        side: [u.arguments["settings"] for u in units if f"/gprgnn-{side}/trial" in u.name]
        for side in ("original", "localsim")
    }
    assert len(sides["original"]) == plug_in.budget(nodes=183)[0]
    assert [s | {"weights": "localsim"} for s in sides["original"]] == sides["localsim"]
    assert not any(u.name.endswith("test") for u in units)


def test_the_best_trial_on_validation_is_tested_once_all_have_run(tmp_path: Path) -> None:
    pytest.importorskip("optuna")
    results, plan = Results(tmp_path, "plug-in"), Plan(datasets=("texas",))
    trials = [u for u in plug_in.units(plan, results) if "/dagnn-localsim/" in u.name]
    for number, unit in enumerate(trials):
        results.add(unit, result={"val": [50.0 + (number == 3)]})
    (tested,) = [u for u in plug_in.units(plan, results) if u.name.endswith("/test")]
    assert tested.name == "texas/dagnn-localsim/test"
    assert tested.arguments["settings"] == trials[3].arguments["settings"]
    assert tested.arguments["splits"] == 10


def test_large_graphs_fall_back_to_the_stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LSGNN_CACHE", str(tmp_path))
    monkeypatch.setenv("LSGNN_DATA", str(tmp_path))
    tasks = {unit.arguments["task"] for unit in large.units(Plan(), Results(tmp_path, "large"))}
    assert tasks == {"arxiv-2023-subject", "arxiv-2023-year"}
    (tmp_path / "ogbn-arxiv.npz").touch()
    tasks = {unit.arguments["task"] for unit in large.units(Plan(), Results(tmp_path, "large"))}
    assert tasks == {"ogbn-arxiv"}


def test_the_best_model_of_a_large_graph_is_named_first(tmp_path: Path) -> None:
    results = Results(tmp_path, "large")
    for name, test in (("gcn-0", 50.0), ("lsgnn-0", 60.0), ("lsgnn-1", 62.0)):
        results.add(PlannedUnit(f"arxiv-2023-year/{name}", {}), result={"test": test})
    page = large.EXPERIMENT.render(results)
    assert page.findings == ("arxiv-2023 by year (stand-in): LSGNN 61.00 ± 1.00, GCN 50.00",)


@pytest.mark.dataset
def test_years_become_five_classes_and_unknown_years_none(data_dir: Path) -> None:
    graph, splits = large.task_graph("arxiv-2023-year", data_dir)
    assert graph.num_classes <= 5
    assert len(splits) == 5
    assert (graph.y == -1).any()
    assert not (splits.covered & (graph.y < 0)).any()


def test_a_peer_far_from_its_published_row_is_listed_with_a_reason(tmp_path: Path) -> None:
    add_zoo_unit(tmp_path, "texas", "gcn", 0, 80.0)  # published: 59.46
    add_zoo_unit(tmp_path, "texas", "mlp", 0, 80.0)  # published: 81.89
    table = main_table.render(Results(tmp_path, "main")).items[2]
    assert [row.label for row in table.rows] == ["GCN, Texas"]
    assert table.rows[0].cells[2] == "+20.54"


def test_the_memory_of_the_zoo_is_shown_where_it_was_measured(tmp_path: Path) -> None:
    assert len(cost.EXPERIMENT.render(Results(tmp_path, "cost", benchmarks=tmp_path / "benchmarks")).items) == 1
    store(tmp_path / "benchmarks" / "zoo_memory.json", {"pubmed": {"gcn": 812.3}})
    _, memory = cost.EXPERIMENT.render(Results(tmp_path, "cost", benchmarks=tmp_path / "benchmarks")).items
    assert isinstance(memory, Table)
    assert {row.label: row.cells for row in memory.rows}["GCN"] == ("812",)
