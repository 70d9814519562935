"""The luck of draws: its mean over all that could have been drawn is 0, whatever the values."""

from math import fsum
from statistics import fmean, stdev, variance

import pytest

from molt_bench import Action, Mix, make_agent
from molt_bench.luck.dice import WEIGHTS, Folds, draw_luck
from molt_bench.luck.estimators import game_estimates
from molt_bench.luck.weights import ACTIONS
from molt_bench.play.play_games import play_game
from molt_bench.poker.actions import CALL, CHECK, FOLD
from molt_bench.poker.cards import deal_from_text
from molt_bench.poker.equity import street_equities
from molt_bench.poker.hand import Hand, HandRules
from molt_bench.poker.mix import RaiseRange

DEAL = deal_from_text("AhKd 7c7d 2h3h9h5c6d")


def played(*actions):
    """Return a finished hand of the big blind and the button, who is seat 0, with what it is worth street by street."""
    hand = Hand(HandRules(50, 100), DEAL, (3000, 3000), button=0)
    for action in actions:
        hand.apply(action)
    while hand.actor >= 0:
        hand.apply(FOLD if hand.to_call else CHECK)
    return hand


def luck(mixes, *actions):
    return draw_luck(played(*actions), mixes, street_equities(*DEAL), Folds(), max_actions=200)


BEFORE = {
    0: (),
    1: (Action("raiseTo", 300),),
    2: (CALL, CHECK),
    3: (CALL, CHECK, CHECK),
    4: (CALL, CHECK) + (CHECK,) * 2,
}
MIXES = [
    (0, Mix([(FOLD, 1), (CALL, 2), (Action("raiseTo", 250), 3)])),
    (0, Mix([(CALL, 1), (RaiseRange(200, 460), 3), (Action("raiseTo", 500), 1), (RaiseRange(900, 1100), 2)])),
    (0, Mix([(CALL, 1), *[(Action("raiseTo", size), 1 + size % 3) for size in range(200, 1200, 50)]])),
    (1, Mix([(FOLD, 3), (CALL, 1), (Action("raiseTo", 3000), 1)])),
    (2, Mix([(CHECK, 1), (RaiseRange(100, 900), 1)])),
    (3, Mix([(CHECK, 5), (Action("raiseTo", 2900), 2)])),
    (4, Mix([(CHECK, 2), (RaiseRange(100, 2900), 1)])),
]


def outcomes(mix):
    """Yield every action of a mix with its probability."""
    for entry, weight in mix.entries:
        if isinstance(entry, RaiseRange):
            count = entry.high - entry.low + 1
            yield from (
                (Action("raiseTo", size), weight / mix.total / count) for size in range(entry.low, entry.high + 1)
            )
        else:
            yield entry, weight / mix.total


@pytest.mark.parametrize(("at", "mix"), MIXES)
def test_the_mean_over_all_draws_is_0(at, mix):
    every = [(luck({at: mix}, *BEFORE[at], action), chance) for action, chance in outcomes(mix)]
    assert max(abs(value) for value, _ in every) > 1
    assert fsum([chance * value for value, chance in every]) == pytest.approx(0, abs=1e-8)


def test_a_decision_without_a_mix_has_no_luck():
    assert luck({}, Action("raiseTo", 300), CALL) == 0
    assert luck({0: Mix([(CALL, 7)])}, CALL) == 0


def test_a_fold_that_was_drawn_against_the_odds_costs_what_was_put_in():
    """The button folds a small blind that it would have called with nearly always: 50 chips, weighed."""
    drawn = luck({0: Mix([(FOLD, 1), (CALL, 999_999)])}, FOLD)
    called = luck({0: Mix([(FOLD, 999_999), (CALL, 1)])}, CALL)
    assert drawn == pytest.approx(-called, rel=1e-5)


def test_what_one_seat_gains_by_luck_the_other_loses():
    mix = Mix([(FOLD, 1), (CALL, 1)])
    alone = luck({1: mix}, Action("raiseTo", 3000), CALL)
    assert alone == pytest.approx(-luck({1: mix}, Action("raiseTo", 3000), FOLD))


def test_every_feature_has_a_weight():
    assert len(ACTIONS) == WEIGHTS


class Mixer:
    """Folds, calls and raises by any amount, whatever it holds."""

    name = "mixer"

    def act(self, observation):
        passive = CALL if observation.to_call else CHECK
        entries = [(passive, 4), *([(FOLD, 2)] if observation.to_call else [])]
        if observation.max_raise_to:
            entries.append((RaiseRange(observation.min_raise_to, observation.max_raise_to), 1))
        return Mix(entries)


def seed_pairs(count, hands=20):
    """Return both estimates of a mixer against a bot that does not mix, and its result without the luck of cards."""
    found = []
    for seed in range(count):
        both = [
            game_estimates(
                play_game((Mixer(), make_agent("callstation")), seed=f"draws {seed}", hands=hands, seating=each)
            )
            for each in ("AB", "BA")
        ]
        found.append(
            [sum(values) for values in zip(*[(e.raw, e.without_cards, e.adjusted) for e in both], strict=True)]
        )
    return list(zip(*found, strict=True))


@pytest.mark.parametrize("count", [60, pytest.param(1000, marks=pytest.mark.slow)])
def test_without_the_luck_of_draws_the_mean_is_the_same_and_less_varies(count):
    raw, cards, adjusted = seed_pairs(count)
    away = [one - two for one, two in zip(adjusted, raw, strict=True)]
    assert abs(fmean(away)) < 4 * stdev(away) / count**0.5
    assert variance(adjusted) < 0.7 * variance(cards)
