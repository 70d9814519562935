"""The progress of a run, for observers."""

from collections.abc import Callable, Iterator, Mapping

import msgspec

from molt_bench.agents.tracebacks import OnTraceback
from molt_bench.bench.ladder import Ladder
from molt_bench.bench.spending import Spending
from molt_bench.records import MatchResult


class UnderWay(msgspec.Struct, frozen=True):
    """What is under way while language models play.

    Attributes:
        games: Games that have begun and are not over.
        requests: Requests that wait for their reply.
        hands_per_minute: In this session; None as long as no hand has been played.
        games_bought: About how many games all of the money buys; None without a limit, or as long as that is unknown.
        left_s: About how many seconds are left until a limit ends the run; None where that is unknown.
    """

    games: int
    requests: int
    hands_per_minute: float | None = None
    games_bought: float | None = None
    left_s: float | None = None


class RunStatus(msgspec.Struct, frozen=True):
    """The progress of a run.

    Attributes:
        match: Number of the match being played.
        round: Number of its round.
        participants: Its participants.
        games: Finished games of this round.
        hands: Hands of the run so far.
        seconds: How long this session has taken.
        finished: The match that was just rated, if any.
        spending: What language models have cost; None if there are none.
        under_way: What they are asked now; None if there are none.
        awaited: After an interruption, the number of pending replies by participant.
        patience_s: Seconds for which they are awaited.
    """

    match: int
    round: int
    participants: tuple[str, str]
    games: int
    games_in_round: int
    hands: int
    seconds: float
    finished: MatchResult | None
    ladder: Ladder
    spending: Spending | None = None
    under_way: UnderWay | None = None
    awaited: Mapping[str, int] = {}
    patience_s: float = 0.0


class Observer(msgspec.Struct, frozen=True):
    """Callbacks for the progress of a run.

    Attributes:
        on_status: After every finished game and match, and every reply from a language model.
        on_warning: Before the first game, with each warning about what the run will fall short of; later, with what
            goes wrong while models are asked, such as one that is paused.
        on_traceback: With a participant and where its agent raised, once per place.
        on_notice: With what is good to know, such as the state of a language model that answers.
        on_lines: With what plug-ins say of a run that has ended; they may work it out when it is read.
    """

    on_status: Callable[[RunStatus], None] | None = None
    on_warning: Callable[[str], None] | None = None
    on_traceback: OnTraceback | None = None
    on_notice: Callable[[str], None] | None = None
    on_lines: Callable[[Iterator[str]], None] | None = None
