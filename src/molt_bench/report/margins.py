"""`margins.json`: the ranking, every pair by each estimator, and cycles."""

from itertools import combinations
from math import isfinite
from typing import Any

from molt_bench.luck.weights import luck_version
from molt_bench.rating.verdicts import Result
from molt_bench.report.analysis import Analysis
from molt_bench.specs import Pair


def margins(found: Analysis) -> dict[str, Any]:
    """Return everything the margins say: the ranking, and every pair by each estimator."""
    model, apart = found.model, found.unranked
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

    return {
        "unit": "thousandths of a big blind a hand",
        **({"reference": found.reference} if found.reference is not None else {}),
        "estimator": found.result.config.rating.estimator,
        "luck": luck_version(),
        "ranking": [
            {
                "id": name,
                **_interval(found.results[name]),
                "anchor": name in model.anchors and name not in found.left,
                **({"ranked": False} if name in apart else {}),
            }
            for name in found.by_result
        ],
        "pairs": [
            {"a": pair[0], "b": pair[1], "seedPairs": model.count(*pair), "estimators": estimators(pair)}
            for pair in combinations(model.participants, 2)
            if model.count(*pair)
        ],
        "cycles": [{"members": list(cycle.members), "sure": cycle.sure} for cycle in found.ranked_cycles],
    }


def _interval(known: Result | None) -> dict[str, float | None]:
    """Return a mean and its interval; nulls if nothing is known."""
    if known is None or not isfinite(known.mean):
        return {"mean": None, "halfWidth": None}
    return {"mean": known.mean, "halfWidth": known.half_width if isfinite(known.half_width) else None}
