"""Bots that read their cards as people do, without computing an equity: for measuring alone.

A reader scores its hand from 0 to 1: before the flop by the rank of its starting hand, later by what it has made of the
board. It sees that score with an error, like somebody who judges by eye, bets from one score on, calls from another,
and bluffs now and then. All of its dice have known chances, so that it can publish them; most ladders keep them secret.
"""

from mixing import Chances, Mixer

from molt_bench.poker.actions import CALL, CHECK, FOLD, Action
from molt_bench.poker.evaluator import category, strength
from molt_bench.poker.observation import HandResult, Observation, raise_by_pot
from molt_bench.poker.starting_hands import RANKED_HANDS, starting_hand
from molt_bench.seeds import Seed

_CATEGORIES = {
    "high card": 0.25,
    "pair": 0.55,
    "two pair": 0.8,
    "three of a kind": 0.88,
    "straight": 0.93,
    "flush": 0.95,
    "full house": 0.98,
    "four of a kind": 1.0,
    "straight flush": 1.0,
}
_BITS = 2**20


def _combinations(name: str) -> int:
    return 6 if len(name) == 2 else 4 if name[2] == "s" else 12


def _shares() -> dict[str, float]:
    """Return the share of all hands that each starting hand beats."""
    better, found = 0, {}
    for name in RANKED_HANDS:
        found[name] = 1 - better / 1326
        better += _combinations(name)
    return found


_SHARES = _shares()


def score(observation: Observation) -> float:
    """Return how good the hand looks, from 0 to 1."""
    cards, board = observation.cards, observation.board
    if not board:
        return _SHARES[starting_hand(cards)]
    made = category(strength((*cards, *board)))
    value = _CATEGORIES[made]
    shared = _CATEGORIES[category(strength(board))] if len(board) == 5 else 0.25 + 0.3 * _paired(board)
    ranks = sorted(card >> 2 for card in board)
    high = max(card >> 2 for card in cards) / 12
    if value <= shared:  # the board's own hand: high cards decide
        return 0.15 + 0.25 * high
    if made == "pair":
        own = [card >> 2 for card in cards]
        pair = own[0] if own[0] == own[1] else next((rank for rank in own if rank in ranks), 0)
        value = 0.45 + 0.12 * sum(pair >= rank for rank in ranks) / len(ranks) + 0.13 * (pair >= ranks[-1])
    suits = [card & 3 for card in (*cards, *board)]
    if len(board) < 5 and value < 0.9 and max(map(suits.count, suits)) == 4:
        value = max(value, 0.62)
    return value


def _paired(board: tuple[int, ...]) -> bool:
    return len({card >> 2 for card in board}) < len(board)


class Reader(Mixer):
    """Plays by what its hand looks like.

    Args:
        error: How far off its judgement can be, from 0 to 1.
        calls: Score from which it calls at no price; the price asks for more.
        bets: Score from which it bets or raises.
        bluffs: Chance to bet anyway.
        sizes: Percent of the pot that it bets, one of two with the same chance.
        publish: Whether it says how it mixes.
    """

    kind = "reader"

    def __init__(
        self,
        *,
        error: float,
        calls: float,
        bets: float,
        bluffs: float,
        sizes: tuple[int, int],
        seed: Seed,
        publish: bool = False,
    ) -> None:
        super().__init__(seed=seed, publish=publish)
        self._error, self._calls, self._bets, self._bluffs, self._sizes = error, calls, bets, bluffs, sizes

    def _price(self, observation: Observation) -> float:
        """Return the score from which it calls."""
        return self._calls + 0.6 * observation.pot_odds

    def chances(self, observation: Observation) -> Chances:
        """Judge the hand, then bet, call or let it go."""
        own = score(observation)
        strong = self._above(own, self._bets) if observation.max_raise_to else 0.0
        raises = strong + (1 - strong) * self._bluffs if observation.max_raise_to else 0.0
        parts: list[tuple[Action, float]] = [
            (raise_by_pot(observation, size), raises / 2) for size in self._sizes if raises
        ]
        if not observation.to_call:
            return (*parts, (CHECK, 1 - raises))
        price = self._price(observation)
        quiet = 1 - self._bluffs if observation.max_raise_to else 1.0
        calls = quiet * max(0.0, self._above(own, price) - strong)
        return (*parts, (CALL, calls), (FOLD, max(0.0, 1 - raises - calls)))

    def _above(self, own: float, wanted: float) -> float:
        """Return the chance to see more than this."""
        if not self._error:
            return float(own > wanted)
        return min(1.0, max(0.0, 0.5 + (own - wanted) / self._error))


class Adapter(Reader):
    """A reader that learns within a game: it calls more against somebody who bets a lot, and less otherwise."""

    kind = "adapter"

    _bet, _done = 2, 6

    def reset(self) -> None:
        """Forget."""
        self._bet, self._done = 2, 6

    def on_hand_complete(self, result: HandResult) -> None:
        """Count how often the other one bets."""
        own = [done for done in result.log if done.seat != result.seat]
        self._bet += sum(done.kind == "raiseTo" for done in own)
        self._done += len(own)

    def _price(self, observation: Observation) -> float:
        return super()._price(observation) + 0.6 * (0.33 - self._bet / self._done)


class Jammer(Mixer):
    """Goes all-in with its best hands, sometimes with others, and folds to bets otherwise.

    Args:
        share: Score from which it goes all-in.
        wild: Chance to go all-in with anything.
        calls: Score from which it calls.
        publish: Whether it says how it mixes.
    """

    kind = "jammer"

    def __init__(self, *, share: float, wild: float, calls: float, seed: Seed, publish: bool = False) -> None:
        super().__init__(seed=seed, publish=publish)
        self._share, self._wild, self._calls = share, wild, calls

    def chances(self, observation: Observation) -> Chances:
        """Go all-in, call, or give up."""
        own = score(observation)
        jams = 0.0 if not observation.max_raise_to else 1.0 if own > self._share else self._wild
        quiet = CHECK if not observation.to_call else CALL if own > self._calls else FOLD
        return ((Action("raiseTo", observation.max_raise_to), jams), (quiet, 1 - jams)) if jams else ((quiet, 1.0),)
