"""Messages of moltpoker's WebSocket against what its protocol says, written out by hand."""

import json

import pytest

from molt_bench.plugins.live.mailbox import HandOver, Turn
from molt_bench.plugins.live.moltpoker.messages import Words, read
from molt_bench.poker.actions import LoggedAction
from molt_bench.poker.cards import cards_from_text
from molt_bench.poker.hand_rules import HandRules
from molt_bench.poker.observation import HandResult, Observation

#: What is said to a client of the envelope format, and to an agent.
LONG, SHORT = (Words("tbl_1", "agt_me", "Me", "http://h/skill.md", 120_000, short) for short in (False, True))
BOARD = cards_from_text("2c7dTs9hAs")
#: What is known of a decision: seat 1 faces a bet of 300 on the turn; 400 lie in the pot from before.
ON_THE_TURN = {
    "seat": 1,
    "button": 0,
    "hand_number": 3,
    "street": "turn",
    "cards": cards_from_text("AhKd"),
    "board": BOARD[:4],
    "pot": 700,
    "stacks": (9500, 9800),
    "bets": (300, 0),
    "starting_stacks": (10_000, 10_000),
    "to_call": 300,
    "min_raise_to": 600,
    "max_raise_to": 9800,
    "log": (LoggedAction("preflop", 0, "raiseTo", 200), LoggedAction("turn", 0, "raiseTo", 300)),
    "rules": HandRules(50, 100),
}
#: Seat 0 opens the hand from the button.
FIRST = {
    **ON_THE_TURN,
    "seat": 0,
    "street": "preflop",
    "board": (),
    "pot": 150,
    "stacks": (9950, 9900),
    "bets": (50, 100),
    "to_call": 50,
    "min_raise_to": 200,
    "max_raise_to": 10_000,
    "log": (),
}


def payload(text):
    return json.loads(text)["payload"]


def cards(text):
    return [{"rank": text[at], "suit": text[at + 1]} for at in range(0, len(text), 2)]


def turn(**seen):
    return Turn("token", 1, 17, 53, Observation(**{**ON_THE_TURN, **seen}), 0.0, 120.0)


def test_an_open_decision_in_the_envelope_format():
    told = json.loads(LONG.state(turn()))
    assert (told["type"], told["table_id"], told["seq"], type(told["ts"])) == ("game_state", "tbl_1", 17, int)
    shared = {"folded": False, "allIn": False, "isActive": True}
    other = {
        "seatId": 0,
        "agentId": "agt_opponent",
        "agentName": "opponent",
        "stack": 9500,
        "bet": 300,
        "holeCards": None,
    }
    own = {"seatId": 1, "agentId": "agt_me", "agentName": "Me", "stack": 9800, "bet": 0, "holeCards": cards("AhKd")}
    assert told["payload"] == {
        "tableId": "tbl_1",
        "handNumber": 53,
        "phase": "turn",
        "communityCards": cards("2c7dTs9h"),
        "pots": [{"amount": 400, "eligibleSeats": [0, 1]}],
        "players": [{**other, **shared}, {**own, **shared}],
        "dealerSeat": 0,
        "currentSeat": 1,
        "lastAction": {"seatId": 0, "kind": "raiseTo", "amount": 300},
        "legalActions": [
            {"kind": "fold"},
            {"kind": "call", "minAmount": 300, "maxAmount": 300},
            {"kind": "raiseTo", "minAmount": 600, "maxAmount": 9800},
        ],
        "toCall": 300,
        "seq": 17,
        "turn_token": "token",
    }


def test_an_open_decision_in_the_agent_format():
    assert json.loads(SHORT.state(turn())) == {
        "type": "game_state",
        "seq": 17,
        "hand": 53,
        "phase": "turn",
        "board": ["2c", "7d", "Ts", "9h"],
        "pot": 400,
        "players": [
            {"seat": 0, "name": "opponent", "stack": 9500, "bet": 300},
            {"seat": 1, "name": "Me", "stack": 9800, "bet": 0, "cards": ["Ah", "Kd"]},
        ],
        "dealer": 0,
        "turn": 1,
        "last": {"seat": 0, "kind": "raiseTo", "amount": 300},
        "actions": [
            {"kind": "fold"},
            {"kind": "call", "min": 300, "max": 300},
            {"kind": "raiseTo", "min": 600, "max": 9800},
        ],
        "toCall": 300,
        "turn_token": "token",
    }


def test_before_the_flop_the_pot_is_empty_and_the_button_has_the_small_blind():
    state = json.loads(SHORT.state(turn(**FIRST)))
    assert (state["pot"], state["dealer"], [each["bet"] for each in state["players"]]) == (0, 0, [50, 100])
    assert "last" not in state


def test_a_player_without_chips_is_all_in():
    state = json.loads(SHORT.state(turn(stacks=(0, 9800))))
    assert [each.get("allIn") for each in state["players"]] == [True, None]


