"""The processes that train together: one, or as many as torchrun or Ray Train started."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from torch import Tensor, distributed, nn

from lsgnn.errors import InputError

Made = TypeVar("Made")
LOST = ("Connection closed by peer", "Connection reset by peer", "Broken pipe", "Timed out waiting")  # as gloo says it


@dataclass(frozen=True)
class World:
    """This process among those that train together."""

    rank: int = 0
    size: int = 1

    @property
    def is_first(self) -> bool:
        return self.rank == 0

    def sum(self, values: Tensor) -> Tensor:
        """The sum over all processes, known to all of them."""
        if self.size > 1:
            distributed.all_reduce(values)
        return values

    def joined(self, own: Tensor, count: int) -> Tensor:
        """All rows [count, …], of which each process has every `size`-th, from its own rank on."""
        if self.size == 1:
            return own
        rows = own.new_zeros(count, *own.shape[1:])
        rows[self.rank :: self.size] = own
        return self.sum(rows)

    def of_first(self, make: Callable[[], Made]) -> Made:
        """What the first process makes, known to all of them."""
        if self.size == 1:
            return make()
        made: list[Any] = [make() if self.is_first else None]
        distributed.broadcast_object_list(made)
        found: Made = made[0]
        return found

    def share_gradients(self, model: nn.Module) -> nn.Module:
        """A model whose gradients are averaged over all processes."""
        return nn.parallel.DistributedDataParallel(model) if self.size > 1 else model


@contextmanager
def joined_world() -> Iterator[World]:
    """The world that torchrun's variables describe, on CPUs, or that Ray Train has made; this process alone where there
    is neither."""
    is_made = distributed.is_initialized()
    if not is_made and ("RANK" not in os.environ or int(os.environ.get("WORLD_SIZE", "1")) == 1):
        yield World()
        return
    if not is_made:
        distributed.init_process_group("gloo")
    world = World(distributed.get_rank(), distributed.get_world_size())
    try:
        yield world
        gc.collect()  # models that share gradients hold threads, which must end before the group does
        distributed.barrier()  # nobody leaves while another still talks
    except RuntimeError as error:
        if not any(words in str(error) for words in LOST):
            raise
        raise InputError(
            f"one of the {world.size} processes that train together is gone: start them all again as before; where a "
            "run is to be written, they go on after the last epoch"
        ) from error
    finally:
        if not is_made:
            distributed.destroy_process_group()
