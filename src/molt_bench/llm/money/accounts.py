"""Accounts: what a request cost, or may have cost, and the record of it."""

from collections.abc import Callable
from typing import Any, Final

import msgspec

from molt_bench.llm.disk_flush import DiskFlush
from molt_bench.llm.money.budget import ModelBudget, Reservation
from molt_bench.llm.money.prices import PriceList
from molt_bench.llm.request import Request
from molt_bench.llm.tellings import Teller
from molt_bench.llm.types import NO_TOKENS, Answer, Exchange, Tokens
from molt_bench.specs import GameLabel

#: The game under which the preflight question is recorded, which every model is asked before the first card.
PREFLIGHT: Final = GameLabel(0, "preflight", "AB")


class Accounts(msgspec.Struct, frozen=True):
    """Counts what requests cost, and records the exchanges.

    Attributes:
        disk: Writes them to disk.
        prices: What the models cost.
        budget: What may be spent.
        warn: Tells the user what is wrong.
        on_exchange: Called with every new exchange.
    """

    disk: DiskFlush
    prices: PriceList
    budget: ModelBudget
    warn: Teller
    on_exchange: Callable[[Exchange], None]

    def reply(self, request: Request, answer: Answer) -> dict[str, Any]:
        """Return the fields of an exchange that a reply fills in, and count what it cost."""
        asked, tokens = request.asked, answer.tokens
        # What has been said has been written.
        counted = tokens.possible and tokens.input > 0 and (tokens.output > 0 or not answer.text)
        if not counted:
            told = [f"{name} {count:,}" for name, count in msgspec.structs.asdict(tokens).items() if count]
            text = f"reports impossible counts of tokens ({', '.join(told)})" if told else "reports no counts of tokens"
            self.warn.once(f"{asked} {text}: its replies are unpriced", about=f"counts of {asked}")
            self.lose(request, tokens)
            tokens = Tokens()
        cost_usd = answer.billed_usd
        if cost_usd is None and counted:
            cost_usd = self.prices.cost(asked.settings, tokens)
        if counted:
            self._learn(request, tokens, cost_usd)
        self.budget.spend(cost_usd or 0.0, tokens.total)
        request.tokens += tokens
        if cost_usd is not None:
            request.cost_usd = cost_usd + (request.cost_usd or 0.0)
        known = {"outcome": "reply", "tokens": request.tokens, "cost_usd": request.cost_usd}
        said = {name: value for name, value in msgspec.structs.asdict(answer).items() if name != "billed_usd"}
        return {**said, **known, "latency_s": round(request.latency_s, 4)}

    def _learn(self, request: Request, tokens: Tokens, cost_usd: float | None) -> None:
        """Take note of what a request took; if that is more than was reserved for it, so that the file says it, too."""
        most = request.most
        request.exceeded = request.asked.reserve.learn(request.sent_bytes, tokens, most) or (cost_usd or 0.0) > most.usd
        if request.exceeded:
            self.disk.free(request)
            request.most = msgspec.structs.replace(
                most, usd=max(most.usd, cost_usd or 0.0), tokens=max(most.tokens, tokens.total)
            )
            self.disk.reserve(request)

    def lose(self, request: Request, told: Tokens = NO_TOKENS) -> None:
        """Count a request whose cost is not known at the most it can be, or at what the server told if that is more."""
        tokens = Tokens(max(0, told.input), 0, max(0, told.output))
        request.exceeded = False
        if tokens.total > 0 and tokens.possible:
            self._learn(request, tokens, self.prices.cost(request.asked.settings, tokens))
        self._count_lost(request, request.most)

    def fail(self, request: Request) -> None:
        """Count a request that a server answered with an error as one with the longest reply so far."""
        request.exceeded = False
        self._count_lost(request, request.asked.reserve.usual(request.sent_bytes, request.most))

    def _count_lost(self, request: Request, at_most: Reservation) -> None:
        request.lost.append(at_most)
        self.budget.spend(at_most.usd, at_most.tokens)

    async def record(self, exchange: Exchange, request: Request, **fields: object) -> Exchange:
        """Record an exchange, and wait until it is on disk."""
        sent = {"tries": request.tries}
        paid = {"tokens": request.tokens, "cost_usd": request.cost_usd}  # for replies that our own limit cut off
        found = msgspec.structs.replace(exchange, **{**sent, **paid, **request.losses(), **fields})
        self.disk.add(found)
        self.on_exchange(found)
        await self.disk.settled()
        return found
