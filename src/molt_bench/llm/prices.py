"""Prices: what tokens cost in dollars."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field

from molt_bench.agents.settings_base import MUCH, Section
from molt_bench.llm.settings import LLMSettings
from molt_bench.llm.types import Tokens

_Dollars = Annotated[float, Field(ge=0, le=MUCH)]


class Price(Section):
    """What a model costs, in dollars for a million tokens."""

    input: _Dollars
    output: _Dollars
    cached_input: Annotated[_Dollars, Field(description="Read from a cache. Left out: as other input.")] | None = None
    cache_writes: Annotated[_Dollars, Field(description="Written to a cache. Left out: as other input.")] | None = None

    def cost(self, tokens: Tokens) -> float:
        """Return the dollars for these tokens."""
        cached = self.input if self.cached_input is None else self.cached_input
        writes = self.input if self.cache_writes is None else self.cache_writes
        fresh = tokens.input - tokens.cached - tokens.cache_writes
        read = fresh * self.input + tokens.cached * cached + tokens.cache_writes * writes
        return (read + tokens.output * self.output) / 1e6


class PriceList:
    """Prices by model: the user's own, by the model's name in configs, then the published ones.

    A model at another server than its provider's has no published price, whatever its name.
    """

    def __init__(self, own: Mapping[str, Price]) -> None:
        self._own = own

    def cost(self, settings: LLMSettings, tokens: Tokens, tier: str | None = None) -> float | None:
        """Return the dollars for these tokens; None where no price is known, which does not mean free.

        `tier` is the service tier that a reply states; without one, the tier that was asked for counts. Raises
        ImportError if the published prices are not installed.
        """
        own = self._own.get(settings.model)
        if own is not None:
            return own.cost(tokens)
        if settings.is_elsewhere:
            return None
        import genai_prices  # noqa: PLC0415 - part of the extra llm

        name = settings.model.partition(":")[2]
        usage = genai_prices.Usage(
            input_tokens=tokens.input,
            cache_read_tokens=tokens.cached,
            cache_write_tokens=tokens.cache_writes,
            output_tokens=tokens.output,
        )
        asked_for = (settings.extra_body or {}).get("service_tier")
        tier = tier or (asked_for if isinstance(asked_for, str) else None)
        context = {"service_tier": tier} if tier is not None else None
        try:
            priced = genai_prices.calc_price(
                usage,
                name,
                provider_id=settings.provider.prices or settings.provider.name,
                price_context=context,
            )
        except LookupError:
            return None
        return float(priced.total_price)

    def knows(self, settings: LLMSettings) -> bool:
        """Return whether there is a price for this model."""
        return self.cost(settings, Tokens(1000, 0, 1000, 0)) is not None
