"""Multinomial logits: how likely each class of action is, by features of a decision; fitted to odds or to draws."""

from functools import cache
from math import exp
from typing import Final

import numpy as np

from molt_bench.plugins.lookahead.features import ONE
from molt_bench.poker.arrays import Flags, Floats, Ints

#: Exponents below this are as good as nothing: a chance of one in 160,000.
_LEAST: Final = -12 * ONE
#: Steps of a fit at most, and the change of a weight at which it ends.
_STEPS: Final = 25
_CLOSE: Final = 1e-4
#: Conjugate gradients of a step.
_GRADIENTS: Final = 12
#: How often a step is halved that leads away.
_HALVED: Final = 8


#: Rows that are multiplied at once: with more, linear algebra would start threads, which on a busy machine take longer.
_TOGETHER: Final = 200


def _in_batches(rows: Floats) -> Floats:
    """Return rows some at a time, the last ones filled up with 0."""
    count = -(-len(rows) // _TOGETHER)
    found = np.zeros((count * _TOGETHER, *rows.shape[1:]))
    found[: len(rows)] = rows
    return found.reshape(count, _TOGETHER, *rows.shape[1:])


@cache
def _exponentials() -> Floats:
    """Return exp(-n / 1000) for whole numbers n, rounded, so that it is the same on every machine."""
    return np.array([round(exp(number / ONE), 12) for number in range(0, _LEAST - 1, -1)])


def odds_of(features: Ints, weights: Ints, legal: Flags) -> Floats:
    """Return the odds of each class at some decisions, by weights in thousandths.

    Sums of whole numbers are exact in any order; exponentials are looked up.
    """
    sums = np.matmul(_in_batches(features.astype(float)), weights.astype(float))
    exponents = sums.reshape(-1, weights.shape[1])[: len(features)] // ONE
    exponents[~legal] = -np.inf
    exponents -= exponents.max(axis=1)[:, None]
    chances = _exponentials()[-np.maximum(exponents, _LEAST).astype(np.int64)] * legal
    total = chances[:, 0].copy()
    for column in chances.T[1:]:
        total += column
    found: Floats = chances / total[:, None]
    return found


def fitted(features: Ints, wanted: Floats, legal: Flags, *, centre: Floats, hold: float) -> Floats:
    """Return the weights that suit decisions best: ridge regression, by Newton's method with conjugate gradients.

    Args:
        features: In thousandths, a row for each decision.
        wanted: The odds of each class, or 1 for the one that was drawn.
        legal: Which classes there were.
        centre: Weights, by feature and class, that they are held to.
        hold: How strongly they are held.
    """
    rows = _in_batches(features / ONE)
    turned = rows.transpose(0, 2, 1)
    wanted, legal = _in_batches(wanted), _in_batches(legal.astype(float)) > 0
    near = np.linalg.inv((turned @ rows).sum(axis=0) / len(wanted[0, 0]) + hold * np.eye(rows.shape[2]))
    weights = centre
    chances, loss = _chances(rows, weights, wanted, legal)
    for _ in range(_STEPS):
        slope = (turned @ (chances - wanted)).sum(axis=0) + hold * (weights - centre)
        step = _step(rows, turned, chances, slope, near, hold)
        for _ in range(_HALVED):
            tried = weights - step
            found, less = _chances(rows, tried, wanted, legal)
            held = hold / 2 * float(((tried - centre) ** 2).sum() - ((weights - centre) ** 2).sum())
            if less + held <= loss:
                break
            step = step / 2
        else:
            break
        weights, chances, loss = tried, found, less
        if abs(step).max() < _CLOSE:
            break
    return weights


def _step(rows: Floats, turned: Floats, chances: Floats, slope: Floats, near: Floats, hold: float) -> Floats:
    """Return the step of Newton's method: conjugate gradients, with `near` for the inverse of the curvature."""
    step, rest = np.zeros_like(slope), slope
    to = guessed = near @ rest
    size = float((rest * guessed).sum())
    for _ in range(_GRADIENTS):
        if not size > 0:
            break
        along = rows @ to
        along = chances * (along - (chances * along).sum(axis=-1, keepdims=True))
        curved = (turned @ along).sum(axis=0) + hold * to
        far = size / float((to * curved).sum())
        step, rest = step + far * to, rest - far * curved
        guessed = near @ rest
        size, before = float((rest * guessed).sum()), size
        to = guessed + size / before * to
    return step


def _chances(rows: Floats, weights: Floats, wanted: Floats, legal: Flags) -> tuple["Floats", float]:
    """Return the odds of each class, and how badly they suit."""
    exponents = np.where(legal, rows @ weights, -np.inf)
    exponents -= np.maximum(exponents.max(axis=-1), -1e9)[..., None]
    chances = np.exp(exponents)
    total = np.maximum(chances.sum(axis=-1), 1e-300)
    chances /= total[..., None]
    likely = np.where(legal, exponents, 0.0) - np.log(total)[..., None]
    return chances, -float((wanted * likely * legal).sum())
