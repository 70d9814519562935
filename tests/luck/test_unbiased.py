"""Neither estimator favours anyone: over many hands both have the same mean, and `adjusted` has less variance.

A test of means that never fails shows nothing, so mutants of the estimator are shown to fail it.
"""

from functools import cache
from itertools import combinations
from statistics import fmean, stdev, variance

import pytest

from molt_bench.agents.kinds import BUILTIN_AGENTS
from molt_bench.luck.cards import deals_of, hand_terms
from molt_bench.luck.estimators import game_estimates
from molt_bench.play.play_games import play_game

PAIRINGS = list(combinations(("random", "tight", "callstation", "maniac", "tag", "shover"), 2))


def players_of(pairing):
    return BUILTIN_AGENTS[pairing[0]](name="one"), BUILTIN_AGENTS[pairing[1]](name="two")


@cache
def hands_of(pairing, count, stack=10_000):
    """Return all hands of two games from different decks, each with the sign of player A's result.

    A sits in seat 0 in one of them and in seat 1 in the other.
    """
    found = []
    for seating, sign in (("AB", 1), ("BA", -1)):
        record = play_game(players_of(pairing), seed=f"unbiased {seating}", hands=count, stack=stack, seating=seating)
        found += [(hand, sign) for _, hand, _ in record.replay()]
    return found


def differences(pairing, count, stack=10_000):
    """Return what `adjusted` gives player A beyond the chips, hand by hand."""
    return [sign * (hand_terms(hand).adjusted - hand.payoffs[0]) for hand, sign in hands_of(pairing, count, stack)]


def standard_errors(values):
    """Return how many standard errors the mean is from 0."""
    spread = stdev(values)
    return fmean(values) / (spread / len(values) ** 0.5) if spread else 0.0


@pytest.mark.parametrize("pairing", PAIRINGS[::3], ids="-".join)
def test_both_estimators_have_the_same_mean(pairing):
    values = differences(pairing, 300)
    assert any(values)
    assert abs(standard_errors(values)) < 4


@pytest.mark.slow
@pytest.mark.parametrize("stack", [1_000, 10_000])
@pytest.mark.parametrize("pairing", PAIRINGS, ids="-".join)
def test_both_estimators_have_the_same_mean_over_many_hands(pairing, stack):
    assert abs(standard_errors(differences(pairing, 10_000, stack))) < 4


class TestMutants:
    """Estimators that look right and are not."""

    COUNT = 900

    def test_the_pot_after_the_card_is_biased(self):
        """Who bets more after a good card would be charged for the bets, too."""
        values = []
        for hand, sign in hands_of(("callstation", "tag"), self.COUNT):
            known = hand_terms(hand)
            after = sum(2 * hand.at_stake * deal.change for deal in deals_of(hand, known.equities) if deal.dealt)
            values.append(sign * (known.all_in - hand.payoffs[0] - after))
        assert abs(standard_errors(values)) > 5

    def test_the_equity_of_the_wrong_board_is_biased(self):
        """All-in after the flop, but by the equity before it: whoever saw the flop and folded is forgotten."""
        values = []
        for hand, sign in hands_of(("maniac", "tag"), self.COUNT):
            known = hand_terms(hand)
            wrong = known.all_in
            if hand.folded < 0 and hand.street in ("flop", "turn"):
                wrong = (2 * known.equities[0] - 1) * hand.at_stake
            values.append(sign * (wrong - hand.payoffs[0]))
        assert abs(standard_errors(values)) > 5


@cache
def seed_pairs(pairing, seeds=16, hands=16):
    """Return what player A won in both games of each seed, by both estimators."""
    found = []
    for seed in range(seeds):
        games = [
            game_estimates(play_game(players_of(pairing), seed=f"pair {seed}", hands=hands, seating=seating))
            for seating in ("AB", "BA")
        ]
        found.append((sum(won.raw for won in games), sum(won.adjusted for won in games)))
    return list(zip(*found, strict=True))


def test_adjusted_varies_less_than_the_chips():
    """The mean over the ladder of the variance of seed pairs relative to the raw one."""
    pairs = [seed_pairs(pairing) for pairing in PAIRINGS]
    # Where the same cards cancel everything there is nothing to share.
    shares = [variance(adjusted) / variance(raw) for raw, adjusted in pairs if any(raw)]
    assert fmean(shares) < 0.8
