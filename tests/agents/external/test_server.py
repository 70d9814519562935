"""A web server in a seat: whatever it does is counted by its kind, and its key is told to nobody."""

import asyncio
import json
import time

import pytest

from molt_bench import ConfigError, ParticipantSpec, make_agent, play_game, play_game_async
from molt_bench.arena.benchmark import run_benchmark
from tests.agents.external.mixes import GOOD, GOOD_TEXT, WRONG
from tests.agents.external.playing import faults, played
from tests.agents.external.server import Server
from tests.ports import deaf_port


def web(url, *, action_timeout_s=20.0, **settings):
    spec = ParticipantSpec(id="web", type="http", params={"url": url, **settings})
    return make_agent(spec, action_timeout_s=action_timeout_s)


def test_a_good_server_plays_without_a_fault():
    with Server() as server:
        record = played(web(server.url), hands=10)
        twin = play_game((make_agent("callstation"),) * 2, seed=1, hands=10)
    assert record.faults == ()
    assert record.net == twin.net
    said = [message["type"] for message in server.messages]
    assert said[0] == "hello"
    assert said[-1] == "bye"
    assert said.count("handResult") == 10
    assert len({message["game"] for message in server.messages}) == 1


def test_every_game_has_a_name_of_its_own():
    with Server() as server:
        agent = web(server.url)
        assert played(agent) == played(agent)
    assert len({message["game"] for message in server.messages}) == 2


@pytest.mark.parametrize(
    ("behaviour", "kind", "said"),
    [
        ("illegal", "illegal", ""),
        ("old-id", "unparsable", "id is not 1"),
        ("not-json", "unparsable", "no JSON"),
        ("wrong-hello", "unparsable", "missing required field `type`"),
        ("empty", "empty", "the answer is empty"),
        ("redirect", "transport", "answered 302, a redirect, which is not followed"),
        ("500", "transport", "answered 500"),
        ("404", "transport", "answered 404"),
        ("giant", "flood", "more than 64 KiB"),
        ("giant-chunked", "flood", "more than 64 KiB"),
        ("closes-mid-body", "transport", "no connection"),
        ("packed", "transport", "packed"),
        ("not-http", "transport", "no connection"),
    ],
)
def test_every_misbehaviour_is_counted_in_its_class(behaviour, kind, said):
    with Server(behaviour) as server:
        record = played(web(server.url), hands=1, max_retries=1)
    assert faults(record) == {kind: 2}
    assert said in record.faults[0].message
    if behaviour != "wrong-hello":
        asked = [message for message in server.messages if message["type"] == "observation"]
        assert [message["previousError"] is None for message in asked] == [True, False], "no retry but the game's"


@pytest.mark.parametrize("behaviour", ["not-json", "empty", "giant", "illegal", "old-id"])
def test_a_server_whose_answers_are_of_no_use_is_told_so(behaviour):
    with Server(behaviour) as server:
        played(web(server.url), hands=2, max_retries=1)
    said = [message["type"] for message in server.messages]
    assert (said.count("error"), said.count("handResult"), said.count("bye")) == (said.count("observation"), 2, 1)


@pytest.mark.parametrize("behaviour", ["never", "drips"])
def test_one_that_does_not_come_to_an_end_times_out(behaviour):
    with Server(behaviour) as server:
        start = time.perf_counter()
        record = played(web(server.url, action_timeout_s=0.3), hands=1)
    assert faults(record) == {"timeout": 1}
    assert record.faults[0].message == "no answer within 0.3 s"
    assert time.perf_counter() - start < 60


def test_a_slow_one_within_its_time_is_fine():
    with Server("slow") as server:
        assert played(web(server.url), hands=2).faults == ()


def test_a_server_that_is_not_there_is_no_connection():
    record = played(web(f"http://127.0.0.1:{deaf_port()}/"), hands=1)
    assert faults(record) == {"transport": 1}


def test_a_host_that_is_not_there_is_no_connection():
    assert faults(played(web("http://no-such-host.invalid/"), hands=1)) == {"transport": 1}


def test_one_that_does_not_take_notice_of_results_is_told_no_more():
    with Server("deaf") as server:
        record = played(web(server.url, action_timeout_s=3.0), hands=2)
    assert record.faults == ()
    assert [m["type"] for m in server.messages].count("handResult") == 2, "one each time it has answered again"


def test_the_key_goes_to_the_server_and_nowhere_else(monkeypatch):
    monkeypatch.setenv("WEB_KEY", "a-very-secret-key")
    for behaviour in ("key-in-kind", "not-json"):
        with Server(behaviour) as server:
            record = played(web(server.url, api_key_env="WEB_KEY"), hands=1)
        assert server.headers[0]["authorization"] == "Bearer a-very-secret-key"
        assert faults(record) == {"unparsable": 1}
        assert "very-secret" not in str(record)


def test_without_a_key_none_is_sent(monkeypatch, tmp_path):
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login me password secret")
    monkeypatch.setenv("NETRC", str(netrc))
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    with Server() as server:
        assert played(web(server.url), hands=1).faults == ()
    assert "authorization" not in server.headers[0]


def test_cancelling_a_game_hangs_up():
    async def cancelled(server):
        game = asyncio.ensure_future(play_game_async((web(server.url), make_agent("tight")), seed=1, hands=1000))
        await asyncio.sleep(0.2)
        game.cancel()
        with pytest.raises(asyncio.CancelledError):
            await game

    with Server("never") as server:
        asyncio.run(cancelled(server))


@pytest.mark.parametrize("kind", ["http:{}", "{}"])
def test_a_url_is_enough_in_a_config(kind):
    with Server() as server:
        config = {"participants": [kind.format(server.url), "tight"], "seeds": {"perMatch": 1}}
        config["game"] = {"handsPerGame": 2}
        config["stop"] = {"budget": {"maxMatches": 1}}
        result = run_benchmark(config)
    assert {rating.id for rating in result.leaderboard} == {server.url.removeprefix("http://"), "tight"}
    assert server.messages


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"url": "ftp://host/"}, "url"),
        ({"url": "http://"}, "url"),
        ({"url": "http://me:secret@host/"}, "url"),
        ({"url": "http://host:99999/"}, "url"),
        ({"url": "http://host/a b"}, "url"),
        ({"url": "http://host/", "api_key_env": "NOT_SET_ANYWHERE"}, "apiKeyEnv"),
        ({"url": "http://host/", "headers": {}}, "headers"),
        ({}, "url"),
    ],
)
def test_settings_that_cannot_work_are_config_errors(settings, field):
    with pytest.raises(ConfigError) as error:
        make_agent(ParticipantSpec(id="web", type="http", params=settings))
    assert error.value.field == field
    assert "secret" not in str(error.value)


def test_a_server_may_answer_with_a_mix():
    with Server(f'says "mix":{json.dumps(GOOD)}') as server:
        record = played(web(server.url), hands=1)
    assert record.faults == ()
    assert record.mixes[0].startswith(f"0:{GOOD_TEXT}")


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_mix_is_a_fault_of_its_kind_at_every_attempt(name):
    fields, kind, words = WRONG[name]
    with Server(f"says {fields}") as server:
        record = played(web(server.url), hands=1, max_retries=1)
    assert [(fault.kind, fault.attempt) for fault in record.faults] == [(kind, 1), (kind, 2)]
    assert all(words in fault.message for fault in record.faults)
    assert record.mixes == ()
