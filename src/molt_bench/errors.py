"""The exception tree: what went wrong on our side of the table.

An agent's mistake is never an exception that leaves the library: it is recorded as a `Fault`. Two exceptions travel
inside it only: `AgentFailed` carries an agent's failure into the game, and `GameUnfinished` carries out of it that the
game cannot go on, which is nobody's play.

    MoltBenchError
    ├── ConfigError         a setting that cannot work; names the field, the value and what would
    ├── RulesError          a hand was asked for something the rules of poker do not have
    │   └── IllegalAction   an action that is not legal now; says which ones are
    ├── AgentError          an agent that cannot be made or called at all
    ├── JournalError        a file of results that cannot be read
    └── ProviderError       a model's provider refused for good, as with a wrong key; also a `GameUnfinished`
"""

from typing import Final, Literal, TypeAlias

#: What an agent did wrong: an action that is not legal; an answer that is no `Action`; a reply that is not in the asked
#: form, has nothing in it, was cut off, or is a refusal to play; far more than an answer; no answer in time; no
#: connection; a program that ended; an exception.
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
    "crash",
    "exception",
]

_SHOWN_LENGTH: Final = 100
_PLAIN: Final = (str, int, float, bool, type(None))


def shown(value: object) -> str:
    """Write any value for a message: in at most 100 characters, and the same in every run.

    So anything but a plain value is shown by its type: its own text may raise, or hold an address.
    """
    if type(value) not in _PLAIN:
        return f"<{type(value).__name__}>"
    try:
        text = repr(value)
    except ValueError:
        return "<an int of thousands of digits>"
    return text if len(text) <= _SHOWN_LENGTH else f"{text[:_SHOWN_LENGTH]}..."


def printable(text: str) -> str:
    """Return text that cannot control the terminal; line ends stay."""
    return "".join(char if char.isprintable() or char == "\n" else "?" for char in text)


class MoltBenchError(Exception):
    """Base of all errors of this library; its text is one line that a user can act on.

    Attributes:
        status: With which the program ends.
    """

    status: int = 1


class ConfigError(MoltBenchError):
    """A setting that cannot work.

    Attributes:
        field: Which.
        value: What it was set to.
        expected: What would have worked.
    """

    def __init__(self, field: str, value: object, expected: str) -> None:
        self.field = field
        self.value = value
        self.expected = expected
        given = f" = {shown(value)}" if type(value) in _PLAIN else ""
        super().__init__(f"{field}{given}: expected {expected}")

    def __reduce__(self) -> tuple[type, tuple[str, object, str]]:
        return (type(self), (self.field, self.value, self.expected))


def check_at_least(owner: object, **lowest: int) -> None:
    """Check that attributes are ints, each at least as large as given here.

    Raises:
        ConfigError: One is not.
    """
    for field, least in lowest.items():
        value = getattr(owner, field)
        if type(value) is not int or value < least:
            raise ConfigError(field, value, f"a whole number, at least {least}")


class RulesError(MoltBenchError):
    """A hand was asked for something the rules of poker do not have."""


class IllegalAction(RulesError):  # noqa: N818 - reads as what it is, as `IllegalMoveError` would not
    """An action that is not legal now."""


class AgentError(MoltBenchError):
    """An agent that cannot be made or called at all."""


class JournalError(MoltBenchError):
    """A file of results that cannot be read."""


class AgentFailed(Exception):  # noqa: N818 - not an error of ours: it carries an agent's failure into the game
    """An agent gave no answer, and why. An agent may raise it itself, to have its fault counted by its kind."""

    def __init__(self, kind: FaultKind, message: str) -> None:
        self.kind: FaultKind = kind
        super().__init__(message)

    @classmethod
    def by_raising(cls, error: BaseException) -> "AgentFailed":
        """Return the failure of an agent that raised `error`."""
        if isinstance(error, AgentFailed):
            return error
        try:
            said = str(error)
        except BaseException:
            said = "its message cannot be read"
        return cls("exception", f"{type(error).__name__}: {said}" if said else type(error).__name__)


class GameUnfinished(Exception):  # noqa: N818 - nobody's mistake
    """A game cannot go on now; nothing of it counts as played."""


class GamePutBack(GameUnfinished):
    """It can be tried again later."""


class ProviderError(GameUnfinished, MoltBenchError):
    """A model's provider refused for good, as with a wrong key: the run cannot go on."""
