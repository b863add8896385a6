"""Where what can be made again is kept: downloads, machine code, distances.

`$LSGNN_CACHE`, else `$XDG_CACHE_HOME/lsgnn`, else `~/.cache/lsgnn`.
"""

from __future__ import annotations

import os
from pathlib import Path


def cache_places() -> list[Path]:
    """The folders that may be the cache, the one that counts first."""
    chosen, xdg = (os.environ.get(name) for name in ("LSGNN_CACHE", "XDG_CACHE_HOME"))
    home = os.environ.get("HOME") or os.path.expanduser("~")
    places = (chosen, xdg and f"{xdg}/lsgnn", home and f"{home}/.cache/lsgnn")
    return [Path(place).expanduser() for place in places if place]


def cache_folder() -> Path:
    return cache_places()[0]
