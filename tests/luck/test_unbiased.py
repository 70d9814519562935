"""No estimator favours anyone: over many hands each has the mean of the raw result, and less variance.

A test of means that never fails shows nothing, so mutants of the estimators are shown to fail it.
"""

from functools import cache
from itertools import combinations
from statistics import fmean, stdev, variance

import pytest

from molt_bench.agents.base import Sizes
from molt_bench.agents.kinds import BUILTIN_AGENTS
from molt_bench.luck.cards.card_luck import chance_luck, hand_luck
from molt_bench.luck.coefficients import LADDER, SOLID
from molt_bench.luck.dice.draws import action_features, action_value, dice_terms
from molt_bench.luck.estimators import game_estimates
from molt_bench.play.play_games import play_game
from molt_bench.poker.actions import CALL, CHECK, FOLD
from molt_bench.records import ESTIMATORS

PAIRINGS = list(combinations(("random", "tight", "callstation", "maniac", "tag", "shover"), 2))
#: Fields of `Estimates` besides `raw`.
#: The others are tested where they differ: test_ranges.py, test_aivat.py and test_fitted_margins.py.
BEYOND_RAW = tuple(field for field in ESTIMATORS.values() if field not in ("raw", "ranged", "aivat", "fitted"))


def players_of(pairing):
    return BUILTIN_AGENTS[pairing[0]](seed="one"), BUILTIN_AGENTS[pairing[1]](seed="two")


def policies_of(players):
    return tuple(getattr(player, "policy", None) for player in players)


@cache
def hands_of(pairing, count, stack=10_000):
    """Return all hands of two games from different decks, A in seat 0 in one and in seat 1 in the other.

    Each with its luck, the sign of player A's result, and the policies by seat.
    """
    players = players_of(pairing)
    first, second = policies_of(players)
    found = []
    for seating, sign, by_seat in (("AB", 1, (first, second)), ("BA", -1, (second, first))):
        record = play_game(players, seed=f"unbiased {seating}", hands=count, stack=stack, seating=seating)
        found += [(number, hand, hand_luck(hand), sign, by_seat) for number, hand, _ in record.replay()]
    return found


def dice_of(number, hand, luck, policies, weights=LADDER):
    terms = dice_terms(hand, number, luck.equities, policies, 200)
    return sum((-1 if each.seat else 1) * action_value(action_features(each, 0.4), weights.actions) for each in terms)


def differences(pairing, count, stack=10_000):
    """Return for every estimator what it gives player A beyond the raw result, hand by hand."""
    found = {name: [] for name in BEYOND_RAW}
    for number, hand, luck, sign, policies in hands_of(pairing, count, stack):
        found["all_in"].append(sign * (luck.all_in - luck.raw))
        for name, weights in (("", LADDER), ("_solid", SOLID)):
            adjusted = luck.all_in - chance_luck(luck.terms, weights)
            found["adjusted" + name].append(sign * (adjusted - luck.raw))
            dice = dice_of(number, hand, luck, policies, weights)
            found["corrected" + name].append(sign * (adjusted + dice - luck.raw))
    return found


def standard_errors(values):
    """Return how many standard errors the mean is from 0."""
    spread = stdev(values)
    return fmean(values) / (spread / len(values) ** 0.5) if spread else 0.0


@pytest.mark.parametrize("pairing", PAIRINGS[::3], ids="-".join)
def test_every_estimator_has_the_mean_of_the_raw_result(pairing):
    for name, values in differences(pairing, 300).items():
        assert any(values) or name == "all_in", name
        assert abs(standard_errors(values)) < 4, name


@pytest.mark.slow
@pytest.mark.parametrize("stack", [1_000, 10_000])
@pytest.mark.parametrize("pairing", PAIRINGS, ids="-".join)
def test_every_estimator_has_the_mean_of_the_raw_result_over_many_hands(pairing, stack):
    for name, values in differences(pairing, 10_000, stack).items():
        assert abs(standard_errors(values)) < 4, name


class TestMutants:
    """Estimators that look right and are not."""

    COUNT = 900

    def test_the_pot_after_the_card_is_biased(self):
        """Who bets more after a good card would be charged for the bets, too."""
        values = []
        for _, hand, luck, sign, _ in hands_of(("callstation", "tag"), self.COUNT):
            final = 2 * hand.at_stake
            terms = tuple(term._replace(pot=final) if term.dealt else term for term in luck.terms)
            values.append(sign * (luck.all_in - luck.raw - chance_luck(terms, LADDER)))
        assert abs(standard_errors(values)) > 5

    def test_the_equity_of_the_wrong_board_is_biased(self):
        """All-in after the flop, but by the equity before it: whoever saw the flop and folded is forgotten."""
        values = []
        for _, hand, luck, sign, _ in hands_of(("maniac", "tag"), self.COUNT):
            wrong = luck.all_in
            if hand.folded < 0 and hand.street in ("flop", "turn"):
                wrong = (2 * luck.equities[0] - 1) * hand.at_stake
            values.append(sign * (wrong - luck.raw))
        assert abs(standard_errors(values)) > 5

    def test_probabilities_that_are_not_the_agents_own_are_biased(self):
        def claimed(seen):
            passive = CALL if seen.to_call else CHECK
            if not seen.max_raise_to:
                return (FOLD, 0.4), (passive, 0.6)
            return (FOLD, 0.2), (passive, 0.4), (Sizes(seen.min_raise_to, seen.max_raise_to), 0.4)

        values = []
        for number, hand, luck, sign, _ in hands_of(("random", "callstation"), self.COUNT):
            policies = (claimed, None) if sign > 0 else (None, claimed)
            values.append(sign * dice_of(number, hand, luck, policies))
        assert abs(standard_errors(values)) > 5


@cache
def seed_pairs(pairing, seeds=16, hands=16):
    """Return what player A won in both games of each seed, by every estimator."""
    players = players_of(pairing)
    policies = policies_of(players)
    found = []
    for seed in range(seeds):
        games = [
            game_estimates(play_game(players, seed=f"pair {seed}", hands=hands, seating=seating), policies)
            for seating in ("AB", "BA")
        ]
        found.append([sum(getattr(won, name) for won in games) for name in ESTIMATORS.values()])
    return list(zip(*found, strict=True))


def test_each_estimator_has_less_variance_than_the_one_before():
    """The mean over the ladder of the variance of seed pairs relative to the raw one."""
    shares = []
    for pairing in PAIRINGS:
        won = seed_pairs(pairing)
        if any(won[0]):  # where the same cards cancel everything there is nothing to share
            shares.append([variance(values) / variance(won[0]) for values in won])
    raw, all_in, adjusted, _, corrected, *_ = [fmean(column) for column in zip(*shares, strict=True)]
    assert raw == 1
    assert all_in < 0.85 * raw
    assert adjusted < 0.95 * all_in
    assert corrected < 0.95 * adjusted
