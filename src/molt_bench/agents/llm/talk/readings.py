"""What is recorded of a reply beside its text: what the model misread, and the strategy that it states."""

from msgspec import UNSET, UnsetType

from molt_bench.agents.llm.settings import LLMSettings
from molt_bench.agents.llm.strategy import Strategy
from molt_bench.agents.llm.talk.reply import Reply, read_reply
from molt_bench.agents.llm.types import Exchange, Question
from molt_bench.errors import AgentFailed


def reply_in(settings: LLMSettings, exchange: Exchange) -> Reply | None:
    """Return the reply of an exchange; None if there is none, or it cannot be read."""
    if exchange.outcome != "reply":
        return None
    try:
        return read_reply(exchange.text, exchange.finish, exchange.mode, mixed=settings.harness == "mixed")
    except AgentFailed:
        return None


def stated_in(settings: LLMSettings, exchange: Exchange) -> Strategy | UnsetType:
    """Return the strategy that an exchange states, where one was asked for and can be read."""
    reply = reply_in(settings, exchange) if settings.harness == "mixed" else None
    return UNSET if reply is None else reply.strategy


def misread_in(settings: LLMSettings, exchange: Exchange, question: Question) -> tuple[str, ...] | None:
    """Return what a model misread of its hand and the price; None if it was not asked, or its reply cannot be read."""
    reply = reply_in(settings, exchange) if settings.comprehension else None
    if reply is None:
        return None
    hand = () if reply.hand == question.hand_held else ("hand",)
    return (*hand, *(() if reply.to_call == question.to_call else ("toCall",)))
