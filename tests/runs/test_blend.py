"""An ensemble of several models: shares, new nodes, and what happens where some models are tied to their graph."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import softmax

import lsgnn
from lsgnn import InputError, zoo
from lsgnn.runs.blend import Blend, BoardRow, Part
from tests.graphs import two_blocks

GRAPH = two_blocks()
SPLIT = lsgnn.stratified_splits(GRAPH.y)[0]


def part(model: str, share: float, **settings) -> Part:  # type: ignore[no-untyped-def]
    config = zoo.get(model).config(epochs=5, **settings)
    return Part(model, config, lsgnn.fit(GRAPH, config, model=model, split=SPLIT).trained, share)


def blend(*parts: Part) -> Blend:
    members = tuple(one.trained for one in parts)
    about = dict(seconds={}, environment={}, notes=())
    return Blend(graph=GRAPH, config=parts[0].config, split=SPLIT, members=members, parts=parts, **about)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def mlp() -> Part:
    return part("mlp", 0.75, hidden_channels=8)


@pytest.fixture(scope="module")
def glognn() -> Part:
    return part("glognn", 0.25, hidden_channels=4, delta=0.5)


def test_probabilities_are_mixed_by_their_shares(mlp: Part, glognn: Part) -> None:
    alone = [softmax(blend(replace(one, share=1.0)).logits, axis=1) for one in (mlp, glognn)]
    mixed = softmax(blend(mlp, glognn).logits, axis=1)
    np.testing.assert_allclose(mixed, 0.75 * alone[0] + 0.25 * alone[1], rtol=1e-5)


def test_new_nodes_are_left_to_models_that_are_not_tied(mlp: Part, glognn: Part) -> None:
    new = GRAPH.x[:1], [(80, 0)]
    together, alone = (blend(*parts).predict_new(*new, calibrated=False) for parts in ((mlp, glognn), (mlp,)))
    np.testing.assert_allclose(together.probabilities, alone.probabilities, rtol=1e-6)
    spare = blend(replace(glognn, share=1.0), replace(mlp, share=0.0))
    np.testing.assert_allclose(spare.predict_new(*new, calibrated=False).probabilities.sum(), 1, rtol=1e-6)
    np.testing.assert_allclose(
        spare.logits, blend(replace(glognn, share=1.0)).logits
    )  # its own nodes are GloGNN's alone
    with pytest.raises(InputError, match="each of the 1 models of this ensemble keeps parameters of each node"):
        blend(glognn).predict_new(*new)


def test_an_embedding_of_links_takes_part_where_new_nodes_are_attached(mlp: Part) -> None:
    links = part("linkx", 0.25, hidden_channels=4)
    new = GRAPH.x[:1], [(80, 0)]
    both = [blend(replace(one, share=1.0)).predict_new(*new, calibrated=False).probabilities for one in (mlp, links)]
    mixed = blend(mlp, links).predict_new(*new, calibrated=False).probabilities
    np.testing.assert_allclose(mixed, 0.75 * both[0] + 0.25 * both[1], rtol=1e-5)


def test_what_only_one_model_can_do_is_refused_in_words(mlp: Part) -> None:
    with pytest.raises(InputError, match="Auto cannot"):
        blend(mlp).explain(0)


def test_a_damaged_board_is_no_board() -> None:
    row = dict(model="mlp", title="MLP", configuration={}, val=1, seeds=1, trials=1, share=0.5, seconds=1.0)
    assert BoardRow.of(row).val == 1.0
    for wrong in ({"share": -1}, {"model": 3}, {"configuration": []}, {"seconds": None}):
        with pytest.raises((TypeError, ValueError)):
            BoardRow.of(row | wrong)
