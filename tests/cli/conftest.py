import json
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from lsgnn.cli.main import run


@dataclass
class Outcome:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def lsgnn(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """Runs the real `lsgnn` entry point in this process, as the executable would."""

    def call(*arguments: object) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["lsgnn", *map(str, arguments)])
        code = 0
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            try:
                run()
            except SystemExit as stop:
                code = int(stop.code or 0)
        out, err = capsys.readouterr()
        return Outcome(code, out, err)

    return call


@pytest.fixture
def tables(tmp_path: Any) -> Any:
    """edges.csv and nodes.csv of 60 web pages with string ids, some of them without a label."""
    from tests.graphs import two_blocks

    graph = two_blocks(n=60)
    source, target = graph.edge_index
    edges = "source,target\n" + "".join(f"page{s},page{t}\n" for s, t in zip(source, target, strict=True))
    (tmp_path / "edges.csv").write_text(edges)
    labels = ["" if i % 10 == 0 else ("cat", "dog")[y] for i, y in enumerate(graph.y)]
    header = "id,topic," + ",".join(f"f{j}" for j in range(6)) + "\n"
    rows = (f"page{i},{label}," + ",".join(f"{v:.4f}" for v in graph.x[i]) + "\n" for i, label in enumerate(labels))
    (tmp_path / "nodes.csv").write_text(header + "".join(rows))
    return tmp_path
