"""`StoredRun`: a model trained on a store; predicts every node of a store, chunk by chunk, into a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from lsgnn.config import LSGNNConfig
from lsgnn.errors import InputError
from lsgnn.nn.model import LSGNN
from lsgnn.out_of_core.prediction_files import write_file, write_parts
from lsgnn.out_of_core.reduced import Reduced, reduced_features
from lsgnn.out_of_core.rows import StoredRows
from lsgnn.out_of_core.store import Store
from lsgnn.out_of_core.threads import all_cores
from lsgnn.propagate.column_scale import ColumnScale
from lsgnn.runs.predictions import Predictions
from lsgnn.runs.tried import Tried
from lsgnn.train.decision import Decision, decision_by
from lsgnn.train.ensemble import mean_logits
from lsgnn.train.metrics import Metric
from lsgnn.train.trained import Trained

if TYPE_CHECKING:
    from lsgnn.out_of_core.labelled_run import LabelledRun
    from lsgnn.runs.explanation import Explanation


@dataclass(frozen=True, eq=False, kw_only=True)
class StoredRun:
    """A trained LSGNN without its graph, which stays in the store.

    Args:
        members: best weights and history of each training run; several, which differ in their seeds, are an ensemble.
        metrics: scores of each part of the labelled nodes, named as in `lsgnn.Run.metrics`.
        temperature: what logits are divided by so that probabilities can be believed.
        feature_names, column_scale: those of the store it was trained on.
        metric: what the run is scored by.
        positive: of two classes, the one that is looked for.
        decision: from which probability on a node is called positive, for two classes; None: the most probable class.
        notes: what was noticed on the way.
        tried: what a probe has tried on the validation nodes before this configuration was chosen.
    """

    config: LSGNNConfig
    members: tuple[Trained, ...] = field(repr=False)
    num_nodes: int
    class_names: tuple[str, ...]
    metrics: dict[str, float]
    temperature: float
    environment: dict[str, str] = field(repr=False)
    feature_names: Sequence[str] = field(default=(), repr=False)
    column_scale: dict[str, list[float]] = field(default_factory=dict, repr=False)
    metric: Metric = "accuracy"
    positive: int = 1
    decision: Decision | None = None
    notes: tuple[str, ...] = ()
    tried: tuple[Tried, ...] = field(default=(), repr=False)

    @property
    def trained(self) -> Trained:
        """The first (usually the only) member."""
        return self.members[0]

    @cached_property
    def models(self) -> list[LSGNN]:
        """The module of each member, in evaluation mode."""
        return [LSGNN.from_weights(self.config, member.state_dict, self.num_nodes) for member in self.members]

    @property
    def model(self) -> LSGNN:
        return self.models[0]

    def predict(
        self,
        store: Store,
        path: str | Path,
        *,
        calibrated: bool = True,
        threshold: float | None = None,
        spreadsheet_safe: bool = False,
        on_chunk: Callable[[int], None] | None = None,
    ) -> int:
        """Writes the probabilities of every node to a `.csv` or `.parquet` file, or a folder of parts; how many.

        Args:
            store: the one the model was trained on, or another with the same settings, features and classes.
            path: one whose name has no ending is a folder of Parquet files, `part-00000.parquet` and so on.
            calibrated, threshold: as in `lsgnn.Run.predict`.
            spreadsheet_safe: as in `lsgnn.Predictions.save`.
            on_chunk: called with the number of nodes done so far.
        """
        path = Path(path)
        if path.suffix not in ("", ".csv", ".parquet"):
            raise InputError(
                f"cannot write predictions to {path.name!r}: the name must end in .csv or .parquet, or, for a folder "
                "of Parquet files, have no ending"
            )
        decision = decision_by(threshold, self.decision, self.positive, len(self.class_names))
        if decision is not None and not calibrated:
            decision = decision.before_calibration(self.temperature)
        chunks = self._chunks(store, self.temperature if calibrated else 1.0, decision, path.parent)
        done = 0
        for rows in write_parts(chunks, path) if path.suffix == "" else write_file(chunks, path, spreadsheet_safe):
            done += rows
            if on_chunk is not None:
                on_chunk(done)
        return done

    @torch.no_grad()
    def _chunks(
        self, store: Store, temperature: float, decision: Decision | None, folder: Path
    ) -> Iterator[Predictions]:
        self.require_same_columns(store)
        rows, ids = StoredRows(store, self.config), store.array("node_ids")
        products = list[Reduced]()  # of each member, where the store keeps no hops to read
        if store.manifest.keep == "labelled":
            weights = (model.reduce.weights[0].detach().numpy() for model in self.models)
            products = [reduced_features(store, self.config, weight, folder, all_cores()) for weight in weights]
        for start, stop in rows.chunks():
            read = [rows.range(start, stop, of) for of in products] or [rows.range(start, stop)] * len(self.models)
            logits = mean_logits([model(part).numpy() for model, part in zip(self.models, read, strict=True)])
            yield Predictions.of_logits(logits, ids[start:stop], self.class_names, temperature, decision)

    def require_same_columns(self, store: Store) -> None:
        """Raises unless the columns of a store are those that the model learned from, scaled alike."""
        if (store.manifest.num_features, store.class_names) != (self.model.in_channels, self.class_names):
            raise InputError(f"{store.folder} has other features or classes than the model was trained on")
        if list(store.manifest.feature_names) != list(self.feature_names):
            raise InputError(
                f"the columns of {store.folder} are not those the model learned from, in their order: it must have "
                f"{_few(self.feature_names)}, not {_few(store.manifest.feature_names)}"
            )
        theirs, ours = (ColumnScale.from_dict(of.column_scale) if of.column_scale else None for of in (store, self))
        if ours is not None and not (theirs is not None and ours.is_like(theirs)):
            raise InputError(
                f"the columns of {store.folder} are standardised by means and deviations of their own, not by those "
                "the model learned from: standardise both alike yourself, and make stores with feature_norm=none"
            )

    def explain(self, store: Store, node_id: Any, member: int | None = None) -> Explanation:
        """Why a node of a store is classified as it is; see `lsgnn.Explanation`."""
        from lsgnn.out_of_core.explanation import explain

        return explain(self, store, node_id, member)

    def on(self, store: Store) -> LabelledRun:
        """The labelled nodes of a store as a run of their own, whose scores and page can be looked at."""
        from lsgnn.out_of_core.labelled_run import LabelledRun, labelled_graph, labelled_logits

        self.require_same_columns(store)
        graph, split = labelled_graph(store)
        return LabelledRun(
            graph=graph,
            config=self.config,
            split=split,
            members=self.members,
            seconds={"train": sum(member.seconds for member in self.members)},
            environment=self.environment,
            notes=self.notes,
            known_temperature=self.temperature,
            metric=self.metric,
            decision=self.decision,
            tried=self.tried,
            store=store,
            known_logits=labelled_logits(store, self.config, self.members),
        )

    def summary(self) -> dict[str, Any]:
        """What `--json` prints."""
        return {
            "metric": self.metric,
            "decision": None if self.decision is None else asdict(self.decision),
            "metrics": self.metrics,
            "temperature": self.temperature,
            "best_epoch": self.trained.best_epoch,
            "epochs": len(self.trained.history),
            "members": len(self.members),
            "seconds": {"train": sum(member.seconds for member in self.members)},
            "notes": list(self.notes),
            "tried": [asdict(row) for row in self.tried],
            "environment": self.environment,
        }

    def save(self, folder: str | Path) -> None:
        """Writes the run as a folder of plain files with their digests; refuses to replace anything but such a run."""
        from lsgnn.out_of_core.stored_run_files import save_stored_run

        save_stored_run(self, Path(folder).expanduser())

    @classmethod
    def load(cls, folder: str | Path) -> StoredRun:
        """Reads a folder written by `save`, if its files are as they were; executes no code from it."""
        from lsgnn.out_of_core.stored_run_files import load_stored_run

        return load_stored_run(Path(folder).expanduser())


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (", …" if len(names) > 5 else "") or "columns without names"
