"""Whose turn it is to ask: under a limit, only as many games are played at once as the money that is left can finish.

Games count in an order: the first seed pair of every match comes before the second of any. One goes on only if what
those before it still need is not touched, and none if what is left finishes none. So a limit ends a run on whole seed
pairs, and not in the middle of many. What a game needs is judged by what a hand has cost so far, and at first by what a
plan expects of it.
"""

import asyncio
from collections import defaultdict
from collections.abc import Mapping
from math import inf
from typing import Final

import msgspec

from molt_bench.errors import GameUnfinished
from molt_bench.llm.estimate import estimate_of
from molt_bench.llm.prices import PriceList
from molt_bench.llm.purse import Amount, Purse
from molt_bench.llm.settings import LLMSettings
from molt_bench.llm.types import Exchange
from molt_bench.seeds import Seed
from molt_bench.specs import GameLabel, GameSpec

#: Hands that the expectation counts for, beside those that were seen, and hands of every model after which it does not
#: count any more, since what they have cost says what others will.
_PRIOR_HANDS: Final = 4.0
_ENOUGH_HANDS: Final = 12
#: What is kept for a game over what it is likely to cost, how much more while that is only expected and nothing was
#: seen, and the least share of it until the game ends.
_MARGIN: Final = 1.05
_UNSURE: Final = 3.0
_LEAST: Final = 0.05
#: The share of what a seed pair needs below which it is not even tried.
_HOPELESS: Final = 0.9
#: Exchanges after which it is worked out anew how many games the money reaches for.
_OFTEN: Final = 8
#: Seconds after which the next game may ask if nobody does, whatever those before it still need.
_QUIET_S: Final = 1.0


class _Hands:
    """What one model has cost, by hand; at first what is expected.

    Attributes:
        begun: How many hands have begun.
        open: How many of them are not over.
        cost: What all have cost so far.
        expected: What one is expected to cost.
    """

    def __init__(self) -> None:
        self.expected = Amount()
        self.begun = self.open = 0
        self.cost = Amount()

    @property
    def over(self) -> int:
        """How many hands are over."""
        return self.begun - self.open

    def each(self) -> Amount:
        """Return what a hand costs, as far as is known; of one that is not over, half is, about."""
        weight = _PRIOR_HANDS if self.over < _ENOUGH_HANDS else 0.0
        return (self.cost + self.expected * weight) * (1 / (self.over + self.open / 2 + weight))

    @property
    def margin(self) -> float:
        """How many times as much is kept."""
        return _MARGIN + _UNSURE * _PRIOR_HANDS / (self.over + _PRIOR_HANDS)


