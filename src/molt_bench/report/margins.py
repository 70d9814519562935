"""`margins.json`: everything that the margins say: the ranking, its verdicts, and every pair by each estimator."""

from itertools import combinations
from math import isfinite
from typing import Any

from molt_bench.luck.weights import luck_version
from molt_bench.rating.payoffs import Transitivity, transitivity
from molt_bench.rating.student import Estimate
from molt_bench.rating.verdicts import Verdict
from molt_bench.report.analysis import Analysis
from molt_bench.report.win_rates import NOTHING_KNOWN


def margins(found: Analysis) -> dict[str, Any]:
    """Return everything the margins say: the ranking, its verdicts, and every pair by each estimator."""
    model, apart = found.model, found.unranked
    return {
        "unit": "thousandths of a big blind a hand",
        **({"reference": found.reference} if found.reference is not None else {}),
        "estimator": found.result.config.rating.estimator,
        "luck": luck_version(),
        "ranking": [
            {
                "id": name,
                **_interval(model.so_far(name)),
                "anchor": name in model.anchors and name not in found.left,
                **({"ranked": False} if name in apart else {}),
            }
            for name in found.by_result
        ],
        "neighbours": [
            {
                "above": each.above,
                "below": each.below,
                "verdict": each.kind,
                "sure": each.sure,
                "posterior": each.lead.above(),
                "lead": _lead(found, each),
            }
            for each in found.neighbours
        ],
        "pairs": [
            {
                "a": first,
                "b": second,
                "seedPairs": model.count(first, second),
                "sure": found.judge.sure(model.margin(first, second)),
                "certifiedHalfWidth": _finite(found.judge.radius(model.margin(first, second))),
                "estimators": _estimators(found, first, second),
            }
            for first, second in combinations(model.participants, 2)
            if model.count(first, second)
        ],
        **_structure(found),
    }


def _structure(found: Analysis) -> dict[str, Any]:
    """Return what the pairs say together: how far skill explains them, payoffs and cycles."""
    # Without a gauntlet: it needs pairs without the reference.
    transitive = transitivity(found.model) if found.reference is None else Transitivity(None, None)
    return {
        "transitiveShare": {"measured": transitive.share, "withoutLuck": transitive.corrected},
        "payoffs": [
            [None if cell is None else {"mean": cell.mean, "halfWidth95": cell.half_width} for cell in row]
            for row in found.payoffs.cells
        ],
        "cycles": [{"members": list(cycle.members), "sure": cycle.sure} for cycle in found.ranked_cycles],
    }


def _estimators(found: Analysis, first: str, second: str) -> dict[str, Any]:
    """Return what each estimator says about a pair, and how much of the raw variance it leaves."""
    raw = found.models["raw"].own_variance(first, second)
    shown = {}
    for name, model in found.models.items():
        own = model.own_variance(first, second)
        ratio = own / raw if own is not None and raw else None
        shown[name] = {**_interval(model.margin(first, second)), "varianceRatio": ratio}
    return shown


def _interval(known: Estimate | None) -> dict[str, float | None]:
    """Return a mean and its interval; nulls if nothing is known."""
    if known is None:
        return {"mean": None, "halfWidth95": None}
    return {"mean": known.mean, "halfWidth95": _finite(known.half_width())}


def _lead(found: Analysis, verdict: Verdict) -> dict[str, float | None]:
    """Return the lead of one over the next as measured, and shrunk if an order is claimed."""
    lead = verdict.lead if isfinite(verdict.lead.scale) else None
    return {**_interval(lead), "shrunk": None if lead is None else found.shrunk_lead(verdict)}


def _finite(value: float) -> float | None:
    """Return None in place of a number that says nothing."""
    return value if value < NOTHING_KNOWN else None
