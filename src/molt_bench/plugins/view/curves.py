"""Curves over the matches of a run: results, ratings and confidences, and winnings with and without luck."""

from itertools import accumulate, pairwise
from typing import Any, Final

from molt_bench.plugins.view import rounded
from molt_bench.plugins.view.open_run import OpenRun
from molt_bench.report.rows import interval, results_after
from molt_bench.specs import Pair

#: Points of a curve: more than these can hardly be seen.
_MOST_POINTS: Final = 200


def _shown(matches: int) -> list[int]:
    """Return the numbers of matches after which a curve has a point: all, or some and the last."""
    step = max(1, -(-matches // _MOST_POINTS))
    return sorted({*range(step, matches + 1, step), matches} - {0})


def convergence_data(run: OpenRun) -> dict[str, Any]:
    """Return all results and ratings, and how sure the order was, after every match."""
    found = run.rows
    shown = _shown(len(found.result.matches))
    steps = [found.result.convergence[count - 1] for count in shown]
    results = results_after(found, {*shown})
    ratings = [{rating.id: rating for rating in step.ratings} for step in steps]
    sures = [dict(zip(pairwise(step.ranking), step.confidences, strict=True)) for step in steps]
    series = []
    for name in found.order:
        rates = [interval(each.get(name)) for each in results]
        series.append(
            {
                "id": name,
                "mu": [rounded(each[name].mu) for each in ratings],
                "sigma": [rounded(each[name].sigma) for each in ratings],
                "bb100": [mean for mean, _ in rates],
                "halfWidth": [half for _, half in rates],
            }
        )
    return {
        "matches": [step.match for step in steps],
        "series": series,
        # How sure the order of those who are neighbours at the end was, where they were neighbours.
        "confidence": [
            {
                "above": above,
                "below": below,
                "sure": [rounded(each.get((above, below), each.get((below, above)))) for each in sures],
            }
            for above, below in (pairwise(steps[-1].ranking) if steps else ())
        ],
    }


def winnings_data(run: OpenRun) -> list[dict[str, Any]]:
    """Return the cumulative winnings of every pairing by seed pair, in big blinds: as dealt, and as the results are."""
    rows, big_blind = run.rows, run.run.config.game.big_blind
    won: dict[Pair, tuple[list[float], list[float]]] = {}
    for match in rows.result.matches:
        raw, used = won.setdefault(match.participants, ([], []))
        for seed, margin in zip(match.seed_results, match.margins[rows.estimator], strict=True):
            raw.append(seed.net / big_blind)
            used.append(margin * seed.nominal_hands / 1000)
    return [
        {"a": a, "b": b, "estimator": rows.estimator, "raw": _summed(raw), "used": _summed(used)}
        for (a, b), (raw, used) in won.items()
    ]


def _summed(values: list[float]) -> list[float | None]:
    return [rounded(each) for each in accumulate(values)]
