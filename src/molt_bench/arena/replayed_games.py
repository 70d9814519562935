"""Verification: replays the games of a run.

Language models, programs and servers are not asked again: what they answered is on record.
"""

import msgspec

from molt_bench.arena.cast import Cast
from molt_bench.errors import JournalError
from molt_bench.play.drivers import drive
from molt_bench.records import GameRecord
from molt_bench.runs.journal import Game, JournalContent, Line
from molt_bench.runs.lines import Warn
from molt_bench.runs.moved_files import changed_code
from molt_bench.runs.stored_run import StoredRun


def replay_games(stored: StoredRun, *, warn: Warn | None = None) -> JournalContent:
    """Replay every game of a run, and return its journal with the replayed games.

    `warn` is called with a warning for each participant whose code has changed since.

    Raises:
        JournalError: A game differs, and the message says where; or the run cannot be replayed yet.
        AgentError: The code of a participant is gone.
        ProviderError: An exchange is missing.
    """
    answers = stored.answers(every_game=True)
    recorded = all(answers.covers(game.label) for game in stored.games)
    asked = [each for each in stored.config.participants if not (recorded and each.kind.recorded)]
    remembering = next((each.id for each in asked if each.may_remember), None)
    if remembering is not None and stored.stop_reason is None:
        raise JournalError(
            f"{stored.folder}: the run has not ended, and {remembering!r} may remember the cards of replayed games: "
            "finish the run first"
        )
    with stored.at_home():
        played = {each.id for each in asked}
        hashes = {name: found for name, found in stored.header.source_hashes.items() if name in played}
        for name in changed_code(stored.here, hashes):
            if warn is not None:
                warn(f"the code of {name!r} has changed since the run")
        cast = Cast(stored.here, {}, stored.exchanges(every_game=True), answers)
        lines = tuple(_replayed(line, cast) for line in stored.lines)
    return msgspec.structs.replace(stored.content, lines=lines)


def _replayed(line: Line, cast: Cast) -> Line:
    if not isinstance(line, Game):
        return line
    if not cast.agents.issuperset(line.participants):
        raise JournalError(f"match {line.match}: nobody of the config plays this game")
    first, second = (cast.agent(name, line.label) for name in line.participants)
    record = drive(line.record.spec, (first, second), remembered=True)
    if record != line.record:
        raise JournalError(_difference(line, record))
    return msgspec.structs.replace(line, record=record)


def _difference(game: Game, again: GameRecord) -> str:
    texts = zip(game.record.hand_texts, again.hand_texts, strict=False)
    hand = next((at for at, (one, two) in enumerate(texts, start=1) if one != two), None)
    results = [(each.net, each.hand_nets, each.hands) for each in (game.record, again)]
    where = f"from hand {hand} on" if hand else "in its faults" if results[0] == results[1] else "in its result"
    return f"match {game.match}, seed {game.record.seed!r}, seating {game.record.seating}: differs {where}"
