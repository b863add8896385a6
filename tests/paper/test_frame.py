"""The frame: units are kept, resumed, never mixed, and pages come from stored files alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lsgnn.errors import DatasetUnavailable, InputError
from paper import get, names
from paper.frame import Experiment, Plan, PlannedUnit, Results
from paper.page import Page
from paper.rendering import render
from paper.running import run


def squares(computed: list[int], limit: int = 3) -> Experiment:
    """An experiment that squares numbers and remembers which ones it worked on."""

    def compute(arguments: dict[str, Any], plan: Plan) -> dict[str, Any]:
        computed.append(arguments["number"])
        return {"square": arguments["number"] ** 2}

    def units(plan: Plan, results: Results) -> list[PlannedUnit]:
        return [PlannedUnit(f"numbers/{n}", {"number": n}) for n in range(limit)]

    def page(results: Results) -> Page:
        return Page("Squares", (), tuple(str(results.get(key)["square"]) for key in results.finished()))

    return Experiment("squares", "Squares", page, units, compute)


def test_a_run_computes_every_unit_and_stores_arguments_result_and_environment(tmp_path: Path) -> None:
    results = Results(tmp_path, "squares")
    assert run(squares([]), Plan(), results) == []
    lines = (tmp_path / "experiments" / "squares" / "numbers.jsonl").read_text().splitlines()
    stored = json.loads(lines[2])
    assert stored["name"] == "numbers/2"
    assert stored["arguments"] == {"number": 2}
    assert stored["result"] == {"square": 4}
    assert "torch" in stored["environment"]


def test_a_stopped_run_goes_on_where_it_was(tmp_path: Path) -> None:
    results, computed = Results(tmp_path, "squares"), list[int]()

    def stop(done: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(squares(computed), Plan(), results, on_done=stop)
    run(squares(computed), Plan(), results)
    assert computed == [0, 1, 2]


def test_no_half_written_line_counts_as_a_result(tmp_path: Path) -> None:
    results, computed = Results(tmp_path, "squares"), list[int]()
    run(squares([]), Plan(), results)
    path = results.path("numbers/2")
    path.write_bytes(path.read_bytes()[:-20])
    assert results.finished() == ["numbers/0", "numbers/1"]
    run(squares(computed), Plan(), results)
    assert computed == [2]
    assert results.finished() == ["numbers/0", "numbers/1", "numbers/2"]


def test_units_of_one_dataset_share_a_file_and_others_have_one_for_all(tmp_path: Path) -> None:
    results = Results(tmp_path, "depth")
    assert results.path("texas/gcn-02") == results.path("texas/lsgnn-64") == results.folder / "texas.jsonl"
    assert results.path("00-01") == results.folder / "all.jsonl"


def test_results_made_with_other_settings_are_refused(tmp_path: Path) -> None:
    results = Results(tmp_path, "squares")
    run(squares([]), Plan(), results)
    results.add(PlannedUnit("numbers/1", {"number": 7}), result={"square": 49})
    with pytest.raises(InputError, match=r"numbers/1 in .*numbers.jsonl was made with other settings \(number\)"):
        run(squares([]), Plan(), results)


def test_settings_invented_later_do_not_outdate_a_result(tmp_path: Path) -> None:
    def units(config: dict[str, Any]) -> list[PlannedUnit]:
        return [PlannedUnit("one", {"number": 1, "config": config, "configs": [config, config]})]

    results, computed = Results(tmp_path, "squares"), list[int]()
    base = squares(computed)
    for config in ({"lr": 0.1}, {"lr": 0.1, "class_weight": "none"}):
        experiment = Experiment(base.name, base.title, base.render, lambda p, r, c=config: units(c), base.compute)
        run(experiment, Plan(), results)
    assert computed == [1]
    with pytest.raises(InputError, match=r"other settings \(config, configs\)"):
        run(
            Experiment(base.name, base.title, base.render, lambda p, r: units({"lr": 0.2}), base.compute),
            Plan(),
            results,
        )


def test_quick_results_are_kept_apart(tmp_path: Path) -> None:
    run(squares([]), Plan(quick=True), Results(tmp_path, "squares", quick=True))
    assert Results(tmp_path, "squares").finished() == []
    assert len(Results(tmp_path, "squares", quick=True).finished()) == 3


def test_missing_data_skips_its_units_and_says_so(tmp_path: Path) -> None:
    def compute(arguments: dict[str, Any], plan: Plan) -> dict[str, Any]:
        if arguments["number"] == 1:
            raise DatasetUnavailable("number 1 is not here")
        return {"square": 0}

    base = squares([])
    experiment = Experiment(base.name, base.title, base.render, base.units, compute)
    results = Results(tmp_path, "squares")
    assert run(experiment, Plan(), results) == ["number 1 is not here"]
    assert results.finished() == ["numbers/0", "numbers/2"]


def test_units_may_build_on_the_results_of_others(tmp_path: Path) -> None:
    base = squares([])

    def units(plan: Plan, results: Results) -> list[PlannedUnit]:
        first = base.units(plan, results)
        done = [results.get(unit.name) for unit in first]
        return first + ([PlannedUnit("sum", {"number": sum(d["square"] for d in done)})] if all(done) else [])

    results = Results(tmp_path, "squares")
    run(Experiment(base.name, base.title, base.render, units, base.compute), Plan(), results)
    assert results.get("sum") == {"square": 25}


def test_rendering_reads_stored_files_only(tmp_path: Path) -> None:
    computed: list[int] = []
    experiment, results = squares(computed), Results(tmp_path, "squares")
    run(experiment, Plan(), results)
    computed.clear()
    written = render(experiment, results, tmp_path / "out")
    assert [path.name for path in written] == ["squares.md", "squares.tex"]
    text, _, made = (tmp_path / "out" / "squares.md").read_text().partition("\n*")
    assert text == "# Squares\n\n- 0\n- 1\n- 4\n\n"
    assert made.startswith("Stored results: 3 made ")
    assert computed == []


def test_two_jobs_give_the_same_results_as_one(tmp_path: Path) -> None:
    theorem, plan = get("theorem"), Plan(quick=True)
    one, two = (Results(tmp_path / name, "theorem", quick=True) for name in ("one", "two"))
    run(theorem, plan, one)
    run(theorem, plan, two, jobs=2)
    assert [one.get(key) for key in one.finished()] == [two.get(key) for key in two.finished()]


def test_every_experiment_renders_before_anything_has_run(tmp_path: Path) -> None:
    for name in names():
        written = render(get(name), Results(tmp_path, name), tmp_path / "out")
        assert "not run yet" in written[0].read_text("utf-8"), name


def test_a_misspelt_experiment_is_an_error_with_a_hint() -> None:
    with pytest.raises(InputError, match="did you mean 'ablation'"):
        get("ablatoin")
