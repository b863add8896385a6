"""Every model of the zoo through the real command line."""

import pytest

from lsgnn import zoo
from tests.graphs import random_graph


def nothing_to_probe(name: str) -> list[str]:
    """Words that decide what a few epochs of a small MLP would decide otherwise, for every model anew."""
    decided = {"feature_norm": "l2", "structure_features": "none"}
    known = zoo.get(name).config().to_dict()
    return [word for key, value in decided.items() if key in known for word in ("--set", f"{key}={value}")]


@pytest.mark.parametrize("name", zoo.names())
def test_fit_predict_and_report_through_the_real_command(lsgnn, name: str, tmp_path) -> None:
    graph = tmp_path / "graph.npz"
    random_graph().save(graph)
    settings = ["--set", "epochs=3", *nothing_to_probe(name)]
    files = ["--out", tmp_path / "run", "--predictions", tmp_path / "p.csv", "--report", tmp_path / "r.html"]
    done = lsgnn("fit", graph, "--model", name, *settings, *files, "--json")
    assert done.code == 0, done.err
    assert done.json["model"] == name
    again = lsgnn("predict", tmp_path / "run", "--out", tmp_path / "again.csv")
    assert again.code == 0, again.err
    assert (tmp_path / "again.csv").read_text() == (tmp_path / "p.csv").read_text()
    assert f"{zoo.get(name).title} run" in (tmp_path / "r.html").read_text()


def test_the_localsim_plug_ins_are_a_setting_of_their_hosts(lsgnn, tmp_path) -> None:
    graph = tmp_path / "graph.npz"
    random_graph().save(graph)
    done = lsgnn("fit", graph, "--model", "gprgnn", "--set", "weights=localsim", "--set", "epochs=3", "--json")
    assert done.code == 0, done.err


@pytest.mark.parametrize("name", ["lsgnn", "gcn", "trees"])
def test_degrees_are_a_setting_of_every_model(lsgnn, name: str, tmp_path) -> None:
    graph, settings = tmp_path / "graph.npz", ["--set", "structure_features=degrees", "--set", "epochs=3"]
    random_graph().save(graph)
    done = lsgnn("fit", graph, "--model", name, *settings, "--out", tmp_path / "run", "--report", tmp_path / "r.html")
    assert done.code == 0, done.err
    again = lsgnn("predict", tmp_path / "run", "--out", tmp_path / "again.csv")
    assert again.code == 0, again.err


def test_models_are_listed_with_what_they_can_do(lsgnn) -> None:
    listed = {model["name"]: model for model in lsgnn("models", "--json").json}
    assert list(listed) == list(zoo.names())
    assert listed["lsgnn"]["explains"]
    assert not listed["twin_lookup"]["new_nodes"]
    assert (listed["linkx"]["new_nodes"], listed["linkx"]["other_graphs"]) == (True, False)
    assert "hidden_channels" in lsgnn("models", "gcn").out
