"""A messy export goes through every command as it is: what the roles are, what new nodes get, what is said."""

import csv
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

from lsgnn import InputError, LSGNNWarning, Run, read_tables
from lsgnn.graph.io.new_node_tables import read_new_nodes
from lsgnn.graph.io.number_text import cleaned
from lsgnn.graph.io.open_table import open_table
from tests.messy import Export, write_export

QUICK = ("--set", "epochs=15", "--set", "direction=undirected", "--set", "feature_norm=standard", "--set", "K=2")
ROLES = {
    **{"opened": "date", "last login": "date", "birthday": "date", "balance": "number", "age": "number"},
    **{"vip": "number", "country": "category", "shop": "category", "note": "text"},
    **{"customer id": "id", "currency": "constant"},
}


@pytest.fixture(scope="module")
def export(tmp_path_factory: pytest.TempPathFactory) -> Export:
    return write_export(tmp_path_factory.mktemp("bank"))


@pytest.fixture
def run(export: Export, lsgnn: Any) -> Path:
    """A run on the export, trained by the command line once."""
    folder = export.accounts.parent / "run"
    if not folder.exists():
        done = lsgnn("fit", *export.tables, *QUICK, "--out", folder, "--json")
        assert done.code == 0, done.err
        assert {row["column"]: row["role"] for row in done.json["columns"]} == ROLES
    return folder


def test_diagnose_says_what_it_took_the_columns_for(lsgnn: Any, export: Export) -> None:
    done = lsgnn("diagnose", *export.tables, "--no-probes")
    assert done.code == 0, done.err
    assert done.out.startswith(f"{export.accounts.parent.name}: 400 nodes (320 labelled)")
    lines = done.err.splitlines()
    assert lines[0].split() == ["column", "role", "features", "how"]
    assert {name: line for name, line in zip(ROLES, lines[1:], strict=False) if not line.startswith(name)} == {}
    assert "median 54 for 44 missing" in done.err
    found = lsgnn("diagnose", *export.tables, "--no-probes", "--json").json
    assert {row["column"]: row["role"] for row in found["columns"]} == ROLES


def test_fit_predict_new_nodes_and_explain(lsgnn: Any, export: Export, run: Path, tmp_path: Path) -> None:
    notes = " ".join(Run.load(run).notes)
    for told in (
        "40 edge(s) of weight 0 dropped",
        "3 repeated row(s)",
        "'customer id' left out",
        "57 missing number(s)",
    ):
        assert told in notes
    assert lsgnn("predict", run, "--out", tmp_path / "own.csv").code == 0
    new = ("--attach", "--nodes", export.new_accounts, "--edges", export.new_transfers)
    done = lsgnn("predict", run, *new, "--out", tmp_path / "new.csv")  # the run knows which columns are what
    assert (done.code, done.out) == (0, f"5 predictions written to {tmp_path / 'new.csv'}\n"), done.err
    found = pyarrow.csv.read_csv(tmp_path / "new.csv").to_pylist()
    assert [row["id"] for row in found][:2] == ["Konto 400 Ørjan", "Konto 401 李 伟"]
    done = lsgnn("explain", run, "--node", export.first_id)
    assert done.out.startswith(f"node {export.first_id}: ")


def test_a_server_reads_cells_as_the_tables_hold_them(lsgnn: Any, export: Export, run: Path, tmp_path: Path) -> None:
    pytest.importorskip("fastapi", reason="the extra [serve] is not installed")
    from tests.cli.test_serve import Server

    new = ("--attach", "--nodes", export.new_accounts, "--edges", export.new_transfers)
    assert lsgnn("predict", run, *new, "--out", tmp_path / "new.csv").code == 0
    expected = {row["id"]: row["prediction"] for row in pyarrow.csv.read_csv(tmp_path / "new.csv").to_pylist()}
    with export.new_accounts.open(encoding="utf-8") as accounts, export.new_transfers.open(encoding="utf-8") as edges:
        rows, transfers = list(csv.DictReader(accounts, delimiter=";")), list(csv.DictReader(edges, delimiter="\t"))
    labels = [row.pop("risk") for row in rows]
    nodes = [{"id": row.pop("Konto"), "features": row, "edges": []} for row in rows]
    for node, row, label in zip(nodes, transfers, labels, strict=True):
        node |= {"label": label} if label != "NA" else {}
        node["edges"] = [{"source": row["from"], "target": row["to"], "weight": float(row["amount"])}]
    server = Server(run)
    try:
        status, answer = server.ask("/predict/new", {"nodes": nodes, "persist": True})
        assert status == 200, answer
        assert {row["id"]: row["prediction"] for row in answer["predictions"]} == expected
        assert server.ask("/predict", {"ids": [export.first_id, nodes[0]["id"]]})[0] == 200
        assert server.ask("/explain", {"id": export.first_id})[1]["node"] == export.first_id
    finally:
        server.kill()
    again = lsgnn("fit", "--continue", run, "--out", tmp_path / "again", "--json")
    assert again.code == 0, again.err
    assert Run.load(tmp_path / "again").graph.num_nodes == 400 + len(nodes)


