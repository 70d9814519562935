"""The exceptions of this library.

An agent's mistake never leaves the library as an exception: it is recorded as a `Fault`. Two exceptions are internal:
`AgentFailed` carries an agent's failure into the game, and `GameUnfinished` reports that a game cannot go on.

    MoltBenchError
    ├── ConfigError         an invalid setting; names the field, the value and what was expected
    │   └── ConfigErrors    several of them, found together
    ├── RulesError          a request that breaks the rules of poker
    │   └── IllegalAction   an action that is not legal; lists those that are
    ├── AgentError          an agent that cannot be made or called
    │   └── NotPermitted    an agent of a stored run that nobody has consented to run
    ├── JournalError        a file of results that cannot be read
    │   └── NotRecorded     an answer that is missing from the record of a run; also a `GameUnfinished`
    └── RunHalted           the run cannot go on now, but can be resumed; also a `GameUnfinished`
        ├── ProviderError   a model cannot be asked, as with a wrong key, or a server that stays away
        └── InternalError   a bug of ours, which is no agent's fault
"""

import re
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from molt_bench.lazy_import import lazy_import

if TYPE_CHECKING:
    import difflib
else:
    difflib = lazy_import("difflib")  # only for an error message

#: What an agent did wrong: an illegal action; an answer that is not an `Action`; a reply that has the wrong form, is
#: empty, was cut off, or refuses to play; an oversized answer; no answer in time; no connection; none for so long that
#: the game is forfeited; a program that ended; one that a signal ended or stopped, perhaps not its own; an exception.
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
    "signal",
    "exception",
]

_SHOWN_LENGTH: Final = 100
_PLAIN: Final = (str, int, float, bool, type(None))


#: Letters and marks that are drawn as nothing, so that a name of them would look empty.
_BLANK: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
#: What may control a terminal, turn the direction of text, or hide in it: controls but for line ends and tabs, marks of
#: direction, joiners, fillers and tags without a width, line separators, and halves of surrogate pairs.
_CONTROLS: Final = re.compile(
    "[\0-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e007f\ud800-\udfff]"
)


def shown(value: object) -> str:
    """Format any value for a message: about 100 characters at most, and the same in every run.

    Anything but a plain value is shown by its type, since its own text may raise or contain an address.
    """
    if type(value) not in _PLAIN:
        return f"<{type(value).__name__}>"
    try:
        text = repr(value)
    except ValueError:
        return "<an int of thousands of digits>"
    return text if len(text) <= _SHOWN_LENGTH else f"{text[:_SHOWN_LENGTH]}..."


def shortened(text: str, most: int) -> str:
    """Return a text, or its beginning and its end if it is longer than so many characters."""
    return text if len(text) <= most else f"{text[: most // 2]}\n[...]\n{text[-(most // 2) :]}"


def printable(text: str) -> str:
    r"""Return text that cannot control a terminal: controls and what is drawn as nothing are escaped; line ends stay.

    >>> print(printable("a\x1b[31m\u202eb\tc"))
    a\u001b[31m\u202eb	c
    """
    return text if text.isprintable() else _CONTROLS.sub(lambda found: _escaped(found[0]), text)


def on_one_line(text: str) -> str:
    r"""Return text with everything escaped that is not seen: line ends, controls, turns of direction, fillers.

    >>> print(on_one_line("a\x1b[31m\u202eb\n\u3164"))
    a\u001b[31m\u202eb\u000a\u3164
    """
    seen = [char.isprintable() and char not in _BLANK for char in text]
    return "".join([char if known else _escaped(char) for char, known in zip(text, seen, strict=True)])


def _escaped(char: str) -> str:
    return f"\\u{ord(char):04x}" if char <= "\uffff" else f"\\U{ord(char):08x}"


def how_to_install(extra: str) -> str:
    """Return the command for an extra: from a clone, since on an index the name may belong to somebody else.

    >>> how_to_install("llm")
    "pip install '.[llm]' in a clone of molt-bench"
    """
    return f"pip install '.[{extra}]' in a clone of molt-bench"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return the end of a message that suggests the nearest known name, whatever its case; "" if none is near.

    >>> did_you_mean("tigth", ["random", "tight"]), did_you_mean("hands_per_gmae", ["handsPerGame"])
    ("; did you mean 'tight'?", "; did you mean 'handsPerGame'?")
    >>> did_you_mean("something else", ["random", "tight"])
    ''
    """
    alike = {_bare(name): name for name in known}
    near = difflib.get_close_matches(_bare(word), alike, n=1)
    return f"; did you mean {alike[near[0]]!r}?" if near else ""


def one_of(known: Collection[str], word: str) -> str:
    """Return what to expect in place of an unknown word: one of the known ones, and the nearest of them."""
    return f"one of {', '.join(known)}{did_you_mean(word, known)}"


def _bare(name: str) -> str:
    """Return a name as it sounds: whoever mistypes one may not know how it is spelt, either."""
    return name.lower().replace("_", "").replace("-", "")


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
        given = f" = {shown(value)}" if type(value) in _PLAIN else ""
        super().__init__(f"{field}{given}: expected {expected}")

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        return (type(self), (self.field, self.value, self.expected))


class ConfigErrors(ConfigError):  # noqa: N818 - several errors
    """Everything that is wrong with a config; as an error of one field, it is the first of them.

    Attributes:
        problems: Each of them; the message has a line for each.
        rest: What is left of the config without the fields in question, where further mistakes may be found.
    """

    def __init__(self, problems: Sequence[MoltBenchError], rest: object = None) -> None:
        self.problems = tuple(problems)
        self.rest = rest
        first = next((each for each in problems if isinstance(each, ConfigError)), None)
        super().__init__(
            *(("config", None, str(problems[0])) if first is None else (first.field, first.value, first.expected))
        )
        self.args = ("\n".join(map(str, problems)),)

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        return (type(self), (self.problems, self.rest))


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
    """An agent of a stored run that nobody has consented to run."""


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
    return AgentFailed("unreadable", f"the answer is {shown(answer)}, not an Action such as Action('call')")


class GameUnfinished(Exception):  # noqa: N818 - nobody's mistake
    """A game cannot go on, and does not count."""


class RunHalted(GameUnfinished, MoltBenchError):  # noqa: N818 - a run that can be resumed
    """The run cannot go on now, as with a full disk, but can be resumed."""


class NotRecorded(GameUnfinished, JournalError):  # noqa: N818 - says what is wrong
    """An answer is missing from the record of a run, and nobody may be asked."""


class ProviderError(RunHalted):
    """A model cannot be asked: its provider refuses permanently, as with a wrong key, or cannot be reached."""


class InternalError(RunHalted):
    """Our own code failed where it should not. What was played is kept.

    Attributes:
        trace: The traceback, as Python prints it; also of a bug in another process.
    """

    trace: str = ""
