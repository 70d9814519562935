"""Convergence: how ratings, ranking and confidences changed with every match.

Each match has what it changed, so that a file grows with that and not with the square of everything.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

from molt_bench.bench.result import RunResult
from molt_bench.specs import Pair

#: Decimals of a confidence. A change that does not show in these is not written.
_DECIMALS: Final = 4


def convergence(result: RunResult) -> list[dict[str, Any]]:
    """Return what every match changed."""
    steps, ratings, known = [], dict[str, Any](), dict[Pair, float]()
    ranking: tuple[str, ...] = ()
    for step in result.convergence:
        new = [each for each in step.ratings if ratings.get(each.id) != each]
        ratings.update((each.id, each) for each in new)
        neighbours = dict(
            zip(pairwise(step.ranking), (round(each, _DECIMALS) for each in step.confidences), strict=True)
        )
        sure = [(pair, each) for pair, each in neighbours.items() if known.get(pair) != each]
        steps.append(
            {
                "match": step.match,
                "ratings": [{"id": each.id, "mu": each.mu, "sigma": each.sigma} for each in new],
                **_moves(ranking, step.ranking, [each.id for each in new]),
                "confidences": [{"above": above, "below": below, "confidence": each} for (above, below), each in sure],
            }
        )
        ranking, known = step.ranking, neighbours
    return steps


def _moves(before: Sequence[str], after: Sequence[str], rated: Sequence[str]) -> dict[str, Any]:
    """Return how a ranking changed: nothing, where those who played have gone to, or else all of it."""
    if before == after:
        return {}
    here = {*rated}
    if [each for each in before if each not in here] != [each for each in after if each not in here]:
        return {"ranking": [*after]}
    return {"moved": [{"id": each, "to": at} for at, each in enumerate(after) if each in here]}
