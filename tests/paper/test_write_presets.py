"""The presets `tuned` of the package are what the stored searches chose."""

import json

from lsgnn.datasets import preset
from paper.places import RESULTS
from paper.scripts.regenerate import stale
from paper.scripts.write_presets import presets


def test_tuned_settings_are_those_that_the_stored_searches_chose() -> None:
    assert stale(presets(RESULTS)) == [], "run python -m paper.scripts.write_presets"
    chosen = json.loads((RESULTS / "tuning" / "paper" / "cora.json").read_text("utf-8"))
    assert preset("cora", "tuned").splits == "official"
    assert preset("cora", "tuned").config.seed == 0
    if "paper space" in preset("cora", "tuned").notes:
        assert preset("cora", "tuned").config.lr == chosen["chosen"]["lr"]