def test_other_models_read_the_mixed_table_too(lsgnn: Any, export: Export) -> None:
    settings = ("--set", "epochs=2", "--set", "feature_norm=standard")
    done = lsgnn("fit", *export.tables, "--model", "gcn", *settings)
    assert done.code == 0, done.err


def test_the_training_tables_read_as_another_graph_give_the_same_predictions(
    lsgnn: Any, export: Export, run: Path, tmp_path: Path
) -> None:
    folder = (export.accounts.parent, "--label", "risk")  # its tables have usual names; the run knows the columns
    for out, tables in (("own.csv", ()), ("other.csv", export.tables), ("folder.csv", folder)):
        done = lsgnn("predict", run, *tables, "--out", tmp_path / out)
        assert done.code == 0, done.err
    own = (tmp_path / "own.csv").read_text()
    assert own == (tmp_path / "other.csv").read_text() == (tmp_path / "folder.csv").read_text()


def test_a_saved_run_transforms_a_row_as_it_did_in_training(export: Export, run: Path) -> None:
    """New nodes with the cells of known ones get the features of known ones, whatever else is in their table."""
    graph = Run.load(run).graph
    accounts = open_table(export.accounts, "node").read(text=["Konto"])
    few = accounts.slice(3, 5)
    few = few.set_column(0, "Konto", [[f"again {i}" for i in range(5)]])
    new = read_new_nodes(few.select([0, 0]).rename_columns(["from", "to"]), few, like=graph)
    np.testing.assert_array_equal(new.x.toarray(), graph.x[3:8].toarray())
    assert new.feature_names == graph.feature_names
    assert cleaned(few["balance"].combine_chunks()).null_count == 1  # one of them is imputed


def test_missing_numbers_can_be_refused_and_roles_overruled(lsgnn: Any, export: Export) -> None:
    done = lsgnn("diagnose", *export.tables, "--no-probes", "--missing", "error")
    assert done.code == 2
    assert (
        done.err == "error: line 7 of accounts.csv.gz has no value for 'opened': fill it in, or leave the column out\n"
    )
    told = ("--column", "id=shop,note", "--column", "category=vip", "--column", "number=customer id")
    found = lsgnn("diagnose", *export.tables, "--no-probes", "--json", *told, "--name", "my bank").json
    assert found["graph"] == "my bank"
    changed = {"shop": "id", "note": "id", "vip": "category", "customer id": "number"}
    assert {row["column"]: row["role"] for row in found["columns"]} == ROLES | changed
    done = lsgnn("diagnose", *export.tables, "--missing", "drop")
    assert (done.code, done.err) == (2, "error: --missing 'drop' is not a choice: use one of impute, error\n")


def test_a_wrong_delimiter_is_named(lsgnn: Any, export: Export) -> None:
    done = lsgnn("diagnose", *export.tables, "--delimiter", ",")
    assert done.code == 2
    assert done.err == (
        "error: the first line of transfers.csv is not separated by commas but by tabs, it seems: name '\\t' as the "
        "delimiter, or none, and it is detected\n"
    )


def test_a_folder_called_like_a_dataset_is_not_that_dataset(lsgnn: Any, export: Export, tmp_path: Path) -> None:
    shutil.copytree(export.accounts.parent, tmp_path / "cora", ignore=shutil.ignore_patterns("run"))
    tables = [word.replace(str(export.accounts.parent), str(tmp_path / "cora")) for word in export.tables]
    preset = lsgnn("fit", *tables, "--preset", "released")
    assert (preset.code, preset.err.splitlines()[-1]) == (
        2,
        "error: --preset released is for known datasets, not for 'cora': use default and --set",
    )


def test_a_graph_that_was_read_with_statistics_of_its_own_is_refused(export: Export, run: Path) -> None:
    named = {"label": "risk", "id": "Konto", "weight": "amount"}
    trained = Run.load(run)
    half = open_table(export.accounts, "node").read(text=["Konto"]).slice(0, 150)
    edges = pa.table({"from": [export.first_id], "to": [export.first_id], "amount": [1]})
    with pytest.raises(InputError, match=r"column 'opened' of graph was read with a median, dates or words of its own"):
        trained.predict(read_tables(edges, half, **named))
    same = read_tables(export.transfers, export.accounts, **named, like=trained.graph)
    assert trained.predict(same).labels == trained.predict().labels


def test_new_nodes_in_data_frames(export: Export, run: Path) -> None:
    pd = pytest.importorskip("pandas")
    nodes = pd.DataFrame([{"Konto": "neu", "opened": "2020-01-01", "last login": None, "birthday": "01/02/1990"}])
    nodes = nodes.assign(balance=12.5, age=None, vip=True, country="SE", shop="x", note="urgent crypto")
    edges = pd.DataFrame({"from": ["neu"], "to": [export.first_id], "amount": [3]})
    trained = Run.load(run)
    with pytest.warns(LSGNNWarning, match="'SE' in column 'country' of the node table is new to the model"):
        found = trained.predict_new_tables(edges, nodes)
    assert found.node_ids.tolist() == ["neu"]
    alone = trained.predict_new_tables(None, nodes.assign(country="DE"))  # nobody paid it yet
    assert 0 < alone.confidence[0] <= 1
    with pytest.raises(InputError, match="has no feature column 'note', which the model learned from: add it"):
        trained.predict_new_tables(edges, nodes.drop(columns="note"))
