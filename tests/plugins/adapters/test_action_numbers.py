"""Numbers for actions offer what is legal, and what learners see is what their seat sees."""

import numpy as np
import pytest

from molt_bench import check_agent, make_agent, play_game
from molt_bench.plugins.adapters.action_numbers import action_of, mask_of
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
    for seen in decisions(options):
        offered = [action_of(seen, number) for number in np.flatnonzero(mask_of(seen))]
        assert all(seen.legal.allows(action) for action in offered)
        assert len({(action.kind, action.amount) for action in offered}) == len(offered)


def test_the_menu_is_fold_call_the_smallest_raise_shares_of_the_pot_and_all_in():
    seen = decisions({})[0]
    assert seen.legal == LegalActions(50, 200, 10_000)
    # The pot after a call is 200, so that half of it is the smallest raise.
    assert mask_of(seen).tolist() == [1, 1, 1, 0, 1, 1, 1]
    amounts = [action_of(seen, number) for number in (0, 1, 2, 4, 5, 6)]
    raises = [Action("raiseTo", amount) for amount in (200, 300, 500, 10_000)]
    assert amounts == [Action("fold"), Action("call"), *raises]


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
