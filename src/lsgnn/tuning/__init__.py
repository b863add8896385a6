"""Tuning in minutes, chosen on validation only: spaces, a resumable study, and the choice."""

from lsgnn.tuning.choice import Tuning
from lsgnn.tuning.tuner import tune

__all__ = ["Tuning", "tune"]
