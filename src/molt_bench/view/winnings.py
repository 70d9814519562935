"""Winnings over time: as dealt, with and without showdown, with all-in luck removed, and as in the result."""

from collections.abc import Mapping, Sequence
from itertools import accumulate, permutations
from typing import Any, Final

from molt_bench.records import GameRecord, MatchResult
from molt_bench.report.rows import Rows
from molt_bench.specs import Pair
from molt_bench.view import rounded
from molt_bench.view.open_run import OpenRun

#: The kinds of winnings; `used` is by the estimator that the result of a pairing is by, so it ends where that does.
_KINDS: Final = ("used", "raw", "showdown", "noShowdown")
#: Points of a curve: more than these cannot be seen.
MOST_POINTS: Final = 400


def winnings_data(run: OpenRun, rows: Rows) -> list[dict[str, Any]]:
    """Return the cumulative winnings of every pairing in big blinds, by seed pair and kind."""
    found, sums = rows.found, dict[Pair, dict[str, list[float]]]()
    for match in found.result.matches:
        own = sums.setdefault(match.participants, {key: [] for key in _KINDS})
        for key, values in _won(run, found.estimator, match).items():
            own[key] += values
    return [
        {
            "a": a,
            "b": b,
            "estimator": found.estimator,
            **{key: [rounded(each) for each in accumulate(values)] for key, values in columns.items()},
        }
        for (a, b), columns in sums.items()
    ]


def rates_data(run: OpenRun, rows: Rows) -> dict[str, Any]:
    """Return what each participant has won per 100 hands after every match, in big blinds, by kind.

    All opponents that it has met count the same, as in the leaderboard: sums would show who met whom how often. Of many
    matches, not all are returned. The reference of a gauntlet has no result of its own.
    """
    found = rows.found
    matches = found.result.matches
    ids = [name for name in found.order if name != found.reference]
    rates = {name: _Rates(found.model.field_of(name)) for name in ids}
    step = max(1, -(-len(matches) // MOST_POINTS))
    shown = sorted({*range(step, len(matches) + 1, step), len(matches)})
    for at, match in enumerate(matches, start=1):
        won = {key: sum(values) for key, values in _won(run, found.estimator, match).items()}
        hands = sum(seed.nominal_hands for seed in match.seed_results)
        for sign, (name, other) in zip((1, -1), permutations(match.participants), strict=True):
            if name in rates:
                rates[name].add(other, {key: sign * value for key, value in won.items()}, hands)
        if at in shown:
            for each in rates.values():
                each.keep()
    return {"matches": shown, "series": [{"id": name, **rates[name].kept} for name in ids]}


class _Rates:
    """What one participant has won per 100 hands so far, by kind, with the same weight for each of its field."""

    def __init__(self, field: Sequence[str]) -> None:
        self._sums = {other: dict.fromkeys(_KINDS, 0.0) for other in field}
        self._hands = dict.fromkeys(field, 0)
        self.kept: dict[str, list[float | None]] = {key: [] for key in _KINDS}

    def add(self, other: str, won: Mapping[str, float], hands: int) -> None:
        """Add a match; one against an opponent outside the field does not count."""
        if other in self._hands:
            self._hands[other] += hands
            for key, value in won.items():
                self._sums[other][key] += value

    def keep(self) -> None:
        """Keep the rates as they are now; there are none before the first match."""
        met = [other for other, hands in self._hands.items() if hands]
        for key, column in self.kept.items():
            each = [100 * self._sums[other][key] / self._hands[other] for other in met]
            column.append(rounded(sum(each) / len(each)) if each else None)


def _won(run: OpenRun, estimator: str, match: MatchResult) -> dict[str, list[float]]:
    """Return the big blinds that player A won in each seed pair of a match, by kind."""
    big_blind, seeds = run.config.game.big_blind, match.seed_results
    shown = _at_showdown(run, match.number)
    raw = [seed.net for seed in seeds]
    won = {
        "raw": [net / big_blind for net in raw],
        "showdown": [net / big_blind for net in shown],
        "noShowdown": [(net - own) / big_blind for net, own in zip(raw, shown, strict=True)],
    }
    margins = zip(match.margins[estimator], seeds, strict=True)
    won["used"] = [margin * seed.nominal_hands / 1000 for margin, seed in margins]
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
