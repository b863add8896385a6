"""Does `lsgnn serve` keep its word? Speed, memory and kills, on the bundled Debian graph, over loopback.

    python benchmarks/serve.py --folder /some/disk --json benchmarks/results/serve.json

A run is trained if the folder has none. Every part starts the real command in a process of its own.

- speed: single new nodes from a few clients at the same time, for some seconds; requests per second and latencies.
- batches: 1,000 new nodes in one request.
- memory: anonymous memory of the server before and after many requests.
- kills: clients send nodes to be kept while the server is killed (SIGKILL, the whole group) and started again. At the
  end the journal must hold every acknowledged node exactly once, and nothing that was never sent.
- equal: the largest difference between an answer and `Run.predict_new`, and of kept nodes before and after a restart.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from lsgnn import Run
from lsgnn.files import write_json
from lsgnn.train.environment import environment

NODES_BETWEEN_KILLS = 50


class Server:
    """The real command, in a process group of its own."""

    def __init__(self, run: Path, port: int = 0, workers: int = 1, journal: Path | None = None) -> None:
        command = [sys.executable, "-m", "lsgnn", "serve", str(run), "--port", str(port), "--workers", str(workers)]
        command += [] if journal is None else ["--journal", str(journal)]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
        assert self.process.stderr is not None
        line = self.process.stderr.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)", line)
        if not found:
            raise SystemExit(f"the server did not start: {line}{self.process.stderr.read()}")
        self.port = int(found[1])
        threading.Thread(target=self._drain, daemon=True).start()

    def _drain(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            sys.stderr.write(line)

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def _processes(self) -> list[Path]:
        """The folders in /proc of all its processes."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                found += [folder] if os.getpgid(int(folder.name)) == self.process.pid else []
        return found

    def memory(self) -> float:
        """Anonymous megabytes."""
        texts = [(folder / "status").read_text() for folder in self._processes()]
        return sum(int(kilobytes) for text in texts for kilobytes in re.findall(r"RssAnon:\s+(\d+)", text)) / 1024

    def cpu_seconds(self) -> float:
        fields = [(folder / "stat").read_text().rpartition(")")[2].split() for folder in self._processes()]
        return sum(int(own[11]) + int(own[12]) for own in fields) / os.sysconf("SC_CLK_TCK")


@contextmanager
def served(run: Path, workers: int = 1, journal: Path | None = None) -> Iterator[Server]:
    server = Server(run, workers=workers, journal=journal)
    try:
        ask(server.port, "GET", "/health")
        yield server
    finally:
        server.kill()


