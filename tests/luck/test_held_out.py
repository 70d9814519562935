"""What the frozen weights do for players that they were not fitted to.

These bet by the strength of their hands, as those of the fit do, but were made otherwise.
"""

from functools import cache

import numpy as np
import pytest
from luck_players import STEPPERS, Stepper

from molt_bench.agents.kinds import BUILTIN_AGENTS
from molt_bench.luck.cards.card_luck import chance_luck, hand_luck
from molt_bench.luck.coefficients import FROZEN
from molt_bench.luck.dice.draws import Folds, action_features, action_value, dice_terms
from molt_bench.play.play_games import play_game

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
    # With short stacks a few all-ins make most of the variance of a few games.
    cards, first, second = np.moveaxis(played(pairing, stack, 64 if stack <= 20 else 16), 1, 0)
    return [(cards + dice).var(axis=0) / cards.var(axis=0) for dice in (first, second, first + second)]


@pytest.mark.slow
@pytest.mark.parametrize("stack", [20, 120])
@pytest.mark.parametrize("pairing", [*AMONG_THEMSELVES, *AGAINST_BOTS], ids="-".join)
def test_a_correction_adds_no_variance(pairing, stack):
    assert np.max(ratios(pairing, stack)) < 1.02


@pytest.mark.slow
@pytest.mark.parametrize("pairing", [("random", "tight"), ("random", "tag"), ("maniac", "callstation"), ("tag", "tag")])
def test_nor_does_it_between_built_in_bots(pairing):
    assert np.max(ratios(pairing, 100)) < 1.02


@pytest.mark.slow
def test_known_dice_of_players_who_bet_by_strength_save_some_variance():
    found = np.array([ratios(pairing, 120) for pairing in AMONG_THEMSELVES])
    assert found[:, :2].mean() < 0.98
    assert found[:, 2].mean() < 0.95


@pytest.mark.slow
def test_the_second_set_is_better_for_players_who_bet_by_strength_and_worse_for_those_who_never_do():
    def share(pairing):
        cards = played(pairing, 120)[:, 0].var(axis=0)
        return cards[1] / cards[0]

    assert np.mean([share(pairing) for pairing in AMONG_THEMSELVES]) < 0.97
    assert share(("tight", "callstation")) > 1.5
