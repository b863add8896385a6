"""The study of LocalSim: paired over the seeds that both variants have, worst seeds named, empty where nothing ran."""

from __future__ import annotations

from pathlib import Path

from paper.frame import Plan, PlannedUnit, Results
from paper.localsim import compute, units
from paper.localsim_page import render
from paper.localsim_variants import VARIANTS


def store(results: Results, name: str, val: list[float], test: list[float]) -> None:
    results.add(PlannedUnit(name, {}), result={"val": val, "test": test})


def test_differences_are_paired_over_the_seeds_both_have(tmp_path: Path) -> None:
    results = Results(tmp_path, "localsim")
    store(results, "squirrel/released/seed-00", [60.0, 72.0], [60.0, 70.0])
    store(results, "squirrel/released/seed-01", [72.0, 72.0], [70.0, 70.0])
    store(results, "squirrel/smoothed/seed-01", [73.0, 75.0], [71.0, 73.0])
    store(results, "squirrel/graph/seed-01", [74.0, 74.0], [71.5, 72.5])
    store(results, "squirrel/tuned-released/seed-00", [1.0, 2.0], [3.0, 4.0])
    page = render(results)
    val, test, against_graph, tuned_val, *_, seeds, fsbm = page.items
    assert [row.label for row in val.rows] == ["Squirrel"]
    assert val.columns == ("as it is", VARIANTS["graph"][0], VARIANTS["smoothed"][0])
    assert val.rows[0].cells == ("69.00 (4)", "+2.00 ± 0.00 † (2)", "+2.00 ± 12.71 (2)")
    assert test.rows[0].cells[2] == "+2.00 ± 12.71 (2)"
    assert against_graph.rows[0].cells == ("-2.00 ± 6.35 (2)", "+0.00 ± 6.35 (2)")
    assert tuned_val.rows[0].cells == ("1.50 (2)",)
    assert seeds.rows[0].cells == ("2", "69.00", "66.00", "60.00", "67.50")
    assert fsbm.rows[0].cells == (None, None, None)
    released = "Squirrel, released configuration, as it is: 1 of 2 seeds have a run below 71 validation (worst 60.00)"
    assert released in page.findings
    assert not any("a gain" in finding for finding in page.findings)  # one graph is not worth a count


def test_clear_gains_and_losses_against_graph_level_weights_are_counted(tmp_path: Path) -> None:
    results = Results(tmp_path, "localsim")
    for dataset, gain in {"texas": 1.0, "cora": 0.0, "actor": -1.0, "pubmed": 2.0}.items():
        store(results, f"{dataset}/graph/seed-00", [50.0, 60.0], [50.0, 60.0])
        store(results, f"{dataset}/smoothed/seed-00", [50.0, 60.0], [50.0 + gain, 60.0 + 1.01 * gain])
    (found,) = (finding for finding in render(results).findings if "a gain" in finding)
    assert found.endswith("averaged twice: a gain whose interval excludes 0 on 2 of 4 graphs, a loss on 1")


def test_seeds_and_variants_are_units_and_fsbm_graphs_too() -> None:
    planned = units(Plan(), Results(Path("nowhere"), "localsim"))
    names = [unit.name for unit in planned]
    assert sum(name.startswith("squirrel/smoothed/") for name in names) == 20
    assert sum(name.startswith("cora/smoothed/") for name in names) == 5
    assert sum(name.startswith("cora/tuned-smoothed/") for name in names) == 5
    assert not any("tuned-near" in name or name.startswith("debian/tuned") for name in names)
    assert sum(name.startswith("fsbm/smoothed/") for name in names) == 12
    assert len(names) == len(set(names))


def test_a_cell_of_fsbm_graphs_is_computed() -> None:
    unit = next(u for u in units(Plan(quick=True), Results(Path("nowhere"), "localsim")) if "fsbm/once" in u.name)
    scores = compute(unit.arguments | {"n": 400}, Plan(quick=True))
    assert len(scores["val"]) == len(scores["test"]) == 1
    assert scores["test"][0] > 90
