"""The margins of a match, with and without the draws of each language model in it, which may be refused later.

The weights that are fitted to earlier matches stay as they were when a match was played: they may be any, as long as
they do not depend on it.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, MutableMapping
from functools import partial
from itertools import combinations

from msgspec.structs import replace

from molt_bench.agents.base import PolicyOf
from molt_bench.agents.llm.odds import RecordedDraws
from molt_bench.bench.draws import Draws, MatchDraws
from molt_bench.luck.estimators import Estimates, estimates_at_once, game_estimates, margins_of
from molt_bench.luck.fitting import Fit, GameParts, SeedHands
from molt_bench.records import GameRecord, Margins, MatchResult
from molt_bench.specs import GameLabel, GameSpec, Pair


class MatchMargins:
    """Computes the margins of matches.

    Args:
        policies: Action probabilities that participants publish.
        draws: The draws of language models.
        big_blind: The big blind.
        averaged: Those whose hands take time or money, so that averaging over a built-in opponent's cards pays.
    """

    def __init__(
        self, policies: Mapping[str, PolicyOf], draws: Draws, *, big_blind: int, averaged: Collection[str] = ()
    ) -> None:
        self._policies = policies
        self._draws = draws
        self._big_blind = big_blind
        self._averaged = frozenset(averaged)
        #: Why a policy was not used, by participant and game.
        self._refused: dict[str, dict[GameLabel, str]] = defaultdict(dict)
        self._known: dict[int, dict[frozenset[str], Margins]] = {}
        self._fit = Fit()

    def of(
        self, number: int, pair: Pair, result: MatchResult, estimates: MutableMapping[GameSpec, Estimates]
    ) -> Margins:
        """Return the margins of a match, without the draws of models that are refused by now.

        `estimates` has what player A won in some of its games; they are taken out of it.
        """
        names = self._draws.usable(pair)
        games = [game for seed in result.seed_results for game in seed.games]
        draws = self._draws.of_match(number, names, [_label(number, game) for game in games])
        if not names:
            margins, hands = self._fitted(
                pair,
                result,
                lambda game: self._estimates(number, pair, {}, game, known=estimates.pop(game.spec, None)),
            )
            self._fit.learn(pair, hands)
            return margins
        self._known[number] = {}
        lessons = {}
        for count in range(len(names), -1, -1):  # all of them first, which looks every draw up
            for used in combinations(names, count):
                kept = {name: draws[name] for name in used}
                margins, hands = self._fitted(pair, result, partial(self._estimates, number, pair, kept))
                self._known[number][frozenset(used)], lessons[frozenset(used)] = margins, hands
        self._draws.judge(draws)
        usable = frozenset(self._draws.usable(pair))
        self._fit.learn(pair, lessons[usable])
        return self._known[number][usable]

    def at_once(self, game: GameRecord) -> Estimates | None:
        """Return what player A won in a game that was just played; None if that takes long, or needs other games."""
        pair = game.players
        if not self._averaged.isdisjoint(pair) or self._draws.usable(pair):
            return None
        return estimates_at_once(game, (self._policies.get(pair[0]), self._policies.get(pair[1])))

    def again(self, number: int) -> Margins | None:
        """Return the margins of an earlier match, without the draws of models refused since; None if it had none."""
        variants = self._known.get(number)
        if variants is None:
            return None
        return variants[max(variants, key=len).difference(self._draws.refused)]

    def warnings(self) -> list[str]:
        """Return a warning for each participant whose published policy was not used in some games."""
        return [
            f"{name}: its published probabilities were not used in {len(games):,} "
            f"{'game' if len(games) == 1 else 'games'}; the first time: {next(iter(games.values()))}"
            for name, games in self._refused.items()
        ]

    def _fitted(
        self, pair: Pair, result: MatchResult, estimates: Callable[[GameRecord], Estimates]
    ) -> tuple[Margins, list[SeedHands]]:
        """Return margins by the weights fitted to earlier matches, and the hands to learn from.

        Nothing is fitted, nor learned, where one of the decks has been learned from.
        """
        known_decks = self._fit.knows(seed.seed for seed in result.seed_results)
        games: list[GameParts | None] = []

        def estimated(game: GameRecord) -> Estimates:
            found = estimates(game)
            if known_decks or found.hands is None:
                games.append(None)
                return found
            games.append(found.hands)
            return replace(found, fitted=found.fitted - self._fit.luck(pair, found.hands))

        margins = margins_of(result, big_blind=self._big_blind, estimates=estimated)
        lessons: list[SeedHands] = []
        for seed, *both in zip(result.seed_results, games[::2], games[1::2], strict=True):
            known = [game for game in both if game is not None]
            first, second = (game.spec.deck_seed for game in seed.games)
            # Where an agent may remember, its two games have decks of their own: no hand is played twice.
            lessons += [(seed.seed, known)] if first == second else [(seed.seed, [game]) for game in known]
        return margins, lessons

    def _estimates(
        self, number: int, pair: Pair, draws: MatchDraws, game: GameRecord, *, known: Estimates | None = None
    ) -> Estimates:
        """Return what player A won in a game, as a worker has computed it or here; note whose policy was refused."""
        label = _label(number, game)
        if known is None:
            first, second = (self._policy(name, draws, label) for name in pair)
            known = game_estimates(game, (first, second), averaged=not self._averaged.isdisjoint(pair))
        for name, why in zip(pair, known.refused, strict=True):
            if why:
                self._refused[name].setdefault(label, why)
        return known

    def _policy(self, name: str, draws: MatchDraws, game: GameLabel) -> PolicyOf | RecordedDraws | None:
        return draws[name][game] if name in draws else self._policies.get(name)


def _label(match: int, game: GameRecord) -> GameLabel:
    return GameLabel(match, game.seed, game.seating)
