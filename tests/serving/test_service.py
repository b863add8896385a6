"""What a loaded run answers, and what it knows after others have kept nodes, after a restart, after training."""

from pathlib import Path

import numpy as np
import pytest

from lsgnn import InputError, Run
from lsgnn.serving.new_node import NewEdge, NewNode
from lsgnn.serving.questions import Answer, Conflict, KnownRequest, NewRequest
from lsgnn.serving.service import Service
from tests.serving.clients import features, new_node


def service(folder: Path) -> Service:
    return Service(Run.load(folder), folder / "journal.sqlite")


def only(answers: list[Answer | Exception]) -> Answer:
    (answer,) = answers
    if isinstance(answer, Exception):
        raise answer
    return answer


def keep(service: Service, *nodes: object) -> Answer:
    return only(service.answer([NewRequest(nodes, persist=True)]))  # type: ignore[arg-type]


def test_requests_that_wait_together_are_answered_each_for_itself(folder: Path) -> None:
    run, asked = Run.load(folder), service(folder)
    requests = [
        NewRequest([new_node("u", "page3"), new_node("v", "u", seed=2)]),
        KnownRequest(["page7", "page3"]),
        NewRequest([new_node("u", "page999")]),
        NewRequest([new_node("u", "page5", seed=3)]),
        KnownRequest(["nobody"]),
    ]
    first, known, wrong, last, stranger = asked.answer(requests)
    assert isinstance(first, Answer)
    assert isinstance(known, Answer)
    assert isinstance(last, Answer)
    assert isinstance(wrong, InputError)
    assert isinstance(stranger, InputError)
    rows = np.array([list(features(seed).values()) for seed in (1, 2, 3)])
    both = run.predict_new(rows[:2], [("u", "page3"), ("v", "u")], ["u", "v"])
    np.testing.assert_allclose(first.predictions.probabilities, both.probabilities, atol=1e-5)
    alone = run.predict_new(rows[2:], [("u", "page5")], ["u"])
    np.testing.assert_allclose(last.predictions.probabilities, alone.probabilities, atol=1e-5)
    np.testing.assert_array_equal(known.predictions.probabilities, run.predict().probabilities[[7, 3]])
    assert known.predictions.node_ids.tolist() == ["page7", "page3"]


def test_nodes_that_are_kept_at_the_same_time_do_not_shift_the_others(folder: Path) -> None:
    alone = only(service(folder).answer([NewRequest([new_node("u", "page3")])]))
    requests = [
        NewRequest([new_node("u", "page3")]),
        NewRequest([new_node("a", "page9", seed=2), new_node("b", "a", seed=3)], persist=True),
        NewRequest([new_node("u", "page3")]),
    ]
    first, kept, last = service(folder).answer(requests)
    for answer in (first, last):
        assert isinstance(answer, Answer)
        np.testing.assert_allclose(answer.predictions.probabilities, alone.predictions.probabilities, atol=1e-6)
    assert isinstance(kept, Answer)
    assert kept.kept == 2


def test_a_node_whose_weights_overflow_spoils_its_own_request_alone(folder: Path) -> None:
    twice = NewNode("u", features(), (NewEdge("u", "page3", 3e38), NewEdge("u", "page3", 3e38)))
    refused, answered = service(folder).answer([NewRequest([twice]), NewRequest([new_node("v", "page3")])])
    assert isinstance(refused, InputError)
    assert isinstance(answered, Answer)


def test_later_nodes_attach_to_kept_ones_and_a_restart_loses_nothing(folder: Path) -> None:
    before = service(folder)
    first = keep(before, new_node("u", "page3"), new_node("v", "u", seed=2))
    second = keep(before, new_node("w", "v", "page1", seed=3))
    assert (first.kept, second.kept, before.num_kept) == (2, 1, 3)
    later = only(before.answer([NewRequest([new_node("x", "w", "u", seed=4)])]))
    after = service(folder)
    assert after.num_kept == 3
    again = only(after.answer([NewRequest([new_node("x", "w", "u", seed=4)])]))
    np.testing.assert_allclose(again.predictions.probabilities, later.predictions.probabilities, atol=1e-6)
    known = only(after.answer([KnownRequest(["w", "page0", "u"])]))
    np.testing.assert_allclose(known.predictions.probabilities[0], second.predictions.probabilities[0], atol=1e-6)
    np.testing.assert_allclose(known.predictions.probabilities[2], first.predictions.probabilities[0], atol=1e-6)


def test_what_is_sent_again_is_accepted_once_and_other_content_is_a_conflict(folder: Path) -> None:
    asked = service(folder)
    first = keep(asked, new_node("u", "page3"))
    again = keep(asked, new_node("u", "page3"), new_node("v", "u"))
    assert again.kept == 1
    np.testing.assert_array_equal(again.predictions.probabilities[0], first.predictions.probabilities[0])
    with pytest.raises(Conflict, match="node 'u' is kept already, with other content"):
        keep(asked, new_node("u", "page4"))
    with pytest.raises(InputError, match="node 'page3' is in two-blocks already"):
        keep(asked, new_node("page3"))
    assert asked.num_kept == service(folder).num_kept == 2


def test_two_servers_see_each_others_nodes(folder: Path) -> None:
    left, right = service(folder), service(folder)
    keep(left, new_node("u", "page3"))
    keep(right, new_node("v", "u"))
    assert keep(left, new_node("v", "u")).kept == 0
    with pytest.raises(Conflict):
        keep(right, new_node("u", "page9"))
    answers = [only(one.answer([NewRequest([new_node("w", "v", "u")])])) for one in (left, right)]
    np.testing.assert_allclose(*(answer.predictions.probabilities for answer in answers), atol=1e-6)


def test_a_run_that_is_tied_to_its_nodes_answers_for_them_alone(tmp_path: Path) -> None:
    from tests.trained import small_run

    run = small_run(weights="free", epochs=2)
    asked = Service(run, tmp_path / "j")
    assert isinstance(asked.answer([KnownRequest([0])])[0], Answer)
    (refused,) = asked.answer([NewRequest([new_node("u")])])
    assert isinstance(refused, InputError)
    assert "cannot be applied to new nodes: train without it" in str(refused)


def test_a_threshold_of_the_request_decides(folder: Path) -> None:
    asked = service(folder)
    for threshold, label in ((0.0, 1), (1.0, 0)):
        said = only(asked.answer([NewRequest([new_node("u", "page3")], threshold=threshold)])).predictions
        positive = asked.run.positive
        assert said.predicted.tolist() == [positive if label else 1 - positive]
