"""Starting hands: their names, their order of strength, and equity against the best share of them."""

from __future__ import annotations

from functools import cache, lru_cache
from itertools import chain, combinations
from typing import TYPE_CHECKING, Final

from molt_bench.poker.cards import RANKS, Board, Hole, Shoe, cards_to_text
from molt_bench.poker.equity import card_arrays, strengths
from molt_bench.poker.evaluator import KEY_START

if TYPE_CHECKING:
    from molt_bench.poker.equity import Ints

# Made by `scripts/rank_hands.py`.
_RANKING: Final = (
    "AA KK QQ JJ TT 99 88 AKs 77 AQs AJs AKo ATs AQo AJo KQs 66 A9s ATo KJs A8s KTs KQo A7s A9o KJo 55 QJs K9s "
    "A5s A6s A8o KTo QTs A4s A7o K8s A3s QJo K9o A5o A6o Q9s K7s JTs A2s QTo 44 A4o K6s K8o Q8s A3o K5s J9s "
    "Q9o JTo K7o A2o K4s Q7s K6o K3s T9s J8s 33 Q6s Q8o K5o J9o K2s Q5s T8s K4o J7s Q4s Q7o T9o J8o K3o Q6o "
    "Q3s 98s T7s J6s K2o 22 Q2s Q5o J5s T8o J7o Q4o 97s J4s T6s J3s Q3o 98o 87s T7o J6o 96s J2s Q2o T5s J5o "
    "T4s 97o 86s J4o T6o 95s T3s 76s J3o 87o T2s 85s 96o J2o T5o 94s 75s T4o 93s 86o 65s 84s 95o T3o 92s 76o "
    "74s T2o 54s 85o 64s 83s 94o 75o 82s 73s 93o 65o 53s 63s 84o 92o 43s 74o 72s 54o 64o 52s 62s 83o 42s 82o "
    "73o 53o 63o 32s 43o 72o 52o 62o 42o 32o "
)
#: All 169 starting hands by exact equity against a random hand, best first.
RANKED_HANDS: Final = tuple(_RANKING.split())

_NAMES: Final = tuple(
    "".join((RANKS[high], RANKS[low], "" if high == low else "s" if suited else "o"))
    for high in range(13)
    for low in range(13)
    for suited in (False, True)
)
#: Run-outs looked at where the board is not complete; by number of cards to come.
_RUNOUTS: Final = (1, 10, 8, 8, 24, 48)


def starting_hand(cards: Hole) -> str:
    """Name two cards as players do.

    >>> from molt_bench.poker.cards import cards_from_text
    >>> [starting_hand(cards_from_text(text)) for text in ("KdAd", "AsKd", "7c7h")]
    ['AKs', 'AKo', '77']
    """
    first, second = cards
    high, low = (first, second) if first > second else (second, first)
    return _NAMES[26 * (high >> 2) + 2 * (low >> 2) + (first & 3 == second & 3)]


@cache
def _ranges() -> tuple[Ints, Ints]:
    """Return the evaluator keys and the card bits of all 1,326 hands, best first."""
    import numpy as np

    place = {name: at for at, name in enumerate(RANKED_HANDS)}
    hands = sorted(combinations(range(52), 2), key=lambda hand: place[starting_hand(hand)])
    cards = np.array(hands, np.int64)
    keys, bits = card_arrays()
    return keys[cards].sum(axis=1), bits[cards].sum(axis=1)


@lru_cache(maxsize=100_000)
def equity_against_best(hole: Hole, board: Board, percent: int) -> float:
    """Return the equity of `hole` against the best `percent` of all hands, all of them equally likely.

    Exact on the river. Before it, the mean over a few run-outs, which the cards themselves determine.
    """
    import numpy as np

    range_keys, range_bits = (part[: 1326 * percent // 100] for part in _ranges())
    keys, bits = card_arrays()
    runouts = _runouts((*hole, *board), 5 - len(board))
    boards = np.array([(*board, *runout) for runout in runouts], np.int64)
    board_keys = KEY_START + keys[boards].sum(axis=1)
    board_bits = bits[boards].sum(axis=1)
    own_cards = list(hole)
    known_bits = board_bits + bits[own_cards].sum()
    own = strengths(board_keys + keys[own_cards].sum(), known_bits)
    possible = range_bits & known_bits[:, None] == 0
    others = strengths((board_keys[:, None] + range_keys)[possible], (board_bits[:, None] | range_bits)[possible])
    mine = np.repeat(own, possible.sum(axis=1))
    return float(((mine > others).sum() + (mine >= others).sum()) / (2 * len(others)))


def _runouts(known: tuple[int, ...], missing: int) -> list[list[int]]:
    """Return sets of `missing` cards that are not among those known."""
    shoe = Shoe(f"run-outs of {cards_to_text(known)}")
    found = []
    for number in range(_RUNOUTS[missing]):
        holes, board = shoe.deal(number)
        drawn = [card for card in chain(*holes, board) if card not in known]
        found.append(drawn[:missing])
    return found
