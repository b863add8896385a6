"""Does it bear the load? A million nodes, a hundred readers of one run, two searches in one study.

    python -m benchmarks.load --folder build/load --record
    python -m benchmarks.load --folder build/load --only study --minutes 1

- million: `lsgnn predict` of a graph of a million nodes; the most memory that its process ever had.
- readers: a hundred processes load one run at the same time and predict; all must say the same.
- study: two processes of `lsgnn tune` share a study for some minutes. Every trial that one of them saw finished must be
  in the study once.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from lsgnn import Graph, LSGNNConfig, Run, fit
from lsgnn.graph.splits import Splits
from tests.reliability import record

REPO = Path(__file__).parents[1]
NODES, FEATURES, DEGREE = 1_000_000, 16, 5


def big_graph(nodes: int) -> Graph:
    """Two classes, features that hint at them, edges at random; few labels, as such graphs have."""
    random = np.random.default_rng(0)
    y = random.integers(0, 2, nodes)
    x = random.standard_normal((nodes, FEATURES), dtype=np.float32) + 0.5 * y[:, None].astype(np.float32)
    edges = random.integers(0, nodes, (2, DEGREE * nodes))
    labelled = np.arange(nodes) < 3000
    masks = [labelled & (np.arange(nodes) % 3 == part) for part in range(3)]
    splits = Splits(*(mask[None] for mask in masks))
    return Graph(x=x, edge_index=edges, y=np.where(labelled, y, -1), name="big", splits=splits)


def million(folder: Path) -> dict[str, Any]:
    run = folder / "small-run"
    config = LSGNNConfig(K=5, hidden_channels=16, epochs=3, direction="out")
    if not run.exists():
        fit(big_graph(4000), config, engine="cpu").save(run)
        big_graph(NODES).save(folder / "big.npz")
    words = ["predict", str(run), str(folder / "big.npz"), "--out", str(folder / "big.parquet")]
    code = "import resource, sys\nfrom lsgnn.cli.start import run\ntry:\n    run()\nfinally:\n"
    code += "    sys.stderr.write(f'peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}')\n"
    ended = subprocess.run([sys.executable, "-c", code, *words], stderr=subprocess.PIPE, text=True, check=True)
    kilobytes = int(ended.stderr.rpartition("peak ")[2])
    return {"nodes": NODES, "features": FEATURES, "edges": DEGREE * NODES, "megabytes": round(kilobytes / 1024)}


def readers(folder: Path, processes: int = 100) -> dict[str, Any]:
    run = folder / "read-run"
    if not run.exists():
        fit(big_graph(4000), LSGNNConfig(K=2, hidden_channels=8, epochs=3), engine="torch").save(run)
    expected, begin = digest_of(run), time.time() + 1
    pids = []
    for _ in range(processes):
        pid = os.fork()
        if pid == 0:
            time.sleep(max(0.0, begin - time.time()))
            code = 1
            try:
                code = 0 if digest_of(run) == expected else 3
            finally:
                os._exit(code)
        pids.append(pid)
    codes = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids]
    return {"processes": processes, "different": sum(code != 0 for code in codes)}


def digest_of(run: Path) -> str:
    return hashlib.sha256(Run.load(run).predict().probabilities.tobytes()).hexdigest()


SEARCH = """
import json, sys, time
from pathlib import Path
from lsgnn import LSGNNConfig
from lsgnn.tuning import tune
from tests.graphs import two_blocks
seen = []
def on_trial(study):
    own = [t.number for t in study.get_trials(deepcopy=False) if t.state.is_finished() and "val" in t.user_attrs]
    seen.append(sorted(own))
config = LSGNNConfig(epochs=5, K=2, hidden_channels=8)
tune(two_blocks(n=60), base=config, trials=10**6, grid=False, rescore=1, storage=sys.argv[1], on_trial=on_trial,
     timeout=60 * float(sys.argv[3]))
Path(sys.argv[2]).write_text(json.dumps(sorted({number for numbers in seen for number in numbers})))
"""


def study(folder: Path, minutes: float) -> dict[str, Any]:
    import optuna

    file = folder / "study.db"
    for old in folder.glob("study.db*"):
        old.unlink()
    outs = [folder / f"seen{number}.json" for number in range(2)]
    environment = os.environ | {"PYTHONPATH": f"{REPO / 'src'}{os.pathsep}{REPO}"}
    words = [sys.executable, "-c", SEARCH, str(file)]
    started = [subprocess.Popen([*words, str(out), str(minutes)], env=environment) for out in outs]
    if sum(process.wait() for process in started):
        raise SystemExit("a search failed")
    seen = {number for out in outs for number in json.loads(out.read_text())}
    name = optuna.get_all_study_names(f"sqlite:///{file}")[0]
    trials = optuna.load_study(study_name=name, storage=f"sqlite:///{file}").trials
    finished = {t.number for t in trials if t.state.is_finished() and "val" in t.user_attrs}
    places = Counter(t.user_attrs["place"] for t in trials if t.number in finished)
    doubled = sum(count - 1 for count in places.values())
    return {"minutes": minutes, "finished": len(finished), "lost": len(seen - finished), "doubled": doubled}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--only", nargs="*", default=["million", "readers", "study"])
    parser.add_argument("--minutes", type=float, default=10.0, help="of the two searches")
    parser.add_argument("--record", action="store_true", help="write the counts to benchmarks/results/reliability.json")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    parts = {"million": million, "readers": readers, "study": lambda folder: study(folder, args.minutes)}
    for name in args.only:
        found = parts[name](args.folder.resolve())
        print(name, found, flush=True)
        if args.record:
            record(name, found)


if __name__ == "__main__":
    main()
