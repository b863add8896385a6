"""`lsgnn explain`."""

import json

import pytest

from lsgnn import InputError
from lsgnn.cli.explain import explain
from tests.cli.commands import call
from tests.trained import small_run


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("explain") / "run"
    small_run(members=2).save(folder)
    return folder


def test_people_get_text_and_programs_get_json(run):
    text = call(explain, run, "--node", 5)
    assert text.exit_code == 0
    assert text.stdout.startswith("node 5: ")
    document = json.loads(call(explain, run, "--node", 5, "--json").stdout)
    assert (document["node"], document["members"]) == (5, 2)
    assert json.loads(call(explain, run, "--node", 5, "--member", 1, "--json").stdout)["members"] == 1


def test_an_unknown_node_is_bad_input(run):
    result = call(explain, run, "--node", "555")
    assert isinstance(result.exception, InputError)
    assert "has no node '555'" in str(result.exception)
