"""Curves over the matches of a run: results, ratings and confidences, and winnings with and without luck."""

from collections.abc import Mapping
from itertools import accumulate, pairwise
from typing import Any, Final, TypeAlias

from molt_bench.plugins.view import rounded
from molt_bench.plugins.view.open_run import OpenRun
from molt_bench.records import GameRecord, MatchResult
from molt_bench.report.rows import interval, results_after
from molt_bench.specs import Pair

#: Big blinds that player A won, by kind.
_Won: TypeAlias = Mapping[str, list[float]]
#: The kinds of winnings; `used` is by the estimator that the result of a pairing is by, so it ends where that does.
_KINDS: Final = ("used", "raw", "showdown", "noShowdown")
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


def winnings_data(run: OpenRun) -> dict[str, Any]:
    """Return the cumulative winnings of every pairing by seed pair, and what each won so far after every match.

    That is per 100 hands, and all opponents that an agent has met count the same, as in the leaderboard: sums would
    show how often agents met. The reference of a gauntlet has no result of its own.
    """
    found = run.rows
    matches = found.result.matches
    shown = {*_shown(len(matches))}
    by_pair: dict[Pair, dict[str, list[float]]] = {}
    fields = {name: {*found.model.field_of(name)} for name in found.order if name != found.reference}
    sums: dict[Pair, dict[str, float]] = {}  # what a player won from an opponent, by kind, and the hands
    series: dict[str, dict[str, list[float | None]]] = {name: {kind: [] for kind in _KINDS} for name in fields}
    for count, match in enumerate(matches, start=1):
        won = _won(run, found.estimator, match)
        own = by_pair.setdefault(match.participants, {kind: [] for kind in _KINDS})
        a, b = match.participants
        for kind, values in won.items():
            own[kind] += values
        for sign, pair in ((1, (a, b)), (-1, (b, a))):
            so_far = sums.setdefault(pair, dict.fromkeys((*_KINDS, "hands"), 0.0))
            so_far["hands"] += sum(seed.nominal_hands for seed in match.seed_results)
            for kind, values in won.items():
                so_far[kind] += sign * sum(values)
        for name in fields if count in shown else ():
            met = [sums[name, other] for other in fields[name] if (name, other) in sums]
            for kind, column in series[name].items():
                rates = sorted(100 * each[kind] / each["hands"] for each in met)  # in any order, the sum is the same
                column.append(rounded(sum(rates) / len(rates)) if rates else None)
    return {
        "winnings": [
            {
                "a": a,
                "b": b,
                "estimator": found.estimator,
                **{kind: [rounded(each) for each in accumulate(values)] for kind, values in kinds.items()},
            }
            for (a, b), kinds in by_pair.items()
        ],
        "winRates": {"matches": sorted(shown), "series": [{"id": name, **kinds} for name, kinds in series.items()]},
    }


def _won(run: OpenRun, estimator: str, match: MatchResult) -> _Won:
    """Return the big blinds that player A won in each seed pair of a match, by kind."""
    big_blind, seeds = run.run.config.game.big_blind, match.seed_results
    played = [run.played[match.number, at] for at in range(len(seeds))]
    shown = [sum(_shown_down(game.record) for game in games) for games in played]
    margins = zip(match.margins[estimator], seeds, strict=True)
    return {
        "used": [margin * seed.nominal_hands / 1000 for margin, seed in margins],
        "raw": [seed.net / big_blind for seed in seeds],
        "showdown": [net / big_blind for net in shown],
        "noShowdown": [(seed.net - net) / big_blind for seed, net in zip(seeds, shown, strict=True)],
    }


def _shown_down(record: GameRecord) -> int:
    """Return the chips that player A won at showdown: in hands that did not end with a fold."""
    if record.both_failed:
        return 0  # such a game is a draw
    first = record.spec.warmup_hands
    hands = zip(record.hand_texts[first:], record.hand_nets[first:], strict=True)
    return sum([net for text, net in hands if text[text.rindex(":") - 1] not in "fF"])
