"""Tuning in minutes, chosen on validation only: spaces, a resumable study, and the choice."""

from lsgnn.train.tuning.choice import Tuning
from lsgnn.train.tuning.tuner import tune

__all__ = ["Tuning", "tune"]
