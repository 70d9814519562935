"""The exceptions of this library.

An agent's mistake never leaves the library as an exception: it is recorded as a `Fault`. Two exceptions are internal:
`AgentFailed` carries an agent's failure into the game, and `GameUnfinished` reports that a game cannot go on.

    MoltBenchError
    ├── ConfigError         an invalid setting; names the field, the value and what was expected
    │   └── ConfigErrors    several of them, found together
    ├── RulesError          a request that breaks the rules of poker
    │   └── IllegalAction   an action that is not legal; lists those that are
    ├── AgentError          an agent that cannot be made or called
    │   └── NotPermitted    an agent of a stored run without permission
    ├── JournalError        a file of results that cannot be read
    │   └── NotRecorded     an answer that is missing from the record of a run; also a `GameUnfinished`
    └── RunHalted           the run cannot go on now, but can be resumed; also a `GameUnfinished`
        ├── ProviderError   a model cannot be asked, as with a wrong key, or a server that stays away
        └── InternalError   a bug of ours, which is no agent's fault
"""

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from molt_bench.visible_text import PLAIN, shown

#: What an agent did wrong: an illegal action or mix; an answer that is neither; a reply that has the wrong form, is
#: empty, was cut off, or refuses to play; an oversized answer; no answer in time; no connection; none for so long that
#: the game is forfeited; a program that ended; an exception.
FaultKind: TypeAlias = Literal[
    "illegal",
    "unreadable",
    "unparsable",
    "empty",
    "truncated",
    "refused",
    "flood",
    "timeout",
    "transport",
    "forfeit",
    "crash",
    "exception",
]


class MoltBenchError(Exception):
    """Base of all errors of this library; its message is one line that a user can act on.

    Attributes:
        status: Exit status of the program.
    """

    status: int = 1


class ConfigError(MoltBenchError):
    """An invalid setting.

    Attributes:
        field: Name of the setting.
        value: Its value.
        expected: What was expected instead.
    """

    def __init__(self, field: str, value: object, expected: str) -> None:
        self.field = field
        self.value = value
        self.expected = expected
        given = f" = {shown(value)}" if type(value) in PLAIN else ""
        super().__init__(f"{field}{given}: expected {expected}")

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        return (type(self), (self.field, self.value, self.expected))


class ConfigErrors(ConfigError):  # noqa: N818 - several errors
    """Everything that is wrong with a config; as an error of one field, it is the first of them.

    Attributes:
        problems: Each of them; the message has a line for each.
    """

    def __init__(self, problems: Sequence[MoltBenchError]) -> None:
        self.problems = tuple(problems)
        first = next((each for each in problems if isinstance(each, ConfigError)), None)
        super().__init__(
            *(("config", None, str(problems[0])) if first is None else (first.field, first.value, first.expected))
        )
        self.args = ("\n".join(map(str, problems)),)

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        return (type(self), (self.problems,))


def raise_all(problems: Sequence[MoltBenchError]) -> None:
    """Raise what is wrong, if anything is: one error as it is, several together."""
    if len(problems) == 1:
        raise problems[0]
    if problems:
        raise ConfigErrors([one for each in problems for one in getattr(each, "problems", (each,))])


def check_at_least(owner: object, **lowest: int) -> None:
    """Raise a `ConfigError` unless attributes are ints of at least the given values."""
    for field, least in lowest.items():
        value = getattr(owner, field)
        if type(value) is not int or value < least:
            raise ConfigError(field, value, f"a whole number, at least {least}")


class RulesError(MoltBenchError):
    """A request that breaks the rules of poker."""


class IllegalAction(RulesError):  # noqa: N818 - reads as what it is, as `IllegalMoveError` would not
    """An action that is not legal."""


class AgentError(MoltBenchError):
    """An agent that cannot be made or called."""


class NotPermitted(AgentError):  # noqa: N818 - says what is wrong
    """An agent of a stored run that the user has not permitted."""


class JournalError(MoltBenchError):
    """A file of results that cannot be read."""


class AgentFailed(Exception):  # noqa: N818 - carries an agent's failure into the game
    """An agent gave no usable answer. An agent may raise it itself, to set the kind of its fault."""

    def __init__(self, kind: FaultKind, message: str) -> None:
        self.kind: FaultKind = kind
        super().__init__(message)

    @classmethod
    def by_raising(cls, error: BaseException) -> "AgentFailed":
        """Return the failure for an agent that raised `error`."""
        if isinstance(error, AgentFailed):
            return error
        try:
            said = str(error)
        except BaseException:
            said = "its message cannot be read"
        return cls("exception", f"{type(error).__name__}: {said}" if said else type(error).__name__)


def not_an_action(answer: object) -> AgentFailed:
    """Return the failure of an agent that answers with something else than an action."""
    return AgentFailed("unreadable", f"the answer is {shown(answer)}, neither a Mix nor an Action like Action('call')")


class GameUnfinished(Exception):  # noqa: N818 - it is no mistake
    """A game cannot go on, and does not count."""


class RunHalted(GameUnfinished, MoltBenchError):  # noqa: N818 - a run that can be resumed
    """The run cannot go on now, as with a full disk, but can be resumed."""


class NotRecorded(GameUnfinished, JournalError):  # noqa: N818 - says what is wrong
    """An answer is missing from the record of a run, and no agent may be asked."""


class ProviderError(RunHalted):
    """A model cannot be asked: its provider refuses permanently, as with a wrong key, or cannot be reached."""


class InternalError(RunHalted):
    """Our own code failed where it should not. What was played is kept.

    Attributes:
        trace: The traceback, as Python prints it; also of a bug in another process.
    """

    trace: str = ""
