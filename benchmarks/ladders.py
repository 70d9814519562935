"""Ladders of bots: those that defaults were chosen by, and those that are for measuring alone."""

import argparse
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Literal, NamedTuple

from bots import Bot

from molt_bench.specs import Pair


class Plan(NamedTuple):
    """A ladder.

    Attributes:
        name: What it is called.
        about: What it is, in a line.
        bots: By id.
        stack: Big blinds of a stack.
        hands: Hands of a game; a seed pair has twice as many.
        stacks: Whether stacks are reset for every hand or carried through a game.
        seeds: Seed pairs of the pool.
        equal: Whether all are copies of one bot.
        tie: Thousandths of a big blind a hand within which two count as tied.
        most: Hands of a run at most.
        reference: The one that everybody else plays alone, in a gauntlet.
        known: Whether the policies of others than the reference are known, too, if they publish any.
    """

    name: str
    about: str
    bots: Mapping[str, Bot]
    stack: int = 100
    hands: int = 20
    stacks: Literal["reset", "carry"] = "reset"
    seeds: int = 300
    equal: bool = False
    tie: float = 250.0
    most: int = 80_000
    reference: str | None = None
    known: bool = True

    @property
    def pairs(self) -> list[Pair]:
        """All pairings; in a gauntlet, those with the reference."""
        every = combinations(self.bots, 2)
        return [pair for pair in every if self.reference is None or self.reference in pair]


def _noises(like: str, shares: Iterable[float], *, publish: bool = False) -> dict[str, Bot]:
    return {f"{like} {share:g}": Bot(like, share, publish) for share in shares}


def _copies(bot: Bot, count: int) -> dict[str, Bot]:
    return {f"{bot.like}-{number}": bot for number in range(1, count + 1)}


def _habits(*rows: tuple[str, float, float, float, int]) -> dict[str, Bot]:
    return {name: Bot("habits", habits=(calls, bets, bluffs, size)) for name, calls, bets, bluffs, size in rows}


def reader(
    error: float, calls: float, bets: float, bluffs: float, size: int, other: int, *, like: str = "reader"
) -> Bot:
    reads = {"error": error, "calls": calls, "bets": bets, "bluffs": bluffs, "sizes": (size, other)}
    return Bot(like, reads=reads)


def jammer(share: float, wild: float, calls: float) -> Bot:
    return Bot("jammer", reads={"share": share, "wild": wild, "calls": calls})


def weigher(heat: float, daring: float, *sizes: int, like: str = "weigher") -> Bot:
    return Bot(like, reads={"heat": heat, "daring": daring, "sizes": sizes})


def _public(bots: Mapping[str, Bot]) -> dict[str, Bot]:
    return {name: bot._replace(reads={**(bot.reads or {}), "publish": True}) for name, bot in bots.items()}


