"""A test of drawn actions against the odds that an agent states, by kind, by size, and by what they are worth.

It bets against the stated odds, in many ways at once: that some kind of action is drawn more or less often than stated,
or that likely actions are drawn more or less often. A bet is a likelihood ratio. If actions are drawn with these odds,
the mean capital of all bets is a martingale that starts at 1, so it ever reaches 1 / `LEVEL` with a probability of at
most `LEVEL`, however often one looks (Ville's inequality; Shafer and Vovk, "Game-Theoretic Foundations for Probability
and Finance", 2019; Ramdas et al., "Game-theoretic statistics and safe anytime-valid inference", Statistical Science
2023).

What matters is what buys a better result. A decision is corrected by the mean value of what could have been drawn,
minus the value of what was drawn. So some bets are that less valuable actions are drawn more often than stated, by the
very values that results are corrected by: relative to what is at stake in the decision, and to the stacks, for those
who lie in big pots alone. Another is for those who lie in few games. Odds that are false, but not in any such way, may
pass for long: they do not change what results are on average.
"""

from collections.abc import Mapping, Sequence
from itertools import chain, product
from math import exp, fsum, inf, log, pi, sin, sqrt
from typing import Final, NamedTuple

import msgspec

from molt_bench.poker.actions import KINDS
from molt_bench.records import MOST

#: The probability with which draws that do follow their probabilities are refused, over a whole run.
LEVEL: Final = 1e-4
#: By what factor raises of one price may be drawn more often than stated.
_PRICE_FACTORS: Final = (0.3, 3.0)
PRICE_BINS: Final = 3
#: How strongly small or large sizes, sizes at both ends, and sizes of less value may be preferred.
_SIZES: Final = (-0.9, -0.4, 0.4, 0.9)
_ENDS: Final = (-0.8, 0.8)
_POORER: Final = (0.4, 0.9)
#: How strongly less valuable actions may be preferred: relative to what is at stake in a decision, and to the stacks.
_RELATIVE: Final = (-0.7, 0.3, 1.0, 3.0)
_ABSOLUTE: Final = (-4.0, 2.0, 8.0, 30.0)
#: Temperatures to bet on: that the draws are those of the stated probabilities to the power of 1/temperature.
_TEMPERATURES: Final = (0.05, 0.4, 0.7, 0.85, 1.2, 1.6, 3.0)
#: Kinds of action, and by what factors each may be drawn more often than stated, relative to the others.
_TILTS: Final = tuple(product(KINDS, (0.2, 0.65, 1.5, 5.0)))
#: Share of games that somebody may lie in who is honest in the others.
_RARE: Final = 0.03


class Option(NamedTuple):
    """One of the actions that could have been drawn; raises by their price are one.

    Attributes:
        kind: The kind of action.
        price: Which bin of prices a raise is in; -1 for other actions.
        chance: Its stated probability.
        value: What it is worth, in chips of the seat that decides; of raises, by their mean size.
    """

    kind: str
    price: int
    chance: float
    value: float


class SizeDrawn(NamedTuple):
    """Where the size of a raise lies among the stated ones.

    Attributes:
        below: Probability of smaller sizes, given a raise.
        upto: Probability of this size and smaller ones.
        rises: 1 if larger raises are worth more, -1 if less, 0 if neither.
    """

    below: float
    upto: float
    rises: int


def mean_capital(capital: Sequence[float]) -> float:
    """Return the mean capital of bets, as a logarithm."""
    top = max(capital)
    return top if top == inf else top + log(fsum([exp(each - top) for each in capital]) / len(capital))


class Count(msgspec.Struct, frozen=True, rename="camel"):
    """How often something happened, or what it added up to; what was to be expected, and the variance of that."""

    found: float = 0.0
    expected: float = 0.0
    variance: float = 0.0

    def plus(self, other: "Count") -> "Count":
        """Add another."""
        return Count(self.found + other.found, self.expected + other.expected, self.variance + other.variance)

    @property
    def z(self) -> float:
        """How many standard deviations it is off."""
        return (self.found - self.expected) / (sqrt(self.variance) or 1e-9)


#: What the corrections of an agent's results add up to, in chips.
CORRECTIONS: Final = "corrections"
#: The places of sizes among the stated ones, and how far at both ends they are.
LARGE: Final = "large sizes"
EXTREME: Final = "extreme sizes"


