"""Dates as text: every layout against Python's own calendar; what could be two things is neither."""

from datetime import UTC, datetime

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsgnn.graph.io.moment_text import is_ambiguous, layout_of, seconds_of_text

FORMATS = {"iso": "%Y-%m-%d %H:%M:%S", "d.m.Y": "%d.%m.%Y %H:%M:%S", "d/m/Y": "%d/%m/%Y %H:%M", "m/d/Y": "%m/%d/%Y"}


def column(*values):
    return pa.array(values, pa.large_string())


@pytest.mark.parametrize(
    ("values", "layout"),
    [
        (["2024-02-29", None, "2023-12-31T23:59:59Z"], "iso"),
        (["2024/1/5"], "iso"),
        (["5.6.2024", "31.12.1999 8:30"], "d.m.Y"),
        (["13/06/2024", "01/02/2024"], "d/m/Y"),
        (["06/13/2024", "01/02/2024"], "m/d/Y"),
        (["01/02/2024", "03/04/2024"], None),
        (["2023-02-29"], None),
        (["2024-01-05", "soon"], None),
        (["2024"], None),
        ([None], None),
    ],
)
def test_the_layout_of_a_column(values, layout):
    assert layout_of(column(*values)) == layout


def test_day_and_month_that_cannot_be_told_apart_are_ambiguous():
    assert is_ambiguous(column("01/02/2024", "03/04/2024"))
    assert not is_ambiguous(column("13/02/2024"))
    assert not is_ambiguous(column("hello"))


def test_offsets_from_utc_are_taken_off():
    seconds = seconds_of_text(
        column("2024-01-01T12:00:00+02:00", "2024-01-01 10:00Z", "2024-01-01T05:30:00-0430"), "iso"
    )
    assert len(set(seconds.tolist())) == 1


def test_seconds_and_milliseconds_since_1970():
    assert seconds_of_text(column("90", "x", None), "unix s")[0] == 90
    assert np.isnan(seconds_of_text(column("90", "x", None), "unix s")[1:]).all()
    assert seconds_of_text(column("90000"), "unix ms")[0] == 90


@given(st.datetimes(datetime(1800, 1, 1), datetime(2200, 1, 1)), st.sampled_from(list(FORMATS)))
def test_every_layout_agrees_with_python(moment, layout):
    text = moment.strftime(FORMATS[layout])
    expected = datetime.strptime(text, FORMATS[layout]).replace(tzinfo=UTC).timestamp()
    assert seconds_of_text(column(text), layout).tolist() == [expected]
