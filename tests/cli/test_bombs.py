"""A few megabytes that unfold to gigabytes: one line and exit code 2, and the memory stays small."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.bombs import gzip_bomb, npy_header, npz_bomb

HUGE = 1200 << 20
SMALL = 400 << 20  # the command itself takes 100 MB
# the real entry point, and behind it the peak of its own memory (that of getrusage counts the parent's as well)
COMMAND = """
import sys
from lsgnn.cli.main import run
try:
    run()
finally:
    print(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).strip(), file=sys.stderr)
"""

pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak of memory is read from /proc")


@dataclass
class Outcome:
    code: int
    err: str
    peak: int


def lsgnn(*arguments: Any, **variables: str) -> Outcome:
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)} | variables
    words = [sys.executable, "-c", COMMAND, *map(str, arguments)]
    done = subprocess.run(words, env=env, capture_output=True, text=True, check=False)
    *lines, peak = done.stderr.splitlines()
    return Outcome(done.returncode, "\n".join(lines), int(peak.split()[1]) << 10)


def refused(done: Outcome, *parts: str) -> None:
    assert done.code == 2, done.err
    assert done.err.startswith("error: ")
    assert "\n" not in done.err
    for part in parts:
        assert part in done.err
    assert done.peak < SMALL


def test_an_npz_of_zeros_is_refused_by_the_sizes_it_declares(tmp_path: Path) -> None:
    bomb = npz_bomb(tmp_path / "bomb.npz", x_start=npy_header((HUGE // 8, 1)), zeros=HUGE)
    assert bomb.stat().st_size < 2e6
    size = "bomb.npz unfolds to 1.26 GB, but the limit for a file of 1.2"
    refused(lsgnn("diagnose", bomb), size, "is 1 GB: check where it comes from", "LSGNN_MAX_READ=2GB")


def test_the_limit_is_the_users(tmp_path: Path) -> None:
    bomb = npz_bomb(tmp_path / "bomb.npz", x_start=npy_header((32 << 17, 1)), zeros=32 << 20)
    refused(lsgnn("diagnose", bomb, LSGNN_MAX_READ="20MB"), "33.6 MB, but the limit is LSGNN_MAX_READ=20MB", "=34MB")
    assert "y has shape (3,)" in lsgnn("diagnose", bomb, LSGNN_MAX_READ="34MB").err  # it was read
    refused(lsgnn("diagnose", bomb, LSGNN_MAX_READ="much"), "LSGNN_MAX_READ 'much' is not a size: write a number and")


def test_a_gzipped_table_of_one_line_is_refused_while_its_header_is_read(tmp_path: Path) -> None:
    bomb = gzip_bomb(tmp_path / "bomb.csv.gz", b"", b"a", HUGE)
    refused(lsgnn("fit", "--edges", bomb), "bomb.csv.gz has no line of column names at its start")


def test_a_gzipped_table_of_many_rows_is_refused_before_they_are_kept(tmp_path: Path) -> None:
    bomb = gzip_bomb(tmp_path / "bomb.csv.gz", b"source,target\n", b"0,1\n", HUGE)
    done = lsgnn("fit", "--edges", bomb)
    refused(done, "bomb.csv.gz unfolds to more than 1 GB, but the limit for a file of", "LSGNN_MAX_READ=4GB")


def test_parquet_is_refused_by_the_rows_it_declares(tmp_path: Path) -> None:
    column = pa.array(np.zeros(1_000_000, np.int64))
    with pq.ParquetWriter(tmp_path / "bomb.parquet", pa.schema([("s", pa.int64()), ("t", pa.int64())])) as writer:
        for _ in range(70):
            writer.write_table(pa.table({"s": column, "t": column}))
    refused(lsgnn("fit", "--edges", tmp_path / "bomb.parquet"), "bomb.parquet unfolds to 1.12 GB, but the limit")


def test_a_long_text_that_parquet_stores_once_is_refused_where_it_stands_often(tmp_path: Path) -> None:
    texts = pa.DictionaryArray.from_arrays(pa.array(np.zeros(1200, np.int32)), pa.array(["x" * (1 << 20)]))
    table = pa.table({"source": texts, "target": np.zeros(1200)})
    pq.write_table(table, tmp_path / "bomb.parquet", store_schema=False, dictionary_pagesize_limit=1 << 30)
    assert (tmp_path / "bomb.parquet").stat().st_size < 1e6
    refused(lsgnn("fit", "--edges", tmp_path / "bomb.parquet"), "bomb.parquet unfolds to 1.26 GB, but the limit")


def test_a_table_of_countless_columns_is_refused(tmp_path: Path) -> None:
    header = ",".join(f"c{i}" for i in range(150_000))
    (tmp_path / "wide.csv").write_text(f"{header}\n{'1,' * 149_999}1\n")
    refused(lsgnn("fit", "--edges", tmp_path / "wide.csv"), "wide.csv has 150000 columns, which take 1.35 GB, but")
