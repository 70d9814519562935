"""A plan: what a config takes and what its budget can show, before any money is spent. Formulas, no simulation.

What a budget shows is the run's own rule on what will be known by then, if every pairing has played equally often and
its seed pairs vary as in the pilot, or as assumed without one. A real lead fluctuates around the true one, so single
runs need half or twice as much.
"""

from collections import Counter
from collections.abc import Callable
from itertools import combinations
from math import ceil, fsum, sqrt
from typing import Final, Literal, TypeAlias

import msgspec

from molt_bench.bench.ladder import margin_model
from molt_bench.bench.seed_blocks import SeedBlocks
from molt_bench.bench.stop_rules import judge_of, rule_of
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.config.stop import Budget
from molt_bench.errors import ConfigError
from molt_bench.llm.money.prices import PriceList
from molt_bench.rating.boundary import WIDE
from molt_bench.seeds import load_seeds
from molt_bench.study.pilot import Pilot, guess_of, prior_deviation

#: Hands per second of scripted bots, including the removal of luck.
BOT_HANDS_PER_SECOND: Final = 1000.0
#: What two that are so far apart will be called.
Outcome: TypeAlias = Literal["ordered", "tied"]

#: Matches that nobody plays.
_MOST: Final = 10**9
_LEAST_SD: Final = 1.0


class Price(msgspec.Struct, frozen=True):
    """What some matches take, spread evenly over the pairings.

    Attributes:
        hands: Hands, at most.
        calls: Calls to language models.
        tokens: Their tokens, input and output.
        usd: Dollars, where prices are known; None if there is no price at all.
        unpriced: The models without a price.
        hours: Hours, with the games of a round at once.
    """

    matches: int
    games: int
    hands: int
    calls: int
    tokens: int
    usd: float | None
    unpriced: tuple[str, ...]
    hours: float


