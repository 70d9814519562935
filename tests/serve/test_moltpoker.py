"""Runs through moltpoker's door: with clients that have the habits of the real ones, and with some that are hostile."""

import json
import shutil
import socket
import struct
import subprocess
import threading
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed

from molt_bench.plugins.live.moltpoker import socket as ours
from tests.serve.clients import (
    AutonomousClient,
    ProtocolClient,
    SdkClient,
    calls,
    opened,
    passive,
    read_to_end,
    register_and_join,
    request,
)
from tests.serve.tables import LONG_S, TOKENS, a_lobby, serving, until

#: Its own WebSocket says what Python's does not.
JAVASCRIPT = Path(__file__).with_name("moltpoker_client.mjs")
NODE = shutil.which("node")
CLIENTS = [SdkClient, ProtocolClient]
OVER = "the run is over"
TOO_LITTLE = {"kind": "raiseTo", "amount": 1}


def played(client, *games, choose=None, **options):
    """Play a run with a client; return the client at its end, and the table."""
    lobby = a_lobby()
    with serving(lobby) as table:
        player = client(table.url) if choose is None else client(table.url, choose)
        until(lambda: player.heard)
        table.play(*games, close=OVER, **options)
        assert player.done() == 0
        table.join()
    return player, table


@contextmanager
def seated(*, query="", lobby=None, **game):
    """Serve a run to a client that is played by hand; yields the table and its socket."""
    with serving(lobby or a_lobby()) as table:
        _, joined = register_and_join(table.url)
        with opened(joined, query=query) as socket_:
            if game:
                table.play(**game)
            yield table, socket_


def act(socket_, token, kind, amount=None, **more):
    action = {"turn_token": token, "kind": kind} | ({} if amount is None else {"amount": amount})
    socket_.send(json.dumps({"type": "action", "action": action, **more}))


def next_of(socket_, *kinds):
    """Return the next message of some types, without its envelope."""
    while True:
        message = json.loads(socket_.recv(60))
        if message["type"] in kinds:
            return message.get("payload", message)


def closed_with(socket_):
    """Return the code and the reason with which the server closes a connection."""
    read_to_end(socket_)
    return socket_.close_code, socket_.close_reason


def join(table, key):
    status, answer = request("POST", f"{table.url}/v1/tables/auto-join", {}, key=key)
    return status, answer.get("session_token") or answer["error"]["code"]


def states(client):
    """Return seq and token of all decisions that a client got."""
    return [(each["seq"], each["turn_token"]) for each in client.of("game_state")]


# Whole runs.


@pytest.mark.parametrize("client", CLIENTS)
def test_a_run_is_one_table_with_a_welcome_for_each_change_of_seats(client):
    before = threading.active_count()
    player, table = played(client, (1, "AB"), (2, "AB"), (3, "BA"), hands=4)
    assert threading.active_count() == before
    assert client is ProtocolClient or player.left == (200, {"success": True, "message": "Left the table"})
    assert [each.get("seat_id", each.get("seat")) for each in player.of("welcome")] == [0, 1]
    assert [table.faults(game) for game in (1, 2, 3)] == [[], [], []]
    hands = [each.get("handNumber", each.get("hand")) for each in player.of("hand_complete")]
    assert hands == list(range(1, 13))
    first, last = player.of("table_status")[0], player.of("table_status")[-1]
    assert (first["status"], last["status"], last["reason"]) == ("waiting", "ended", OVER)


