"""What we save ourselves, changed by somebody who also changed the digests: an error, or a run that can be used."""

import json
import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsgnn import LSGNNConfig, Run
from lsgnn.cli.given_settings import load_preset
from lsgnn.digests import write_digests
from lsgnn.runs.checkpoint import CONTENT
from tests.fuzz.cases import cases, mutated, mutations
from tests.out_of_core.damage import outcome
from tests.trained import small_run


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("saved") / "run"
    small_run(epochs=2, K=2).save(folder)
    return {name: (folder / name).read_bytes() for name in CONTENT}


@pytest.mark.filterwarnings("ignore")
@cases(60)
@given(name=st.sampled_from(CONTENT), changes=mutations, sealed=st.booleans())
def test_a_changed_run_is_refused_or_predicts(
    saved: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory, name: str, changes: Any, sealed: bool
) -> None:
    folder = tmp_path_factory.getbasetemp() / "changed"
    folder.mkdir(exist_ok=True)
    for other, content in saved.items():
        (folder / other).write_bytes(content)
    write_digests(folder, CONTENT)
    content = mutated(saved[name], changes)
    (folder / name).write_bytes(content)
    if sealed:
        write_digests(folder, CONTENT)
    run = outcome(Run.load, folder)
    if isinstance(run, Run):
        assert sealed or content == saved[name]  # nothing is changed in silence
        assert len(run.predict()) == run.graph.num_nodes
    else:
        assert len(str(run).splitlines()) == 1


PRESET = b'epochs = 4\nK = 2\nbeta = 0.5\nhidden_channels = 4\ndirection = "out"\nsimilarity = "cosine"\n'


@cases(60)
@given(changes=mutations)
def test_a_changed_preset_is_refused_or_within_its_ranges(
    tmp_path_factory: pytest.TempPathFactory, changes: Any
) -> None:
    file = tmp_path_factory.getbasetemp() / "changed.toml"
    file.write_bytes(mutated(PRESET, changes))
    config = outcome(load_preset, file)
    if isinstance(config, LSGNNConfig):
        assert config.from_dict(config.to_dict()) == config
        assert tomllib.loads(config.to_toml())
        json.dumps(config.to_dict(), allow_nan=False)
