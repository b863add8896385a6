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
    if parser.parse_args().check:
        return int(bool(stale(contents)))
    write_stale(contents)
    return 0


def write_stale(contents: Mapping[Path, str]) -> list[Path]:
    """Writes the files whose content is another; returns them."""
    files = stale(contents)
    for file in files:
        write_text(file, contents[file])
    return files


def stale(contents: Mapping[Path, str]) -> list[Path]:
    return [file for file, content in contents.items() if not file.exists() or file.read_text("utf-8") != content]
