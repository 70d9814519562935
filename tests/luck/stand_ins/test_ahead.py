"""Looking ahead by stand-ins favours nobody, whatever they are like, and removes luck."""

from functools import cache
from statistics import fmean, stdev, variance

import numpy as np
import pytest

from molt_bench.luck.stand_ins import ahead
from molt_bench.luck.stand_ins.ahead import surpluses
from molt_bench.luck.stand_ins.learned import FIRST_HANDS, StandIns
from molt_bench.luck.stand_ins.visited import visited
from tests.luck.stand_ins.players import Stater, stated_game

MODES = {
    "reset": {"stack": 5000},
    "carry and antes": {"stack": 2500, "stacks": "carry", "ante": 20},
    "caps and warm-up": {"stack": 3000, "raise_cap": 2, "warmup_hands": 2, "max_actions": 7},
}
AGENTS = (0, 1)


@cache
def taught(mode="reset", games=12):
    """Return stand-ins that have learned from some games."""
    found = untaught()
    found.learn(visited(games_of(mode, games, "lesson"), AGENTS))
    return found


def untaught():
    """Return stand-ins for two agents of whom nothing is known."""
    found = StandIns()
    assert tuple(found.add_agent() for _ in AGENTS) == AGENTS
    return found


@cache
def games_of(mode, count, label):
    """Return games in both seatings of each deck, with the draws of their players."""
    return [
        stated_game((1.4, 0.6), seed=f"{label} {number // 2}", seating=("AB", "BA")[number % 2], **MODES[mode])
        for number in range(count)
    ]


def standard_errors(values):
    return fmean(values) / (stdev(values) / len(values) ** 0.5)


def in_seat_0(played, luck):
    """Return what each hand was worth to seat 0: without the luck of cards, and of dice as well."""
    without = {(game, number): won for game, hands in enumerate(played.won) for number, won in hands.items()}
    corrected = dict(without)
    for place, surplus in zip(played.places, luck.tolist(), strict=True):
        if place in corrected:
            corrected[place] += surplus
        else:
            assert not surplus, "a warm-up hand"
    return [*without.values()], [*corrected.values()]


@pytest.mark.parametrize("mode", MODES)
def test_every_draw_weighs_as_much_as_it_is_likely(mode):
    """At each decision, the surpluses of all that could have been drawn add up to 0, each times its odds."""
    played = visited(games_of(mode, 2, "drawn"), AGENTS)
    most = max(len(options.parts) for options in played.options if options)
    sums, size = np.zeros(len(played.options)), 0.0
    for number in range(most):
        other = [
            (options and number < len(options.parts) and options._replace(drawn=number)) or None
            for options in played.options
        ]
        luck = surpluses(played._replace(options=other), taught(mode), {})
        size = max(size, abs(luck).max())
        sums += luck * [options.parts[number].chance if options else 0.0 for options in other]
    assert size > 100
    assert abs(sums).max() < 1e-9 * size * most


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_the_mean_stays_and_the_variance_is_a_fraction(mode):
    played = visited(games_of(mode, 30, "measured"), AGENTS)
    without, corrected = in_seat_0(played, surpluses(played, taught(mode), {}))
    assert abs(standard_errors([new - old for new, old in zip(corrected, without, strict=True)])) < 3.5
    assert variance(corrected) < 0.6 * variance(without)


@pytest.mark.slow
def test_a_bot_that_can_be_asked_is_asked_and_more_luck_goes():
    games = games_of("reset", 30, "measured")[:12]
    played = visited(games, AGENTS)
    without, by_stand_ins = in_seat_0(played, surpluses(played, taught(), {}))
    both = {at: Stater("any", bold).policy for at, bold in zip(AGENTS, (1.4, 0.6), strict=True)}
    _, asked = in_seat_0(played, surpluses(played, StandIns(), both))
    assert variance(asked) < variance(by_stand_ins) < variance(without)
    one = surpluses(played, taught(), {0: both[0]})
    assert variance(in_seat_0(played, one)[1]) < variance(without)


@pytest.mark.slow
def test_a_policy_that_fails_where_nobody_was_changes_no_mean():
    def fails(seen):
        raise ValueError

    played = visited(games_of("reset", 30, "measured")[:12], AGENTS)
    without, corrected = in_seat_0(played, surpluses(played, taught(), {0: fails}))
    assert abs(standard_errors([new - old for new, old in zip(corrected, without, strict=True)])) < 3.5


def test_a_bot_and_a_model_without_odds():
    """The bot's own dice are taken out, with a stand-in for the model."""
    bot = Stater("bot").policy
    games = [(stated_game((1.0, 1.0), seed=f"bot {number}", stack=4000)[0], (None, bot)) for number in range(4)]
    played = visited(games, AGENTS)
    luck = surpluses(played, taught(), {1: bot})
    assert not luck[played.players == 0].any()
    assert luck[played.players == 1].any()


def test_nothing_is_known_of_an_agent_before_some_hands():
    few, games = untaught(), games_of("reset", 30, "measured")
    few.learn(visited(games[: FIRST_HANDS // 10 - 1], AGENTS))
    assert not few.knows(0)
    few.learn(visited(games[-2:], AGENTS))
    assert few.knows(0)
    assert few.knows(1)


def test_it_is_the_same_however_many_are_looked_at_together(monkeypatch):
    played = visited(games_of("reset", 4, "measured"), AGENTS)
    whole = surpluses(played, taught(), {})
    monkeypatch.setattr(ahead, "_TOGETHER", 7)
    assert surpluses(played, taught(), {}).tolist() == whole.tolist()


def test_chips_beyond_whole_numbers_are_left_alone():
    assert visited([stated_game((1.0, 1.0), seed="deep", hands=2, stack=1 << 45)], AGENTS) is None
