from pathlib import Path
from typing import Any

import pytest

from lsgnn.cli.demo import baselines
from lsgnn.errors import InputError


@pytest.mark.slow
def test_the_demo_compares_three_models_on_both_bundled_graphs(
    lsgnn: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lsgnn.cli.demo.EPOCHS", 30)
    result = lsgnn("demo", "--out", tmp_path, "--json")
    assert result.code == 0, result.err
    cora, debian = result.json["graphs"]
    assert (cora["graph"], debian["graph"]) == ("cora-linqs", "debian")
    assert cora["test_accuracy"]["lsgnn"]["mean"] > cora["test_accuracy"]["mlp"]["mean"]
    for graph in (cora, debian):
        assert set(graph["test_accuracy"]) == set(graph["cpu_seconds"]) == {"mlp", "gcn", "lsgnn"}
        assert all(seconds > 0 for seconds in graph["cpu_seconds"].values())
        assert len(Path(graph["predictions"]).read_text().splitlines()) == graph["nodes"] + 1
        assert Path(graph["report"]).read_text().endswith("</html>")


def test_baselines_that_fail_are_told_in_one_sentence() -> None:
    with (
        pytest.raises(InputError, match=r"the baselines failed: error: .*splits 0\.\.9"),
        baselines(splits=11) as result_of,
    ):
        result_of()
