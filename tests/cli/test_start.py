"""Ctrl-C in real processes: one line, exit code 130, whatever the command was doing."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lsgnn.cli.start import is_resumable, run
from tests.graphs import two_blocks

SECONDS = 300  # until a busy machine has got so far, at the most


class Pressed:
    """A command that is interrupted when it has imported certain modules and then used the processor for a while."""

    def __init__(self, folder: Path, *arguments: object, after: tuple[str, ...], cpu_seconds: float = 0.0) -> None:
        self.log = folder / "stderr.txt"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-X", "importtime", "-m", "lsgnn", *map(str, arguments)],
                stdout=subprocess.PIPE,
                stderr=log,
                # a shell that runs the tests in the background has told its children to ignore the signal
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
            )
        try:
            self.wait_until(lambda: set(after) <= self.imported())
            begun = self.cpu_seconds()
            self.wait_until(lambda: self.cpu_seconds() >= begun + cpu_seconds)
            self.process.send_signal(signal.SIGINT)
            pressed = time.monotonic()
            self.out = self.process.communicate(timeout=SECONDS)[0].decode()
            self.waited = time.monotonic() - pressed
        finally:
            self.process.kill()
        self.code = self.process.returncode
        self.said = [line for line in self.log.read_text().splitlines() if not line.startswith("import time:")]

    def wait_until(self, condition: Callable[[], bool]) -> None:
        end = time.monotonic() + SECONDS
        while not condition():
            assert self.process.poll() is None, self.log.read_text()[-2000:]
            assert time.monotonic() < end, self.log.read_text()[-2000:]
            time.sleep(0.01)

    def imported(self) -> set[str]:
        return {line.rpartition("|")[2].strip() for line in self.log.read_text().splitlines()}

    def cpu_seconds(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize("module", ["typing", "typer", "numpy", "torch"])
def test_an_interrupt_while_modules_are_imported_is_one_line(tmp_path: Path, module: str) -> None:
    pressed = Pressed(tmp_path, "fit", "fsbm", after=("lsgnn.cli.start", module))
    assert pressed.said == ["stopped"]
    assert pressed.code == 130


def test_an_interrupt_where_python_drops_it_is_heard_a_moment_later(tmp_path: Path) -> None:
    (tmp_path / "interrupted.py").write_text(
        """import os, signal, time, weakref
from lsgnn.cli.start import heed_signals, stopped
class Lock: pass
def forgotten(reference):  # as importlib does with the lock of every module
    os.kill(os.getpid(), signal.SIGINT)
signal.signal(signal.SIGINT, signal.default_int_handler)
heed_signals()
lock = Lock()
watch = weakref.ref(lock, forgotten)
try:
    del lock
    time.sleep(60)
except KeyboardInterrupt:
    stopped()
"""
    )
    words = [sys.executable, "-m", "interrupted"]
    ended = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=50)
    assert (ended.stderr, ended.returncode) == ("stopped\n", 130)


def test_an_interrupt_inside_code_that_an_import_evaluates_has_the_same_exit_code(tmp_path: Path) -> None:
    (tmp_path / "interrupted.py").write_text(
        """from lsgnn.cli.start import stopped
try:
    exec("raise KeyboardInterrupt")  # as namedtuples and dataclasses do, hundreds of times while torch is imported
except KeyboardInterrupt:
    stopped()
"""
    )
    words = [sys.executable, "-m", "interrupted"]
    ended = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (ended.stderr, ended.returncode) == ("stopped\n", 130)


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    two_blocks(n=2000).save(tmp_path / "g.npz")
    return tmp_path / "g.npz"


@pytest.mark.parametrize("engine", ["cpu", "torch"])
def test_an_interrupt_while_a_model_is_trained_is_answered_at_once(lsgnn: Any, graph: Path, engine: str) -> None:
    long = ("fit", graph, "--engine", engine, "--set", "direction=out", "--set", "epochs=3000000")
    assert lsgnn(*long[:-1], "epochs=1").code == 0  # compiles the kernels, if no one has
    out = graph.parent / "run"
    pressed = Pressed(graph.parent, *long, "--out", out, after=("lsgnn.runs.fit",), cpu_seconds=3.0)
    assert (pressed.said, pressed.out, pressed.code) == (["stopped"], "", 130)
    assert pressed.waited < 30
    assert not out.exists()


def test_a_search_that_is_interrupted_says_that_it_goes_on(lsgnn: Any, graph: Path) -> None:
    study = graph.parent / "study.log"
    (graph.parent / "decided.toml").write_text("epochs = 50\n")  # nothing is left to probe before the search
    words = ("tune", graph, "--storage", study, "--trials", "100000", "--preset", graph.parent / "decided.toml")
    pressed = Pressed(graph.parent, *words, after=("lsgnn.tuning",), cpu_seconds=4.0)
    assert pressed.said == ["stopped; the same command goes on where it stopped"]
    assert pressed.code == 130
    assert study.stat().st_size > 0


def test_a_command_that_was_told_to_ignore_ctrl_c_ignores_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["lsgnn", "--version"])
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as nohup and scripts do for what runs in the background
    try:
        with pytest.raises(SystemExit):
            run()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(
    ("words", "resumable"),
    [
        ("tune cora --storage s.db", True),
        ("tune cora --storage=s.db", True),
        ("tune cora", False),
        ("compare cora --store units", True),
        ("precompute cora --out store", True),
        ("fit cora --out run", False),
        ("", False),
    ],
)
def test_only_what_keeps_its_work_promises_to_go_on(words: str, resumable: bool) -> None:
    assert is_resumable(words.split()) is resumable
