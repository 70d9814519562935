"""The draws of the language models of a run, match by match: the bench draws from the strategies that they state."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from msgspec import UNSET

from molt_bench.agents.llm.settings import LLMSettings
from molt_bench.agents.llm.strategy import StatedDraws, Strategy
from molt_bench.agents.llm.types import Exchange
from molt_bench.specs import GameLabel, Pair

#: The draws in one match, by model and game.
MatchDraws: TypeAlias = dict[str, dict[GameLabel, StatedDraws]]


class Draws:
    """Collects the odds from exchanges as they arrive, until their match is rated."""

    def __init__(self, models: Mapping[str, LLMSettings]) -> None:
        self._stating = {name for name, each in models.items() if each.harness == "mixed"}
        #: By match, by game and model, by hand and the number of actions before: the strategy of the last attempt.
        self._stated: defaultdict[int, defaultdict[tuple[GameLabel, str], dict[tuple[int, int], Strategy]]] = (
            defaultdict(lambda: defaultdict(dict))
        )

    def add(self, exchange: Exchange) -> None:
        """Keep the odds of a decision: those of the last attempt, since what was drawn before it was refused."""
        name, game, place = exchange.participant, exchange.game, (exchange.hand, exchange.decision)
        if name in self._stating:
            self._stated[game.match][game, name][place] = () if exchange.strategy is UNSET else exchange.strategy

    def usable(self, pair: Pair) -> tuple[str, ...]:
        """Return those of a pair whose draws are recorded."""
        return tuple(name for name in pair if name in self._stating)

    def of_match(self, match: int, names: Iterable[str], games: Iterable[GameLabel]) -> MatchDraws:
        """Return the draws in a match, and forget them."""
        found = {name: {game: self._of_game(game, name) for game in games} for name in names}
        self.forget(match)
        return found

    def _of_game(self, game: GameLabel, name: str) -> StatedDraws:
        return StatedDraws(self._stated[game.match][game, name])

    def forget(self, match: int) -> None:
        """Drop the draws in a match whose margins are known already."""
        self._stated.pop(match, None)
