"""The past of a run according to its journal: its games, rules and time, and whether they are consistent."""

from collections.abc import Sequence
from copy import deepcopy

from molt_bench.bench.endings import Ending
from molt_bench.bench.past import Extension, Past
from molt_bench.config.assignments import put
from molt_bench.config.loader import load_config
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.errors import JournalError
from molt_bench.records import GameRecord, Margins
from molt_bench.runs.journal_lines import Game, Header, Line, Rated, Resumption, SessionEnd
from molt_bench.specs import GameLabel


def config_of(header: Header, lines: Sequence[Line]) -> BenchmarkConfig:
    """Return the config of a run, with the settings with which it went on.

    Raises ConfigError if it is not valid any more.
    """
    plain = deepcopy(header.config)
    for line in lines:
        for path, value in line.settings.items() if isinstance(line, Resumption) else ():
            put(plain, path, value)
    return load_config(plain)


def past_of(header: Header, lines: Sequence[Line]) -> Past:
    """Return the past of a run.

    Raises JournalError if it has a game or margins twice, or goes on after its end.
    """
    games: dict[GameLabel, GameRecord] = {}
    rated: dict[int, Rated] = {}
    extensions: list[Extension] = []
    ending: Ending | None = None
    seconds, sessions, last, fresh_decks = 0.0, 0.0, 0, 0
    for number, line in enumerate(lines):
        if ending is not None and isinstance(line, Game | SessionEnd):
            raise JournalError(f"the journal goes on after the run had stopped: {ending}")
        if isinstance(line, Game):
            if line.label in games:
                raise JournalError(f"the journal's match {line.match} has the same game twice")
            games[line.label] = line.record
            seconds, last = max(seconds, line.seconds), max(last, line.match)
        elif isinstance(line, Rated):
            before = rated.get(line.match)
            # A match that the end of a session cut short is rated again when it has more seed pairs.
            if before is not None and _seed_pairs(before.margins) >= _seed_pairs(line.margins):
                raise JournalError(f"the journal's match {line.match} has its margins twice")
            rated[line.match] = line
        elif isinstance(line, SessionEnd):
            ending, sessions = line.ending, sessions + line.seconds
        elif isinstance(line, Resumption):
            fresh_decks += line.fresh_decks
            if line.extends:
                extensions.append(Extension(last, ending, config_of(header, lines[:number]).stop))
                ending = None
    return Past(
        games=games,
        margins={number: line.margins for number, line in rated.items()},
        rounds={number: line.round for number, line in rated.items()},
        extensions=tuple(extensions),
        ending=ending,
        seconds=max(seconds, sessions),
        fresh_decks=fresh_decks,
    )


def _seed_pairs(margins: Margins) -> int:
    return len(margins.get("raw", ()))
