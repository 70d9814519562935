"""The long poll: a decision by one request, an answer by another; nothing is lost, and nothing counts twice."""

import json
import socket
import threading

import httpx2
import pytest
from jsonschema import Draft202012Validator

from molt_bench.plugins.live.messages import turn_schema
from molt_bench.plugins.web_server import bound
from molt_bench.specs import GameLabel
from tests.agents.external.mixes import WRONG
from tests.serve.tables import LONG_S, TOKEN, a_lobby, serving, until


@pytest.fixture
def table():
    with serving(a_lobby()) as table:
        yield table


def decisions_of(record):
    """Return what player A decided in a game, in order."""
    return [each for step in record.replay() for each in step.hand.log if each.seat == 0]


def code(response):
    assert response.headers["content-type"] == "application/json"
    return response.status_code, response.json()["error"]["code"]


def test_a_game_takes_one_request_a_decision(table):
    table.play(hands=3, close="the run is over")
    answers = table.play_on()
    assert {answer["verdict"] for answer in answers} == {"taken"}
    assert answers[-1]["over"]["reason"] == "the run is over"
    assert not table.records[1].faults
    assert len(answers) == len(decisions_of(table.records[1]))


def test_every_message_has_the_form_of_the_schema(table):
    validator = Draft202012Validator(turn_schema())
    table.play(hands=2, close="the run is over")
    first = table.client.get("v1/turn").json()
    for message in [first, *table.play_on(first["turn"])]:
        validator.validate(message)


def test_results_tell_every_hand_once_and_agree_with_the_record(table):
    table.play(hands=4, close="the run is over")
    first = table.turn()
    answers = table.play_on(first)
    told = [result for answer in answers for result in (answer.get("turn") or answer["over"])["results"]]
    assert [result["handNumber"] for result in told] == [1, 2, 3, 4]
    assert [result["net"][result["seat"]] for result in told] == [*table.records[1].hand_nets]
    assert {result["game"] for result in told} == {first["observation"]["game"]}


def test_asking_again_gives_the_same_turn_with_the_same_results(table):
    table.play(hands=2)
    turn = table.turn()
    while turn["observation"]["handNumber"] == 1:
        turn = table.act(turn, wait=LONG_S).json()["turn"]
    again = table.turn(wait=0)
    assert turn["results"]
    assert {**again, "seconds_left": 0} == {**turn, "seconds_left": 0}


def test_an_answer_that_is_repeated_counts_once_and_brings_the_same_next_turn(table):
    table.play(hands=2)
    turn = table.turn()
    first = table.act(turn, wait=LONG_S).json()
    again = table.act(turn, wait=LONG_S).json()
    assert (first["verdict"], again["verdict"]) == ("taken", "repeated")
    assert first["turn"]["turn_token"] == again["turn"]["turn_token"]


def test_another_answer_to_a_decided_turn_is_stale_and_no_mistake(table):
    table.play(hands=1, close="over")
    turn = table.turn()
    after = table.act(turn, wait=LONG_S).json()
    assert code(table.act(turn, "fold")) == (409, "STALE_TURN")
    assert code(table.act({**turn, "turn_token": "no such"}, "fold")) == (409, "STALE_TURN")
    table.play_on(after["turn"])
    table.join()
    assert not table.records[1].faults


def test_an_illegal_action_is_refused_with_what_is_legal_and_the_turn_stays_open(table):
    table.play(hands=1, close="over")
    turn = table.turn()
    refused = table.act(turn, "raiseTo", 3)
    assert code(refused) == (409, "INVALID_ACTION")
    assert "fold, call (50), raiseTo 200..10000" in refused.json()["error"]["message"]
    until(lambda: table.turn()["observation"]["previousError"])
    assert table.turn()["turn_token"] == turn["turn_token"]
    table.play_on()
    table.join()
    assert table.faults() == [("illegal", False)]


#: What is wrong with the open turn's answer: the fields besides its token, as JSON, and the kind of the fault.
MALFORMED = [
    *(
        (json.dumps(fields)[1:-1], "unparsable")
        for fields in (
            {},
            {"kind": None},
            {"kind": "allin"},
            {"kind": ["fold"]},
            {"kind": "call", "amount": 50},
            {"kind": "raiseTo"},
            {"kind": "raiseTo", "amount": "300"},
            {"kind": "raiseTo", "amount": 1e300},
            {"kind": "<script>alert(1)</script>\x00\u202e\n" * 50},
        )
    ),
    *(
        (fields, kind)
        for fields, kind, words in WRONG.values()
        if kind != "flood" and not {"no JSON", "Integer", "JSON is malformed"} & {words}
    ),
]


