"""moltpoker's REST: every answer is JSON, every mistake has its code, and no secret is told."""

import json

import pytest

from tests.serve.clients import opened, read_to_end, register_and_join, request
from tests.serve.tables import TOKENS, a_lobby, serving


@pytest.fixture(scope="module")
def table():
    with serving(a_lobby(slots=2, action_timeout_s=45)) as found:
        yield found


@pytest.fixture(scope="module")
def key(table):
    return request("POST", f"{table.url}/v1/agents", {"name": "x" * 50, "metadata": {"a": 1}})[1]["api_key"]


def test_registration_gives_a_key(table):
    status, answer = request("POST", f"{table.url}/v1/agents")
    assert status == 201
    assert (answer["agent_id"][:4], len(answer["agent_id"])) == ("agt_", 36)
    assert (answer["api_key"][:4], len(answer["api_key"])) == ("mpk_", 68)
    assert (answer["protocol_version"], answer["skill_doc_url"]) == ("0.1", f"{table.url}/skill.md")


def test_joining_answers_with_all_that_a_client_needs(table, key):
    status, joined = request("POST", f"{table.url}/v1/tables/auto-join", {"preferred_seat": 9}, key=key)
    assert status == 200
    assert joined == {
        "table_id": joined["table_id"],
        "seat_id": 0,
        "session_token": joined["session_token"],
        "ws_url": f"ws://127.0.0.1:{table.port}/j/{TOKENS['live']}/v1/ws",
        "protocol_version": "0.1",
        "min_supported_protocol_version": "0.1",
        "skill_doc_url": f"{table.url}/skill.md",
        "action_timeout_ms": 45_000,
    }
    assert request("POST", f"{table.url}/v1/tables/{joined['table_id']}/join", {}, key=key) == (200, joined)


def test_urls_have_the_host_name_that_the_client_used(table, key):
    here = table.url.replace("127.0.0.1", "localhost")
    _, joined = request("POST", f"{here}/v1/tables/auto-join", {}, key=key)
    assert joined["ws_url"] == f"ws://localhost:{table.port}/j/{TOKENS['live']}/v1/ws"


def test_the_bare_key_is_taken_too(table, key):
    assert request("POST", f"{table.url}/v1/tables/auto-join", {}, headers={"Authorization": key})[0] == 200


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/v1/tables/tbl_none/join", 404, "TABLE_NOT_FOUND"),
        ("/v1/tables/tbl_none/leave", 404, "TABLE_NOT_FOUND"),
        ("/v1/nothing", 404, "NOT_FOUND"),
        ("/v1/turn", 405, "METHOD_NOT_ALLOWED"),
        ("/v1/ws", 404, "NOT_FOUND"),
    ],
)
def test_mistakes_have_their_codes(table, key, path, status, code):
    answered, answer = request("POST", table.url + path, {}, key=key)
    assert (answered, answer["error"]["code"]) == (status, code)
    assert answer["error"]["message"]


@pytest.mark.parametrize(
    ("given", "code"),
    [
        (None, "UNAUTHORIZED"),
        ("", "UNAUTHORIZED"),
        ("mpk_", "INVALID_API_KEY"),
        ("mpk_" + "0" * 64, "INVALID_API_KEY"),
        ("x" * 5000, "INVALID_API_KEY"),
    ],
)
def test_wrong_keys_are_refused_and_not_repeated(table, given, code):
    status, answer = request("POST", f"{table.url}/v1/tables/auto-join", {}, key=given)
    assert (status, answer["error"]["code"]) == (401, code)
    assert not given or given not in json.dumps(answer)


def test_a_key_is_good_for_its_own_invitation_alone():
    with serving(a_lobby("live", "other")) as table:
        key, joined = register_and_join(table.url)
        foreign = request("POST", f"{table.url_of('other')}/v1/tables/auto-join", {}, key=key)
        assert foreign[1]["error"]["code"] == "INVALID_API_KEY"
        stolen = {**joined, "ws_url": joined["ws_url"].replace(TOKENS["live"], TOKENS["other"])}
        with opened(stolen) as socket_:
            assert json.loads(socket_.recv(60))["payload"]["code"] == "INVALID_SESSION"


def test_leaving_closes_the_socket_and_frees_the_table():
    with serving(a_lobby()) as table:
        key, joined = register_and_join(table.url)
        leave = f"{table.url}/v1/tables/{joined['table_id']}/leave"
        with opened(joined) as socket_:
            assert request("POST", leave, {}, key=key)[0] == 200
            heard, code = read_to_end(socket_)
            assert ([each["type"] for each in heard], code) == (["table_status"], 1000)
        _, other = register_and_join(table.url)
        assert other["table_id"] == joined["table_id"]
        table.lobby.close("the run is over")
        assert request("POST", leave, {}, key=key)[0] == 200


def test_an_unknown_invitation_is_refused_in_json(table):
    status, answer = request("GET", f"http://127.0.0.1:{table.port}/j/{'0' * 32}/v1/turn")
    assert (status, answer["error"]["code"]) == (404, "INVITATION_NOT_FOUND")


def test_a_mistake_of_ours_is_answered_in_json(table, monkeypatch):
    monkeypatch.setattr("molt_bench.plugins.live.moltpoker.sessions.agent_id", lambda *_: 1 / 0)
    status, answer = request("POST", f"{table.url}/v1/agents", {})
    assert (status, answer["error"]["code"]) == (500, "INTERNAL_ERROR")
