"""The seam: what plug-ins may be.

A plug-in is a package that registers something under one of the groups of `molt_bench.entry_points`.
"""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO, Any, NamedTuple, Protocol, TypeAlias

import msgspec

from molt_bench.entry_points import FILES as FILES
from molt_bench.entry_points import PAGES as PAGES
from molt_bench.entry_points import loaded as loaded
from molt_bench.entry_points import points as points
from molt_bench.records import GameRecord
from molt_bench.specs import DEFAULT_TIMEOUT_S, GameLabel, GameSpec, Pair, ParticipantSpec, Seating

#: Asks a language model: takes the system prompt and the message, and returns the reply and why it ended, by the name
#: that its provider has for that. What it raises is a fault of the model, unless it is `GameUnfinished`.
Ask: TypeAlias = Callable[[str, str], Awaitable[tuple[str, str | None]]]


class Context(msgspec.Struct, frozen=True, kw_only=True):
    """How an agent is made.

    Attributes:
        settings: What its participant says, checked by the model of its kind; None if the kind has no settings.
        timeout_s: Seconds for one answer, for an agent that keeps its own time.
        folder: Folder for what it writes besides its answers; None discards that.
        boxed: Whether it plays in a box or not at all, since the run is a stranger's.
        code_sha256: The fingerprint that its code must have, or else it is not run; None for any.
        models: The models that it may ask through the run, by `await models.ask(model, messages)`; None for none.
        ask: Asks it in place of our own client, if it is a language model; None for our own.
        anew: Whether it is made to see whether it can be: before a run, of its code as it is now.
    """

    settings: Any = None
    timeout_s: float = DEFAULT_TIMEOUT_S
    folder: Path | None = None
    boxed: bool = False
    code_sha256: str | None = None
    models: Any = None
    ask: Ask | None = None
    anew: bool = False


class Sitting(Protocol):
    """What a kind keeps for a whole run, from before its first card to its end."""

    def gather(self) -> None:
        """Wait until all agents of this kind are there; called once all others are ready."""

    def places(self, participant: str, seating: Seating) -> tuple[str, int]:
        """Return who plays a seating for a participant, by a name, and in how many games at once."""

    def make(self, participant: str, game: GameLabel, spec: GameSpec | None) -> Any:
        """Return the agent of a participant in one game; there is a place for it."""


class Host(Sitting, Protocol):
    """Seats the agents that come by themselves, from before the first card of a session to its end."""

    def dismiss(self, participant: str, forfeited: int) -> None:
        """Tell a participant that the run goes on without it, since it forfeited so many games."""

    def close(self, reason: str) -> None:
        """Tell all that the run is over."""


#: Hosts a run within a context: it takes the folder, the `molt_bench.BenchmarkConfig`, and the games played before.
Hosting: TypeAlias = Callable[[Path, Any, Sequence[GameRecord]], AbstractContextManager[Host]]


class ComingRun(NamedTuple):
    """A run that is about to be played.

    Attributes:
        made: Makes the agent of a participant as if its kind kept nothing for the run.
        server: Seats the agents that come by themselves; None where there is no server.
    """

    made: Callable[[str], Any]
    server: Sitting | None = None


