"""A hand that begins in the middle: earlier actions are told as the platform tells them, and nobody acts in them."""

import json

from molt_bench.agents.live.mailbox_events import PendingDecision
from molt_bench.exam.questions import Decision
from molt_bench.poker.cards import cards_to_text
from molt_bench.poker.observation import observe
from molt_bench.serve.doors.moltpoker import server_messages as messages
from molt_bench.serve.doors.moltpoker.formats import encoded
from molt_bench.serve.doors.moltpoker.server_messages import states_before

CLIENT = messages.Client("tbl_1", "agt_me", "Me", "agt_other", "http://h/skill.md", 120_000)


def turn_of(line, board):
    decision = Decision(stack=5_000, button=0, cards="AhKd", board=board, line=line)
    return PendingDecision("token", 7, 3, 3, observe(decision.hand(), hand_number=1), 120.0, 0.0)


def flat(message):
    return json.loads(encoded(message, "agent", table_id="tbl_1", now_ms=0))


def test_every_action_but_the_last_is_a_state_in_which_nobody_acts():
    told = [*states_before(CLIENT, turn_of("r250c/kr300c/k", "2c7dTs9h"))]
    assert [cards_to_text(board) for board, _ in told] == ["", "2c7dTs", "2c7dTs", "2c7dTs", "2c7dTs9h"]
    states = [message.payload for _, message in told]
    last = [(each["lastAction"]["seatId"], each["lastAction"]["kind"]) for each in states]
    assert last == [(0, "raiseTo"), (1, "call"), (1, "check"), (0, "raiseTo"), (1, "call")]
    assert [each["pots"][0]["amount"] for each in states] == [0, 500, 500, 500, 1100]
    assert [[player["bet"] for player in each["players"]] for each in states][:2] == [[250, 100], [0, 0]]
    assert states[3]["lastAction"]["amount"] == 300
    for each in states:
        assert each["currentSeat"] is each["legalActions"] is None
        assert "turn_token" not in each
        assert [player["holeCards"] for player in each["players"]].count(None) == 1
    short = flat(told[-1][1])
    assert {"turn", "actions", "turn_token"}.isdisjoint(short)
    assert short["last"] == {"seat": 1, "kind": "call"}


def test_the_first_decision_of_a_hand_needs_no_more_than_itself():
    assert [*states_before(CLIENT, turn_of("r250", ""))] == []
    assert [*states_before(CLIENT, turn_of("", ""))] == []


def test_a_hand_that_is_broken_off_tells_nothing():
    over = messages.hand_broken_off(CLIENT, turn_of("r250c/kr300c/k", "2c7dTs9h"), 8)
    assert flat(over) == {
        "type": "hand_complete",
        "hand": 3,
        "results": [{"seat": 0, "cards": ["Ah", "Kd"], "won": 0}, {"seat": 1, "cards": [], "won": 0}],
        "showdown": False,
    }
