"""Tables → Graph: what is understood without being told, and what is refused with a fix."""

import gzip
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lsgnn import InputError, LSGNNWarning, read_tables, stratified_splits

EDGES = "source,target\nann,bob\nbob,cy\n"
NODES = "id,label,age,member\nann,x,30,true\nbob,,40,false\ncy,y,50,true\n"


@pytest.fixture
def write(tmp_path):
    def write(name, text):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def test_a_node_and_an_edge_table_make_a_graph(write, tmp_path):
    g = read_tables(write("friends.csv", EDGES), write("nodes.csv", NODES))
    assert repr(g) == f"Graph({tmp_path.name!r}, nodes=3, edges=2, features=2, classes=2)"  # after its folder
    assert g.node_ids.tolist() == ["ann", "bob", "cy"]
    assert g.edge_index.tolist() == [[0, 1], [1, 2]]
    assert (g.y.tolist(), g.class_names) == ([0, -1, 1], ("x", "y"))
    assert g.x.tolist() == [[30, 1], [40, 0], [50, 1]]
    assert g.splits is None
    assert g.edge_weight is None


def test_every_format_gives_the_same_graph(write, tmp_path):
    pd = pytest.importorskip("pandas")

    def frame(text):
        return pd.DataFrame([line.split(",") for line in text.split()[1:]], columns=text.split()[0].split(","))

    nodes = frame(NODES).assign(age=[30, 40, 50], member=[True, False, True])
    for name, table in {"edges": frame(EDGES), "nodes": nodes}.items():
        pq.write_table(pa.Table.from_pandas(table), tmp_path / f"{name}.parquet")
    sources = {
        "csv": (write("e.csv", EDGES), str(write("n.csv", NODES))),
        "tsv": (write("e.tsv", EDGES.replace(",", "\t")), write("n.tsv", NODES.replace(",", "\t"))),
        "gzip": (write("e.csv.gz", gzip.compress(EDGES.encode())), write("n.csv.gz", gzip.compress(NODES.encode()))),
        "crlf": (write("ec.csv", EDGES.replace("\n", "\r\n")), write("nc.csv", "\ufeff" + NODES.replace("\n", "\r\n"))),
        "parquet": (tmp_path / "edges.parquet", tmp_path / "nodes.parquet"),
        "pandas": (frame(EDGES), nodes),
        "pandas index": (frame(EDGES), nodes.set_index("id")),
        "pandas filtered": (frame(EDGES), pd.concat([nodes, nodes.assign(id=["p", "q", "r"])])[:3].set_axis([5, 3, 9])),
        "pandas category": (frame(EDGES).astype("category"), nodes.astype({"id": "category", "label": "category"})),
        "arrow": (pa.Table.from_pandas(frame(EDGES)), pa.Table.from_pandas(nodes)),
    }
    for kind, (edges, nodes_) in sources.items():
        g = read_tables(edges, nodes_)
        assert g.node_ids.tolist() == ["ann", "bob", "cy"], kind
        assert (g.y.tolist(), g.class_names) == ([0, -1, 1], ("x", "y")), kind
        assert g.edge_index.tolist() == [[0, 1], [1, 2]], kind
        assert g.x.tolist() == [[30, 1], [40, 0], [50, 1]], kind


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".tsv", ".tsv.gz"])
def test_the_mark_that_excel_puts_before_the_first_name_is_no_part_of_it(write, ending):
    """A byte order mark: with it the first name would be another, so ids would be numbers and weights features."""

    def table(name, text):
        data = ("\ufeff" + text.replace(",", "\t" if "tsv" in ending else ",")).encode()
        return write(name + ending, gzip.compress(data) if ending.endswith("gz") else data)

    edges = table("e", "weight,dst,src\n0.5,007,08\n")
    by_id, by_age = table("i", "id,age,label\n007,1,x\n08,2,y\n"), table("a", "age,id,label\n1,007,x\n2,08,y\n")
    for nodes, named in ((by_id, {"id": "id"}), (by_age, {"features": ["age"]}), (by_age, {})):
        g = read_tables(edges, nodes, **named)
        assert g.node_ids.tolist() == ["007", "08"]
        assert g.feature_names == ("age",)
        assert (g.edge_index.tolist(), g.edge_weight.tolist()) == ([[1], [0]], [0.5])