def test_each_malformed_answer_to_the_open_turn_is_a_mistake_and_leaves_it_open(table):
    table.play(hands=1, max_retries=100, close="over")
    token = table.turn()["turn_token"]
    for fields, _ in MALFORMED:
        body = f'{{"turn_token":"{token}"{"," if fields else ""}{fields}}}'
        answer = table.client.post("v1/act?wait=0", content=body, headers={"content-type": "application/json"})
        assert code(answer) in ((400, "VALIDATION_ERROR"), (409, "INVALID_ACTION")), fields
    table.play_on()
    table.join()
    assert table.faults() == [(kind, False) for _, kind in MALFORMED]


def test_a_mix_is_taken_and_the_next_turn_tells_what_was_drawn(table):
    table.play(hands=1, close="over")
    turn = table.turn()
    mix = [{"kind": "call", "weight": 1}, {"kind": "raiseTo", "low": 300, "high": 900, "weight": 9}]
    answer = table.client.post("v1/act", params={"wait": LONG_S}, json={"turn_token": turn["turn_token"], "mix": mix})
    assert answer.json()["verdict"] == "taken"
    drawn = answer.json()["turn"]["observation"]["log"][0]
    table.play_on(answer.json()["turn"])
    table.join()
    assert table.records[1].mixes[0] == "0:1c,9r300-900"
    log = next(table.records[1].replay()).hand.log
    assert (drawn["kind"], drawn["amount"]) == (log[0].kind, log[0].amount)


def test_what_names_no_turn_is_refused_and_no_mistake(table):
    table.play(hands=1, close="over")
    turn = table.turn()
    token = json.dumps(turn["turn_token"]).encode()
    for body in (
        b"",
        b"call",
        b"[]",
        b"{}",
        b'{"kind":"call"}',
        b'{"turn_token":7,"kind":"call"}',
        b'{"turn_token":' + token + b',"kind":"call","x":NaN}',
        b"\xff\xfe",
        b"[" * 50_000,
    ):
        assert code(table.client.post("v1/act", content=body)) == (400, "VALIDATION_ERROR")
    table.play_on()
    table.join()
    assert not table.records[1].faults


def test_nothing_open_is_204_without_a_body_and_a_long_wait_is_shortened(table, monkeypatch):
    monkeypatch.setattr("molt_bench.plugins.live.door.LONGEST_WAIT_S", 0.01)
    response = table.client.get("v1/turn?wait=1e300")
    assert (response.status_code, response.content) == (204, b"")


@pytest.mark.parametrize("query", ["wait=-1", "wait=nan", "wait=soon", "place=0", "place=2", "place=x", "place=%C2%B2"])
def test_a_query_that_makes_no_sense_is_refused(table, query):
    assert code(table.client.get(f"v1/turn?{query}")) == (400, "VALIDATION_ERROR")
    assert code(table.client.post(f"v1/act?{query}", json={})) == (400, "VALIDATION_ERROR")


def test_two_pollers_get_the_same_turn_and_the_first_answer_counts(table):
    found = []
    pollers = [threading.Thread(target=lambda: found.append(table.turn())) for _ in range(2)]
    for poller in pollers:
        poller.start()
    until(lambda: len(table.box._listeners) == 2)
    table.play(hands=1, close="over")
    for poller in pollers:
        poller.join(LONG_S)
    assert found[0]["turn_token"] == found[1]["turn_token"]
    after = table.act(found[0], "call", wait=LONG_S).json()
    assert code(table.act(found[1], "fold")) == (409, "STALE_TURN")
    table.play_on(after["turn"])
    table.join()
    assert not table.records[1].faults


def test_several_games_at_once_are_served_oldest_first_each_decision_once():
    with serving(a_lobby(slots=3)) as table:
        for game in (1, 2, 3):
            table.play(game, hands=2)
        boxes = table.lobby.invitations[0].slots
        until(lambda: all(box.turn is not None for box in boxes))
        turns = [table.turn() for _ in range(3)]
        asked = [boxes[turn["place"] - 1].turn.deadline for turn in turns]
        assert sorted(turn["place"] for turn in turns) == [1, 2, 3]
        assert asked == sorted(asked)
        assert table.turn()["turn_token"] == turns[0]["turn_token"]
        assert table.turn(place=2)["place"] == 2
        for place in (3, 1, 2):
            turn = table.turn(place=place)
            while turn is not None:
                turn = table.act(turn, wait=1, place=place).json().get("turn")
        table.join()
        assert [len(record.faults) for record in table.records.values()] == [0, 0, 0]


