"""Whose turn it is to ask: under a limit, only as many games are played at once as the money that is left can finish.

Games count in an order: the first seed pair of every match comes before the second of any. One goes on only if what
those before it still need is not touched, and none if what is left finishes none. So a limit ends a run on whole seed
pairs, and not in the middle of many. What a game needs is judged by what a hand has cost so far, and at first by what a
plan expects of it.
"""

import asyncio
from collections import defaultdict
from collections.abc import Mapping
from heapq import heapify, heappop, heappush
from itertools import count
from math import inf
from typing import Final

import msgspec

from molt_bench.errors import GameUnfinished
from molt_bench.llm.money.estimate import estimate_of
from molt_bench.llm.money.prices import PriceList
from molt_bench.llm.money.purse import Purse
from molt_bench.llm.money.reply_costs import Amount
from molt_bench.llm.request import Participant
from molt_bench.llm.types import Exchange
from molt_bench.seeds import Seed
from molt_bench.specs import GameLabel, GameSpec

#: Hands that the expectation counts for, beside those that were seen.
_PRIOR_HANDS: Final = 4.0
#: What is kept for a game over what it is likely to cost, how much more while that is only expected and nothing was
#: seen, and the least share of that until it ends.
_MARGIN: Final = 1.05
_UNSURE: Final = 3.0
_LEAST: Final = 0.05
#: Hands of every model after which what they have cost says what others will; and the share of what a seed pair needs
#: below which it is not even tried.
_ENOUGH_HANDS: Final = 12
_HOPELESS: Final = 0.9
#: Exchanges after which it is worked out anew how many games the money reaches for.
_OFTEN: Final = 8
#: Seconds without a request after which the next game may ask, whatever those before it still need.
_QUIET_S: Final = 2.0


class _Hands:
    """What one model has cost, by hand; at first what is expected.

    Attributes:
        over: How many hands are over.
        cost: What they cost.
        under_way: How many are not.
        cost_under_way: What those have cost so far.
    """

    def __init__(self, asked: Participant, prices: PriceList, hands: int) -> None:
        found = estimate_of(asked.settings, hands, skill=asked.skill)
        usd, tokens = found.usd_per_call(asked.settings, prices) or 0.0, found.input_tokens + found.output_tokens
        self._expected = Amount(usd, tokens) * found.calls_per_hand
        self.over = self.under_way = 0
        self.cost = self.cost_under_way = Amount()

    def each(self) -> Amount:
        """Return what a hand costs, as far as is known: rather more than less, as long as few are over."""
        weight = _PRIOR_HANDS if self.over < _ENOUGH_HANDS else 0.0
        hands, cost = self.over + weight, self.cost + self._expected * weight
        # Of a hand that is under way, half is over, about.
        with_open = (cost + self.cost_under_way) * (1 / (hands + self.under_way / 2))
        return (cost * (1 / hands)).at_least(with_open)

    @property
    def margin(self) -> float:
        """How many times as much is kept."""
        return _MARGIN + _UNSURE * _PRIOR_HANDS / (self.over + _PRIOR_HANDS)


class _Game(msgspec.Struct):
    """A game that is not over.

    Attributes:
        models: Who of the two is a model.
        cost: What it has cost so far.
        hands: The number of the last hand in which each model was asked, and what that has cost.
    """

    models: tuple[str, ...] = ()
    cost: Amount = Amount()
    hands: dict[str, tuple[int, Amount]] = msgspec.field(default_factory=dict)

    @property
    def hand(self) -> int:
        """The number of the hand under way; 0 if it has not begun."""
        return max((number for number, _ in self.hands.values()), default=0)


