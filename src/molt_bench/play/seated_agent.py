"""A seat: an agent as the drivers call it, looked at once and with care."""

from functools import partial
from typing import Any, TypeAlias

from molt_bench.agents.tracebacks import Note, Traced
from molt_bench.errors import AgentError, AgentFailed, shown
from molt_bench.play.game import HOOKS, Call, Hook, Notice
from molt_bench.poker.observation import Observation


class SeatedAgent:
    """An agent and the methods it had when it sat down.

    Attributes:
        agent: The agent.
        name: Its name, or that of its class.
        act: Its method of that name.
        hooks: The hooks it has, by name.
        close: Its method of that name; None where it has none. Anything can have one, so it is no hook of the game.
        note: Is told what it raises; None where nobody wants to know.
        keeps_time: Whether it limits the time of its answers itself, as one that queues for a model has to.

    Raises:
        AgentError: It is no agent.
    """

    __slots__ = ("act", "agent", "close", "hooks", "keeps_time", "name", "note")

    def __init__(self, agent: Any) -> None:
        if isinstance(agent, type):
            raise AgentError(f"{agent.__name__} is a class: pass an agent made from it, such as {agent.__name__}()")
        self.note: Note | None = None
        if isinstance(agent, Traced):
            self.note, agent = agent.note, agent.agent
        self.agent = agent
        self.act: Any = _read(agent, "act")
        if not callable(self.act):
            raise AgentError(
                f"{shown(agent)} is no agent: expected an object with a name and a method act(observation) that "
                "returns an Action"
            )
        name = _read(agent, "name")
        self.name = name if isinstance(name, str) and name else type(agent).__name__
        self.keeps_time = _read(agent, "keeps_time") is True
        methods = {hook: _read(agent, hook) for hook in HOOKS}
        self.hooks: dict[Hook, Any] = {hook: method for hook, method in methods.items() if callable(method)}
        close = _read(agent, "close")
        self.close: Any = close if callable(close) else None

    def call(self, event: Observation | Notice) -> Call:
        """Return the call on the agent that answers `event`."""
        if isinstance(event, Notice):
            return partial(self.hooks[event.hook], *event.arguments)
        return partial(self.act, event)

    def raised(self, error: BaseException) -> None:
        """Note what the agent raised; one that fails on purpose, or was cancelled, did not raise."""
        if self.note is not None and error.__traceback__ is not None and not isinstance(error, AgentFailed):
            self.note(error)


Seats: TypeAlias = tuple[SeatedAgent, SeatedAgent]


def _read(agent: object, attribute: str) -> object:
    try:
        return getattr(agent, attribute, None)
    except Exception as error:
        raise AgentError(
            f"{type(agent).__name__} is no agent: reading its {attribute} raised {type(error).__name__}"
        ) from error
