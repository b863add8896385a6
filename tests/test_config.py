import pytest

from lsgnn import InputError, LSGNNConfig


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"beta": 1.5}, "beta=1.5 is out of range: it must be between 0 and 1"),
        ({"K": 0}, "K=0 is out of range: it must be at least 1"),
        ({"dropout": 1.0}, "dropout=1.0 is out of range"),
        ({"lr": float("nan")}, "lr=nan is not a finite number"),
        ({"direction": "up"}, "direction='up' is not a choice: use one of 'auto', 'undirected', 'out', 'in', 'both'"),
        ({"K": 2.5}, "K=2.5 is of type float: it must be int"),
        ({"out_norm": 1}, "out_norm=1 is of type int: it must be bool"),
        ({"seed": -1}, "seed=-1 is out of range"),
    ],
)
def test_a_bad_setting_is_named_with_its_rule(settings: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message.replace("(", r"\(")):
        LSGNNConfig(**settings)


def test_an_unknown_setting_suggests_the_nearest() -> None:
    with pytest.raises(InputError, match="there is no setting 'gama': did you mean 'gamma'"):
        LSGNNConfig().replace(gama=0.5)


def test_settings_survive_toml_unchanged() -> None:
    import tomllib

    config = LSGNNConfig(lr=1e-5, direction="out", K=3, out_norm=False)
    assert LSGNNConfig.from_dict(tomllib.loads(config.to_toml())) == config


def test_a_result_from_before_a_setting_existed_keeps_its_name() -> None:
    config = LSGNNConfig()
    young = {name: config.to_dict()[name] for name in LSGNNConfig.YOUNGER}
    assert config.to_dict() == config.naming_settings | young
    for name, value in (("structure_features", "degrees"), ("reduce_norm", "batch")):
        assert config.replace(**{name: value}).naming_settings == config.naming_settings | {name: value}


def test_an_integer_will_do_for_a_float() -> None:
    assert isinstance(LSGNNConfig(beta=1).beta, float)


def test_free_text_survives_toml_unchanged() -> None:
    import tomllib

    from lsgnn import zoo

    config = zoo.get("geom_gcn").config(neighbourhood_file='😀\n"\\\x7f#')
    assert tomllib.loads(config.to_toml()) == config.to_dict()
