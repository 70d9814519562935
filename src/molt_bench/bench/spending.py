"""Spending: what the language models of a run have used, by match and by model."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from molt_bench.bench.result import AgentUsage
from molt_bench.llm.reported_model import other_models
from molt_bench.llm.settings import LLMSettings
from molt_bench.llm.types import Exchange, Unaccounted

_PER_DOLLAR: Final = 10**12


class Spending:
    """Adds up the exchanges with each participant that is a language model as they arrive.

    Attributes:
        tokens: Tokens so far, including those of the preflight.
        exchanges: Questions in games so far.
        lost: Requests that came to nothing, or whose reply did not say what it took.
    """

    def __init__(self, models: Mapping[str, Sequence[LLMSettings]]) -> None:
        self.tokens = 0
        self.exchanges = 0
        self.lost = Unaccounted()
        self._models = models
        #: By match: what it cost, tokens, and of every model what its replies cost; None if a price is unknown.
        self._by_match: dict[int, tuple[int, int, dict[str, int | None]]] = defaultdict(lambda: (0, 0, {}))
        self._sums = {name: _Sums() for name in models}

    def add(self, exchange: Exchange) -> None:
        """Count an exchange."""
        tokens, price = exchange.tokens.total, _exact(exchange.cost_usd)
        self.tokens += tokens
        self.exchanges += exchange.attempt > 0
        self.lost += exchange.lost
        self._sums[exchange.participant].add(exchange)
        spent, count, prices = self._by_match[exchange.game.match]
        self._by_match[exchange.game.match] = spent + price, count + tokens, prices
        if exchange.outcome == "reply":
            so_far = prices.get(exchange.participant, 0)
            prices[exchange.participant] = None if so_far is None or exchange.cost_usd is None else so_far + price

    def up_to(self, match: int) -> tuple[float, int]:
        """Return the dollars and tokens of all matches up to this one: decisions may depend on nothing else."""
        # The preflight before the first match does not count.
        spent = [amount for number, amount in self._by_match.items() if 1 <= number <= match]
        return sum(price for price, _, _ in spent) / _PER_DOLLAR, sum(tokens for _, tokens, _ in spent)

    @property
    def free(self) -> bool:
        """Whether no participant is a language model."""
        return not self._models

    @property
    def unpriced(self) -> bool:
        """Whether the price of any reply is unknown."""
        return any(sums.unpriced for sums in self._sums.values())

    @property
    def unanswered(self) -> bool:
        """Whether no reply ever came."""
        return not any(sums.counts["replies"] for sums in self._sums.values())

    @property
    def usd(self) -> float:
        """Dollars so far, where prices are known."""
        return sum(price for price, _, _ in self._by_match.values()) / _PER_DOLLAR

    def usd_of(self, name: str, match: int) -> float | None:
        """Return what one model cost in all matches up to this one, in dollars; None if a price is unknown.

        Later matches do not count: deciding on a round again from the records must give the same decision.
        """
        spent = [prices.get(name, 0) for number, (_, _, prices) in self._by_match.items() if 1 <= number <= match]
        return None if None in spent else sum(filter(None, spent)) / _PER_DOLLAR

    def other_models(self) -> list[str]:
        """Return warnings about models that answered in place of those asked for."""
        alone = {name: models[0].model for name, models in self._models.items() if len(models) == 1}
        found = [(name, model, sorted(self._sums[name].reported)) for name, model in alone.items()]
        return [warning for each in found for warning in other_models(*each)]

    def usage(self) -> tuple[AgentUsage, ...]:
        """Return what each model used."""
        return tuple(sums.usage(name, self._models[name]) for name, sums in self._sums.items())


class _Sums:
    """What one model used."""

    def __init__(self) -> None:
        self.reported: dict[str, None] = {}
        self.fingerprints: dict[str, None] = {}
        self.latencies: list[float] = []
        self.unpriced = False
        self.price = 0
        self.counts: dict[str, int] = defaultdict(int)

    def add(self, exchange: Exchange) -> None:
        counts, tokens = self.counts, exchange.tokens
        in_game = exchange.attempt > 0  # the preflight is paid for, but is not part of play
        counts["exchanges"] += in_game
        counts["decisions"] += exchange.attempt == 1
        counts["requests"] += exchange.tries if in_game else 0
        counts["input_tokens"] += tokens.input
        counts["cached_tokens"] += tokens.cached
        counts["output_tokens"] += tokens.output
        counts["reasoning_tokens"] += tokens.reasoning
        if exchange.outcome == "reply":
            counts["replies"] += 1
            if in_game:
                self.latencies.append(exchange.latency_s)
            self.unpriced |= exchange.cost_usd is None
        self.price += _exact(exchange.cost_usd)
        if exchange.model is not None:
            self.reported[exchange.model] = None
        if exchange.fingerprint is not None:
            self.fingerprints[exchange.fingerprint] = None

    def usage(self, name: str, models: Sequence[LLMSettings]) -> AgentUsage:
        latencies = sorted(self.latencies)
        return AgentUsage(
            id=name,
            model=", ".join(each.model for each in models),
            reported=tuple(sorted(self.reported)),
            fingerprints=tuple(sorted(self.fingerprints)),
            cost_usd=None if self.unpriced or not self.counts["replies"] else self.price / _PER_DOLLAR,
            latency_p50_s=_quantile(latencies, 0.5),
            latency_p95_s=_quantile(latencies, 0.95),
            **self.counts,
        )


def _exact(usd: float | None) -> int:
    """Return dollars as a whole number, so that the sum does not depend on the order of addition."""
    return round((usd or 0.0) * _PER_DOLLAR)


def _quantile(ordered: Sequence[float], share: float) -> float | None:
    """Return the smallest value that this share of the others does not exceed."""
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else None
