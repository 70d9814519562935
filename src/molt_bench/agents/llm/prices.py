"""Prices and the budget: what tokens cost in dollars, and what a run may spend on language models."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field

from molt_bench.agents.fields import MUCH, Section
from molt_bench.agents.llm.exchange import Exchange, Tokens
from molt_bench.agents.llm.model_settings import LLMSettings
from molt_bench.errors import GameUnfinished

#: Prices are published by provider, not by the API that is used.
_PRICED_AS = {"openai-chat": "openai", "openai-responses": "openai", "google-cloud": "google"}
_Dollars = Annotated[float, Field(ge=0, le=MUCH)]


class Price(Section):
    """What a model costs, in dollars for a million tokens."""

    input: _Dollars
    output: _Dollars
    cached_input: Annotated[_Dollars, Field(description="Left out: as other input.")] | None = None

    def cost(self, tokens: Tokens) -> float:
        """Return the dollars for these tokens."""
        cached = self.input if self.cached_input is None else self.cached_input
        fresh = tokens.input - tokens.cached
        return (fresh * self.input + tokens.cached * cached + tokens.output * self.output) / 1e6


class PriceList:
    """Prices by model: the user's own, by the model's name in configs, then the published ones.

    A model at the user's own base URL has no published price, whatever its name.
    """

    def __init__(self, own: Mapping[str, Price]) -> None:
        self._own = own

    def cost(self, settings: LLMSettings, tokens: Tokens) -> float | None:
        """Return the dollars for these tokens; None where no price is known, which does not mean free."""
        own = self._own.get(settings.model)
        if own is not None:
            return own.cost(tokens)
        if settings.base_url is not None:
            return None
        from genai_prices import Usage, calc_price  # slow to import

        provider, _, name = settings.model.partition(":")
        usage = Usage(input_tokens=tokens.input, cache_read_tokens=tokens.cached, output_tokens=tokens.output)
        try:
            return float(calc_price(usage, name, provider_id=_PRICED_AS.get(provider, provider)).total_price)
        except LookupError:
            return None

    def knows(self, settings: LLMSettings) -> bool:
        """Return whether there is a price for this model."""
        return self.cost(settings, Tokens(1000, 0, 1000, 0)) is not None


class ModelBudget:
    """What a run may spend on language models, in dollars and tokens or without limit, and what it has spent.

    Attributes:
        spent: Why nothing more is sent, once the budget is spent.
    """

    def __init__(self, most_usd: float | None = None, most_tokens: int | None = None) -> None:
        self.most_usd = most_usd
        self.most_tokens = most_tokens
        self.usd = 0.0
        self.tokens = 0
        self.spent: str | None = None
        self._exchanges = 0
        self._in_flight = 0

    def add(self, exchange: Exchange) -> None:
        """Count the cost of an exchange."""
        self._exchanges += 1
        self.usd += exchange.cost_usd or 0.0
        self.tokens += exchange.tokens.total

    def open(self) -> None:
        """Start one more request; raises GameUnfinished if the budget does not allow for it and for those under way."""
        self.spent = self.spent or self._why_spent(self._in_flight + 1)
        if self.spent is not None:
            raise GameUnfinished(self.spent)
        self._in_flight += 1

    def close(self) -> None:
        """End a request."""
        self._in_flight -= 1

    def _why_spent(self, more: int) -> str | None:
        """Return why `more` requests of average cost do not fit into the budget; None if they do."""
        each = 1 / self._exchanges if self._exchanges else 0.0
        if self.most_usd is not None and self.usd * (1 + more * each) > self.most_usd:
            return f"the budget of ${self.most_usd:,.10g} is spent"
        if self.most_tokens is not None and self.tokens * (1 + more * each) > self.most_tokens:
            return f"the budget of {self.most_tokens:,} tokens is spent"
        return None
