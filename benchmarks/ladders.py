"""Ladders of bots: those that defaults were chosen by, and those that are for measuring alone (`ladders.txt`)."""

import argparse
import re
from ast import literal_eval
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

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


#: What makes a player of its numbers in `ladders.txt`.
KINDS: Final[Mapping[str, Callable[..., Bot]]] = {
    "reader": reader,
    "adapter": partial(reader, like="adapter"),
    "jammer": jammer,
    "weigher": weigher,
    "student": partial(weigher, like="student"),
    "habits": lambda *numbers: Bot("habits", habits=numbers),
    "watcher": lambda: Bot("watcher"),
}
#: Settings that are a word.
_WORDS: Final[Mapping[str, tuple[str, Any]]] = {
    "carry": ("stacks", "carry"),
    "unknown": ("known", False),
    "public": ("public", True),
}


def _settings(text: str) -> dict[str, Any]:
    words = [each.strip() for each in text.split(",") if each.strip()]
    pairs = [_WORDS.get(each) or (each.split()[0], literal_eval(each.split()[1])) for each in words]
    return dict(pairs)


def _players(lines: Iterable[str], known: Mapping[str, Plan]) -> Iterator[tuple[str, Bot]]:
    """Return the players of a ladder, given the lines that have them."""
    for line in lines:
        kind, _, listed = line.strip().partition(": ")
        if not listed:
            yield from known[kind.removeprefix("as ")].bots.items()
        for name, numbers in re.findall(r"([a-z ]*[a-z])((?: [-0-9.]+)*)(?:, |$)", listed):
            yield name, KINDS[kind](*map(literal_eval, numbers.split()))


def _read(text: str) -> dict[str, tuple[Plan, ...]]:
    """Return the ladders of every group."""
    groups: dict[str, tuple[Plan, ...]] = {}
    known: dict[str, Plan] = {}
    for block in re.split(r"^\[", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE), flags=re.MULTILINE)[1:]:
        group, _, common = block.partition("]")[0].partition(" | ")
        ladders = re.findall(r"^(\S.*)\n((?: +.*\n)+)", block, re.MULTILINE)
        for head, players in ladders:
            name, about, own = (*head.split(" | "), "")[:3]
            bots = dict(_players(players.splitlines(), known))
            settings = _settings(f"{common}, {own}")
            known[name] = Plan(name, about, _public(bots) if settings.pop("public", False) else bots, **settings)
        groups[group] = tuple(known.values())[-len(ladders) :]
    return groups


_GROUPS: Final = _read(Path(__file__).with_name("ladders.txt").read_text())
_NAMED: Final = {plan.name: plan for plans in _GROUPS.values() for plan in plans}
_KEEN: Final = _NAMED["open judges"].bots["keen"]
_ERRORS = {f"keen {share:g}": _KEEN._replace(noise=share, publish=True) for share in (0, 0.08, 0.16, 0.24, 0.32)}
VALIDATION = (
    *_GROUPS["VALIDATION"],
    Plan("open errors", "the keen one with 0 to 32% of random actions, dice published", _ERRORS),
)
LATER, LATEST, NEWEST, AGAIN = (_GROUPS[name] for name in ("LATER", "LATEST", "NEWEST", "AGAIN"))
MODELS = (
    *_GROUPS["MODELS"],
    *_GROUPS["MODELS_LATER"],
    *_GROUPS["MODELS_LATEST"],
    Plan(
        "ebb x 2",
        "copies, dice published, 70 big blinds",
        _copies(_NAMED["open tides"].bots["ebb"], 2),
        stack=70,
        seeds=100,
        equal=True,
    ),
)
TAILS = _GROUPS["TAILS"]
KNOWN = (*_GROUPS["KNOWN"], *_GROUPS["KNOWN_LATER"])
EQUAL = (
    Plan("fair x 4", "copies, nothing published", _copies(_NAMED["judges"].bots["fair"], 4), equal=True),
    Plan("open fair x 4", "copies, dice published", _copies(_NAMED["open judges"].bots["fair"], 4), equal=True),
    Plan(
        "often x 4",
        "copies, 20 big blinds, nothing published",
        _copies(_NAMED["jammers"].bots["often"], 4),
        stack=20,
        equal=True,
    ),
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
