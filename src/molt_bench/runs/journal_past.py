"""The past of a run according to its journal: games, stages, time, and whether they are consistent."""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

import msgspec

from molt_bench.agents.kinds import kind_of
from molt_bench.bench.past import Past, Stage
from molt_bench.config.loader import load_config
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.config.stop import StopConfig
from molt_bench.errors import ConfigError, JournalError
from molt_bench.records import Margins
from molt_bench.runs.journal import JournalContent
from molt_bench.runs.journal_lines import (
    Change,
    Extension,
    Line,
    Rated,
    Resumption,
    SessionEnd,
    games_in,
)


def past_of(config: BenchmarkConfig, content: JournalContent) -> Past:
    """Return the past of a run.

    Raises JournalError if it has a duplicate game, a game with the wrong participants, or an invalid stage.
    """
    games = games_in(content.lines)
    found = {game.label: game.record for game in games}
    if len(found) < len(games):
        twice = next(label for label, count in Counter(game.label for game in games).items() if count > 1)
        raise JournalError(f"the journal's match {twice.match} has the same game twice")
    margins: dict[int, Margins] = {}
    for line in content.lines:
        if isinstance(line, Rated):
            before = margins.get(line.match)
            # A match that the end of a session cut short is rated again when it has more seed pairs.
            if before is not None and _seed_pairs(before) >= _seed_pairs(line.margins):
                raise JournalError(f"the journal's match {line.match} has its margins twice")
            margins[line.match] = line.margins
    sessions = sum(line.seconds for line in content.lines if isinstance(line, SessionEnd))
    return Past(
        games=found,
        stages=tuple(stages_of(config, content.lines)),
        seconds=max([sessions, *(game.seconds for game in games)]),
        margins=margins,
    )


def _seed_pairs(margins: Margins) -> int:
    return len(margins.get("raw", ()))


def resumptions_in(lines: Sequence[Line]) -> int:
    """Return how often a run was resumed with an agent that may remember games already started."""
    return sum(isinstance(line, Resumption) for line in lines)


def games_go_on(config: BenchmarkConfig, own: Collection[str] = (), *, recorded: bool) -> bool:
    """Return whether games that were cut off go on where they were when the run is resumed; else they are dealt anew.

    An agent that may remember must not see the same cards twice. So a game goes on only if all of it can be repeated
    without asking that agent, to the decision that was open: no one in the run may play it differently.

    `own` are the types of the caller's custom agents; `recorded` says whether the replies in those games are.
    """
    remembering = [each for each in config.participants if each.kind.remembers]
    if not remembering:
        return True
    kinds = {each.id: kind_of(each.type, own) for each in config.participants}
    known = {name for name, kind in kinds.items() if kind.recorded or kind.built_in} | config.models().keys()
    return recorded and all(kinds[each.id].recorded for each in remembering) and known.issuperset(kinds)


def stages_of(config: BenchmarkConfig, lines: Sequence[Line]) -> list[Stage]:
    """Return the stages of a run in its journal; the first comes from its config.

    Raises JournalError if a stage has an invalid stop rule, or the journal continues after the run has stopped.
    """
    stages = [Stage(config.stop)]
    for line in lines:
        if isinstance(line, Extension):
            under_way = tuple((first, second) for first, second in line.under_way)
            stages.append(Stage(_stop(config, line.stop), line.matches, under_way))
        elif stages[-1].ending is not None and not isinstance(line, Resumption | Rated | Change):
            raise JournalError(f"the journal goes on after the run had stopped: {stages[-1].ending}")
        elif isinstance(line, SessionEnd) and line.ending is not None:
            stages[-1] = msgspec.structs.replace(stages[-1], ending=line.ending)
    return stages


def _stop(config: BenchmarkConfig, stop: dict[str, Any]) -> StopConfig:
    try:
        return load_config({**config.plain(), "stop": stop}).stop
    except ConfigError as error:
        raise JournalError(f"the journal tells of an extension that cannot be: {error}") from error
