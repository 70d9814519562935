"""The conversation: what a model is told and replies; its memory is bounded and has only what the table saw."""

import msgspec
import pytest

from molt_bench.errors import AgentFailed
from molt_bench.llm.conversation import Conversation
from molt_bench.llm.memory import (
    HANDS_LENGTH,
    THOUGHT_LENGTH,
    THOUGHTS,
    HandMemory,
    SessionMemory,
)
from molt_bench.llm.settings import LLMSettings
from molt_bench.llm.types import Exchange
from molt_bench.poker.actions import Action, LoggedAction
from molt_bench.poker.hand import Hand, HandRules
from molt_bench.poker.notation import hand_from_text
from molt_bench.poker.play_statistics import hand_style
from molt_bench.poker.views import observe, result_for
from molt_bench.specs import GameLabel

#: Button in seat 0 in odd hands. `me` is seat 0.
HANDS = (
    "1:50/100/0:10000,10000:b0:AhKd|7c7d|2h3h4h5c6d:r300c/kr600c/kk/kk:-900",  # the opponent calls, bets nothing
    "2:50/100/0:10000,10000:b1:2c3c|AsAd|:f:50",  # the opponent folds its button
    "3:50/100/0:10000,10000:b0:2c3c|AsAd|:f:-50",  # I fold: the opponent had no decision
    "4:50/100/0:10000,10000:b1:2c3c|AsAd|:r300f:-100",  # it raises, I fold
    "5:50/100/0:10000,10000:b0:AhKd|7c8d|2h3h4h:cr300c/r400f:-300",  # it raises, then bets, I fold... see below
    "6:50/100/0:10000,10000:b1:AhKd|7c8d|2h3h4h:cr300c/r400f:300",  # I raise, it calls, I bet, it folds
)


def remembered(*lines):
    memory = SessionMemory()
    for line in lines:
        parsed = hand_from_text(line)
        memory.add(result_for(parsed.hand, 0, parsed.number), parsed.hand.rules)
    return memory.text()


def test_nothing_is_said_before_the_first_hand_is_over():
    assert remembered() == ""


def test_every_statistic_has_its_numerator_and_denominator():
    text = remembered(*HANDS)
    assert "in 6 hands so far" in text
    # Chances: hands 1, 2, 4, 5, 6; it came in in 1, 4, 5, 6 and raised in 4 and 5.
    assert "(VPIP) 4/5" in text
    assert "(PFR) 2/5" in text
    # After the flop it called in hand 1 and bet in hand 5.
    assert "(aggression) 1/2" in text
    # It faced raises in hands 1 (twice: before the flop and on it) and 6 (twice), and folded to the last.
    assert "folded to a bet or raise 1/4" in text
    assert "went to showdown 1/6" in text
    assert f"{-900 + 50 - 50 - 100 - 300 + 300:+} chips" in text


def test_a_hand_that_was_shown_down_is_told_as_the_table_saw_it():
    text = remembered(HANDS[0])
    assert "- hand 1, you were the button: you Ah Kd (straight), opponent 7c 7d (straight), board 2h 3h 4h" in text
    assert (
        "preflop: you raiseTo 300, opponent call (200); flop: opponent check, you raiseTo 600, opponent call (600)"
        in text
    )
    assert text.endswith("you lost 900")


def test_folded_cards_are_never_told():
    text = remembered(*HANDS[1:])
    assert "reached the turn" not in text
    for card in ("As", "Ad", "7c", "8d"):
        assert card not in text


def test_a_hand_that_reached_the_turn_is_told_without_cards_that_were_not_shown():
    text = remembered("1:50/100/0:10000,10000:b0:AhKd|7c7d|2h3h4h5c:r300c/kk/r600f:-300")
    assert "- hand 1, you were the button: you Ah Kd, opponent not shown, board 2h 3h 4h 5c; preflop: " in text
    assert "7c" not in text
    assert "reached the turn" not in remembered("1:50/100/0:10000,10000:b0:AhKd|7c7d|2h3h4h:r300c/r600f:-300")


def test_all_hands_that_reached_the_turn_are_told_up_to_a_length():
    text = remembered(*[HANDS[0].replace("1:", f"{number}:", 1) for number in range(1, 200, 2)])
    assert "- hand 199," in text
    assert "- hand 1," not in text
    assert 20 < text.count("\n- hand ") < 50
    assert len(text) < HANDS_LENGTH + 1000


