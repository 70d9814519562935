"""No estimator favours anyone in any kind of game: its margins have the mean of the raw ones, whatever the mode.

Cards may decide how many hands a game has, who is all-in by a blind alone, and when raising is closed. None of it may
find its way into the mean. The difference to the raw margin is taken seed pair by seed pair.
"""

from math import sqrt
from statistics import fmean, stdev

import numpy as np
import pytest

from molt_bench.agents.kinds import BUILTIN_AGENTS
from molt_bench.luck.estimators import margins_of
from molt_bench.play.match import play_match
from molt_bench.poker.actions import CALL, CHECK, FOLD
from molt_bench.records import ESTIMATORS

#: So many standard errors from 0 no mean of a few hundred is by chance.
MOST = 4.5
BOTS = ("shover", "tight", "random", "maniac", "callstation")
PAIRINGS = [(one, two) for at, one in enumerate(BOTS) for two in BOTS[at:]]


def a_mode(dice):
    """Draw a kind of game: blinds, antes, stacks and limits, each of which may be none or extreme."""

    def one_of(*values):
        return values[dice.randint(len(values))]

    big_blind = one_of(2, 100)
    ante = one_of(0, 0, 1, big_blind // 2, 2 * big_blind)
    return {
        "small_blind": one_of(0, big_blind // 2, big_blind),
        "big_blind": big_blind,
        "ante": ante,
        "stack": max(one_of(2, 3, 8, 30, 100, 300) * big_blind, big_blind + ante),
        "stacks": one_of("reset", "carry"),
        "raise_cap": one_of(None, None, 1, 2),
        "warmup_hands": one_of(0, 0, 2),
        "max_actions": one_of(200, 200, 1, 3),
    }


def played(pairing, mode, *, seeds, hands, name):
    """Play seed pairs; return the match and the margins of it."""
    makers = [lambda kind=kind, at=at: BUILTIN_AGENTS[kind](seed=at) for at, kind in enumerate(pairing)]
    result = play_match(tuple(makers), seeds=[f"{name} {number}" for number in range(seeds)], hands=hands, **mode)
    policies = tuple(getattr(make(), "policy", None) for make in makers)
    return result, margins_of(result, big_blind=mode["big_blind"], policies=policies)


def standard_errors(values):
    """Return how many standard errors the mean is from 0; rounding alone is none."""
    spread = stdev(values)
    return fmean(values) / (spread / sqrt(len(values))) if spread > 1e-9 else 0.0


def beyond_raw(margins):
    """Return for every estimator how many standard errors its mean is from that of the raw margins."""
    return {
        name: standard_errors([mine - raw for mine, raw in zip(margins[name], margins["raw"], strict=True)])
        for name in ESTIMATORS
    }


def cases(count, seed):
    """Draw kinds of games, and who plays them."""
    dice = np.random.RandomState(seed)
    for _ in range(count):
        mode = a_mode(dice)
        yield PAIRINGS[dice.randint(len(PAIRINGS))], mode


@pytest.mark.slow
def test_in_every_kind_of_game_each_estimator_has_the_mean_of_the_raw_margins():
    for number, (pairing, mode) in enumerate(cases(30, 11)):
        _, margins = played(pairing, mode, seeds=30, hands=4, name=f"mode {number}")
        assert all(abs(away) < MOST for away in beyond_raw(margins).values()), (pairing, mode, beyond_raw(margins))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_in_every_kind_of_game_each_estimator_has_the_mean_of_the_raw_margins_over_many_hands(seed):
    for number, (pairing, mode) in enumerate(cases(25, 100 + seed)):
        _, margins = played(pairing, mode, seeds=300, hands=8, name=f"long {seed} {number}")
        assert all(abs(away) < MOST for away in beyond_raw(margins).values()), (pairing, mode, beyond_raw(margins))


def test_stacks_that_are_carried_favour_nobody():
    """The shover goes broke, or breaks the other, whenever it is called: the cards decide how long a game is."""
    mode = {"stacks": "carry", "stack": 2000, "big_blind": 100}
    _, margins = played(("shover", "tight"), mode, seeds=150, hands=20, name="carried")
    assert all(abs(away) < 4 for away in beyond_raw(margins).values()), beyond_raw(margins)


class CallsOnce:
    """Calls once, in the second hand: if it loses there it is broke, and if it wins the game goes on.

    In one of its seats only, since in both the same cards would cancel out.
    """

    name = "once"

    def act(self, observation):
        if not observation.to_call:
            return CHECK
        return CALL if (observation.hand_number, observation.seat) == (2, 0) else FOLD


def test_a_margin_a_hand_that_was_played_would_be_biased():
    """With stacks that are carried cards decide how many those are: whoever wins the short games would be favoured."""
    players = (BUILTIN_AGENTS["shover"], CallsOnce)
    result = play_match(
        players, seeds=[f"once {number}" for number in range(250)], hands=20, stacks="carry", stack=1000
    )
    margins = margins_of(result, big_blind=100)
    assert all(abs(away) < 4 for away in beyond_raw(margins).values())
    by_played = [
        (even - raw) * pair.nominal_hands / pair.hands
        for even, raw, pair in zip(margins["allIn"], margins["raw"], result.seed_results, strict=True)
    ]
    assert abs(standard_errors(by_played)) > 5


def test_a_margin_is_chips_by_the_hands_that_the_config_asks_for():
    players = (BUILTIN_AGENTS["shover"], CallsOnce)
    result = play_match(players, seeds=range(12), hands=20, stacks="carry", stack=1000)
    short = [at for at, pair in enumerate(result.seed_results) if pair.net and pair.hands < 40]
    assert short
    margins = margins_of(result, big_blind=100)
    for at in short:
        assert margins["raw"][at] == pytest.approx(1000 * result.seed_results[at].net / 100 / 40)
