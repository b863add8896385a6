"""Push and pull through a Hub that is a folder: no network."""

import shutil
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from lsgnn import InputError
from lsgnn.runs.hub import from_hub, model_card, push_to_hub
from tests.trained import small_run


class Unreachable(Exception):
    """Stands for what the library raises that talks HTTP for the Hub."""


class Refused(Unreachable):
    """Stands for what the Hub raises."""


@pytest.fixture
def hub(tmp_path, monkeypatch):
    """`huggingface_hub` as far as we use it; remembers how it was called."""
    calls = []

    class HfApi:
        def __init__(self, token=None):
            calls.append(("token", token))

        def create_repo(self, repo_id, *, private, exist_ok):
            if "/" not in repo_id:
                raise Refused(f"Repo id must be user/name.\n{repo_id}")
            calls.append(("create", repo_id, private, exist_ok))

        def upload_folder(self, *, repo_id, folder_path, commit_message):
            shutil.copytree(folder_path, tmp_path / "hub" / repo_id)

    def snapshot_download(repo_id, *, revision, token, allow_patterns):
        folder = tmp_path / "hub" / repo_id
        if repo_id == "no/network":
            raise Unreachable("Name or service not known")
        if not folder.is_dir():
            raise Refused("404 Client Error.")
        calls.append(("download", revision, sorted(allow_patterns)))
        return str(folder)

    errors = SimpleNamespace(HfHubHTTPError=Refused, HFValidationError=Refused, LocalEntryNotFoundError=Refused)
    fake = SimpleNamespace(HfApi=HfApi, snapshot_download=snapshot_download, errors=errors)
    monkeypatch.setitem(sys.modules, "huggingface_hub", fake)
    monkeypatch.setitem(sys.modules, "huggingface_hub.errors", errors)
    return SimpleNamespace(calls=calls, folder=tmp_path / "hub")


def test_what_is_pushed_can_be_pulled(hub):
    run = small_run()
    assert push_to_hub(run, "ann/cora") == "https://huggingface.co/ann/cora"
    again = from_hub("ann/cora", revision="abc")
    np.testing.assert_array_equal(again.logits, run.logits)
    assert hub.calls[1] == ("create", "ann/cora", True, True)  # private unless asked for
    assert hub.calls[-1][1] == "abc"
    assert "README.md" not in hub.calls[-1][2]
    assert "digests.json" in hub.calls[-1][2]


def test_a_file_that_changed_on_the_hub_is_refused(hub):
    push_to_hub(small_run(epochs=1), "ann/cora")
    (hub.folder / "ann/cora/config.toml").open("a").close()
    from_hub("ann/cora")
    with (hub.folder / "ann/cora/config.toml").open("a") as file:
        file.write("# a comment\n")
    with pytest.raises(InputError, match=r"config\.toml is damaged"):
        from_hub("ann/cora")


def test_the_card_tells_scores_and_use(hub):
    run = small_run()
    push_to_hub(run, "ann/cora", private=False)
    card = (hub.folder / "ann/cora/README.md").read_text()
    assert card == model_card(run, "ann/cora")
    assert card.startswith("---\nlibrary_name: lsgnn")
    assert f"| test_accuracy | {run.metrics['test_accuracy']:.4f} |" in card
    assert "from_hub('ann/cora')" in card


def test_what_the_hub_refuses_is_one_line(hub):
    with pytest.raises(InputError, match=r"the Hub did not take 'cora' \(Repo id must be user/name\): check name"):
        push_to_hub(small_run(epochs=1), "cora")
    with pytest.raises(InputError, match=r"cannot get 'ann/none' from the Hub \(404 Client Error\)"):
        from_hub("ann/none")
    with pytest.raises(InputError, match=r"cannot get 'no/network' from the Hub \(Name or service not known\)"):
        from_hub("no/network")


def test_the_extra_is_named_where_it_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(InputError, match=r"run pip install 'lsgnn\[hub\]'"):
        from_hub("ann/cora")


def test_the_names_we_use_exist_in_the_real_package():
    import inspect

    real = pytest.importorskip("huggingface_hub")
    from huggingface_hub import errors

    assert {"private", "exist_ok"} <= set(inspect.signature(real.HfApi.create_repo).parameters)
    assert {"repo_id", "folder_path", "commit_message"} <= set(inspect.signature(real.HfApi.upload_folder).parameters)
    download = inspect.signature(real.snapshot_download).parameters
    assert {"revision", "token", "allow_patterns"} <= set(download)
    for name in ("HfHubHTTPError", "HFValidationError", "LocalEntryNotFoundError"):
        assert issubclass(getattr(errors, name), Exception)
