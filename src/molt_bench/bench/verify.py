"""Verify: the games of a run, played again."""

from collections.abc import Mapping

from molt_bench.agents.registry import AgentFactory, make_agent
from molt_bench.bench.config import BenchmarkConfig
from molt_bench.journal import JournalContent, games_in
from molt_bench.play.drivers import drive


def first_difference(
    config: BenchmarkConfig, content: JournalContent, *, agents: Mapping[str, AgentFactory] | None = None
) -> tuple[int, str | None]:
    """Play every game of a journal again.

    Returns:
        How many games were identical, and where the first one that was not differs.
    """
    specs = {participant.id: participant.spec() for participant in config.participants}
    for number, game in enumerate(games_in(content.lines)):
        first, second = (make_agent(specs[name], factories=agents, seed=name) for name in game.participants)
        again = drive(game.record.spec, (first, second))
        if again != game.record:
            texts = zip(game.record.hand_texts, again.hand_texts, strict=False)
            hand = next((at for at, (one, two) in enumerate(texts, start=1) if one != two), None)
            where = f"from hand {hand} on" if hand else "in its faults"
            seed = game.record.seed
            return number, f"match {game.match}, seed {seed!r}, seating {game.record.seating}: differs {where}"
    return len(games_in(content.lines)), None
