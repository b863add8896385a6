from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from lsgnn import InputError, LSGNNConfig
from lsgnn.out_of_core import executors
from lsgnn.out_of_core.executors import Executor, Task, processes, ray, serial
from lsgnn.out_of_core.filling import precompute
from tests.graphs import random_graph
from tests.out_of_core.small_tasks import die, half, slow_block
from tests.out_of_core.test_filling import GRAPH, MEGABYTE, bytes_of


@pytest.mark.parametrize("executor", [serial, processes(2)])
def test_every_task_is_done_once(executor: Executor) -> None:
    assert sorted(executor(half, [(n,) for n in range(5)])) == [0, 0.5, 1, 1.5, 2]


@pytest.mark.parametrize("executor", [serial, processes(2)])
def test_an_error_in_a_task_reaches_the_caller(executor: Executor) -> None:
    with pytest.raises(ValueError, match="-1 is below zero"):
        list(executor(half, [(1,), (-1,), (2,)]))


def test_a_job_that_is_killed_is_no_traceback() -> None:
    with pytest.raises(InputError, match="a job was killed, perhaps for want of memory"):
        list(processes(1)(die, [(1,)]))


def test_a_ray_cluster_writes_the_same_bytes_as_this_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ray")
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    config, memory = LSGNNConfig(K=2), 2 * MEGABYTE
    here = precompute(GRAPH, tmp_path / "here", config, max_memory=memory, jobs=2)
    there = precompute(GRAPH, tmp_path / "there", config, max_memory=memory, jobs=2, executor=ray())
    assert bytes_of(here.folder) == bytes_of(there.folder)
    assert not executors.optional("ray", "ray").is_initialized()  # what was started has been stopped


def test_a_cluster_that_does_not_answer_is_named() -> None:
    pytest.importorskip("ray")
    with pytest.raises(InputError, match=r"nothing answers at '127\.0\.0\.1:1'"):
        list(ray("127.0.0.1:1")(half, [(1,)]))


class BusyRay:
    """A Ray on a machine whose cores are busy: it comes up at the given start."""

    def __init__(self, comes_up_at: int) -> None:
        self.comes_up_at, self.starts, self.stops = comes_up_at, 0, 0

    def init(self, **_: object) -> None:
        self.starts += 1
        if self.starts < self.comes_up_at:
            raise Exception("The current node timed out during startup. This could happen because")  # as Ray does

    def shutdown(self) -> None:
        self.stops += 1


def test_a_ray_that_does_not_come_up_is_started_again() -> None:
    busy = BusyRay(comes_up_at=3)
    executors._join_or_start(busy, "local")
    assert (busy.starts, busy.stops) == (3, 2)


@pytest.mark.parametrize(("address", "starts"), [("local", 3), ("auto", 1)])
def test_a_ray_that_never_comes_up_is_one_sentence(address: str, starts: int) -> None:
    busy = BusyRay(comes_up_at=9)
    said = rf"Ray did not start at '{address}' \(The current node timed out during startup\)"
    with pytest.raises(InputError, match=said):
        executors._join_or_start(busy, address)
    assert busy.starts == starts


def test_precompute_survives_a_machine_that_dies_in_the_middle_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An emulated cluster of two nodes, one of which is killed when both have begun a block."""
    pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    graph, how = random_graph(n=12_000, d=70), {"config": LSGNNConfig(K=2), "max_memory": MEGABYTE, "threads": 1}
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    try:
        mortal = cluster.add_node(num_cpus=1)
        cluster.wait_for_nodes(timeout=60)

        def kill(done: int, total: int) -> None:
            machines = {file.name.partition(" at ")[2] for file in tmp_path.glob("* at *")}
            if len(machines) == 2 and mortal in cluster.list_all_nodes():
                cluster.remove_node(mortal, allow_graceful=False)

        def slowly(_: object, tasks: Iterable[Task]) -> Iterator[object]:
            return ray(cluster.address)(slow_block, tasks)

        there = precompute(graph, tmp_path / "there", executor=slowly, on_task=kill, **how)
        assert mortal not in cluster.list_all_nodes()
    finally:
        cluster.shutdown()
    here = precompute(graph, tmp_path / "here", **how)
    assert len(here.manifest.blocks) == 7
    assert bytes_of(there.folder) == bytes_of(here.folder)
