"""`MODEL.name=value` changes one model, `name=value` every one that has it, and a mistake is named."""

import pytest

from lsgnn.benchmark.changes import changes_by_model
from lsgnn.errors import InputError

MODELS = ("majority", "mlp", "gcn", "sgc")


def test_a_name_alone_is_for_every_model_that_has_it() -> None:
    assert changes_by_model(MODELS, {"K": 3}) == {"sgc": {"K": 3}}
    assert changes_by_model(("mlp", "gcn"), {"num_layers": 3}) == {"mlp": {"num_layers": 3}, "gcn": {"num_layers": 3}}


@pytest.mark.parametrize("changes", [{"lr": 0.1, "gcn.lr": 0.05}, {"gcn.lr": 0.05, "lr": 0.1}])
def test_what_names_the_model_counts_in_any_order(changes: dict[str, float]) -> None:
    assert changes_by_model(("mlp", "gcn"), changes) == {"mlp": {"lr": 0.1}, "gcn": {"lr": 0.05}}


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("gcm.lr", "there is no model 'gcm' in the zoo: did you mean .*'gcn'"),
        ("gat.lr", "'gat', which is not compared: add it to the models"),
        ("gcn.num_layer", "gcn does not have a hyperparameter 'num_layer': did you mean 'num_layers'"),
        ("gcn.K", "gcn does not have a hyperparameter 'K'"),
        ("num_layer", "none of the compared models has a hyperparameter 'num_layer': did you mean 'num_layers'"),
    ],
)
def test_unknown_names_are_one_sentence_with_the_nearest(name: str, words: str) -> None:
    with pytest.raises(InputError, match=words) as error:
        changes_by_model(MODELS, {name: 1})
    assert "\n" not in str(error.value)
