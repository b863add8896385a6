"""How many cases a fuzz test looks at, and ways to damage bytes that keep most of their structure."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st


def cases(sample: int) -> Callable[[Any], Any]:
    """Marks a fuzz test of so many cases; `make fuzz` looks at as many others in each of its rounds."""

    def fuzz(test: Any) -> Any:
        limits = settings(max_examples=sample, suppress_health_check=[HealthCheck.function_scoped_fixture])
        return pytest.mark.fuzz(limits(test))

    return fuzz


TOKENS = (
    *(
        b"",
        b"0",
        b"-1",
        b"7",
        b"1.5",
        b"1e999",
        b"nan",
        b"inf",
        b"99999999999999999999",
        b"true",
        b"null",
        b"{}",
        b"[]",
    ),
    *(b'"', b"'", b"<", b"</", b"=", b",", b"\n", b"\0", b"\xff", "é".encode(), b"[[", b"x" * 300, b"\r", b" ", b"#"),
)
places = st.floats(0, 1, exclude_max=True)
mutations = st.lists(
    st.tuples(
        st.sampled_from(["flip", "cut", "put", "replace", "repeat", "end"]), places, places, st.sampled_from(TOKENS)
    ),
    min_size=1,
    max_size=4,
)


def mutated(content: bytes, changes: list[tuple[str, float, float, bytes]]) -> bytes:
    """The bytes after each change in turn: at a place, over some length, with a token."""
    for what, where, length, token in changes:
        start = int(where * len(content))
        stop = min(len(content), start + 1 + int(length**4 * 64))
        before, middle, after = content[:start], content[start:stop], content[stop:]
        if what == "flip":
            middle = bytes(byte ^ (1 << int(length * 8)) for byte in middle[:1]) + middle[1:]
        elif what == "cut":
            middle = b""
        elif what == "put":
            middle = token + middle
        elif what == "replace":
            middle = token
        elif what == "repeat":
            middle *= 3
        else:
            after = b""
        content = before + middle + after
    return content
