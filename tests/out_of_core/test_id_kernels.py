"""A table of hashes finds what was entered, and says what was not."""

import numpy as np

from lsgnn.out_of_core.id_kernels import find_numbers, take_places


def test_numbers_are_found_wherever_hashes_collide() -> None:
    hashes = np.array([3, 11, 19, -5, 4, 12], np.int64)  # of eight places, 3 is the first choice of four
    places = np.full((8, 2), -1, np.int64)
    assert take_places(hashes, np.arange(6), places) == -1
    numbers = np.empty(7, np.int64)
    find_numbers(np.array([12, 4, -5, 19, 11, 3, 27], np.int64), places, numbers)
    assert numbers.tolist() == [5, 4, 3, 2, 1, 0, -1]


def test_a_hash_that_comes_twice_is_named() -> None:
    places = np.full((8, 2), -1, np.int64)
    assert take_places(np.array([1, 2, 9, 2], np.int64), np.arange(4), places) == 3


def test_many_random_hashes() -> None:
    random = np.random.default_rng(0)
    hashes = random.integers(-(2**63), 2**63 - 1, 1000)
    places = np.full((2048, 2), -1, np.int64)
    assert take_places(hashes, np.arange(1000), places) == -1
    order, numbers = random.permutation(1000), np.empty(1000, np.int64)
    find_numbers(hashes[order], places, numbers)
    assert numbers.tolist() == order.tolist()
