"""The commands that are struck: what they are given, what they write, and how to tell that it is whole."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lsgnn.lines import LineFile
from tests.graphs import two_blocks
from tests.out_of_core.stores import arrays_folder

Reader = Callable[[Path], Any]  # of an output that is there; raises if it is not whole
TIMES = ("seconds", "cpu_seconds", "prepare_seconds", "prepare_cpu_seconds", "trial", "trained", "environment")
DECIDED = 'epochs = 4\nK = 2\nhidden_channels = 4\ndirection = "out"\n'


@dataclass(frozen=True)
class Scene:
    """One command.

    Args:
        words: of the command line, in a folder that holds `given`.
        outputs: what must be the old one or the new one at any time, and the new one in the end.
        given: files and folders that it reads, of the world that all scenes share.
        keeps: where it keeps unfinished work; the same command goes on from there.
        before: the words that made the old outputs; without any there are none.
        program: `lsgnn` or `paper`.
        flips: what it reads back, where a bit may be flipped.
        slow: whether it starts processes of its own, which are what is struck.
        costly: whether it takes so long that it gets a third of the faults.
    """

    name: str
    words: str
    outputs: Mapping[str, Reader]
    given: tuple[str, ...]
    keeps: tuple[str, ...] = ()
    before: str = ""
    program: str = "lsgnn"
    flips: tuple[str, ...] = ()
    slow: bool = False
    costly: bool = False

    def entry(self) -> None:
        """Runs the command in this process, with `sys.argv` as its words."""
        if self.program == "paper":
            from lsgnn.cli.main import run as behave_like_lsgnn
            from lsgnn.cli.start import heed_signals
            from paper.__main__ import app

            heed_signals()
            behave_like_lsgnn(app)
        else:
            from lsgnn.cli.start import run

            run()


def a_run(folder: Path) -> str:
    from lsgnn.runs.run import Run

    Run.load(folder)
    return file_digest(folder / "model.safetensors")


def a_stored_run(folder: Path) -> str:
    from lsgnn.out_of_core.stored_run import StoredRun

    StoredRun.load(folder)
    return file_digest(folder / "model.safetensors")


def a_page(file: Path) -> bool:
    if not file.read_text("utf-8").rstrip().endswith("</html>"):
        raise ValueError(f"{file} ends too early")
    return True  # it shows times, which differ


def a_document(file: Path) -> Any:
    return _timeless(json.loads(file.read_text("utf-8")))


def a_text(file: Path) -> bool:
    if not file.read_text("utf-8").endswith("\n"):
        raise ValueError(f"{file} ends too early")
    return True  # it says when and by what it was made


def a_picture(file: Path) -> bool:
    if not file.read_bytes().rstrip().endswith((b"</svg>", b"IEND\xaeB`\x82")):
        raise ValueError(f"{file} ends too early")
    return True


def a_store(folder: Path) -> dict[str, str]:
    files = sorted(file for file in folder.rglob("*") if file.is_file() and file.name != ".lock")
    return {str(file.relative_to(folder)): file_digest(file) for file in files}


def units(file: Path) -> Any:
    return sorted((_timeless(line) for line in LineFile(file).lines().values()), key=str)


def file_digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _timeless(item) for key, item in value.items() if key not in TIMES}
    return [_timeless(item) for item in value] if isinstance(value, list) else value


FIT = "fit g.npz --preset decided.toml --engine torch --out run --predictions p.csv --report r.html"
TUNE = "tune g.npz --preset decided.toml --trials 3 --no-grid --rescore 2 --splits 0,1 --jobs 1"
COMPARE = "compare g.npz --models majority,sgc,mlp --splits 0,1 --set epochs=3 --set feature_norm=l2"
RUN: dict[str, Reader] = {"run": a_run, "p.csv": file_digest, "r.html": a_page}
GRAPH = ("g.npz", "decided.toml")
SCENES = (
    Scene("fit", FIT, RUN, GRAPH),
    Scene("fit over an old run", FIT, RUN, GRAPH, before=f"{FIT} --set seed=1"),
    Scene("predict", "predict run --out p.csv", {"p.csv": file_digest}, ("run",), flips=("run",)),
    Scene(
        "predict over old predictions",
        "predict run g.npz --out p.parquet",
        {"p.parquet": file_digest},
        ("run", "g.npz"),
        before="predict run --out p.parquet --uncalibrated",
    ),
    Scene(
        "tune",
        f"{TUNE} --storage study.db --export c.toml --out t.json",
        {"c.toml": file_digest, "t.json": a_document},
        GRAPH,
        keeps=("study.db",),
        flips=("study.db",),
    ),
    Scene(
        "compare --store",
        f"{COMPARE} --store units --out c.json --report r.html",
        {"c.json": a_document, "r.html": a_page},
        GRAPH,
        keeps=("units",),
        flips=("units",),
    ),
    Scene("precompute", "precompute arrays --out store --set K=2", {"store": a_store}, ("arrays",), keeps=("store",)),
    Scene(
        "fit STORE",
        "fit store --set epochs=3 --out srun --predictions sp.csv",
        {"srun": a_stored_run, "sp.csv": file_digest},
        ("store",),
        keeps=(".srun.training",),
        before="fit store --set epochs=2 --out srun --predictions sp.csv",
        flips=("store",),
    ),
    Scene(
        "predict STORE",
        "predict srun store --out sp.csv",
        {"sp.csv": file_digest},
        ("srun", "store"),
        flips=("srun", "store"),
    ),
    Scene(
        "paper run",
        "run toy --quick --results results --out pages",
        {"results/quick/toy/all.jsonl": units, "pages/toy.md": a_text, "pages/toy.png": a_picture},
        (),
        keeps=("results", "pages"),
        program="paper",
        flips=("results",),
        costly=True,
    ),
    Scene(
        "precompute --jobs",
        "precompute arrays --out store --set K=2 --jobs 2",
        {"store": a_store},
        ("arrays",),
        keeps=("store",),
        slow=True,
    ),
    Scene(
        "paper run --jobs",
        "run toy --quick --results results --out pages --jobs 2",
        {"results/quick/toy/all.jsonl": units, "pages/toy.md": a_text},
        (),
        keeps=("results", "pages"),
        program="paper",
        slow=True,
    ),
    Scene(
        "precompute --ray",
        "precompute arrays --out store --set K=2 --ray local --max-memory 200MB",
        {"store": a_store},
        ("arrays",),
        keeps=("store",),
        slow=True,
    ),
)


def scene(name: str) -> Scene:
    return next(each for each in SCENES if each.name == name)


def make_world(folder: Path) -> None:
    """What people bring along: a graph as a file and as a folder of arrays, and a preset."""
    folder.mkdir(parents=True, exist_ok=True)
    graph = two_blocks(n=60)
    graph.save(folder / "g.npz")
    shutil.rmtree(folder / "arrays", ignore_errors=True)
    arrays_folder(folder / "arrays", graph)
    (folder / "decided.toml").write_text(DECIDED)
