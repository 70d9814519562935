"""Messages of moltpoker's WebSocket against what its protocol says, written out by hand."""

import json

import pytest

from molt_bench.agents.live.mailbox_events import HandOver, PendingDecision
from molt_bench.errors import AgentFailed
from molt_bench.poker.actions import Action, LoggedAction
from molt_bench.poker.cards import cards_from_text
from molt_bench.poker.hand import HandRules
from molt_bench.poker.observation import HandResult, Observation
from molt_bench.serve.doors.moltpoker import server_messages as messages
from molt_bench.serve.doors.moltpoker.client_messages import Act, Ping, Unreadable, read
from molt_bench.serve.doors.moltpoker.formats import encoded

CLIENT = messages.Client("tbl_1", "agt_me", "Me", "agt_other", "http://h/skill.md", 120_000)
RULES = HandRules(50, 100)


def in_format(message, form):
    return json.loads(encoded(message, form, table_id="tbl_1", now_ms=1_700_000_000_000))


def cards(text):
    return [{"rank": text[at], "suit": text[at + 1]} for at in range(0, len(text), 2)]


def on_the_turn():
    """Seat 1 faces a bet of 300 on the turn; 400 lie in the pot from before."""
    observation = Observation(
        seat=1,
        button=0,
        hand_number=3,
        street="turn",
        cards=cards_from_text("AhKd"),
        board=cards_from_text("2c7dTs9h"),
        pot=700,
        stacks=(9500, 9800),
        bets=(300, 0),
        starting_stacks=(10_000, 10_000),
        to_call=300,
        min_raise_to=600,
        max_raise_to=9800,
        log=(LoggedAction("preflop", 0, "raiseTo", 200), LoggedAction("turn", 0, "raiseTo", 300)),
        rules=RULES,
    )
    return PendingDecision("token", 17, 2, 53, observation, 120.0, 0.0)


def before_the_flop():
    """Seat 0 opens the hand from the button."""
    observation = Observation(
        0,
        0,
        1,
        "preflop",
        cards_from_text("2s2h"),
        (),
        150,
        (9950, 9900),
        (50, 100),
        (10_000,) * 2,
        50,
        200,
        10_000,
        (),
        RULES,
    )
    return PendingDecision("first", 1, 1, 1, observation, 120.0, 0.0)


def test_an_open_decision_in_the_envelope_format():
    assert in_format(messages.game_state(CLIENT, on_the_turn()), "envelope") == {
        "type": "game_state",
        "table_id": "tbl_1",
        "seq": 17,
        "ts": 1_700_000_000_000,
        "payload": {
            "tableId": "tbl_1",
            "handNumber": 53,
            "phase": "turn",
            "communityCards": cards("2c7dTs9h"),
            "pots": [{"amount": 400, "eligibleSeats": [0, 1]}],
            "players": [
                {
                    "seatId": 0,
                    "agentId": "agt_other",
                    "agentName": "opponent",
                    "stack": 9500,
                    "bet": 300,
                    "folded": False,
                    "allIn": False,
                    "isActive": True,
                    "holeCards": None,
                },
                {
                    "seatId": 1,
                    "agentId": "agt_me",
                    "agentName": "Me",
                    "stack": 9800,
                    "bet": 0,
                    "folded": False,
                    "allIn": False,
                    "isActive": True,
                    "holeCards": cards("AhKd"),
                },
            ],
            "dealerSeat": 0,
            "currentSeat": 1,
            "lastAction": {"seatId": 0, "kind": "raiseTo", "amount": 300},
            "legalActions": [
                {"kind": "fold"},
                {"kind": "call", "minAmount": 300, "maxAmount": 300},
                {"kind": "raiseTo", "minAmount": 600, "maxAmount": 9800},
            ],
            "minRaise": 300,
            "toCall": 300,
            "seq": 17,
            "turn_token": "token",
        },
    }


