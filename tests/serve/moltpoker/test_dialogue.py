"""Whole runs through moltpoker's door, with clients that have the habits of the real ones."""

import json
import threading

import pytest
from websockets.exceptions import ConnectionClosed

from molt_bench.plugins.live.lobby import Lobby
from molt_bench.plugins.live.moltpoker import socket as dialogue
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
from tests.serve.moltpoker.table import a_lobby, serving, until

CLIENTS = [SdkClient, ProtocolClient]


def states(client):
    """Return seq and token of all states that a client got."""
    return [(each["seq"], each["turn_token"]) for each in client.of("game_state") if "turn_token" in each]


@pytest.mark.parametrize("client", CLIENTS)
def test_a_run_is_one_table_with_a_welcome_for_each_change_of_seats(client):
    with serving(a_lobby()) as table:
        player = client(table.url)
        until(lambda: player.heard)
        table.play("AB", "AB", "BA", hands=4)
        assert player.done() == 0
        table.join()
    assert client is ProtocolClient or player.left == (200, {"success": True, "message": "Left the table"})
    assert [each.get("seat_id", each.get("seat")) for each in player.of("welcome")] == [0, 1]
    assert [table.faults(game) for game in (1, 2, 3)] == [[], [], []]
    hands = [each.get("handNumber", each.get("hand")) for each in player.of("hand_complete")]
    assert hands == list(range(1, 13))
    assert player.heard[0]["type"] == "table_status"
    assert player.of("table_status")[0]["status"] == "waiting"
    assert player.of("table_status")[-1] == {"status": "ended", "reason": "the run is over"} | (
        {"type": "table_status"} if client is ProtocolClient else {}
    )


