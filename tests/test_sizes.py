"""Sizes as people write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsgnn import InputError
from lsgnn.sizes import in_words, parse_bytes, rounded_up


@pytest.mark.parametrize(
    ("text", "size"), [("12", 12), ("500MB", 500 * 10**6), ("1.5 gb", 15 * 10**8), ("2t", 2 * 10**12), (" 4KB ", 4000)]
)
def test_a_size_is_a_number_and_a_unit(text, size):
    assert parse_bytes(text, "--max-memory") == size


@pytest.mark.parametrize("text", ["", "GB", "-1GB", "1e9", "4 apples", "nan", "1.GB"])
def test_anything_else_is_refused_by_the_name_of_what_was_set(text):
    with pytest.raises(InputError, match=r"LSGNN_MAX_READ '.*' is not a size: write a number and KB, MB, GB or TB"):
        parse_bytes(text, "LSGNN_MAX_READ")


@pytest.mark.parametrize(
    ("size", "words"), [(12, "12 bytes"), (7_834_112, "7.83 MB"), (10**9, "1 GB"), (4 * 10**17, "400,000 TB")]
)
def test_sizes_have_three_digits(size, words):
    assert in_words(size) == words


@given(size=st.integers(1, 10**14))
def test_a_size_that_is_suggested_is_enough(size):
    assert size <= parse_bytes(rounded_up(size), "it") < max(2 * size, size + 1)
