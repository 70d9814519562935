"""Clients that lie, stall or do not read: they harm nobody but themselves."""

import json
import socket
import struct
from contextlib import suppress

import pytest
from websockets.exceptions import ConnectionClosed

from molt_bench.plugins.live.moltpoker import socket as dialogue
from tests.serve.clients import ProtocolClient, SdkClient, opened, read_to_end, register_and_join, request
from tests.serve.moltpoker.table import TOKENS, a_lobby, serving, until
from tests.serve.moltpoker.test_dialogue import act, next_of


@pytest.mark.parametrize(
    "token",
    ["", "x", "mps_", "mps_zzzz", "mps_0000" + "0" * 64, "mps_ffff" + "0" * 64, "mps_-001" + "0" * 64, "\u2603" * 50],
)
@pytest.mark.parametrize("agent_format", [False, True])
def test_a_wrong_session_is_refused_in_the_clients_format(hostile_table, token, agent_format):
    _, joined = register_and_join(hostile_table.url)
    with opened({**joined, "session_token": token}, agent_format=agent_format) as socket_:
        answer = json.loads(socket_.recv(60))
        assert answer.get("payload", answer)["code"] == "INVALID_SESSION"
        assert ("payload" in answer) is not agent_format
        assert read_to_end(socket_) == ([], 1008)


@pytest.fixture(scope="module")
def hostile_table():
    with serving(a_lobby(slots=200)) as table:
        yield table


HOSTILE = [
    "",
    "\0",
    "{",
    "[" * 60_000,
    '"\\ud800"',
    "1e999",
    "null",
    '{"type":"action","action":{"turn_token":"' + "x" * 60_000 + '","kind":"fold"}}',
    '{"type":"action","action":{"turn_token":"\\ud83d","kind":"fold"}}',
    '{"type":"action","action":{"turn_token":{"$gt":""},"kind":"fold"}}',
    '{"type":"ping","payload":{"timestamp":1e308}}',
    '{"type":"__proto__"}',
    b"\xff\x00\xfe",
    b"\x80" * 60_000,
]


@pytest.mark.parametrize("said", HOSTILE)
def test_hostile_messages_get_an_error_and_the_game_goes_on(said):
    with serving(a_lobby()) as table:
        _, joined = register_and_join(table.url)
        with opened(joined) as socket_:
            table.play(hands=1)
            state = next_of(socket_, "game_state")
            socket_.send(said)
            assert next_of(socket_, "error")["code"] in ("VALIDATION_ERROR", "STALE_SEQ")
            act(socket_, state["turn_token"], "fold")
            assert next_of(socket_, "ack")["success"]
            table.join()
    assert table.faults() == []


@pytest.mark.parametrize("fragments", [1, 20])
def test_a_message_of_more_than_64_kib_ends_the_connection(fragments):
    with serving(a_lobby()) as table:
        _, joined = register_and_join(table.url)
        with opened(joined) as socket_:
            part = "x" * (70_000 // fragments)
            with suppress(ConnectionClosed):
                socket_.send([part] * fragments if fragments > 1 else part)
            assert read_to_end(socket_)[1] == 1009
        until(lambda: not table.box.present)


def test_actions_that_come_faster_than_the_game_looks_at_them_do_not_pile_up():
    with serving(a_lobby()) as table:
        _, joined = register_and_join(table.url)
        with opened(joined) as socket_:
            table.play(hands=1, max_retries=100)
            state = next_of(socket_, "game_state")
            for _ in range(60):
                socket_.send(
                    json.dumps(
                        {
                            "type": "action",
                            "action": {"turn_token": state["turn_token"], "kind": "raiseTo", "amount": 1},
                        }
                    )
                )
            codes = [next_of(socket_, "error")["code"] for _ in range(60)]
            act(socket_, state["turn_token"], "fold")
            assert next_of(socket_, "ack")["success"]
            table.join()
    assert {*codes} == {"INVALID_ACTION"}
    assert table.faults() == [("illegal", False)] * 60


def test_a_client_that_does_not_read_is_dropped_and_holds_up_nobody(monkeypatch):
    """Nothing more is sent to it, and others play on meanwhile."""
    with serving(a_lobby("live", "other")) as table:
        player = ProtocolClient(table.url)
        until(lambda: player.heard)
        _, joined = register_and_join(table.url_of("other"))
        monkeypatch.setattr(dialogue, "HEARTBEAT_S", 0.0)  # as many messages as fit through
        monkeypatch.setattr(dialogue, "SEND_S", 1.0)
        deaf = handshake(table.port, joined)
        until(lambda: table.lobby.invitations[1].slots[0].present)
        table.play("AB", "BA", close=False)
        until(lambda: not table.lobby.invitations[1].slots[0].present)
        table.join()
        table.lobby.close("the run is over")
        assert player.done() == 0
        deaf.close()
    assert table.faults(1) == table.faults(2) == []


def handshake(port, joined):
    """Open a socket that is never read: its buffers are small, so it is full soon."""
    raw = socket.socket()
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    raw.connect(("127.0.0.1", port))
    raw.sendall(
        f"GET /j/{TOKENS['other']}/v1/ws?token={joined['session_token']} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n".encode()
    )
    return raw


def test_a_connection_that_is_reset_leaves_nothing_behind():
    with serving(a_lobby()) as table:
        before = list(table.box._listeners)
        _, joined = register_and_join(table.url)
        for _ in range(5):
            with opened(joined) as socket_:
                until(lambda: table.box.present)
                socket_.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                socket_.socket.close()
        until(lambda: not table.box.present)
        assert table.box._listeners == before


def test_many_sockets_of_one_client_leave_one():
    with serving(a_lobby()) as table:
        _, joined = register_and_join(table.url)
        for _ in range(20):
            with opened(joined):
                pass
        with opened(joined) as last:
            until(lambda: table.box._present == 1)
            assert next_of(last, "table_status")["status"] == "waiting"


def test_other_sites_and_other_host_names_get_no_socket():
    with serving(a_lobby()) as table:
        _, joined = register_and_join(table.url)
        with pytest.raises(Exception, match="403"), opened(joined, origin="http://evil.example"):
            pass
        status, answer = request("GET", f"{table.url}/health", headers={"Host": "evil.example"})
        assert (status, answer["error"]["code"]) == (421, "WRONG_HOST")


def test_no_token_is_written_anywhere(capfd, caplog):
    caplog.set_level(0)
    with serving(a_lobby()) as table:
        player = SdkClient(table.url)
        table.play(hands=1)
        assert player.done() == 0
        with opened({**player.joined, "session_token": "wrong"}) as socket_:
            read_to_end(socket_)
    secrets = [player.key, player.joined["session_token"], TOKENS["live"]]
    ours = "".join(record.getMessage() for record in caplog.records if not record.name.startswith("websockets.client"))
    written = "".join(capfd.readouterr()) + ours
    assert [each for each in secrets if each in written] == []