#: Seat 1 is the opponent, with the button in even hands.
THREE_BETS = {
    "1:50/100/0:10000,10000:b0:AhKd|7c7d|:r300r900f:-300": "(3-bet) 1/1",  # I raise, it raises again
    "1:50/100/0:10000,10000:b0:AhKd|7c7d|2h3h4h5c6d:r300c/kk/kk/kk:-300": "(3-bet) 0/1",
    "1:50/100/0:10000,10000:b0:AhKd|7c7d|:r10000f:100": "(3-bet) 0/0",  # it may not raise what is all-in
    "2:50/100/0:10000,10000:b1:AhKd|7c7d|:r300f:-100": "(3-bet) 0/0",  # its first raise is none
    "2:50/100/0:10000,10000:b1:AhKd|7c7d|:r300r900r3000f:-900": "(3-bet) 0/0",  # nor is its second
    "2:50/100/0:10000,10000:b1:AhKd|7c7d|:cr300r900f:-300": "(3-bet) 1/1",  # after its limp
}
C_BETS = {
    "2:50/100/0:10000,10000:b1:AhKd|7c7d|2h3h4h:r300c/kr600f:-300": "(c-bet) 1/1",
    "2:50/100/0:10000,10000:b1:AhKd|7c7d|2h3h4h5c:r300c/kk/r600f:300": "(c-bet) 0/1",
    "2:50/100/0:10000,10000:b1:AhKd|7c7d|2h3h4h:r300c/r600f:300": "(c-bet) 0/0",  # I bet first
    "1:50/100/0:10000,10000:b0:AhKd|7c7d|2h3h4h:r300c/r600f:-300": "(c-bet) 0/0",  # I had raised
    "2:50/100/0:10000,10000:b1:AhKd|7c7d|2h3h4h:ck/kr600f:-100": "(c-bet) 0/0",  # nobody had
}


@pytest.mark.parametrize(("line", "told"), [*THREE_BETS.items(), *C_BETS.items()])
def test_three_bets_and_continuation_bets_are_counted_as_trackers_do(line, told):
    assert told in remembered(line)
    parsed = hand_from_text(line)
    style = hand_style(parsed.hand, 1)
    ratio = style.three_bet if "3-bet" in told else style.c_bet
    assert told.endswith(f" {int(ratio.count)}/{ratio.of}")


def test_thoughts_belong_to_their_hand_and_are_bounded():
    memory = HandMemory()
    for number in range(20):
        memory.add(calling(3, number), f"thought {number}\nwith\tblanks " + "x" * 2000)
    text = memory.text(calling(3, 20))
    assert text.count("\n") == THOUGHTS
    assert "- flop, call: thought 19 with blanks xxx" in text
    assert len(text) < THOUGHTS * (THOUGHT_LENGTH + 50) + 100
    assert memory.text(calling(4, 0)) == ""
    memory.add(calling(4, 0), "new")
    assert "thought" not in memory.text(calling(4, 1)).split("\n", 1)[1]


def calling(number, actions):
    """Return what is seen after so many calls; such a hand cannot be, but its log is read alike."""
    log = (LoggedAction("flop", 0, "call", 100),) * actions
    return msgspec.structs.replace(seen(number), log=log)


def seen(number=1, *actions):
    deal = (((0, 1), (2, 3)), (4, 5, 6, 7, 8))
    hand = Hand(HandRules(50, 100, 0, None), deal, (10_000, 10_000), button=0)
    for action in actions:
        hand.apply(action)
    return observe(hand, number)


def exchange(text, outcome="reply"):
    place = {"game": GameLabel(1, "s", "AB"), "hand": 1, "decision": 0, "attempt": 1}
    return Exchange(key="", participant="m", prompt_hash="", outcome=outcome, text=text, **place)


@pytest.mark.parametrize(("memory", "reminded"), [("none", False), ("session", True)])
def test_a_reply_is_an_action_and_a_thought_for_the_rest_of_the_hand(memory, reminded):
    conversation = Conversation(LLMSettings(model="a:b", memory=memory))
    first = conversation.message(seen())
    reply = exchange('{"reasoning": "cheap", "kind": "raiseTo", "amount": 300}')
    assert conversation.take_reply(seen(), reply) == Action("raiseTo", 300)
    later = seen(1, Action("raiseTo", 300), Action("raiseTo", 600))
    assert ("- preflop, raiseTo 300: cheap" in conversation.message(later)) is reminded
    assert conversation.message(seen(2)) == first.replace("Hand 1.", "Hand 2.")


def test_what_led_to_an_illegal_action_is_not_remembered():
    conversation = Conversation(LLMSettings(model="a:b", memory="session"))
    first = conversation.message(seen())
    reply = exchange('{"reasoning": "all of it", "kind": "raiseTo", "amount": 10001}')
    assert conversation.take_reply(seen(), reply) == Action("raiseTo", 10_001)
    assert conversation.message(seen()) == first


@pytest.mark.parametrize(
    ("text", "outcome", "kind"), [("late", "timeout", "timeout"), ("what?", "reply", "unparsable")]
)
def test_what_is_no_reply_is_a_fault_by_its_kind(text, outcome, kind):
    conversation = Conversation(LLMSettings(model="a:b"))
    with pytest.raises(AgentFailed) as told:
        conversation.take_reply(seen(), exchange(text, outcome))
    assert told.value.kind == kind