def test_a_client_that_goes_away_while_it_waits_leaves_nothing_behind(table):
    before = list(table.box._listeners)
    with socket.create_connection(("127.0.0.1", table.port)) as client:
        client.sendall(f"GET /j/{TOKEN}/v1/turn?wait=45 HTTP/1.1\r\nHost: 127.0.0.1:{table.port}\r\n\r\n".encode())
        until(lambda: table.box.present)
    until(lambda: not table.box.present)
    assert table.box._listeners == before
    table.play(hands=1)
    assert table.turn()


def test_a_client_that_goes_away_after_it_acted_has_acted(table):
    table.play(hands=1, close="over")
    turn = table.turn()
    body = json.dumps({"turn_token": turn["turn_token"], "kind": "fold"})
    head = f"POST /j/{TOKEN}/v1/act?wait=45 HTTP/1.1\r\nHost: 127.0.0.1:{table.port}\r\n"
    with socket.create_connection(("127.0.0.1", table.port)) as client:
        client.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
        table.join()
    assert not table.records[1].faults


def test_a_client_that_waits_learns_that_the_run_is_over(table):
    threading.Timer(0.05, table.lobby.close, ["enough"]).start()
    response = table.client.get("v1/turn", params={"wait": 45})
    assert code(response) == (410, "RUN_OVER")
    assert response.json()["over"] == {"reason": "enough", "results": []}
    assert table.lobby.all_told()


def test_asking_for_a_turn_is_coming_and_reading_about_the_run_is_not(table):
    about = table.client.get("v1/run").json()
    assert (about["name"], about["games_at_once"]) == ("Live <b>agent</b>", 1)
    assert about["game"]["rules"]["big_blind"] == 100
    table.client.get("skill.md")
    assert table.lobby.missing()
    table.client.get("v1/turn?wait=0")
    assert not table.lobby.missing()


def test_after_a_restart_the_same_turn_is_open_under_the_same_token():
    with serving(a_lobby()) as table:
        port = table.port
        table.play(hands=1)
        before = table.turn()
    with serving(a_lobby(), port) as table:
        table.play(hands=1, close="over")
        until(lambda: table.box.turn is not None)
        answer = table.act(before, wait=LONG_S).json()
        assert answer["verdict"] == "taken"
        assert answer["turn"]["observation"]["game"] == before["observation"]["game"]
        table.play_on(answer["turn"])
        table.join()
        assert not table.records[1].faults


def test_the_token_of_an_invitation_does_not_tell_those_of_turns():
    tokens = []
    for key in ("00" * 16, "11" * 16):
        with serving(a_lobby(key=key)) as table:
            table.play(hands=1)
            tokens.append(table.turn()["turn_token"])
    assert tokens[0] != tokens[1]


def test_a_client_that_waits_when_the_server_stops_is_told_to_try_again():
    responses = []

    def wait(url):
        responses.append(httpx2.get(f"{url}/v1/turn?wait=40", timeout=LONG_S, trust_env=False))

    with serving(a_lobby()) as table:
        table.lobby.close = lambda reason: None  # it is interrupted, and not over
        waiting = threading.Thread(target=wait, args=(table.url,), daemon=True)
        waiting.start()
        until(lambda: table.box.present)
    waiting.join(LONG_S)
    assert [*map(code, responses)] == [(503, "BUSY")]


def test_answers_are_sent_at_once():
    """Without it, a body waits until the client has acknowledged the head, which takes 40 ms."""
    listener = bound("127.0.0.1", 0)
    with listener, socket.create_connection(listener.getsockname()):
        accepted, _ = listener.accept()
        with accepted:
            assert accepted.proto == socket.IPPROTO_TCP  # asyncio looks at it


def test_places_count_from_when_someone_takes_them_until_they_are_gone():
    with serving(a_lobby(slots=3)) as table:
        guest, slots = table.lobby.invitations[0], table.lobby.invitations[0].slots
        assert (guest.filled, table.lobby.places("live", "AB")[1]) == (0, 1)
        table.client.get("v1/turn", params={"wait": 0, "place": 2})
        assert (guest.filled, table.lobby.places("live", "AB")[1]) == (1, 1)
        assert table.lobby.make("live", GameLabel(1, 1, "AB"))._mailbox is slots[1]
        table.client.get("v1/turn", params={"wait": 0})
        assert table.lobby.places("live", "AB")[1] == 3
        slots[0].away = True
        assert table.lobby.places("live", "AB")[1] == 2
        assert table.lobby.make("live", GameLabel(2, 2, "AB"))._mailbox is slots[2]
