import pytest

from lsgnn.benchmark.difference import Difference


def test_the_paired_interval_by_hand() -> None:
    # gaps -1, -2, -3: mean -2, sd 1, t(2, 97.5 %) = 4.3027
    gap = Difference.between([79.0, 78.0, 77.0], [80.0, 80.0, 80.0])
    assert gap.mean == pytest.approx(-2.0)
    assert gap.interval == pytest.approx((-2 - 4.302653 / 3**0.5, -2 + 4.302653 / 3**0.5))
    assert str(gap) == "-2.00 [-4.48, +0.48]"
    assert not gap.is_clear
    assert not gap.within_an_error  # 2 is more than 1/√3
    assert Difference.between([70.0], [80.0]).interval is None  # one split says nothing about others
    assert not Difference.between([70.0], [80.0]).is_clear


def test_clear_and_equal() -> None:
    assert Difference.between([84.0, 85.0, 86.0], [80.0, 80.0, 80.0]).is_clear
    assert Difference.between([81.0, 79.0], [80.0, 80.0]).within_an_error  # each split favours another
    assert not Difference.between([81.0, 80.5], [80.0, 80.0]).within_an_error
    assert Difference.between([80.0, 70.0], [80.0, 70.0]).within_an_error


def test_splits_that_agree_by_chance_are_not_sure() -> None:
    one_node = 100 / 108
    gap = Difference.between([80 + one_node] * 2, [80.0] * 2, nodes=108)
    assert gap.error == pytest.approx(one_node / 2**0.5)
    assert not gap.is_clear
    assert Difference.between([80 + one_node] * 2, [80.0] * 2).is_clear  # where nobody knows of how many nodes
    four = Difference.between([84.0] * 3, [80.0] * 3, nodes=100)  # 4 nodes ± 2
    assert four.error == pytest.approx(2 / 3**0.5)
    assert Difference.between([90.0, 91.0, 92.0], [80.0] * 3, nodes=10_000).is_clear
