"""`lookahead`: the luck of draws from stated mixes, by what would have followed them.

A plain value of actions knows nothing of how agents play on. A run does: this fits a cheap stand-in for each agent to
its decisions, and looks ahead with these from every draw, with the cards that were to come. It takes two agents that
have stated mixes; elsewhere, and before it knows both, the result of the core stands.

A match of round k is looked at by stand-ins that have learned from the rounds up to k - 2. So they are fitted beside
the round before. What is learned from a round is counted in hands and decisions, however many agents there are: so it
takes about as long after every round, and what is known never depends on the clock.
"""

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from operator import attrgetter
from typing import Final, NamedTuple

from molt_bench.plugin import ComingMatch, CoreResult, Term
from molt_bench.plugins.lookahead.ahead import surpluses
from molt_bench.plugins.lookahead.learned import Learning, StandIns
from molt_bench.plugins.lookahead.visited import visited
from molt_bench.records import GameRecord
from molt_bench.seeds import derive_last
from molt_bench.specs import Pair

#: How many rounds lie between what is learned from and the match that it is used for.
_BEHIND: Final = 2
#: Hands of a round that are learned from; the last game is taken whole.
_HANDS: Final = 600


class _Lesson(NamedTuple):
    """A game to learn from; those with the lowest numbers are."""

    label: int
    game: GameRecord
    agents: Pair


class Lookahead:
    """The stand-ins of one run."""

    name = "lookahead"
    version = 3

    def __init__(self) -> None:
        self._learning = Learning()
        self._worker = ThreadPoolExecutor(1, "lookahead")
        #: The round of which a match was rated last, and its games.
        self._round, self._lessons = 0, list[_Lesson]()
        #: The stand-ins after each round, as they will be.
        self._after: dict[int, Future[StandIns]] = {}

    def rated(self, match: ComingMatch, games: Sequence[GameRecord]) -> None:
        """Take note of the games of a match, unless both agents are built in."""
        self._close_rounds_before(match.round)
        if not match.built_in:
            label, agents = derive_last("lookahead", match.number), match.participants
            self._lessons += [_Lesson(label(at), game, agents) for at, game in enumerate(games) if game.mixes]
            self._round = match.round

    def before(self, match: ComingMatch) -> Term | None:
        """Return the term of a match; None where both agents are built in, since their hands cost next to nothing."""
        self._close_rounds_before(match.round)
        if match.built_in:
            return None
        known = [number for number in self._after if number <= match.round - _BEHIND]
        if not known:
            return None
        stand_ins = self._after[max(known)].result()
        return _Looked(stand_ins, match.participants) if {*match.participants} <= stand_ins.weights.keys() else None

    def _close_rounds_before(self, number: int) -> None:
        """Learn from a round that is over, once, while the next one is played."""
        if self._lessons and self._round < number:
            lessons, self._lessons = sorted(self._lessons, key=attrgetter("label")), []
            self._after[self._round] = self._worker.submit(self._learn, lessons)

    def _learn(self, lessons: Sequence[_Lesson]) -> StandIns:
        left = _HANDS
        for lesson in lessons:
            played = visited(lesson.game, lesson.agents)
            if played is not None:
                self._learning.add(played)
            left -= lesson.game.dealt
            if left <= 0:
                break
        return self._learning.fitted()


class _Looked:
    """The term of one match."""

    def __init__(self, stand_ins: StandIns, agents: Pair) -> None:
        self._stand_ins, self._agents = stand_ins, agents

    def value(self, game: GameRecord, core: CoreResult) -> float:
        """Return what player A won without the luck of cards, as the core has it, and without that of the draws."""
        played = visited(game, self._agents) if game.mixes and not game.both_failed else None
        if played is None:
            return core.adjusted
        found = surpluses(played, self._stand_ins) * played.signs
        return core.without_cards + float(found.sum())
