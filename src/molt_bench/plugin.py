"""The seam: what plug-ins may be, and how they are found.

A plug-in is a package that registers something under one of our groups of entry points. Ours do so, too, in our own
`pyproject.toml`. One that cannot be loaded is a warning, and the program goes on without it. With the environment
variable MOLT_BENCH_NO_PLUGINS, or the flag `--no-plugins` that sets it, there is nothing but the core.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

import msgspec

from molt_bench.records import GameRecord
from molt_bench.specs import DEFAULT_TIMEOUT_S, GameLabel, GameSpec, Pair, ParticipantSpec, Seating

#: The environment variable that leaves all plug-ins out.
NO_PLUGINS: Final = "MOLT_BENCH_NO_PLUGINS"
#: Agents by name: each entry point is a `Kind`, or a class or function that makes an agent from the params it takes.
AGENTS: Final = "molt_bench.agents"
#: Terms of luck: each entry point is called without arguments for every run, and returns a `Luck`.
LUCK: Final = "molt_bench.luck"


class Context(msgspec.Struct, frozen=True, kw_only=True):
    """How an agent is made.

    Attributes:
        settings: What its participant says, checked by the model of its kind; None if the kind has no settings.
        timeout_s: Seconds for one answer, for an agent that keeps its own time.
        folder: Folder for what it writes besides its answers; None discards that.
        boxed: Whether it plays in a box or not at all, since the run is a stranger's.
        code_sha256: The fingerprint that its code must have, or else it is not run; None for any.
        models: The models that it may ask through the run, by `await models.ask(model, messages)`; None for none.
    """

    settings: Any = None
    timeout_s: float = DEFAULT_TIMEOUT_S
    folder: Path | None = None
    boxed: bool = False
    code_sha256: str | None = None
    models: Any = None


class Sitting(Protocol):
    """What a kind keeps for a whole run, from before its first card to its end."""

    def gather(self) -> None:
        """Wait until everybody of this kind is there; called once all others are ready."""

    def places(self, participant: str, seating: Seating) -> tuple[str, int]:
        """Return who plays a seating for a participant, by a name, and in how many games at once."""

    def make(self, participant: str, game: GameLabel, spec: GameSpec | None) -> Any:
        """Return the agent of a participant in one game; there is a place for it."""


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
        takes_params: Whether its type names a factory, for which params are; else they are settings like any other.
        timeout_s: Seconds for one answer where the config sets no limit.
        waits: Whether its games wait for something outside this process, so that many can be under way at once.
        remote: Whether it is reached over the network.
        recorded: Whether its answers are recorded before they are used, so that it is never asked again.
        remembers: Whether it may remember one game in another, unless its participant says otherwise.
        comes: Whether it connects to us by itself, so that only a server can seat it.
        in_person: Whether a person at the terminal of this process answers for it.
        code: Whether it is code on this machine, with a fingerprint.
        built_in: Whether it is one of our bots, which know nothing but the observation. No plug-in sets this.
    """

    name: str = ""
    usage: str = ""
    settings: type[Any] | None = None
    short: str = ""
    takes_params: bool = False
    timeout_s: float = DEFAULT_TIMEOUT_S
    waits: bool = False
    remote: bool = False
    recorded: bool = False
    remembers: bool = False
    comes: bool = False
    in_person: bool = False
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

    def make_first(self, spec: ParticipantSpec, context: Context) -> Any:
        """Make an agent to see whether it can be made: before a run, and of code as it is now."""
        return self.make(spec, context)

    def fingerprint(self, spec: ParticipantSpec) -> str | None:
        """Return the SHA-256 of its code: of what is loaded, or else of what would be; None where there is none."""
        return None

    def missing(self, spec: ParticipantSpec, settings: Any) -> str | None:
        """Return a file of its code that is not there; None if all are."""
        return None

    def box(self, context: Context) -> str | None:
        """Return the label of the box that it plays in here, or `NO_BOX`; None if the kind knows no boxes."""
        return None

    def announced(self, spec: ParticipantSpec, settings: Any) -> str:
        """Return what playing it runs, starts or contacts, for somebody who is to permit that."""
        return f"plays by the plug-in {self.name}"

    def meant(self, participant_type: str) -> str:
        """Return a type of this kind that somebody may have meant by an unknown one; "" for none."""
        return ""

    def open(self, run: ComingRun) -> Sitting | None:
        """Return what it keeps for a whole run; None if it needs nothing."""
        return None


