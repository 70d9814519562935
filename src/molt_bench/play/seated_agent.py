"""A seated agent: an agent as `play_games` calls it, inspected once and with care."""

from functools import partial
from typing import Any, TypeAlias

from molt_bench.agents.tracebacks import Note, Watched
from molt_bench.blame import internal_error, is_ours
from molt_bench.errors import AgentError, AgentFailed, ConfigError, GameUnfinished, JournalError, RunHalted
from molt_bench.play.game import Call
from molt_bench.play.hooks import HOOKS, Hook, Notice
from molt_bench.poker.observation import Observation
from molt_bench.specs import GameFacts
from molt_bench.visible_text import shown


class SeatedAgent:
    """An agent and the methods it had when it sat down; raises `AgentError` if it is not an agent.

    Attributes:
        name: Its name, or that of its class.
        close: Its `close` method, or None. It is not a hook of the game, since any object may have one.
        note: Called with what it raises; None if there is no listener.
        ours: Whether it is all our own code, so that what it raises is our bug.
        keeps_time: Whether it limits its own answering time, as an agent that queues for a model must, or needs
            no limit, as a built-in bot.
        told_game: Takes what a player may know about a game, before it starts.
    """

    __slots__ = ("act", "agent", "close", "hooks", "keeps_time", "name", "note", "ours", "told_game")

    def __init__(self, agent: Any) -> None:
        if isinstance(agent, type):
            raise AgentError(f"{agent.__name__} is a class: pass an agent made from it, such as {agent.__name__}()")
        self.note: Note | None = None
        through = None
        if isinstance(agent, Watched):
            self.note, through, agent = agent.note, agent.through, agent.agent
        self.agent = agent
        self.ours = is_ours(agent)
        self.act: Any = _read(agent, "act")
        if not callable(self.act):
            raise AgentError(
                f"{shown(agent)} is not an agent: expected an object with a name and a method act(observation) that "
                "returns an Action"
            )
        if through is not None:
            self.act = through(self.act)
        name = _read(agent, "name")
        self.name = name if isinstance(name, str) and name else type(agent).__name__
        # A built-in bot answers as soon as it can: on a busy machine, a limit would make it another bot.
        self.keeps_time = self.ours or _read(agent, "keeps_time") is True
        methods = {hook: _read(agent, hook) for hook in HOOKS}
        self.hooks: dict[Hook, Any] = {hook: method for hook, method in methods.items() if callable(method)}
        told_game = _read(agent, "told_game")
        self.told_game: Any = told_game if callable(told_game) else None
        close = _read(agent, "close")
        self.close: Any = close if callable(close) else None

    def tell_game(self, facts: GameFacts) -> None:
        """Tell it what both players may know about a game; raises AgentError if it does not take that."""
        if self.told_game is not None:
            try:
                self.told_game(facts)
            except Exception as error:
                if self.ours:
                    raise
                raise AgentError(f"{self.name!r}: its told_game raised {type(error).__name__}: {error}") from error

    def call(self, event: Observation | Notice) -> Call:
        """Return the call to the agent that answers an event."""
        if isinstance(event, Notice):
            return partial(self.hooks[event.hook], *event.arguments)
        return partial(self.act, event)

    def failure(self, error: BaseException) -> AgentFailed:
        """Return what an exception of the agent counts as, and report it unless it failed on purpose.

        Raises:
            InternalError: The agent is ours, and did not mean to fail: that is our bug, and not the fault of a model, a
                program or a server behind it.
            RunHalted: It is ours, and this machine cannot do what it needs.
            GameUnfinished: It is ours, and was cancelled.
        """
        if isinstance(error, AgentFailed):
            return error
        if self.ours:
            if isinstance(error, ConfigError | AgentError | JournalError):
                raise error
            if isinstance(error, OSError):
                raise RunHalted(f"{self.name} cannot be asked on this machine: {error}") from error
            if type(error).__name__ == "CancelledError":  # asyncio's, which is slow to load
                raise GameUnfinished("the question was cancelled") from error
            raise internal_error(error) from error
        if self.note is not None and error.__traceback__ is not None:
            self.note(error)
        return AgentFailed.by_raising(error)


Seats: TypeAlias = tuple[SeatedAgent, SeatedAgent]


def _read(agent: object, attribute: str) -> object:
    try:
        return getattr(agent, attribute, None)
    except Exception as error:
        raise AgentError(
            f"{type(agent).__name__} is not an agent: reading its {attribute} raised {type(error).__name__}"
        ) from error
