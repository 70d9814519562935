"""One learner against a bot: it passes Gymnasium's own check, and its games are those of the house."""

import warnings
from importlib.util import find_spec

import numpy as np
import pytest

from molt_bench import BUILTIN_AGENTS, Action, ConfigError, play_game
from molt_bench.plugins.adapters.policy_agent import PolicyAgent

pytestmark = pytest.mark.skipif(
    find_spec("gymnasium") is None or find_spec("pettingzoo") is None,
    reason="gymnasium and PettingZoo are not installed: make slow SUITE=adapters",
)
#: Gymnasium imports what is before the colon first.
NAME = "molt_bench.plugins.adapters.holdem_v0:molt_bench/Holdem-v0"


def made(**options):
    import gymnasium

    return gymnasium.make(NAME, **options)


def offered(seen, dice):
    return int(dice.choice(np.flatnonzero(seen["action_mask"])))


def played(env, seed):
    """Play an episode at random, and return what the learner saw and won."""
    dice = np.random.default_rng(seed)
    seen, _ = env.reset(seed=seed)
    views, won, over = [seen], 0.0, False
    while not over:
        seen, reward, ended, cut, _ = env.step(offered(seen, dice))
        views.append(seen)
        won, over = won + reward, ended or cut
    return views, won


@pytest.mark.parametrize("options", [{}, {"hands": 5, "opponent": "random"}, {"hands": 3, "stack": 500}])
def test_it_passes_the_check_of_gymnasium(options):
    from gymnasium.utils.env_checker import check_env

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*render.*")
        check_env(made(**options).unwrapped)


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_many_tables_play_at_once(mode):
    import gymnasium

    tables = gymnasium.make_vec(NAME, num_envs=3, vectorization_mode=mode, opponent="random", hands=2)
    dice, ended = np.random.default_rng(1), 0
    try:
        seen, _ = tables.reset(seed=7)
        assert seen["observation"].shape == (3, *tables.single_observation_space["observation"].shape)
        for _ in range(60):
            masks = seen["action_mask"]
            # A table whose game is over waits for its reset, and has nothing to choose.
            chosen = [int(dice.choice(np.flatnonzero(mask))) if mask.any() else 0 for mask in masks]
            seen, _, over, _, _ = tables.step(np.array(chosen))
            ended += int(over.sum())
    finally:
        tables.close()
    assert ended > 5


def test_the_same_seed_deals_the_same_games():
    one, other = played(made(opponent="random", hands=4), 3), played(made(opponent="random", hands=4), 3)
    assert one[1] == other[1]
    assert all(np.array_equal(a["observation"], b["observation"]) for a, b in zip(one[0], other[0], strict=True))


def test_rewards_are_what_the_learner_won_in_big_blinds():
    env = made(opponent="tag", hands=9)
    for seed in range(5):
        _, won = played(env, seed)
        assert 100 * won == pytest.approx(env.unwrapped.table.record.net[0])


def test_a_game_is_the_one_that_play_game_plays():
    """The learner goes all-in where it can; the bot plays exactly as it does elsewhere, with any size of raise."""
    env = made(opponent="maniac", hands=20)
    seen, _ = env.reset(seed=11, options={"seating": "AB"})
    over = False
    while not over:
        seen, _, over, _, _ = env.step(int(np.flatnonzero(seen["action_mask"])[-1]))
    policy = PolicyAgent(lambda seen: int(np.flatnonzero(seen["action_mask"])[-1]), name="player_0")
    same = play_game((policy, BUILTIN_AGENTS["maniac"](name="player_1")), seed=11, hands=20, max_retries=0)
    assert env.unwrapped.table.record.hand_texts == same.hand_texts


def test_games_that_the_bot_folds_at_once_are_skipped():
    env = made(opponent="folder")
    for seed in range(20):
        seen, _ = env.reset(seed=seed)
        assert seen["action_mask"].any()


class Listener:
    """An agent of one's own, which is told how hands end."""

    name = "listener"
    told = 0

    def act(self, seen):
        return Action("call") if seen.to_call else Action("check")

    def on_hand_complete(self, _result):
        Listener.told += 1


def test_an_agent_of_ones_own_is_the_opponent_and_is_told_how_hands_end():
    played(made(opponent=Listener, hands=6), 1)
    assert Listener.told >= 6


@pytest.mark.filterwarnings("ignore:coroutine")
def test_an_opponent_that_cannot_play_is_refused():
    class Slow(Listener):
        async def act(self, seen):
            return Action("fold")

    with pytest.raises(ConfigError, match="opponent = 'nobody'"):
        made(opponent="nobody")
    with pytest.raises(ConfigError, match="is not async"):
        made(opponent=Slow).reset(seed=1, options={"seating": "BA"})


def test_the_opponent_is_told_when_a_game_begins_and_when_it_has_ended():
    told = []

    class Bot:
        name = "bot"

        def reset(self):
            told.append("reset")

        def act(self, seen):
            return Action("call" if seen.to_call else "check")

        def close(self):
            told.append("close")

    table = made(opponent=Bot)
    table.reset(seed=1)
    table.reset()
    table.close()
    assert told == ["reset", "close", "reset", "close"]