def test_an_open_decision_in_the_agent_format():
    assert in_format(messages.game_state(CLIENT, on_the_turn()), "agent") == {
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
    state = in_format(messages.game_state(CLIENT, before_the_flop()), "agent")
    assert (state["pot"], state["dealer"], [each["bet"] for each in state["players"]]) == (0, 0, [50, 100])
    assert "last" not in state


def test_a_player_without_chips_is_all_in():
    turn = on_the_turn()
    seen = turn.observation
    changed = Observation(
        *[getattr(seen, field) if field != "stacks" else (0, 9800) for field in seen.__struct_fields__]
    )
    state = in_format(messages.game_state(CLIENT, PendingDecision("t", 1, 1, 1, changed, 1.0, 0.0)), "agent")
    assert [each.get("allIn") for each in state["players"]] == [True, None]


WELCOME = {
    "protocol_version": "0.1",
    "min_supported_protocol_version": "0.1",
    "skill_doc_url": "http://h/skill.md",
    "seat_id": 1,
    "agent_id": "agt_me",
    "action_timeout_ms": 120_000,
}
STATUS = {"status": "running", "seat_id": 1, "agent_id": "agt_me", "min_players_to_start": 2, "current_players": 2}


@pytest.mark.parametrize(
    ("message", "payload", "flat"),
    [
        (messages.welcome(CLIENT, 1), WELCOME, {"seat": 1, "agent_id": "agt_me", "timeout": 120_000}),
        (messages.table_status(CLIENT, "running", 1), STATUS, STATUS),
        (messages.table_ended("over"), {"status": "ended", "reason": "over"}, {"status": "ended", "reason": "over"}),
        (
            messages.ack("token", 17),
            {"turn_token": "token", "seq": 17, "success": True},
            {"turn_token": "token", "seq": 17},
        ),
        (
            messages.error("STALE_SEQ", "why"),
            {"code": "STALE_SEQ", "message": "why"},
            {"code": "STALE_SEQ", "message": "why"},
        ),
    ],
)
def test_short_messages_in_both_formats(message, payload, flat):
    envelope = in_format(message, "envelope")
    assert (envelope["payload"], envelope["table_id"], envelope["ts"]) == (payload, "tbl_1", 1_700_000_000_000)
    assert in_format(message, "agent") == {"type": envelope["type"], **flat}


def test_pong_has_the_envelope_format_for_everybody():
    assert in_format(messages.pong(5), "agent")["payload"] == {"timestamp": 5}


def test_every_street_that_was_dealt_is_told_once():
    board = cards_from_text("2c7dTs9hAs")
    told = [in_format(each, "agent") for each in messages.streets_dealt(8, board, 0)]
    assert told == [
        {"type": "street_dealt", "hand": 8, "street": "flop", "cards": ["2c", "7d", "Ts"]},
        {"type": "street_dealt", "hand": 8, "street": "turn", "cards": ["9h"]},
        {"type": "street_dealt", "hand": 8, "street": "river", "cards": ["As"]},
    ]
    assert messages.streets_dealt(8, board, 4) == messages.streets_dealt(8, board, 0)[2:]
    assert messages.streets_dealt(8, board[:4], 4) == []


def a_result(net, *, opponent="QsQh", board="2c7dTs9hAs", log=()):
    other = cards_from_text(opponent) if opponent else None
    stacks = (10_000, 10_000)
    return HandResult(1, 0, 3, cards_from_text("AhKd"), other, cards_from_text(board), log, stacks, net)


def test_a_showdown_in_both_formats():
    over = messages.hand_complete(CLIENT, HandOver(20, 53, a_result((-700, 700))), RULES)
    assert in_format(over, "envelope")["payload"] == {
        "handNumber": 53,
        "results": [
            {
                "seatId": 0,
                "agentId": "agt_other",
                "holeCards": cards("QsQh"),
                "winnings": 0,
                "handRank": "pair",
            },
            {"seatId": 1, "agentId": "agt_me", "holeCards": cards("AhKd"), "winnings": 1400, "handRank": "pair"},
        ],
        "finalPots": [{"amount": 1400, "eligibleSeats": [0, 1]}],
        "communityCards": cards("2c7dTs9hAs"),
        "showdown": True,
    }
    assert in_format(over, "agent") == {
        "type": "hand_complete",
        "hand": 53,
        "results": [
            {"seat": 0, "cards": ["Qs", "Qh"], "won": 0, "rank": "pair"},
            {"seat": 1, "cards": ["Ah", "Kd"], "won": 1400, "rank": "pair"},
        ],
        "showdown": True,
    }


def test_cards_that_were_folded_are_an_empty_list():
    result = a_result((-50, 50), opponent="", board="", log=(LoggedAction("preflop", 0, "fold", 50),))
    payload = in_format(messages.hand_complete(CLIENT, HandOver(20, 53, result), RULES), "envelope")["payload"]
    assert [each["holeCards"] for each in payload["results"]] == [[], cards("AhKd")]
    assert [each["winnings"] for each in payload["results"]] == [0, 100]
    assert payload["finalPots"] == [{"amount": 100, "eligibleSeats": [1]}]
    assert payload["showdown"] is False


@pytest.mark.parametrize(
    ("log", "ante", "each"),
    [
        ((LoggedAction("preflop", 0, "call", 100), LoggedAction("preflop", 1, "check", 100)), 0, 100),
        ((LoggedAction("preflop", 0, "raiseTo", 300), LoggedAction("preflop", 1, "call", 300)), 25, 325),
        (
            (
                LoggedAction("preflop", 0, "raiseTo", 300),
                LoggedAction("preflop", 1, "call", 300),
                LoggedAction("river", 1, "raiseTo", 800),
                LoggedAction("river", 0, "call", 800),
            ),
            0,
            1100,
        ),
    ],
)
def test_of_a_split_pot_everybody_gets_back_what_was_put_in(log, ante, each):
    result = a_result((0, 0), log=log)
    over = in_format(messages.hand_complete(CLIENT, HandOver(1, 1, result), HandRules(50, 100, ante)), "agent")
    assert [seat["won"] for seat in over["results"]] == [each, each]


def said(token="t", kind="call", seq=None, **more):
    message = {"type": "action", "action": {"turn_token": token, "kind": kind, **more}}
    return json.dumps(message if seq is None else {**message, "expected_seq": seq})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (said(), Act("t", Action("call"))),
        (said(kind="raiseTo", amount=300, seq=7), Act("t", Action("raiseTo", 300), 7)),
        (said(kind="raiseTo", amount=300.0), Act("t", Action("raiseTo", 300))),
        (said(kind="raiseTo"), Act("t", Action("raiseTo", 0))),
        (said(amount=5, reasoning="because", more=[1]), Act("t", Action("call"))),
        ('{"type":"ping","payload":{"timestamp":12}}', Ping(12)),
    ],
)
def test_what_clients_say_is_read(text, expected):
    assert read(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        said(amount=None),
        said(amount=0),
        said(amount=-5),
        said(amount=1.5),
        said(amount=True),
        said(amount="300"),
        said(amount=2**60),
        said(kind="allin"),
        said(kind=["call"]),
        said(kind=None),
        said(seq=1.5),
        said(seq="7"),
        '{"type":"action","action":{"turn_token":"t"}}',
    ],
)
def test_an_action_of_the_wrong_form_belongs_to_its_decision(text):
    act = read(text)
    assert isinstance(act, Act)
    assert act.token == "t"
    assert isinstance(act.action, AgentFailed)
    assert act.action.kind == "unreadable"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "Invalid JSON"),
        ("{", "Invalid JSON"),
        ("NaN", "Invalid JSON"),
        (b"\xff\xfe", "Invalid JSON"),
        ("[" * 60_000, "Invalid JSON"),
        ('{"type":"ping","payload":{"timestamp":' + "9" * 5000 + "}}", "Invalid JSON"),
        ("[]", "Invalid message format"),
        ("null", "Invalid message format"),
        ('{"type":"action"}', "Invalid message format"),
        ('{"type":"action","action":null}', "Invalid message format"),
        ('{"type":"action","action":{"kind":"fold"}}', "Invalid message format"),
        ('{"type":"action","action":{"turn_token":5,"kind":"fold"}}', "Invalid message format"),
        ('{"type":"ping"}', "Invalid message format"),
        ('{"type":"ping","payload":{"timestamp":null}}', "Invalid message format"),
        ('{"type":"leave"}', "Invalid message format"),
        ('{"type":["ping"]}', "Invalid message format"),
    ],
)
def test_what_belongs_to_no_decision_is_refused(text, why):
    assert read(text) == Unreadable(why)
