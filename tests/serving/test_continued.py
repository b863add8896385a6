"""A run trained again on what its server has kept."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lsgnn import Graph, InputError, Run, fit
from lsgnn.serving.continued import continued, grown
from lsgnn.serving.new_node import NewEdge, NewNode
from lsgnn.serving.questions import Answer, KnownRequest, NewRequest
from lsgnn.serving.service import Service
from tests.graphs import rare
from tests.serving.clients import features, new_node

KEPT = (
    NewNode("u", features(1), (NewEdge("u", "page3"), NewEdge("page4", "u")), "cat"),
    NewNode("v", features(2), (NewEdge("v", "u"),)),
)


def kept(folder: Path, run: Run, *nodes: NewNode) -> Path:
    journal = folder / "journal.sqlite"
    service = Service(run, journal)
    for node in nodes:
        (answer,) = service.answer([NewRequest([node], persist=True)])
        assert isinstance(answer, Answer), answer
    service.journal.close()
    return journal


def test_the_graph_grows_by_what_was_kept_and_labels_are_learned_from(saved: Path) -> None:
    run = Run.load(saved)
    graph, split = grown(run, KEPT)
    assert graph.node_ids.tolist()[-2:] == ["u", "v"]
    assert graph.y.tolist()[-2:] == [0, -1]
    assert {(80, 3), (4, 80), (81, 80)} == set(map(tuple, graph.edge_index.T.tolist())) - set(
        map(tuple, run.graph.edge_index.T.tolist())
    )
    np.testing.assert_allclose(graph.x[80], list(features(1).values()), rtol=1e-6)
    assert (graph.class_names, graph.feature_names) == (run.graph.class_names, run.graph.feature_names)
    assert (split.train[-2:].tolist(), split.val[-2:].any(), split.test[-2:].any()) == ([True, False], False, False)
    np.testing.assert_array_equal(split.test[:80], run.split.test)


def test_it_is_what_fit_gives_on_the_whole_with_the_same_configuration(folder: Path) -> None:
    run = Run.load(folder)
    again = continued(run, kept(folder, run, *KEPT))
    graph, split = grown(run, KEPT)
    expected = fit(graph, run.config, split=split)
    np.testing.assert_allclose(again.logits, expected.logits, atol=1e-6)
    assert again.config == run.config
    assert again.notes[0] == "trained again with 2 nodes that were kept, 1 of them labelled"


def test_saved_over_the_old_run_it_knows_its_nodes_and_the_server_goes_on(folder: Path) -> None:
    run = Run.load(folder)
    journal = kept(folder, run, *KEPT)
    continued(run, journal).save(folder)
    service = Service(Run.load(folder), journal)
    assert service.num_kept == 0
    assert isinstance(service.answer([KnownRequest(["u", "v"])])[0], Answer)
    (answer,) = service.answer([NewRequest([new_node("w", "v")], persist=True)])
    assert isinstance(answer, Answer)
    service.journal.close()
    assert Service(Run.load(folder), journal).num_kept == 1
    assert continued(Run.load(folder), journal).graph.num_nodes == 83


@pytest.mark.parametrize("rule", [{"cost": "10:1"}, {"threshold": 0.3}, {"threshold": "recall=0.8"}])
def test_the_rule_of_the_threshold_stays(tmp_path: Path, rule: dict[str, object]) -> None:
    settings = {"epochs": 3, "K": 1, "hidden_channels": 4, "direction": "out", "feature_norm": "standard"}
    run = fit(rare(n=200, share=0.3), engine="torch", ask_others=False, **settings, **rule)  # type: ignore[arg-type]
    node = NewNode("u", tuple(run.graph.x[0].tolist()), (NewEdge("u", 3),), "fraud")
    again = continued(run, kept(tmp_path, run, node))
    assert run.decision is not None
    assert again.decision is not None
    assert again.decision.rule == run.decision.rule
    assert again.metric == run.metric


def test_an_ensemble_of_models_is_trained_again_part_by_part(tmp_path: Path) -> None:
    from lsgnn.runs.blend import Blend, Part

    graph = rare(n=60, share=0.3)
    runs = [fit(graph, model=name, epochs=3, hidden_channels=4) for name in ("mlp", "gcn")]
    parts = tuple(
        Part(run.model, run.config, run.trained, share) for run, share in zip(runs, (0.75, 0.25), strict=True)
    )
    first = runs[0]
    blend = Blend(graph=graph, config=first.config, split=first.split, members=tuple(p.trained for p in parts),
                  seconds={}, environment={}, parts=parts)  # fmt: skip
    node = NewNode("u", tuple(graph.x[0].tolist()), (NewEdge("u", 3),), "fraud")
    again = continued(blend, kept(tmp_path, blend, node))
    assert isinstance(again, Blend)
    assert [part.share for part in again.parts] == [0.75, 0.25]
    assert again.predict().probabilities.shape == (61, 2)
    again.save(tmp_path / "again")
    np.testing.assert_allclose(Run.load(tmp_path / "again").logits, again.logits, atol=1e-6)


def test_ids_that_are_numbers_stay_numbers(tmp_path: Path) -> None:
    run = fit(rare(n=60, share=0.3), model="mlp", epochs=2, hidden_channels=4)
    node = NewNode(60, tuple(run.graph.x[0].tolist()), (NewEdge(60, 3),))
    assert continued(run, kept(tmp_path, run, node)).graph.node_ids.tolist() == list(range(61))


def test_without_anything_new_there_is_nothing_to_train(folder: Path) -> None:
    run = Run.load(folder)
    with pytest.raises(InputError, match="does not exist, so that there is nothing new"):
        continued(run, folder / "journal.sqlite")
    journal = kept(folder, run, *KEPT)
    with pytest.raises(InputError, match="holds no node that the run does not know"):
        continued(replace(run, graph=_named_like_kept(run.graph)), journal)


def _named_like_kept(graph: Graph) -> Graph:
    return replace(graph, node_ids=np.array(["u", "v", *graph.node_ids[2:].tolist()]))


def test_the_command_line_trains_again_and_refuses_what_it_would_ignore(lsgnn, folder: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    kept(folder, Run.load(folder), *KEPT)
    outcome = lsgnn("fit", "--continue", folder, "--out", tmp_path / "again")
    assert outcome.code == 0, outcome.err
    assert "trained again with 2 nodes that were kept" in outcome.err
    assert Run.load(tmp_path / "again").graph.num_nodes == 82
    assert "drop GRAPH" in lsgnn("fit", "fsbm", "--continue", folder).err
    assert "drop --members" in lsgnn("fit", "--continue", folder, "--members", 3).err
    assert "--journal is for a run that is trained again" in lsgnn("fit", "fsbm", "--journal", "j").err
