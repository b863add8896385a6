from __future__ import annotations

import pytest

from tests.train.fused.problems import Problem, make_problem


@pytest.fixture
def problem() -> Problem:
    return make_problem()
