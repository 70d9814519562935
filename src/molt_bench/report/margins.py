"""`margins.json`: everything that the margins say: the ranking, its verdicts, and every pair by each estimator."""

from collections.abc import Mapping
from itertools import combinations
from math import isfinite
from typing import Any

from molt_bench.bench.suspicion import Difference
from molt_bench.luck.coefficients import VERSION, coefficients_hash
from molt_bench.rating.payoffs import Transitivity, transitivity
from molt_bench.rating.student import Estimate
from molt_bench.rating.verdicts import Verdict
from molt_bench.report.analysis import Analysis
from molt_bench.report.win_rates import NOTHING_KNOWN
from molt_bench.specs import Pair


def margins(found: Analysis) -> dict[str, Any]:
    """Return everything the margins say: the ranking, its verdicts, and every pair by each estimator."""
    model, apart, known = found.model, found.unranked, found.result.suspicion
    return {
        "unit": "thousandths of a big blind a hand",
        **({"reference": found.reference} if found.reference is not None else {}),
        "estimator": found.result.config.rating.estimator,
        "luckVersion": VERSION,
        "luckHash": coefficients_hash(),
        "ranking": [
            {
                "id": name,
                **_interval(model.so_far(name)),
                "anchor": name in model.anchors and name not in found.left,
                **({"ranked": False} if name in apart else {}),
                **_difference(known.participants.get(name)),
            }
            for name in found.by_result
        ],
        "suspicion": {
            "suspects": list(known.suspects),
            "doubted": list(known.doubted),
            "bound": round(known.bound, 6),
        },
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
                "estimator": found.estimators.get((first, second)) or found.estimators[second, first],
                "sure": found.judge.sure(model.margin(first, second)),
                "certifiedHalfWidth": _finite(found.judge.radius(model.margin(first, second))),
                "estimators": _estimators(found, first, second),
                **_difference(_between(known.pairs, first, second)),
            }
            for first, second in combinations(model.participants, 2)
            if model.count(first, second)
        ],
        **_structure(found),
    }


def _between(known: Mapping[Pair, Difference], first: str, second: str) -> Difference | None:
    """Return the difference of a pairing as the first of the two sees it."""
    turned = known.get((second, first))
    if turned is None:
        return known.get((first, second))
    return Difference(turned.seed_pairs, -turned.mean, -turned.z, turned.evidence)


def _difference(known: Difference | None) -> dict[str, Any]:
    """Return by how much raw results are above those without luck, and how much evidence that is."""
    if known is None:
        return {}
    values = {"mean": known.mean, "z": known.z, "evidence": known.evidence}
    return {"rawMinusEstimator": {name: round(value, 6) for name, value in values.items()}}


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
