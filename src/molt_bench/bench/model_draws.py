"""The draws of the language models of a run, match by match, and whether they follow the reported probabilities.

Where a model states a strategy, or is asked several times for an action, the bench draws: there is nothing to test.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias, TypeVar

from msgspec import UNSET

from molt_bench.agents.llm.providers.log_probabilities import Choice, Drawn, RecordedDraws
from molt_bench.agents.llm.settings import LLMSettings
from molt_bench.agents.llm.strategy import StatedDraws, Strategy
from molt_bench.agents.llm.types import Exchange
from molt_bench.luck.dice.model_draw_check import Draw, DrawTest
from molt_bench.poker.actions import KINDS
from molt_bench.records import GameRecord
from molt_bench.specs import GameLabel, Pair

#: The draws in one match, by model and game.
MatchDraws: TypeAlias = dict[str, dict[GameLabel, RecordedDraws]]
_Found = TypeVar("_Found")
#: What is known of decisions: by match, by game and model, by hand and the number of actions before.
_ByDecision: TypeAlias = defaultdict[int, defaultdict[tuple[GameLabel, str], dict[tuple[int, int], _Found]]]

#: Share of decisions with known draws below which the user is told.
_MOST: Final = 0.9


class Draws:
    """Collects the odds from exchanges as they arrive, until their match is rated.

    Every decision of a run depends on the matches rated so far and on nothing else, so this does, too: a model is
    judged after each match, by the games of that match and of those before it.

    Attributes:
        refused: Models whose draws do not follow their probabilities, with what was found.
    """

    def __init__(self, models: Mapping[str, LLMSettings]) -> None:
        self._tests = {name: DrawTest(KINDS) for name, settings in models.items() if settings.logprobs}
        self._stating = {name for name, each in models.items() if each.harness == "mixed" or each.reasks}
        self._reasked = {name for name, each in models.items() if each.reasks}
        self._decisions = dict.fromkeys(self._tests, 0)
        self._choices: _ByDecision[Choice] = defaultdict(lambda: defaultdict(dict))
        #: The strategies of the last attempt, and which that is.
        self._stated: _ByDecision[tuple[int, list[Strategy]]] = defaultdict(lambda: defaultdict(dict))
        self.refused: dict[str, str] = {}

    def add(self, exchange: Exchange) -> None:
        """Keep the odds of a decision.

        Of log-probabilities, only the first answer counts: a second one is given after a fault, which may come of the
        draw. Of strategies, the last one: it was drawn from, and what was drawn before it, if anything, was refused.
        """
        name, game, place = exchange.participant, exchange.game, (exchange.hand, exchange.decision)
        if name in self._tests and exchange.attempt == 1 and exchange.choice is not UNSET:
            self._choices[game.match][game, name][place] = exchange.choice
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
        """Return those of a pair whose draws are recorded and not refused."""
        return tuple(
            name for name in pair if name in self._stating or (name in self._tests and name not in self.refused)
        )

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

    def _of_game(self, game: GameLabel, name: str, forced: Collection[tuple[int, int]]) -> RecordedDraws:
        if name in self._stating:
            stated = self._stated[game.match][game, name]
            known = {place: strategies for place, (_, strategies) in stated.items()}
            return StatedDraws(known, forced, in_part=name in self._reasked)
        return RecordedDraws(self._choices[game.match][game, name])

    def forget(self, match: int) -> None:
        """Drop the draws in a match whose margins are known already."""
        self._choices.pop(match, None)
        self._stated.pop(match, None)

    def tested(self, played: MatchDraws) -> dict[str, tuple[Draw | None, ...]]:
        """Return what is tested of the draws in a match: those that were looked up, by model."""
        return {
            name: tuple([_draw(drawn) for game in games.values() for drawn in game.used.values()])
            for name, games in played.items()
            if name in self._tests
        }

    def judge(self, tested: Mapping[str, Sequence[Draw | None]]) -> None:
        """Test the draws of a match that is being rated, and refuse those of models that fail."""
        for name, draws in tested.items():
            test = self._tests[name]
            self._decisions[name] += len(draws)
            for draw in draws:
                if draw is not None:
                    test.add(draw.chances, draw.drawn)
            if test.fails:
                self.refused[name] = test.worst()

    def warnings(self) -> list[str]:
        """Return a warning for each model whose log-probabilities could not be used, or only in part."""
        found = [
            f"{name}: its replies do not follow its log-probabilities, so they are not used: {why}"
            for name, why in self.refused.items()
        ]
        for name, decisions in self._decisions.items():
            known = self._tests[name].decisions
            if name not in self.refused and known < _MOST * decisions:
                found.append(
                    f"{name}: {decisions - known:,} of its {decisions:,} decisions came without log-probabilities that "
                    "can be used"
                )
        return found


def _draw(drawn: Drawn | None) -> Draw | None:
    if drawn is None or drawn.action is None:
        return None
    return Draw(drawn.action.kind, {action.kind: chance for action, chance in drawn.policy})


def forced_folds(record: GameRecord) -> Iterator[tuple[int, tuple[int, int]]]:
    """Yield where a hand was folded for a player: who, the hand, and how many actions it had before that."""
    forced = {fault.hand_number: fault.player for fault in record.faults if fault.forced_fold}
    for played in record.replay() if forced else ():
        if played.number in forced:
            yield forced[played.number], (played.number, len(played.hand.log) - 1)


def unstated_sampling(models: Mapping[str, LLMSettings]) -> str | None:
    """Return a warning if log-probabilities are used and the server may draw by settings of its own."""
    found = [
        name
        for name, settings in models.items()
        if settings.logprobs and (settings.temperature is None or settings.top_p is None)
    ]
    if not found:
        return None
    return (
        f"{', '.join(found)}: log-probabilities are exact only if answers are drawn by them: set temperature: 1 and "
        "topP: 1, since a server may have other defaults, and small differences take many thousand decisions to show"
    )
