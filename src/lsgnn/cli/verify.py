"""`lsgnn verify`: is every file of a store or of a run as it was written?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from lsgnn.cli import options
from lsgnn.cli.show import answer, answer_json, progress
from lsgnn.errors import InputError

MEGABYTE = 10**6


def verify(
    path: Annotated[Path, typer.Argument(help="Folder that `lsgnn precompute --out` or `lsgnn fit --out` wrote.")],
    json: options.Json = False,
) -> None:
    """Read every file of a store or of a run and compare it with the digest that was recorded when it was written.

    The first damaged file is named, and the exit code is 2. Other commands verify what they open by themselves; this
    one looks at all of it, for example after a copy.
    """
    from lsgnn.out_of_core.manifest import is_store

    found = verify_store(path) if is_store(path) else verify_run(path)
    if json:
        answer_json({"path": str(path)} | found)
    else:
        answer(f"{path}: all {found['files']} files of the {found['kind']} are as they were written")


def verify_store(folder: Path) -> dict[str, Any]:
    from lsgnn.out_of_core.store import Store

    store = Store(folder)
    size, done = store.num_bytes, 0
    with progress(f"verifying {folder}, MB", -(-size // MEGABYTE)) as step:

        def on_bytes(count: int) -> None:
            nonlocal done
            done += count
            step(completed=done // MEGABYTE)

        files = store.verify(on_bytes)
    return {"kind": "store", "files": files, "bytes": size}


def verify_run(folder: Path) -> dict[str, Any]:
    """Runs are small, and loading one verifies it."""
    from lsgnn.out_of_core.stored_run import StoredRun
    from lsgnn.out_of_core.stored_run_files import FILES as FILES_ON_STORE
    from lsgnn.out_of_core.stored_run_files import is_stored_run
    from lsgnn.runs.checkpoint import FILES
    from lsgnn.runs.run import Run

    if is_stored_run(folder):
        StoredRun.load(folder)
        return {"kind": "run", "files": len(FILES_ON_STORE)}
    if not any((folder.expanduser() / name).exists() for name in FILES):
        raise InputError(
            f"{folder} is neither a store nor a run: pass a folder that `lsgnn precompute --out` or `lsgnn fit --out` "
            "wrote"
        )
    Run.load(folder)
    return {"kind": "run", "files": len(FILES)}
