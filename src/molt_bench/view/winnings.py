"""Winnings over time: as dealt, with and without showdown, with all-in luck removed, and as in the result."""

from itertools import accumulate
from typing import Any, Final

from molt_bench.bench.result import PlayedMatch
from molt_bench.records import GameRecord
from molt_bench.report.analysis import Analysis
from molt_bench.specs import Pair
from molt_bench.view import rounded
from molt_bench.view.open_run import OpenRun

#: The kinds of winnings; `used` is by the estimator that the result of a pairing is by, so it ends where that does.
_KINDS: Final = ("used", "raw", "allIn", "showdown", "noShowdown")
#: Points of a curve: more than these cannot be seen.
_MOST_POINTS: Final = 400


def winnings_data(run: OpenRun, found: Analysis) -> list[dict[str, Any]]:
    """Return the cumulative winnings of every pairing in big blinds, by seed pair and kind."""
    sums: dict[Pair, dict[str, list[float]]] = {}
    for match in found.result.matches:
        own = sums.setdefault(match.participants, {key: [] for key in _KINDS})
        for key, values in _won(run, found, match).items():
            own[key] += values
    return [
        {
            "a": a,
            "b": b,
            "estimator": found.estimators[a, b],
            **{key: [rounded(each) for each in accumulate(values)] for key, values in columns.items()},
        }
        for (a, b), columns in sums.items()
    ]


def totals_data(run: OpenRun, found: Analysis) -> dict[str, Any]:
    """Return what each participant has won from all others together after every match, in big blinds, by kind.

    Of many matches, not all.
    """
    matches = found.result.matches
    ids = found.order
    curves = {name: {key: [0.0] for key in _KINDS} for name in ids}
    for match in matches:
        a, b = match.participants
        won = {key: sum(values) for key, values in _won(run, found, match).items()}
        for name in ids:
            sign = (name == a) - (name == b)
            for key, values in curves[name].items():
                values.append(values[-1] + sign * won[key])
    step = max(1, -(-len(matches) // _MOST_POINTS))
    shown = sorted({*range(0, len(matches) + 1, step), len(matches)})
    return {
        "matches": shown,
        "series": [
            {"id": name, **{key: [rounded(values[at]) for at in shown] for key, values in curves[name].items()}}
            for name in ids
        ],
    }


def _won(run: OpenRun, found: Analysis, match: PlayedMatch) -> dict[str, list[float]]:
    """Return the big blinds that player A won in each seed pair of a match, by kind."""
    big_blind, seeds = run.config.game.big_blind, match.result.seed_results
    shown = _at_showdown(run, match.number)
    raw = [seed.net for seed in seeds]
    won = {
        "raw": [net / big_blind for net in raw],
        "showdown": [net / big_blind for net in shown],
        "noShowdown": [(net - own) / big_blind for net, own in zip(raw, shown, strict=True)],
    }
    for key, name in (("allIn", "allIn"), ("used", found.estimators[match.participants])):
        margins = zip(match.margins[name], seeds, strict=True)
        won[key] = [margin * seed.nominal_hands / 1000 for margin, seed in margins]
    return won


def _at_showdown(run: OpenRun, number: int) -> list[int]:
    """Return the chips that player A won at showdown in each seed pair of a match; they are counted once."""
    known = run.at_showdown.get(number)
    if known is None:
        sides = [run.played(number, seed) for seed in run.seeds_of(number)]
        known = run.at_showdown[number] = [sum([_shown_down(game.record) for game in games]) for games in sides]
    return known


def _shown_down(record: GameRecord) -> int:
    """Return the chips that player A won at showdown: in hands that did not end with a fold."""
    if record.both_failed:
        return 0  # such a game is a draw
    first = record.spec.warmup_hands
    hands = zip(record.hand_texts[first:], record.hand_nets[first:], strict=True)
    return sum([net for text, net in hands if text[text.rindex(":") - 1] not in "fF"])