class Kind:
    """A kind of agents. An entry point names a class like this one, which is called without arguments, once.

    Its first line of documentation stands in the list of agents. A participant is of this kind if its `type` is the
    name of the entry point, or begins with it and a colon where there is a `short` form.

    Attributes:
        name: Name of the kind, and of its entry point. Other prefixes of short forms are entry points of their own.
        usage: How a config names it, for the list of agents.
        settings: The model of its settings, a subclass of `molt_bench.AgentSettings`; None for none.
        short: The setting that the rest of a short form gives, as in `exec:COMMAND`; "" for none.
        in_type: Whether only the type gives that setting, as a command or a URL; else a field of its own may, too.
        takes_params: Whether its type names a factory, for which params are; else they are settings like any other.
        timeout_s: Seconds for one answer where the config sets no limit.
        waits: Whether its games wait for something outside this process, so that many can be under way at once.
        remote: Whether it is reached over the network.
        recorded: Whether its answers are recorded before they are used, so that it is never asked again.
        remembers: Whether it may remember one game in another, so that swapped seats must not share their decks.
        comes: Whether it connects to us by itself, so that only a server can seat it.
        in_person: Whether a person at the terminal of this process answers for it.
        paid: Whether each of its answers costs money, so that none is asked for twice.
        code: Whether it is code on this machine, with a fingerprint.
        built_in: Whether it is one of our bots, which know nothing but the observation. No plug-in sets this.
    """

    name: str = ""
    usage: str = ""
    settings: type[Any] | None = None
    short: str = ""
    in_type: bool = False
    takes_params: bool = False
    timeout_s: float = DEFAULT_TIMEOUT_S
    waits: bool = False
    remote: bool = False
    recorded: bool = False
    remembers: bool = False
    comes: bool = False
    in_person: bool = False
    paid: bool = False
    code: bool = False
    built_in: bool = False

    @property
    def about(self) -> str:
        """One line about it, for the list of agents."""
        return (self.__doc__ or "").partition("\n")[0]

    @property
    def foreign(self) -> bool:
        """Whether making it runs, starts or contacts what a config names, which the user has to permit."""
        return not (self.built_in or self.comes or self.in_person)

    def given(self, participant_type: str) -> dict[str, Any]:
        """Return the settings that a type gives in short form."""
        rest = participant_type.removeprefix(self.name).removeprefix(":")
        return {self.short: rest} if self.short and rest else {}

    def label(self, participant_type: str) -> str:
        """Return the default id of a participant of this type."""
        return participant_type

    def make(self, spec: ParticipantSpec, context: Context) -> Any:
        """Make the agent of a participant for one game."""
        raise NotImplementedError(f"the kind {self.name!r} makes no agents")

    def maker(self, spec: ParticipantSpec, context: Context) -> Callable[[], Any]:
        """Return what makes its agent for one game after another outside a run; they may share a connection."""
        return lambda: self.make(spec, context)

    def warnings(self, spec: ParticipantSpec, context: Context) -> list[str]:
        """Return what a user should know before it plays here."""
        return []

    def fingerprint(self, spec: ParticipantSpec) -> str | None:
        """Return the SHA-256 of its code: of what is loaded, or else of what would be; None where there is none."""
        return None

    def announced(self, spec: ParticipantSpec, settings: Any) -> str:
        """Return what playing it runs, starts or contacts, for the user who is to permit that."""
        return f"plays by the plug-in {self.name}"

    def meant(self, participant_type: str) -> str:
        """Return a type of this kind that may have been meant by an unknown one; "" for none."""
        return ""

    def open(self, run: ComingRun) -> Sitting | None:
        """Return what it keeps for a whole run; None if it needs nothing."""
        return None


class ComingMatch(NamedTuple):
    """A match that is about to be played, or was.

    Attributes:
        number: From 1, in the order of the run.
        round: The round in which it was scheduled, from 1.
        participants: Ids of players A and B.
        built_in: Whether both are built-in bots.
    """

    number: int
    round: int
    participants: Pair
    built_in: bool


class CoreResult(NamedTuple):
    """What player A won in a game by the core, in chips: all have the same mean.

    Attributes:
        raw: As dealt.
        without_cards: With run-outs replaced by their means, and without the luck of the cards.
        adjusted: Also without the luck of draws from stated mixes.
    """

    raw: int
    without_cards: float
    adjusted: float


class Term(Protocol):
    """What takes luck out of the games of one match, in place of the core. It is fixed before the match is played."""

    def value(self, game: GameRecord, core: CoreResult) -> float:
        """Return what player A won in a game, in chips: the whole result, with the same mean as the core's."""


class Luck(Protocol):
    """Takes luck out of the results of one run."""

    @property
    def name(self) -> str:
        """Name in records; that of its entry point."""

    @property
    def version(self) -> int:
        """Raised with every change of a value."""

    def before(self, match: ComingMatch) -> Term | None:
        """Return the term of a match, which may depend on earlier rounds alone; None to leave it to the core."""

    def rated(self, match: ComingMatch, games: Sequence[GameRecord]) -> None:
        """Take note of a match that was rated; called for every one, in the order of the run."""


