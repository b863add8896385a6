import pytest

from lsgnn.deprecation import deprecated


def test_a_retired_name_works_and_says_what_to_use_instead() -> None:
    @deprecated("lsgnn.fit", "0.4")
    def train(a: int, *, b: int = 1) -> int:
        """Adds."""
        return a + b

    with pytest.warns(
        DeprecationWarning, match=r"train is deprecated and goes with lsgnn 0\.4: use lsgnn\.fit"
    ) as seen:
        assert train(1, b=2) == 3
    assert seen[0].filename == __file__  # the caller's line, not ours
    assert train.__doc__ == "Adds."
