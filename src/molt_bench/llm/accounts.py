"""Accounts: what a request cost, or may have cost."""

from typing import Any, Final

import msgspec

from molt_bench.llm.after_failure import Trouble
from molt_bench.llm.prices import PriceList
from molt_bench.llm.purse import Amount, Purse
from molt_bench.llm.reported_model import other_models
from molt_bench.llm.request import Request
from molt_bench.llm.tellings import Tellings
from molt_bench.llm.types import Answer, Tokens, Unaccounted

#: Troubles with which a reply was on its way for longer than others: it may have had any length.
_TOO_LATE: Final = ("timeout", "hung")


class Accounts(msgspec.Struct, frozen=True):
    """Counts what requests cost.

    Attributes:
        prices: What the models cost.
        purse: What may be spent.
        told: Tells the user what is wrong.
    """

    prices: PriceList
    purse: Purse
    told: Tellings

    def reply(self, request: Request, answer: Answer) -> dict[str, Any]:
        """Return the fields of an exchange that a reply fills in, and count what it cost.

        What the reply states counts; else the prices do, of the service tier that it states.
        """
        asked, tokens, usd = request.asked, answer.tokens, answer.billed_usd
        # What has been said has been written.
        counted = tokens.possible and tokens.input > 0 and (tokens.output > 0 or not answer.text)
        if counted:
            usd = self.prices.cost(asked.settings, tokens, answer.tier) if usd is None else usd
            self._learn(request, tokens, usd)
        else:
            counts = [f"{name} {count:,}" for name, count in msgspec.structs.asdict(tokens).items() if count]
            told = f"impossible counts of tokens ({', '.join(counts)})" if counts else "no counts of tokens"
            unpriced = ": its replies are unpriced" if usd is None else ""
            self.told.once(f"counts of {asked}", f"{asked} reports {told}{unpriced}")
            if usd is None:
                self.lose(request, tokens)
            tokens = Tokens()
        self.purse.spend(usd or 0.0, tokens.total)
        model = asked.settings.model
        for warning in other_models(asked.participant, model, [answer.model] if answer.model is not None else []):
            self.told.once(warning, warning)
        return {
            **{name: value for name, value in msgspec.structs.asdict(answer).items() if name != "billed_usd"},
            "outcome": "reply",
            "tokens": tokens,
            "cost_usd": usd,
            "latency_s": round(request.latency_s, 4),
            "tries": request.tries,
            "lost": request.lost,
        }

    def _learn(self, request: Request, tokens: Tokens, usd: float | None) -> None:
        """Take note of what a request took; one at a time is sent again if that was more than it was allowed to."""
        asked = request.asked
        if not request.exchange.attempt:  # a short question says nothing about others
            return
        if asked.replies.learn(request.sent_bytes, tokens, usd, request.hold) and self.purse.limited:
            asked.rate.exceeded()
            told = "more is kept for it from now on, and fewer requests are sent at once"
            self.told.once(f"limits of {asked}", f"{asked} takes more tokens than it is allowed: {told}")

    def lose(self, request: Request, told: Tokens, trouble: Trouble = "transport") -> None:
        """Count a request whose cost is not known as one with the longest reply so far.

        One that came too late is counted at the most that it can be, and any at what the server told if that is more.
        """
        hold, tokens = request.hold, Tokens(max(0, told.input), 0, max(0, told.output))
        lost = hold.most if trouble in _TOO_LATE else hold.longest
        if tokens.total > 0 and tokens.possible:
            usd = self.prices.cost(request.asked.settings, tokens) or 0.0
            self._learn(request, tokens, usd)
            lost = lost.at_least(Amount(usd, tokens.total))
        request.lost += Unaccounted(1, lost.usd, round(lost.tokens))
        self.purse.spend(lost.usd, lost.tokens)