class Evidence(msgspec.Struct, frozen=True, rename="camel"):
    """The evidence against the odds that an agent states, in some of its games.

    Attributes:
        decisions: Decisions that were tested.
        left_out: Decisions that are not corrected, since the policy failed, or the agent made a fault.
        why: Why the first of them was.
        refuted: What shows beyond doubt that the odds are false, or cannot be had; "" if nothing does.
        capital: What each bet has won, as logarithms.
        counts: By kind of action, how often it was drawn; of raises, where their sizes lie among the stated ones; and
            what the corrections add up to.
    """

    decisions: int = 0
    left_out: int = 0
    why: str = ""
    refuted: str = ""
    capital: tuple[float, ...] = ()
    counts: Mapping[str, Count] = {}

    def plus(self, other: "Evidence") -> "Evidence":
        """Return the evidence of both, of games that are not the same."""
        counts = {
            name: self.counts.get(name, Count()).plus(other.counts.get(name, Count()))
            for name in (*self.counts, *(each for each in other.counts if each not in self.counts))
        }
        both = self.capital and other.capital
        return Evidence(
            self.decisions + other.decisions,
            self.left_out + other.left_out,
            self.why or other.why,
            self.refuted or other.refuted,
            tuple(map(float.__add__, self.capital, other.capital)) if both else self.capital or other.capital,
            counts,
        )

    @property
    def possible(self) -> bool:
        """Whether evidence that was read can be that of a match."""
        counts = [(each.found, each.expected, each.variance) for each in self.counts.values()]
        return (
            len(self.capital) == (BETS if self.decisions > 0 else 0)
            and bool(self.counts) == bool(self.decisions)
            and self.counts.keys() <= {*KINDS, CORRECTIONS, LARGE, EXTREME}
            and all(-MOST <= each <= MOST for each in (*self.capital, *chain.from_iterable(counts)))
            and all(each.variance >= 0 for each in self.counts.values())
        )

    @property
    def fails(self) -> bool:
        """Whether actions are not drawn with the stated odds."""
        return bool(self.refuted) or (bool(self.capital) and mean_capital(self.capital) >= -log(LEVEL))

    def worst(self) -> str:
        """Return what shows it, in words."""
        if self.refuted:
            return self.refuted
        name, count = max(self.counts.items(), key=lambda each: abs(each[1].z))
        if name == CORRECTIONS:
            return (
                f"corrections of {count.found:+,.0f} chips for its luck, where {sqrt(count.variance):,.0f} would be a "
                "standard deviation"
            )
        if name in (LARGE, EXTREME):
            said = "of other sizes" if name == EXTREME else "larger" if count.z > 0 else "smaller"
            return f"its raises are {said} than it says, by {abs(count.z):.1f} standard deviations"
        return (
            f"{name} was drawn {count.found:,.0f} times in {self.decisions:,} decisions, {count.expected:,.1f} expected"
        )


class PolicyTest:
    """Tests the decisions of one game."""

    def __init__(self, stack: int) -> None:
        self._stack = stack
        self._capital = [0.0] * BETS
        self._counts: dict[str, list[float]] = {}
        self._decisions = self._left_out = 0
        self._why = self._refuted = ""

    def leave_out(self, why: str) -> None:
        """Note a decision that is not corrected."""
        self._left_out += 1
        self._why = self._why or why

    def refute(self, why: str) -> None:
        """Note what shows that the odds are false."""
        self._refuted = self._refuted or why

    def add(self, options: Sequence[Option], drawn: int, size: SizeDrawn | None) -> None:
        """Add a decision: what could have been drawn, what was, and of a raise the size."""
        self._decisions += 1
        chances: dict[str, float] = {}
        for each in options:
            chances[each.kind] = chances.get(each.kind, 0.0) + each.chance
        kind = options[drawn].kind
        grown = _bets_of_kinds(chances, kind)
        grown += _bets_of_prices(options, drawn)
        grown += _bets_of_sizes(size)
        grown += self._bets_of_values([each.chance for each in options], [each.value for each in options], drawn)
        for at, more in enumerate(grown):
            self._capital[at] += more
        for name, chance in chances.items():
            self._count(name, name == kind, chance, chance * (1 - chance))
        if size is not None:
            self._count(LARGE, (size.below + size.upto) / 2, 0.5, 1 / 12)
            self._count(EXTREME, _at_ends(size), 0.0, 0.5)
        mean = fsum([each.chance * each.value for each in options])
        variance = fsum([each.chance * (mean - each.value) ** 2 for each in options])
        self._count(CORRECTIONS, mean - options[drawn].value, 0.0, variance)

    def add_values(self, chances: Sequence[float], values: Sequence[float], drawn: int) -> None:
        """Add a decision by what both policies say would have come of it."""
        for at, each in enumerate(self._bets_of_values(chances, values, drawn), start=_AHEAD):
            self._capital[at] += each

    def _bets_of_values(self, chances: Sequence[float], values: Sequence[float], drawn: int) -> list[float]:
        """Return by what bets that less valuable actions are drawn more often grow: likelihood ratios."""
        mean = fsum([chance * value for chance, value in zip(chances, values, strict=True)])
        gains = [mean - value for value in values]
        spread = max(gains) - min(gains)
        if not spread > 1e-9 * self._stack:
            return [0.0] * (len(_RELATIVE) + len(_ABSOLUTE))
        found = []
        for tilt in (*[each / spread for each in _RELATIVE], *[each / self._stack for each in _ABSOLUTE]):
            total = fsum(
                [chance * exp(tilt * (gain - gains[drawn])) for chance, gain in zip(chances, gains, strict=True)]
            )
            found.append(-log(total))
        return found

    def _count(self, name: str, found: float, expected: float, variance: float) -> None:
        count = self._counts.setdefault(name, [0.0, 0.0, 0.0])
        count[0] += found
        count[1] += expected
        count[2] += variance

    def evidence(self) -> Evidence:
        """Return what was found in the game."""
        capital = list(self._capital)
        if self._decisions:
            # One who lies in few games: a small part of the capital is bet anew on every game.
            capital[-1] = log(1 - _RARE + _RARE * min(exp(min(mean_capital(capital[:-1]), 600.0)), 1e250))
        return Evidence(
            self._decisions,
            self._left_out,
            self._why,
            self._refuted,
            tuple(capital) if self._decisions else (),
            {name: Count(*each) for name, each in self._counts.items()},
        )


