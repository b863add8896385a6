"""Experiment trackers as callbacks: `fit(…, on_epoch=TensorBoardCallback("logs"))`.

A run always keeps its history (`run.members[0].history`, `history.jsonl`); these send the same numbers elsewhere, epoch
by epoch. Close them when training is over, or use them in a `with` block. Where several members are trained, epochs
start over and the later members' curves get names of their own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from lsgnn.extras import optional
from lsgnn.train.trained import Epoch


class _EpochCallback(ABC):
    """Counts members: a new one has begun when the epoch does not grow."""

    def __init__(self) -> None:
        self._member, self._last = 0, 0

    def __call__(self, latest: Epoch) -> None:
        epoch = latest["epoch"]
        self._member += epoch <= self._last
        self._last = epoch
        prefix = f"member_{self._member}/" if self._member else ""
        self._log({prefix + key: float(value) for key, value in latest.items() if key != "epoch"}, epoch)  # type: ignore[arg-type]

    @abstractmethod
    def _log(self, values: dict[str, float], epoch: int) -> None: ...

    @abstractmethod
    def close(self) -> None: ...

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class TensorBoardCallback(_EpochCallback):
    """Writes losses and accuracies as TensorBoard scalars; needs the extra `[tensorboard]`.

    Args:
        log_dir: folder of the event file.
    """

    def __init__(self, log_dir: str | Path) -> None:
        super().__init__()
        optional("tensorboard", "tensorboard")  # torch's own message does not say how to install it
        self.writer: Any = optional("torch.utils.tensorboard", "tensorboard").SummaryWriter(str(log_dir))

    def _log(self, values: dict[str, float], epoch: int) -> None:
        for name, value in values.items():
            self.writer.add_scalar(name, value, epoch)

    def close(self) -> None:
        self.writer.close()


class MLflowCallback(_EpochCallback):
    """Logs to an MLflow run of its own, started now and ended by `close`; needs the extra `[mlflow]`.

    Args:
        experiment: name of the experiment (default: MLflow's default experiment).
        run_name: shown in its list of runs.
        params: settings to log, for example `config.to_dict()`.
        tracking_uri: where the server or folder is (default: MLflow's own setting).
    """

    def __init__(
        self,
        experiment: str | None = None,
        *,
        run_name: str | None = None,
        params: Mapping[str, Any] | None = None,
        tracking_uri: str | None = None,
    ) -> None:
        super().__init__()
        mlflow = optional("mlflow", "mlflow")
        self.client: Any = mlflow.tracking.MlflowClient(tracking_uri=tracking_uri)
        found = self.client.get_experiment_by_name(experiment) if experiment else None
        experiment_id = (
            found.experiment_id if found else self.client.create_experiment(experiment) if experiment else "0"
        )
        self.run_id: str = self.client.create_run(experiment_id, run_name=run_name).info.run_id
        for name, value in (params or {}).items():
            self.client.log_param(self.run_id, name, value)

    def _log(self, values: dict[str, float], epoch: int) -> None:
        for name, value in values.items():
            self.client.log_metric(self.run_id, name, value, step=epoch)

    def close(self) -> None:
        self.client.set_terminated(self.run_id)
