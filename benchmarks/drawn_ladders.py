"""Ladders of drawn players, made after the planner was fixed: for measuring plans alone, and looked at once."""

from functools import partial

from bots import Bot
from ladders import Plan


def _tabled(first: int, count: int, wild: float, *, publish: bool = False) -> dict[str, Bot]:
    draws = range(first, first + count)
    return {f"drawn {draw}": Bot("tabled", reads={"draw": draw, "wild": wild, "publish": publish}) for draw in draws}


def _stubborn(holds: float, grip: float, size: int) -> Bot:
    return Bot("stubborn", reads={"holds": holds, "grip": grip, "size": size})


_drawn = partial(Plan, seeds=150, most=4_000_000)
DRAWN = (
    _drawn("drawn four", "four drawn players", _tabled(1, 4, 0.5)),
    _drawn("drawn short", "four wilder ones, 30 big blinds", _tabled(11, 4, 0.9), stack=30, tie=75.0),
    _drawn("drawn alike", "five that are alike, 60 big blinds", _tabled(21, 5, 0.25), stack=60, tie=150.0),
    _drawn("drawn open", "four, dice published, 80 big blinds", _tabled(31, 4, 0.5, publish=True), stack=80, tie=200.0),
    _drawn(
        "stubborn",
        "four that hold on to hands, 120 big blinds",
        {
            "loose": _stubborn(0.3, 0.1, 60),
            "plain": _stubborn(0.42, 0.15, 75),
            "tough": _stubborn(0.42, 0.4, 75),
            "picky": _stubborn(0.55, 0.05, 50),
        },
        stack=120,
        known=False,
    ),
    _drawn(
        "drawn and built in",
        "two drawn, one that holds on, and two built-in bots, 50 big blinds",
        {**_tabled(41, 2, 0.6), "tough": _stubborn(0.45, 0.35, 70), "tag": Bot("tag"), "maniac": Bot("maniac")},
        stack=50,
        tie=125.0,
        known=False,
    ),
    _drawn("drawn deep", "four, 200 big blinds", _tabled(51, 4, 0.7), stack=200),
)
