"""Ranges for threads are all rows, once each."""

from threading import Lock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsgnn.out_of_core.threads import PER_THREAD, over_rows


@given(degrees=st.lists(st.integers(0, 50), max_size=40), threads=st.integers(1, 4))
def test_every_row_is_worked_on_once(degrees: list[int], threads: int) -> None:
    indptr, lock, seen = np.concatenate([[0], np.cumsum(np.array(degrees, int))]), Lock(), list[int]()

    def work(rows: slice) -> None:
        with lock:
            seen.extend(range(rows.start, rows.stop))

    over_rows(indptr, threads, work)
    assert sorted(seen) == list(range(len(degrees)))


def test_ranges_have_about_as_many_edges_each() -> None:
    sizes, indptr = list[int](), np.concatenate([[0], np.cumsum(np.arange(1000))])
    over_rows(indptr, 2, lambda rows: sizes.append(int(indptr[rows.stop] - indptr[rows.start])))
    assert len(sizes) == 2 * PER_THREAD
    assert max(sizes) < 1.1 * min(sizes)


def test_what_goes_wrong_in_a_thread_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        over_rows(np.arange(10), 2, lambda rows: 1 // 0)
