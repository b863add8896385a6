"""Pages say what made their numbers, and never mix versions of a model in silence."""

from pathlib import Path

import pytest

from lsgnn.zoo.presets import zoo_preset
from paper import large, main_table, plug_in
from paper.frame import Plan, PlannedUnit, Results
from paper.inputs import read_zoo
from paper.page import to_markdown
from paper.peers import measured
from paper.provenance import mixed, mixed_rows
from paper.running import run
from tests.paper.stored import add_zoo_unit
from tests.paper.test_frame import squares


def test_one_version_needs_no_words() -> None:
    assert mixed({0: "aa", 1: "aa"}) == mixed({0: "", 1: ""}) == mixed({}) == ""
    assert mixed({0: "aa", 1: "", 2: "bb"}) == "code aa on 0, before provenance was kept on 1, code bb on 2"
    assert mixed_rows({"GCN": {"Cora": "aa", "Texas": "aa"}}) == ""


def test_a_row_whose_datasets_are_of_two_versions_says_so(tmp_path: Path) -> None:
    add_zoo_unit(tmp_path, "cora", "gcn", 0, 80.0, code="new")
    add_zoo_unit(tmp_path, "texas", "gcn", 0, 60.0)
    text = to_markdown(main_table.render(Results(tmp_path, "main")))
    told = "Datasets by different versions of the model: gcn (code new on Cora, before provenance was kept on Texas)."
    assert told in text


def test_a_row_of_the_main_table_with_splits_of_two_versions_says_so(tmp_path: Path) -> None:
    for split in range(3):
        add_zoo_unit(tmp_path, "texas", "gcn", split, 60.0)
    before = to_markdown(main_table.render(Results(tmp_path, "main")))
    add_zoo_unit(tmp_path, "texas", "gcn", 3, 70.0, code="new")
    text = to_markdown(main_table.render(Results(tmp_path, "main")))
    told = "Splits by different versions of the model: before provenance was kept on 0, 1, 2, code new on 3: Texas gcn."
    assert told in text
    assert "different versions" not in before


def test_what_an_older_version_scored_with_other_settings_is_no_rival(tmp_path: Path) -> None:
    for split in range(4):
        add_zoo_unit(tmp_path, "texas", "gcn", split, 90.0, val=99.0)
    for split in range(2):
        add_zoo_unit(tmp_path, "texas", "gcn", split, 60.0, val=50.0, code="new", lr=0.2)
    assert read_zoo(tmp_path, "texas") == {"gcn": [60.0, 60.0]}


def test_a_cause_is_not_found_between_two_versions(tmp_path: Path) -> None:
    card = zoo_preset("gprgnn", "chameleon").to_dict()
    for split in range(3):
        add_zoo_unit(tmp_path, "chameleon", "gprgnn", split, 67.0 + split, code="new", **card)
    results, changed = Results(tmp_path, "peers"), {"test": [46.0, 47.0, 48.0], "val": [50.0] * 3}
    unit = PlannedUnit("chameleon/gprgnn-in-edges", {})
    results.add(unit, result=changed, code="new")
    assert measured(results)[0].explains
    results.add(unit, result=changed, code="old")
    (found,) = measured(results)
    assert not found.explains
    assert "by different versions of the model: code new and code old" in str(found)


def test_large_graphs_and_plug_ins_say_so_too(tmp_path: Path) -> None:
    runs = Results(tmp_path, "large")
    for number, code in enumerate(("old", "new")):
        runs.add(PlannedUnit(f"arxiv-2023-year/gcn-{number}", {}), result={"test": 50.0}, code=code)
    assert "GCN code old on 0, code new on 1" in to_markdown(large.EXPERIMENT.render(runs))
    hosts = Results(tmp_path, "plug-in")
    facts = {"dataset": "texas", "trials": 1, "splits": 1, "epochs": 1, "patience": 1}
    for name, code in (("trial-00", "old"), ("test", "new")):
        unit = PlannedUnit(f"texas/gprgnn-original/{name}", facts)
        hosts.add(unit, result={"val": [1.0], "test": [1.0]}, code=code)
    text = to_markdown(plug_in.EXPERIMENT.render(hosts))
    assert "By different versions of the host: Texas gprgnn-original (code new and code old)." in text


def test_a_fresh_run_computes_anew_what_other_code_made_and_nothing_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    computed: list[int] = []
    run(squares(computed), Plan(), Results(tmp_path, "squares"))
    monkeypatch.setattr("paper.running.code_of", lambda arguments: "new")
    monkeypatch.setattr("paper.frame.code_of", lambda arguments: "new")
    fresh = Results(tmp_path, "squares", fresh=True)
    assert fresh.finished() == []
    assert len(Results(tmp_path, "squares").finished()) == 3  # the old ones are there until the new ones are
    run(squares(computed), Plan(), fresh)
    run(squares(computed), Plan(), Results(tmp_path, "squares", fresh=True))
    assert computed == [0, 1, 2] * 2
    assert Results(tmp_path, "squares").code("numbers/1") == "new"