def test_columns_are_found_by_their_usual_names_in_any_order(write):
    edges = write("e.csv", "weight,dst,note,src\n2,b,hello,a\n")
    nodes = write("n.csv", "f,Class,node_id\n1,p,a\n2,q,b\n")
    g = read_tables(edges, nodes)
    assert g.edge_index.tolist() == [[0], [1]]
    assert g.edge_weight.tolist() == [2]
    assert g.class_names == ("p", "q")
    assert g.x.tolist() == [[1], [2]]


def test_columns_may_be_named(write):
    edges = write("e.csv", "when,to,from,strength\n1,b,a,2.5\n")
    nodes = write("n.csv", "f,topic,key,remark,part\n1,p,a,hello,train\n2,q,b,you,TEST\n")
    g = read_tables(
        edges,
        nodes,
        source="from",
        target="to",
        weight="strength",
        id="key",
        label="topic",
        features=["f"],
        split="part",
        name="mine",
    )
    assert (g.name, g.edge_index.tolist(), g.edge_weight.tolist()) == ("mine", [[0], [1]], [2.5])
    assert (g.splits.train.tolist(), g.splits.val.tolist()) == ([[True, False]], [[False, False]])
    assert g.splits.test.tolist() == [[False, True]]


@pytest.mark.parametrize("word", ["val", "valid", "validation", "Valid "])
def test_all_spellings_of_validation_are_one(write, word):
    nodes = write("n.csv", f"id,y,split,f\nann,0,train,1\nbob,1,{word},2\ncy,1,,3\n")
    assert read_tables(write("e.csv", EDGES), nodes, split="split").splits.val.tolist() == [[False, True, False]]


def test_integer_ids_stay_integers_and_text_stays_text(write):
    edges = write("e.csv", "source,target\n10,9\n9,2\n")
    assert read_tables(edges).node_ids.tolist() == [2, 9, 10]
    assert read_tables(write("z.csv", "source,target\n007,7\n")).node_ids.tolist() == ["007", "7"]
    nodes = pa.table({"id": pa.array([10, 9, 2], pa.uint64()), "f": [1, 2, 3]})
    assert read_tables(edges, nodes).node_ids.tolist() == [10, 9, 2]


def test_integers_in_one_table_meet_their_text_in_the_other(write):
    edges = pa.table({"source": ["10"], "target": ["9"]})
    g = read_tables(edges, write("n.csv", "id,f\n9,1\n10,2\n"))
    assert g.edge_index.tolist() == [[1], [0]]
    assert g.node_ids.tolist() == [9, 10]


@pytest.mark.parametrize(
    ("values", "y", "names"),
    [
        (["10", "9", ""], [1, 0, -1], ("9", "10")),
        (["10.0", "9.0", "NaN"], [1, 0, -1], ("9", "10")),
        (["b", "NA", "a"], [1, -1, 0], ("a", "b")),
        (["01", "1", "1"], [0, 1, 1], ("01", "1")),
        (["true", "false", "true"], [1, 0, 1], ("false", "true")),
        (["0.5", "0.25", "0.5"], [1, 0, 1], ("0.25", "0.5")),
    ],
)
def test_classes_in_csv(write, values, y, names):
    nodes = "id,label,f\n" + "".join(f"{i},{v},1\n" for i, v in zip(["ann", "bob", "cy"], values, strict=True))
    g = read_tables(write("e.csv", EDGES), write("n.csv", nodes))
    assert (g.y.tolist(), g.class_names) == (y, names)


