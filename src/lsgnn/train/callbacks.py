"""Experiment trackers as callbacks: `fit(…, on_epoch=TensorBoardCallback("logs"))`.

A run always keeps its history (`run.members[0].history`, `history.jsonl`); these send the same numbers elsewhere, epoch
by epoch. Close them when training is over, or use them in a `with` block. Where several members are trained, epochs
start over and the later members' curves get names of their own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Self

from lsgnn.errors import InputError
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
        tracking_uri: a server, or a file as `sqlite:///mlflow.db` (default: MLflow's own setting). MLflow 3 takes a
            folder (`file:///…`) only where MLFLOW_ALLOW_FILE_STORE=true is set.
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
        try:
            self.client: Any = mlflow.tracking.MlflowClient(tracking_uri=tracking_uri)
        except mlflow.exceptions.MlflowException as error:
            reason = str(error).split(". ")[0]
            raise InputError(
                f"MLflow does not take tracking_uri={tracking_uri!r} ({reason}): pass 'sqlite:///mlflow.db'"
            ) from error
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


class WandbCallback(_EpochCallback):
    """Logs to a Weights & Biases run of its own, started now and ended by `close`; needs the extra `[wandb]`.

    Args:
        project: name of the project.
        run_name: shown in its list of runs.
        params: settings to log, for example `config.to_dict()`.
        mode: `offline` writes files that `wandb sync` can send later; `online` sends (default: W&B's own setting).
        dir: folder that its `wandb/` folder is made in (default: the working directory).
    """

    def __init__(
        self,
        project: str | None = None,
        *,
        run_name: str | None = None,
        params: Mapping[str, Any] | None = None,
        mode: Literal["online", "offline"] | None = None,
        dir: str | Path | None = None,
    ) -> None:
        super().__init__()
        wandb = optional("wandb", "wandb")
        where = None if dir is None else str(dir)
        self.run: Any = wandb.init(project=project, name=run_name, config=dict(params or {}), mode=mode, dir=where)
        self.run.define_metric("*", step_metric="epoch")  # its own steps only grow, but members start over

    def _log(self, values: dict[str, float], epoch: int) -> None:
        self.run.log({"epoch": epoch, **values})

    def close(self) -> None:
        self.run.finish()
