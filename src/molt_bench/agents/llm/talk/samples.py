"""Self-consistency: several answers to one question, of which the majority counts."""

from collections import Counter
from collections.abc import Callable, Sequence

from molt_bench.agents.llm.settings import LLMSettings
from molt_bench.agents.llm.talk.reply import read_answer
from molt_bench.agents.llm.types import Exchange
from molt_bench.errors import AgentFailed
from molt_bench.poker.actions import Action


def chosen(exchanges: Sequence[Exchange], settings: LLMSettings, allows: Callable[[Action], bool]) -> Exchange:
    """Return the exchange that counts among the answers to one question, in their order.

    It has the kind of action that most of the legal answers have, and of two as frequent ones that which came first.
    Of raises it is the one of median size: of two in the middle the smaller, so that its size is one that was given.
    If no answer is legal, it is the first one. If the context was full for one, that one says so: all are asked again.
    """
    full = next((each for each in exchanges if each.outcome == "full"), None)
    if full is not None:
        return full
    read = [(each, _action(each, settings)) for each in exchanges]
    found = [(each, action) for each, action in read if action is not None and allows(action)]
    if not found:
        return exchanges[0]
    ((kind, _),) = Counter(action.kind for _, action in found).most_common(1)
    alike = sorted([pair for pair in found if pair[1].kind == kind], key=lambda pair: pair[1].amount)
    return alike[(len(alike) - 1) // 2][0]


def _action(exchange: Exchange, settings: LLMSettings) -> Action | None:
    if exchange.outcome != "reply":
        return None
    try:
        return read_answer(settings, exchange.text, exchange.finish, exchange.mode).action
    except AgentFailed:
        return None