@pytest.mark.parametrize(
    ("values", "y", "names"),
    [
        ([10, 9, None], [1, 0, -1], ("9", "10")),
        ([10.0, 9.0, float("nan")], [1, 0, -1], ("9", "10")),
        ([0.5, 0.25, 0.5], [1, 0, 1], ("0.25", "0.5")),
        (["NA", "", None], [0, -1, -1], ("NA",)),  # a typed table has nulls, so NA is a name here
        ([True, False, None], [1, 0, -1], ("false", "true")),
    ],
)
def test_classes_in_typed_tables(write, values, y, names):
    nodes = pa.table({"id": ["ann", "bob", "cy"], "f": [1, 2, 3], "topic": pa.array(values)})
    g = read_tables(write("e.csv", EDGES), nodes, label="topic")
    assert (g.y.tolist(), g.class_names) == (y, names)


@pytest.mark.parametrize("kind", [pa.list_(pa.float32()), pa.list_(pa.int64(), 2), pa.large_list(pa.float64())])
def test_lists_of_numbers_are_feature_vectors(write, kind):
    vectors = pa.array([[1, 2], [3, 4], [5, 6]], kind)
    nodes = pa.table({"id": ["ann", "bob", "cy"], "v": vectors, "f": [7, 8, 9]})
    assert read_tables(write("e.csv", EDGES), nodes).x.tolist() == [[1, 2, 7], [3, 4, 8], [5, 6, 9]]


def test_without_a_node_table_nodes_come_in_order_of_appearance(write):
    g = read_tables(write("e.csv", "source,target\nz,a\nz,m\na,z\n"))
    assert g.node_ids.tolist() == ["z", "a", "m"]
    assert not g.labelled.any()


def test_without_features_the_structure_stands_in_and_a_note_says_so(write):
    g = read_tables(write("e.csv", "source,target\nz,a\nz,m\nz,m\n"))
    np.testing.assert_allclose(g.x[:, :2], np.log1p([[2, 0], [0, 1], [0, 1]]), rtol=1e-6)
    assert g.x[:, 2].any()  # and spectral coordinates
    assert g.notes[0] == "no feature columns: x is log degrees and spectral coordinates of the graph itself"
    assert read_tables(write("e2.csv", EDGES), write("n.csv", "id,label\nann,x\nbob,y\ncy,x\n")).num_features == 16


def test_text_in_quotes_may_hold_commas_and_line_breaks(write):
    nodes = write("n.csv", 'id,title,f\nann,"a, b\nc",1\nbob,x,2\ncy,y,3\n')
    assert read_tables(write("e.csv", EDGES), nodes, features=["f"]).x.tolist() == [[1], [2], [3]]


def nodes_csv(**cells):
    """NODES with the cells of its second row (line 3) changed."""
    row = {"id": "bob", "label": "", "age": "40", "member": "false"} | cells
    return NODES.replace("bob,,40,false", ",".join(row.values()))


BAD_NODES = {
    "duplicate id": (
        nodes_csv(id="ann"),
        "node id 'ann' stands twice, in line 2 of n.csv and again in line 3 of n.csv",
    ),
    "no id": (nodes_csv(id=""), "line 3 of n.csv has no 'id': fill it in or drop the row"),
    "infinite feature": (nodes_csv(age="inf"), "line 3 of n.csv has an infinite value in 'age'.*mend or empty it"),
    "thousands marks": (
        'id,pay\nann,"1,200"\nbob,"12,000"\ncy,950\n',
        "line 2 of n.csv has '1,200' in 'pay', a number with a thousands mark: write such numbers without it",
    ),
    "unknown node": (
        "id,f\nann,1\nbob,2\n",
        "line 3 of e.csv points to 'cy', which is not in column 'id' of n.csv: add",
    ),
    "ragged": ("id,f\nann,1\nbob,2,3\n", "n.csv cannot be read .*Row #3: Expected 2 columns, got 3.*mend that row"),
    "empty": ("", "n.csv is empty: pass a table with a header"),
    "no rows": ("id,f\n", "n.csv has a header but no rows"),
    "no header": ("1,0\n2,0\n", "n.csv starts with '1,0', which looks like data.*put a line such as"),
    "twin columns": ("id,f,f\nann,1,2\n", "n.csv has two columns called 'f': rename one"),
    "latin-1": ("id,f\nann,1\nb\xf6b,2\n".encode("latin-1"), "n.csv cannot be read .*save it as UTF-8"),
}


