from pathlib import Path

import pytest

from lsgnn import LSGNNConfig
from lsgnn.scale import executors
from lsgnn.scale.executors import Executor, processes, ray, serial
from lsgnn.scale.precompute import precompute
from tests.scale.test_precompute import GRAPH, MEGABYTE, bytes_of


def half(number: int) -> float:
    if number < 0:
        raise ValueError(f"{number} is below zero")
    return number / 2


@pytest.mark.parametrize("executor", [serial, processes(2)])
def test_every_task_is_done_once(executor: Executor) -> None:
    assert sorted(executor(half, [(n,) for n in range(5)])) == [0, 0.5, 1, 1.5, 2]


@pytest.mark.parametrize("executor", [serial, processes(2)])
def test_an_error_in_a_task_reaches_the_caller(executor: Executor) -> None:
    with pytest.raises(ValueError, match="-1 is below zero"):
        list(executor(half, [(1,), (-1,), (2,)]))


def test_a_ray_cluster_writes_the_same_bytes_as_this_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ray")
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    config, memory = LSGNNConfig(K=2), 2 * MEGABYTE
    here = precompute(GRAPH, tmp_path / "here", config, max_memory=memory, jobs=2)
    there = precompute(GRAPH, tmp_path / "there", config, max_memory=memory, jobs=2, executor=ray())
    assert bytes_of(here.folder) == bytes_of(there.folder)
    assert not executors.optional("ray", "ray").is_initialized()  # what was started has been stopped
