"""The ablation: which settings a row stands for, and how differences are paired."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from paper.ablation import EXPERIMENT, splits_of, units
from paper.ablation_page import difference
from paper.ablation_variants import CUMULATIVE, stored_name, variants
from paper.frame import Plan, Results
from paper.page import to_markdown


def test_rows_add_one_component_at_a_time() -> None:
    named = variants("chameleon")
    rows = [named[name] for name in CUMULATIVE if not name.startswith("rand")]
    for row, following in pairwise(rows):
        changed = {k for k, v in row.to_dict().items() if following.to_dict()[k] != v}
        assert len(changed) == 1, changed
    assert rows[-1].direction == "out"
    assert rows[-1].propagation == "irdc"


def test_equal_settings_are_computed_once() -> None:
    assert stored_name("chameleon", "out") == "lsgnn"
    assert stored_name("chameleon", "power") == "weighted_self_loops"
    assert stored_name("actor", "in") == "lsgnn"


def test_a_symmetric_graph_has_no_direction_to_vary() -> None:
    assert stored_name("cora", "in") is None
    assert stored_name("cora", "naive") == "naive"


def test_slow_weights_get_fewer_splits_on_large_graphs() -> None:
    named = variants("pubmed")
    assert splits_of("pubmed", named["rand_free"]) == 3
    assert splits_of("pubmed", named["lsgnn"]) == 10
    assert splits_of("texas", variants("texas")["rand_free"]) == 10


def test_differences_pair_the_splits_both_have() -> None:
    assert difference([81.0, 82.0, 83.0], [80.0, 81.0, 82.0, 50.0]) == "+1.00 ± 0.00"
    assert difference([81.0], [80.0, 50.0]) == "+1.00"


def test_the_table_shows_published_ours_and_gaps(tmp_path: Path) -> None:
    results = Results(tmp_path, "ablation")
    by_name = {unit.name: unit for unit in units(Plan(datasets=("texas",)), results)}
    for name, test in (("lsgnn", [90.0, 80.0]), ("naive", [89.0, 81.0])):
        results.add(by_name[f"texas/{name}"], result={"test": test})
    text = to_markdown(EXPERIMENT.render(results))
    assert "| + IRDC = LSGNN | published | 88.49 |" in text
    assert "| 85.00 ± 5.00 | not run yet |" in text
    assert "| +0.00 ± 12.71 |" in text
