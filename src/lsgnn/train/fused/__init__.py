"""The fused CPU engine: the same mathematics as `lsgnn.nn.LSGNN`, trained many times faster (see README.md)."""

from lsgnn.train.fused.cpu import gradients_cpu, logits_cpu, obstacle, supports, train_cpu

__all__ = ["gradients_cpu", "logits_cpu", "obstacle", "supports", "train_cpu"]
