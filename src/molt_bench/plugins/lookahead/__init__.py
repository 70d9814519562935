"""`lookahead`: the luck of draws from stated mixes, by what would have followed them.

A plain value of actions knows nothing of how agents play on. A run does: this fits a cheap stand-in for each agent to
its decisions, and looks ahead with these from every draw, with the cards that were to come. It takes two agents that
have stated mixes; elsewhere, and before it knows both, the result of the core stands.

A match of round k is looked at by stand-ins that have learned from the rounds up to k - 2. So they are fitted beside
the round before, and no run waits for them; nor does what they know depend on the clock.
"""

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final

from molt_bench.plugin import ComingMatch, CoreResult, Term
from molt_bench.plugins.lookahead.ahead import surpluses
from molt_bench.plugins.lookahead.learned import Learning, StandIns
from molt_bench.plugins.lookahead.visited import visited
from molt_bench.records import GameRecord

#: How many rounds lie between what is learned from and the match that it is used for.
_BEHIND: Final = 2


class Lookahead:
    """The stand-ins of one run."""

    name = "lookahead"
    version = 1

    def __init__(self) -> None:
        self._learning = Learning()
        self._numbers: dict[str, int] = {}
        self._worker = ThreadPoolExecutor(1, "lookahead")
        #: The round of which a match was rated last, if nothing was fitted since; 0 for none.
        self._open = 0
        #: The stand-ins after each round, as they will be.
        self._after: dict[int, Future[StandIns]] = {}

    def rated(self, match: ComingMatch, games: Sequence[GameRecord]) -> None:
        """Learn from a match of built-in bots and others, in the order of the run, beside whatever is done next."""
        self._close_rounds_before(match.round)
        if not match.built_in:
            first, second = (self._numbers.setdefault(name, len(self._numbers)) for name in match.participants)
            self._worker.submit(self._learn, games, (first, second))
            self._open = match.round

    def before(self, match: ComingMatch) -> Term | None:
        """Return the term of a match; None where both agents are built in, since their hands cost next to nothing."""
        self._close_rounds_before(match.round)
        if match.built_in:
            return None
        known = [number for number in self._after if number <= match.round - _BEHIND]
        if not known or not self._numbers.keys() >= {*match.participants}:
            return None
        stand_ins = self._after[max(known)].result()
        first, second = (self._numbers[name] for name in match.participants)
        if not {first, second} <= stand_ins.weights.keys():
            return None
        return _Looked(stand_ins, (first, second))

    def _close_rounds_before(self, number: int) -> None:
        """Fit to a round that is over, once, while the next one is played."""
        if 0 < self._open < number:
            self._after[self._open] = self._worker.submit(self._learning.fitted)
            self._open = 0

    def _learn(self, games: Sequence[GameRecord], agents: tuple[int, int]) -> None:
        played = visited(games, agents)
        if played is not None:
            self._learning.add(played)


class _Looked:
    """The term of one match."""

    def __init__(self, stand_ins: StandIns, agents: tuple[int, int]) -> None:
        self._stand_ins, self._agents = stand_ins, agents

    def value(self, game: GameRecord, core: CoreResult) -> float:
        """Return what player A won without the luck of cards, as the core has it, and without that of the draws."""
        played = visited([game], self._agents) if game.mixes and not game.both_failed else None
        if played is None:
            return core.adjusted
        found = surpluses(played, self._stand_ins) * played.signs
        return core.without_cards + float(found.sum())
