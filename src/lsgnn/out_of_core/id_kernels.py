"""The inner loops of numbering ids: a table of hashes in which each has one place, or the next that is free.

A place is a row [hash, number]; number -1 is that of a free one. Hashes are 64 bits that spread evenly, read as signed
numbers, because Numba turns sums of signed and unsigned ones into floats.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lsgnn.compiled import entry_point
from lsgnn.propagate.prefetch import prefetch

Whole = NDArray[np.int64]
AHEAD = 16  # hashes by which places are fetched before they are read


@entry_point("the numbering of ids, 1 s")
def take_places(hashes: Whole, numbers: Whole, places: Whole) -> int:
    """Enters hashes with their numbers; returns -1, or which of them is there already."""
    mask = places.shape[0] - 1
    for i in range(hashes.shape[0]):
        if i + AHEAD < hashes.shape[0]:
            prefetch(places, hashes[i + AHEAD] & mask, 0)
        place = hashes[i] & mask
        while places[place, 1] >= 0:
            if places[place, 0] == hashes[i]:
                return i
            place = (place + 1) & mask
        places[place, 0] = hashes[i]
        places[place, 1] = numbers[i]
    return -1


@entry_point("the numbering of ids, 1 s")
def find_numbers(hashes: Whole, places: Whole, numbers: Whole) -> None:
    """The numbers of hashes, -1 where one is in no place."""
    mask = places.shape[0] - 1
    for i in range(hashes.shape[0]):
        if i + AHEAD < hashes.shape[0]:
            prefetch(places, hashes[i + AHEAD] & mask, 0)
        place = hashes[i] & mask
        while places[place, 1] >= 0 and places[place, 0] != hashes[i]:
            place = (place + 1) & mask
        numbers[i] = places[place, 1]
