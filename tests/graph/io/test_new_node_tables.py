"""Tables of new nodes: edges may point outside the node table."""

import numpy as np
import pytest

from lsgnn import InputError
from lsgnn.graph.io.new_node_tables import read_new_nodes


def test_columns_are_found_by_their_usual_names(tmp_path):
    (tmp_path / "n.csv").write_text("id,a,label,b\nu,1,?,2\nv,3,?,4\n")
    (tmp_path / "e.csv").write_text("weight,src,dst\n0.5,u,known\n2,v,u\n")
    new = read_new_nodes(tmp_path / "e.csv", tmp_path / "n.csv")
    assert new.node_ids.tolist() == ["u", "v"]
    assert new.edges == [("u", "known"), ("v", "u")]
    np.testing.assert_array_equal(new.x, [[1, 2], [3, 4]])
    np.testing.assert_array_equal(new.edge_weight, [0.5, 2])


def test_columns_may_be_named(tmp_path):
    (tmp_path / "n.csv").write_text("kind,name,a\nx,7,1\n")
    (tmp_path / "e.csv").write_text("from,to\n7,3\n")
    new = read_new_nodes(tmp_path / "e.csv", tmp_path / "n.csv", id="name", label="kind")
    assert (new.node_ids.tolist(), new.edges, new.x.tolist(), new.edge_weight) == ([7], [(7, 3)], [[1.0]], None)


def test_tables_without_features_or_ends_are_refused(tmp_path):
    (tmp_path / "n.csv").write_text("id,label\nu,x\n")
    (tmp_path / "e.csv").write_text("source\nu\n")
    with pytest.raises(InputError, match=r"n\.csv has no feature columns"):
        read_new_nodes(tmp_path / "e.csv", tmp_path / "n.csv")
    (tmp_path / "n.csv").write_text("id,a\nu,1\n")
    with pytest.raises(InputError, match="needs a source and a target"):
        read_new_nodes(tmp_path / "e.csv", tmp_path / "n.csv")


def test_new_nodes_may_stand_alone(tmp_path):
    (tmp_path / "n.csv").write_text("id,a\nu,1\nv,2\n")
    new = read_new_nodes(None, tmp_path / "n.csv")
    assert (new.node_ids.tolist(), new.edges, new.edge_weight) == (["u", "v"], [], None)
