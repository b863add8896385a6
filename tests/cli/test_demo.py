from pathlib import Path
from typing import Any

import pytest


@pytest.mark.slow
def test_the_demo_compares_three_models_on_both_bundled_graphs(lsgnn: Any, tmp_path: Path) -> None:
    result = lsgnn("demo", "--out", tmp_path, "--splits", 1, "--json")
    assert result.code == 0, result.err
    cora, debian = result.json["graphs"]
    assert (cora["graph"], debian["graph"]) == ("cora-linqs", "debian")
    assert cora["test_accuracy"]["lsgnn"]["mean"] > cora["test_accuracy"]["mlp"]["mean"]
    for graph in (cora, debian):
        assert Path(graph["predictions"]).exists()
        assert len(Path(graph["predictions"]).read_text().splitlines()) == graph["nodes"] + 1
