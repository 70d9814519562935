"""The pilot: what a plan learns from an earlier run, and what it assumes without one."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import fsum, sqrt
from statistics import fmean, median, variance
from typing import Final

import msgspec

from molt_bench.bench.result import RunResult
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.errors import ConfigError
from molt_bench.llm.estimate import Estimate, estimate_of
from molt_bench.llm.prices import PriceList
from molt_bench.llm.settings import LLMSettings
from molt_bench.llm.skill_document import system_prompt
from molt_bench.llm.types import Exchange
from molt_bench.specs import GameLabel

#: Standard deviation of a hand by estimator, in thousandths of a big blind, 100 big blinds deep. That of `adjusted` is
#: of eleven ladders of bots: 1,300 at 20 big blinds, 4,700 to 11,200 at 50, 11,400 to 12,800 at 100
#: and 13,900 at 200. Pairings of built-in bots differ more.
SD_PER_HAND: Final = {"raw": 18_000.0, "adjusted": 10_500.0}
#: Seconds for each call.
LATENCY_S: Final = 5.0
#: The standard deviation of a hand grows as this power of the stacks, over the same ladders.
_DEPTH_POWER: Final = 0.7
_DEPTH: Final = 100.0


class Pilot(msgspec.Struct, frozen=True):
    """What an earlier run teaches; nothing without one.

    Attributes:
        variances: Variance of a hand of each pairing, and its degrees of freedom; none if too little was played.
        seed_pairs: Seed pairs that they are based on.
        models: What each of its models used and how many seconds it took, by participant and by model.
    """

    variances: Mapping[frozenset[str], tuple[float, int]] = {}
    seed_pairs: int = 0
    models: Mapping[str, tuple[Estimate, float]] = {}

    def deviation(self, config: BenchmarkConfig) -> float:
        """Return the standard deviation of a hand in the pairings of a config: that of all if the run had none of them.

        Without any, it is assumed.
        """
        if not self.variances:
            deep: float = (config.game.stack / config.game.big_blind / _DEPTH) ** _DEPTH_POWER
            return SD_PER_HAND[config.rating.estimator] * deep
        own = [self.variances[both] for pair in config.pairings() if (both := frozenset(pair)) in self.variances]
        known = own or list(self.variances.values())
        return sqrt(fsum(each * free for each, free in known) / sum(free for _, free in known))


def pilot_of(config: BenchmarkConfig, result: RunResult, exchanges: Iterable[Exchange], *, estimator: str) -> Pilot:
    """Learn from a run: how much its seed pairs vary, and what its models have used so far.

    The estimator is that of the config to plan. Raises ConfigError if no pairing has two seed pairs, and no model has
    been asked.
    """
    columns: dict[frozenset[str], list[float]] = defaultdict(list)
    dealt: dict[GameLabel, int] = {}
    for match in result.matches:
        turned = -1.0 if match.participants[0] > match.participants[1] else 1.0
        columns[frozenset(match.participants)] += [turned * each for each in match.margins[estimator]]
        dealt.update((GameLabel(match.number, game.seed, game.seating), game.dealt) for game in match.games)
    known = {pair: column for pair, column in columns.items() if len(column) > 1}
    asked: dict[str, list[Exchange]] = defaultdict(list)
    hands: dict[tuple[str, GameLabel], float] = {}
    for exchange in exchanges:
        if exchange.hand:
            asked[exchange.participant].append(exchange)
            # Of the hand under way in a game that is not over, half is over, about.
            game = exchange.participant, exchange.game
            hands[game] = max(hands.get(game, 0.0), dealt.get(exchange.game, exchange.hand - 0.5))
    models = {}
    for name, settings in config.models().items():
        if asked[name]:
            used = _used(asked[name], sum(count for (who, _), count in hands.items() if who == name))
            models[_asked(name, settings)] = used
            models.setdefault(_asked(settings.model, settings), used)
    if not known and not models:
        raise ConfigError("--pilot", None, "a run with at least two seed pairs of a pairing")
    per_hand = 2 * config.game.hands_per_game
    variances = {pair: (variance(column) * per_hand, len(column) - 1) for pair, column in known.items()}
    return Pilot(variances, sum(map(len, known.values())), models)


def _asked(name: str, settings: LLMSettings) -> str:
    """Return what is known about a participant or a model by: what replies of another form used says nothing."""
    return f"{name} by {settings.reply_form}"


def _used(exchanges: Sequence[Exchange], hands: float) -> tuple[Estimate, float]:
    latencies = [each.latency_s for each in exchanges if each.outcome == "reply"]
    used = Estimate(
        calls_per_hand=len(exchanges) / hands,
        input_tokens=fmean(each.tokens.input for each in exchanges),
        cached_tokens=fmean(each.tokens.cached for each in exchanges),
        output_tokens=fmean(each.tokens.output for each in exchanges),
        cache_writes=fmean(each.tokens.cache_writes for each in exchanges),
    )
    return used, median(latencies) if latencies else LATENCY_S


class ModelNeeds(msgspec.Struct, frozen=True):
    """What one language model is expected to need.

    Attributes:
        usd_per_call: Dollars; None if no price is known.
        usd_range: The fewest and the most that would be no surprise; None if no price is known, or where its use is
            measured.
        measured: Whether its use is that of the pilot.
        asked: How it is asked: the form of its replies with its version, and its track.
    """

    id: str
    use: Estimate
    latency_s: float
    usd_per_call: float | None
    usd_range: tuple[float, float] | None
    measured: bool
    asked: str


def needs_of(name: str, settings: LLMSettings, pilot: Pilot, prices: PriceList, *, hands: int = 50) -> ModelNeeds:
    """Return what a model will need: from the same participant in the pilot, the same model there, or the prior.

    `hands` is how many hands a game has.
    """
    known = pilot.models.get(_asked(name, settings)) or pilot.models.get(_asked(settings.model, settings))
    use, latency = known or (estimate_of(settings, hands, skill=system_prompt(settings)), LATENCY_S)
    least, most = (use.usd_per_call(settings, prices, written) for written in use.output_range)
    return ModelNeeds(
        name,
        use,
        latency,
        use.usd_per_call(settings, prices),
        None if least is None or most is None or known else (least, most),
        known is not None,
        f"{settings.reply_form}, {settings.track}",
    )