class _Game(msgspec.Struct):
    """A game that is not over.

    Attributes:
        models: Who of the two is a model.
        cost: What it has cost so far.
        hands: The number of the hand in which each model was asked last.
    """

    models: tuple[str, ...] = ()
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
        models: The participants that are models, by name, with their system prompts.
        prices: What they cost.
        purse: What may be spent.
    """

    def __init__(self, models: Mapping[str, tuple[LLMSettings, str]], prices: PriceList, purse: Purse) -> None:
        self._settings, self._prices, self._purse = models, prices, purse
        self._hands = 0
        self.hands = 0
        self._models = {name: _Hands() for name in models}
        self._games: dict[GameLabel, _Game] = defaultdict(_Game)
        self._order: dict[GameLabel, int] = {}
        self._reach: set[GameLabel] = set()
        self._stale = 0
        self._waiting: list[GameLabel] = []
        self._changed = asyncio.Event()

    def deal(self, games: Mapping[GameLabel, GameSpec]) -> dict[GameLabel, GameSpec]:
        """Take note of the games that are played next; return them in the order in which they count."""
        ordered = dict(games)
        if self._purse.limited:
            self._expect(max((spec.warmup_hands + spec.hands for spec in games.values()), default=0))
            dealt: dict[int, dict[Seed, int]] = defaultdict(dict)
            for label in games:
                dealt[label.match].setdefault(label.seed, len(dealt[label.match]))
            ordered = dict(sorted(games.items(), key=lambda each: dealt[each[0].match][each[0].seed]))
        self._order = {label: at for at, label in enumerate(ordered)}
        for label in [each for each in self._games if each not in games]:
            self._close(label)
        for label, spec in ordered.items():
            self._games[label].models = tuple(name for name in spec.players if name in self._models)
        self._work_out()
        return ordered

    def _expect(self, hands: int) -> None:
        """Take note of how many hands a game has, and so of what one is expected to cost."""
        if hands != self._hands:
            self._hands = hands
            for name, (settings, skill) in self._settings.items():
                found = estimate_of(settings, hands, skill=skill)
                call = found.usd_per_call(settings, self._prices) or 0.0, found.input_tokens + found.output_tokens
                self._models[name].expected = Amount(*call) * found.calls_per_hand

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
        self._stale += 1
        if self._stale >= max(_OFTEN, len(self._order) // _OFTEN):
            self._work_out()

    def ended(self, label: GameLabel) -> None:
        """Take note that a game is over."""
        self._close(label)
        if self._order.pop(label, None) is not None:
            self._work_out()

    def _close(self, label: GameLabel) -> None:
        for name in self._games.pop(label, _Game()).hands:
            self._models[name].open -= 1

    def games_bought(self) -> float | None:
        """Return how many games all of the money buys, by what hands have cost; None as long as too little is known."""
        purse, games = self._purse, self._games.values()
        playing = {name for game in games for name in game.models}
        if not playing or not purse.limited or min(self._models[name].over for name in playing) < _ENOUGH_HANDS:
            return None
        costs = sum(map(self._whole, games), Amount()) * (1 / len(games))
        by_usd = purse.most_usd / costs.usd if purse.most_usd is not None and costs.usd else inf
        return min(by_usd, purse.most_tokens / costs.tokens if purse.most_tokens is not None else inf)

    @property
    def playing(self) -> int:
        """Number of games that have begun and are not over."""
        return sum(game.hand > 0 for game in self._games.values())

    async def turn(self, label: GameLabel) -> None:
        """Wait until a game may ask; raises GameUnfinished if the money is spent first."""
        self._waiting.append(label)
        try:
            while not self.reaches(label):
                try:
                    await asyncio.wait_for(self._changed.wait(), _QUIET_S)
                except TimeoutError:
                    if self._purse.idle and label == min(self._waiting, key=lambda each: self._order.get(each, -1)):
                        break  # those before it wait for something else: for a person, say
        finally:
            self._waiting.remove(label)
        if self._purse.spent is not None:
            raise GameUnfinished("the budget is spent")

    def reaches(self, label: GameLabel) -> bool:
        """Return whether the money reaches for a game, as far as is known now."""
        limited = self._purse.limited and label in self._order
        return not limited or label in self._reach or self._purse.spent is not None

    def _whole(self, game: _Game) -> Amount:
        """Return what all of a game costs, as far as is known."""
        return sum((self._models[name].each() for name in game.models), Amount()) * self._hands

    def _need(self, game: _Game) -> Amount:
        """Return what a game still costs."""
        whole = self._whole(game)
        return (whole - game.cost).at_least(whole * _LEAST)

    def _work_out(self) -> None:
        """Work out for which games the money reaches: for whole seed pairs, and as long as little is known for one."""
        self._stale = 0
        if not self._purse.limited or not self._order:
            return
        left, hopeful = self._purse.left(), False
        room = left
        pairs: dict[tuple[int, Seed], list[GameLabel]] = defaultdict(list)
        for label in self._order:
            pairs[label.match, label.seed].append(label)
        self._reach.clear()
        for labels in pairs.values():
            games = [self._games[label] for label in labels]
            need = sum(map(self._need, games), Amount())
            models = [self._models[name] for game in games for name in game.models]
            unknown = min((each.over for each in models), default=0) < _ENOUGH_HANDS
            hope = unknown or (need * _HOPELESS).fits(left)
            hopeful |= hope
            kept = need * max((each.margin for each in models), default=1.0)
            if (hope and not self._reach) or kept.fits(room):
                room -= kept
                self._reach.update(labels)
        if not hopeful and self._purse.spent is None:
            self._purse.end(too_little=True)
        self._changed.set()
        self._changed.clear()