@pytest.mark.parametrize(("nodes", "message"), BAD_NODES.values(), ids=BAD_NODES.keys())
def test_bad_node_tables_are_refused_in_one_sentence(write, nodes, message):
    with pytest.raises(InputError, match=message) as caught:
        read_tables(write("e.csv", EDGES), write("n.csv", nodes))
    assert "\n" not in str(caught.value)


BAD_EDGES = {
    "one column": ("source\nann\n", "an edge needs a source and a target: pass two columns"),
    "no header": ("0,1\n1,2\n", "e.csv starts with '0,1', which looks like data.*'source,target' above it"),
    "no target": ("source,target\nann,\n", "line 2 of e.csv has no 'target'"),
    "text weight": (
        "source,target,weight\nann,bob,much\n",
        "column 'weight' of e.csv holds text values such as 'much', but numbers",
    ),
    "no weight": ("source,target,weight\nann,bob,1\nbob,ann,\n", "line 3 of e.csv has no value for 'weight'"),
    "negative weight": (
        "source,target,weight\nann,bob,2\nbob,ann,-1\n",
        "line 3 of e.csv has the weight -1 in 'weight', but weights are positive",
    ),
    "unclosed quote": ('source,target\n"ann,bob\n', "e.csv cannot be read"),
}


@pytest.mark.parametrize(("edges", "message"), BAD_EDGES.values(), ids=BAD_EDGES.keys())
def test_bad_edge_tables_are_refused_in_one_sentence(write, edges, message):
    with pytest.raises(InputError, match=message) as caught:
        read_tables(write("e.csv", edges))
    assert "\n" not in str(caught.value)


BAD_ARGUMENTS = {
    "unknown label": (
        {"label": "lable"},
        "n.csv has no column 'lable' .it has id, label, age, member.: did you mean 'label'",
    ),
    "unknown id": ({"id": "uuid"}, "has no column 'uuid'"),
    "unknown feature": ({"features": ["height"]}, "has no column 'height'"),
    "unknown source": ({"source": "from"}, "e.csv has no column 'from'"),
    "unknown weight": ({"weight": "w"}, "e.csv has no column 'w'"),
    "unknown split": ({"split": "fold"}, "has no column 'fold'"),
    "label as feature": (
        {"features": ["age", "label"]},
        "features lists 'label', which is the id, label or split column",
    ),
    "source is target": ({"source": "target"}, "are both column 'target'"),
    "label that is a number": ({"label": 5}, r"label is 5 \(int\), but a column has a name: pass text"),
    "label that is an array": ({"label": np.eye(3)}, r"label is array\(.*\(ndarray\), but a column has a name"),
    "id that is a list": ({"id": ["id"]}, r"id is \['id'\] \(list\), but a column has a name"),
    "weight that is NaN": ({"weight": np.nan}, r"weight is nan \(float\), but a column has a name"),
    "features that are a number": ({"features": 5}, r"features is 5 \(int\), but it names columns: pass a list"),
    "features that are a dictionary": ({"features": {"age": 1}}, r"features is \{'age': 1\} \(dict\), but it names"),
    "categories that are a number": ({"categories": 5}, r"categories is 5 \(int\), but it names columns"),
    "a list in categories": ({"categories": [["age"]]}, r"categories is \['age'\] \(list\), but a column has a name"),
    "name that is a number": ({"name": 5}, r"name is 5 \(int\), but a name is text"),
    "odd split": ({"split": "age"}, "line 2 of n.csv has '30' in 'age', but a split is one of train, val"),
}


