"""Live: where a run is, for whoever watches it."""

from collections.abc import Callable

import msgspec

from molt_bench.bench.ladder import Ladder
from molt_bench.bench.result import PlayedMatch
from molt_bench.bench.spending import Spending


class Live(msgspec.Struct, frozen=True):
    """Where a run is, for whoever watches.

    Attributes:
        match: Number of the match under way.
        round: Number of its round.
        participants: Who plays it.
        games: Games of this round that are finished.
        games_in_round: Games of this round.
        hands: Hands of the run so far.
        seconds: How long this sitting has gone on.
        finished: The match that was just rated, if this is about one.
        ladder: The ratings.
        spending: What language models have taken; None where none plays.
        awaited: After an interruption: replies that are still waited for.
    """

    match: int
    round: int
    participants: tuple[str, str]
    games: int
    games_in_round: int
    hands: int
    seconds: float
    finished: PlayedMatch | None
    ladder: Ladder
    spending: Spending | None = None
    awaited: int = 0


#: Is told of every step of a run.
Watch = Callable[[Live], None]
