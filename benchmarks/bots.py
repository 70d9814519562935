"""The bots of the ladders: variants of one game plan whose strength differs by a number."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from drawn_players import Stubborn, Tabled
from mixing import Chances, Mixer
from readers import Adapter, Jammer, Reader
from weighers import Student, Weigher

from molt_bench.agents.base import Mix, PokerAgent
from molt_bench.agents.kinds import make_agent
from molt_bench.agents.scripted import RandomAgent
from molt_bench.poker.actions import CALL, CHECK, FOLD, Action
from molt_bench.poker.cards import Hole
from molt_bench.poker.observation import HandResult, Observation, raise_by_pot
from molt_bench.poker.starting_hands import equity_against_best
from molt_bench.seeds import Seed, derive


class Noisy(Mixer):
    """A bot that does something random with a fixed chance: the higher, the worse."""

    kind = "noisy"

    def __init__(self, *, own: PokerAgent, noise: float, seed: Seed, publish: bool = False) -> None:
        super().__init__(seed=seed, publish=publish)
        self._own, self._random, self._noise = own, RandomAgent(), noise

    def chances(self, observation: Observation) -> Chances:
        """Return what it does, and how often."""
        parts = ((self._own, 1 - self._noise), (self._random, self._noise))
        return [
            (entry, share * chance)
            for agent, share in parts
            for entry, chance in (chances_of(agent, observation) if share else ())
        ]


def chances_of(agent: Any, observation: Observation) -> Chances:
    """Return what an agent does, and how often, if it says so."""
    if isinstance(agent, Mixer):
        return agent.chances(observation)
    answer = agent.act(observation)
    if isinstance(answer, Mix):
        return [(entry, weight / answer.total) for entry, weight in answer.entries]
    return [(answer, 1.0)]


class Limper(Mixer):
    """Calls or checks, but folds to a bet with a fixed chance: the higher, the worse."""

    kind = "limper"

    def __init__(self, *, folds: float, seed: Seed) -> None:
        super().__init__(seed=seed, publish=True)
        self._folds = folds

    def chances(self, observation: Observation) -> Chances:
        """Return what it does, and how often."""
        if not observation.to_call:
            return ((CHECK, 1.0),)
        return (FOLD, self._folds), (CALL, 1 - self._folds)


class Habits(Mixer):
    """Plays by the strength of its hand against any other, with habits of its own.

    Args:
        calls: How much more than the price its hand has to be worth for a call; negative for a loose player.
        bets: Strength from which it bets or raises.
        bluffs: Chance to bet without that.
        size: Percent of the pot that it bets.
        seed: Gives its dice.
    """

    kind = "habits"

    def __init__(self, *, calls: float, bets: float, bluffs: float, size: int, seed: Seed) -> None:
        super().__init__(seed=seed, publish=True)
        self._calls, self._bets, self._bluffs, self._size = calls, bets, bluffs, size

    def chances(self, observation: Observation) -> Chances:
        """Bet what is strong, bluff now and then, call at a price."""
        strong, otherwise = self._plan(observation)
        if not observation.max_raise_to:
            return ((otherwise, 1.0),)
        bet = raise_by_pot(observation, self._size)
        return ((bet, 1.0),) if strong else ((bet, self._bluffs), (otherwise, 1 - self._bluffs))

    def _plan(self, observation: Observation) -> tuple[bool, Action]:
        """Return whether the hand is worth a bet, and what is done if there is none."""
        strength = equity_against_best(_hole(observation), observation.board, 100)
        if not observation.to_call:
            return strength > self._bets, CHECK
        return strength > self._bets, CALL if strength > observation.pot_odds + self._calls else FOLD


def _hole(observation: Observation) -> Hole:
    """Return the hand in the one order and suits that a cache knows it by before the flop."""
    first, second = max(observation.cards), min(observation.cards)
    if observation.board:
        return first, second
    return first & ~3, (second & ~3) + (first & 3 != second & 3)


class Watcher(Mixer):
    """Learns within a game whether the other folds to bets often; it bets now and then to find out.

    Against one who does it bets whenever nobody has, and believes the bets of the other. Otherwise it calls and checks.
    """

    kind = "watcher"

    def __init__(self, *, seed: Seed) -> None:
        super().__init__(seed=seed)
        self.reset()

    def reset(self) -> None:
        """Forget."""
        self._faced, self._folded = 1, 0

    def chances(self, observation: Observation) -> Chances:
        """Bet two thirds of the pot if the other folds often, or one time in five to find out."""
        folds_often = self._folded / self._faced > 0.45
        attacked = any(done.kind == "raiseTo" and done.seat != observation.seat for done in observation.log)
        bets = (1.0 if folds_often else 0.2) if observation.max_raise_to and not attacked else 0.0
        quiet = CHECK if not observation.to_call else FOLD if attacked and folds_often else CALL
        return [*([(raise_by_pot(observation, 67), bets)] if bets else []), (quiet, 1 - bets)]

    def on_hand_complete(self, result: HandResult) -> None:
        """Count the answers to its bets."""
        for done, answer in pairwise(result.log):
            if done.seat == result.seat and done.kind == "raiseTo":
                self._faced += 1
                self._folded += answer.kind == "fold"


class Bot(NamedTuple):
    """How an agent of a ladder is made.

    Attributes:
        like: A built-in bot, or one of those above.
        noise: Its share of random actions; of folds for `limper`.
        publish: Whether it says how it mixes.
        habits: Calls, bets, bluffs and size of `habits`.
        reads: The settings of a `reader`, or of another one of `readers`, `weighers` and `drawn_players`.
    """

    like: str
    noise: float = 0.0
    publish: bool = False
    habits: tuple[float, float, float, int] = (0.0, 0.6, 0.1, 75)
    reads: Mapping[str, Any] | None = None

    def make(self, seed: Seed) -> PokerAgent:
        """Make the agent; its seed gives its dice."""
        if self.reads is not None and not self.noise:
            return self._reader(seed)
        if self.like == Limper.kind:
            return Limper(folds=self.noise, seed=seed)
        if self.like == Watcher.kind:
            return Watcher(seed=seed)
        if self.noise or self.publish:
            own = self._own(derive(seed, "own"))
            return Noisy(own=own, noise=self.noise, seed=seed, publish=self.publish)
        return self._own(seed)

    def _reader(self, seed: Seed) -> PokerAgent:
        return {each.kind: each for each in (Reader, Adapter, Jammer, Weigher, Student, Tabled, Stubborn)}[self.like](
            **(self.reads or {}), seed=seed
        )

    def _own(self, seed: Seed) -> PokerAgent:
        if self.reads is not None:
            return self._reader(seed)
        if self.like != Habits.kind:
            return make_agent(self.like)
        calls, bets, bluffs, size = self.habits
        return Habits(calls=calls, bets=bets, bluffs=bluffs, size=size, seed=seed)
