"""A run in progress: what is being played, how much of its budget is used, and how long it may still take."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from molt_bench.view import rounded
from molt_bench.view.open_run import OpenRun

#: Matches in progress that are named.
_NAMED: Final = 6
#: Least share of a budget that an estimate of the time to go is made from.
_LEAST_SHARE: Final = 0.01


def progress_data(run: OpenRun) -> dict[str, Any] | None:
    """Return where a run in progress stands; None if it is not in progress."""
    if run.status != "running":
        return None
    played = Counter(match for match, _, _ in run.games)
    wanted = {match: 2 * len(run.seeds_of(match)) for match in run.pairs}
    complete = sum([played[match] == games for match, games in wanted.items()])
    current = [match for match in sorted(run.pairs) if played[match] < wanted[match]]
    budgets = [*_budgets(run, complete, sum([played[match] / wanted[match] for match in wanted]))]
    left = sorted([(seconds, each["label"]) for each in budgets if (seconds := _time_left(run, each)) is not None])
    first, label = left[0] if left else (None, None)
    stop = run.config.stop
    return {
        "matches": [
            {"match": match, "a": a, "b": b, "games": played[match], "of": wanted[match]}
            for match in current[:_NAMED]
            for a, b in [run.pairs[match]]
        ],
        "moreMatches": max(0, len(current) - _NAMED),
        "underWay": _under_way(run),
        "budgets": budgets,
        "seconds": rounded(run.elapsed_s),
        "secondsLeft": rounded(first),
        "spentFirst": label,
        "endsWhenSure": stop.adjacent_confidence is not None or stop.topk_stable is not None,
        "usd": rounded(run.spending.usd) if run.config.models() else None,
        "unpriced": bool(run.config.models()) and run.spending.unpriced,
    }


def _budgets(run: OpenRun, complete: int, matches: float) -> Iterator[dict[str, Any]]:
    """Return each limit of a run, and how much of it is used; `matches` also counts parts of matches."""
    budget = run.config.stop.budget
    if budget is None:
        return
    hands = sum([game.record.dealt for game in run.games.values()])
    for label, used, limit in (
        ("matches", complete, budget.max_matches),
        ("games", len(run.games), budget.max_games),
        ("hands", hands, budget.max_hands),
        ("seconds", run.elapsed_s, budget.max_seconds),
        ("dollars", run.spending.usd, budget.max_cost_usd),
        ("tokens", run.spending.tokens, budget.max_tokens),
    ):
        if limit is not None:
            share = min(1.0, (matches if label == "matches" else used) / limit) if limit else 1.0
            yield {"label": label, "used": rounded(used), "limit": limit, "share": rounded(share)}


def _time_left(run: OpenRun, budget: dict[str, Any]) -> float | None:
    """Return the seconds until a budget is used up, if it goes on as it did; None if it is too early to say."""
    share = budget["share"]
    if budget["label"] == "seconds":
        return max(0.0, float(budget["limit"]) - run.elapsed_s)
    return None if share < _LEAST_SHARE else run.elapsed_s * (1 - share) / share


def _under_way(run: OpenRun) -> dict[str, Any] | None:
    """Return how many games models are playing, who of them, and the hand that began last; None if there is none."""
    places = [place for place in run.exchanges if place[0] >= 1 and place[:3] not in run.games]
    if not places:
        return None
    asked = {exchange.participant: None for place in places for exchange, _ in run.exchanges[place][:1]}
    match, _, _, hand = places[-1]
    return {"games": len({place[:3] for place in places}), "agents": [*asked], "match": match, "hand": hand}
