"""The environment passes PettingZoo's own tests, and its games are those of the house."""

import warnings
from importlib.util import find_spec

import numpy as np
import pytest

from molt_bench import BUILTIN_AGENTS, Action, ConfigError, play_game

pytestmark = pytest.mark.skipif(
    find_spec("pettingzoo") is None, reason="PettingZoo is not installed: make slow SUITE=adapters"
)

GAMES = [{}, {"hands": 5}, {"stack": 1_000}, {"hands": 30, "stacks": "carry", "stack": 500}]


@pytest.fixture(scope="module")
def holdem():
    from molt_bench.plugins.adapters import holdem_v0

    return holdem_v0


def played(table, seed, **options):
    """Play a game at random, and return the sum of everyone's rewards."""
    dice, won = np.random.default_rng(seed), {"player_0": 0.0, "player_1": 0.0}
    table.reset(seed=seed, **options)
    for name in table.agent_iter():
        seen, reward, over, cut, _ = table.last()
        won[name] += reward
        table.step(None if over or cut else int(dice.choice(np.flatnonzero(seen["action_mask"]))))
    return won


@pytest.mark.parametrize("options", GAMES, ids=str)
def test_it_passes_the_api_test(holdem, options):
    """All that it warns about is that an observation is a dict, as it must be with a mask."""
    from pettingzoo.test import api_test

    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        api_test(holdem.env(**options), num_cycles=200)
    assert {str(each.message).split(" ")[-1] for each in said} <= {"array", "gymnasium.spaces.discrete"}


@pytest.mark.parametrize("options", GAMES, ids=str)
def test_it_passes_the_seed_test(holdem, options):
    from pettingzoo.test import seed_test

    seed_test(lambda: holdem.env(**options), 100)


@pytest.mark.parametrize("seating", ["AB", "BA"])
def test_a_game_is_the_one_that_play_game_plays(holdem, seating):
    table = holdem.env(hands=20, stacks="carry", stack=3_000)
    bots = [BUILTIN_AGENTS[bot](name=name) for bot, name in (("random", "player_0"), ("tag", "player_1"))]
    table.reset(seed=11, options={"seating": seating})
    inner = table.unwrapped
    while inner.seen is not None:
        inner.play(bots[inner.agent_selection == "player_1"].act(inner.seen))
    bots = [BUILTIN_AGENTS[bot](name=name) for bot, name in (("random", "player_0"), ("tag", "player_1"))]
    same = play_game(bots, seed=11, hands=20, stacks="carry", stack=3_000, seating=seating, max_retries=0)
    assert inner.record.hand_texts == same.hand_texts
    assert inner.record.net == same.net


@pytest.mark.parametrize("options", GAMES, ids=str)
def test_rewards_are_what_was_won_in_big_blinds(holdem, options):
    table = holdem.env(**options)
    for seed in range(5):
        won = played(table, seed)
        assert [100 * each for each in won.values()] == pytest.approx(table.unwrapped.record.net)


def test_games_after_a_reset_without_a_seed_go_on_from_it_the_same_way(holdem):
    def texts():
        table = holdem.env()
        found = []
        for seed in (7, None, None):
            table.reset(seed=seed)
            found.append((table.unwrapped.seen.cards, table.agent_selection))
        return found

    assert texts() == texts()
    assert len({cards for cards, _ in texts()}) == 3


def test_both_players_have_the_button_in_about_half_of_the_games(holdem):
    table = holdem.env()
    first = 0
    for seed in range(100):
        table.reset(seed=seed)
        first += table.agent_selection == "player_0"
    assert 30 < first < 70


def test_an_illegal_action_folds_the_hand_and_is_recorded(holdem):
    table = holdem.env()
    table.reset(seed=1, options={"seating": "AB"})
    table.unwrapped.play(Action("raiseTo", 2))
    record = table.unwrapped.record
    assert record.net == (-50, 50)
    assert [(fault.kind, fault.player, fault.forced_fold) for fault in record.faults] == [("illegal", 0, True)]


def test_a_number_out_of_range_is_refused(holdem):
    table = holdem.raw_env()
    table.reset(seed=1)
    with pytest.raises(ConfigError, match="action = 7: expected 0 to 6"):
        table.step(7)


def test_who_is_not_to_act_sees_nothing_new_and_has_no_action(holdem):
    table = holdem.env()
    table.reset(seed=1)
    other = next(name for name in table.agents if name != table.agent_selection)
    seen = table.observe(other)
    assert not seen["action_mask"].any()
    assert not seen["observation"].any()


def test_it_can_be_drawn_as_text(holdem):
    table = holdem.env(render_mode="ansi")
    table.reset(seed=1)
    assert table.unwrapped.seen.cards_text in table.render()


def test_what_players_see_ends_with_the_betting(holdem):
    table = holdem.env()
    table.reset(seed=1, options={"seating": "AB"})
    for number in (2, 2, 1, 1):  # two small raises and a call, then a check
        table.step(number)
    betting = table.last()[0]["observation"][117:].reshape(4, 8, 4)
    # Of 20,000 chips in play. The button, player_0, is to act after the check of the other on the flop.
    expected = np.zeros((4, 8, 4))
    expected[0, :3] = [(1, 0, 1, 0.01), (0, 1, 1, 0.015), (1, 0, 0, 0)]
    expected[1, 0] = (0, 1, 0, 0)
    assert betting == pytest.approx(expected)