class Plan:
    """Computes what a config will take.

    Attributes:
        deviation: Standard deviation of a seed pair, in thousandths of a big blind per hand.
        models: What each language model is expected to use.
        opening: Matches until every pairing has played the least number of seed pairs.

    Args:
        pilot: What an earlier run taught; without it, priors are used.
        latency_s: Seconds per reply; None for the pilot's median, or the prior.
    """

    def __init__(self, config: BenchmarkConfig, *, pilot: Pilot | None = None, latency_s: float | None = None) -> None:
        self.config, self.pilot = config, pilot
        self.pairs = config.pairings()
        game, prices = config.game, PriceList(config.llm.prices)
        per_hand = pilot.deviation(self.pairs) if pilot is not None and pilot.variances else prior_deviation(config)
        self.deviation = max(per_hand, _LEAST_SD) / sqrt(2 * game.hands_per_game)
        played = game.hands_per_game + game.warmup_hands
        self.models = tuple(
            guess_of(name, settings, pilot, prices, latency_s, hands=played)
            for name, settings in config.models().items()
        )
        self.opening = ceil(config.scheduler.min_seed_pairs / config.seeds.per_match) * len(self.pairs)

    def price(self, matches: int) -> Price:
        """Return what so many matches take."""
        config = self.config
        games = 2 * config.seeds.per_match * matches
        hands = games * (config.game.hands_per_game + config.game.warmup_hands)
        meets = Counter(name for pair in self.pairs for name in pair)
        calls = {each.id: hands * meets[each.id] / len(self.pairs) * each.calls_per_hand for each in self.models}
        priced = [each for each in self.models if each.usd_per_call is not None]
        usd = fsum(calls[each.id] * (each.usd_per_call or 0.0) for each in priced)
        return Price(
            matches=matches,
            games=games,
            hands=hands,
            calls=round(fsum(calls.values())),
            tokens=round(fsum(calls[each.id] * (each.input_tokens + each.output_tokens) for each in self.models)),
            usd=usd if priced or not self.models else None,
            unpriced=tuple(each.id for each in self.models if each.usd_per_call is None),
            hours=(self._waiting_s(matches, calls) + hands / BOT_HANDS_PER_SECOND) / 3600,
        )

    def _waiting_s(self, matches: int, calls: dict[str, float]) -> float:
        """Return how long replies take: as long as the longest game of each round, or as limits dictate."""
        config, settings = self.config, self.config.models()
        hands, size = config.game.hands_per_game + config.game.warmup_hands, config.matches_per_round()
        in_game = {each.id: hands * each.calls_per_hand * each.latency_s for each in self.models}
        games = [sum(in_game.get(name, 0.0) for name in pair) for pair in self.pairs]
        sweep = fsum(max(games[start : start + size]) for start in range(0, len(games), size))
        in_all = {each.id: calls[each.id] * each.latency_s for each in self.models}
        waits = [sweep * matches / len(games), fsum(in_all.values()) / config.llm.max_concurrent]
        for name, seconds in in_all.items():
            at_once, a_minute = settings[name].max_concurrent, settings[name].requests_per_minute
            waits += [seconds / at_once] if at_once else []
            waits += [calls[name] * 60 / a_minute] if a_minute else []
        return max(waits)

    def most_matches(self) -> int | None:
        """Return how many matches the limits of matches, games, hands and seeds allow; None without such a limit."""
        config, game = self.config, self.config.game
        limits, per_match = config.stop.budget or Budget(max_matches=None), config.seeds.per_match
        listed = None if config.seeds.file is None else load_seeds(config.seeds.file)
        known = [
            limit // share
            for limit, share in (
                (SeedBlocks(config, listed).matches, 1),
                (limits.max_matches, 1),
                (limits.max_games, 2 * per_match),
                (limits.max_hands, 2 * per_match * (game.hands_per_game + game.warmup_hands)),
            )
            if limit is not None
        ]
        return max(1, min(known)) if known else None

    def affordable(self) -> int | None:
        """Return how many matches the limits of dollars and tokens allow as well; None without any limit."""
        limits, price = self.config.stop.budget or Budget(max_matches=None), self.price(1)
        known = [self.most_matches()]
        for limit, each in ((limits.max_cost_usd, price.usd), (limits.max_tokens, price.tokens)):
            known.append(int(limit / each) if limit is not None and each else None)
        return min((each for each in known if each is not None), default=None)

    def shown_by(self, matches: int) -> tuple[float, bool] | None:
        """Return how far apart the two must be that so many matches order, and whether closer ones are called tied.

        None where ratings decide, or the matches are too few for the opening.
        """
        rule = self.config.stop.adjacent_confidence
        if rule is None or rule.method != "margin" or matches < self.opening:
            return None
        half_width, tied_below = self._half_width(matches), WIDE * rule.tie_margin_mbb / 2
        # Of two that are closer, the run is sooner sure that they are tied.
        return max(half_width, tied_below), half_width <= tied_below

    def deciding(self, gap: float) -> tuple[Outcome, int]:
        """Return what the run will say of two that are so far apart, and after how many matches."""
        tie = WIDE * rule_of(self.config.stop).tie_margin_mbb
        outcome: Outcome = "ordered" if gap >= tie / 2 else "tied"
        distance = gap if outcome == "ordered" else tie - gap
        if not distance:
            raise ConfigError("--gap", gap, "more than 0, since stop.adjacentConfidence.tieMarginMbb is 0")
        return outcome, _first(lambda matches: self._half_width(matches) <= distance, self.opening)

    def _half_width(self, matches: int) -> float:
        """Return how wide the interval of a lead is, on either side, once every pairing has played its share."""
        model, judge = margin_model(self.config), judge_of(self.config)
        count = max(1.0, matches * self.config.seeds.per_match / len(self.pairs))
        first, second = model.numbers(self.pairs)
        for one, two in ((first, second), (second, first)):
            model.sums.count[0, one, two] = count
            model.sums.squares[0, one, two] = (count - 1) * self.deviation**2
        # Only anchors and a yardstick make a difference, so two of each kind are enough.
        alike: dict[float, list[str]] = {}
        for name, share in zip(model.participants, model.sums.field.tolist(), strict=True):
            alike.setdefault(share, []).append(name)
        few = [name for names in alike.values() for name in names[:2]]
        verdicts = judge.verdicts(model, list(combinations(few, 2)), judge.share(len(model.participants) - 1))
        return max(each.half_width for each in verdicts)

    def to_decide(self) -> tuple[int, float] | None:
        """Return the hands of a run that the pilot begins, and how many times as many decide all; None without it."""
        times = self.pilot.times_to_decide(self.config) if self.pilot is not None else None
        if times is None or self.pilot is None or self.pilot.result is None:
            return None
        matches = self.pilot.result.matches
        return sum(game.dealt for match in matches for game in match.games), times


def _first(enough: Callable[[int], bool], least: int) -> int:
    """Return the smallest number from the least on that is enough, given that every larger one is, too."""
    low, high = least - 1, least
    while not enough(high):
        low, high = high, 2 * high
        if high > _MOST:
            raise ConfigError("--gap", None, "a gap that a billion matches can show")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
