"""The prompt: complete, exact, and stable where it can be."""

import msgspec
import pytest

from molt_bench.errors import ConfigError, IllegalAction
from molt_bench.llm.gateway import Gateway
from molt_bench.llm.prompt import MADE_HANDS, action_text, decision_prompt, default_skill, made_hand, system_prompt
from molt_bench.llm.settings import LLMSettings
from molt_bench.poker.actions import Action
from molt_bench.poker.cards import cards_from_text, deal_from_text
from molt_bench.poker.hand import Hand, HandRules
from molt_bench.poker.play_statistics import table_steps
from molt_bench.poker.views import observe
from molt_bench.runs.replies import Replies
from molt_bench.specs import GameSpec


def a_hand(*actions, ante=0, cap=None, stacks=(10_000, 10_000), cards="AhKd 7c7d 2h3h4h5c6d", button=0):
    hand = Hand(HandRules(50, 100, ante, cap), deal_from_text(cards), stacks, button=button)
    for action in actions:
        hand.apply(action)
    return hand


def prompt_of(*actions, number=7, previous_error=None, **options):
    hand_options = {name: options.pop(name) for name in ("ante", "cap", "stacks", "cards", "button") if name in options}
    observation = observe(a_hand(*actions, **hand_options), number)
    if previous_error is not None:
        observation = msgspec.structs.replace(observation, previous_error=previous_error)
    asked = {name: options.pop(name) for name in ("game", "memory", "thoughts", "rejected") if name in options}
    return decision_prompt(observation, LLMSettings(model="a:b", **options), **asked)


RAISED = (Action("raiseTo", 300), Action("call"), Action("raiseTo", 600))


def test_it_says_everything_a_player_at_the_table_knows():
    assert prompt_of(*RAISED) == (
        "Game: blinds 50/100, no ante.\n"
        "\n"
        "Hand 7. You have the button (small blind), your opponent is the big blind.\n"
        "Your cards: Ah Kd\n"
        "Board (flop): 2h 3h 4h\n"
        "Stacks at the start: you 10000 (100 bb), opponent 10000 (100 bb)\n"
        "Stacks now: you 9700 (97 bb), opponent 9100 (91 bb)\n"
        "Bets on this street: you 0, opponent 600\n"
        "Actions: preflop: you raiseTo 300, opponent call (200); flop: opponent raiseTo 600\n"
        "Pot, with the bets of this street: 1200 (12 bb)\n"
        "To call: 600 (6 bb); pot odds 0.333 (600 of a pot of 1800)\n"
        "Legal actions: fold, call (600), raiseTo 1200..9700\n"
        "\n"
        'Think first, then end your reply with one JSON object: {"kind": "fold" | "call" | "raiseTo", '
        '"amount": the total to raise to (1200 to 9700), or null}'
    )


def test_the_big_blind_is_told_its_own_view():
    text = prompt_of(Action("call"), number=1)
    assert "You are the big blind, your opponent has the button (small blind)." in text
    assert "Your cards: 7c 7d\nBoard (preflop): none yet" in text
    assert "Actions: preflop: opponent call (50)" in text
    assert "To call: 0, checking is free" in text
    assert "Legal actions: fold, check, raiseTo 200..10000" in text


def test_without_a_raise_no_amount_is_asked_for():
    text = prompt_of(Action("raiseTo", 10_000))
    assert "Legal actions: fold, call (9900)" in text
    assert text.endswith('"kind": "fold" | "call", "amount": null}')


def test_ante_and_cap_are_part_of_the_game():
    assert prompt_of(ante=10, cap=4).startswith("Game: blinds 50/100, ante 10, at most 4 bets and raises a street.\n")


def test_the_track_bare_tells_neither_odds_nor_what_is_legal():
    standard, bare = (prompt_of(*RAISED, track=track) for track in ("standard", "bare"))
    for words in ("pot odds", "Legal actions:", "1200"):
        assert words in standard
    assert "To call: 600 (6 bb)\n" in bare
    assert not {"odds", "Legal", "9700)"} & {word for word in ("odds", "Legal", "9700)") if word in bare}
    assert bare.endswith('"kind": "fold" | "check" | "call" | "raiseTo", "amount": the total to raise to, or null}')
    assert "free" not in prompt_of(Action("call"), number=1, track="bare")