def ask(port: int, method: str, path: str, document: Any = None, timeout: float = 60.0) -> tuple[int, Any]:
    connection = HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        body = None if document is None else json.dumps(document)
        connection.request(method, path, body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


class Nodes:
    """New nodes: features of a node drawn at random, edges to a few others."""

    def __init__(self, run: Run, seed: int) -> None:
        self.graph, self.random = run.graph, np.random.default_rng(seed)

    def one(self, id: str, edges: int = 4) -> dict[str, Any]:
        row = self.graph.x[[int(self.random.integers(self.graph.num_nodes))]]
        near = self.graph.node_ids[self.random.integers(0, self.graph.num_nodes, edges)].tolist()
        features = dict(zip(map(str, row.indices.tolist()), row.data.tolist(), strict=True))
        return {"id": id, "features": features, "edges": [{"target": other} for other in near]}

    def arrays(self, nodes: list[dict[str, Any]]) -> tuple[np.ndarray, list[tuple[str, Any]], list[str]]:
        """The same as arguments of `Run.predict_new`."""
        x = np.zeros((len(nodes), self.graph.num_features), np.float32)
        for i, node in enumerate(nodes):
            for column, value in node["features"].items():
                x[i, int(column)] = value
        edges = [(node["id"], edge["target"]) for node in nodes for edge in node["edges"]]
        return x, edges, [node["id"] for node in nodes]


async def load(port: int, bodies: list[bytes], clients: int, seconds: float, limit: int) -> list[float]:
    """Latencies of requests from a few clients, each of which waits for its answer before it asks again."""
    latencies: list[float] = []
    end = time.perf_counter() + seconds

    async def client(first: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        number = first
        while time.perf_counter() < end and len(latencies) < limit:
            body = bodies[number % len(bodies)]
            number += clients
            start = time.perf_counter()
            head = "POST /predict/new HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
            answer = await reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"content-length: (\d+)", answer, re.IGNORECASE)
            assert length is not None
            await reader.readexactly(int(length[1]))
            if not answer.startswith(b"HTTP/1.1 200"):
                raise SystemExit(f"refused: {answer!r}")
            latencies.append(time.perf_counter() - start)
        writer.close()

    await asyncio.gather(*(client(number) for number in range(clients)))
    return latencies


def bodies_of(nodes: Nodes, count: int, persist: bool = False) -> list[bytes]:
    return [json.dumps({"nodes": [nodes.one(f"n{i}")], "persist": persist}).encode() for i in range(count)]


def speed(folder: Path, nodes: Nodes, seconds: float, clients: int, workers: int) -> dict[str, Any]:
    bodies = bodies_of(nodes, 2000)
    with served(folder, workers) as server:
        asyncio.run(load(server.port, bodies, clients, min(3.0, seconds), 10**9))  # warm
        start, cpu = time.perf_counter(), server.cpu_seconds()
        latencies = np.sort(asyncio.run(load(server.port, bodies, clients, seconds, 10**9)))
        taken, cpu = time.perf_counter() - start, server.cpu_seconds() - cpu
    p50, p99 = (1000 * latencies[int(q * len(latencies))] for q in (0.5, 0.99))
    found = {
        "requests_per_second": len(latencies) / taken,
        "p50_ms": p50,
        "p99_ms": p99,
        "max_ms": 1000 * latencies[-1],
    }
    found["server_cpu_ms_per_request"] = 1000 * cpu / len(latencies)
    return {"clients": clients, "workers": workers} | {name: round(float(value), 2) for name, value in found.items()}


def batches(folder: Path, nodes: Nodes, count: int = 5) -> dict[str, Any]:
    seconds = []
    with served(folder) as server:
        for _ in range(count):
            body = {"nodes": [nodes.one(f"n{i}") for i in range(1000)]}
            start = time.perf_counter()
            status, answer = ask(server.port, "POST", "/predict/new", body)
            assert status == 200, answer
            assert len(answer["predictions"]) == 1000
            seconds.append(time.perf_counter() - start)
    return {"nodes": 1000, "seconds_median": round(float(np.median(seconds)), 3), "seconds_max": round(max(seconds), 3)}


def memory(folder: Path, nodes: Nodes, requests: int, clients: int) -> dict[str, Any]:
    bodies = bodies_of(nodes, 2000)
    with served(folder) as server:
        asyncio.run(load(server.port, bodies, clients, 1e9, max(1, requests // 10)))
        early = server.memory()
        asyncio.run(load(server.port, bodies, clients, 1e9, requests))
        return {"requests": requests, "megabytes_early": round(early, 1), "megabytes_late": round(server.memory(), 1)}


def kills(folder: Path, nodes: Nodes, count: int, clients: int, workers: int) -> dict[str, Any]:
    """Each client sends its nodes one after the other, and a node again until it is acknowledged."""
    journal = fresh_journal(folder, "kills")
    acknowledged: dict[str, Any] = {}
    sent: set[str] = set()
    server = Server(folder, workers=workers, journal=journal)
    port, stop, again = server.port, threading.Event(), [0]

    def client(number: int) -> None:
        own = Nodes(Run.load(folder), 1000 + number)
        last, count = None, 0
        while not stop.is_set():
            node = own.one(f"kept-{number}-{count}")
            if last is not None:
                node["edges"].append({"target": last})  # on a node that must have survived
            count += 1
            sent.add(node["id"])
            while not stop.is_set():
                try:
                    status, answer = ask(port, "POST", "/predict/new", {"nodes": [node], "persist": True}, 30.0)
                except (OSError, HTTPException, ValueError):
                    again[0] += 1
                    time.sleep(0.05)
                    continue
                assert status == 200, answer
                acknowledged[node["id"]] = answer["predictions"][0]["probabilities"]
                last = node["id"]
                break

    threads = [threading.Thread(target=client, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    random = np.random.default_rng(0)
    try:
        for kill in range(count):
            enough, patience = len(acknowledged) + NODES_BETWEEN_KILLS, time.monotonic() + 120
            while len(acknowledged) < enough and time.monotonic() < patience:
                time.sleep(0.01)
            time.sleep(float(random.uniform(0, 0.3)))
            server.kill()
            server = Server(folder, port, workers, journal)
            if kill % 10 == 9:
                print(f"{kill + 1} kills, {len(acknowledged)} nodes kept", flush=True)
        before = len(acknowledged)
        while len(acknowledged) < before + clients:
            time.sleep(0.01)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
        server.kill()
    with sqlite3.connect(journal) as connection:
        there = [id for (id,) in connection.execute("SELECT id FROM nodes ORDER BY seq")]
    found = compared(folder, journal, acknowledged)
    return {
        "kills": count,
        "workers": workers,
        "clients": clients,
        "acknowledged": len(acknowledged),
        "repeated_requests": again[0],
        "lost": len(set(acknowledged) - set(there)),
        "doubled": len(there) - len(set(there)),
        "never_sent": len(set(there) - sent),
        "largest_difference_after_restart": found,
    }


def compared(folder: Path, journal: Path, acknowledged: dict[str, Any]) -> float:
    """What a new server says of kept nodes, against what was said when they came."""
    worst, ids = 0.0, list(acknowledged)
    with served(folder, journal=journal) as server:
        for start in range(0, len(ids), 1000):
            status, answer = ask(server.port, "POST", "/predict", {"ids": ids[start : start + 1000]})
            assert status == 200, answer
            for row in answer["predictions"]:
                then = acknowledged[row["id"]]
                worst = max([worst, *(abs(then[name] - p) for name, p in row["probabilities"].items())])
    return worst


def fresh_journal(folder: Path, name: str) -> Path:
    journal = folder.with_name(f"{name}.sqlite")
    for file in journal.parent.glob(f"{journal.name}*"):
        file.unlink()
    return journal


def equal(folder: Path, nodes: Nodes, run: Run, count: int) -> dict[str, Any]:
    """Single nodes and batches whose nodes see each other, against `Run.predict_new`, while others are being kept."""
    worst, classes, stop, kept = 0.0, 0, threading.Event(), [0]

    def keep(port: int) -> None:
        own = Nodes(run, 77)
        while not stop.is_set():
            status, answer = ask(port, "POST", "/predict/new", {"nodes": [own.one(f"k{kept[0]}")], "persist": True})
            assert status == 200, answer
            kept[0] += 1

    with served(folder, journal=fresh_journal(folder, "equal")) as server:
        keeper = threading.Thread(target=keep, args=(server.port,), daemon=True)
        keeper.start()
        for number in range(count):
            batch = [nodes.one(f"b{i}") for i in range(1 if number % 2 else 20)]
            for left, right in pairwise(batch):
                left["edges"].append({"target": right["id"]})
            status, answer = ask(server.port, "POST", "/predict/new", {"nodes": batch})
            assert status == 200, answer
            expected = run.predict_new(*nodes.arrays(batch))
            found = np.array([list(row["probabilities"].values()) for row in answer["predictions"]])
            worst = max(worst, float(np.abs(found - expected.probabilities).max()))
            labels = [row["prediction"] for row in answer["predictions"]]
            classes += sum(said != label for said, label in zip(labels, expected.labels, strict=True))
        stop.set()
        keeper.join()
    return {"requests": count, "kept_meanwhile": kept[0], "largest_difference": worst, "different_classes": classes}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="for the run `debian` and its journal")
    parser.add_argument("--seconds", type=float, default=30.0, help="of the load that measures speed")
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--requests", type=int, default=50_000, help="of the load that watches memory")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--only", nargs="*", default=["speed", "batches", "memory", "kills", "equal"])
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    folder = args.folder / "debian"
    if not folder.exists():
        subprocess.run([sys.executable, "-m", "lsgnn", "fit", "debian", "--out", str(folder)], check=True)
    run = Run.load(folder)
    nodes = Nodes(run, 0)
    parts = {
        "speed": lambda: speed(folder, nodes, args.seconds, args.clients, args.workers),
        "batches": lambda: batches(folder, nodes),
        "memory": lambda: memory(folder, nodes, args.requests, args.clients),
        "equal": lambda: equal(folder, nodes, run, 40),
        "kills": lambda: kills(folder, nodes, args.kills, 4, args.workers),
    }
    document: dict[str, Any] = {}
    for name in args.only:
        document[name] = parts[name]()
        print(name, document[name], flush=True)
    document["environment"] = environment()
    if args.json:
        write_json(args.json, document)


if __name__ == "__main__":
    main()
