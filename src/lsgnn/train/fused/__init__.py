"""The fused CPU engine: the same mathematics as `lsgnn.nn.LSGNN`, trained many times faster (see README.md).

Names are imported on first use: kernels are compiled in processes that have no use for torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lsgnn.train.fused.cpu import gradients_cpu, logits_cpu, obstacle, supports, train_cpu

__all__ = ["gradients_cpu", "logits_cpu", "obstacle", "supports", "train_cpu"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from lsgnn.train.fused import cpu

    return getattr(cpu, name)
