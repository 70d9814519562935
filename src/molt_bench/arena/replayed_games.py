"""Replayed games: those of a run, played again and compared with what was recorded.

Only built-in bots are asked, and those that the user permits. What all others answered is on record:
of language models, programs and servers in a file of its own, and of all in the journal.
"""

from collections.abc import Mapping, Sequence

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
from molt_bench.runs.journal_lines import Game
from molt_bench.runs.replies import Replies
from molt_bench.runs.run import Run
from molt_bench.runs.run_files import RunFiles


class Replayed(msgspec.Struct, frozen=True):
    """A run whose games were replayed.

    Attributes:
        again: The participants that played again.
        on_record: Those that were not asked, and the file that their answers came from.
    """

    again: tuple[str, ...]
    on_record: Mapping[str, str]

    def __str__(self) -> str:
        """Say who played again, and whose answers were taken from the record; "" if all played again."""
        if not self.on_record:
            return ""
        taken = ", ".join(f"{name} ({file})" for name, file in self.on_record.items())
        return f"played again: {', '.join(self.again) or 'none'}; answers from the record: {taken}"


def replay_games(stored: Run, permission: Permission = BUILT_IN) -> Replayed:
    """Replay every game of a run.

    Raises:
        JournalError: A game differs, and the message says where; or the run cannot be replayed yet.
        ProviderError: An exchange is missing.
    """
    check_plugins(stored.header, stored.config)
    replies = stored.replies(every_game=True)
    participants = {each.id: each for each in stored.config.participants}
    files = {name: _file_of(each, replies, permission) for name, each in participants.items()}
    again = tuple(name for name, file in files.items() if file is None)
    remembering = next((name for name in again if participants[name].kind.remembers), None)
    if remembering is not None and stored.ending is None:
        raise JournalError(
            f"{stored.folder}: the run has not ended, and {remembering!r} may remember the cards of replayed games: "
            "finish the run first"
        )
    with stored.at_home(permission):
        cast = Cast(stored.config, {}, RunFiles(replies=replies, permission=permission))

        def player(game: Game, number: int) -> PokerAgent:
            name = game.participants[number]
            if name not in files:
                raise JournalError(f"match {game.match}: no participant of the config plays this game")
            from_journal = files[name] == JOURNAL
            return AgentOfRecord(name, game.record, number) if from_journal else cast.agent(name, game.label)

        for game in stored.games:
            record = drive(game.record.spec, (player(game, 0), player(game, 1)))
            if record != game.record:
                raise JournalError(_difference(game, record))
    on_record = {name: file for name, file in files.items() if file is not None}
    return Replayed(again, on_record)


def _file_of(participant: ParticipantConfig, replies: Replies, permission: Permission) -> str | None:
    """Return the file that the answers of a participant come from; None if it plays again.

    A language model, a person and a live agent never do.
    """
    kind = participant.kind
    if kind.paid or (kind.recorded and replies.recorded):
        return REPLIES
    again = permission.allows(participant.spec()) and not (kind.in_person or kind.comes)
    return None if again else JOURNAL


def without_answers(stored: Run) -> list[str]:
    """Return who would have to be asked if its games were to be played again: those with no answers in a file."""
    replies = stored.replies(every_game=True)
    foreign = [each for each in stored.config.participants if each.kind.foreign]
    return [each.id for each in foreign if _file_of(each, replies, BUILT_IN) != REPLIES]


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
