"""How much a file may unfold to."""

import pytest

from lsgnn import InputError
from lsgnn.graph.io import read_limit as module
from lsgnn.graph.io.read_limit import read_limit


@pytest.fixture(autouse=True)
def plain(monkeypatch):
    monkeypatch.delenv("LSGNN_MAX_READ", raising=False)
    monkeypatch.setattr(module, "available_memory", lambda: 10**12)


def test_small_files_may_unfold_to_a_gigabyte_and_others_to_200_times_their_size():
    assert read_limit("g.npz", 1000).bytes == 10**9
    assert read_limit("g.npz", 10**8).bytes == 2 * 10**10


def test_no_file_may_unfold_to_more_than_the_memory_that_is_free(monkeypatch):
    monkeypatch.setattr(module, "available_memory", lambda: 10**8)
    with pytest.raises(InputError, match=r"g.npz unfolds to 101 MB, but the limit is the memory that is free, 100 MB"):
        read_limit("g.npz", 1000).require(101 * 10**6)
    read_limit("g.npz", 1000).require(10**8)
    monkeypatch.setattr(module, "available_memory", lambda: None)
    assert read_limit("g.npz", 1000).bytes == 10**9


def test_the_user_knows_better(monkeypatch):
    monkeypatch.setenv("LSGNN_MAX_READ", "16TB")
    assert read_limit("g.npz", 1000).bytes == 16 * 10**12
    monkeypatch.setenv("LSGNN_MAX_READ", "1KB")
    with pytest.raises(
        InputError, match=r"unfolds to more than 1 KB, but the limit is LSGNN_MAX_READ=1KB: .*=4KB to read"
    ):
        raise read_limit("g.npz", 1000).stopped()
