"""What is compiled ahead, by types alone, is what a training calls."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest

from lsgnn.train.fused import row_stages, train_cpu
from lsgnn.train.fused import variant as variants
from lsgnn.train.fused.epochs import run
from lsgnn.train.fused.variant import HALVES, Variant
from tests.train.fused.problems import make_problem


@pytest.mark.parametrize("path", ["narrow", "dense"])
@pytest.mark.parametrize("links", [False, True])
def test_a_training_compiles_nothing_but_its_variant(path: Any, links: bool) -> None:
    variant = Variant(path == "dense", links, 8)
    problem = make_problem(adjacency_embedding=links, epochs=2)
    variants.prepared(variant)
    assert all(map(variant.is_compiled, HALVES))
    entries = (run, row_stages.evaluate, row_stages.train_rows)
    before = [len(entry.overloads) for entry in entries]
    train_cpu(problem.pre, problem.y, problem.split, problem.config, problem.initial, path=path)
    assert [len(entry.overloads) for entry in entries] == before


def test_a_helper_that_fails_leaves_the_work_to_us(monkeypatch: pytest.MonkeyPatch) -> None:
    class Failed:
        def wait(self) -> int:
            return 1

    asked = []
    monkeypatch.setattr(Variant, "is_compiled", lambda self, half: False)
    monkeypatch.setattr(Variant, "is_missing", lambda self, half: True)
    monkeypatch.setattr(variants, "begin", lambda variant, halves: asked.append(halves) or Failed())
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    stages = variants._loaded.__wrapped__(Variant(False, False, 8))
    assert asked == [["rows"]]
    assert min(stages) > 0


def test_words_name_the_variant_to_the_helper(monkeypatch: pytest.MonkeyPatch) -> None:
    commands = []
    monkeypatch.setattr(subprocess, "Popen", lambda command, **_: commands.append(command))
    variants.begin(Variant(True, True, 8), ["rows"])
    assert commands[0][3:] == ["lsgnn.train.fused.variant", "dense", "--width", "8", "--links", "--half", "rows"]