def _bets_of_kinds(chances: Mapping[str, float], drawn: str) -> list[float]:
    """Return by what each bet on kinds grows with a draw that had a chance, as logarithms: temperatures first."""
    found = _bets_of_temperatures(chances, drawn)
    for kind, factor in _TILTS:
        each = chances.get(kind)
        won = log(factor) if kind == drawn else 0.0
        found.append(0.0 if each is None else won - log(1 + (factor - 1) * each))
    return found


def _bets_of_temperatures(chances: Mapping[str, float], drawn: str) -> list[float]:
    chance = log(chances[drawn])
    logs = [log(each) for each in chances.values() if each > 0]
    top, found = max(logs), list[float]()
    for temperature in _TEMPERATURES:
        power = 1 / temperature
        total = fsum([exp(power * (each - top)) for each in logs])
        found.append((power - 1) * chance - power * top - log(total))
    return found


def _bets_of_prices(options: Sequence[Option], drawn: int) -> list[float]:
    found = []
    for price in range(PRICE_BINS):
        chance = next((each.chance for each in options if each.price == price), 0.0)
        for factor in _PRICE_FACTORS:
            won = log(factor) if options[drawn].price == price else 0.0
            found.append(won - log(1 + (factor - 1) * chance) if chance else 0.0)
    return found


def _bets_of_sizes(size: SizeDrawn | None) -> list[float]:
    """Return by what bets on the place of a size grow: of sizes that are stated as one, by the mean over them."""
    if size is None or not size.upto - size.below > 0:
        return [0.0] * (len(_SIZES) + len(_ENDS) + len(_POORER))
    below, upto = size.below, size.upto
    large, ends = below + upto - 1, _at_ends(size)
    return [
        *[log(1 + each * large) for each in _SIZES],
        *[log(1 + each * ends) for each in _ENDS],
        *[log(1 - each * size.rises * large) for each in _POORER],
    ]


def _at_ends(size: SizeDrawn) -> float:
    """Return 1 for the smallest and the largest sizes, -1 for those between: of what is stated as one, the mean."""
    below, upto = size.below, size.upto
    return (sin(2 * pi * upto) - sin(2 * pi * below)) / (2 * pi * (upto - below)) if upto > below else 0.0


#: Where the bets by what would have come of an action begin, and how many bets there are; the last is on rare lies.
_AHEAD: Final = (
    len(_bets_of_kinds({"fold": 1.0}, "fold"))
    + len(_bets_of_prices([Option("fold", -1, 1.0, 0.0)], 0))
    + len(_bets_of_sizes(None))
    + len(_RELATIVE)
    + len(_ABSOLUTE)
)
BETS: Final = _AHEAD + len(_RELATIVE) + len(_ABSOLUTE) + 1
