"""Graphs by name: a registry of facts, bundled graphs, loaders, the toy generator, and settings per dataset.

>>> from lsgnn import datasets
>>> datasets.info("texas").caution  # what to know before quoting a number
'one class has a single node; 37 test nodes per split, so one node is 2.7 points'
>>> datasets.load("cora-linqs")  # bundled: no download
Graph('cora-linqs', nodes=2708, edges=5429, features=1433, classes=7)
>>> datasets.preset("texas", "released").config.direction  # the authors' settings
'out'
"""

from lsgnn.datasets.fsbm import fsbm
from lsgnn.datasets.loading import load
from lsgnn.datasets.presets import Preset, has_preset, preset, preset_kinds, preset_splits
from lsgnn.datasets.registry import Entry, info, names

__all__ = ["Entry", "Preset", "fsbm", "has_preset", "info", "load", "names", "preset", "preset_kinds", "preset_splits"]