_JUDGES = {
    "keen": reader(0.1, 0.42, 0.72, 0.06, 60, 100),
    "fair": reader(0.45, 0.42, 0.72, 0.08, 60, 100),
    "vague": reader(0.8, 0.4, 0.7, 0.1, 50, 100),
    "poor": reader(1.2, 0.38, 0.7, 0.14, 50, 130),
    "blind": reader(1.7, 0.35, 0.75, 0.2, 50, 150),
}
_NEAR = {
    "even": reader(0.3, 0.4, 0.72, 0.08, 60, 90),
    "looser": reader(0.3, 0.3, 0.72, 0.08, 60, 90),
    "bolder": reader(0.35, 0.4, 0.64, 0.14, 60, 90),
    "bigger": reader(0.3, 0.4, 0.72, 0.1, 90, 150),
    "shyer": reader(0.35, 0.46, 0.8, 0.04, 50, 80),
}
_JAMMERS = {
    "picky": jammer(0.93, 0.01, 0.9),
    "ready": jammer(0.85, 0.03, 0.85),
    "often": jammer(0.75, 0.08, 0.8),
    "reckless": jammer(0.6, 0.2, 0.7),
    "keen": _JUDGES["keen"],
}
_LEARNERS = {
    "adapter": reader(0.3, 0.42, 0.72, 0.08, 60, 100, like="adapter"),
    "dull adapter": reader(0.9, 0.42, 0.72, 0.12, 60, 100, like="adapter"),
    "watcher": Bot("watcher"),
    "fair": _JUDGES["fair"],
    "jammer": jammer(0.85, 0.05, 0.85),
}
_KEEN = _public(_JUDGES)["keen"]
_ERRORS = {f"keen {share:g}": _KEEN._replace(noise=share, publish=True) for share in (0, 0.08, 0.16, 0.24, 0.32)}
#: These are for measuring alone: nothing in molt_bench may be chosen by looking at them.
VALIDATION = (
    Plan("judges", "five players by eye, from keen to blind; nothing published", _JUDGES, most=240_000),
    Plan("near judges", "five that judge alike but bet differently, 50 big blinds; none published", _NEAR, stack=50),
    Plan("jammers", "all-in with some hands or folds, 20 big blinds; nothing published", _JAMMERS, stack=20),
    Plan("deep jammers", "the same with 200 big blinds", _JAMMERS, stack=200, most=160_000),
    Plan(
        "learners",
        "some that learn within a game, stacks carried, 60 big blinds; nothing published",
        _LEARNERS,
        stack=60,
        stacks="carry",
    ),
    Plan(
        "twelve",
        "judges, those near to each other, and jammers, 100 big blinds; nothing published",
        {**_JUDGES, **_NEAR, "ready": _JAMMERS["ready"], "often": _JAMMERS["often"]},
        seeds=150,
        most=400_000,
    ),
    Plan("open judges", "the judges, dice published", _public(_JUDGES), most=240_000),
    Plan("open errors", "the keen one with 0 to 32% of random actions, dice published", _ERRORS),
    Plan("open near judges", "the near judges, dice published", _public(_NEAR), stack=50),
)
_LATER_JUDGES = {
    "sharp": reader(0.2, 0.44, 0.7, 0.05, 66, 110),
    "sound": reader(0.55, 0.4, 0.74, 0.1, 50, 100),
    "hazy": reader(0.95, 0.43, 0.7, 0.1, 70, 70),
    "dim": reader(1.3, 0.36, 0.68, 0.15, 60, 140),
    "lost": reader(1.6, 0.38, 0.74, 0.2, 40, 160),
}
_LATER_NEAR = {
    "plain": reader(0.4, 0.42, 0.7, 0.08, 66, 66),
    "caller": reader(0.4, 0.3, 0.7, 0.08, 66, 66),
    "bettor": reader(0.4, 0.42, 0.6, 0.14, 75, 75),
    "large": reader(0.4, 0.42, 0.7, 0.1, 110, 160),
    "small": reader(0.45, 0.47, 0.78, 0.05, 33, 66),
}
_LATER_LEARNERS = {
    "quick": reader(0.35, 0.42, 0.72, 0.08, 60, 100, like="adapter"),
    "slow": reader(0.8, 0.42, 0.72, 0.1, 60, 100, like="adapter"),
    "sound": _LATER_JUDGES["sound"],
    "hazy": _LATER_JUDGES["hazy"],
    "jam": jammer(0.8, 0.06, 0.85),
}
#: Made when all of the above had been looked at, for measuring alone as well.
LATER = (
    Plan("later judges", "judges of another making; nothing published", _LATER_JUDGES, most=240_000),
    Plan(
        "later near judges",
        "judge alike, bet differently, 75 big blinds; none published",
        _LATER_NEAR,
        stack=75,
        most=240_000,
    ),
    Plan(
        "later learners",
        "some learn within a game, stacks carried, 80 big blinds; nothing published",
        _LATER_LEARNERS,
        stack=80,
        stacks="carry",
        most=240_000,
    ),
    Plan("later open judges", "the later judges, dice published", _public(_LATER_JUDGES), most=240_000),
    Plan(
        "later open near judges",
        "the later near judges, dice published",
        _public(_LATER_NEAR),
        stack=75,
        most=240_000,
    ),
)
_WEIGHERS = {
    "cool": weigher(0.08, 0.4, 50, 100),
    "mild": weigher(0.1, 0.4, 50, 100),
    "warm": weigher(0.12, 0.4, 50, 100),
    "hot": weigher(0.14, 0.4, 50, 100, 200),
    "boiling": weigher(0.17, 0.4, 50, 150),
}
_NEAR_WEIGHERS = {
    "level": weigher(0.15, 0.4, 50, 100),
    "meek": weigher(0.15, 0.2, 50, 100),
    "brash": weigher(0.15, 0.6, 50, 100),
    "heavy": weigher(0.15, 0.4, 100, 200),
    "light": weigher(0.18, 0.4, 33, 66),
}
_STUDENTS = {
    "student": weigher(0.12, 0.4, 50, 100, like="student"),
    "hot student": weigher(0.4, 0.4, 50, 100, like="student"),
    "mild": _WEIGHERS["mild"],
    "fair": _JUDGES["fair"],
    "ready": _JAMMERS["ready"],
}
#: Players of another making, when everything had been fixed: measured once, and for that alone.
LATEST = (
    Plan(
        "weighers",
        "draw by what actions seem worth, 50 big blinds; nothing published",
        _WEIGHERS,
        stack=50,
        most=240_000,
    ),
    Plan("near weighers", "weigh alike, bet differently, 40 big blinds; none published", _NEAR_WEIGHERS, stack=40),
    Plan(
        "students",
        "some learn within a game, stacks carried, 50 big blinds; nothing published",
        _STUDENTS,
        stack=50,
        stacks="carry",
        most=160_000,
    ),
    Plan("open weighers", "the weighers, dice published", _public(_WEIGHERS), stack=50, most=240_000),
    Plan("open near weighers", "the near weighers, dice published", _public(_NEAR_WEIGHERS), stack=40),
)
#: Made when stand-ins were fixed, for measuring them alone.
NEWEST = (
    Plan(
        "open minds",
        "readers of a fourth making, dice published, 120 big blinds",
        _public(
            {
                "north": reader(0.25, 0.45, 0.68, 0.09, 45, 120),
                "east": reader(0.6, 0.38, 0.75, 0.05, 80, 80),
                "south": reader(0.85, 0.33, 0.66, 0.16, 55, 140),
                "west": reader(1.15, 0.41, 0.71, 0.11, 35, 95),
                "lee": reader(1.5, 0.36, 0.69, 0.22, 70, 170),
            }
        ),
        stack=120,
        most=240_000,
    ),
    Plan(
        "open scales",
        "weighers of a third making, dice published, 80 big blinds",
        _public(
            {
                "ounce": weigher(0.09, 0.5, 40, 80),
                "pound": weigher(0.11, 0.3, 60, 120),
                "stone": weigher(0.13, 0.45, 75),
                "ton": weigher(0.16, 0.35, 50, 100, 150),
                "grain": weigher(0.2, 0.5, 30, 60, 180),
            }
        ),
        stack=80,
        most=240_000,
    ),
)
#: Made when asking again was fixed, for measuring it alone.
AGAIN = (
    Plan(
        "open hours",
        "readers of a fifth making, dice published, 90 big blinds",
        _public(
            {
                "dawn": reader(0.35, 0.43, 0.73, 0.07, 55, 105),
                "noon": reader(0.5, 0.35, 0.69, 0.12, 65, 65),
                "dusk": reader(0.75, 0.45, 0.67, 0.09, 40, 130),
                "night": reader(1.05, 0.37, 0.72, 0.17, 75, 110),
                "late": reader(1.35, 0.34, 0.7, 0.2, 50, 150),
            }
        ),
        stack=90,
        most=240_000,
    ),
    Plan(
        "open metals",
        "weighers of a fourth making, dice published, 60 big blinds",
        _public(
            {
                "tin": weigher(0.1, 0.45, 45, 90),
                "zinc": weigher(0.12, 0.35, 55, 110),
                "iron": weigher(0.14, 0.5, 65),
                "lead": weigher(0.17, 0.4, 40, 80, 160),
                "gold": weigher(0.19, 0.3, 70, 140),
            }
        ),
        stack=60,
        most=240_000,
    ),
)
_EBB = reader(0.3, 0.44, 0.7, 0.08, 50, 95)
#: Made when models were fixed, for measuring runs of them alone.
MODELS = (
    Plan(
        "open tides",
        "four readers of a sixth making, dice published, 70 big blinds",
        _public(
            {
                "ebb": _EBB,
                "flow": reader(0.65, 0.37, 0.74, 0.1, 70, 110),
                "neap": reader(1.0, 0.42, 0.67, 0.13, 60, 85),
                "spring": reader(1.35, 0.35, 0.72, 0.18, 45, 150),
            }
        ),
        stack=70,
        seeds=40,
        most=240_000,
    ),
    Plan(
        "open woods",
        "four weighers of a fifth making, dice published, 45 big blinds",
        _public(
            {
                "oak": weigher(0.08, 0.45, 55, 105),
                "ash": weigher(0.12, 0.4, 70),
                "elm": weigher(0.15, 0.3, 45, 90, 150),
                "fir": weigher(0.2, 0.45, 60, 130),
            }
        ),
        stack=45,
        seeds=40,
        most=240_000,
    ),
    Plan(
        "open rare jams",
        "three that go all-in rarely and one that judges, dice published",
        _public(
            {
                "asleep": jammer(0.996, 0.001, 0.94),
                "drowsy": jammer(0.988, 0.006, 0.9),
                "awake": jammer(0.97, 0.015, 0.92),
                "judge": reader(0.4, 0.42, 0.71, 0.08, 60, 100),
            }
        ),
        hands=25,
        seeds=160,
    ),
    Plan(
        "ebb x 2",
        "copies, dice published, 70 big blinds",
        _copies(_public({"": _EBB})[""], 2),
        stack=70,
        seeds=100,
        equal=True,
    ),
)
_RARE = {
    "never": jammer(0.995, 0.0, 0.93),
    "seldom": jammer(0.99, 0.003, 0.9),
    "rare": jammer(0.985, 0.008, 0.95),
    "some": jammer(0.97, 0.02, 0.85),
    "keen": reader(0.3, 0.42, 0.72, 0.06, 60, 100),
}
#: Heavy tails: rare all-ins in seed pairs of 50 hands. How intervals allow for them was chosen by looking at the first
#: four; the others were made afterwards, for measuring alone.
TAILS = (
    Plan("rare jams", "all-in once in a while, and a judge; nothing published", _RARE, hands=25, seeds=400),
    Plan(
        "rarer jams",
        "all-in more rarely, and called by less; nothing published",
        {
            "hardly": jammer(0.998, 0.001, 0.9),
            "little": jammer(0.996, 0.002, 0.85),
            "twice": jammer(0.993, 0.004, 0.95),
            "thrice": jammer(0.99, 0.006, 0.9),
            "sound": _LATER_JUDGES["sound"],
        },
        hands=25,
        seeds=400,
    ),
    Plan(
        "deep rare jams",
        "the same kind with 200 big blinds; nothing published",
        {
            "calm": jammer(0.997, 0.0, 0.96),
            "bored": jammer(0.99, 0.005, 0.92),
            "tired": jammer(0.98, 0.01, 0.9),
            "angry": jammer(0.97, 0.015, 0.94),
            "hazy": _LATER_JUDGES["hazy"],
        },
        stack=200,
        hands=25,
        seeds=400,
    ),
    Plan(
        "jams among judges",
        "four judges and one that goes all-in rarely; nothing published",
        {**_LATER_JUDGES, "lost": jammer(0.99, 0.006, 0.9)},
        hands=25,
        seeds=400,
    ),
    Plan(
        "other rare jams",
        "150 big blinds, others that go all-in rarely, and one that calls; nothing published",
        {
            "still": jammer(0.999, 0.0, 0.97),
            "moody": jammer(0.995, 0.004, 0.95),
            "jumpy": jammer(0.985, 0.012, 0.93),
            "loud": jammer(0.96, 0.02, 0.97),
            "caller": _LATER_NEAR["caller"],
        },
        stack=150,
        hands=25,
        seeds=400,
    ),
    Plan(
        "short rare jams",
        "40 big blinds, all-in rarely, and two judges; nothing published",
        {
            "idle": jammer(0.995, 0.002, 0.9),
            "prone": jammer(0.985, 0.012, 0.88),
            "hasty": jammer(0.96, 0.03, 0.9),
            "dim": _LATER_JUDGES["dim"],
            "plain": _LATER_NEAR["plain"],
        },
        stack=40,
        hands=25,
        seeds=400,
    ),
)
#: Made when the planner was fixed, for measuring plans alone. Ties are the default's for these stacks.
PLANNED = (
    Plan(
        "planned judges",
        "judges of a third making; nothing published",
        {
            "first": reader(0.15, 0.43, 0.7, 0.07, 50, 90),
            "second": reader(0.4, 0.4, 0.73, 0.09, 75, 120),
            "third": reader(0.7, 0.44, 0.68, 0.08, 60, 60),
            "fourth": reader(1.0, 0.37, 0.72, 0.12, 45, 110),
        },
        most=4_000_000,
    ),
    Plan(
        "planned weighers",
        "weighers of another making, 60 big blinds; nothing published",
        {
            "calm": weigher(0.07, 0.35, 60, 110),
            "warmer": weigher(0.1, 0.45, 40, 90),
            "bold": weigher(0.12, 0.6, 60, 150),
            "heated": weigher(0.16, 0.4, 50, 100),
            "wild": weigher(0.2, 0.5, 70, 140),
        },
        stack=60,
        tie=150.0,
        most=4_000_000,
    ),
    Plan(
        "planned company",
        "players of all kinds, 40 big blinds; nothing published",
        {
            "reads": reader(0.3, 0.42, 0.7, 0.1, 60, 100),
            "weighs": weigher(0.1, 0.4, 50, 120),
            "jams": jammer(0.8, 0.05, 0.82),
            "plays on": Bot("habits", habits=(-0.05, 0.7, 0.05, 60)),
            "errs": reader(1.1, 0.36, 0.7, 0.15, 50, 120),
        },
        stack=40,
        tie=100.0,
        most=4_000_000,
        known=False,
    ),
    Plan(
        "planned jammers",
        "all-in with some hands or folds, 25 big blinds; nothing published",
        {
            "tight": jammer(0.9, 0.01, 0.9),
            "loose": jammer(0.78, 0.04, 0.84),
            "looser": jammer(0.66, 0.1, 0.76),
            "rash": jammer(0.55, 0.25, 0.65),
        },
        stack=25,
        tie=62.5,
        most=4_000_000,
    ),
    Plan(
        "planned open readers",
        "readers whose dice are published, 80 big blinds",
        _public(
            {
                "one": reader(0.2, 0.42, 0.71, 0.06, 60, 100),
                "two": reader(0.5, 0.4, 0.73, 0.1, 55, 110),
                "three": reader(0.55, 0.34, 0.7, 0.1, 55, 110),
                "four": reader(0.9, 0.4, 0.69, 0.12, 70, 130),
                "five": reader(1.4, 0.37, 0.72, 0.16, 50, 140),
            }
        ),
        stack=80,
        tie=200.0,
        most=4_000_000,
    ),
    Plan(
        "planned deep three",
        "three that differ in what they call, 150 big blinds; nothing published",
        {
            "caller": reader(0.35, 0.32, 0.72, 0.08, 66, 100),
            "folder": reader(0.35, 0.47, 0.72, 0.08, 66, 100),
            "bluffer": reader(0.35, 0.42, 0.66, 0.2, 66, 130),
        },
        stack=150,
        most=4_000_000,
    ),
)
#: Made when the planner had been looked at on those above, and for measuring plans alone as well.
PLANNED_LATER = (
    Plan(
        "fresh deep judges",
        "four that judge by eye, 200 big blinds; nothing published",
        {
            "clear": reader(0.25, 0.41, 0.73, 0.05, 70, 120),
            "usual": reader(0.5, 0.43, 0.7, 0.09, 55, 85),
            "murky": reader(0.85, 0.39, 0.71, 0.11, 65, 105),
            "dark": reader(1.25, 0.4, 0.73, 0.17, 55, 125),
        },
        stack=200,
        seeds=200,
        most=4_000_000,
    ),
    Plan(
        "fresh weighers",
        "four that weigh, 35 big blinds; nothing published",
        {
            "cold": weigher(0.09, 0.5, 45, 95),
            "tepid": weigher(0.13, 0.35, 55, 110),
            "fiery": weigher(0.18, 0.45, 50, 130),
            "molten": weigher(0.26, 0.4, 60, 120),
        },
        stack=35,
        seeds=200,
        tie=87.5,
        most=4_000_000,
    ),
    Plan(
        "fresh strangers",
        "a player of each kind, 75 big blinds; nothing published",
        {
            "eye": reader(0.35, 0.42, 0.72, 0.08, 60, 95),
            "scales": weigher(0.12, 0.45, 55, 115),
            "push": jammer(0.86, 0.03, 0.86),
            "sums": Bot("habits", habits=(0.02, 0.66, 0.15, 80)),
        },
        stack=75,
        seeds=200,
        tie=187.5,
        most=4_000_000,
        known=False,
    ),
    Plan(
        "fresh rare jams",
        "three that go all-in rarely, and one that judges, 60 big blinds; nothing published",
        {
            "placid": jammer(0.994, 0.001, 0.92),
            "abrupt": jammer(0.98, 0.01, 0.9),
            "fierce": jammer(0.95, 0.025, 0.88),
            "usual": reader(0.5, 0.43, 0.7, 0.09, 55, 85),
        },
        stack=60,
        hands=25,
        seeds=200,
        tie=150.0,
        most=4_000_000,
    ),
    Plan(
        "fresh open judges",
        "four that judge by eye, 50 big blinds; dice published",
        _public(
            {
                "neat": reader(0.3, 0.42, 0.72, 0.07, 60, 100),
                "rough": reader(0.6, 0.4, 0.71, 0.1, 50, 95),
                "crude": reader(0.9, 0.42, 0.7, 0.12, 65, 115),
                "wrong": reader(1.3, 0.37, 0.72, 0.16, 55, 135),
            }
        ),
        stack=50,
        seeds=200,
        tie=125.0,
        most=4_000_000,
    ),
    Plan(
        "fresh habits",
        "four by the strength of their hands, 100 big blinds; nothing published",
        {
            "shy": Bot("habits", habits=(0.12, 0.78, 0.02, 55)),
            "steady": Bot("habits", habits=(0.05, 0.66, 0.1, 70)),
            "easy": Bot("habits", habits=(-0.08, 0.7, 0.06, 65)),
            "pushy": Bot("habits", habits=(0.0, 0.52, 0.28, 95)),
        },
        seeds=200,
        most=4_000_000,
        known=False,
    ),
)
EQUAL = (
    Plan("fair x 4", "copies, nothing published", _copies(_JUDGES["fair"], 4), equal=True),
    Plan("open fair x 4", "copies, dice published", _copies(_public(_JUDGES)["fair"], 4), equal=True),
    Plan("often x 4", "copies, 20 big blinds, nothing published", _copies(_JAMMERS["often"], 4), stack=20, equal=True),
)
_EARLIER = (
    Plan(
        "errors",
        "a solid player with 0 to 40% of random actions, 75 big blinds; dice published",
        _noises("habits", (0, 0.1, 0.2, 0.3, 0.4), publish=True),
        stack=75,
    ),
    Plan(
        "close",
        "tight with 0 to 32% of random actions, which hardly matters, 40 big blinds; dice published",
        _noises("tight", (0, 0.08, 0.16, 0.24, 0.32), publish=True),
        stack=40,
    ),
    Plan(
        "habits",
        "five players by the strength of their hands, from timid to wild, 60 big blinds; dice published",
        _habits(
            ("timid", 0.15, 0.8, 0.0, 50),
            ("solid", 0.05, 0.65, 0.1, 75),
            ("loose", -0.1, 0.7, 0.05, 60),
            ("pushy", 0.0, 0.5, 0.3, 100),
            ("wild", -0.2, 0.4, 0.5, 120),
        ),
        stack=60,
    ),
    Plan(
        "company",
        "players of all kinds: habits, built-in bots, and some with noise; all but callstation publish",
        {
            **_habits(("solid", 0.05, 0.65, 0.1, 75), ("wild", -0.2, 0.4, 0.5, 120)),
            "tag": Bot("tag"),
            "maniac": Bot("maniac"),
            "callstation 0.2": Bot("callstation", 0.2),
            "random": Bot("random"),
        },
        most=160_000,
    ),
    Plan(
        "short",
        "eight big blinds: all-in, calls and habits",
        {
            **_habits(("solid", 0.05, 0.65, 0.1, 75), ("pushy", 0.0, 0.5, 0.3, 300)),
            "shover": Bot("shover"),
            "callstation": Bot("callstation"),
            "tight 0.1": Bot("tight", 0.1),
        },
        stack=8,
        seeds=500,
    ),
)
_EARLIER_EQUALS = (
    Plan("solid x 4", "copies", _copies(Bot("habits", habits=(0.05, 0.65, 0.1, 75)), 4), equal=True, most=80_000),
    Plan("calls x 4", "copies, 30 big blinds", _copies(Bot("callstation", 0.2), 4), stack=30, equal=True, most=80_000),
    Plan(
        "pushy x 4",
        "copies, eight big blinds",
        _copies(Bot("habits", habits=(0.0, 0.5, 0.3, 300)), 4),
        stack=8,
        equal=True,
        most=80_000,
    ),
)
#: Constants and defaults were chosen by looking at these, and at those that earlier versions were measured on.
TUNING = (
    *_EARLIER,
    *_EARLIER_EQUALS,
    Plan(
        "noise",
        "tag with 0 to 40% of random actions; dice published",
        _noises("tag", (0, 0.1, 0.2, 0.3, 0.4), publish=True),
    ),
    Plan(
        "styles",
        "six built-in bots",
        {name: Bot(name) for name in ("tag", "tight", "callstation", "maniac", "random", "shover")},
        seeds=200,
    ),
    Plan(
        "mixed",
        "tag, tight and callstation with some noise, close to each other; nothing published",
        {
            **_noises("tag", (0.25, 0.35)),
            **_noises("tight", (0.05, 0.15)),
            **_noises("callstation", (0.1, 0.3)),
        },
    ),
    Plan(
        "folds",
        "stacks of one big blind, and 0 to 40% of folds; dice published",
        _noises("limper", (0, 0.1, 0.2, 0.3, 0.4)),
        stack=1,
        seeds=1000,
        tie=10.0,
    ),
    Plan("random x 4", "copies", _copies(Bot("random"), 4), equal=True, most=40_000),
    Plan("maniac x 4", "copies", _copies(Bot("maniac"), 4), seeds=100, equal=True, most=40_000),
    Plan("noisy tag x 4", "copies", _copies(Bot("tag", 0.15), 4), equal=True, most=40_000),
    Plan(
        "tuning: calls",
        "callstation with noise, 30 big blinds",
        _noises("callstation", (0.05, 0.2, 0.35, 0.5)),
        stack=30,
    ),
    Plan(
        "tuning: pots",
        "tight, random and folder-like bots, 50 big blinds",
        {
            **_noises("tight", (0.1, 0.3, 0.5)),
            "random": Bot("random"),
            **_noises("shover", (0.2, 0.6)),
        },
        stack=50,
    ),
)


