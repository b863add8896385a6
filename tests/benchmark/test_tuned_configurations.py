"""Tuning before a comparison: alike for all, kept in the store, and with a seed that the search has not seen."""

from pathlib import Path

from lsgnn import zoo
from lsgnn.benchmark.compare import compare
from lsgnn.benchmark.final_scores import UNSEEN
from tests.graphs import two_blocks

GRAPH = two_blocks()
CONFIGS = {name: zoo.get(name).config(epochs=3) for name in ("mlp", "sgc")}


def test_every_model_that_can_is_tuned_and_a_later_call_goes_on(tmp_path: Path) -> None:
    arguments = dict(which=[0, 1], configs=CONFIGS, tune=2, store=tmp_path)
    trials: list[str] = []
    first = compare(GRAPH, ["majority", "mlp", "sgc"], on_trial=lambda name, _: trials.append(name), **arguments)
    assert trials == ["mlp", "mlp", "sgc", "sgc"]
    studies = sorted(path.name.split("-")[0] for path in (tmp_path / "two-blocks" / "studies").glob("*.db"))
    assert studies == ["mlp", "sgc"]
    again = compare(GRAPH, ["majority", "mlp", "sgc"], on_trial=lambda name, _: trials.append(name), **arguments)
    assert len(trials) == 4
    assert [row.units for row in again.rows] == [row.units for row in first.rows]
    for row in first.rows:
        assert row.units[0].config["seed"] == (0 if row.model == "majority" else UNSEEN)
        assert "seed" not in row.for_fit
