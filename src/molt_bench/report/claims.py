"""Claims: what a run shows about who is better, what it does not, and how each number was measured."""

from collections.abc import Mapping
from itertools import combinations
from typing import Any, Final

from molt_bench.luck.coefficients import FROZEN, coefficients_hash
from molt_bench.rating.book import ESTIMATORS
from molt_bench.rating.margin import Estimate, MarginModel
from molt_bench.rating.payoffs import nash_averaging, payoff_matrix, significant_cycles, transitivity
from molt_bench.rating.sequence import SPREAD, radius, sure
from molt_bench.rating.verdicts import Verdict, surely, verdicts
from molt_bench.records import RunResult
from molt_bench.report.numbers import confidence_rule, margin_model, unranked

#: An interval as wide as this, in thousandths of a big blind a hand, says nothing at all.
_NOTHING_KNOWN: Final = 1e9


def neighbours(result: RunResult) -> tuple[Verdict, ...]:
    """Return the verdict on each two neighbours of the ranking by margins."""
    rule = confidence_rule(result)
    apart = unranked(result)
    return verdicts(margin_model(result), threshold=rule["threshold"], tie_margin=rule["tieMarginMbb"], apart=apart)


def sentences(result: RunResult) -> list[str]:
    """Say who is not ranked, what is not resolved, who is tied, and where ratings and margins disagree."""
    rule, apart = confidence_rule(result), unranked(result)
    said = [
        f"{name} is not ranked: it gave no usable answer in {found.unanswered:,} of {found.hands:,} hands."
        for name, found in apart.items()
    ]
    if rule["method"] != "margin" or not result.matches:
        return said
    found = neighbours(result)
    tied = [f"{each.above} and {each.below}" for each in found if each.kind == "tied"]
    unresolved = [f"{each.above} and {each.below} ({surely(each.sure)})" for each in found if each.kind == "unresolved"]
    if tied:
        said.append(f"Tied within {rule['tieMarginMbb'] / 10:g} bb/100: {', '.join(tied)}.")
    if unresolved:
        said.append(f"Not resolved, so no order is claimed: {', '.join(unresolved)}.")
    spread = SPREAD * rule["tieMarginMbb"]
    found_cycles = significant_cycles(margin_model(result), spread=spread, error=1 - rule["threshold"])
    cycles = [cycle for cycle in found_cycles if apart.keys().isdisjoint(cycle.members)]
    said += [f"A cycle: {' beats '.join([*cycle.members, cycle.members[0]])}." for cycle in cycles]
    by_rating = [rating.id for rating in result.leaderboard if rating.id not in apart]
    by_margin = [name for name in margin_model(result).ranking() if name not in apart]
    if by_rating != by_margin:
        said.append(f"By win rate against the field the order is {', '.join(by_margin)}; mu counts matches won.")
    return said


def margins(result: RunResult) -> dict[str, Any]:
    """Return everything the margins say: the ranking, its verdicts, and every pair by each estimator."""
    model, rule, apart = margin_model(result), confidence_rule(result), unranked(result)
    spread = SPREAD * rule["tieMarginMbb"]
    error = 1 - rule["threshold"]
    return {
        "unit": "thousandths of a big blind a hand",
        "estimator": result.config["rating"]["estimator"],
        "luckVersion": FROZEN.version,
        "luckHash": coefficients_hash(),
        "ranking": [
            {
                "id": name,
                **_interval(model.result(name)),
                "anchor": name in model.anchors,
                **({"ranked": False} if name in apart else {}),
            }
            for name in sorted(model.ranking(), key=lambda name: name in apart)
        ],
        "neighbours": [
            {
                "above": each.above,
                "below": each.below,
                "verdict": each.kind,
                "sure": each.sure,
                "posterior": each.lead.above(),
                "lead": _interval(each.lead),
            }
            for each in neighbours(result)
        ],
        "pairs": [
            {
                "a": first,
                "b": second,
                "seedPairs": model.count(first, second),
                "sure": sure(model.margin(first, second), spread),
                "certifiedHalfWidth": _finite(radius(model.margin(first, second), spread, error)),
                "estimators": _estimators(result, first, second),
            }
            for first, second in combinations(model.participants, 2)
            if model.count(first, second)
        ],
        **_structure(model, spread, error, apart),
    }


def _structure(model: MarginModel, spread: float, error: float, apart: Mapping[str, object]) -> dict[str, Any]:
    """Return what the pairs say together: whether skill explains them, who is in no one's reach, and cycles."""
    nash, transitive = nash_averaging(model), transitivity(model)
    return {
        "transitiveShare": {"measured": transitive.share, "withoutLuck": transitive.corrected},
        "nashAverage": None
        if nash is None
        else [{"id": name, "weight": nash.weights[name], "average": nash.averages[name]} for name in nash.weights],
        "payoffs": [
            [None if cell is None else {"mean": cell.mean, "halfWidth95": cell.half_width} for cell in row]
            for row in payoff_matrix(model, spread=spread).cells
        ],
        "cycles": [
            {"members": list(cycle.members), "sure": cycle.sure}
            for cycle in significant_cycles(model, spread=spread, error=error)
            if apart.keys().isdisjoint(cycle.members)
        ],
    }


def _estimators(result: RunResult, first: str, second: str) -> dict[str, Any]:
    """Return what each estimator says about a pair, and how much of the raw variance it leaves."""
    found = {}
    raw: float | None = None
    for name in ESTIMATORS:
        model = margin_model(result, name)
        own = model.own_variance(first, second)
        raw = own if name == "raw" else raw
        ratio = own / raw if own is not None and raw else None
        found[name] = {**_interval(model.margin(first, second)), "varianceRatio": ratio}
    return found


def _interval(known: Estimate) -> dict[str, float | None]:
    return {"mean": known.mean, "halfWidth95": _finite(known.half_width())}


def _finite(value: float) -> float | None:
    """Return null in place of a number that says nothing."""
    return value if value < _NOTHING_KNOWN else None
