"""The frame of the scripts that write files from results: `--check` writes nothing and exits with 1 if one is stale."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

from lsgnn.files import write_text


def regenerate(contents: Mapping[Path, str], description: str | None) -> int:
    """Writes each file, or only looks; the exit code."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--check", action="store_true", help="exit with 1 if a file is stale")
    check = parser.parse_args().check
    stale = [file for file, content in contents.items() if not file.exists() or file.read_text() != content]
    for file in stale if not check else ():
        write_text(file, contents[file])
    return int(check and bool(stale))
