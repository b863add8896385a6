"""The application in this process: answers, errors as sentences, limits, tokens."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsgnn import Run
from tests.fuzz.cases import cases
from tests.serving.clients import ask, body, features, new_node

pytest.importorskip("fastapi", reason="the extra [serve] is not installed")
from lsgnn.serving.app import create_app
from lsgnn.serving.limits import Limits

SMALL = Limits(body=20_000, nodes=5)


@pytest.fixture(scope="module")
def app(saved: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    return create_app(saved, journal=tmp_path_factory.mktemp("app") / "j", limits=SMALL)


def test_known_and_new_nodes_get_the_answers_of_the_run(app: Any, saved: Path) -> None:
    run = Run.load(saved)
    known = ask(app, "/predict", {"ids": ["page7"]}).json()["predictions"][0]
    assert known["prediction"] == run.predict().labels[7]
    assert known["probabilities"] == dict(zip(("cat", "dog"), run.predict().probabilities[7].tolist(), strict=True))
    answer = ask(app, "/predict/new", body(new_node("u", "page3"))).json()
    expected = run.predict_new([list(features().values())], [("u", "page3")], ["u"])
    (found,) = answer["predictions"]
    np.testing.assert_allclose(list(found["probabilities"].values()), expected.probabilities[0], atol=1e-6)
    assert (found["id"], found["prediction"]) == ("u", expected.labels[0])
    assert answer["kept"] == 0


def test_a_node_needs_no_id_and_its_own_end_of_an_edge_goes_without_saying(app: Any) -> None:
    node = {"features": list(features().values()), "edges": [{"target": "page3"}, {"source": "page4"}]}
    answer = ask(app, "/predict/new", {"nodes": [node, node]})
    assert [row["id"] for row in answer.json()["predictions"]] == ["new-0", "new-1"]
    assert ask(app, "/predict/new", {"nodes": [node], "persist": True}).status_code == 422


def test_a_kept_node_can_be_asked_for_and_attached_to(app: Any) -> None:
    first = ask(app, "/predict/new", body(new_node("kept", "page3"), persist=True)).json()
    assert first["kept"] == 1
    assert ask(app, "/predict", {"ids": ["kept"]}).json()["predictions"] == first["predictions"]
    assert ask(app, "/predict/new", body(new_node("u", "kept"))).status_code == 200
    conflict = ask(app, "/predict/new", body(new_node("kept", "page4"), persist=True))
    assert (conflict.status_code, "with other content" in conflict.json()["error"]) == (409, True)
    later = ask(app, "/explain", {"id": "kept"})
    assert "came after the run was trained" in later.json()["error"]


def test_explanations_are_those_of_the_run(app: Any, saved: Path) -> None:
    answer = ask(app, "/explain", {"id": "page3"}).json()
    expected = Run.load(saved).explain("page3").to_dict()
    assert answer["neighbours"] == expected["neighbours"]
    assert answer["prediction"] == expected["prediction"]


def test_the_other_addresses(app: Any) -> None:
    assert ask(app, "/health").json()["status"] == "ok"
    model = ask(app, "/model").json()
    assert model["classes"] == ["cat", "dog"]
    assert ask(app, "/predict/new", model["example"]).status_code == 200
    metrics = ask(app, "/metrics").text
    assert 'lsgnn_requests_total{path="/health",status="200"}' in metrics
    assert "/predict/new" in ask(app, "/openapi.json").json()["paths"]


@pytest.mark.parametrize("path", ["/", "/docs"])
def test_pages_load_nothing_from_anywhere(app: Any, path: str) -> None:
    answer = ask(app, path)
    assert answer.status_code == 200
    assert "http://" not in answer.text
    assert "https://" not in answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]


@pytest.mark.parametrize(
    ("path", "sent", "status", "message"),
    [
        ("/predict", b"{", 422, "the request is no JSON"),
        ("/predict", b"[" * 100_00, 400, "no JSON that can be read"),
        ("/predict", b'{"ids": [' + b"9" * 5000 + b"]}", 400, "no JSON that can be read"),
        ("/predict", b'{"ids": []}', 422, "ids is [], but"),
        ("/predict", b'{"ids": [1.5]}', 422, "ids[0] is 1.5, but it should be a whole number or text"),
        ("/predict", b'{"ids": ["\\ud800"]}', 422, "ids[0] is '\\ud800', but it should be"),
        ("/predict", b'{"id": ["page1"]}', 422, "ids is missing: add it"),
        ("/predict", b'{"ids": ["page1"], "treshold": 1}', 422, "treshold is no field here"),
        ("/predict", b'{"ids": ["page1"], "threshold": 2}', 422, "threshold is 2, but it should be less than or equal"),
        ("/predict", b'{"ids": ["pge1"]}', 422, "two-blocks has no node 'pge1': did you mean 'page1'"),
        ("/predict", b'{"ids": [1, 2, 3, 4, 5, 6]}', 413, "there are 6 nodes in the request, but 5 at most"),
        ("/predict/new", b'{"nodes": [{"features": 3}]}', 422, "nodes[0].features is 3, but it should be an object"),
        ("/predict/new", b'{"nodes": [{"features": {"f0": NaN}}]}', 422, "feature 'f0' of node 'new-0' is nan"),
        ("/explain", b'{"id": "page1", "member": 7}', 422, "member 7 does not exist: the run has members 0..0"),
        ("/nowhere", b"{}", 404, "there is no '/nowhere' here"),
        ("/health", b"{}", 405, "POST cannot be asked of '/health'"),
        ("/predict", b" " * 20_001, 413, "the request is larger than 20 KB"),
    ],
)
def test_what_is_wrong_is_one_sentence(app: Any, path: str, sent: bytes, status: int, message: str) -> None:
    answer = ask(app, path, content=sent)
    assert (answer.status_code, list(answer.json())) == (status, ["error"])
    assert message in answer.json()["error"]


def test_a_body_without_a_length_is_counted(app: Any) -> None:
    async def chunks() -> Any:
        for _ in range(30):
            yield b" " * 1000

    assert ask(app, "/predict", content=chunks()).status_code == 413


def test_what_is_not_called_json_is_not_read(app: Any) -> None:
    """A page in a browser can send text to this machine without asking, but not JSON."""
    assert ask(app, "/predict", {"ids": [1]}, headers={"Content-Type": "text/plain"}).status_code == 415


def test_a_token_is_asked_for_everywhere_but_where_nothing_is_told(saved: Path, tmp_path: Path) -> None:
    app = create_app(saved, journal=tmp_path / "j", token="secret")
    right, wrong = ({"Authorization": f"Bearer {token}"} for token in ("secret", "secrets"))
    document = {"ids": ["page1"]}
    assert ask(app, "/predict", document, headers=right).status_code == 200
    for headers in (wrong, {}, {"Authorization": "secret"}, {"Authorization": b"Bearer \xff"}):
        answer = ask(app, "/predict", document, headers=headers)
        assert answer.status_code == 401
        assert "the token is missing or wrong" in answer.json()["error"]
    assert ask(app, "/model").status_code == ask(app, "/metrics").status_code == 401
    assert ask(app, "/health").status_code == ask(app, "/").status_code == ask(app, "/docs").status_code == 200


def test_a_server_on_loopback_answers_to_no_other_name(saved: Path, tmp_path: Path) -> None:
    app = create_app(saved, journal=tmp_path / "j", hosts=("127.0.0.1", "localhost"))
    assert ask(app, "/health", headers={"Host": "localhost:8000"}).status_code == 200
    assert ask(app, "/health", headers={"Host": "evil.example"}).status_code == 421


def test_an_error_inside_tells_nothing_about_the_inside(app: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> None:
        raise RuntimeError("/secret/place/of/the/run")

    monkeypatch.setattr("lsgnn.serving.service.read_incoming", broken)
    answer = ask(app, "/predict/new", body(new_node("u")))
    assert answer.status_code == 500
    assert "secret" not in answer.text
    assert "Traceback" not in answer.text


def test_a_full_disk_is_told_and_predictions_go_on(saved: Path, tmp_path: Path) -> None:
    app = create_app(saved, journal=tmp_path / "no such folder" / "j")
    answer = ask(app, "/predict/new", body(new_node("u"), persist=True))
    assert answer.status_code == 503
    assert "nothing of this request was kept" in answer.json()["error"]
    assert str(tmp_path) not in answer.text
    assert ask(app, "/predict/new", body(new_node("u"))).status_code == 200


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
ids = st.sampled_from(["page1", "page2", "u", 7, "\ud800", ""]) | json_values
edges = st.fixed_dictionaries({}, optional={"source": ids, "target": ids, "weight": st.floats() | json_values})
values = st.fixed_dictionaries({f"f{j}": st.floats() | json_values for j in range(6)}) | json_values
nodes = st.fixed_dictionaries(
    {"features": values}, optional={"id": ids, "edges": st.lists(edges, max_size=3), "label": json_values}
)
requests = st.fixed_dictionaries(
    {"nodes": st.lists(nodes, max_size=3)}, optional={"persist": st.booleans(), "threshold": json_values}
)


@cases(100)
@given(st.sampled_from(["/predict", "/predict/new", "/explain"]), requests | json_values)
def test_no_json_whatsoever_makes_the_server_fail(app: Any, path: str, document: Any) -> None:
    answer = ask(app, path, content=json.dumps(document).encode())
    assert answer.status_code < 500, answer.text
    if answer.status_code != 200:
        assert list(answer.json()) == ["error"]


@cases(50)
@given(st.binary(max_size=200))
def test_no_bytes_whatsoever_make_the_server_fail(app: Any, sent: bytes) -> None:
    assert ask(app, "/predict/new", content=sent).status_code in (400, 422)
