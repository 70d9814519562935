"""The exception tree: what went wrong on our side of the table.

An agent's mistake is never an exception that leaves the library: it is recorded as a `Fault`.

    MoltBenchError
    ├── ConfigError         a setting that cannot work; names the field, the value and what would
    ├── RulesError          a hand was asked for something the rules of poker do not have
    │   └── IllegalAction   an action that is not legal now; says which ones are
    ├── AgentError          an agent that cannot be made or called at all
    └── JournalError        a file of results that cannot be read
"""

from typing import Final

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


class MoltBenchError(Exception):
    """Base of all errors of this library; its text is one line that a user can act on."""


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


class RulesError(MoltBenchError):
    """A hand was asked for something the rules of poker do not have."""


class IllegalAction(RulesError):  # noqa: N818 - reads as what it is, as `IllegalMoveError` would not
    """An action that is not legal now."""


class AgentError(MoltBenchError):
    """An agent that cannot be made or called at all."""


class JournalError(MoltBenchError):
    """A file of results that cannot be read."""