WELCOME = {
    "protocol_version": "0.1",
    "min_supported_protocol_version": "0.1",
    "skill_doc_url": "http://h/skill.md",
    "seat_id": 1,
    "agent_id": "agt_me",
    "action_timeout_ms": 120_000,
}
STATUS = {"status": "running"}
ACK = {"turn_token": "token", "seq": 17}
ENDED = {"status": "ended", "reason": "over"}
ERROR = {"code": "STALE_SEQ", "message": "why"}


@pytest.mark.parametrize(
    ("say", "long", "short"),
    [
        (lambda words: words.welcome(1), WELCOME, {"seat": 1, "agent_id": "agt_me", "timeout": 120_000}),
        (lambda words: words.status("running"), STATUS, STATUS),
        (
            lambda words: words.ended("over"),
            {"status": "ended", "reason": "over"},
            {"status": "ended", "reason": "over"},
        ),
        (lambda words: words.ack("token", 17), {**ACK, "success": True}, ACK),
        (lambda words: words.error("STALE_SEQ", "why"), ERROR, ERROR),
    ],
)
def test_short_messages_in_both_formats(say, long, short):
    envelope = json.loads(say(LONG))
    assert (envelope["payload"], envelope["table_id"]) == (long, "tbl_1")
    assert json.loads(say(SHORT)) == {"type": envelope["type"], **short}


def test_pong_has_the_envelope_format_for_everyone():
    assert payload(LONG.pong(5)) == payload(SHORT.pong(5)) == {"timestamp": 5}


def over(net, *, opponent="QsQh", board=BOARD, log=()):
    other = cards_from_text(opponent) if opponent else None
    return HandOver(20, 53, HandResult(1, 0, 3, cards_from_text("AhKd"), other, board, log, (10_000, 10_000), net))


def test_a_showdown_in_both_formats():
    ended = over((-700, 700))
    assert payload(LONG.hand_complete(ended)) == {
        "handNumber": 53,
        "results": [
            {"seatId": 0, "agentId": "agt_opponent", "holeCards": cards("QsQh"), "winnings": 0},
            {"seatId": 1, "agentId": "agt_me", "holeCards": cards("AhKd"), "winnings": 1400},
        ],
        "finalPots": [{"amount": 1400, "eligibleSeats": [0, 1]}],
        "communityCards": cards("2c7dTs9hAs"),
        "showdown": True,
    }
    assert json.loads(SHORT.hand_complete(ended)) == {
        "type": "hand_complete",
        "hand": 53,
        "results": [
            {"seat": 0, "cards": ["Qs", "Qh"], "won": 0},
            {"seat": 1, "cards": ["Ah", "Kd"], "won": 1400},
        ],
        "board": ["2c", "7d", "Ts", "9h", "As"],
        "showdown": True,
    }


def test_cards_that_were_folded_are_an_empty_list():
    ended = over((-50, 50), opponent="", board=(), log=(LoggedAction("preflop", 0, "fold", 50),))
    told = payload(LONG.hand_complete(ended))
    assert [each["holeCards"] for each in told["results"]] == [[], cards("AhKd")]
    assert [each["winnings"] for each in told["results"]] == [0, 100]
    assert told["showdown"] is False


RAISED = (LoggedAction("preflop", 0, "raiseTo", 300), LoggedAction("preflop", 1, "call", 300))
BET = (LoggedAction("river", 1, "raiseTo", 800), LoggedAction("river", 0, "call", 800))


@pytest.mark.parametrize(
    ("log", "each"),
    [
        ((LoggedAction("preflop", 0, "call", 100), LoggedAction("preflop", 1, "check", 100)), 100),
        (RAISED, 300),
        (RAISED + BET, 1100),
    ],
)
def test_of_a_split_pot_everyone_gets_back_what_was_put_in(log, each):
    assert [seat["won"] for seat in json.loads(SHORT.hand_complete(over((0, 0), log=log)))["results"]] == [each, each]


def said(token="t", kind="call", **more):
    return json.dumps({"type": "action", "action": {"turn_token": token, "kind": kind, **more}, "expected_seq": 7})


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (said(), {"kind": "call"}),
        (said(kind="raiseTo", amount=300.0), {"kind": "raiseTo", "amount": 300}),
        (said(amount=5), {"kind": "call"}),
        (said(amount=None), {"kind": "call"}),
        (said(kind="raiseTo"), {"kind": "raiseTo", "amount": None}),
    ],
)
def test_what_clients_say_is_read(text, found):
    assert read(text.encode()) == {"turn_token": "t", **found}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        *[(text, "Invalid JSON") for text in ("", "{", "NaN", "[" * 60_000)],
        ('{"type":"ping","payload":{"timestamp":' + "9" * 5000 + "}}", "Invalid JSON"),
        *[
            (text, "Invalid message format")
            for text in (
                "[]",
                "null",
                '{"type":"action"}',
                '{"type":"action","action":null}',
                '{"type":"action","action":{"kind":"fold"}}',
                '{"type":"action","action":{"turn_token":5,"kind":"fold"}}',
                '{"type":"ping"}',
                '{"type":"ping","payload":{"timestamp":null}}',
                '{"type":"leave"}',
                '{"type":["ping"]}',
            )
        ],
    ],
)
def test_what_belongs_to_no_decision_is_refused(text, why):
    assert read(text.encode()) == why
