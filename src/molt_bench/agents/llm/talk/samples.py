"""Several answers to one question: the majority counts, or the mean of their strategies, or one that is drawn."""

from collections import Counter
from collections.abc import Callable, Sequence

from molt_bench.agents.llm.settings import LLMSettings
from molt_bench.agents.llm.strategy import drawn, illegal, together
from molt_bench.agents.llm.talk.readings import reply_in
from molt_bench.agents.llm.types import Exchange
from molt_bench.poker.actions import Action
from molt_bench.poker.observation import Observation
from molt_bench.seeds import derive


def chosen(exchanges: Sequence[Exchange], settings: LLMSettings, allows: Callable[[Action], bool]) -> Exchange:
    """Return the exchange that counts among the answers to one question, in their order.

    It has the kind of action that most of the legal answers have, and of two as frequent ones that which came first.
    Of raises it is the one of median size: of two in the middle the smaller, so that its size is one that was given.
    If no answer is legal, it is the first one.
    """
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
