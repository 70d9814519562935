"""Games whose replies are missing: a journal can be ahead of its exchanges, as after a power failure or a full disk."""

from collections import Counter
from collections.abc import Iterable, Mapping

from molt_bench.errors import JournalError, RulesError
from molt_bench.llm.settings import LLMSettings
from molt_bench.llm.types import Exchange
from molt_bench.runs.folder import EXCHANGES
from molt_bench.runs.journal import Game, Line


def first_without_replies(
    lines: Iterable[Line], exchanges: Iterable[Exchange], models: Mapping[str, LLMSettings]
) -> int | None:
    """Return the place of the first game that models played and whose replies are not all recorded; None if none is.

    Raises JournalError if no reply at all is recorded: to play everything again would be expensive.
    """
    replies = Counter((each.game, each.participant) for each in exchanges if each.attempt == 1)
    for place, line in enumerate(lines):
        if not isinstance(line, Game):
            continue
        played = [(player, name) for player, name in enumerate(line.participants) if name in models]
        asked = {(line.label, name): _asked(line, player) for player, name in played}
        if any(replies[each] < count for each, count in asked.items()):
            if not replies:
                raise JournalError(f"{EXCHANGES} is missing or empty: put it back, or start a new run")
            return place
    return None


def _asked(game: Game, player: int) -> int:
    """Return how many decisions of a game a player was asked for."""
    record = game.record
    seat = player if record.seating == "AB" else 1 - player
    try:
        return sum(action.seat == seat for parsed in record.replay() for action in parsed.hand.log)
    except RulesError:
        return 0  # a damaged hand is named elsewhere
