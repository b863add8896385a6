"""`Predictions`: class probabilities keyed by the user's own node ids, to CSV, Parquet or a table."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from lsgnn.errors import InputError
from lsgnn.files import write_atomically


@dataclass(frozen=True, eq=False)
class Predictions:
    """Probabilities [b, C] of b nodes."""

    node_ids: NDArray[Any]
    class_names: tuple[str, ...]
    probabilities: NDArray[np.float32]

    @classmethod
    def of_logits(
        cls, logits: NDArray[np.float32], node_ids: NDArray[Any], class_names: tuple[str, ...], temperature: float = 1.0
    ) -> Predictions:
        """The softmax of logits / temperature; in double precision, so that rounding cannot swap two classes."""
        probabilities = softmax(np.asarray(logits, dtype=np.float64) / temperature, axis=1)
        return cls(node_ids, class_names, probabilities.astype(np.float32))

    @property
    def labels(self) -> list[str]:
        """The most probable class of each node, by name."""
        return [self.class_names[c] for c in self.probabilities.argmax(axis=1)]

    @property
    def confidence(self) -> NDArray[np.float32]:
        """The probability of that class [b]."""
        return np.asarray(self.probabilities.max(axis=1))

    def to_table(self) -> Any:
        """A pyarrow table: id, prediction, confidence, one column of probabilities per class."""
        import pyarrow as pa

        columns = {"id": self.node_ids, "prediction": self.labels, "confidence": self.confidence}
        columns |= {f"p({name})": self.probabilities[:, c] for c, name in enumerate(self.class_names)}
        return pa.table(columns)

    def save(self, path: str | Path) -> None:
        """Writes `.csv` or `.parquet`, by the ending of the name."""
        import pyarrow.csv
        import pyarrow.parquet

        path = Path(path)
        writers = {".csv": pyarrow.csv.write_csv, ".parquet": pyarrow.parquet.write_table}
        if path.suffix not in writers:
            raise InputError(f"cannot write predictions to {path.name!r}: the name must end in .csv or .parquet")
        with write_atomically(path) as file:
            writers[path.suffix](self.to_table(), file)

    def __len__(self) -> int:
        return len(self.node_ids)
