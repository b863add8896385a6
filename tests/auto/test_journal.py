"""The journal of a search: whose weights stay on disk."""

from pathlib import Path

import pytest

from lsgnn import InputError, stratified_splits, zoo
from lsgnn.auto import journal as module
from lsgnn.auto.journal import Journal
from lsgnn.auto.ranking import Trial, distinct, mean_score, ranked, unique
from lsgnn.auto.trial import Outcome, kept_logits
from tests.graphs import two_blocks

GRAPH = two_blocks()
SPLIT = stratified_splits(GRAPH.y)[0]


def trial(key: str, model: str, score: float, seed: int = 0) -> Trial:
    return Trial(model, zoo.get(model).config(seed=seed), Outcome(key, (score,), 1.0), "probe")


def test_weights_of_the_best_and_of_each_models_best_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KEEP", 2)
    journal = Journal(tmp_path / "j", GRAPH, [SPLIT], "accuracy", 1)
    trials = [trial("a", "gcn", 0.9), trial("b", "gcn", 0.8), trial("c", "mlp", 0.7), trial("d", "mlp", 0.6)]
    for one in trials:
        journal.file(one.outcome.key).touch()
    journal.keep_best(trials)
    assert [one.outcome.key for one in trials if journal.has(one)] == ["a", "b", "c"]


def test_what_is_added_is_known_and_damage_is_not(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j", GRAPH, [SPLIT], "accuracy", 1)
    journal.add(Outcome("k", (0.5, 0.25), 3.0, ""))
    assert journal.known("k") == Outcome("k", (0.5, 0.25), 3.0, "")
    assert journal.known("other") is None
    with (tmp_path / "j" / "trials.jsonl").open("a") as file:
        file.write('{"key": "k", "scores": "none"}\n')
    assert journal.known("k") is None  # and is computed again
    (tmp_path / "j" / "x.safetensors").write_bytes(b"no weights")
    with pytest.raises(InputError, match="is damaged"):
        kept_logits(tmp_path / "j" / "x.safetensors", 1)


def test_seeds_of_one_configuration_count_together_and_each_once() -> None:
    trials = [trial("a", "gcn", 0.5), trial("b", "gcn", 0.9, seed=1), trial("a", "gcn", 0.5), trial("c", "mlp", 0.6)]
    assert [t.outcome.key for t in unique(trials)] == ["a", "b", "c"]
    assert [t.outcome.key for t in ranked(trials, 1)][:2] == ["b", "c"]
    assert [t.model for t in distinct(ranked(trials, 1))] == ["gcn", "mlp"]
    assert mean_score(trials[0], trials, 1) == pytest.approx(0.7)
    assert ranked(trials, 2) == []
