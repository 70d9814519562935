"""The seam: what plug-ins may be, and how they are found.

A plug-in is a package that registers something under one of our groups of entry points. Ours do so, too, in our own
`pyproject.toml`. One that cannot be loaded is a warning, and the program goes on without it. With the environment
variable MOLT_BENCH_NO_PLUGINS, or the flag `--no-plugins` that sets it, there are none.
"""

import os
from collections.abc import Sequence
from functools import cache
from importlib import metadata
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

import msgspec

from molt_bench.records import GameRecord
from molt_bench.specs import Pair

#: The environment variable that leaves all plug-ins out.
NO_PLUGINS: Final = "MOLT_BENCH_NO_PLUGINS"
#: Agents by name: each entry point is a factory that takes `seed` and `params` as keywords where it wants them.
AGENTS: Final = "molt_bench.agents"
#: Terms of luck: each entry point is called without arguments for every run, and returns a `Luck`.
LUCK: Final = "molt_bench.luck"


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
#: The entry points of a group, by name.
Points: TypeAlias = dict[str, metadata.EntryPoint]


def none_wanted() -> bool:
    """Return whether --no-plugins, or the variable that it sets, leaves all plug-ins out."""
    return os.environ.get(NO_PLUGINS, "") not in ("", "0")


@cache
def points(group: str) -> Points:
    """Return what installed packages register in a group, by name; ours come first, then the others by their names."""
    if none_wanted():
        return {}
    found = {point.name: point for point in metadata.entry_points(group=group)}
    return dict(sorted(found.items(), key=lambda item: (package_of(item[1]) != _OURS, item[0])))


def package_of(point: metadata.EntryPoint) -> str:
    """Return the name of the distribution that an entry point came from; "?" if its metadata does not tell."""
    return point.dist.name if point.dist is not None else "?"


def loaded(group: str) -> tuple[dict[str, Any], list[str]]:
    """Return what the entry points of a group are, by name, and a warning for each that cannot be loaded."""
    found, problems = {}, []
    for name, point in points(group).items():
        try:
            found[name] = point.load()
        except Exception as error:  # foreign code: importing it may raise anything
            problems.append(_broken(name, point, error))
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
            problems.append(_broken(name, point, error))
    return found, problems


def _broken(name: str, point: metadata.EntryPoint, error: Exception) -> str:
    said = " ".join(f"{type(error).__name__}: {error}".split())
    return f"the plug-in {name} of {package_of(point)} cannot be used, so the run goes on without it: {said}"
