"""`Manifest`: what a store is of; the file that makes a folder a store."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from lsgnn.config import LSGNNConfig
from lsgnn.errors import InputError
from lsgnn.out_of_core.records import read_sealed, record_of, write_sealed

MANIFEST = "manifest.json"
KEEPS = ("all", "labelled")  # rows whose propagated features are kept
DTYPES = ("float32", "float16")  # of features, propagated or not
NOT_STORED = ("filter", "localsim_space", "localsim_hops", "adjacency_embedding")  # which stores do not serve
# of the settings, those that decide what is in a store; β, γ, the rule of propagation and fewer hops stay free
PRECOMPUTED = (*(name for name in LSGNNConfig.STRUCTURE if name not in NOT_STORED), "K")
FIX = "restore it, or remove the folder and run `precompute` again"


@dataclass(frozen=True)
class Manifest:
    """What a store holds.

    Args:
        source: identity of the data.
        settings: of `LSGNNConfig`; the store depends on those named in `PRECOMPUTED`, `fit` starts from all of them.
        blocks: [first, last) column of each block of features.
        memory: bytes that each task may allocate; another call may give more or less.
        weighted: True if edges have weights.
        keep: "all" propagated features, or those of "labelled" nodes only, which is what training reads.
        dtype: of all features, propagated or not.
    """

    source: str
    num_nodes: int
    num_features: int
    class_names: Sequence[str]
    settings: dict[str, Any]
    blocks: Sequence[Sequence[int]]
    memory: int
    feature_names: Sequence[str] = ()
    weighted: bool = False
    keep: str = "all"
    dtype: str = "float32"

    @property
    def depends_on(self) -> dict[str, Any]:
        """The settings that decide what is in the store."""
        settings = {name: self.settings.get(name) for name in PRECOMPUTED}
        defaults = {"keep": KEEPS[0], "dtype": DTYPES[0]}  # left out: stores of before there was a choice stay stores
        chosen = {name: getattr(self, name) for name, value in defaults.items() if getattr(self, name) != value}
        return settings | chosen

    @property
    def identity(self) -> str:
        """Tells the store from others, by what decides the bytes of its arrays: a copy or a second try has the same."""
        decides = [self.source, self.num_nodes, self.num_features, self.depends_on, self.blocks, self.weighted]
        return hashlib.sha256(json.dumps(decides, sort_keys=True).encode()).hexdigest()


def is_store(folder: str | Path) -> bool:
    """True if a store was made there, even if its manifest is gone: the labels are the first array that is written."""
    folder = Path(folder).expanduser()
    return (folder / MANIFEST).exists() or record_of(folder / "y.npy").exists()


def write_manifest(folder: Path, manifest: Manifest) -> None:
    write_sealed(folder / MANIFEST, asdict(manifest))


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a store; a file that is not as it was written is an error."""
    if not is_store(folder):
        raise InputError(f"{folder} is not a store: make one with `precompute`")
    file = folder / MANIFEST
    document = read_sealed(file, FIX)
    try:
        manifest = Manifest(**document)
        _require_sound(manifest)
    except (TypeError, ValueError) as error:
        raise InputError(f"{file} is damaged ({error}): {FIX}") from error
    return manifest


def _require_sound(manifest: Manifest) -> None:
    """Raises a ValueError unless every field is of its type and the blocks are all the columns, once each."""
    for name in ("num_nodes", "num_features", "memory"):
        value = getattr(manifest, name)
        if type(value) is not int or value < 1:
            raise ValueError(f"{name} is {value!r}, but must be a positive whole number")
    for name in ("class_names", "feature_names"):
        value = getattr(manifest, name)
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise ValueError(f"{name} must be a list of names")
    if not isinstance(manifest.source, str) or not isinstance(manifest.weighted, bool):
        raise ValueError("source must be text, and weighted true or false")
    if manifest.keep not in KEEPS or manifest.dtype not in DTYPES:
        raise ValueError(f"keep must be one of {', '.join(KEEPS)}, and dtype one of {', '.join(DTYPES)}")
    if len(manifest.feature_names) not in (0, manifest.num_features):
        raise ValueError(f"it names {len(manifest.feature_names)} of {manifest.num_features} columns")
    if not isinstance(manifest.settings, dict):
        raise ValueError("settings must be names and values")
    LSGNNConfig.from_dict(manifest.settings)
    blocks = manifest.blocks
    if not isinstance(blocks, list) or not all(
        isinstance(block, list) and [type(end) for end in block] == [int, int] and block[0] < block[1]
        for block in blocks
    ):
        raise ValueError("blocks must be pairs of columns, the first and the one after the last")
    ends = [0, *(end for block in blocks for end in block), manifest.num_features]
    if any(end != following for end, following in list(pairwise(ends))[::2]):
        raise ValueError(f"the blocks {blocks} are not the columns 0..{manifest.num_features - 1}, once each")
