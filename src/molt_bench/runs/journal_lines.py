"""The lines of a journal, and what they say of a run."""

from collections.abc import Sequence
from typing import Annotated, Any, Final, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from molt_bench.bench.endings import Ending
from molt_bench.plugin import Registered
from molt_bench.records import GameRecord, Margins
from molt_bench.seeds import Seed
from molt_bench.specs import GameLabel

#: One that says otherwise is not read.
FORMAT: Final = 1

#: Matches are numbered from 1.
MatchNumber: TypeAlias = Annotated[int, msgspec.Meta(ge=1)]


class Header(msgspec.Struct, frozen=True, tag="header", tag_field="line", rename="camel"):
    """The first line.

    Attributes:
        bench_version: Version of everything that affects a result.
        version: Version of the program.
        config_hash: SHA-256 of the config, to detect changes.
        folder: Where the run was started; relative paths in the config start there.
        seeds: The seeds from the seed file, if there is one.
        source_hashes: SHA-256 of the source files of custom agents, by participant.
        versions: Versions of Python and of the packages that affect a result.
        luck: The plug-ins that take out luck, in the order in which they are asked.
        master_seed_hash: SHA-256 of a master seed that is secret until the run ends; the config then has null.
    """

    format: int
    bench_version: int
    version: str
    config_hash: str
    config: dict[str, Any]
    folder: str = "."
    seeds: list[Seed] | None = None
    source_hashes: dict[str, str] = {}
    versions: dict[str, str] = {}
    luck: tuple[Registered, ...] = ()
    master_seed_hash: str | UnsetType = UNSET


class Game(msgspec.Struct, frozen=True, tag="game", tag_field="line", rename="camel"):
    """One finished game of a match, and how long the run had taken by then, over all sessions."""

    match: MatchNumber
    record: GameRecord
    seconds: float = 0.0

    @property
    def participants(self) -> tuple[str, str]:
        """Ids of players A and B."""
        return self.record.players

    @property
    def label(self) -> GameLabel:
        """Which game of the run it is."""
        return GameLabel(self.match, self.record.seed, self.record.seating)


class SessionEnd(msgspec.Struct, frozen=True, tag="sitting", tag_field="line", rename="camel"):
    """The end of one session of the run: how long it took, and why the run ended, if it did.

    Attributes:
        master_seed: There if the run has ended, and it was secret until then.
        replies_hash: SHA-256 of what agents said, in the file of replies, so that the hash chain covers it.
        halted: Why the run could not go on, as with a key that is refused; it can be resumed.
    """

    seconds: float
    ending: Ending | None = None
    master_seed: Seed | UnsetType = UNSET
    replies_hash: str | UnsetType = UNSET
    halted: str | UnsetType = UNSET


class Extension(msgspec.Struct, frozen=True, tag="extension", tag_field="line", rename="camel"):
    """The run continues under another stop rule, on the same decks.

    Attributes:
        matches: Matches complete by then.
        stop: The `stop` section of the config from here on.
        under_way: Pairings of a round in progress, which is completed as scheduled.
    """

    matches: int
    stop: dict[str, Any]
    under_way: list[tuple[str, str]] = []


class Resumption(msgspec.Struct, frozen=True, tag="resumption", tag_field="line", rename="camel"):
    """The run continues with an agent that may remember: games already started are dealt different cards."""


class Rated(msgspec.Struct, frozen=True, tag="margins", tag_field="line", rename="camel"):
    """The margins of a match as it was rated, before the next round was decided.

    So readers of the run take no luck out of its hands again. `verify` does, and compares. `term` is the plug-in
    that took the luck out, with its version, if one did.
    """

    match: MatchNumber
    margins: Margins
    term: str | UnsetType = UNSET


class Change(msgspec.Struct, frozen=True, tag="change", tag_field="line", rename="camel"):
    """Settings with which the run goes on from here, by their paths; nothing that was played depends on them."""

    settings: dict[str, Any]


Line: TypeAlias = Header | Game | SessionEnd | Extension | Resumption | Rated | Change


def games_in(lines: Sequence[Line]) -> list[Game]:
    """Return the games among the lines of a journal."""
    return [line for line in lines if isinstance(line, Game)]


def ending_in(lines: Sequence[Line]) -> Ending | None:
    """Return why a run has ended; None if it has not, or has since been extended."""
    ending = None
    for line in lines:
        if isinstance(line, Extension):
            ending = None
        elif isinstance(line, SessionEnd):
            ending = line.ending or ending
    return ending


def halt_in(lines: Sequence[Line]) -> str | None:
    """Return why the last session of a run could not go on; None if it was not halted, or another one has begun."""
    last = lines[-1] if lines else None
    return last.halted if isinstance(last, SessionEnd) and last.halted is not UNSET else None
