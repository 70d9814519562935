"""The draws of the language models of a run, match by match: the bench draws from the strategies that they state.

Where a model states a strategy, or is asked several times for an action, the bench draws: there is nothing to test.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TypeAlias

from msgspec import UNSET

from molt_bench.agents.llm.settings import LLMSettings
from molt_bench.agents.llm.strategy import StatedDraws, Strategy
from molt_bench.agents.llm.types import Exchange
from molt_bench.records import GameRecord
from molt_bench.specs import GameLabel, Pair

#: The draws in one match, by model and game.
MatchDraws: TypeAlias = dict[str, dict[GameLabel, StatedDraws]]
#: The number of the last attempt at a decision, and its strategies.
_Stated: TypeAlias = tuple[int, list[Strategy]]


class Draws:
    """Collects the odds from exchanges as they arrive, until their match is rated."""

    def __init__(self, models: Mapping[str, LLMSettings]) -> None:
        self._stating = {name for name, each in models.items() if each.harness == "mixed" or each.reasks}
        self._reasked = {name for name, each in models.items() if each.reasks}
        #: By match, by game and model, by hand and the number of actions before.
        self._stated: defaultdict[int, defaultdict[tuple[GameLabel, str], dict[tuple[int, int], _Stated]]] = (
            defaultdict(lambda: defaultdict(dict))
        )

    def add(self, exchange: Exchange) -> None:
        """Keep the odds of a decision.

        The last strategies count: they were drawn from, and what was drawn before them, if anything, was refused.
        """
        name, game, place = exchange.participant, exchange.game, (exchange.hand, exchange.decision)
        if name in self._stating:
            stated = self._stated[game.match][game, name]
            last, strategies = stated.get(place, (exchange.attempt, []))
            if exchange.attempt >= last:
                strategies = strategies if exchange.attempt == last else []
                stated[place] = (
                    exchange.attempt,
                    strategies + ([] if exchange.strategy is UNSET else [exchange.strategy]),
                )

    def usable(self, pair: Pair) -> tuple[str, ...]:
        """Return those of a pair whose draws are recorded."""
        return tuple(name for name in pair if name in self._stating)

    def of_match(
        self, match: int, names: Iterable[str], games: Iterable[GameLabel], records: Iterable[GameRecord] = ()
    ) -> MatchDraws:
        """Return the draws in a match, and forget them; `records` are its games, to know where nothing was drawn."""
        forced: defaultdict[tuple[GameLabel, str], set[tuple[int, int]]] = defaultdict(set)
        for record in records:
            for player, place in forced_folds(record):
                forced[GameLabel(match, record.seed, record.seating), record.players[player]].add(place)
        found = {name: {game: self._of_game(game, name, forced[game, name]) for game in games} for name in names}
        self.forget(match)
        return found

    def _of_game(self, game: GameLabel, name: str, forced: Collection[tuple[int, int]]) -> StatedDraws:
        stated = self._stated[game.match][game, name]
        known = {place: strategies for place, (_, strategies) in stated.items()}
        return StatedDraws(known, forced, in_part=name in self._reasked)

    def forget(self, match: int) -> None:
        """Drop the draws in a match whose margins are known already."""
        self._stated.pop(match, None)


def forced_folds(record: GameRecord) -> Iterator[tuple[int, tuple[int, int]]]:
    """Yield where a hand was folded for a player: who, the hand, and how many actions it had before that."""
    forced = {fault.hand_number: fault.player for fault in record.faults if fault.forced_fold}
    for played in record.replay() if forced else ():
        if played.number in forced:
            yield forced[played.number], (played.number, len(played.hand.log) - 1)
