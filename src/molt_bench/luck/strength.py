"""How strong a hand is by itself, against one that could be anything: what players bet, call and fold by."""

from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

from molt_bench.agents.starting_hands import RANKED_HANDS, starting_hand
from molt_bench.poker.cards import Board, Hole
from molt_bench.poker.equity import card_arrays, strengths
from molt_bench.poker.evaluator import KEY_START
from molt_bench.seeds import derive

if TYPE_CHECKING:
    from molt_bench.poker.equity import Ints

#: Other hands and run-outs that a hand is compared with.
_SAMPLES: Final = 256
#: Cards that are live on the flop.
_MOST_LIVE: Final = 52 - 4 - 3


@lru_cache(maxsize=1 << 16)
def hand_strengths(holes: tuple[Hole, Hole], board: Board) -> tuple[float, float]:
    """Return for each hand how often it beats a third one, from 0 to 1; a tie counts half.

    Before the flop: the share of starting hands that are worse. On a board: by a fixed sample of other hands and
    run-outs, the same for both hands and in both seatings.

    >>> from molt_bench.poker.cards import deal_from_text
    >>> [round(each, 2) for each in hand_strengths(deal_from_text("AhAd 3s2c KsKc9h")[0], ())]
    [1.0, 0.0]
    """
    if not board:
        worse = _starting_strengths()
        return worse[starting_hand(holes[0])], worse[starting_hand(holes[1])]
    import numpy as np  # loaded when needed, for a fast start

    keys, bits = card_arrays()
    dead = {*holes[0], *holes[1], *board}
    live = np.array([card for card in range(52) if card not in dead], np.int64)
    drawn = live[_samples(len(live), 7 - len(board))]
    drawn_keys, drawn_bits = keys[drawn], bits[drawn]
    known = list(board)
    shared_keys = KEY_START + int(keys[known].sum()) + drawn_keys[:, 2:].sum(axis=1)
    shared_bits = int(bits[known].sum()) + drawn_bits[:, 2:].sum(axis=1)
    first, second = (list(hole) for hole in holes)
    found = strengths(
        np.concatenate(
            [
                shared_keys + keys[first].sum(),
                shared_keys + keys[second].sum(),
                shared_keys + drawn_keys[:, :2].sum(axis=1),
            ]
        ),
        np.concatenate(
            [
                shared_bits + bits[first].sum(),
                shared_bits + bits[second].sum(),
                shared_bits + drawn_bits[:, :2].sum(axis=1),
            ]
        ),
    ).reshape(3, _SAMPLES)
    won = (found[:2] > found[2]).sum(axis=1) + (found[:2] >= found[2]).sum(axis=1)
    return float(won[0]) / (2 * _SAMPLES), float(won[1]) / (2 * _SAMPLES)


@cache
def _samples(live: int, drawn: int) -> "Ints":
    """Return which of the live cards are drawn in each sample: the other hand first, then the run-out."""
    import numpy as np  # loaded when needed, for a fast start

    return np.array([[card for card in order if card < live][:drawn] for order in _orders()], np.int64)


@cache
def _orders() -> list[list[int]]:
    """Return the order of all live cards in each sample; with more cards known, the last ones are missing."""
    return [sorted(range(_MOST_LIVE), key=lambda card: derive(n, f"sample {card}")) for n in range(_SAMPLES)]


@cache
def _starting_strengths() -> dict[str, float]:
    """Return the share of starting hands that are worse than each, half of its own kind included."""
    found, better = {}, 0.0
    for name in RANKED_HANDS:
        ways = 6 if len(name) == 2 else 4 if name[2] == "s" else 12
        found[name] = 1 - (better + ways / 2) / 1326
        better += ways
    return found
