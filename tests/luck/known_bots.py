"""Small bots that say how they play every hole, and values that are right or wrong, for tests of `aivat`."""

from typing import NamedTuple

import numpy as np

from molt_bench.agents.scripted import ScriptedAgent, raise_by_pot
from molt_bench.poker.actions import CALL, CHECK, FOLD, Action
from molt_bench.poker.range_equity import hole_cards, hole_number
from molt_bench.seeds import derive


class RangePolicy(NamedTuple):
    """What a bot can do at a decision, with the probabilities for every hole."""

    actions: tuple
    chances: np.ndarray


def strength_of_all(board):
    """Return a number from 0 to 1 for every hole: its ranks, and whether one of them is on the board."""
    ranks = hole_cards() >> 2
    high, low = ranks.max(axis=1), ranks.min(axis=1)
    found = (high + low) / 48 + (high == low) * 0.3
    on_board = {card >> 2 for card in board}
    paired = np.isin(ranks, list(on_board)).any(axis=1) if on_board else np.zeros(len(ranks), bool)
    return np.clip(found + 0.4 * paired, 0, 1)


class Habits(ScriptedAgent):
    """Bets and calls the more, the better its cards look; folds, checks, bets half the pot, two pots, or all-in."""

    kind = "habits"

    def range_policy(self, observation):
        strong = strength_of_all(observation.board)
        passive = CALL if observation.to_call else CHECK
        actions, weights = [passive], [0.3 + 0 * strong]
        if observation.to_call:
            actions.append(FOLD)
            weights.append((1 - strong) ** 2)
        if observation.max_raise_to:
            # Two sizes may be the same number of chips.
            actions += [raise_by_pot(observation, 50), raise_by_pot(observation, 200)]
            actions.append(Action("raiseTo", observation.max_raise_to))
            weights += [0.1 + strong / 2, strong**2, 0.02 + strong**4 / 4]
        chances = np.array(weights).T
        return RangePolicy(tuple(actions), chances / chances.sum(axis=1, keepdims=True))

    def policy(self, observation):
        actions, chances = self.range_policy(observation)
        return tuple(zip(actions, chances[hole_number(observation.cards)].tolist(), strict=True))

    def act(self, observation):
        drawn, chosen = self.throw(observation) / 2**64, None
        for action, chance in self.policy(observation):
            if drawn >= 0:
                chosen = action
            drawn -= chance
        return chosen


class NoValues:
    """Nothing is worth anything."""

    def hand_values(self, state, seat):
        return np.zeros(1326)

    def hand_value(self, state, seat, hole):
        return float(self.hand_values(state, seat)[hole_number(hole)])

    def board_values(self, state, seat, hole, boards):
        return np.zeros(len(boards))


class WildValues(NoValues):
    """Values without any sense, but large: a hash of the actions, the board and the hole."""

    def hand_values(self, state, seat):
        mixed = derive(0, "wild", str(state.log), str(sorted(state.board)), seat)
        return 1_000 * np.sin(np.arange(1326) * (mixed % 97) + mixed % 1013)

    def board_values(self, state, seat, hole, boards):
        mixed = derive(0, "wild", str(state.log), seat) % 1013
        return 1_000 * np.sin(boards @ np.arange(1, boards.shape[1] + 1) * hole_number(hole) + mixed)


class RankValues(NoValues):
    """A share of the pot by how good the cards look: rough, but of use."""

    def hand_values(self, state, seat):
        return self._worth(state, strength_of_all(state.board))

    def board_values(self, state, seat, hole, boards):
        ranks = np.array([card >> 2 for card in hole])
        paired = (boards[:, :, None] >> 2 == ranks).any(axis=(1, 2))
        plain = strength_of_all(())[hole_number(hole)]
        return self._worth(state, np.clip(plain + 0.4 * paired, 0, 1))

    @staticmethod
    def _worth(state, strong):
        hand = state.opening()
        for done in state.log:
            hand.apply(Action(done.kind, done.amount))
        matched = min(hand.chips_in(0), hand.chips_in(1))
        return 3 * matched * strong - matched
