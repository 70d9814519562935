"""The hands of a match as they were played: cards and actions, for the rows of the list that are on the screen.

The columns of the list are numbers, and there soon. These texts are longer, so a page asks for those of a match when it
shows a hand of it.
"""

from collections.abc import Container

from molt_bench.errors import ConfigError
from molt_bench.view.hand_columns import Deal
from molt_bench.view.open_run import OpenRun
from molt_bench.view.run_reader import seating_of


def played_hands(run: OpenRun, match: int, only: Container[Deal] | None = None) -> dict[str, list[str | None]]:
    """Return the hands of a match in both seatings, by seed pair and number; all that may be shown, or some deals.

    Each is the part of the notation between the number of the hand and what was won.

    Raises:
        ConfigError: There is no such match.
    """
    if match not in run.pairs:
        raise ConfigError("match", match, f"one of the {len(run.pairs)} matches of this run")
    found: dict[str, list[str | None]] = {}
    for at, seed in enumerate(run.seeds_of(match)):
        for game in run.sides(match, seed):
            side = seating_of(game.record)
            for number, text in enumerate(game.record.hand_texts, start=1):
                if only is None or (match, at, number) in only:
                    found.setdefault(f"{at}/{number}", [None, None])[side] = text.partition(":")[2].rpartition(":")[0]
    return found
