"""The luck of hole cards by pairing: it has mean zero whatever the weights, and weights are learned where they help."""

from itertools import combinations
from statistics import variance

import numpy as np
import pytest

from molt_bench.agents.starting_hands import starting_hand
from molt_bench.luck.cards.hole_cards import CELLS, MEANS, Deals, HoleFit, packed_deal
from molt_bench.poker.cards import deal_from_text
from molt_bench.poker.deck import Shoe
from molt_bench.poker.equity import equity
from molt_bench.seeds import derive

PAIR = ("wide", "narrow")


def deals_of(texts, behind=100):
    """Pack deals that are written as two hands."""
    holes = [deal_from_text(f"{text} 2c3c4d")[0] for text in texts]
    return b"".join([packed_deal(each, equity(*each), behind) for each in holes])


def random_deals(count, label):
    """Return the deals of a game."""
    shoe = Shoe(label)
    holes = [shoe.deal(number)[0] for number in range(count)]
    return b"".join([packed_deal(each, equity(*each), 10_000) for each in holes])


def worth(deals, weights, noise, label):
    """Return what hands are worth to a player by weights, and by chance."""
    cells, _, parts = Deals.read(deals)
    dice = [noise * (derive(label, number, "noise") % 2001 / 1000 - 1) for number in range(len(cells))]
    return (np.array(weights)[cells] * parts + dice).tolist()


def learned(weights, *, matches=12, hands=100, noise=1000.0):
    """Return what is learned from matches between players to whom deals are worth this."""
    fit = HoleFit()
    for match in range(matches):
        deals = random_deals(hands, f"match {match}")
        fit.learn(PAIR, worth(deals, weights, noise, match), [[deals]])
    return fit


@pytest.mark.slow
def test_the_means_are_those_of_all_deals():
    kinds = {}
    for hole in combinations(range(52), 2):
        kinds.setdefault(starting_hand(hole), []).append(hole)
    found = np.zeros(CELLS)
    for same in kinds.values():
        first = same[0]
        others = combinations([card for card in range(52) if card not in first], 2)
        deals = b"".join([packed_deal((first, second), equity(first, second), 1) for second in others])
        cells, _, parts = Deals.read(deals)
        found += len(same) * np.bincount(cells, parts, CELLS)
    assert found / (1326 * 1225) == pytest.approx(MEANS, abs=1e-14)


def test_the_better_starting_hand_counts_whoever_holds_it():
    assert deals_of(["AhAd 7c2s"]) == deals_of(["7c2s AhAd"])
    cells, behind, parts = Deals.read(deals_of(["AhAd 7c2s", "AhAd KsKc", "8c3s 7c2s"]))
    assert cells.tolist() == [CELLS - 7, CELLS - 1, 0]
    assert behind.tolist() == [100.0] * 3
    assert parts[0] > parts[1] > parts[2] > 0


def test_both_games_of_a_seed_count_and_one_may_end_earlier():
    long, short = deals_of(["AhAd 7c2s", "KsKc 8c3s"], 100), deals_of(["AhAd 7c2s"], 30)
    for seatings in ((long, short), (short, long)):
        cells, behind, parts = Deals.together(seatings)
        assert behind.tolist() == [130.0, 100.0]
        assert cells.tolist() == Deals.read(long).cells.tolist()
        assert parts[0] == pytest.approx(1.3 * Deals.read(long).parts[0])


def test_nothing_is_known_before_the_first_match():
    assert HoleFit().luck(PAIR, deals_of(["AhAd 7c2s"])) == 0


def test_what_deals_are_worth_is_learned():
    weights = [0.4 if cell >= CELLS - 7 else 0.0 for cell in range(CELLS)]
    fit, deals = learned(weights), random_deals(300, "later")
    won = worth(deals, weights, 1000.0, "later")
    left = (np.array(won) - fit.by_hand(PAIR, Deals.read(deals))).tolist()
    assert variance(left) < 0.8 * variance(won)


def test_the_luck_of_a_game_is_that_of_its_hands():
    fit, deals = learned([0.3] * CELLS), random_deals(20, "later")
    assert fit.luck(PAIR, deals) == pytest.approx(sum(fit.by_hand(PAIR, Deals.read(deals))))
    assert fit.luck(("narrow", "other"), deals) == 0


def test_where_deals_make_no_difference_hardly_anything_is_subtracted():
    deals = random_deals(300, "later")
    won = worth(deals, [0.0] * CELLS, 1000.0, "later")
    fit = learned([0.0] * CELLS)
    luck = fit.by_hand(PAIR, Deals.read(deals)) if fit.knows(PAIR) else 0
    assert variance((np.array(won) - luck).tolist()) < 1.05 * variance(won)


def test_hands_that_are_all_alike_teach_nothing():
    fit = HoleFit()
    fit.learn(PAIR, [150.0] * 50, [[random_deals(50, "alike")]])
    assert fit.luck(PAIR, deals_of(["AhAd 7c2s"])) == 0


def test_few_hands_with_very_deep_stacks_are_learned_from():
    fit, deals = HoleFit(), deals_of(["AhAd 7c2s", "KsKc 9h9d", "8c3s 7c2s"], 10**15)
    for won in ([100.0, -100.0, 50.0], [50.0, 100.0, -100.0]):
        fit.learn(PAIR, won, [[deals]])
    assert np.isfinite(fit.luck(PAIR, deals))
