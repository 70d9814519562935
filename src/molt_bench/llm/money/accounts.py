"""Accounts: what a request cost, or may have cost, and the record of it."""

from collections.abc import Callable
from typing import Any, Final

import msgspec

from molt_bench.llm.disk_flush import DiskFlush
from molt_bench.llm.money.prices import PriceList
from molt_bench.llm.money.purse import Purse
from molt_bench.llm.money.reply_costs import Amount
from molt_bench.llm.request import Request
from molt_bench.llm.tellings import Teller
from molt_bench.llm.types import NO_TOKENS, Answer, Exchange, Tokens
from molt_bench.specs import GameLabel

#: The game under which the preflight question is recorded, which every model is asked before the first card.
PREFLIGHT: Final = GameLabel(0, "preflight", "AB")
#: Troubles with which a reply was on its way for longer than others: it may have had any length.
_TOO_LATE: Final = ("timeout", "hung")


class Accounts(msgspec.Struct, frozen=True):
    """Counts what requests cost, and records the exchanges.

    Attributes:
        disk: Writes them to disk.
        prices: What the models cost.
        purse: What may be spent.
        warn: Tells the user what is wrong.
        on_exchange: Called with every new exchange.
    """

    disk: DiskFlush
    prices: PriceList
    purse: Purse
    warn: Teller
    on_exchange: Callable[[Exchange], None]

    def reply(self, request: Request, answer: Answer) -> dict[str, Any]:
        """Return the fields of an exchange that a reply fills in, and count what it cost.

        What the reply states counts; else the prices do, of the service tier that it states.
        """
        asked, tokens = request.asked, answer.tokens
        # What has been said has been written.
        counted = tokens.possible and tokens.input > 0 and (tokens.output > 0 or not answer.text)
        if not counted:
            told = [f"{name} {count:,}" for name, count in msgspec.structs.asdict(tokens).items() if count]
            text = f"reports impossible counts of tokens ({', '.join(told)})" if told else "reports no counts of tokens"
            unpriced = "" if answer.billed_usd is not None else ": its replies are unpriced"
            self.warn.once(f"{asked} {text}{unpriced}", about=f"counts of {asked}")
            if answer.billed_usd is None:
                self.lose(request, told=tokens)
            tokens = Tokens()
        usd = answer.billed_usd
        if usd is None and counted:
            usd = self.prices.cost(asked.settings, tokens, answer.tier)
        if counted:
            self._learn(request, tokens, usd)
        self.purse.spend(usd or 0.0, tokens.total)
        said = {name: value for name, value in msgspec.structs.asdict(answer).items() if name != "billed_usd"}
        known = {"outcome": "reply", "tokens": tokens, "cost_usd": usd, "latency_s": round(request.latency_s, 4)}
        return {**said, **known}

    def _learn(self, request: Request, tokens: Tokens, usd: float | None) -> None:
        """Take note of what a request took."""
        trial = request.prompt.max_tokens is not None
        request.exceeded = request.asked.replies.learn(request.sent_bytes, tokens, usd, request.hold, trial=trial)

    def lose(self, request: Request, *, told: Tokens = NO_TOKENS, trouble: str = "timeout") -> None:
        """Count a request whose cost is not known as one with the longest reply so far.

        One that came too late is counted at the most that it can be, and any at what the server told if that is more.
        """
        hold, tokens = request.hold, Tokens(max(0, told.input), 0, max(0, told.output))
        lost = hold.most if trouble in _TOO_LATE else hold.longest
        request.exceeded = False
        if tokens.total > 0 and tokens.possible:
            usd = self.prices.cost(request.asked.settings, tokens) or 0.0
            self._learn(request, tokens, usd)
            lost = Amount(max(lost.usd, usd), max(lost.tokens, tokens.total))
        request.lost.append(lost)
        self.purse.spend(lost.usd, lost.tokens)

    async def record(self, exchange: Exchange, request: Request, **fields: object) -> Exchange:
        """Record an exchange, and wait until it is on disk."""
        found = msgspec.structs.replace(exchange, **{"tries": request.tries, "lost": request.losses(), **fields})
        self.disk.add(found)
        self.on_exchange(found)
        await self.disk.settled()
        return found
