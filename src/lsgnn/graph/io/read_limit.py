"""How much a file may unfold to: a few megabytes of zeros in a `.npz` or `.csv.gz` are gigabytes in memory.

The limit is the memory that is free, and never more than 200 times the file's own size or a gigabyte, whichever is
more. The environment variable LSGNN_MAX_READ takes the place of both.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from lsgnn.errors import InputError
from lsgnn.memory import available_memory
from lsgnn.sizes import in_words, parse_bytes, rounded_up

VARIABLE = "LSGNN_MAX_READ"
# tables of a graph shrink to a tenth; a bag of words written out in zeros to a hundredth, a bomb to a thousandth
MOST_TIMES = 200
ALWAYS = 10**9  # bytes that any file may unfold to, if there is memory for it


@dataclass(frozen=True)
class ReadLimit:
    """The bytes that may be read of one file, and the reason in words."""

    title: str
    bytes: int
    reason: str

    def require(self, size: int, what: str = "unfolds to") -> None:
        """Raises if the file unfolds to more: called with sizes that it declares, before anything is allocated."""
        if size > self.bytes:
            raise self._exceeded(f"{what} {in_words(size)}", rounded_up(size))

    def stopped(self) -> InputError:
        """What to raise where the file was found to go on behind the limit."""
        return self._exceeded(f"unfolds to more than {in_words(self.bytes)}", rounded_up(4 * self.bytes))

    def _exceeded(self, what: str, enough: str) -> InputError:
        return InputError(
            f"{self.title} {what}, but {self.reason}: check where it comes from, or set the environment variable "
            f"{VARIABLE}={enough} to read it all the same"
        )


def read_limit(title: str, on_disk: int) -> ReadLimit:
    """The limit for a file of `on_disk` bytes."""
    given = os.environ.get(VARIABLE)
    if given:
        limit = parse_bytes(given, f"the environment variable {VARIABLE}")
        return ReadLimit(title, limit, f"the limit is {VARIABLE}={given}")
    most = max(ALWAYS, MOST_TIMES * on_disk)
    free = available_memory()
    if free is not None and free < most:
        return ReadLimit(title, free, f"the limit is the memory that is free, {in_words(free)}")
    return ReadLimit(title, most, f"the limit for a file of {in_words(on_disk)} is {in_words(most)}")
