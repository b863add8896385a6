"""The weights of all members in one table, those of member m under `m.NAME`, and the way back."""

from __future__ import annotations

from collections.abc import Iterable

from torch import Tensor

from lsgnn.train.trained import Trained


def flat_weights(members: Iterable[Trained]) -> dict[str, Tensor]:
    states = enumerate(member.state_dict for member in members)
    return {f"{m}.{name}": tensor.contiguous() for m, state in states for name, tensor in state.items()}


def weights_by_member(weights: dict[str, Tensor], members: int) -> list[dict[str, Tensor]]:
    """The weights of each member, under the model's names; raises `ValueError` for those of no member."""
    states: list[dict[str, Tensor]] = [{} for _ in range(members)]
    numbers = {str(m): state for m, state in enumerate(states)}
    for name, tensor in weights.items():
        member, _, own = name.partition(".")
        if member not in numbers:
            raise ValueError(f"{name} is of no member")
        numbers[member][own] = tensor
    return states
