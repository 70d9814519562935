"""What replies come to: the strategy that one states, what it misread, and which of several answers counts."""

from collections import Counter
from collections.abc import Callable, Sequence

from msgspec import UNSET, UnsetType

from molt_bench.agents.llm.settings import LLMSettings
from molt_bench.agents.llm.strategy import Strategy, drawn, illegal, pure, together
from molt_bench.agents.llm.talk.reply import Reply, read_answer
from molt_bench.agents.llm.types import Exchange, Question
from molt_bench.errors import AgentFailed
from molt_bench.poker.actions import Action
from molt_bench.poker.observation import Observation
from molt_bench.seeds import derive


def reply_in(settings: LLMSettings, exchange: Exchange) -> Reply | None:
    """Return the reply of an exchange; None if there is none, or it cannot be read."""
    if exchange.outcome != "reply":
        return None
    try:
        return read_answer(settings, exchange.text, exchange.finish, exchange.mode)
    except AgentFailed:
        return None


def stated_in(settings: LLMSettings, exchange: Exchange) -> Strategy | UnsetType:
    """Return the strategy that an exchange states, where one was asked for and can be read.

    That of one of several answers to draw from is its action.
    """
    mixed, one_of_several = settings.harness == "mixed", exchange.samples is not UNSET
    reply = reply_in(settings, exchange) if (mixed or one_of_several) and exchange.calls is UNSET else None
    if reply is None:
        return UNSET
    return reply.strategy if mixed else pure(reply.action)


def misread_in(settings: LLMSettings, exchange: Exchange, question: Question) -> tuple[str, ...] | None:
    """Return what a model misread of its hand and the price; None if it was not asked, or its reply cannot be read."""
    reply = reply_in(settings, exchange) if settings.comprehension else None
    if reply is None:
        return None
    hand = () if reply.hand == question.hand_held else ("hand",)
    return (*hand, *(() if reply.to_call == question.to_call else ("toCall",)))


def chosen(exchanges: Sequence[Exchange], settings: LLMSettings, allows: Callable[[Action], bool]) -> Exchange:
    """Return the exchange that counts among the answers to one question, in their order.

    It has the kind of action that most of the legal answers have, and of two as frequent ones that which came first.
    Of raises it is the one of median size: of two in the middle the smaller, so that its size is one that was given.
    If no answer is legal, it is the first one. If the context was full for one, that one says so: all are asked again.
    """
    full = next((each for each in exchanges if each.outcome == "full"), None)
    if full is not None:
        return full
    read = [(each, reply_in(settings, each)) for each in exchanges]
    found = [(each, reply.action) for each, reply in read if reply is not None and allows(reply.action)]
    if not found:
        return exchanges[0]
    ((kind, _),) = Counter(action.kind for _, action in found).most_common(1)
    alike = sorted([pair for pair in found if pair[1].kind == kind], key=lambda pair: pair[1].amount)
    return alike[(len(alike) - 1) // 2][0]


def drawn_from(
    exchanges: Sequence[Exchange], settings: LLMSettings, observation: Observation
) -> tuple[Exchange, Action | None]:
    """Return the exchange that counts among those that state a strategy, and the action that the bench draws.

    It is drawn from the mean of all strategies whose actions are legal, by the noise of the decision, and the first
    answer that has it counts. If none is legal, the first one that can be read does, with an action of it that is not;
    None if no answer can be read.
    """
    allows = observation.legal.allows
    read = [(each, reply.strategy) for each in exchanges if (reply := reply_in(settings, each)) is not None]
    weights = together([strategy for _, strategy in read], allows)
    if not weights:
        return (read[0][0], illegal(read[0][1], allows)) if read else (exchanges[0], None)
    action = drawn(weights, observation.noise)
    legal = [(each, strategy) for each, strategy in read if illegal(strategy, allows) is None]
    return next(each for each, strategy in legal if any(share.action == action for share in strategy)), action


def one_of(exchanges: Sequence[Exchange], observation: Observation) -> Exchange:
    """Return one of several answers, drawn by the bench; each is as likely, also one that cannot be played.

    So a model that is asked again is the same agent: its answers, and its faults, are as frequent as if it were asked
    once. A model that is told its dice knows nothing about this draw, which follows from all bits of the noise.
    """
    return exchanges[derive(observation.noise, "reask", exchanges[0].attempt) % len(exchanges)]
