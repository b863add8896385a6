"""Do the stored results still come out? A random unit of every model is computed again and compared with its line.

    make check-results
    LSGNN_DATA=../shared/data python -m paper.scripts.check_results --models gcnii,linkx --seed 7 --cpu-seconds 300

A unit is drawn among those that took at most --cpu-seconds when they were stored, and is run with its stored
configuration, split and seed. The answer for each model is one of

* reproduces: validation and test score are the same to two decimals;
* within tolerance: at most --tolerance points apart, or one node where that is more (another processor adds in another
  order);
* no longer reproduces, with both scores: the exit code is then 1;
* not checked, and why: there is no data, no unit that is quick enough, or --minutes are over.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from lsgnn.cli import options
from lsgnn.cli.main import run as behave_like_lsgnn
from lsgnn.cli.show import answer, answer_json
from paper.checking import Checked, check, drawn, stored_units
from paper.places import RESULTS

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.command(help=__doc__.partition("\n")[0])
def main(
    models: Annotated[str, typer.Option(help="Names joined by commas, or all that have units.")] = "all",
    seed: Annotated[int, typer.Option(help="Draws the units; another seed, other units.")] = 0,
    cpu_seconds: Annotated[float, typer.Option(help="Only units that took at most so long when stored.", min=0)] = 60,
    minutes: Annotated[float, typer.Option(help="After these no further unit is begun.", min=0)] = 30,
    tolerance: Annotated[float, typer.Option(help="Points of difference that are tolerated.", min=0)] = 1.0,
    store: Annotated[Path, typer.Option(help="Folder of units.", show_default="paper/results/zoo")] = RESULTS / "zoo",
    data_dir: options.DataDir = None,
    json: options.Json = False,
) -> None:
    from lsgnn import zoo
    from lsgnn.errors import InputError

    known = sorted({file.stem for file in store.glob("*/*.jsonl")})
    if not known:
        raise InputError(f"{store} holds no units: name a folder that `lsgnn compare --store` wrote")
    names = known if models == "all" else [zoo.get(name.strip()).name for name in models.split(",")]
    found = []
    for checked in _checked(names, seed, cpu_seconds, time.monotonic() + 60 * minutes, tolerance, store, data_dir):
        found.append(checked)
        if not json:
            answer(str(checked))
    if json:
        answer_json([vars(checked) for checked in found])
    if any(checked.answer == "no longer reproduces" for checked in found):
        raise typer.Exit(1)


def _checked(
    models: list[str],
    seed: int,
    cpu_seconds: float,
    deadline: float,
    tolerance: float,
    store: Path,
    data_dir: Path | None,
) -> Iterator[Checked]:
    import torch

    from lsgnn.errors import LSGNNWarning

    torch.set_flush_denormal(True)  # as `run_zoo` does
    for model in models:
        unit = drawn(stored_units(store, model), seed, cpu_seconds)
        if unit is None:
            yield Checked(model, "not checked", why=f"no stored unit took at most {cpu_seconds:g} seconds")
        elif time.monotonic() > deadline:
            yield Checked(model, "not checked", unit.dataset, unit.split, why="the time was over")
        else:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", LSGNNWarning)  # what is odd about a benchmark is known
                yield check(unit, tolerance, data_dir)


if __name__ == "__main__":
    behave_like_lsgnn(app)
