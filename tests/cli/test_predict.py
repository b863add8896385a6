"""`lsgnn predict`: the run's own graph, another one, new nodes from tables."""

import json

import numpy as np
import pyarrow.csv
import pytest

from lsgnn import InputError, LSGNNWarning, Run
from lsgnn.cli.fit import fit
from lsgnn.cli.predict import predict
from tests.cli.commands import call
from tests.graphs import two_blocks
from tests.trained import small_run


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("predict") / "run"
    small_run(two_blocks(), direction="out", epochs=30, lr=0.05).save(folder)
    return folder


@pytest.fixture
def tables(tmp_path):
    """Three new nodes u, v, w of the run's graph, and edges that attach them."""
    x = two_blocks(seed=1).x[:3]
    rows = "\n".join(",".join(map(str, [name, *row])) for name, row in zip("uvw", x.tolist(), strict=True))
    (tmp_path / "nodes.csv").write_text(f"id,a,b,c,d,e,f\n{rows}\n")
    (tmp_path / "edges.csv").write_text("source,target\nu,0\nu,4\nv,u\nv,5\n")
    return "--edges", tmp_path / "edges.csv", "--nodes", tmp_path / "nodes.csv"


def test_the_own_graph_is_the_default(run, tmp_path):
    out = tmp_path / "p.csv"
    assert call(predict, run, "--out", out).stdout == f"80 predictions written to {out}\n"
    assert pyarrow.csv.read_csv(out)["prediction"].to_pylist() == [int(c) for c in Run.load(run).predict().labels]
    document = json.loads(call(predict, run, "--out", tmp_path / "p.parquet", "--json").stdout)
    assert document["nodes"] == sum(document["predicted"].values()) == 80
    assert document["temperature"] == Run.load(run).temperature


def test_calibration_can_be_switched_off(run, tmp_path):
    call(predict, run, "--out", tmp_path / "p.csv", "--uncalibrated")
    confidence = pyarrow.csv.read_csv(tmp_path / "p.csv")["confidence"]
    np.testing.assert_allclose(confidence, Run.load(run).predict(calibrated=False).confidence, atol=1e-6)


def test_another_graph_by_file_or_by_tables(run, tmp_path, tables):
    two_blocks(seed=2, n=10).save(tmp_path / "other.npz")
    assert call(predict, run, tmp_path / "other.npz", "--out", tmp_path / "p.csv").stdout.startswith("10 predictions")
    (tmp_path / "edges.csv").write_text("source,target\nu,v\n")
    assert call(predict, run, *tables, "--out", tmp_path / "p.csv").stdout.startswith("3 predictions")
    assert pyarrow.csv.read_csv(tmp_path / "p.csv")["id"].to_pylist() == ["u", "v", "w"]


def test_new_nodes_are_attached_to_the_runs_own_graph(run, tmp_path, tables):
    out = tmp_path / "p.csv"
    assert call(predict, run, *tables, "--attach", "--out", out).stdout.startswith("3 predictions")
    local = pyarrow.csv.read_csv(out)
    expected = Run.load(run).predict_new(
        two_blocks(seed=1).x[:3], [("u", 0), ("u", 4), ("v", "u"), ("v", 5)], ["u", "v", "w"]
    )
    np.testing.assert_allclose(local["confidence"], expected.confidence, atol=1e-6)
    call(predict, run, *tables, "--attach", "--exact", "--out", out)  # they only read, so nothing else may change
    np.testing.assert_allclose(pyarrow.csv.read_csv(out)["confidence"], local["confidence"], atol=1e-6)


def test_categories_and_columns_of_any_size_serve_known_and_new_nodes(tmp_path):
    rng = np.random.default_rng(0)
    towns = rng.choice(["Bonn", "Rom"], 120)
    rows = [f"p{i},{towns[i] == 'Rom'},{towns[i]},{rng.lognormal(10):.0f}" for i in range(120)]
    (tmp_path / "nodes.csv").write_text("\n".join(["id,label,town,income", *rows]) + "\n")
    links = [f"p{s},p{t}" for s, t in rng.integers(0, 120, (300, 2))]
    (tmp_path / "edges.csv").write_text("\n".join(["source,target", *links]) + "\n")
    tables = ("--edges", tmp_path / "edges.csv", "--nodes", tmp_path / "nodes.csv", "--column", "categories=town")
    done = call(fit, *tables, "--out", tmp_path / "run")
    assert "standardised (feature_norm='standard')" in done.output
    assert " test accuracy 100.00 %" in done.stdout
    (tmp_path / "new.csv").write_text("id,income,town\nnew,20000,Rom\nodd,20000,Oslo\n")
    (tmp_path / "links.csv").write_text("source,target\nnew,p0\n")
    new = ("--edges", tmp_path / "links.csv", "--nodes", tmp_path / "new.csv")  # the run knows its categories
    with pytest.warns(LSGNNWarning, match="'Oslo' in column 'town' of new.csv is new to the model: counted as none"):
        call(predict, tmp_path / "run", "--attach", *new, "--out", tmp_path / "p.csv")
    assert pyarrow.csv.read_csv(tmp_path / "p.csv")["prediction"].to_pylist()[0] is True


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--nodes", "n.csv"], "--nodes goes with --edges"),
        (["--attach"], "--attach needs --edges TABLE and --nodes TABLE"),
        (["--exact"], "--exact is for new nodes"),
    ],
)
def test_options_that_make_no_sense_are_refused(run, arguments, message):
    result = call(predict, run, *arguments)
    assert isinstance(result.exception, InputError)
    assert message in str(result.exception)
