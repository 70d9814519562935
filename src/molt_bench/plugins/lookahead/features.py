"""What a stand-in looks at: the cards of the seat to act and the betting so far, in thousandths.

All are whole numbers, so that sums of them come out the same in any order, on any machine.
"""

from collections.abc import Sequence
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
#: What is looked at in the cards: strength, and eight more, which differ before and after the flop.
CARDS: Final = 9
_ACE: Final = 12
#: Ranks of each straight, as bits; an ace is below the two as well, which is bit 0.
_STRAIGHTS: Final = tuple(0b11111 << low for low in range(10))
#: Outs that count as a whole draw.
_MOST_OUTS: Final = 15
#: How many features there are.
FEATURES: Final = 39


def card_features(holes: tuple[Hole, Hole], board: Board) -> list[list[list[int]]]:
    """Return by street and seat the strength of a hand, and eight more of what it is.

    See `_before`, `_after` and `_made`.
    """
    found = []
    for street in STREETS:
        cards = board[: OPEN_CARDS[street]]
        rates = equities_vs_random(holes, cards)
        kinds = [_after(hole, cards) if cards else _before(hole) for hole in holes]
        found.append([[round(ONE * rate), *kind] for rate, kind in zip(rates, kinds, strict=True)])
    return found


def _before(hole: Hole) -> list[int]:
    """Return whether it is a pair, suited, with an ace, how near its ranks are, its high rank and its low one."""
    low, high = sorted(card >> 2 for card in hole)
    suited = hole[0] & 3 == hole[1] & 3
    kinds = [ONE * (low == high), ONE * suited, ONE * (high == _ACE), max(0, ONE - 250 * (high - low))]
    return [*kinds, ONE * high // _ACE, ONE * low // _ACE, 0, 0]


def _after(hole: Hole, board: Board) -> list[int]:
    """Return whether it makes a pair, the top pair or better, two pair or better, and the share of a whole draw.

    Then comes what `_made` says.
    """
    ranks, own = [card >> 2 for card in board], [card >> 2 for card in hole]
    matched = sorted([rank for rank in own if rank in ranks], reverse=True)
    pocket = own[0] == own[1]
    top = max(ranks)
    paired = pocket or bool(matched)
    high = (pocket and own[0] > top) or top in own
    three = (pocket and own[0] in ranks) or any(ranks.count(rank) > 1 for rank in matched)
    held = max(_of_suit(hole, board, suit) for suit in range(4))
    outs = _straight_outs(own, ranks)
    best = three or held >= 5 or outs < 0
    strong = best or len(set(matched)) == 2
    draw = 0 if len(board) == 5 or strong else 9 * (held == 4) + max(outs, 0)
    kinds = [ONE * paired, ONE * high, ONE * strong, ONE * min(draw, _MOST_OUTS) // _MOST_OUTS]
    pair = own[0] if pocket else max(matched, default=None)
    return [*kinds, *_made(own, ranks, pair, best=best)]


def _made(own: Sequence[int], ranks: Sequence[int], pair: int | None, *, best: bool) -> list[int]:
    """Return the high rank of a hand that makes nothing, whether it is one, how high its pair is, and if it has more.

    A pair is as high as the share of the board's ranks that are not above it; `best` is three of a kind or more.
    """
    nothing = pair is None and not best
    others = set(ranks)
    share = 0 if pair is None else ONE * sum([rank <= pair for rank in others]) // len(others)
    return [ONE * max(own) // _ACE * nothing, ONE * nothing, share, ONE * best]


def _of_suit(hole: Hole, board: Board, suit: int) -> int:
    """Return how many cards of a suit there are, if a hole card is one of them."""
    own = sum([card & 3 == suit for card in hole])
    return own + sum([card & 3 == suit for card in board]) if own else 0


def _straight_outs(own: Sequence[int], ranks: Sequence[int]) -> int:
    """Return how many cards would make a straight with a hole card; -1 if there is one."""
    held, board = _bits(own), _bits(ranks)
    missing = 0
    for straight in _STRAIGHTS:
        have = straight & (held | board)
        if not straight & held & ~board:
            continue
        if have == straight:
            return -1
        if (straight ^ have).bit_count() == 1:
            missing |= straight ^ have
    return 4 * missing.bit_count()


def _bits(ranks: Sequence[int]) -> int:
    found = 0
    for rank in ranks:
        found |= 2 << rank | (rank == _ACE)
    return found


def features_of(moments: Ints, deals: Deals) -> Ints:
    """Return the features of moments, a row for each."""
    hand, street, actor = moments[At.HAND], moments[At.STREET], moments[At.ACTOR]
    strength, *both = deals.cards[hand, street, actor].T
    kinds, made = both[:4], both[4:]
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
    found += made
    return np.array(found).T * _scales()


@cache
def _scales() -> Ints:
    """Return what features are multiplied by, so that each varies by about one: then none is held back more."""
    of_cards, of_betting = (2, 2, 3, 3), (5, 4, 3, 3, 3, 4, 8, 2, 2, 2, 2, 2, 2)
    return np.array([1, 4, *(5, 6, 8, 16, 40), *of_cards, *of_betting, *[4] * 7, *(10, 8), *(6, 4), *(3, 2, 2, 4)])
