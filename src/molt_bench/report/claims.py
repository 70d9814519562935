"""Claims: what a run shows about who is better, what it does not, and how each number was measured."""

from collections.abc import Mapping
from itertools import combinations
from math import isfinite
from typing import Any, Final

from molt_bench.luck.coefficients import FROZEN, coefficients_hash
from molt_bench.rating.book import ESTIMATORS
from molt_bench.rating.margin import MarginModel
from molt_bench.rating.payoffs import nash_averaging, payoff_matrix, significant_cycles, transitivity
from molt_bench.rating.sequence import SPREAD, radius, sure
from molt_bench.rating.student import Estimate
from molt_bench.rating.verdicts import Verdict, surely, verdicts
from molt_bench.records import RunResult
from molt_bench.report.numbers import confidence_rule, margin_model, participant_numbers, unranked

#: An interval as wide as this, in thousandths of a big blind a hand, says nothing at all.
_NOTHING_KNOWN: Final = 1e9


def neighbours(result: RunResult) -> tuple[Verdict, ...]:
    """Return the verdict on each two neighbours of the ranking by margins."""
    rule = confidence_rule(result)
    apart = unranked(result)
    return verdicts(margin_model(result), threshold=rule["threshold"], tie_margin=rule["tieMarginMbb"], apart=apart)


def sentences(result: RunResult) -> list[str]:
    """Say who is not ranked, whose result is not complete, what is not resolved, who is tied, and what disagrees."""
    rule, apart = confidence_rule(result), unranked(result)
    if not result.matches:
        return []
    incomplete = met_so_far(result)
    said = [
        f"{name} is not ranked: it gave no usable answer in {found.unanswered:,} of {found.hands:,} hands."
        for name, found in apart.items()
    ]
    said += [*_decks(result), *([incomplete] if incomplete else [])]
    if rule["method"] != "margin":
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
    if by_rating != by_margin and not incomplete:
        said.append(f"By win rate against the field the order is {', '.join(by_margin)}; mu counts matches won.")
    return said


def _decks(result: RunResult) -> list[str]:
    """Say who was dealt other cards in each seating, and who was trusted to forget."""
    own = {name for match in result.matches if match.result.own_decks for name in match.participants}
    said = []
    remembering = [
        each["id"]
        for each in result.config["participants"]
        if each["id"] in own and not each.get("isolated", each["type"] != "http")
    ]
    trusted = [each["id"] for each in result.config["participants"] if each["type"] == "http" and each.get("isolated")]
    if remembering:
        who = f"{', '.join(remembering)}, which may remember"
        said.append(f"Each seating has decks of its own in games of {who}; in all others swapped seats share them.")
    if trusted:
        said.append(f"Swapped seats share their decks in games of {', '.join(trusted)}, declared to forget (isolated).")
    return said


def way_on(result: RunResult) -> str | None:
    """Return the flags by which `resume` goes on with a run that ended before every order was known; None for none."""
    if confidence_rule(result)["method"] != "margin" or all(each.kind != "unresolved" for each in neighbours(result)):
        return None
    budget, reason = result.config["stop"]["budget"] or {}, result.stop_reason
    if reason.startswith("the top"):
        return "--set stop.topkStable=null"
    for field, flag, words in _LIMITS:
        limit = budget.get(field)
        if limit is not None and reason.startswith(f"the budget of {words.format(limit)} "):
            return f"{flag}{2 * limit:.10g}"
    return None


#: The limits of a budget, the flag that changes each, and how a stop rule speaks of it.
_LIMITS: Final = (
    ("maxMatches", "--max-matches ", "{:,} matches"),
    ("maxGames", "--set stop.budget.maxGames=", "{:,} games"),
    ("maxHands", "--set stop.budget.maxHands=", "{:,} hands"),
    ("maxSeconds", "--set stop.budget.maxSeconds=", "{:g} seconds"),
    ("maxCostUsd", "--set stop.budget.maxCostUsd=", "${:,.10g}"),
    ("maxTokens", "--set stop.budget.maxTokens=", "{:,} tokens"),
)


def met_so_far(result: RunResult) -> str | None:
    """Say whose bb/100 is only over the opponents met so far, and who has not played; None where all have met all."""
    rows = participant_numbers(result)
    partly = [
        f"{row.rating.id} ({row.met[0]} of {row.met[1]})" for row in rows if row.met is not None and row.rating.matches
    ]
    absent = [row.rating.id for row in rows if not row.rating.matches]
    said = [f"bb/100 is only over the opponents met so far for {', '.join(partly)}"] if partly else []
    said += [f"{', '.join(absent)} {'has' if len(absent) == 1 else 'have'} not played"] if absent else []
    return f"{'; '.join(said)}." if said else None


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
                **_interval(model.so_far(name)),
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
                "lead": _interval(each.lead if isfinite(each.lead.scale) else None),
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


def _interval(known: Estimate | None) -> dict[str, float | None]:
    """Return a mean and its interval; nothing at all of what is not known."""
    if known is None:
        return {"mean": None, "halfWidth95": None}
    return {"mean": known.mean, "halfWidth95": _finite(known.half_width())}


def _finite(value: float) -> float | None:
    """Return null in place of a number that says nothing."""
    return value if value < _NOTHING_KNOWN else None
