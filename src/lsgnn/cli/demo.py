"""`lsgnn demo`: the main job on the two bundled real graphs, from homophily to predictions and a page.

Two processes, a core each: this one trains LSGNN, and compiles its engine the first time; `lsgnn compare` trains the
baselines meanwhile.
"""

from __future__ import annotations

import json as json_text
import os
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
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
EPOCHS = 100  # of every model: enough to see who is ahead, and soon over


def demo(
    out: Annotated[Path, typer.Option(help="Folder for predictions and report pages.")] = Path("demo-output"),
    splits: Annotated[int, typer.Option(help="How many of the ten splits to average over.", min=1, max=10)] = 1,
    json: options.Json = False,
) -> None:
    """Measure homophily, train LSGNN, an MLP and a GCN on the bundled graphs, write predictions and a report page."""
    start = time.perf_counter()
    make_folder(out)
    pool = ThreadPoolExecutor(max_workers=1)
    try:
        with progress("demo", len(GRAPHS) * (splits + 3)) as step:
            waiting = {name: pool.submit(_baselines, name, splits) for name in GRAPHS}
            results = [_one_graph(name, splits, out, waiting[name], step) for name in GRAPHS]
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
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
    title = f"test accuracy in %, {over}, best of {EPOCHS} epochs by validation (seconds to prepare and train)"
    table = Table("graph", "nodes", "edges", "edge homophily", *BASELINES.values(), "LSGNN", title=title)
    for r in results:
        cells = [
            f"{shown(r['test_accuracy'][model], digits=1)}  ({r['model_seconds'][model]:.1f} s)"
            for model in (*BASELINES, "lsgnn")
        ]
        table.add_row(r["graph"], f"{r['nodes']:,}", f"{r['edges']:,}", f"{r['homophily']['edge']:.2f}", *cells)
    return table


def _one_graph(
    name: str, splits: int, out: Path, baselines: Future[dict[str, Any]], step: Callable[..., None]
) -> dict[str, Any]:
    """LSGNN on each split; the run of the first one predicts and makes the page."""
    from dataclasses import asdict

    import torch

    from lsgnn.benchmark.evaluate import summary
    from lsgnn.datasets import load, preset
    from lsgnn.graph.homophily import homophily
    from lsgnn.report import write_run_page
    from lsgnn.runs.fit import fit

    torch.set_num_threads(1)  # the other core is the baselines'
    graph, config, runs = load(name), preset(name).config.replace(epochs=EPOCHS), []
    fit(graph, config.replace(epochs=1))  # what must be compiled is compiled before anything is timed
    step()
    for split in range(splits):
        runs.append(fit(graph, config, split=split))
        step()
    predictions, report = out / f"{name}.csv", out / f"{name}.html"
    runs[0].predict().save(predictions)
    write_run_page(runs[0], report)
    step()
    others = baselines.result()
    step()
    return {
        "graph": name,
        "nodes": graph.num_nodes,
        "edges": graph.num_edges,
        "homophily": asdict(homophily(graph)),
        "test_accuracy": others["test_accuracy"] | {"lsgnn": summary([100 * r.metrics["test_accuracy"] for r in runs])},
        "model_seconds": others["seconds"] | {"lsgnn": sum(sum(r.seconds.values()) for r in runs) / splits},
        "predictions": str(predictions),
        "report": str(report),
    }


def _baselines(graph: str, splits: int) -> dict[str, Any]:
    """Test accuracies and seconds of the baselines, by the command that anybody could type."""
    from lsgnn.datasets import preset

    words = ["compare", graph, "--models", ",".join(BASELINES), "--splits", ",".join(map(str, range(splits)))]
    words += ["--set", f"epochs={EPOCHS}", "--set", f"feature_norm={preset(graph).config.feature_norm}"]
    done = subprocess.run(
        [sys.executable, "-P", "-m", "lsgnn", *words, "--json"],  # -P: files here are no modules
        capture_output=True,
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    if done.returncode:
        raise InputError(f"the baselines on {graph} failed: {done.stderr.strip() or f'exit code {done.returncode}'}")
    rows = {row["model"]: row for row in json_text.loads(done.stdout)["models"]}
    return {
        "test_accuracy": {model: rows[model]["test"] for model in BASELINES},
        "seconds": {model: rows[model]["seconds"] / splits for model in BASELINES},
    }
