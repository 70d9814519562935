"""The lines of a journal, and what they say of a run."""

from collections.abc import Sequence
from typing import Annotated, Any, Final, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from molt_bench.bench.endings import Ending
from molt_bench.records import GameRecord, Margins, Registered
from molt_bench.seeds import Seed
from molt_bench.specs import GameLabel

#: One that says otherwise is not read.
FORMAT: Final = 1

#: Matches are numbered from 1.
MatchNumber: TypeAlias = Annotated[int, msgspec.Meta(ge=1)]


class PlayedAs(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """What identifies a participant besides its config.

    Attributes:
        code: SHA-256 of the source file of a custom agent.
        prompt: SHA-256 of the system prompt of a language model.
        reply: The form of its replies, with its version.
        server: Where the environment sends it.
        sandbox: The box that a program, or Python code, plays in; "none" for those without.
        package: The package whose plug-in plays for it.
    """

    code: str | None = None
    prompt: str | None = None
    reply: str | None = None
    server: str | None = None
    sandbox: str | None = None
    package: str | None = None


class Header(msgspec.Struct, frozen=True, tag="header", tag_field="line", rename="camel"):
    """The first line.

    Attributes:
        bench_version: Version of everything that affects a result.
        version: Version of the program.
        config_hash: SHA-256 of the config, to detect changes.
        folder: Where the run was started; relative paths in the config start there.
        seeds: The seeds from the seed file, if there is one.
        versions: Versions of Python and of the packages that affect a result.
        agents: What identifies the participants.
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
    versions: dict[str, str] = {}
    agents: dict[str, PlayedAs] = {}
    luck: tuple[Registered, ...] = ()
    master_seed_hash: str | UnsetType = UNSET

    def known(self, what: str) -> dict[str, str]:
        """Return one of the attributes of `PlayedAs`, by the participants that have it."""
        found = {name: getattr(each, what) for name, each in self.agents.items()}
        return {name: value for name, value in found.items() if value is not None}

    def determining(self, name: str) -> dict[str, str]:
        """Return what determines how a participant plays, beside its config and its box."""
        found = msgspec.structs.asdict(self.agents.get(name, PlayedAs()))
        return {what: value for what, value in found.items() if value is not None and what != "sandbox"}


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


class Resumption(msgspec.Struct, frozen=True, tag="resumption", tag_field="line", rename="camel", omit_defaults=True):
    """The run goes on otherwise than before.

    Attributes:
        settings: The settings that are other ones from here, by their paths; nothing that was played depends on them.
            With `stop`, the run goes on under another stop rule, on the same decks.
        fresh_decks: Whether games already started are dealt different cards, since an agent may remember them.
    """

    settings: dict[str, Any] = {}
    fresh_decks: bool = False

    @property
    def extends(self) -> bool:
        """Whether the run goes on under another stop rule."""
        return "stop" in self.settings


class Rated(msgspec.Struct, frozen=True, tag="margins", tag_field="line", rename="camel"):
    """The margins of a match as it was rated, before the next round was decided.

    So readers of the run take no luck out of its hands again. `verify` does, and compares.

    Attributes:
        round: The round that the match was scheduled in, from 1.
        term: The plug-in that took the luck out, with its version, if one did.
    """

    match: MatchNumber
    round: int
    margins: Margins
    term: str | UnsetType = UNSET


Line: TypeAlias = Header | Game | SessionEnd | Resumption | Rated


def games_in(lines: Sequence[Line]) -> list[Game]:
    """Return the games among the lines of a journal."""
    return [line for line in lines if isinstance(line, Game)]


def ending_in(lines: Sequence[Line]) -> Ending | None:
    """Return why a run has ended; None if it has not, or has since been extended."""
    ending = None
    for line in lines:
        if isinstance(line, Resumption) and line.extends:
            ending = None
        elif isinstance(line, SessionEnd):
            ending = line.ending or ending
    return ending


def halt_in(lines: Sequence[Line]) -> str | None:
    """Return why the last session of a run could not go on; None if it was not halted, or another one has begun."""
    last = lines[-1] if lines else None
    return last.halted if isinstance(last, SessionEnd) and last.halted is not UNSET else None
