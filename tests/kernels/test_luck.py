"""The compiled kernel takes the same luck out of a game as its twin in Python, to the last bit."""

import random  # noqa: TID251 - odd texts, not cards

import pytest

from molt_bench import Action, Mix, RaiseRange, make_agent, play_game
from molt_bench.kernels import compiled
from molt_bench.luck import estimators
from molt_bench.seeds import derive

pytestmark = pytest.mark.skipif(compiled is None, reason="the kernels were not compiled, or are turned off")


class Mixer:
    """States mixes of all kinds; now and then one that is refused, until its hand is folded for it."""

    def __init__(self, name):
        self.name = name
        self.asked = 0

    def act(self, seen):
        self.asked += 1
        roll = derive(self.asked, self.name)
        if roll % 50 == 0 or (roll % 50 == 1 and seen.previous_error):
            return Mix([(Action("call" if not seen.to_call else "check"), 1)])
        entries = [(Action("call" if seen.to_call else "check"), 1 + roll % 7)]
        if seen.to_call or roll % 11 == 0:
            entries.append((Action("fold"), 1 + roll % 3))
        low, high = seen.min_raise_to, seen.max_raise_to
        if high and roll % 4:
            middle = (low + high) // 2
            entries.append((Action("raiseTo", low), 2) if roll % 2 else (RaiseRange(low, low), 1))
            if low < middle:
                entries.append((RaiseRange(low + 1, middle), 1 + roll % 4))
            if middle < high and roll % 3:
                entries.append((RaiseRange(middle + 1, high), 1))
        return Mix(entries)


GAMES = [
    {},
    {"stack": 100, "ante": 0},
    {"stack": 130, "ante": 30},
    {"stack": 700, "ante": 25, "stacks": "carry", "warmup_hands": 5},
    {"stack": 400, "small_blind": 1, "big_blind": 2, "raise_cap": 2},
    {"stack": 2000, "small_blind": 0, "big_blind": 1, "max_actions": 6},
    {"stack": 2**53, "small_blind": 2**40, "big_blind": 2**41},
    {"max_retries": 0, "small_blind": 100},
]


@pytest.mark.parametrize("seating", ["AB", "BA"])
@pytest.mark.parametrize("options", GAMES)
def test_luck_is_the_same(options, seating):
    for players in ((Mixer("one"), Mixer("two")), (make_agent("tag"), Mixer("three"))):
        record = play_game(players, seed="kernel", hands=150, seating=seating, **options)
        found = estimators.hands_luck(record)
        assert found == estimators._hands_luck(record)[record.spec.warmup_hands :]
        assert len(found) == record.hands


def luck_of(texts, mixes=()):
    return compiled.game_luck(texts, mixes or ("",) * len(texts), estimators._tables())


def test_odd_texts_do_no_harm():
    record = play_game((Mixer("one"), Mixer("two")), seed="odd", hands=20)
    chance = random.Random(1)
    assert luck_of(record.hand_texts, record.mixes)
    for _ in range(3000):
        text, mix = ("".join(chance.choice(record.hand_texts)), chance.choice(record.mixes))
        for _ in range(chance.randint(1, 4)):
            at = chance.randrange(len(text))
            text = text[:at] + chance.choice(["", "/", ":", "r", "9" * 30, "|", "As", "\x00", "é"]) + text[at + 1 :]
            mix = mix[: chance.randrange(len(mix) + 1)] + chance.choice(["", "1", ";", ",", "r", "-", ":"])
        luck_of((text,), (mix,))


def test_odd_arguments_are_refused_as_without_the_kernel():
    texts = ("1:50/100/0:10000,10000:b0:AhAd|KsKc|:f:-50",)
    assert luck_of(texts) is not None
    for odd in (("",), ("1:50",), ("1:50/100/0:10000,10000:b0:AhAh|KsKc|:f:-50",)):
        assert luck_of(odd) is None
    assert luck_of(texts, ("", "")) is None
    assert compiled.game_luck(texts, (), estimators._tables()) is None
    assert compiled.game_luck(texts, ("",), b"") is None
    for odd in (list(texts), (1,)):
        with pytest.raises(TypeError):
            luck_of(odd)
