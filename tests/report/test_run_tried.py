from dataclasses import replace
from types import SimpleNamespace as Row

import pytest

from lsgnn import Run
from lsgnn.report import run_page
from lsgnn.report.run_tried import models_of, tried_of
from lsgnn.runs.tried import Tried


def shown(table: dict) -> list[list[str]]:
    return [[text for text, _ in row] for row in table["rows"]]


def test_candidates_are_told_with_their_scores_and_the_one_taken(run: Run) -> None:
    assert tried_of(run) is None
    run = replace(run, tried=(Tried("direction", "out", 0.5, False), Tried("direction", "in", 0.75, True)))
    assert shown(tried_of(run)["table"]) == [
        ["direction", "out", "50.00 %", ""],
        ["direction", "in", "75.00 %", "taken"],
    ]
    page = run_page(run)
    assert "What was tried" in page
    assert "scored by accuracy on validation nodes" in page


def test_models_of_an_automatic_choice_are_told(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert models_of(run) is None
    best = Row(model="trees", title="Boosted trees", configuration={"lr": 0.05}, val=0.9, share=0.7, seconds=2.0)
    other = Row(model="mlp", title="MLP", configuration={}, val=0.8, share=0.3, seconds=1.25)
    monkeypatch.setattr(Run, "board", (best, other), raising=False)
    assert shown(models_of(run)["table"]) == [
        ["Boosted trees", "lr=0.05", "90.00 %", "70 %", "2.0 s"],
        ["MLP", "default", "80.00 %", "30 %", "1.2 s"],
    ]
    assert "Models that were tried" in run_page(run)
