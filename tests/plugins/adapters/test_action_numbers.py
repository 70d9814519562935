"""Numbers for actions offer what is legal, and what learners see is what their seat sees."""

import numpy as np
import pytest

from molt_bench import ConfigError, check_agent, make_agent, play_game
from molt_bench.plugins.adapters.action_numbers import SizeMenu
from molt_bench.plugins.adapters.observation_arrays import VIEW_LENGTH, view_of
from molt_bench.plugins.adapters.policy_agent import PolicyAgent
from molt_bench.poker.actions import Action, LegalActions

GAMES = [
    {},
    {"stack": 1_000, "stacks": "carry"},
    {"stack": 150, "ante": 10},
    {"raise_cap": 2, "big_blind": 1, "small_blind": 0},
]


class Watcher:
    """Keeps what it saw, and plays at random."""

    def __init__(self):
        self.name = "watcher"
        self.seen = []
        self._random = make_agent("random")

    def act(self, observation):
        self.seen.append(observation)
        return self._random.act(observation)


def decisions(options):
    players = Watcher(), Watcher()
    play_game(players, seed=5, hands=15, **options)
    return players[0].seen + players[1].seen


@pytest.mark.parametrize("options", GAMES, ids=str)
def test_everything_that_the_menu_offers_is_legal_and_each_raise_another(options):
    menu = SizeMenu()
    for seen in decisions(options):
        offered = [menu.action(seen, number) for number in np.flatnonzero(menu.mask(seen))]
        assert all(seen.legal.allows(action) for action in offered)
        assert len({(action.kind, action.amount) for action in offered}) == len(offered)


@pytest.mark.parametrize("options", GAMES, ids=str)
def test_a_number_that_is_offered_stands_for_an_action_that_has_this_number(options):
    menu = SizeMenu()
    for seen in decisions(options):
        for number in np.flatnonzero(menu.mask(seen)):
            assert menu.number(seen, menu.action(seen, int(number))) == number


def test_a_raise_between_two_sizes_has_the_number_of_the_closer_one():
    seen = decisions({})[0]
    assert seen.legal == LegalActions(50, 200, 10_000)
    numbers = [SizeMenu().number(seen, Action("raiseTo", amount)) for amount in (200, 260, 6_000)]
    assert numbers == [2, 4, 6]  # the pot after a call is 200, so that half of it is the smallest raise


@pytest.mark.parametrize("percents", [(0,), (100, 50), (50, 50), (0.5,)])
def test_sizes_have_to_rise(percents):
    with pytest.raises(ConfigError, match="pot_percents"):
        SizeMenu(percents)


@pytest.mark.parametrize("options", GAMES, ids=str)
def test_a_view_has_the_own_cards_and_the_board_and_shares_of_all_chips(options):
    for seen in decisions(options):
        view = view_of(seen)
        assert view.shape == (VIEW_LENGTH,)
        assert {*np.flatnonzero(view[:52])} == {*seen.cards}
        assert {*np.flatnonzero(view[52:104])} == {*seen.board}
        assert view.min() >= 0
        assert view.max() <= 1
        goes_back = max(0, seen.bets[1 - seen.seat] - seen.bets[seen.seat] - seen.stack)
        # The pot and both stacks are all chips but for those that cannot be called.
        assert view[109:112].sum() == pytest.approx(1 - goes_back / sum(seen.starting_stacks))


def test_a_policy_is_an_agent_that_is_fit_to_play():
    def lowest(seen):
        return int(np.flatnonzero(seen["action_mask"])[0])

    report = check_agent(PolicyAgent(lowest, name="lowest"), hands=10)
    assert report.ok, str(report)