@pytest.mark.parametrize(("arguments", "message"), BAD_ARGUMENTS.values(), ids=BAD_ARGUMENTS.keys())
def test_bad_arguments_are_refused_in_one_sentence(write, arguments, message):
    with pytest.raises(InputError, match=message) as caught:
        read_tables(write("e.csv", EDGES), write("n.csv", NODES), **arguments)
    assert "\n" not in str(caught.value)


def test_arguments_about_nodes_need_a_node_table(write):
    with pytest.raises(InputError, match=r"label='x' names a column of a node table: give one$"):
        read_tables(write("e.csv", EDGES), label="x")
    with pytest.raises(InputError, match=r"features=array\(.*\) names a column of a node table"):
        read_tables(write("e.csv", EDGES), features=np.eye(3))


def test_no_categories_may_be_none(write):
    assert read_tables(write("e.csv", EDGES), write("n.csv", NODES), categories=None).num_features == 2


def test_what_is_said_to_python_is_no_command_line(write):
    edges = write("e.csv", EDGES)
    reads = [
        lambda: read_tables(edges, label="x"),
        lambda: read_tables(edges, write("n.csv", nodes_csv(age="old")), roles={"age": "number"}),
        lambda: read_tables(edges, write("n.csv", NODES), label="nothing like it"),
        lambda: stratified_splits(read_tables(edges).y),
    ]
    for read in reads:
        with pytest.raises(InputError) as caught:
            read()
        assert " --" not in str(caught.value)
        assert "(--" not in str(caught.value)


def test_a_name_with_line_breaks_does_not_break_the_message(write):
    with pytest.raises(InputError, match=r"has the column\(s\) 'one\\nname', but an edge needs") as caught:
        read_tables(write("e.csv", '"one\nname"\nann\n'))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "table", [pa.table({}), pa.table({"a": pa.array([], pa.int64()), "b": pa.array([], pa.int64())})]
)
def test_typed_tables_without_columns_or_rows_are_refused(write, table):
    with pytest.raises(InputError, match=r"the edge table has (no columns|a header but no rows)"):
        read_tables(table)
    with pytest.raises(InputError, match=r"the node table has (no columns|a header but no rows)"):
        read_tables(write("e.csv", EDGES), table)


TYPES = {
    "half floats": pa.array(np.array([1, 2, 3], np.float16)),
    "booleans that miss one": pa.array([True, None, False]),
    "no booleans at all": pa.array([None] * 3, pa.bool_()),
    "lists of booleans that miss one": pa.array([[True, None], [True, True], [False, False]]),
    "nanoseconds": pa.array([1, 2, 3], pa.timestamp("ns")),
    "a year beyond Python's": pa.array([2**40, 1, 2], pa.timestamp("s")),
    "durations": pa.array([1, 2, 3], pa.duration("ns")),
    "bytes that are no text": pa.array([b"\xff", b"a", b"b"]),
    "a dictionary of lists": pa.DictionaryArray.from_arrays(pa.array([0, 1, 0]), pa.array([[1], [2]])),
    "run ends": pa.RunEndEncodedArray.from_arrays([1, 3], [1, 2]),
    "a union": pa.UnionArray.from_sparse(
        pa.array([0, 1, 0], pa.int8()), [pa.array([1, 2, 3]), pa.array(["a", "b", "c"])]
    ),
    "empty lists": pa.array([[], [], []], pa.list_(pa.int64())),
    "a very long text": pa.array(["a" * 5000, "b" * 5000, "c"]),
}


