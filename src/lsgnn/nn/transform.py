"""For PyG users: the precompute as a `BaseTransform`, so that LSGNN drops into an existing PyG script."""

from __future__ import annotations

from typing import Any

from torch_geometric.data import Data
from torch_geometric.transforms import BaseTransform

from lsgnn.config import LSGNNConfig
from lsgnn.datasets.as_graph import as_graph
from lsgnn.nn.rows import make_rows
from lsgnn.propagate.precompute import precompute
from lsgnn.propagate.structure_features import with_structure


class LSGNNPrecompute(BaseTransform):  # type: ignore[misc]
    """Adds `data.rows`, the input of `lsgnn.LSGNN`, to a PyG `Data`.

    Args:
        config: settings; single ones may also be given by name, e.g. `LSGNNPrecompute(K=5, direction="out")`.
            With `feature_norm="standard"` every `Data` is measured by its own columns, and with
            `structure_features="degrees"` by its own degrees, which are one or two columns more.
    """

    def __init__(self, config: LSGNNConfig | None = None, **settings: Any) -> None:
        self.config = (config or LSGNNConfig()).replace(**settings)

    def forward(self, data: Data) -> Data:
        graph, config = with_structure(as_graph(data), self.config)
        data.rows = make_rows(precompute(graph, config), config)
        return data

    def __repr__(self) -> str:
        return f"{type(self).__name__}(K={self.config.K}, direction={self.config.direction!r})"
