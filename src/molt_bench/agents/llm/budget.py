"""The budget for language models: what a run may spend, and when it is spent."""

from molt_bench.agents.llm.exchange import Exchange
from molt_bench.errors import GameUnfinished


class ModelBudget:
    """What a run may spend on language models, and what it has spent.

    Attributes:
        usd: Dollars spent.
        tokens: Tokens spent.
        spent: Why nothing more is sent, once the budget is spent.

    Args:
        most_usd: Dollars at most, or None.
        most_tokens: Tokens at most, or None.
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
        """Start one more request, if the budget allows for it and for those under way.

        Raises:
            GameUnfinished: It does not.
        """
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