class LazyCommand(msgspec.Struct, frozen=True):
    """A command that is loaded when it is called: the list of commands has to be there at once.

    With its option `as_json`, if it has one, what a command returns is printed as one JSON object, and nothing else.
    In place of a param with the metavar AGENT it gets what makes the agent for a game, and has `--param` and
    `--sandbox` as well.

    Attributes:
        summary: Its line in the list of commands.
        command: Where the command of click is, as `module:name`.
        heading: What it stands under in that list.
        extra: The extra of molt-bench that it needs; "" for none.
        hosts: Whether it plays a run, with the options of `serve`: then it returns a `Hosting`.
    """

    summary: str
    command: str
    heading: str = "Plug-ins"
    extra: str = ""
    hosts: bool = False


class Export:
    """A format of `molt-bench export`. An entry point names a class like this one, which is called without arguments.

    Its first line of documentation stands in the help.

    Attributes:
        file: The name of the file in the folder of a run.
    """

    file: str = ""

    def write(self, run: Any, file: IO[bytes]) -> str:
        """Write a run, a `molt_bench.runs.run.Run`, and return how much that was, such as "12 hands"."""
        raise NotImplementedError


class FolderExport:
    """A format of `molt-bench export` that is a folder, of one run or of all runs of a folder.

    Attributes:
        folder: The usual name of the folder that it writes, in the current one.
    """

    folder: str = ""

    def write(self, source: Path, target: Path, warn: Callable[[str], None]) -> Iterator[str]:
        """Write a run, or the runs of a folder, and yield the name of each that is done; `warn` of what is left out."""
        raise NotImplementedError


#: What a worker gets, pickled, and calls before its first game. It returns what plays a game, for the core alone.
Setup: TypeAlias = Callable[[], Callable[[GameSpec], Any]]


class Workers(Protocol):
    """Where games are played, in place of this process.

    An entry point is called with a `Setup`, with what follows its name and a colon in `--executor`, and with a function
    that takes what the user should know. It raises `ConfigError` if there is no place to play.
    """

    def play(self, specs: Sequence[GameSpec], on_game: Callable[[GameSpec, Any], None], *, until: float) -> None:
        """Play games, and report each once; those that are not over at `until`, by the monotonic clock, are left.

        Raises:
            MoltBenchError: A worker failed.
        """

    def close(self) -> None:
        """Let the place go."""


class RunObserver:
    """Is told how a run goes. An entry point names a class like this one, made for every session of a run.

    What it raises is a warning, and it is told no more.
    """

    def started(self, config: Mapping[str, Any], folder: Path | None) -> None:
        """Take note of a run that begins or goes on: its config, and its folder; None for one in memory."""

    def seated(self, game: GameLabel, players: Pair) -> None:
        """Take note of a game that is about to be played, and of the participants in seats 0 and 1."""

    def game_over(self, game: GameLabel, record: GameRecord) -> None:
        """Take note of a game that has ended."""

    def match_over(self, number: int, players: Pair, margins: Mapping[str, Sequence[float]]) -> None:
        """Take note of a match that was rated: for each estimator, what player A won by seed pair, in mbb per hand."""

    def ended(self, result: Any, folder: Path | None) -> Iterable[str]:
        """Return lines for the report of a run that has ended; its `molt_bench.RunResult` is given."""
        return ()


class Section(Protocol):
    """What the viewer shows of a run besides its own.

    An entry point is called with a `runs.run.Run` for every page: it reads nothing that it is not asked for.
    """

    def data(self, shown: Callable[[int, int, str], bool]) -> Mapping[str, Any] | None:
        """Return the section of the run's page; `shown` says whether hands of a match, seed pair and seating are.

        None for a run that has none.
        """

    def deals(self) -> Iterable[tuple[int, int, int]]:
        """Return the deals that the section links to, by match, seed pair and hand."""

    def costs(self) -> Mapping[tuple[int, int, str], tuple[list[int], list[int]]]:
        """Return what each hand cost players A and B, in mbb, by match, seed pair and seating."""

    def hand(self, hand: Any, max_actions: int) -> Sequence[Mapping[str, Any] | None]:
        """Return what the page of a hand, a `report.rows.DealtHand`, shows of each of its decisions."""
