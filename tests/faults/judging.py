"""One fault from beginning to end: the stage is set, the command is struck and judged, and then repeated."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.faults.forked import Ended, import_like, run
from tests.faults.scenes import Scene
from tests.faults.strikes import NOBODY, SIGNALS, Strike
from tests.out_of_core.damage import flip

CODES = {"kill": (-9,), "terminate": (143,), "interrupt": (130,)}
ABSENT = "absent"
TOO_LATE = "the command had ended before"


class Failed(AssertionError):
    """Something was lost, half-written, silently changed, or said in more than a line."""


@dataclass(frozen=True)
class Stage:
    """A scene that has been played once without a fault."""

    scene: Scene
    start: Path  # the folder before the command
    finished: Path  # and after it
    old: dict[str, Any]
    new: dict[str, Any]
    ended: Ended

    @property
    def operations(self) -> int:
        return self.ended.operations


def set_stage(scene: Scene, world: Path, place: Path) -> Stage:
    """Plays the scene without a fault, to know what is right; what it wrote is given to the world."""
    start, finished = place / "start", place / "finished"
    start.mkdir(parents=True)
    for name in scene.given:
        _copy(world / name, start / name)
    if scene.before:
        _well(scene, run(scene.entry, _words(scene, scene.before), start))
    _copy(start, finished)
    ended = run(scene.entry, _words(scene), finished)
    _well(scene, ended)
    for name in scene.outputs:
        if "/" not in name and not (world / name).exists():
            _copy(finished / name, world / name)
    if import_like(ended) and not scene.slow:  # once more, to know how long it takes from now on
        again = place / "again"
        _copy(start, again)
        ended = run(scene.entry, _words(scene), again)
    return Stage(scene, start, finished, states(scene, start), states(scene, finished), ended)


def strike(stage: Stage, what: Strike, place: Path) -> str:
    """Strikes once and judges: how the struck command ended, or `TOO_LATE`; raises `Failed` with the reason."""
    scene, folder = stage.scene, place / "struck"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    if what.kind == "flip":
        return _flipped(stage, what, folder)
    with _disk(stage, what, folder):
        if what.kind == "revoke":
            _give_to_nobody(place)
        ended = run(scene.entry, _words(scene), folder, what, stage.ended.cpu_seconds)
        if what.kind == "revoke":
            for inside, _, _ in os.walk(folder):
                os.chmod(inside, 0o700)
        if what.kind == "small disk":
            subprocess.run(["mount", "-o", "remount,size=64m", str(folder)], check=True)
        judge_end(what, ended)
        found = states(scene, folder)
        for name, state in found.items():
            if name in scene.keeps or any(name.startswith(f"{kept}/") for kept in scene.keeps):
                continue
            if state not in (stage.old[name], stage.new[name]):
                raise Failed(f"{name} is neither the old nor the new one: {state!r}")
        if ended.code == 0 and found != stage.new:
            raise Failed("it ended well, but its outputs are not the right ones")
        if what.kind not in ("kill", "kill worker", "kill ray worker", "revoke"):  # which nobody can tidy up after
            no_leftovers(folder)
        again = run(scene.entry, _words(scene), folder)
        _well(scene, again)
        if "worker" in what.kind:
            no_leftovers(folder)  # who goes on with the work of killed workers tidies up after them
        if (found := states(scene, folder)) != stage.new:
            wrong = [name for name, state in found.items() if state != stage.new[name]]
            raise Failed(f"repeated, it gives another result: {', '.join(wrong)}")
    return f"exit code {ended.code}" if ended.struck else TOO_LATE


def _flipped(stage: Stage, what: Strike, folder: Path) -> str:
    """A bit of what the command reads back is another one: it says so, or what it writes is right."""
    scene = stage.scene
    _copy(stage.finished, folder)
    for name in scene.outputs:
        if name not in scene.flips and not any(name.startswith(f"{kept}/") for kept in scene.keeps):
            _remove(folder / name)
    roots = [folder / name for name in scene.flips]
    files = sorted(f for root in roots for f in ([root] if root.is_file() else root.rglob("*")) if f.is_file())
    files = [file for file in files if file.name != ".lock" and file.stat().st_size]
    share = what.at * len(files)
    flip(files[int(share)], share % 1)
    ended = run(scene.entry, _words(scene), folder)
    if ended.code == 0:
        if (found := states(scene, folder)) != stage.new:
            wrong = [name for name, state in found.items() if state != stage.new[name]]
            raise Failed(f"a flipped bit of {files[int(share)].name} silently changed {', '.join(wrong)}")
    else:
        one_line(ended, 2)
    return f"exit code {ended.code}"


def judge_end(what: Strike, ended: Ended) -> None:
    """A struck command may end well, if the fault did no harm; else with one line and the code of the fault."""
    if ended.code == 0:
        return
    if what.kind == "kill" and ended.code == -9:
        return
    if what.kind in SIGNALS:
        if ended.code not in CODES[what.kind]:
            raise Failed(f"exit code {ended.code}: {ended.err[-2000:]}")
        if not ended.err.rstrip().split("\n")[-1].startswith("stopped") or "Traceback" in ended.err:
            raise Failed(f"not one line: {ended.err[-2000:]}")
        return
    one_line(ended, 2)


def one_line(ended: Ended, code: int) -> None:
    errors = [line for line in ended.err.splitlines() if line.startswith("error: ")]
    if ended.code != code or len(errors) != 1 or "Traceback" in ended.err:
        raise Failed(f"exit code {ended.code}, said: {ended.err[-3000:]}")


def states(scene: Scene, folder: Path) -> dict[str, Any]:
    """What is to be seen of each output: its content if it is whole, or why it is not."""
    found = {}
    for name, read in scene.outputs.items():
        try:
            found[name] = read(folder / name) if (folder / name).exists() else ABSENT
        except Exception as error:
            found[name] = f"broken: {error}"
    return found


def no_leftovers(folder: Path) -> None:
    if stray := [str(path.relative_to(folder)) for path in folder.rglob(".*.tmp")]:
        raise Failed(f"left behind: {', '.join(stray)}")


@contextmanager
def _disk(stage: Stage, what: Strike, folder: Path) -> Iterator[None]:
    """The folder as the command finds it; on a disk of its own that is nearly full, if that is the fault."""
    if what.kind != "small disk":
        _copy(stage.start, folder)
        yield
        return
    folder.mkdir()
    before, after = _pages(stage.start), _pages(stage.finished)
    size = (before + max(1, round(what.at * (after - before)))) * 4096
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "lsgnn-faults", str(folder)], check=True)
    try:
        shutil.copytree(stage.start, folder, dirs_exist_ok=True)
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def _pages(folder: Path) -> int:
    """Of a disk in memory: what files take, in pages."""
    return 1 + sum(-(-file.stat().st_size // 4096) for file in folder.rglob("*") if file.is_file())


def _give_to_nobody(place: Path) -> None:
    if os.getuid() == 0:
        for folder, _, files in os.walk(place):
            os.chown(folder, NOBODY, NOBODY)
            for file in files:
                os.chown(Path(folder) / file, NOBODY, NOBODY)


def _words(scene: Scene, words: str = "") -> list[str]:
    return [scene.program, *(words or scene.words).split()]


def _well(scene: Scene, ended: Ended) -> None:
    if ended.code != 0 or "Traceback" in ended.err:
        raise Failed(f"{scene.name} failed without a fault, exit code {ended.code}: {ended.err[-3000:]}")


def _copy(source: Path, to: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, to)
    else:
        shutil.copy2(source, to)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
