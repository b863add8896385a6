"""What is kept beside a graph: folders of arrays, journals and tables of new nodes, damaged."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsgnn import InputError, LSGNNConfig
from lsgnn.graph.io.new_node_tables import NewNodeTables, read_new_nodes
from lsgnn.out_of_core.filling import precompute
from lsgnn.out_of_core.store import Store
from lsgnn.serving.journal import Journal
from tests.fuzz.cases import cases, mutated, mutations
from tests.fuzz.test_readers import copied
from tests.graphs import two_blocks
from tests.out_of_core.damage import outcome
from tests.out_of_core.stores import arrays_folder
from tests.serving.clients import new_node


@pytest.fixture(scope="module")
def arrays(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return arrays_folder(tmp_path_factory.mktemp("arrays") / "arrays", two_blocks(n=24))


@pytest.mark.filterwarnings("ignore")  # classes without training nodes
@cases(30)
@given(which=st.integers(0, 99), changes=mutations)
def test_a_damaged_folder_of_arrays_is_a_store_or_a_sentence(
    arrays: Path, tmp_path_factory: pytest.TempPathFactory, which: int, changes: Any
) -> None:
    place = tmp_path_factory.mktemp("damaged")
    found = outcome(precompute, copied(arrays, place, which, changes), place / "store", LSGNNConfig(K=1))
    if isinstance(found, InputError):
        assert len(str(found).splitlines()) == 1
    else:
        assert isinstance(found, Store)
        found.verify()


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    kept = Journal(tmp_path_factory.mktemp("journal") / "j")
    with kept.writing():
        kept.add([new_node(f"n{number}", "page3") for number in range(9)])
    kept.close()
    return kept.path


@cases(60)
@given(changes=mutations)
def test_a_damaged_journal_tells_what_was_kept_or_a_sentence(
    journal: Path, tmp_path_factory: pytest.TempPathFactory, changes: Any
) -> None:
    damaged = Journal(tmp_path_factory.mktemp("damaged") / "j")
    damaged.path.write_bytes(mutated(journal.read_bytes(), changes))
    found = outcome(damaged.news)
    damaged.close()
    if isinstance(found, InputError):
        assert len(str(found).splitlines()) == 1
    else:
        assert isinstance(found, list)
        assert all(entry.node == new_node(entry.node.id, "page3") for entry in found)


EDGES = b"source,target,weight\na,n3,1\nn4,b,0.5\na,b,2\n"
NODES = b"id,size,colour,born\na,1.5,red,2020-01-01\nb,,blue,2021-02-03\n"


@pytest.mark.filterwarnings("ignore")
@cases(60)
@given(table=st.sampled_from(["edges", "nodes"]), changes=mutations)
def test_damaged_tables_of_new_nodes_are_nodes_or_a_sentence(
    tmp_path_factory: pytest.TempPathFactory, table: str, changes: Any
) -> None:
    folder = tmp_path_factory.getbasetemp()
    paths = [folder / f"new-{name}.csv" for name in ("edges", "nodes")]
    for path, content in zip(paths, (EDGES, NODES), strict=True):
        path.write_bytes(mutated(content, changes) if table in path.name else content)
    found = outcome(read_new_nodes, *paths)
    if isinstance(found, InputError):
        assert len(str(found).splitlines()) == 1
    else:
        assert isinstance(found, NewNodeTables)
        assert len(found.node_ids) == found.x.shape[0]
