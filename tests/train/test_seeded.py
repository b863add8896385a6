"""A stream of one's own, and the caller's left alone."""

import torch

from lsgnn.train.seeded import seeded


def drawn(seed: int) -> list[float]:
    with seeded(seed):
        return torch.rand(3).tolist()


def test_draws_depend_on_the_seed_alone() -> None:
    torch.manual_seed(0)
    first = drawn(5)
    torch.rand(7)
    assert drawn(5) == first != drawn(6)
    torch.manual_seed(5)
    assert torch.rand(3).tolist() == first


def test_the_callers_stream_goes_on_where_it_was() -> None:
    torch.manual_seed(1)
    expected = torch.rand(4).tolist()
    torch.manual_seed(1)
    before = torch.rand(2).tolist()
    drawn(9)
    assert [*before, *torch.rand(2).tolist()] == expected
