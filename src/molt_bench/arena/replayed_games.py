"""Verify: the games of a run, played again; those of language models from what was recorded, asking nobody."""

from collections.abc import Mapping

import msgspec

from molt_bench.agents.factories import AgentFactory
from molt_bench.agents.llm.exchange import Exchanges
from molt_bench.arena.cast import Cast
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.errors import JournalError
from molt_bench.play.drivers import drive
from molt_bench.records import GameRecord
from molt_bench.runs.journal import Game, JournalContent, Line


def played_again(
    config: BenchmarkConfig,
    content: JournalContent,
    recorder: Exchanges,
    *,
    agents: Mapping[str, AgentFactory] | None = None,
) -> JournalContent:
    """Play every game of a journal again.

    Args:
        config: The config of the run.
        content: What is in its journal.
        recorder: Its exchanges; it is only read.
        agents: Agents of the caller's own, by type.

    Returns:
        The journal with the games as they were played now.

    Raises:
        JournalError: A game differs; it says where.
        ProviderError: An exchange is missing.
    """
    recorder.read_only = True
    cast = Cast(config, agents or {}, recorder)
    lines: list[Line] = []
    for line in content.lines:
        if isinstance(line, Game):
            if not cast.agents.issuperset(line.participants):
                raise JournalError(f"match {line.match}: nobody of the config plays this game")
            first, second = (cast.agent(name, line.label) for name in line.participants)
            record = drive(line.record.spec, (first, second))
            if record != line.record:
                raise JournalError(_difference(line, record))
            lines.append(msgspec.structs.replace(line, record=record))
        else:
            lines.append(line)
    return msgspec.structs.replace(content, lines=tuple(lines))


def _difference(game: Game, again: GameRecord) -> str:
    texts = zip(game.record.hand_texts, again.hand_texts, strict=False)
    hand = next((at for at, (one, two) in enumerate(texts, start=1) if one != two), None)
    results = [(each.net, each.hand_nets, each.hands) for each in (game.record, again)]
    where = f"from hand {hand} on" if hand else "in its faults" if results[0] == results[1] else "in its result"
    return f"match {game.match}, seed {game.record.seed!r}, seating {game.record.seating}: differs {where}"
