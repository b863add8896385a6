"""Whatever a user may pass as an array or as text."""

import numpy as np
import pytest

from lsgnn import InputError
from lsgnn.graph.arrays import as_array, as_text, text_array


def test_text_that_is_stored_as_it_should_be_is_not_copied() -> None:
    text = np.array(["a", "é"])
    assert np.shares_memory(as_text(text, "node_ids"), text)
    np.testing.assert_array_equal(as_text(np.array(["é".encode()]), "node_ids"), ["é"])


@pytest.mark.parametrize("code", [0xD800, 0xD801, 0xDFFF, 0x110000])
def test_half_a_character_and_what_is_beyond_unicode_are_refused(code: int) -> None:
    text = np.array([ord("a"), code], dtype=np.uint32).view("U1")
    with pytest.raises(InputError, match=f"node_ids holds the character number {code}, which is none in Unicode"):
        as_text(text, "node_ids")


@pytest.mark.parametrize("code", [0xD7FF, 0xE000, 0x10FFFF])
def test_their_neighbours_are_text(code: int) -> None:
    assert as_text(np.array([code], dtype=np.uint32).view("U1"), "node_ids")[0] == chr(code)


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(InputError, match=r"node_ids holds b'\\xff', which is not UTF-8 text"):
        as_text(np.array([b"\xff"]), "node_ids")


def test_rows_of_different_lengths_are_no_array() -> None:
    with pytest.raises(InputError, match="rows of different lengths are not an array"):
        as_array([[1], [1, 2]])


def test_texts_have_room_for_the_longest() -> None:
    assert text_array(["a", "abc"], "ids").dtype == np.dtype("<U3")
    assert len(text_array([], "ids")) == 0
