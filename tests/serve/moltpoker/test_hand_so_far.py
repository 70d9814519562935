"""A hand that begins in the middle: earlier actions are told as the platform tells them, and nobody acts in them."""

import json

from molt_bench.agents.live.mailbox_events import PendingDecision
from molt_bench.poker.actions import CALL, CHECK, Action
from molt_bench.poker.cards import cards_to_text, deal_from_text
from molt_bench.poker.hand import Hand, HandRules
from molt_bench.poker.observation import observe
from molt_bench.serve.doors.moltpoker import server_messages as messages
from molt_bench.serve.doors.moltpoker.formats import encoded
from molt_bench.serve.doors.moltpoker.server_messages import states_before

CLIENT = messages.Client("tbl_1", "agt_me", "Me", "agt_other", "http://h/skill.md", 120_000)
RAISE = Action("raiseTo", 250)
#: A raise that is called; on the flop a check, a bet and a call; on the turn a check.
ON_TURN = (RAISE, CALL, CHECK, Action("raiseTo", 300), CALL, CHECK)


def turn_after(*actions):
    hand = Hand(HandRules(50, 100), deal_from_text("AhKd QcQd 2c7dTs9h3c"), (5_000, 5_000), button=0)
    for action in actions:
        hand.apply(action)
    return PendingDecision("token", 7, 3, 3, observe(hand, hand_number=1), 120.0, 0.0)


def flat(message):
    return json.loads(encoded(message, "agent", table_id="tbl_1", now_ms=0))


def test_every_action_but_the_last_is_a_state_in_which_nobody_acts():
    told = [*states_before(CLIENT, turn_after(*ON_TURN))]
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
    assert [*states_before(CLIENT, turn_after(RAISE))] == []
    assert [*states_before(CLIENT, turn_after())] == []


def test_a_hand_that_is_broken_off_tells_nothing():
    over = messages.hand_broken_off(CLIENT, turn_after(*ON_TURN), 8)
    assert flat(over) == {
        "type": "hand_complete",
        "hand": 3,
        "results": [{"seat": 0, "cards": ["Ah", "Kd"], "won": 0}, {"seat": 1, "cards": [], "won": 0}],
        "showdown": False,
    }
