"""Whose turn it is to ask: under a limit, only as many games are played at once as the money that is left can finish.

Seed pairs count in an order: the first of every match comes before the second of any. One goes on only if what those
before it still need is not touched, and none if what is left finishes none. So a limit ends a run on whole seed pairs,
and not in the middle of many. What a game needs is judged by what hands have cost. Before a dozen of them are known,
each hand that is over opens at most one more seed pair.
"""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Mapping
from math import inf
from typing import Final

import msgspec

from molt_bench.errors import GameUnfinished
from molt_bench.llm.purse import Amount, Purse
from molt_bench.llm.types import Exchange
from molt_bench.seeds import Seed
from molt_bench.specs import GameLabel, GameSpec

#: Hands of every model after which what they have cost says what others will.
_ENOUGH_HANDS: Final = 12
#: What is kept for a game over what it is likely to cost: a margin, more of it while few hands are known, and the least
#: share of it until the game ends.
_MARGIN: Final = 1.05
_UNSURE_HANDS: Final = 8.0
_LEAST: Final = 0.05
#: The share of what a seed pair needs below which it is not even tried.
_HOPELESS: Final = 0.9
#: It is worked out anew which games the money reaches for after one of so many exchanges, or of so many games.
_OFTEN: Final = 8


class _Hands(msgspec.Struct):
    """What the hands of one model have cost: how many have begun, how many of them are not over, and what all cost."""

    begun: int = 0
    open: int = 0
    cost: Amount = Amount()

    @property
    def over(self) -> int:
        """How many hands are over."""
        return self.begun - self.open

    @property
    def each(self) -> Amount:
        """What a hand costs, as far as is known; of one that is not over, half is, about."""
        return self.cost * (1 / max(1.0, self.over + self.open / 2))


class _Game(msgspec.Struct):
    """A game that is not over.

    Attributes:
        models: Who of the two is a model.
        dealt: How many hands it has.
        cost: What it has cost so far.
        hands: The number of the hand in which each model was asked last.
    """

    models: tuple[str, ...] = ()
    dealt: int = 0
    cost: Amount = Amount()
    hands: dict[str, int] = msgspec.field(default_factory=dict)

    @property
    def hand(self) -> int:
        """The number of the hand under way; 0 if it has not begun."""
        return max(self.hands.values(), default=0)


class Turns:
    """Decides whose turn it is to ask, while money is limited.

    Attributes:
        hands: Hands that have begun, in all games.

    Args:
        models: The participants that are models.
        purse: What may be spent.
    """

    def __init__(self, models: Iterable[str], purse: Purse) -> None:
        self._purse = purse
        self.hands = 0
        self._models = {name: _Hands() for name in models}
        self._games: dict[GameLabel, _Game] = defaultdict(_Game)
        self._dealt: dict[GameLabel, GameSpec] = {}
        self._reach: set[GameLabel] = set()
        self._counted = self._stale = 0
        self._changed = asyncio.Event()
        purse.on_end = self._wake

    def deal(self, games: Mapping[GameLabel, GameSpec]) -> dict[GameLabel, GameSpec]:
        """Take note of the games that are played next; return them in the order in which they count."""
        self._dealt = dict(games)
        if self._purse.limited:
            order: dict[int, dict[Seed, int]] = defaultdict(dict)
            for label in games:
                order[label.match].setdefault(label.seed, len(order[label.match]))
            self._dealt = dict(sorted(games.items(), key=lambda each: order[each[0].match][each[0].seed]))
        for label in [each for each in self._games if each not in games]:
            self.ended(label)
        for label, spec in games.items():
            game = self._games[label]
            game.models = tuple(name for name in spec.players if name in self._models)
            game.dealt = spec.warmup_hands + spec.hands
        self._work_out()
        return dict(self._dealt)

    def add(self, exchange: Exchange) -> None:
        """Count an exchange."""
        model = self._models.get(exchange.participant)
        if model is None or not exchange.hand:
            return
        cost = Amount((exchange.cost_usd or 0.0) + exchange.lost.usd, exchange.tokens.total + exchange.lost.tokens)
        game, hand = self._games[exchange.game], exchange.hand
        game.cost += cost
        model.cost += cost
        self.hands += max(0, hand - game.hand)
        before = game.hands.get(exchange.participant, 0)
        if hand > before:
            model.begun += hand - before
            model.open += before == 0
            game.hands[exchange.participant] = hand
        self._counted += 1
        self._stale += 1
        if self._stale * _OFTEN >= min(self._counted, len(self._games)):
            self._work_out()

    def ended(self, label: GameLabel) -> None:
        """Take note that a game is over."""
        for name in self._games.pop(label, _Game()).hands:
            self._models[name].open -= 1
        if self._dealt.pop(label, None) is not None:
            self._work_out()

    def games_bought(self) -> float | None:
        """Return how many games all of the money buys, by what hands have cost; None as long as too little is known."""
        games = [game for game in self._games.values() if game.models]
        if not games or not self._purse.limited or min(map(self._over, games)) < _ENOUGH_HANDS:
            return None
        return self._purse.buys(sum(map(self._whole, games), Amount()) * (1 / len(games)))

    @property
    def playing(self) -> int:
        """Number of games that have begun and are not over."""
        return sum(game.hand > 0 for game in self._games.values())

    async def turn(self, label: GameLabel) -> None:
        """Wait until a game may ask; raises GameUnfinished if the money is spent first."""
        while not self.reaches(label):
            await self._changed.wait()
        if self._purse.spent is not None:
            raise GameUnfinished("the budget is spent")

    def reaches(self, label: GameLabel) -> bool:
        """Return whether the money reaches for a game, as far as is known now."""
        limited = self._purse.limited and label in self._dealt
        return not limited or label in self._reach or self._purse.spent is not None

    def _over(self, game: _Game) -> float:
        """Return how many hands of each model in a game are known."""
        return min((self._models[name].over for name in game.models), default=inf)

    def _whole(self, game: _Game) -> Amount:
        """Return what all of a game costs, as far as is known."""
        return sum((self._models[name].each for name in game.models), Amount()) * game.dealt

    def _need(self, game: _Game) -> Amount:
        """Return what a game still costs."""
        whole = self._whole(game)
        return (whole - game.cost).at_least(whole * _LEAST)

    def _work_out(self) -> None:
        """Work out for which seed pairs the money reaches."""
        self._stale = 0
        if not self._purse.limited or not self._dealt:
            return
        pairs: dict[tuple[int, Seed], list[GameLabel]] = defaultdict(list)
        for label in self._dealt:
            pairs[label.match, label.seed].append(label)
        left = room = self._purse.left()
        hopeful, tried = False, 0
        self._reach.clear()
        for labels in pairs.values():
            games = [self._games[label] for label in labels]
            need, over = sum(map(self._need, games), Amount()), min(map(self._over, games))
            unknown = over < _ENOUGH_HANDS
            hope = unknown or (need * _HOPELESS).fits(left)
            hopeful |= hope
            kept = need * (_MARGIN + _UNSURE_HANDS / max(over, 1))
            fits = kept.fits(room) and (tried <= over or not unknown)
            if hope and (fits or not self._reach):
                tried += unknown
                room -= kept
                self._reach.update(labels)
        if not hopeful and self._purse.spent is None:
            self._purse.end(too_little=True)
        self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed.clear()
