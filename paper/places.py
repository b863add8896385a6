"""Where the repository keeps what the paper's tables are made from, and where they go."""

from __future__ import annotations

from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
RESULTS = REPOSITORY / "paper" / "results"  # raw results; its README.md says what is where
BENCHMARKS = REPOSITORY / "benchmarks" / "results"  # what the scripts in benchmarks/ measured
PAGES = REPOSITORY / "docs" / "results"  # tables and figures
