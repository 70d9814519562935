"""Replayed games: those of a run, played again and compared with what was recorded.

Nobody is asked but built-in bots, and those that the user permits. What all others answered is on record:
of language models, programs and servers in a file of its own, and of everybody in the journal.
"""

from collections.abc import Callable, Mapping, Sequence

import msgspec

from molt_bench.agents.base import PokerAgent
from molt_bench.agents.permission import BUILT_IN, Permission
from molt_bench.arena.cast import Cast
from molt_bench.arena.journal_agent import AgentOfRecord
from molt_bench.config.participants import ParticipantConfig
from molt_bench.errors import JournalError
from molt_bench.play.play_games import drive
from molt_bench.records import GameRecord
from molt_bench.runs.folder import JOURNAL, REPLIES
from molt_bench.runs.header import check_plugins
from molt_bench.runs.journal import JournalContent
from molt_bench.runs.journal_lines import Game, Line
from molt_bench.runs.replies import Replies
from molt_bench.runs.run import Run
from molt_bench.runs.run_files import RunFiles


class Replayed(msgspec.Struct, frozen=True):
    """A run whose games were replayed.

    Attributes:
        content: Its journal, with the replayed games.
        again: The participants that played again.
        on_record: Those that were not asked, and the files that their answers came from.
    """

    content: JournalContent
    again: tuple[str, ...]
    on_record: Mapping[str, tuple[str, ...]]

    def __str__(self) -> str:
        """Say who played again, and whose answers were taken from the record; "" if everybody played again."""
        if not self.on_record:
            return ""
        taken = ", ".join(f"{name} ({' and '.join(files)})" for name, files in self.on_record.items())
        return f"played again: {', '.join(self.again) or 'nobody'}; answers from the record: {taken}"


def replay_games(stored: Run, permission: Permission = BUILT_IN) -> Replayed:
    """Replay every game of a run.

    Raises:
        JournalError: A game differs, and the message says where; or the run cannot be replayed yet.
        ProviderError: An exchange is missing.
    """
    check_plugins(stored.header, stored.config)
    replies = stored.replies(every_game=True)
    again = [each for each in stored.config.participants if plays_again(each, permission)]
    remembering = next((each.id for each in again if each.may_remember), None)
    if remembering is not None and stored.ending is None and _asked(stored, replies, remembering):
        raise JournalError(
            f"{stored.folder}: the run has not ended, and {remembering!r} may remember the cards of replayed games: "
            "finish the run first"
        )
    with stored.at_home(permission):
        cast = Cast(stored.config, {}, RunFiles(replies=replies, permission=permission))
        participants = {each.id: each for each in stored.config.participants}
        replay = _Replay(cast, replies, participants)
        lines = tuple(map(replay.line, stored.lines))
    ids = [each.id for each in stored.config.participants]
    on_record = {name: tuple(replay.files[name]) for name in ids if name in replay.files}
    return Replayed(
        msgspec.structs.replace(stored.content, lines=lines),
        tuple(name for name in ids if name in replay.again),
        on_record,
    )


def plays_again(participant: ParticipantConfig, permission: Permission) -> bool:
    """Return whether a participant may play again; a language model and a person never do."""
    kind = participant.kind
    return not (kind.in_person or kind.paid) and permission.allows(participant.spec())


def without_answers(stored: Run) -> list[str]:
    """Return who would have to be asked if its games were to be played again: those with no answers in a file."""
    replies = stored.replies(every_game=True)
    models = stored.config.models()
    asked = [each.id for each in stored.config.participants if each.kind.foreign and each.id not in models]
    return [name for name in asked if _asked(stored, replies, name)]


def _asked(stored: Run, replies: Replies, participant: str) -> bool:
    kind = next(each.kind for each in stored.config.participants if each.id == participant)
    return not kind.recorded or not replies.recorded


class _Replay:
    """Replays games one after another, and notes where answers come from.

    Attributes:
        again: The participants that played again.
        files: The files that the answers of the others came from.
    """

    def __init__(self, cast: Cast, replies: Replies, participants: Mapping[str, ParticipantConfig]) -> None:
        self._cast = cast
        self._replies = replies
        self._participants = participants
        self.again: set[str] = set()
        self.files: dict[str, dict[str, None]] = {}

    def line(self, line: Line) -> Line:
        """Replay a game; raises JournalError if it differs."""
        if not isinstance(line, Game):
            return line
        if not self._cast.agents.issuperset(line.participants):
            raise JournalError(f"match {line.match}: nobody of the config plays this game")
        first, second = (self._agent(name, player, line) for player, name in enumerate(line.participants))
        record = drive(line.record.spec, (first, second))
        if record != line.record:
            raise JournalError(_difference(line, record))
        return msgspec.structs.replace(line, record=record)

    def _agent(self, name: str, player: int, line: Game) -> PokerAgent:
        participant = self._participants[name]
        if name in self._cast.models:
            return self._noted(name, REPLIES, lambda: self._cast.agent(name, line.label))
        if participant.kind.recorded and self._replies.recorded:
            return self._noted(name, REPLIES, lambda: self._cast.agent(name, line.label))
        if plays_again(participant, self._cast.permission) and not participant.kind.comes:
            self.again.add(name)
            return self._cast.agent(name, line.label)
        return self._noted(name, JOURNAL, lambda: AgentOfRecord(name, line.record, player))

    def _noted(self, name: str, file: str, make: Callable[[], PokerAgent]) -> PokerAgent:
        self.files.setdefault(name, {})[file] = None
        return make()


def _first_difference(known: Sequence[str], again: Sequence[str]) -> int | None:
    """Return the number of the first hand whose lines are not the same; None if they are, as far as both go."""
    return next((at for at, (one, two) in enumerate(zip(known, again, strict=False), start=1) if one != two), None)


def _difference(game: Game, again: GameRecord) -> str:
    hand = _first_difference(game.record.hand_texts, again.hand_texts)
    mixed = _first_difference(game.record.mixes, again.mixes)
    results = [(each.net, each.hand_nets, each.hands) for each in (game.record, again)]
    if hand:
        where = f"from hand {hand} on"
    elif results[0] != results[1]:
        where = "in its result"
    elif game.record.mixes != again.mixes:
        where = f"in the mixes of hand {mixed}" if mixed else "in its mixes"
    else:
        where = "in its faults"
    return f"match {game.match}, seed {game.record.seed!r}, seating {game.record.seating}: differs {where}"
