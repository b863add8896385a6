"""Numbers as text: the decimal mark is found, thousands marks are named."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsgnn import InputError
from lsgnn.graph.io.number_text import cleaned, decimal_of, mark_of, parsed
from lsgnn.graph.io.open_table import Source

SOURCE = Source(pa.table({"a": [1]}), "n.csv", ["a"], ",")


def column(*values):
    return cleaned(pa.array(values, pa.large_string()))


@pytest.mark.parametrize(
    ("values", "mark"),
    [
        (["1.5", "-2", "3e5", ".5", "+1"], "."),
        (["1,5", "2", "NA"], ","),
        (["1,234", "0,125"], ","),  # no thousands start with 0
        (["1,234", "5,678"], "either"),
        (["1,234,567", "8"], "thousands"),
        (["1.234,50", "8"], "thousands"),
        (["1 234", "1\u00a0234,5"], "thousands"),
        (["1'234.5"], "thousands"),
        (["01234", "99"], None),  # codes
        (["12.5", "13,5"], None),
        (["1.5", "many"], None),
        (["", "NA"], None),
    ],
)
def test_how_numbers_are_written(values, mark):
    assert mark_of(column(*values)) == mark


def test_other_columns_decide_about_one_comma_before_three_digits():
    text = column("950", "1,234")
    assert decimal_of(text, "pay", SOURCE, others=",") == ","
    with pytest.raises(
        InputError, match=r"^line 3 of n.csv has '1,234' in 'pay', a number with a thousands mark: write"
    ):
        decimal_of(text, "pay", SOURCE, others=".")


def test_a_word_among_numbers_is_named_with_its_line():
    with pytest.raises(InputError, match=r"^line 3 of n.csv has 'many' in 'pay', which is no number: mend or empty it"):
        parsed(column("1", "many"), ".", "pay", SOURCE)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1), st.sampled_from([".", ","]))
def test_what_python_writes_is_read_back(numbers, decimal):
    text = column(*(f"{number:.4f}".replace(".", decimal) for number in numbers), "")
    assert mark_of(text) == decimal
    assert parsed(text, decimal, "pay", SOURCE).to_pylist() == [*(round(number, 4) for number in numbers), None]