def tag_with_errors(*, seeds: int, reference: str | None = None, publish: bool = False) -> Plan:
    """Return `tag` with 0 to 40% of random actions, among themselves or each against the reference alone."""
    bots = _noises("tag", (0, 0.05, 0.1, 0.2, 0.4), publish=publish)
    name, field = "open tag with errors" if publish else "tag with errors", "among themselves"
    if reference is not None:
        bots[reference], name, field = Bot(reference), f"{name} against {reference}", f"against {reference} alone"
    about = f"tag with 0 to 40% of random actions, {field}; {'dice' if publish else 'nothing'} published"
    return Plan(name, about, bots, seeds=seeds, tie=0.0, most=4_000_000, reference=reference, known=publish)


def two_of(plan: Plan) -> Plan:
    """Return the ladder of its first two."""
    first, second = [*plan.bots][:2]
    name = plan.name.replace("x 4", "x 2")
    return plan._replace(name=name, bots={first: plan.bots[first], second: plan.bots[second]})


def arguments(about: str | None) -> argparse.ArgumentParser:
    """Return the options that both benchmarks have."""
    parser = argparse.ArgumentParser(description=(about or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=200, help="runs of each row (%(default)s)")
    parser.add_argument("--processes", type=int, default=2, help="how many runs at once (%(default)s)")
    parser.add_argument("--quick", action="store_true", help="small pools, 20 runs, and the quickest ladders only")
    parser.add_argument("--ladders", default="", help="names of ladders with commas between; all by default")
    parser.add_argument("--tuning", action="store_true", help="the ladders that defaults were chosen by instead")
    parser.add_argument("--keep", help="folder in which the played pools are kept for another time")
    return parser


def chosen_plans(plans: Sequence[Plan], options: argparse.Namespace) -> list[Plan]:
    """Return the ladders that were asked for."""
    if options.tuning:
        plans = TUNING
    if options.quick:
        options.runs = min(options.runs, 20)
        plans = [
            plan._replace(seeds=min(plan.seeds, 60)) for plan in plans if plan.name in ("near judges", "often x 4")
        ]
    wanted = [name.strip() for name in options.ladders.split(",") if name.strip()]
    return [plan for plan in plans if not wanted or plan.name in wanted]