@pytest.mark.parametrize("client", CLIENTS)
def test_the_messages_add_up_to_the_record(client):
    with serving(a_lobby()) as table:
        player = client(table.url)
        table.play(hands=10, rival="random")
        assert player.done() == 0
        table.join()
    won = []
    for over in player.of("hand_complete"):
        mine, other = (each.get("winnings", each.get("won")) for each in over["results"])
        won.append((mine - other) // 2)
    assert won == list(table.records[1].hand_nets)
    assert len(player.of("ack")) == len({token for _, token in states(player)})


def test_clients_play_each_other():
    with serving(a_lobby("live", "other")) as table:
        players = SdkClient(table.url), ProtocolClient(table.url_of("other"))
        table.play("AB", "BA", rival="other")
        assert [each.done() for each in players] == [0, 0]
        table.join()
    assert table.faults(1) == table.faults(2) == []
    shown = [each for player in players for each in player.of("game_state")]
    assert "The other one" not in json.dumps([each for each in players[0].heard if each["type"] != "table_status"])
    assert shown


def test_a_connection_cut_in_the_middle_of_decisions_gets_the_same_decision_again():
    with serving(a_lobby()) as table:
        player = SdkClient(table.url, cut=[1, 4, 5])
        table.play("AB", "BA")
        assert player.done() == 0
        table.join()
    assert player.connections == 4
    assert table.faults(1) == table.faults(2) == []
    decisions = states(player)
    assert len(decisions) - len(set(decisions)) == 3
    assert decisions[0] == decisions[1]


def illegal_first(state, attempt):
    return {"kind": "raiseTo", "amount": 1} if attempt == 1 else calls(state)


def test_an_illegal_action_counts_once_and_the_client_answers_again_by_itself():
    with serving(a_lobby()) as table:
        player = SdkClient(table.url, illegal_first)
        table.play(hands=1)
        assert player.done() == 0
        table.join()
    decisions = states(player)
    assert len(decisions) == len(set(decisions)) > 0, "the state is not sent again to such a client"
    assert table.faults() == [("illegal", False)] * len(decisions)


def test_a_client_that_waits_for_the_state_after_an_illegal_action_gets_it():
    def choose(state, asked):
        kinds = [each["kind"] for each in state["actions"]]
        return {"kind": "raiseTo", "amount": 1} if asked == 1 else {"kind": passive(kinds)}

    with serving(a_lobby()) as table:
        player = ProtocolClient(table.url, choose)
        table.play(hands=1)
        assert player.done() == 0
        table.join()
    decisions = states(player)
    assert decisions[0] == decisions[1]
    assert table.faults() == [("illegal", False)]
    assert player.of("error")[0]["code"] == "INVALID_ACTION"
    assert "Legal now: fold, call" in player.of("error")[0]["message"]


def test_a_client_that_is_never_right_is_folded():
    with serving(a_lobby()) as table:
        player = SdkClient(table.url, lambda *_: {"kind": "raiseTo", "amount": 1})
        table.play(hands=2)
        assert player.done() == 0
        table.join()
    assert table.faults() == [("illegal", False), ("illegal", False), ("illegal", True)] * 2


@pytest.mark.parametrize("client", CLIENTS)
def test_an_action_of_the_wrong_form_counts_once_and_the_state_comes_again(client):
    tries = []

    def choose(state, _):
        tries.append(1)
        legal = state.get("legalActions") or state.get("actions")
        good = {"kind": passive([each["kind"] for each in legal])}
        return {"kind": "allin"} if len(tries) == 1 else good

    with serving(a_lobby()) as table:
        player = client(table.url, choose)
        table.play(hands=1)
        assert player.done() == 0
        table.join()
    assert table.faults() == [("unparsable", False)]
    assert player.of("error")[0]["code"] == "VALIDATION_ERROR"
    assert states(player)[0] == states(player)[1]


def test_a_client_that_never_answers_is_folded_and_stays_connected():
    with serving(a_lobby(action_timeout_s=0.5)) as table:
        _, joined = register_and_join(table.url)
        with opened(joined) as socket_:
            assert next_of(socket_, "table_status")["status"] == "waiting"
            table.play(hands=1, max_retries=1)
            table.join()
            heard = [each["type"] for each in read_to_end(socket_)[0]]
    assert table.faults() == [("timeout", False), ("timeout", True)]
    assert heard[-1] == "table_status"
    assert heard.count("game_state") == 2, "after a timeout the state comes again"


def test_a_client_that_stays_away_forfeits_its_game():
    with serving(a_lobby(action_timeout_s=0.05)) as table:
        table.box._reconnect_s = 0.0
        table.play(hands=1, max_retries=0)
        table.join()
    assert table.faults() == [("forfeit", True)]


def test_heartbeats_and_one_repeat_bring_a_client_through_that_loses_messages(monkeypatch):
    monkeypatch.setattr(dialogue, "HEARTBEAT_S", 0.2)
    monkeypatch.setattr(dialogue, "AGAIN_S", 0.4)
    with serving(a_lobby()) as table:
        player = AutonomousClient(table.url, left_behind=2)
        until(lambda: player.swallowed)
        table.play(hands=2)
        assert player.done() == 0
        table.join()
    assert table.faults() == []
    assert len(player.swallowed) == 2
    assert {each["status"] for each in player.of("table_status")} >= {"waiting", "running"}


@pytest.mark.parametrize(("query", "times"), [("&format=agent", 2), ("&format=agent&repeat=never", 1), ("", 1)])
def test_an_open_decision_is_repeated_once_to_agents_unless_they_said_no(monkeypatch, query, times):
    monkeypatch.setattr(dialogue, "HEARTBEAT_S", 0.02)
    monkeypatch.setattr(dialogue, "AGAIN_S", 0.05)
    with serving(a_lobby()) as table:
        _, joined = register_and_join(table.url)
        with opened(joined, query=query) as socket_:
            table.play(hands=1)
            until(lambda: table.box.turn)
            heard = [json.loads(socket_.recv(60)) for _ in range(40)]
            tokens = [each.get("payload", each)["turn_token"] for each in heard if each["type"] == "game_state"]
            act(socket_, tokens[0], "fold")
            table.join()
    assert len(tokens) == times
    assert len(set(tokens)) == 1


def test_an_agent_that_wants_no_repeats_still_gets_the_state_after_a_refusal():
    with serving(a_lobby()) as table:
        _, joined = register_and_join(table.url)
        with opened(joined, query="&format=agent&repeat=never") as socket_:
            table.play(hands=1)
            token = next_of(socket_, "game_state")["turn_token"]
            act(socket_, token, "check")
            assert next_of(socket_, "game_state", "hand_complete")["turn_token"] == token
            act(socket_, token, "fold")
            table.join()
    assert table.faults() == [("illegal", False)]


def act(socket_, token, kind, **more):
    action = {"turn_token": token, "kind": kind}
    socket_.send(json.dumps({"type": "action", "action": action, **more}))


def next_of(socket_, *kinds):
    """Return the next message of some types, without its envelope."""
    while True:
        message = json.loads(socket_.recv(60))
        if message["type"] in kinds:
            return message.get("payload", message)


def test_a_repeated_action_is_acknowledged_and_another_one_is_refused():
    with serving(a_lobby()) as table:
        _, joined = register_and_join(table.url)
        with opened(joined) as socket_:
            table.play(hands=2)
            state = next_of(socket_, "game_state")
            act(socket_, state["turn_token"], "call", expected_seq=state["seq"])
            first = next_of(socket_, "ack", "error")
            act(socket_, state["turn_token"], "call", expected_seq=state["seq"])
            assert next_of(socket_, "ack", "error")["turn_token"] == first["turn_token"]
            act(socket_, state["turn_token"], "fold")
            assert next_of(socket_, "ack", "error")["code"] in ("STALE_SEQ", "NOT_YOUR_TURN")
    assert first["success"] is True


def test_what_is_not_for_the_open_decision_is_refused_and_is_no_fault():
    with serving(a_lobby()) as table:
        _, joined = register_and_join(table.url)
        with opened(joined) as socket_:
            act(socket_, "none", "call")
            assert next_of(socket_, "error")["code"] == "NOT_YOUR_TURN"
            table.play(hands=1)
            state = next_of(socket_, "game_state")
            act(socket_, "wrong", "call")
            assert next_of(socket_, "error")["code"] == "STALE_SEQ"
            act(socket_, state["turn_token"], "call", expected_seq=state["seq"] + 1)
            assert next_of(socket_, "error")["code"] == "STALE_SEQ"
            act(socket_, state["turn_token"], "fold", expected_seq=state["seq"])
            assert next_of(socket_, "ack", "error")["success"]
            table.join()
    assert table.faults() == []


def test_the_newest_socket_of_a_place_wins_and_the_end_of_the_old_one_does_not_touch_it():
    with serving(a_lobby()) as table:
        _, joined = register_and_join(table.url)
        with opened(joined) as old, opened(joined) as new:
            assert next_of(old, "error")["code"] == "INVALID_SESSION"
            with pytest.raises(ConnectionClosed) as closed:
                old.recv(60)
            assert closed.value.rcvd.code == 1008
            old.close()
            table.play(hands=1, close=False)
            act(new, next_of(new, "game_state")["turn_token"], "fold")
            assert next_of(new, "ack", "error")["success"]
            assert table.box.present
        until(lambda: not table.box.present)


def test_a_second_client_of_an_invitation_is_refused_while_the_first_is_connected():
    with serving(a_lobby()) as table:
        _, joined = register_and_join(table.url)
        with opened(joined):
            until(lambda: table.box.present)
            _, agent = request("POST", f"{table.url}/v1/agents", {})
            status, answer = request("POST", f"{table.url}/v1/tables/auto-join", {}, key=agent["api_key"])
            assert (status, answer["error"]["code"]) == (400, "TABLE_FULL")


def test_a_client_that_was_started_again_gets_the_place_and_the_old_session_ends():
    with serving(a_lobby()) as table:
        _, first = register_and_join(table.url)
        with opened(first):
            until(lambda: table.box.present)
        until(lambda: not table.box.present)
        _, second = register_and_join(table.url)
        assert second["table_id"] == first["table_id"]
        with opened(first) as late, opened(second) as player:
            assert next_of(late, "error")["code"] == "INVALID_SESSION"
            assert next_of(player, "table_status")["status"] == "waiting"


def test_with_several_games_at_once_every_client_has_a_table_of_its_own():
    with serving(a_lobby(slots=2)) as table:
        players = [SdkClient(table.url) for _ in range(2)]
        until(lambda: all(each.heard for each in players))
        table.play("AB", first=1, close=False)
        table.play("BA", first=2, close=False)
        table.join()
        table.lobby.close("the run is over")
        assert [each.done() for each in players] == [0, 0]
    assert len({each.joined["table_id"] for each in players}) == 2
    assert {*table.records} == {1, 2}
    assert table.faults(1) == table.faults(2) == []


def test_the_same_agent_joins_its_own_table_again():
    with serving(a_lobby(slots=2)) as table:
        key, first = register_and_join(table.url)
        _, again = request("POST", f"{table.url}/v1/tables/auto-join", {}, key=key)
        _, other = register_and_join(table.url)
        assert again["session_token"] == first["session_token"]
        assert other["table_id"] != first["table_id"]


def test_key_and_session_are_valid_after_a_restart_of_the_server():
    lobby = a_lobby()
    invited = lobby.invitations[0].invited
    with serving(lobby) as table:
        key, joined = register_and_join(table.url)
        port = table.port
    fresh = Lobby([invited], titles={"live": "Live"}, game=lobby.game)
    with serving(fresh, port) as table:
        with opened(joined) as socket_:
            assert next_of(socket_, "table_status")["status"] == "waiting"
        status, answer = request("POST", f"{table.url}/v1/tables/auto-join", {}, key=key)
        assert (status, answer["session_token"]) == (200, joined["session_token"])


def test_the_lobby_knows_who_came_and_who_was_told_the_end():
    with serving(a_lobby()) as table:
        assert table.lobby.missing()
        player = SdkClient(table.url)
        assert table.lobby.wait(60)
        table.lobby.close("nothing to play")
        assert player.done() == 0
        until(table.lobby.everybody_told)


def test_whoever_comes_after_the_end_is_told_so():
    with serving(a_lobby()) as table:
        key, joined = register_and_join(table.url)
        table.lobby.close("the run is over")
        with opened(joined) as socket_:
            assert next_of(socket_, "table_status") == {"status": "ended", "reason": "the run is over"}
            with pytest.raises(ConnectionClosed) as closed:
                socket_.recv(60)
        assert (closed.value.rcvd.code, closed.value.rcvd.reason) == (1000, "Table ended")
        status, answer = request("POST", f"{table.url}/v1/tables/auto-join", {}, key=key)
        assert (status, answer["error"]["code"]) == (400, "TABLE_ENDED")


def test_no_thread_is_left():
    before = threading.active_count()
    with serving(a_lobby()) as table:
        player = SdkClient(table.url)
        table.play(hands=1)
        assert player.done() == 0
        table.join()
    assert threading.active_count() == before
