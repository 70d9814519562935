"""The pilot: what a plan learns from an earlier run, and what it assumes without one."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import fsum, inf, sqrt
from statistics import fmean, median, variance
from typing import Final

import msgspec

from molt_bench.bench.extended_run import another_stop
from molt_bench.bench.ladder import margin_model
from molt_bench.bench.participant_failures import failures_of, left_the_run
from molt_bench.bench.result import RunResult
from molt_bench.bench.stop_rules import judge_of, rule_of
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.errors import ConfigError
from molt_bench.llm.money.estimate import Estimate, estimate_of
from molt_bench.llm.money.prices import PriceList
from molt_bench.llm.settings import LLMSettings
from molt_bench.llm.skill_document import system_prompt
from molt_bench.llm.types import Exchange
from molt_bench.specs import GameLabel, Pair

#: Standard deviation of a hand by estimator, in thousandths of a big blind, 100 big blinds deep. That of `adjusted` is
#: of eleven ladders (`benchmarks/ladders.txt`): 1,300 at 20 big blinds, 4,700 to 11,200 at 50, 11,400 to 12,800 at 100
#: and 13,900 at 200. Pairings of built-in bots differ more.
SD_PER_HAND: Final = {"raw": 18_000.0, "adjusted": 10_500.0}
#: Seconds for each call.
LATENCY_S: Final = 5.0
#: The standard deviation of a hand grows as this power of the stacks, over the same ladders.
_DEPTH_POWER: Final = 0.7
_DEPTH: Final = 100.0


def prior_deviation(config: BenchmarkConfig) -> float:
    """Return the standard deviation of a hand that is assumed without a pilot."""
    deep: float = (config.game.stack / config.game.big_blind / _DEPTH) ** _DEPTH_POWER
    return SD_PER_HAND[config.rating.estimator] * deep


class ModelGuess(msgspec.Struct, frozen=True):
    """What one language model is expected to need, per call where nothing else is said.

    Attributes:
        cached_tokens: Input tokens read from a cache.
        cache_writes: Input tokens written to a cache, where that has a price of its own.
        usd_per_call: Dollars; None if no price is known.
        measured: Whether these numbers come from the pilot.
        output_range: The fewest and the most output tokens that would be no surprise; both 0 where they are measured.
        usd_range: Dollars with these; None if no price is known, or where they are measured.
        asked: How it is asked: the form of its replies with its version, and its track.
    """

    id: str
    calls_per_hand: float
    input_tokens: float
    cached_tokens: float
    output_tokens: float
    latency_s: float
    usd_per_call: float | None
    measured: bool
    asked: str = ""
    cache_writes: float = 0.0
    output_range: tuple[float, float] = (0.0, 0.0)
    usd_range: tuple[float, float] | None = None


class Pilot(msgspec.Struct, frozen=True):
    """What an earlier run teaches.

    Attributes:
        config: Of the run.
        variances: Variance of a hand of each pairing, and its degrees of freedom; none if too little was played.
        seed_pairs: Seed pairs that they are based on.
        models: What each of its models used, by participant and by model.
        result: Of the run; None if that is unknown.
    """

    config: BenchmarkConfig
    variances: Mapping[frozenset[str], tuple[float, int]]
    seed_pairs: int
    models: Mapping[str, ModelGuess] = {}
    result: RunResult | None = None

    def deviation(self, pairs: Iterable[Pair]) -> float:
        """Return the standard deviation of a hand of these pairings; that of all if the run had none of them."""
        own = [self.variances[both] for pair in pairs if (both := frozenset(pair)) in self.variances]
        known = own or list(self.variances.values())
        return sqrt(fsum(each * free for each, free in known) / sum(free for _, free in known))

    def begins(self, config: BenchmarkConfig) -> bool:
        """Return whether it is the beginning of a run of this config: it can be resumed under that stop rule."""
        seeds = config.seeds
        if seeds.master_seed is None:  # every run has one
            seeds = seeds.model_copy(update={"master_seed": self.config.seeds.master_seed})
        try:
            another_stop(self.config, config.model_copy(update={"seeds": seeds, "output_dir": self.config.output_dir}))
        except ConfigError:
            return False
        return True

    def times_to_decide(self, config: BenchmarkConfig) -> float | None:
        """Return how many times its hands decide every two neighbours by the stop rule of a config that it begins.

        That is what the headline of a run says: the largest (half width / distance)^2, if every lead stays as it is;
        infinite where that cannot be said. None if it does not begin a run of this config, or ratings decide.
        """
        if self.result is None or not self.begins(config) or rule_of(config.stop).method != "margin":
            return None
        failures = failures_of(self.result.matches)
        model, judge = margin_model(config, left=left_the_run(failures)), judge_of(config)
        for match in self.result.matches:
            model.add(match.participants, match.margins[config.rating.estimator])
        ranked = [name for name in model.ranking() if name in failures and not failures[name].helpless]
        if len(ranked) < 2 or any(map(model.unmet, ranked)):
            return inf
        return judge.more_play(judge.neighbours(model, ranked))


def pilot_of(config: BenchmarkConfig, result: RunResult, exchanges: Iterable[Exchange], *, estimator: str) -> Pilot:
    """Learn from a run: how much its seed pairs vary, and what its models have used so far.

    The estimator is that of the config to plan. Raises ConfigError if no pairing has two seed pairs, and no model has
    been asked.
    """
    columns: dict[frozenset[str], list[float]] = defaultdict(list)
    dealt: dict[GameLabel, int] = {}
    for match in result.matches:
        turned = -1.0 if match.participants[0] > match.participants[1] else 1.0
        margins = match.margins[estimator]
        columns[frozenset(match.participants)] += [turned * each for each in margins]
        for game in (game for game in match.games):
            dealt[GameLabel(match.number, game.seed, game.seating)] = game.dealt
    known = {pair: column for pair, column in columns.items() if len(column) > 1}
    per_hand = 2 * config.game.hands_per_game
    asked: dict[str, list[Exchange]] = defaultdict(list)
    last: dict[str, dict[GameLabel, float]] = defaultdict(dict)
    for exchange in exchanges:
        if exchange.hand:
            asked[exchange.participant].append(exchange)
            # Of the hand under way in a game that is not over, half is over, about.
            hands = dealt.get(exchange.game, exchange.hand - 0.5)
            games = last[exchange.participant]
            games[exchange.game] = max(games.get(exchange.game, 0.0), hands)
    models = {}
    for name, settings in config.models().items():
        if asked[name]:
            guess = _measured(name, asked[name], sum(last[name].values()))
            models[_asked(name, settings)] = guess
            models.setdefault(_asked(settings.model, settings), guess)
    if not known and not models:
        raise ConfigError("--pilot", None, "a run with at least two seed pairs of a pairing")
    return Pilot(
        config,
        {pair: (variance(column) * per_hand, len(column) - 1) for pair, column in known.items()},
        sum(map(len, known.values())),
        models,
        result,
    )


def _asked(name: str, settings: LLMSettings) -> str:
    """Return what is known about a participant or a model by: what replies of another form used says nothing."""
    return f"{name} by {settings.reply_form}"


def _measured(name: str, exchanges: Sequence[Exchange], hands: float) -> ModelGuess:
    latencies = [each.latency_s for each in exchanges if each.outcome == "reply"]
    return ModelGuess(
        id=name,
        calls_per_hand=len(exchanges) / hands,
        input_tokens=fmean(each.tokens.input for each in exchanges),
        cached_tokens=fmean(each.tokens.cached for each in exchanges),
        output_tokens=fmean(each.tokens.output for each in exchanges),
        cache_writes=fmean(each.tokens.cache_writes for each in exchanges),
        latency_s=median(latencies) if latencies else LATENCY_S,
        usd_per_call=None,
        measured=True,
    )


def guess_of(
    name: str,
    settings: LLMSettings,
    pilot: Pilot | None,
    prices: PriceList,
    latency_s: float | None,
    *,
    hands: int = 50,
) -> ModelGuess:
    """Return what a model will need: from the same participant in the pilot, the same model there, or the prior.

    `hands` is how many hands a game has.
    """
    known = pilot.models if pilot is not None else {}
    found = known.get(_asked(name, settings)) or known.get(_asked(settings.model, settings))
    if found is None:
        assumed = msgspec.structs.asdict(estimate_of(settings, hands, skill=system_prompt(settings)))
        found = ModelGuess(id="", latency_s=LATENCY_S, usd_per_call=None, measured=False, **assumed)
    latency = found.latency_s if latency_s is None else latency_s
    expected = msgspec.convert(found, Estimate, from_attributes=True)
    least, most = (expected.usd_per_call(settings, prices, written) for written in found.output_range)
    return msgspec.structs.replace(
        found,
        id=name,
        latency_s=latency,
        usd_per_call=expected.usd_per_call(settings, prices),
        usd_range=None if least is None or most is None or found.measured else (least, most),
        asked=f"{settings.reply_form}, {settings.track}",
    )