@pytest.mark.parametrize("column", TYPES.values(), ids=TYPES.keys())
def test_no_type_of_column_is_a_traceback_in_any_role(column):
    """Refused in a line, or read; any other exception fails the test."""
    edges = pa.table({"source": ["a", "b"], "target": ["b", "c"]})
    nodes = pa.table({"id": ["a", "b", "c"], "c": column, "f": [1, 2, 3]})
    ends = pa.table({"source": column, "target": column, "weight": column})
    roles = [{}, {"label": "c"}, {"split": "c"}, {"categories": ["c"]}, {"id": "c", "features": ["f"]}]
    for given in (*((edges, nodes, role) for role in roles), (ends, None, {}), (ends, nodes, {"id": "c"})):
        try:
            read_tables(given[0], given[1], **given[2])
        except InputError as error:
            message = str(error)
        else:
            message = ""
        assert "\n" not in message
        assert len(message) < 500


def test_half_floats_are_numbers_and_ids():
    halves = pa.array(np.array([1, 2, 3], np.float16))
    g = read_tables(pa.table({"a": halves, "b": halves}), pa.table({"id": halves, "f": halves}))
    assert (g.node_ids.tolist(), g.x.tolist()) == ([1, 2, 3], [[1], [2], [3]])


def test_one_very_long_id_among_many_is_refused_before_numpy_gives_each_its_room():
    ids = pa.array(["x" * 10**7, *map(str, range(10**5))])
    with pytest.raises(
        InputError, match=r"a text of 10000000 characters, .* 100001 ids, needs 4 TB of memory, but .* shorten that"
    ):
        read_tables(pa.table({"source": ids.slice(0, 1), "target": ids.slice(0, 1)}), pa.table({"id": ids}))


def test_bad_files_and_objects_are_refused(write, tmp_path):
    with pytest.raises(InputError, match=r"nowhere.csv is not a file: check the path"):
        read_tables(tmp_path / "nowhere.csv")
    with pytest.raises(InputError, match=r"what kind of table 'e.txt' is: name it .csv"):
        read_tables(write("e.txt", EDGES))
    with pytest.raises(InputError, match="the edge table is of type list: pass a path"):
        read_tables([("a", "b")])
    with pytest.raises(InputError, match=r"e.csv.gz cannot be read"):
        read_tables(write("e.csv.gz", b"not gzip"))


def test_data_frames_of_mixed_types_are_refused():
    pd = pytest.importorskip("pandas")
    with pytest.raises(InputError, match="the edge table mixes types in a column"):
        read_tables(pd.DataFrame({"source": [1, "a"], "target": ["b", 2]}))


