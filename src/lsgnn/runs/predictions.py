"""`Predictions`: class probabilities keyed by the user's own node ids, to CSV, Parquet or a table."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lsgnn.errors import InputError, LSGNNWarning
from lsgnn.extras import optional
from lsgnn.files import write_atomically
from lsgnn.softmax import softmax
from lsgnn.train.decision import Decision

FORMULA = r"^([=+\-@\t\r])"  # text that begins so is a formula for a spreadsheet program, which may run commands


@dataclass(frozen=True, eq=False)
class Predictions:
    """Probabilities [b, C] of b nodes; with two classes, a decision may say from which on a node is called positive."""

    node_ids: NDArray[Any]
    class_names: tuple[str, ...]
    probabilities: NDArray[np.float32]
    decision: Decision | None = None

    @classmethod
    def of_logits(
        cls,
        logits: NDArray[np.float32],
        node_ids: NDArray[Any],
        class_names: tuple[str, ...],
        temperature: float = 1.0,
        decision: Decision | None = None,
    ) -> Predictions:
        """The softmax of logits / temperature; in double precision, so that rounding cannot swap two classes."""
        probabilities = softmax(np.asarray(logits, dtype=np.float64) / temperature, axis=1)
        return cls(node_ids, class_names, probabilities.astype(np.float32), decision)

    @property
    def predicted(self) -> NDArray[np.int64]:
        """The number of each node's class [b]: by the decision, else the most probable one."""
        if self.decision is not None:
            return self.decision.predicted(self.probabilities)
        return np.asarray(self.probabilities.argmax(axis=1))

    @property
    def labels(self) -> list[str]:
        """The predicted class of each node, by name."""
        return [self.class_names[c] for c in self.predicted]

    @property
    def confidence(self) -> NDArray[np.float32]:
        """The probability of that class [b]; with a decision it may be below one half."""
        return np.asarray(self.probabilities[np.arange(len(self)), self.predicted])

    def to_table(self) -> Any:
        """A pyarrow table: id, prediction, confidence, one column of probabilities per class."""
        import pyarrow as pa

        columns = {"id": self.node_ids, "prediction": self.labels, "confidence": self.confidence}
        columns |= {f"p({name})": self.probabilities[:, c] for c, name in enumerate(self.class_names)}
        return pa.table(columns)

    def to_pandas(self) -> Any:
        """The same as a pandas data frame; needs the extra `[pandas]`."""
        optional("pandas", "pandas")
        return self.to_table().to_pandas()

    def to_polars(self) -> Any:
        """The same as a Polars data frame; needs the extra `[polars]`."""
        return optional("polars", "polars").from_arrow(self.to_table())

    def save(self, path: str | Path, *, spreadsheet_safe: bool = False) -> None:
        """Writes `.csv` or `.parquet`, by the ending of the name.

        Args:
            spreadsheet_safe: put a `'` before ids and classes in a `.csv` that a spreadsheet program would take for a
                formula, because they begin with `=`, `+`, `-`, `@`, a tab or a carriage return. Without it a warning
                says so. Numbers are never formulas.
        """
        import pyarrow.csv
        import pyarrow.parquet

        path = Path(path)
        writers = {".csv": pyarrow.csv.write_csv, ".parquet": pyarrow.parquet.write_table}
        if path.suffix not in writers:
            raise InputError(f"cannot write predictions to {path.name!r}: the name must end in .csv or .parquet")
        table = self.to_table()
        if path.suffix == ".csv":
            table = quoted(table) if spreadsheet_safe else warned_of(table)
        with write_atomically(path) as file:
            writers[path.suffix](table, file)

    def __len__(self) -> int:
        return len(self.node_ids)


def quoted(table: Any) -> Any:
    """The same table with a `'` before every text that a spreadsheet program would take for a formula."""
    from pyarrow import compute

    for place, name in _text_columns(table):
        column = compute.replace_substring_regex(table[name], pattern=FORMULA, replacement=r"'\1")
        table = table.set_column(place, name, column)
    return table


def warned_of(table: Any) -> Any:
    """The table as it is; warns if a spreadsheet program would take some of its text for a formula."""
    from pyarrow import compute

    for _, name in _text_columns(table):
        found = table.filter(compute.match_substring_regex(table[name], FORMULA))
        if len(found):
            first = found[name][0].as_py()
            warnings.warn(
                f"a spreadsheet program takes {first[:40]!r} ({name}) for a formula, and {len(found) - 1} more: before "
                "you open the file in one, write it spreadsheet-safe, an option where predictions are saved",
                LSGNNWarning,
                stacklevel=3,
            )
            break
    return table


def _text_columns(table: Any) -> list[tuple[int, str]]:
    """Place and name of the columns with text of the user: ids, unless they are numbers, and classes."""
    import pyarrow as pa

    kinds = [(place, field.name, field.type) for place, field in enumerate(table.schema)][:2]
    return [(place, name) for place, name, kind in kinds if pa.types.is_string(kind) or pa.types.is_large_string(kind)]
