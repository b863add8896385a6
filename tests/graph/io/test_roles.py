"""What a column is taken for: one row per rule, and the same answer every time."""

import pyarrow as pa
import pytest

from lsgnn import InputError
from lsgnn.graph.io.cells import Cells
from lsgnn.graph.io.open_table import Source
from lsgnn.graph.io.roles import inferred_role, is_named_like_an_id, table_decimal

N = 60


def cells(values, name="c"):
    table = pa.table({name: values})
    return Cells.of(table, name, Source(table, "the node table", [name]))


def role(values, name="c", decimal="."):
    return inferred_role(cells(values, name), decimal)


ROLES = {
    "numbers": ([0.5 * i for i in range(N)], "number"),
    "numbers of which some are missing": ([None, *range(N)], "number"),
    "codes in numbers stay numbers": ([i % 3 for i in range(N)], "number"),
    "booleans": ([True, False] * N, "number"),
    "lists of numbers": ([[1, 2]] * N, "number"),
    "numbers in text": ([f"{i},5" for i in range(N)], "number"),
    "one number": ([7] * N, "constant"),
    "one number or none": ([7, None] * N, "number"),
    "one word": (["EUR"] * N, "constant"),
    "one word or none": (["EUR", None] * N, "category"),
    "nothing": (pa.array([None] * N, pa.string()), "constant"),
    "few words": (["cat", "dog"] * N, "category"),
    "few sentences": (["a long name of a town", "another long name of a town"] * N, "category"),
    "many words that repeat": ([f"shop-{i % 40}" for i in range(2 * N)], "category"),
    "words that all differ": ([f"user-{i}" for i in range(N)], "id"),
    "sentences": ([f"this is the note of user {i}" for i in range(N)], "text"),
    "dates": ([f"2024-01-{1 + i % 28:02}" for i in range(N)], "date"),
    "timestamps": (pa.array(range(N), pa.timestamp("s")), "date"),
    "codes with leading zeros": ([f"0{i % 30}" for i in range(2 * N)], "category"),
    "a small table of different words": (["Rom", "Bonn", "Oslo"], "category"),
}


@pytest.mark.parametrize(("values", "expected"), ROLES.values(), ids=ROLES.keys())
def test_the_role_of_a_column(values, expected):
    assert role(values) == expected


def test_distinct_integers_are_an_id_only_under_a_name_like_one():
    assert role(range(N), "customer_id") == "id"
    assert role(range(N), "Unnamed: 0") == "id"
    assert role(range(N), "height") == "number"
    assert role([*range(N), 3], "customer_id") == "number"


@pytest.mark.parametrize("name", ["id", "ID", "customerId", "row index", "user key", "Kunden-Nr", ""])
def test_names_like_an_id(name):
    assert is_named_like_an_id(name)


@pytest.mark.parametrize("name", ["paid", "age", "monkey", "grid", "avid"])
def test_names_that_only_end_like_one(name):
    assert not is_named_like_an_id(name)


def test_a_comma_in_one_column_decides_about_another():
    clear, unsure = cells(["0,5", "2"]), cells(["1,234", "2,345"])
    assert table_decimal([clear, unsure]) == ","
    assert table_decimal([unsure]) == "."
    assert inferred_role(unsure, ",") == "number"
    with pytest.raises(InputError, match=r"row 0 of the node table has '1,234' in 'c', a number with a thousands mark"):
        inferred_role(unsure, ".")


def test_what_has_no_role_is_refused():
    with pytest.raises(InputError, match=r"column 'c' of the node table holds struct"):
        role([{"a": 1}] * N)
