"""What the frozen weights do for players that they were not fitted to.

These bet by the strength of their hands, as those of the fit do, but were made otherwise: thresholds instead of gradual
chances, another measure of strength, one size, and at times a minimum raise or an all-in.
"""

from functools import cache

import numpy as np
import pytest

from molt_bench.agents.kinds import BUILTIN_AGENTS
from molt_bench.agents.scripted import ScriptedAgent, raise_by_pot
from molt_bench.agents.starting_hands import equity_against_best
from molt_bench.luck.chance import hand_luck
from molt_bench.luck.coefficients import FROZEN
from molt_bench.luck.dice import Folds, action_features, action_value, dice_terms
from molt_bench.luck.estimators import chance_luck
from molt_bench.play.drivers import play_game
from molt_bench.poker.actions import CALL, CHECK, FOLD, Action


class Stepper(ScriptedAgent):
    """Bets from a strength on, seldom below it; calls at a price; now and then it does the contrary, or pushes."""

    kind = "stepper"

    def __init__(self, *, bets, margin, bluffs, size, seed):
        super().__init__(seed=seed)
        self.bets, self.margin, self.bluffs, self.size = bets, margin, bluffs, size

    def act(self, observation):
        drawn = self.throw(observation) / 2**64
        for action, chance in self.policy(observation):
            drawn -= chance
            if drawn < 0:
                return action
        return action

    def policy(self, seen):
        strength = equity_against_best(tuple(sorted(seen.cards)), seen.board, 100)
        passive = CALL if seen.to_call else CHECK
        falls_back = passive if not seen.to_call or strength > seen.pot_odds + self.margin else FOLD
        if not seen.max_raise_to:
            return ((passive, 0.1), (falls_back, 0.9))
        chance = 0.85 if strength > self.bets else self.bluffs
        raises = (
            (raise_by_pot(seen, self.size), 0.8 * chance),
            (Action("raiseTo", seen.min_raise_to), 0.15 * chance),
            (Action("raiseTo", seen.max_raise_to), 0.05 * chance),
        )
        return (*raises, (passive, 0.1 * (1 - chance)), (falls_back, 0.9 * (1 - chance)))


STEPPERS = {
    "careful": {"bets": 0.7, "margin": 0.1, "bluffs": 0.03, "size": 60},
    "plain": {"bets": 0.6, "margin": 0.0, "bluffs": 0.12, "size": 90},
    "eager": {"bets": 0.5, "margin": -0.1, "bluffs": 0.3, "size": 130},
}
AMONG_THEMSELVES = [("careful", "plain"), ("plain", "eager"), ("eager", "careful"), ("plain", "plain")]
AGAINST_BOTS = [
    ("plain", "tag"),
    ("plain", "tight"),
    ("eager", "callstation"),
    ("careful", "maniac"),
    ("plain", "random"),
]


def player_of(name, seed):
    return Stepper(**STEPPERS[name], seed=seed) if name in STEPPERS else BUILTIN_AGENTS[name](seed=seed)


def game_of(record, policies):
    """Return for each hand what player A won with the cards removed, and the corrections of A and B, by either set."""
    swapped = record.seating == "BA"
    by_seat = policies[::-1] if swapped else policies
    folds, found = Folds(), np.zeros((record.hands, 3, len(FROZEN)))
    for row, (number, hand, _) in zip(found, record.replay(), strict=True):
        luck = hand_luck(hand)
        row[0] = [luck.all_in - chance_luck(luck.terms, weights) for weights in FROZEN]
        for term in dice_terms(hand, number, luck.equities, by_seat, 200):
            parts = action_features(term, folds.share(1 - term.seat))
            sign = -1 if term.seat else 1
            row[1 + (term.seat ^ swapped)] += [sign * action_value(parts, weights.actions) for weights in FROZEN]
        folds.add(hand)
    return -found if swapped else found


@cache
def played(pairing, stack, seeds=16):
    """Return the same for each hand in both seatings together."""
    players = player_of(pairing[0], "one"), player_of(pairing[1], "two")
    policies = tuple(getattr(player, "policy", None) for player in players)
    games = [
        sum(
            game_of(play_game(players, seed=f"held out {seed}", hands=40, stack=100 * stack, seating=seating), policies)
            for seating in ("AB", "BA")
        )
        for seed in range(seeds)
    ]
    return np.concatenate(games)


def ratios(pairing, stack):
    """Return the variance with corrections over that without: of A, of B and of both, by either set."""
    cards, first, second = np.moveaxis(played(pairing, stack), 1, 0)
    return [(cards + dice).var(axis=0) / cards.var(axis=0) for dice in (first, second, first + second)]


@pytest.mark.parametrize("stack", [pytest.param(20, marks=pytest.mark.slow), 120])
@pytest.mark.parametrize("pairing", [*AMONG_THEMSELVES, *AGAINST_BOTS], ids="-".join)
def test_a_correction_adds_no_variance(pairing, stack):
    assert np.max(ratios(pairing, stack)) < 1.02


@pytest.mark.parametrize("pairing", [("random", "tight"), ("random", "tag"), ("maniac", "callstation"), ("tag", "tag")])
def test_nor_does_it_between_built_in_bots(pairing):
    assert np.max(ratios(pairing, 100)) < 1.02


def test_known_dice_of_players_who_bet_by_strength_save_some_variance():
    found = np.array([ratios(pairing, 120) for pairing in AMONG_THEMSELVES])
    assert found[:, :2].mean() < 0.98
    assert found[:, 2].mean() < 0.95


def test_the_second_set_is_better_for_players_who_bet_by_strength_and_worse_for_those_who_never_do():
    def share(pairing):
        cards = played(pairing, 120)[:, 0].var(axis=0)
        return cards[1] / cards[0]

    assert np.mean([share(pairing) for pairing in AMONG_THEMSELVES]) < 0.97
    assert share(("tight", "callstation")) > 1.5