class Turns:
    """Decides whose turn it is to ask, while money is limited.

    Attributes:
        hands: Hands that have begun, in all games.

    Args:
        models: The participants that are models, by name.
        prices: What they cost.
        purse: What may be spent.
        hands: Hands of a game.
    """

    def __init__(self, models: Mapping[str, Participant], prices: PriceList, purse: Purse, *, hands: int) -> None:
        self._purse = purse
        self._hands = hands
        self.hands = 0
        self._by_model = {name: _Hands(each, prices, hands) for name, each in models.items()}
        self._games: dict[GameLabel, _Game] = defaultdict(_Game)
        self._order: dict[GameLabel, int] = {}
        self._reach: set[GameLabel] = set()
        self._stale = 0
        self._asking = 0
        self._arrivals = count()
        self._waiting: list[tuple[int, int, GameLabel, asyncio.Future[None]]] = []
        self._timer: asyncio.TimerHandle | None = None

    def deal(self, games: Mapping[GameLabel, GameSpec]) -> dict[GameLabel, GameSpec]:
        """Take note of the games that are played next; return them in the order in which they count."""
        ordered = dict(games)
        if self._purse.limited:
            dealt: dict[int, dict[Seed, int]] = defaultdict(dict)
            for label in games:
                dealt[label.match].setdefault(label.seed, len(dealt[label.match]))
            ordered = dict(sorted(games.items(), key=lambda each: dealt[each[0].match][each[0].seed]))
        self._order = {label: at for at, label in enumerate(ordered)}
        for label in [each for each in self._games if each not in games]:
            self._close(label)
        for label, spec in ordered.items():
            self._games[label].models = tuple(name for name in spec.players if name in self._by_model)
        self._work_out()
        return ordered

    def add(self, exchange: Exchange) -> None:
        """Count an exchange."""
        model = self._by_model.get(exchange.participant)
        if model is None or not exchange.hand:
            return
        cost = Amount((exchange.cost_usd or 0.0) + exchange.lost.usd, exchange.tokens.total + exchange.lost.tokens)
        game, name, hand = self._games[exchange.game], exchange.participant, exchange.hand
        game.cost += cost
        self.hands += max(0, hand - game.hand)
        number, so_far = game.hands.get(name, (0, Amount()))
        if hand > number:
            self._hand_over(game, name, hand - max(number, 1))
            model.under_way += 1
            number, so_far = hand, Amount()
        game.hands[name] = number, so_far + cost
        model.cost_under_way += cost
        self._stale += 1
        if self._stale >= max(_OFTEN, len(self._order) // _OFTEN):
            self._work_out()

    def ended(self, label: GameLabel) -> None:
        """Take note that a game is over."""
        self._close(label)
        if self._order.pop(label, None) is not None:
            self._work_out()

    def _close(self, label: GameLabel) -> None:
        game = self._games.pop(label, _Game())
        for name in game.hands:
            self._hand_over(game, name, 1)

    def _hand_over(self, game: _Game, name: str, hands: int) -> None:
        """Count so many hands of a model as over: the one under way, and those in which it was not asked."""
        model = self._by_model[name]
        if name in game.hands:
            cost = game.hands[name][1]
            model.under_way -= 1
            model.cost_under_way -= cost
            model.cost += cost
        model.over += hands

    def games_bought(self) -> float | None:
        """Return how many games all of the money buys, by what hands have cost; None as long as too little is known."""
        playing = {name for game in self._games.values() for name in game.models}
        if not playing or not self._purse.limited or min(self._by_model[name].over for name in playing) < _ENOUGH_HANDS:
            return None
        costs = sum(map(self._whole, self._games.values()), Amount())
        purse, games = self._purse, len(self._games)
        by_usd = games * purse.most_usd / costs.usd if purse.most_usd is not None and costs.usd else inf
        return min(by_usd, games * purse.most_tokens / costs.tokens if purse.most_tokens is not None else inf)

    @property
    def playing(self) -> int:
        """Number of games that have begun and are not over."""
        return sum(game.hand > 0 for game in self._games.values())

    async def turn(self, label: GameLabel) -> None:
        """Wait until a game may ask; call `over` afterwards. Raises GameUnfinished if the money is spent first."""
        if not self._may_ask(label):
            turn = asyncio.get_running_loop().create_future()
            heappush(self._waiting, (self._order[label], next(self._arrivals), label, turn))
            self._serve()
            await turn
        if self._purse.spent is not None:
            raise GameUnfinished("the budget is spent")
        self._asking += 1

    def reaches(self, label: GameLabel) -> bool:
        """Return whether a game may still ask, once it was its turn and something else was waited for."""
        return self._asking == 1 or self._may_ask(label)

    def over(self) -> None:
        """End a turn."""
        self._asking -= 1
        self._serve()

    def _may_ask(self, label: GameLabel) -> bool:
        limited = self._purse.limited and label in self._order
        return not limited or label in self._reach or self._purse.spent is not None

    def _whole(self, game: _Game) -> Amount:
        """Return what all of a game costs, as far as is known."""
        return sum((self._by_model[name].each() for name in game.models), Amount()) * self._hands

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
            models = [self._by_model[name] for game in games for name in game.models]
            unknown = min((each.over for each in models), default=0) < _ENOUGH_HANDS
            hope = unknown or (need * _HOPELESS).fits(left)
            hopeful |= hope
            kept = need * max((each.margin for each in models), default=1.0)
            if (hope and not self._reach) or kept.fits(room):
                room -= kept
                self._reach.update(labels)
        if not hopeful and self._purse.spent is None:
            self._purse.end(too_little=True)
        self._serve()

    def _serve(self) -> None:
        """Let those ask whose turn it is."""
        ready = [each for each in self._waiting if self._may_ask(each[2])]
        if ready:
            self._waiting = [each for each in self._waiting if not self._may_ask(each[2])]
            heapify(self._waiting)
            for *_, turn in sorted(ready, key=lambda each: each[:2]):
                if not turn.done():
                    turn.set_result(None)
        if self._waiting and not self._asking and self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_QUIET_S, self._nobody_asks)

    def _nobody_asks(self) -> None:
        """Let the first ask whose turn it is not, if those before it wait for something else: for a person, say."""
        self._timer = None
        if self._waiting and not self._asking:
            turn = heappop(self._waiting)[3]
            if not turn.done():
                turn.set_result(None)