FACTS = GameSpec(seed=0, hands=50).facts


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({}, "50 hands. Both stacks are 10000 (100 bb) at the start of every hand."),
        ({"hands": 1}, " 1 hand. Both"),
        ({"warmup_hands": 5}, "55 hands. The first 5 of them do not count. Both"),
        ({"stacks": "carry"}, "10000 (100 bb) at first; then they carry over from hand to hand. The game ends early"),
        ({"stacks": "carry", "warmup_hands": 5}, "at first, and once more when the hands begin that count; then"),
    ],
)
def test_it_says_how_many_hands_there_are_and_what_becomes_of_stacks(changed, told):
    text = prompt_of(*RAISED, game=msgspec.structs.replace(FACTS, **changed))
    assert told in text.partition("\n")[0]
    dealt = changed.get("hands", 50) + changed.get("warmup_hands", 0)
    assert f"Hand 7 of {dealt}. You have the button" in text


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("ante", [0, 10])
def test_the_number_of_a_call_is_what_it_added_wherever_it_stands(seat, ante):
    """What `call (N)` offers before a call is what it says after it, blinds, raises and short stacks included."""
    for stacks in ((10_000, 10_000), (10_000, 450), (120, 10_000), (10_000, 130)):
        for actions in ((), (Action("raiseTo", 300),), (Action("raiseTo", 300), Action("raiseTo", 400))):
            hand = a_hand(ante=ante, stacks=stacks, button=seat)
            try:
                for action in actions:
                    hand.apply(action)
            except IllegalAction:
                continue
            if not hand.to_call:
                continue
            offered, actor = f"call ({hand.to_call})", hand.actor
            assert offered in str(hand.legal_actions())
            hand.apply(Action("call"))
            steps = table_steps(hand.rules, hand.starting_stacks, hand.button, tuple(hand.log))
            assert f"you {offered}" in action_text(steps, actor)


@pytest.mark.parametrize("form", ["action", "strategy"])
def test_the_skill_document_says_what_a_call_is(form):
    assert "`call (N)` means a call that adds N chips" in default_skill(form)


@pytest.mark.parametrize(
    ("cards", "board", "name"),
    [
        ("AhKd", "", "high card"),
        ("7c7d", "", "pair"),
        ("AhKd", "2h3h4h", "high card"),
        ("7c7d", "2h3h4h5c6d", "straight"),
        ("7c7d", "7h3h3c", "full house"),
        ("AhKh", "QhJhTh", "straight flush"),
    ],
)
def test_made_hands_have_the_names_of_the_skill_document(cards, board, name):
    first, second = cards_from_text(cards)
    assert made_hand((first, second), cards_from_text(board)) == name
    assert name in MADE_HANDS
    assert name in default_skill()


def test_what_changes_least_comes_first():
    """The game, then the session, then the hand, then the error: so that a provider's cache is hit as far as can be."""
    text = prompt_of(*RAISED, memory="MEMORY", thoughts="THOUGHTS", previous_error="ERROR")
    places = [text.index(part) for part in ("Game:", "MEMORY", "Hand 7", "THOUGHTS", "ERROR", "Think first")]
    assert places == sorted(places)
    assert "Your last answer was not taken: ERROR" in text


def test_a_retry_shows_the_answer_that_was_not_taken():
    text = prompt_of(*RAISED, previous_error="ERROR", rejected="call, I think")
    assert "Your last answer was:\ncall, I think\n\nYour last answer was not taken: ERROR" in text
    assert "call, I think" not in prompt_of(*RAISED, rejected="call, I think")
    long = prompt_of(*RAISED, previous_error="ERROR", rejected="a" * 50_000 + "z")
    assert "aaa\n[...]\naaa" in long
    assert "az\n" in long
    assert len(long) < 3000


def test_two_decisions_of_a_game_differ_only_behind_the_part_that_stays():
    first, second = prompt_of(number=1, memory="M"), prompt_of(*RAISED, number=9, memory="M")
    assert first.split("Hand ")[0] == second.split("Hand ")[0] == "Game: blinds 50/100, no ante.\n\nM\n\n"


def test_our_skill_document_has_rules_and_no_strategy():
    text = default_skill().lower()
    for word in ("small blind", "big blind", "showdown", "raiseto", '"kind"', '"amount"'):
        assert word in text
    text += default_skill("strategy").lower()
    for word in ("bluff", "pot odds", "position is", "aggressive", "tight", "premium", "you should", "range of hands"):
        assert word not in text


def test_a_skill_document_is_used_verbatim(tmp_path):
    file = tmp_path / "skill.md"
    file.write_bytes(b"  Spiel gut!\r\n\xe2\x99\xa0\n\n")
    assert system_prompt(LLMSettings(model="a:b", skill_doc=str(file))) == "  Spiel gut!\r\n♠\n\n"


@pytest.mark.parametrize("content", [None, b"\xff\xfe"])
def test_a_skill_document_that_cannot_be_read_is_an_error_that_names_it(tmp_path, content):
    file = tmp_path / "skill.md"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ConfigError, match=r"skillDoc.*skill\.md"):
        system_prompt(LLMSettings(model="a:b", skill_doc=str(file)))


def test_of_a_recorded_skill_document_the_file_is_not_read_again():
    recorder = Replies()
    recorder.skills = {"model": "Play well.\n"}
    settings = LLMSettings(model="openai:test", base_url="http://127.0.0.1:9/v1", skill_doc="no-such.md")
    Gateway({"model": settings}, recorder=recorder)
    with pytest.raises(ConfigError, match=r"skillDoc.*no-such\.md"):
        Gateway({"model": settings})
