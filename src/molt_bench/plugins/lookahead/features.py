"""What a stand-in looks at: the cards of the seat to act and the betting so far, in thousandths.

All are whole numbers, so that sums of them come out the same in any order, on any machine.
"""

from functools import cache
from typing import Final

import numpy as np

from molt_bench.plugins.lookahead.betting_arrays import At, Deals, of_seat, pot_to_win
from molt_bench.poker.actions import OPEN_CARDS, STREETS
from molt_bench.poker.arrays import Ints
from molt_bench.poker.cards import Board, Hole
from molt_bench.poker.equity_vs_random import equities_vs_random

#: One, in the unit of all features.
ONE: Final = 1000
#: Strengths at which another slope begins.
_HINGES: Final = (300, 500, 700, 850, 950)
_ACE: Final = 12
#: How many features there are.
FEATURES: Final = 35


def card_features(holes: tuple[Hole, Hole], board: Board) -> list[list[list[int]]]:
    """Return by street and seat the strength of a hand, and four more of what it is: see `_before` and `_after`."""
    found = []
    for street in STREETS:
        cards = board[: OPEN_CARDS[street]]
        rates = equities_vs_random(holes, cards)
        kinds = [_after(hole, cards) if cards else _before(hole) for hole in holes]
        found.append([[round(ONE * rate), *kind] for rate, kind in zip(rates, kinds, strict=True)])
    return found


def _before(hole: Hole) -> list[int]:
    """Return whether it is a pair, suited, with an ace, and how near its ranks are."""
    low, high = sorted(card >> 2 for card in hole)
    suited = hole[0] & 3 == hole[1] & 3
    return [ONE * (low == high), ONE * suited, ONE * (high == _ACE), max(0, ONE - 250 * (high - low))]


def _after(hole: Hole, board: Board) -> list[int]:
    """Return whether it makes a pair, the top pair or better, two pair or a flush or better, and if it may be a flush.

    Straights and draws to them are seen by their strength alone.
    """
    ranks, own = [card >> 2 for card in board], [card >> 2 for card in hole]
    matched = [rank for rank in own if rank in ranks]
    pocket, top = own[0] == own[1], max(ranks)
    high = (pocket and own[0] > top) or top in own
    three = (pocket and own[0] in ranks) or any(ranks.count(rank) > 1 for rank in matched)
    held = max(sum([card & 3 == suit & 3 for card in (*hole, *board)]) for suit in hole)
    strong = three or held >= 5 or len(set(matched)) == 2
    draw = held == 4 and len(board) < 5 and not strong
    return [ONE * each for each in (pocket or bool(matched), high, strong, draw)]


def features_of(moments: Ints, deals: Deals) -> Ints:
    """Return the features of moments, a row for each."""
    hand, street, actor = moments[At.HAND], moments[At.STREET], moments[At.ACTOR]
    strength, *kinds = deals.cards[hand, street, actor].T
    call, pot = moments[At.CALL], pot_to_win(moments)
    behind = np.minimum(moments[At.LIMIT], moments[At.LIMIT + 1]) - of_seat(moments, At.BET, actor) - call
    behind = np.maximum(behind, 0)
    odds = ONE * call // (pot + call)
    raises = np.minimum(moments[At.RAISES], 3) * 333
    deep = ONE * behind // (behind + pot + call)
    position = ONE * (actor == deals.button[hand])
    led, followed = ONE * (moments[At.RAISER] == actor + 1), ONE * (moments[At.RAISER] == 2 - actor)
    settled = ONE * moments[At.SETTLED]
    river = ONE * (street == 3)
    high = np.maximum(strength - 700, 0)
    found = [
        np.full(len(hand), ONE),
        strength,
        *[np.maximum(strength - hinge, 0) for hinge in _HINGES],
        *kinds,
        odds,
        np.maximum(strength - odds, 0),
        raises,
        ONE * (moments[At.RAISES] > 1),
        np.minimum(moments[At.EARLIER], 4) * 250,
        deep,
        np.maximum(ONE // 2 - deep, 0),
        ONE * (street == 2),
        river,
        position,
        led,
        followed,
        settled,
    ]
    products = [raises, deep, position, followed, river, odds, settled]
    found += [strength * each // ONE for each in products]
    found += [high * each // ONE for each in (raises, deep)]
    found += [kinds[3] * each // ONE for each in (odds, position)]
    return np.array(found).T * _scales()


@cache
def _scales() -> Ints:
    """Return what features are multiplied by, so that each varies by about one: then none is held back more."""
    of_cards, of_betting = (2, 2, 3, 3), (5, 4, 3, 3, 3, 4, 8, 2, 2, 2, 2, 2, 2)
    return np.array([1, 4, *(5, 6, 8, 16, 40), *of_cards, *of_betting, *[4] * 7, *(10, 8), *(6, 4)])
