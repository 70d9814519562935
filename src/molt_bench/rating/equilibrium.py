"""The Nash equilibrium of highest entropy of a symmetric zero-sum game."""

from collections.abc import Sequence
from math import inf
from typing import Final

import numpy as np

from molt_bench.errors import ConfigError
from molt_bench.poker.arrays import Floats

#: Follow the path to the equilibria until nobody gains more than this share of the largest payoff.
_GAP: Final = 1e-12
#: Singular values below this share of the largest count as 0.
_RANK: Final = 1e-9
#: Each step aims at this share of the remaining gap, and goes at most this far towards a weight of 0.
_AIM: Final = 0.1
_STEP: Final = 0.9
#: Far more steps than ever needed, which is about 20 and 10.
_STEPS: Final = 200
#: Newton's method has converged once the predicted improvement is less than this.
_NEAR: Final = 1e-12


def max_entropy_equilibrium(payoffs: Sequence[Sequence[float]]) -> tuple[float, ...]:
    """Return the Nash equilibrium of highest entropy of a symmetric zero-sum game; there is exactly one.

    The central path of the game's linear program ends in the middle of all equilibria, where everybody who is in any
    of them has a positive weight, and everybody else loses (strict complementarity: Goldman and Tucker 1956). That
    gives the support. Equilibria are the mixtures on it that nobody gains against, and Newton's method finds the most
    even one. The payoffs are what each row wins from each column, which the column must lose to the row.

    >>> max_entropy_equilibrium([[0, 1], [-1, 0]])
    (1.0, 0.0)
    """
    game = np.array(payoffs, dtype=float)
    if game.ndim != 2 or not game.size or game.shape[0] != game.shape[1] or not np.array_equal(game, -game.T):
        raise ConfigError("payoffs", payoffs, "a square matrix that is antisymmetric")
    largest = float(np.abs(game).max())
    if not largest:
        return (1 / len(game),) * len(game)
    game /= largest
    weights, slack = _central(game)
    inside = weights > slack
    mixed = np.zeros(len(game))
    mixed[inside] = _most_even(game[np.ix_(inside, inside)], game[np.ix_(~inside, inside)], weights[inside])
    # If somebody is all but indifferent, the support is unclear; then the end of the path is as good. So it is if
    # a mixture could not be found, whose weights are then no numbers.
    if not (mixed.min() >= 0 and (game @ mixed).max() <= 1e-7):
        mixed = weights / weights.sum()
    return tuple(mixed.tolist())


def _central(game: Floats) -> tuple[Floats, Floats]:
    """Return the end of the central path of "minimise the gap so that nobody gains more than it".

    The program is its own dual, so each weight has a slack, the gap less what that participant gains. On the path
    their products are the gap over n, and at its end exactly one of the two is zero.
    """
    count = len(game)
    weights = np.full(count, 1 / count)
    gap = 1.0
    slack = gap - game @ weights
    for _ in range(_STEPS):
        if gap < _GAP:
            break
        fall = (_AIM - 1) * gap
        system = np.diag(slack) - weights[:, None] * game
        change = np.linalg.solve(system, _AIM * gap / count - weights * slack - weights * fall)
        shift = fall - game @ change
        step = min(1.0, _STEP * _room(weights, change), _STEP * _room(slack, shift))
        weights, slack, gap = weights + step * change, slack + step * shift, gap + step * fall
    return weights, slack


def _most_even(even: Floats, others: Floats, start: Floats) -> Floats:
    """Return the mixture of highest entropy against which `even` win nothing and `others` nothing or less.

    Both have a row of payoffs for each participant. `start` is roughly such a mixture, to which all others lose.
    """
    bounds = np.vstack([even, np.ones(len(start))])
    left, sizes, right = np.linalg.svd(bounds)
    rank = int((sizes > _RANK * sizes[0]).sum())
    missed = np.append(np.zeros(len(even)), 1.0) - bounds @ start
    start = start + right[:rank].T @ ((left.T @ missed)[:rank] / sizes[:rank])
    free = right[rank:].T
    if not free.size or start.min() <= 0:
        return start
    mixed = _newton(start, free, others, 0.0)
    if not (others @ mixed > _GAP).any() or (others @ start >= 0).any():
        return mixed
    # Some of the others would gain. Lowering a barrier shows which of them win nothing in the end.
    begin = start
    for power in range(9):
        try:
            mixed = start = _newton(start, free, others, 10.0**-power)
        except np.linalg.LinAlgError:
            # Where many could gain, a high barrier presses some weights to 0: then a lower one begins anew.
            start = begin
    held = others @ mixed > -1e-4
    return _most_even(np.vstack([even, others[held]]), others[~held], mixed) if held.any() else mixed


def _newton(mixed: Floats, free: Floats, others: Floats, barrier: float) -> Floats:
    """Return the mixture of highest entropy, with a logarithmic barrier, by damped Newton's method."""

    def value(mixture: Floats) -> float:
        walls = -barrier * float(np.log(-(others @ mixture)).sum()) if barrier else 0.0
        return float(mixture @ np.log(mixture)) + walls

    for _ in range(_STEPS):
        slope = free.T @ (1 + np.log(mixed))
        curve = free.T @ (free / mixed[:, None])
        far = inf
        if barrier:
            walls, room = others @ free, -(others @ mixed)
            slope += barrier * walls.T @ (1 / room)
            curve += barrier * walls.T @ (walls / room[:, None] ** 2)
        way = -np.linalg.solve(curve, slope)
        change, fall = free @ way, float(slope @ way)
        if barrier:
            far = _room(room, -(others @ change))
        step = min(1.0, _STEP * _room(mixed, change), _STEP * far)
        # This near the end the error is squared with each step, and the value is too imprecise to judge by.
        near = fall > -_NEAR
        before = value(mixed)
        while not near and value(mixed + step * change) > before + 0.25 * step * fall:
            step /= 2
        mixed = mixed + step * change
        if near:
            break
    return mixed


def _room(values: Floats, change: Floats) -> float:
    """Return how many times the change can be applied before a value turns negative."""
    falling = change < 0
    return float((values[falling] / -change[falling]).min()) if falling.any() else inf
