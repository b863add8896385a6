"""A run that came from tables: requests hold what cells would hold, and the run's own transformers read them."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lsgnn import Run, fit, read_tables
from tests.serving.clients import ask

pytest.importorskip("fastapi", reason="the extra [serve] is not installed")
from lsgnn.serving.app import create_app
from lsgnn.serving.continued import continued

CELLS = {"town": "Rom", "income": 20000, "joined": "2021-03-11"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder, random = tmp_path_factory.mktemp("planned"), np.random.default_rng(0)
    rows = []
    for i in range(120):
        town, income = random.choice(["Bonn", "Rom"]), "" if i % 9 == 0 else f"{random.lognormal(10):.0f}"
        rows.append(f"p{i},{'yes' if town == 'Rom' else 'no'},{town},{income},2021-0{1 + i % 9}-11")
    (folder / "nodes.csv").write_text("\n".join(["id,label,town,income,joined", *rows]) + "\n")
    links = [f"p{s},p{t}" for s, t in random.integers(0, 120, (300, 2))]
    (folder / "edges.csv").write_text("\n".join(["source,target", *links]) + "\n")
    graph = read_tables(folder / "edges.csv", folder / "nodes.csv", label="label")
    settings: dict[str, Any] = dict(epochs=5, K=1, hidden_channels=4, feature_norm="standard", direction="out")
    fit(graph, engine="torch", ask_others=False, **settings).save(folder / "run")
    return folder


@pytest.fixture
def app(folder: Path, tmp_path: Path) -> Any:
    return create_app(folder / "run", journal=tmp_path / "j")


def request(features: Any, **more: Any) -> bytes:
    return json.dumps({"nodes": [{"id": "u", "features": features, "edges": [{"target": "p0"}]}], **more}).encode()


def test_a_request_is_read_like_a_row_of_a_table(app: Any, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "n.csv").write_text("id,town,income,joined\nu,Rom,20000,2021-03-11\n")
    (tmp_path / "e.csv").write_text("source,target\nu,p0\n")
    expected = Run.load(folder / "run").predict_new_tables(tmp_path / "e.csv", tmp_path / "n.csv")
    answer = ask(app, "/predict/new", content=request(CELLS)).json()
    found = list(answer["predictions"][0]["probabilities"].values())
    np.testing.assert_allclose(found, expected.probabilities[0], atol=1e-6)
    assert answer["notes"] == []


def test_what_is_missing_or_new_is_told(app: Any) -> None:
    notes = ask(app, "/predict/new", content=request({"town": "Oslo", "joined": "2021-03-11"})).json()["notes"]
    assert "'income' is missing in 1 node(s): filled in as in training" in notes
    assert any("'Oslo'" in note and "new to the model" in note for note in notes)


@pytest.mark.parametrize(
    "features",
    [{"twn": 1}, {"income": "abc"}, {"income": [1]}, {"income": 1e300}, {"joined": "soon"}, {"town": {}}, [1, 2]],
)
def test_what_no_cell_could_hold_is_refused(app: Any, features: Any) -> None:
    answer = ask(app, "/predict/new", content=request(features))
    assert answer.status_code == 422
    assert len(answer.json()["error"]) > 20


def test_the_example_can_be_sent_and_kept_nodes_are_trained_on(app: Any, folder: Path, tmp_path: Path) -> None:
    assert ask(app, "/predict/new", ask(app, "/model").json()["example"]).status_code == 200
    assert ask(app, "/predict/new", content=request(CELLS, persist=True)).json()["kept"] == 1
    again = continued(Run.load(folder / "run"), tmp_path / "j")
    assert again.graph.num_nodes == 121
    assert again.graph.columns is not None
