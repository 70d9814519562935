"""Players who bet by the strength of their hands, each in its own way.

The luck coefficients are fitted to the bettors. The steppers are of another making, to see what the fit is worth for
players it does not know.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from math import exp
from typing import Any, NamedTuple

import numpy as np

from molt_bench.agents.base import Mix
from molt_bench.agents.scripted import RandomAgent, ScriptedAgent
from molt_bench.poker.actions import CALL, CHECK, FOLD, Action
from molt_bench.poker.cards import Board, Hole
from molt_bench.poker.equity import card_arrays, strengths
from molt_bench.poker.evaluator import KEY_START
from molt_bench.poker.observation import Observation, raise_by_pot
from molt_bench.poker.starting_hands import equity_against_best
from molt_bench.seeds import derive

#: What the weights of a mix add up to, about.
_WHOLE = 1_000_000
#: Other hands and run-outs that a bettor judges its own hand by.
_SAMPLES = 200


class Manner(NamedTuple):
    """How a bettor plays.

    Attributes:
        bets: Strength from which it mostly bets.
        raises: Strength from which it mostly raises a bet.
        margin: How much more than the price its hand has to be worth for a call; negative for a loose player.
        bluffs: Chance to bet without the strength; to raise a bet, half of it.
        traps: Chance not to bet with the strength.
        width: How gradually its chances change with the strength.
        sizes: Percent of the pot that it bets, each equally likely.
        noise: Chance to do anything legal instead.
        pushes: Share of its bets that are all-in.
    """

    bets: float
    raises: float
    margin: float
    bluffs: float
    traps: float
    width: float
    sizes: tuple[int, ...]
    noise: float
    pushes: float

    @classmethod
    def drawn(cls, label: str, *, noisy: bool) -> Manner:
        """Return a manner that depends on the label alone."""

        def between(name: str, low: float, high: float) -> float:
            return low + (high - low) * (derive(label, name) % 10**6) / 10**6

        bets = between("bets", 0.5, 0.72)
        sizes = (33, 50, 67, 75, 100, 150, 200)
        first, second = (sizes[derive(label, name) % len(sizes)] for name in ("size", "other size"))
        return cls(
            bets=bets,
            raises=bets + between("raises", 0.05, 0.2),
            margin=between("margin", -0.15, 0.15),
            bluffs=between("bluffs", 0.0, 0.35),
            traps=between("traps", 0.0, 0.3),
            width=between("width", 0.01, 0.08),
            sizes=(first, second),
            noise=between("noise", 0.05, 0.25) if noisy else 0.0,
            pushes=between("pushes", 0.0, 0.15) if noisy else 0.0,
        )


class Bettor(ScriptedAgent):
    """Bets, calls and folds by strength and price, and says how it mixes, but for its mistakes."""

    kind = "bettor"

    def __init__(self, manner: Manner, *, seed: str) -> None:
        super().__init__()
        self._manner, self._seed = manner, seed
        self._random = RandomAgent()

    def act(self, observation: Observation) -> Action | Mix:
        """Do something random now and then, by dice of its own; mix what is planned otherwise."""
        place = observation.hand_number, *observation.cards, len(observation.log)
        if derive(self._seed, *place) / 2**256 < self._manner.noise:
            return self._random.act(observation)
        return _mixed(self._planned(observation))

    def _planned(self, observation: Observation) -> list[tuple[Action, float]]:
        """Return the chances of a bet, and of what is done without one."""
        own = self._manner
        strength = strength_of(_hole(observation), observation.board)
        if observation.to_call:
            called = _rises((strength - observation.pot_odds - own.margin) / own.width)
            rest: list[tuple[Action, float]] = [(CALL, called), (FOLD, 1 - called)]
        else:
            rest = [(CHECK, 1.0)]
        if not observation.max_raise_to:
            return rest
        faced = bool(observation.to_call) and bool(observation.log)
        strong = _rises((strength - (own.raises if faced else own.bets)) / own.width)
        bet = strong * (1 - own.traps) + (1 - strong) * own.bluffs * (0.5 if faced else 1)
        found: dict[Action, float] = {}
        for size in own.sizes:
            action = raise_by_pot(observation, size)
            found[action] = found.get(action, 0.0) + bet * (1 - own.pushes) / len(own.sizes)
        if own.pushes:
            push = Action("raiseTo", observation.max_raise_to)
            found[push] = found.get(push, 0.0) + bet * own.pushes
        return [*found.items(), *[(action, (1 - bet) * chance) for action, chance in rest]]


class Stepper(ScriptedAgent):
    """Bets from a strength on, seldom below it; calls at a price; now and then it does the contrary, or pushes.

    Unlike a bettor it has thresholds instead of gradual chances, another measure of strength, one size, and at times a
    minimum raise or an all-in.

    Args:
        bets: Strength from which it mostly bets.
        margin: How much more than the price its hand has to be worth for a call; negative for a loose player.
        bluffs: Chance to bet without the strength.
        size: Percent of the pot that it bets.
    """

    kind = "stepper"

    def __init__(self, *, bets: float, margin: float, bluffs: float, size: int) -> None:
        super().__init__()
        self._bets, self._margin, self._bluffs, self._size = bets, margin, bluffs, size

    def act(self, observation: Observation) -> Action | Mix:
        """Mix by the strength of its hand."""
        return _mixed(self._planned(observation))

    def _planned(self, observation: Observation) -> list[tuple[Action, float]]:
        strength = equity_against_best(_hole(observation), observation.board, 100)
        passive = CALL if observation.to_call else CHECK
        worth = not observation.to_call or strength > observation.pot_odds + self._margin
        falls_back = passive if worth else FOLD
        if not observation.max_raise_to:
            return [(passive, 0.1), (falls_back, 0.9)]
        chance = 0.85 if strength > self._bets else self._bluffs
        return [
            (raise_by_pot(observation, self._size), 0.8 * chance),
            (Action("raiseTo", observation.min_raise_to), 0.15 * chance),
            (Action("raiseTo", observation.max_raise_to), 0.05 * chance),
            (passive, 0.1 * (1 - chance)),
            (falls_back, 0.9 * (1 - chance)),
        ]


def _mixed(chances: list[tuple[Action, float]]) -> Action | Mix:
    """Return a mix by these chances; what is named twice is added up."""
    found: dict[Action, float] = {}
    for action, chance in chances:
        found[action] = found.get(action, 0.0) + chance
    weighed = [(action, round(chance * _WHOLE)) for action, chance in found.items()]
    entries = [(action, weight) for action, weight in weighed if weight]
    return entries[0][0] if len(entries) == 1 else Mix(entries)


#: Steppers by name.
STEPPERS: Mapping[str, Mapping[str, Any]] = {
    "careful": {"bets": 0.7, "margin": 0.1, "bluffs": 0.03, "size": 60},
    "plain": {"bets": 0.6, "margin": 0.0, "bluffs": 0.12, "size": 90},
    "eager": {"bets": 0.5, "margin": -0.1, "bluffs": 0.3, "size": 130},
}


@lru_cache(maxsize=100_000)
def strength_of(hole: Hole, board: Board) -> float:
    """Return how often a hand beats another one, by a fixed sample of other hands and run-outs; a tie counts half."""
    keys, bits = card_arrays()
    live = np.array([card for card in range(52) if card not in hole and card not in board], np.int64)
    drawn = live[_samples(len(live), 7 - len(board))]
    known, own = list(board), list(hole)
    shared_keys = KEY_START + keys[known].sum() + keys[drawn[:, 2:]].sum(axis=1)
    shared_bits = bits[known].sum() + bits[drawn[:, 2:]].sum(axis=1)
    mine, other = strengths(
        np.concatenate([shared_keys + keys[own].sum(), shared_keys + keys[drawn[:, :2]].sum(axis=1)]),
        np.concatenate([shared_bits + bits[own].sum(), shared_bits + bits[drawn[:, :2]].sum(axis=1)]),
    ).reshape(2, -1)
    return float(((mine > other).sum() + (mine >= other).sum()) / (2 * len(mine)))


@cache
def _samples(live: int, drawn: int) -> Any:
    dice = np.random.RandomState(live)
    return np.array([dice.permutation(live)[:drawn] for _ in range(_SAMPLES)])


def _rises(value: float) -> float:
    """Return a chance that rises from 0 to 1."""
    return 1 / (1 + exp(-max(-30.0, min(30.0, value))))


def _hole(observation: Observation) -> Hole:
    """Return the hand in the one order and suits that a cache knows it by before the flop."""
    first, second = max(observation.cards), min(observation.cards)
    if observation.board:
        return first, second
    return first & ~3, (second & ~3) + (first & 3 != second & 3)
