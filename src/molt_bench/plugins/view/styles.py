"""Playing styles in the terms of poker trackers, by agent, opponent and position."""

from typing import Any, Final, NamedTuple

from molt_bench.plugins.view import rounded
from molt_bench.plugins.view.open_run import OpenRun
from molt_bench.plugins.view.style_count import grouped
from molt_bench.poker.play_statistics import Ratio


class _Stat(NamedTuple):
    """A statistic: its field of a style, its name, the kind of number, and what it means."""

    key: str
    label: str
    kind: str
    about: str


_STATS: Final = (
    _Stat(
        "vpip",
        "VPIP",
        "share",
        "Voluntarily put money in the pot: called or raised before the flop, of the hands with a decision there. "
        "Posting a blind is not voluntary, and checking the big blind is not VPIP",
    ),
    _Stat("pfr", "PFR", "share", "Preflop raise: raised before the flop, of the hands with a decision there"),
    _Stat(
        "three_bet",
        "3-bet",
        "share",
        "Re-raised the first raise before the flop, of the times it faced that raise and could raise",
    ),
    _Stat("aggression_factor", "AF", "ratio", "Aggression factor: bets and raises per call, after the flop"),
    _Stat(
        "aggression_frequency",
        "AFq",
        "share",
        "Aggression frequency: bets and raises among bets, raises, calls and folds after the flop; checks do not count",
    ),
    _Stat(
        "c_bet",
        "C-bet",
        "share",
        "Continuation bet: made the first bet on the flop, of the times it had made the last raise before it and "
        "there was no bet yet",
    ),
    _Stat("fold_to_c_bet", "Fold to C-bet", "share", "Folded, of the times it faced such a bet"),
    _Stat(
        "wtsd",
        "WTSD",
        "share",
        "Went to showdown, of the hands that saw a flop; a board that is run out after an all-in counts as seen",
    ),
    _Stat("wsd", "W$SD", "share", "Won money at showdown, of the showdowns; a split pot counts as won"),
    _Stat("showdown_winnings", "Showdown bb/100", "bb100", "Won in hands with a showdown, per 100 of all hands"),
    _Stat("other_winnings", "Non-showdown bb/100", "bb100", "Won in hands without a showdown, per 100 of all hands"),
)


def styles_data(run: OpenRun) -> dict[str, Any]:
    """Return the styles of all, and the same by opponent and position as counts and chances.

    To count a hand takes longer than anything else that is shown of it, so pages ask for this by itself.
    """
    big_blind = run.run.config.game.big_blind
    groups = dict(sorted(run.styles().groups().items()))
    styles = grouped(groups, lambda group: group.player)
    order = [name for name in run.rows.order if name in styles]
    return {
        "styles": [
            {
                "id": name,
                "hands": styles[name].hands,
                "stats": [_stat(getattr(styles[name], stat.key), stat, big_blind) for stat in _STATS],
            }
            for name in order
        ],
        "styleGroups": [
            {
                **group._asdict(),
                "hands": style.hands,
                "counts": [_count(getattr(style, stat.key), stat, big_blind) for stat in _STATS],
                "of": [getattr(style, stat.key).of for stat in _STATS],
            }
            for group, style in groups.items()
        ],
    }


def _stat(ratio: Ratio, stat: _Stat, big_blind: int) -> dict[str, Any]:
    value = ratio.value
    if stat.kind == "bb100" and value is not None:
        value *= 100 / big_blind
    return {**stat._asdict(), "value": rounded(value), "count": _count(ratio, stat, big_blind), "of": ratio.of}


def _count(ratio: Ratio, stat: _Stat, big_blind: int) -> float | None:
    """Return how often something was done; or the big blinds that were won, which are counted in chips."""
    return rounded(ratio.count / big_blind if stat.kind == "bb100" else ratio.count)
