"""`lsgnn demo`: the main job on the two bundled real graphs, from homophily to predictions and a page.

Two processes, a core each: this one trains LSGNN, `demo_baselines.py` an MLP and a GCN meanwhile. The first time the
engine is compiled, by two more, which begin before anything else is imported.
"""

from __future__ import annotations

import json as json_text
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lsgnn.cli import options
from lsgnn.cli.show import answer, answer_json, answer_table, progress
from lsgnn.errors import InputError
from lsgnn.files import make_folder

if TYPE_CHECKING:
    from rich.table import Table

GRAPHS = ("cora-linqs", "debian")
BASELINES = {"mlp": "MLP", "gcn": "GCN"}
EPOCHS, PATIENCE = 100, 40  # of every model: enough to see who is ahead, and soon over


def demo(
    out: Annotated[Path, typer.Option(help="Folder for predictions and report pages.")] = Path("demo-output"),
    splits: Annotated[int, typer.Option(help="How many of the ten splits to average over.", min=1, max=10)] = 1,
    json: options.Json = False,
) -> None:
    """Measure homophily, train LSGNN, an MLP and a GCN on the bundled graphs, write predictions and a report page."""
    start = time.perf_counter()
    make_folder(out)
    with progress("demo", len(GRAPHS) * (splits + 3)) as step, baselines(splits) as result_of:
        _begin_to_compile()
        ours = [_one_graph(name, splits, out, step) for name in GRAPHS]
        results = [_with_baselines(result, result_of(), step) for result in ours]
    document = {"graphs": results, "epochs": EPOCHS, "seconds": round(time.perf_counter() - start, 1)}
    if json:
        answer_json(document)
        return
    answer_table(_table(results, splits))
    for r in results:
        answer(f"{r['graph']}: predictions in {r['predictions']}, report in {r['report']}")
    answer(f"done in {document['seconds']} s; next: lsgnn fit --edges edges.csv --nodes nodes.csv --label CLASS")


def _table(results: list[dict[str, Any]], splits: int) -> Table:
    from rich.table import Table

    from lsgnn.benchmark.evaluate import shown

    over = f"mean ± std over {splits} splits" if splits > 1 else "one split"
    title = f"test accuracy in %, {over}, best epoch of up to {EPOCHS} by validation (CPU seconds to prepare and train)"
    table = Table("graph", "nodes", "edges", "edge homophily", *BASELINES.values(), "LSGNN", title=title)
    for r in results:
        cells = [
            f"{shown(r['test_accuracy'][model], digits=1)}  ({r['cpu_seconds'][model]:.1f} s)"
            for model in (*BASELINES, "lsgnn")
        ]
        table.add_row(r["graph"], f"{r['nodes']:,}", f"{r['edges']:,}", f"{r['homophily']['edge']:.2f}", *cells)
    return table


def _begin_to_compile() -> None:
    """The form of the engine that both graphs train with, unless it is there: features are sparse, z is 32."""
    from lsgnn.train.fused.variant import HALVES, Variant, begin

    variant = Variant(dense=False, links=False, width=16)
    for half in HALVES:
        if variant.is_missing(half):
            begin(variant, [half])


def _one_graph(name: str, splits: int, out: Path, step: Callable[..., None]) -> dict[str, Any]:
    """LSGNN on each split; the run of the first one predicts and makes the page."""
    from dataclasses import asdict

    import torch

    from lsgnn.benchmark.evaluate import summary
    from lsgnn.datasets import load, preset
    from lsgnn.graph.homophily import homophily
    from lsgnn.report import write_run_page
    from lsgnn.runs.fit import fit

    torch.set_num_threads(1)  # the other core is the baselines'
    graph, config, runs = load(name), preset(name).config.replace(epochs=EPOCHS, patience=PATIENCE), []
    fit(graph, config.replace(epochs=1))  # what must be compiled is compiled before anything is timed
    step()
    clock = time.process_time()
    for split in range(splits):
        runs.append(fit(graph, config, split=split))
        step()
    cpu_seconds = (time.process_time() - clock) / splits
    predictions, report = out / f"{name}.csv", out / f"{name}.html"
    runs[0].predict().save(predictions)
    write_run_page(runs[0], report)
    step()
    return {
        "graph": name,
        "nodes": graph.num_nodes,
        "edges": graph.num_edges,
        "homophily": asdict(homophily(graph)),
        "test_accuracy": {"lsgnn": summary([100 * r.metrics["test_accuracy"] for r in runs])},
        "cpu_seconds": {"lsgnn": cpu_seconds},
        "predictions": str(predictions),
        "report": str(report),
    }


def _with_baselines(ours: dict[str, Any], others: dict[str, Any], step: Callable[..., None]) -> dict[str, Any]:
    step()
    accuracy = {model: others[model]["test"] for model in BASELINES} | ours["test_accuracy"]
    seconds = {model: others[model]["cpu_seconds"] for model in BASELINES} | ours["cpu_seconds"]
    return ours | {"test_accuracy": accuracy, "cpu_seconds": seconds}


@contextmanager
def baselines(splits: int) -> Iterator[Callable[[], dict[str, Any]]]:
    """Trains the baselines in a process of its own; what it yields waits for the results of the next graph."""
    words = [",".join(GRAPHS), ",".join(BASELINES), str(EPOCHS), str(PATIENCE), str(splits)]
    command = [sys.executable, "-P", "-m", "lsgnn.cli.demo_baselines", *words]  # -P: files here are no modules
    with tempfile.TemporaryFile("w+") as said:
        one_thread = os.environ | {"OMP_NUM_THREADS": "1"}
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=said, text=True, env=one_thread)

        def result() -> dict[str, Any]:
            line = process.stdout.readline() if process.stdout else ""
            if not line:
                code = process.wait()
                said.seek(0)
                raise InputError(f"the baselines failed: {said.read().strip() or f'exit code {code}'}")
            return json_text.loads(line)  # type: ignore[no-any-return]

        try:
            yield result
        finally:
            process.kill()
            process.communicate()