#: What is recorded of whoever could play in a box, and does not.
NO_BOX: Final = "none"


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


class Registered(msgspec.Struct, frozen=True, rename="camel"):
    """A plug-in as a run records it.

    Attributes:
        version: Its own number; a run goes on with no other.
        package: The distribution that it came from.
    """

    name: str
    version: int
    package: str

    @property
    def label(self) -> str:
        """Its name and version, as the margins of a match have it."""
        return f"{self.name} {self.version}"

    def __str__(self) -> str:
        """Return it as messages have it, such as "lookahead 1 (molt-bench)"."""
        return f"{self.label} ({self.package})"


_OURS: Final = "molt-bench"
_OUR_PLUGINS: Final = "molt_bench.plugins."
#: The entry points of a group, by name.
Points: TypeAlias = Mapping[str, metadata.EntryPoint]


def none_wanted() -> bool:
    """Return whether --no-plugins, or the variable that it sets, leaves all plug-ins out."""
    return os.environ.get(NO_PLUGINS, "") not in ("", "0")


@cache
def points(group: str) -> Points:
    """Return what installed packages register in a group, by name; ours come first, then the others by their names."""
    installed = [point for point in metadata.entry_points(group=group) if not _is_here(point)]
    found = {point.name: point for point in sorted(installed, key=is_ours)}
    if none_wanted():
        found = {name: each for name, each in found.items() if is_ours(each) and not _is_plugin(each)}
    return dict(sorted(found.items(), key=lambda item: (not is_ours(item[1]), item[0])))


def package_of(point: metadata.EntryPoint) -> str:
    """Return the name of the distribution that an entry point came from; "?" if its metadata does not tell."""
    return point.dist.name if point.dist is not None else "?"


def is_ours(point: metadata.EntryPoint) -> bool:
    """Return whether an entry point is one of molt-bench itself."""
    return package_of(point) == _OURS


def _is_here(point: metadata.EntryPoint) -> bool:
    """Return whether a package lies in the current folder: `python -m` finds it there, but nobody has installed it."""
    return point.dist is not None and Path(str(point.dist.locate_file(""))).resolve() == Path.cwd()


def _is_plugin(point: metadata.EntryPoint) -> bool:
    return point.value.startswith(_OUR_PLUGINS)


def loaded(group: str) -> tuple[dict[str, Any], list[str]]:
    """Return what the entry points of a group are, by name, and a warning for each that cannot be loaded."""
    found, problems = {}, []
    for name, point in points(group).items():
        try:
            found[name] = point.load()
        except Exception as error:  # foreign code: importing it may raise anything
            problems.append(broken(point, error, ", so the run goes on without it"))
    return found, problems


def luck_of_a_run() -> tuple[dict[Registered, Luck], list[str]]:
    """Return what takes luck out of a new run, in the order in which it is asked, and a warning for what is broken."""
    factories, problems = loaded(LUCK)
    found: dict[Registered, Luck] = {}
    for name, make in factories.items():
        point = points(LUCK)[name]
        try:
            made: Luck = make()
            found[Registered(name, int(made.version), package_of(point))] = made
        except Exception as error:  # as above
            problems.append(broken(point, error, ", so the run goes on without it"))
    return found, problems


def broken(point: metadata.EntryPoint, error: Exception, then: str = "") -> str:
    """Return what is said of a plug-in that cannot be loaded or made, and of what follows from it."""
    said = " ".join(f"{type(error).__name__}: {error}".split())
    return f"the plug-in {point.name} of {package_of(point)} cannot be used{then}: {said}"