@pytest.mark.parametrize("client", CLIENTS)
def test_the_messages_add_up_to_the_record(client):
    player, table = played(client, hands=10, bot="random")
    won = []
    for over in player.of("hand_complete"):
        mine, other = (each.get("winnings", each.get("won")) for each in over["results"])
        won.append((mine - other) // 2)
    assert won == list(table.records[1].hand_nets)
    assert len(player.of("ack")) == len({token for _, token in states(player)})


def test_clients_play_each_other_and_learn_no_names():
    with serving(a_lobby("live", "other")) as table:
        players = SdkClient(table.url), ProtocolClient(table.url_of("other"))
        table.play((1, "AB"), (2, "BA"), bot="other", close=OVER)
        assert [each.done() for each in players] == [0, 0]
        table.join()
    assert table.faults(1) == table.faults(2) == []
    assert all(player.of("game_state") for player in players)
    assert "The other one" not in json.dumps(players[0].heard)


@pytest.mark.skipif(NODE is None, reason="needs node")
def test_a_client_in_javascript_plays_a_run_with_a_cut_and_an_illegal_action():
    with serving(a_lobby()) as table:
        command = [NODE, "--no-warnings", "--experimental-websocket", str(JAVASCRIPT), table.url, "2", "4"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            until(lambda: not table.lobby.missing())
            table.play((1, "AB"), (2, "BA"), hands=3, close=OVER)
            said, _ = process.communicate(timeout=LONG_S)
        table.join()
    assert process.returncode == 0
    seen = json.loads(said)
    assert (seen["hands"], seen["connections"], seen["codes"]) == (6, 2, ["INVALID_ACTION"])
    assert seen["seats"] == [0, 0, 1]
    assert seen["left"] == {"success": True, "message": "Left the table"}
    assert table.faults(1) + table.faults(2) == [("illegal", False)]


def test_with_several_games_at_once_every_client_has_a_table_of_its_own():
    with serving(a_lobby(slots=2)) as table:
        players = [SdkClient(table.url) for _ in range(2)]
        until(lambda: all(each.heard for each in players))
        table.play((1, "AB"))
        table.play((2, "BA"))
        table.join()
        table.lobby.close(OVER)
        assert [each.done() for each in players] == [0, 0]
    assert len({each.joined["table_id"] for each in players}) == 2
    assert table.faults(1) == table.faults(2) == []


def test_a_connection_cut_in_the_middle_of_decisions_gets_the_same_decision_again():
    def cut(url):
        return SdkClient(url, cut=[1, 4, 5])

    player, table = played(cut, (1, "AB"), (2, "BA"), hands=3)
    assert player.connections == 4
    assert table.faults(1) == table.faults(2) == []
    decisions = states(player)
    assert len(decisions) - len(set(decisions)) == 3
    assert decisions[0] == decisions[1]


# Mistakes.


def test_an_illegal_action_counts_once_and_the_client_answers_again_by_itself():
    player, table = played(SdkClient, hands=1, choose=lambda state, at: TOO_LITTLE if at == 1 else calls(state))
    decisions = states(player)
    assert len(decisions) == len(set(decisions)) > 0, "the state is not sent again to such a client"
    assert table.faults() == [("illegal", False)] * len(decisions)


@pytest.mark.parametrize(
    ("client", "wrong", "fault", "code"),
    [
        (ProtocolClient, TOO_LITTLE, "illegal", "INVALID_ACTION"),
        (ProtocolClient, {"kind": "allin"}, "unparsable", "VALIDATION_ERROR"),
        (SdkClient, {"kind": "allin"}, "unparsable", "VALIDATION_ERROR"),
    ],
)
def test_a_client_that_waits_for_the_state_after_a_mistake_gets_it(client, wrong, fault, code):
    tries = []

    def choose(state, _):
        tries.append(1)
        legal = state.get("legalActions") or state.get("actions")
        return wrong if len(tries) == 1 else {"kind": passive([each["kind"] for each in legal])}

    player, table = played(client, hands=1, choose=choose)
    assert states(player)[0] == states(player)[1]
    assert table.faults() == [(fault, False)]
    error = player.of("error")[0]
    assert error["code"] == code
    assert "Legal now: fold, call" in error["message"]


def test_a_client_that_never_answers_is_folded_and_stays_connected():
    game = {"hands": 1, "max_retries": 1, "close": OVER}
    with seated(lobby=a_lobby(action_timeout_s=0.5), **game) as (table, socket_):
        table.join()
        heard = [each["type"] for each in read_to_end(socket_)[0]]
    assert table.faults() == [("timeout", False), ("timeout", True)]
    assert heard[-1] == "table_status"
    assert heard.count("game_state") == 2, "after a timeout the state comes again"


def test_a_repeated_action_is_acknowledged_and_what_is_not_for_the_open_decision_is_refused_and_no_fault():
    with seated() as (table, socket_):
        act(socket_, "none", "call")
        assert next_of(socket_, "error")["code"] == "STALE_SEQ"
        table.play(hands=2, close=OVER)
        state = next_of(socket_, "game_state")
        token, seq = state["turn_token"], state["seq"]
        act(socket_, "wrong", "call")
        assert next_of(socket_, "error")["code"] == "STALE_SEQ"
        for _ in range(2):
            act(socket_, token, "call", expected_seq=seq)
            assert next_of(socket_, "ack", "error")["turn_token"] == token
        act(socket_, token, "fold")
        assert next_of(socket_, "ack", "error")["code"] == "STALE_SEQ"
        table.play_on()
        table.join()
    assert table.faults() == []


# What is lost.


def test_heartbeats_and_one_repeat_bring_a_client_through_that_loses_messages(monkeypatch):
    monkeypatch.setattr(ours, "HEARTBEAT_S", 0.2)
    monkeypatch.setattr(ours, "AGAIN_S", 0.4)
    with serving(a_lobby()) as table:
        player = AutonomousClient(table.url, left_behind=2)
        until(lambda: player.swallowed)
        table.play(hands=2, close=OVER)
        assert player.done() == 0
        table.join()
    assert table.faults() == []
    assert len(player.swallowed) == 2
    assert {each["status"] for each in player.of("table_status")} >= {"waiting", "running"}


@pytest.mark.parametrize(("query", "times"), [("&format=agent", 2), ("&format=agent&repeat=never", 1), ("", 1)])
def test_an_open_decision_is_repeated_once_to_agents_unless_they_said_no(monkeypatch, query, times):
    monkeypatch.setattr(ours, "HEARTBEAT_S", 0.02)
    monkeypatch.setattr(ours, "AGAIN_S", 0.05)
    with seated(query=query, hands=1) as (table, socket_):
        until(lambda: table.box.turn)
        heard = [json.loads(socket_.recv(60)) for _ in range(40)]
        tokens = [each.get("payload", each)["turn_token"] for each in heard if each["type"] == "game_state"]
        act(socket_, tokens[0], "fold")
        table.join()
    assert len(tokens) == times
    assert len(set(tokens)) == 1


def test_an_agent_that_wants_no_repeats_still_gets_the_state_after_a_refusal():
    with seated(query="&format=agent&repeat=never", hands=1) as (table, socket_):
        token = next_of(socket_, "game_state")["turn_token"]
        act(socket_, token, "check")
        assert next_of(socket_, "game_state", "hand_complete")["turn_token"] == token
        act(socket_, token, "fold")
        table.join()
    assert table.faults() == [("illegal", False)]


# Who has a place.


def test_the_newest_socket_of_a_place_wins_and_the_end_of_the_old_one_does_not_touch_it():
    with serving(a_lobby()) as table:
        _, joined = register_and_join(table.url)
        with opened(joined) as old, opened(joined) as new:
            assert next_of(old, "error")["code"] == "INVALID_SESSION"
            assert closed_with(old)[0] == 1008
            old.close()
            table.play(hands=1)
            act(new, next_of(new, "game_state")["turn_token"], "fold")
            assert next_of(new, "ack", "error")["success"]
            assert table.box.present
        until(lambda: not table.box.present)


def test_a_second_client_is_refused_while_the_first_is_connected_and_gets_its_place_then():
    with serving(a_lobby()) as table:
        _, first = register_and_join(table.url)
        with opened(first):
            until(lambda: table.box.present)
            _, agent = request("POST", f"{table.url}/v1/agents", {})
            assert join(table, agent["api_key"]) == (400, "TABLE_FULL")
        until(lambda: not table.box.present)
        assert join(table, agent["api_key"])[0] == 200


def test_key_and_session_are_valid_after_a_restart_of_the_server():
    with serving(a_lobby()) as table:
        key, joined = register_and_join(table.url)
    with serving(a_lobby(), table.port) as table:
        with opened(joined) as socket_:
            assert next_of(socket_, "table_status")["status"] == "waiting"
        until(lambda: not table.box.present)
        assert join(table, key) == (200, joined["session_token"])


def test_the_lobby_knows_who_came_and_who_was_told_the_end():
    with serving(a_lobby()) as table:
        assert table.lobby.missing()
        player = SdkClient(table.url)
        until(lambda: not table.lobby.missing())
        table.lobby.close("nothing to play")
        assert player.done() == 0
        until(table.lobby.all_told)


def test_a_client_that_comes_after_the_end_is_told_so():
    with serving(a_lobby()) as table:
        key, joined = register_and_join(table.url)
        table.lobby.close(OVER)
        with opened(joined) as socket_:
            assert next_of(socket_, "table_status") == {"status": "ended", "reason": OVER}
            assert closed_with(socket_) == (1000, "Table ended")
        assert join(table, key) == (400, "TABLE_ENDED")


# Clients that lie, stall or do not read: they harm no one but themselves.


@pytest.fixture(scope="module")
def hostile_table():
    with serving(a_lobby(slots=20)) as table:
        yield table


@pytest.mark.parametrize("token", ["", "x", "mpk_", "mpk_" + "0" * 64, "\u2603" * 50])
@pytest.mark.parametrize("agent_format", [False, True])
def test_a_wrong_session_is_refused_in_the_clients_format(hostile_table, token, agent_format):
    _, joined = register_and_join(hostile_table.url)
    with opened({**joined, "session_token": token}, agent_format=agent_format) as socket_:
        answer = json.loads(socket_.recv(60))
        assert answer.get("payload", answer)["code"] == "INVALID_SESSION"
        assert ("payload" in answer) is not agent_format
        assert read_to_end(socket_) == ([], 1008)


HOSTILE = [
    *("", "\0", "{", "[" * 60_000, '"\\ud800"', "1e999", "null", '{"type":"__proto__"}'),
    '{"type":"action","action":{"turn_token":"' + "x" * 60_000 + '","kind":"fold"}}',
    '{"type":"action","action":{"turn_token":"\\ud83d","kind":"fold"}}',
    '{"type":"action","action":{"turn_token":{"$gt":""},"kind":"fold"}}',
    '{"type":"ping","payload":{"timestamp":1e308}}',
    *(b"\xff\x00\xfe", b"\x80" * 60_000),
]


def test_hostile_messages_get_an_error_each_and_the_game_goes_on():
    with seated(hands=1) as (table, socket_):
        state = next_of(socket_, "game_state")
        for said in HOSTILE:
            socket_.send(said)
            assert next_of(socket_, "error")["code"] in ("VALIDATION_ERROR", "STALE_SEQ"), said
        act(socket_, state["turn_token"], "fold")
        assert next_of(socket_, "ack")["success"]
        table.join()
    assert table.faults() == []


@pytest.mark.parametrize("fragments", [1, 20])
def test_a_message_of_more_than_64_kib_ends_the_connection(fragments):
    with seated() as (table, socket_):
        part = "x" * (70_000 // fragments)
        with suppress(ConnectionClosed):
            socket_.send([part] * fragments if fragments > 1 else part)
        assert read_to_end(socket_)[1] == 1009
        until(lambda: not table.box.present)


def test_actions_that_come_faster_than_the_game_looks_at_them_are_taken_one_by_one():
    with seated(hands=1, max_retries=100) as (table, socket_):
        token = next_of(socket_, "game_state")["turn_token"]
        for _ in range(60):
            act(socket_, token, **TOO_LITTLE)
        assert {next_of(socket_, "error")["code"] for _ in range(60)} == {"INVALID_ACTION"}
        act(socket_, token, "fold")
        assert next_of(socket_, "ack")["success"]
        table.join()
    assert table.faults() == [("illegal", False)] * 60


def test_a_client_that_does_not_read_is_dropped_and_holds_up_no_one(monkeypatch):
    with serving(a_lobby("live", "other")) as table:
        other = table.lobby.invitations[1].slots[0]
        player = ProtocolClient(table.url)
        until(lambda: player.heard)
        _, joined = register_and_join(table.url_of("other"))
        monkeypatch.setattr(ours, "HEARTBEAT_S", 0.0)  # as many messages as fit through
        monkeypatch.setattr(ours, "SEND_S", 1.0)
        with deaf(table.port, joined):
            until(lambda: other.present)
            table.play((1, "AB"), (2, "BA"))
            until(lambda: not other.present)
            table.join()
        table.lobby.close(OVER)
        assert player.done() == 0
    assert table.faults(1) == table.faults(2) == []


@contextmanager
def deaf(port, joined):
    """Open a socket that is never read: its buffers are small, so it is full soon."""
    with socket.socket() as raw:
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        raw.connect(("127.0.0.1", port))
        raw.sendall(
            f"GET /j/{TOKENS['other']}/v1/ws?token={joined['session_token']} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n".encode()
        )
        yield


def test_connections_that_are_reset_or_replaced_leave_nothing_behind():
    with serving(a_lobby()) as table:
        before = list(table.box._listeners)
        _, joined = register_and_join(table.url)
        for at in range(10):
            with opened(joined) as socket_:
                if at % 2:
                    until(lambda: table.box.present)
                    socket_.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    socket_.socket.close()
        until(lambda: not table.box.present)
        assert table.box._listeners == before


def test_no_token_is_written_anywhere(capfd, caplog):
    caplog.set_level(0)
    player, table = played(SdkClient, hands=1)
    with serving(a_lobby(), table.port), opened({**player.joined, "session_token": "wrong"}) as socket_:
        read_to_end(socket_)
    secrets = [player.key, player.joined["session_token"], TOKENS["live"]]
    said = "".join(record.getMessage() for record in caplog.records if not record.name.startswith("websockets.client"))
    written = "".join(capfd.readouterr()) + said
    assert [each for each in secrets if each in written] == []