def test_truncated_parquet_is_refused(write, tmp_path):
    pq.write_table(pa.table({"source": ["a"] * 1000, "target": ["b"] * 1000}), tmp_path / "whole.parquet")
    whole = (tmp_path / "whole.parquet").read_bytes()
    for cut in (3, len(whole) // 2, len(whole) - 1):
        with pytest.raises(InputError, match=r"cut.parquet is not a readable Parquet file"):
            read_tables(write("cut.parquet", whole[:cut]))


def test_vectors_of_different_lengths_are_refused(write):
    nodes = pa.table({"id": ["ann", "bob", "cy"], "v": [[1, 2], [3], [4, 5]]})
    with pytest.raises(InputError, match="row 1 of the node table has 1 values in 'v', but row 0 has 2"):
        read_tables(write("e.csv", EDGES), nodes)


def test_200_000_edges_with_text_ids_are_read_in_seconds(tmp_path):
    n, E = 50_000, 200_000
    ends = np.random.default_rng(0).integers(0, n, (E, 2)).tolist()
    (tmp_path / "e.csv").write_text("source,target\n" + "".join(f"paper-{u},paper-{v}\n" for u, v in ends))
    (tmp_path / "n.csv").write_text("id,f\n" + "".join(f"paper-{i},{i}\n" for i in range(n)))
    start = time.process_time()
    g = read_tables(tmp_path / "e.csv", tmp_path / "n.csv")
    assert time.process_time() - start < 2  # CPU time; a million edges take 0.6 s
    assert set(map(tuple, g.edge_index.T.tolist())) == set(map(tuple, ends))


def test_categories_become_a_feature_for_each_value(write):
    nodes = "id,age,town,zip\nann,30,Rom,01\nbob,40,,1\ncy,50,Bonn,01\n"
    g = read_tables(write("e.csv", EDGES), write("n.csv", nodes), categories=["town", "zip"])
    assert g.feature_names == ("age", "town = Bonn", "town = Rom", "zip = 01", "zip = 1")
    assert g.x.tolist() == [[30, 0, 1, 1, 0], [40, 0, 0, 0, 1], [50, 1, 0, 1, 0]]
    g = read_tables(write("e.csv", EDGES), write("n.csv", nodes), features="age", categories="town")
    assert g.feature_names == ("age", "town = Bonn", "town = Rom")


def test_a_category_is_spelt_alike_in_every_file(write, tmp_path):
    values = {
        "bool": (pa.array([True, False, None]), "True,false,"),
        "float": (pa.array([1.0, 2.5, 3.0]), "1.0,2.5,3"),
        "int": (pa.array([1, 2, 3]), "1.0,2.0,3.0"),
        "text": (pa.array([" Rom", "", "NA"]), "Rom,,NA"),
        "none": (pa.array([None, None, None], pa.string()), ",,"),
    }
    edges = write("e.csv", EDGES)
    for column, text in values.values():
        pq.write_table(pa.table({"id": ["ann", "bob", "cy"], "c": column, "age": [1, 2, 3]}), tmp_path / "n.parquet")
        rows = zip(("ann", "bob", "cy"), text.split(","), "123", strict=True)
        csv = write("n.csv", "id,c,age\n" + "".join(f"{id},{value},{age}\n" for id, value, age in rows))
        one, other = (read_tables(edges, nodes, categories="c") for nodes in (tmp_path / "n.parquet", csv))
        assert one.feature_names == other.feature_names
        assert one.x.tolist() == other.x.tolist()


def test_categories_are_columns_of_the_node_table_and_not_its_id(write):
    edges = write("e.csv", EDGES)
    with pytest.raises(InputError, match="categories or roles name 'id', which is the id"):
        read_tables(edges, write("n.csv", NODES), categories=["id"])
    with pytest.raises(InputError, match=r"categories='age' names a column of a node table"):
        read_tables(edges, categories="age")


def test_missing_numbers_are_imputed_or_refused(write):
    edges, nodes = write("e.csv", EDGES), write("n.csv", "id,age,pay\nann,30,1\nbob,NA,2\ncy,50,3\n")
    g = read_tables(edges, nodes)
    assert g.feature_names == ("age", "age is missing", "pay")
    assert g.x.tolist() == [[30, 0, 1], [40, 1, 2], [50, 0, 3]]
    assert g.notes[0] == (
        "column 'age': 1 missing number(s) imputed by the median (40); the feature 'age is missing' says where"
    )
    with pytest.raises(InputError, match=r"line 3 of n.csv has no value for 'age': fill it in"):
        read_tables(edges, nodes, missing="error")
    with pytest.raises(InputError, match=r"missing is 'drop' \(str\).*pass 'impute' or 'error'"):
        read_tables(edges, nodes, missing="drop")


def test_identical_rows_are_dropped_and_lines_still_count_as_in_the_file(write):
    nodes = "id,f\nann,1\nann,1\nbob,2\ncy,3\nbob,2\n"
    g = read_tables(write("e.csv", EDGES), write("n.csv", nodes))
    assert (g.node_ids.tolist(), g.x.tolist()) == (["ann", "bob", "cy"], [[1], [2], [3]])
    assert g.notes[0] == "2 repeated row(s) of n.csv dropped, the first in line 3 of n.csv"
    with pytest.raises(InputError, match=r"line 5 of n.csv has an infinite value"):
        read_tables(write("e.csv", EDGES), write("n.csv", nodes.replace("cy,3", "cy,inf")))


def test_edges_of_weight_zero_are_dropped_and_a_note_says_what_they_mean(write):
    g = read_tables(write("e.csv", "source,target,weight\nann,bob,0\nbob,cy,2\ncy,ann,0.0\n"))
    assert (g.node_ids[g.edge_index].tolist(), g.edge_weight.tolist()) == ([["bob"], ["cy"]], [2])
    assert g.notes[0].startswith("2 edge(s) of weight 0 dropped, the first in line 2 of e.csv: a weight of 0 says")
    nodes = write("n.csv", "id,f\nbob,1\ncy,2\n")
    with pytest.raises(InputError, match=r"line 4 of e.csv points to 'ann', which is not"):
        read_tables(write("e.csv", "source,target,weight\nbob,cy,0\nbob,cy,2\ncy,ann,1\n"), nodes)


def test_roles_are_inferred_or_told(write):
    rows = "".join(
        f"{i},{100 + i},2024-01-{1 + i:02},EUR,{i % 3},a few words on {'xyz'[i % 3]}{i}\n" for i in range(25)
    )
    nodes = write("n.csv", "id,customer_id,since,money,kind,note\n" + rows)
    edges = write("e.csv", "source,target\n0,1\n")
    g = read_tables(edges, nodes)
    assert [(row["column"], row["role"]) for row in g.columns.rows()] == [
        *(("since", "date"), ("kind", "number"), ("note", "text")),
        *(("customer_id", "id"), ("money", "constant")),
    ]
    told = {"customer_id": "number", "since": "id", "kind": "category", "money": "category", "note": "id"}
    g = read_tables(edges, nodes, roles=told)
    assert g.feature_names == ("customer_id", "money = EUR", "kind = 0", "kind = 1", "kind = 2")
    with pytest.raises(InputError, match=r"column 'kind' has the role 'word': use one of number, category, date"):
        read_tables(edges, nodes, roles={"kind": "word"})
    with pytest.raises(InputError, match=r"has no column 'kin'.*did you mean 'kind'"):
        read_tables(edges, nodes, roles={"kin": "text"})


def test_the_transformers_of_another_graph_are_applied_to_a_table(write):
    edges = write("e.csv", EDGES.replace("source,target", "from,to"))
    known = read_tables(edges, write("n.csv", "who,age,town\nann,30,Rom\nbob,,Bonn\ncy,50,Rom\n"), id="who")
    other = write("m.csv", "town,age,who,other\nOslo,,ann,1\nRom,7,bob,2\nBonn,1,cy,3\n")
    with pytest.warns(LSGNNWarning, match=r"'Oslo' in column 'town' of m.csv is new to the model: counted as none"):
        g = read_tables(edges, other, like=known)
    assert g.feature_names == ("age", "age is missing", "town = Bonn", "town = Rom")
    assert g.x.tolist() == [[40, 1, 0, 0], [7, 0, 0, 1], [1, 0, 1, 0]]
    with pytest.raises(InputError, match=r"has no feature column 'age', which the model learned from: add it"):
        read_tables(edges, write("m.csv", "who,town\nann,Rom\nbob,Rom\ncy,Rom\n"), like=known)


@pytest.mark.parametrize("mark", [";", "\t", "|"])
def test_separators_and_decimal_commas_are_detected(write, mark):
    edges = write("e.csv", "source;target;weight\nann;bob;0,5\nbob;cy;1\n".replace(";", mark))
    nodes = write("n.csv", "id;pay\nann;1,25\nbob;2\ncy;3\n".replace(";", mark))
    g = read_tables(edges, nodes)
    assert (g.x.tolist(), g.edge_weight.tolist()) == ([[1.25], [2], [3]], [0.5, 1])
    with pytest.raises(InputError, match=r"the first line of e.csv is not separated by commas but by .*it seems: name"):
        read_tables(edges, nodes, delimiter=",")
    with pytest.raises(InputError, match=r"the delimiter ';;' is not a single character"):
        read_tables(edges, nodes, delimiter=";;")
