"""What two win from each other, by each estimator."""

from itertools import combinations
from math import isfinite
from typing import Any

from molt_bench.rating.verdicts import Result
from molt_bench.report.analysis import Analysis
from molt_bench.specs import Pair


def pairs(found: Analysis) -> list[dict[str, Any]]:
    """Return what is known of all pairs that have met, in thousandths of a big blind per hand."""
    model = found.model
    # What each estimator says of every two.
    between = {
        name: {(each.above, each.below): each for each in found.judge.head_to_head(other)}
        for name, other in found.models.items()
    }

    def estimators(pair: Pair) -> dict[str, Any]:
        """Return what each estimator says about a pair, and how much of the raw variance it leaves."""
        raw, shown = found.models["raw"].own_variance(*pair), {}
        for name, verdicts in between.items():
            own, won = found.models[name].own_variance(*pair), verdicts.get(pair)
            turned = verdicts.get(pair[::-1]) if won is None else None
            lead = won.lead if won is not None else 0.0 - turned.lead if turned is not None else 0.0
            known = won or turned
            shown[name] = {
                **_interval(None if known is None else Result(lead, known.half_width)),
                "varianceRatio": own / raw if own is not None and raw else None,
            }
        return shown

    return [
        {"a": pair[0], "b": pair[1], "seedPairs": model.count(*pair), "estimators": estimators(pair)}
        for pair in combinations(model.participants, 2)
        if model.count(*pair)
    ]


def _interval(known: Result | None) -> dict[str, float | None]:
    """Return a mean and its interval; nulls if nothing is known."""
    if known is None or not isfinite(known.mean):
        return {"mean": None, "halfWidth": None}
    return {"mean": known.mean, "halfWidth": known.half_width if isfinite(known.half_width) else None}
