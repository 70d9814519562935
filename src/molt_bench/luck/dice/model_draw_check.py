"""A test of a model's draws against the probabilities it reports, valid at any time and however often one looks.

It bets against the probabilities, in many ways at once: that some kind of action is drawn more or less often than
stated, that likely actions are drawn more often (a lower temperature, greedy decoding) or less often, and that the
least likely ones are not drawn at all (top-p). A bet is a likelihood ratio. If the draws follow the stated
probabilities, the mean capital of all bets stays what it was at the start, so it ever grows by a factor of 1/level with
a probability of at most `LEVEL` (Ville's inequality; Shafer and Vovk, "Game-Theoretic Foundations for Probability and
Finance", 2019; Ramdas et al., "Game-theoretic statistics and safe anytime-valid inference", Statistical Science 2023).
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from math import exp, fsum, inf, log
from typing import Final

import msgspec

from molt_bench.poker.actions import KINDS

#: The probability with which draws that do follow their probabilities are refused, over a whole run.
LEVEL: Final = 1e-4
#: Temperatures to bet on: that the draws are those of the stated probabilities to the power of 1/temperature.
_TEMPERATURES: Final = (0.05, 0.4, 0.7, 0.85, 1.2, 1.6, 3.0)
#: Those of models alone: settings that are off by a little, which takes many decisions to show.
_NEAR_TEMPERATURES: Final = (0.94, 1.07)
#: Top-p to bet on, and the share of a bet that is kept for what it leaves out: a list of kinds is not one of tokens.
_TOP_P: Final = (0.8, 0.9, 0.95, 0.99)
_KEPT: Final = 0.02
#: By what factors a kind of action may be drawn more often than stated, relative to the others.
_FACTORS: Final = (0.2, 0.65, 1.5, 5.0)
_LIKELIEST: Final = "its likeliest action"


def kind_bets(kinds: tuple[str, ...]) -> tuple[tuple[str, float], ...]:
    """Return the kinds and factors that are bet on, after the temperatures."""
    return tuple(product(kinds, _FACTORS))


def bets_of_kinds(chances: Mapping[str, float], drawn: str, tilts: tuple[tuple[str, float], ...]) -> list[float]:
    """Return by what each bet on kinds grows with a draw that had a chance, as logarithms: temperatures first."""
    found = _bets_of_temperatures(chances, drawn, _TEMPERATURES)
    for kind, factor in tilts:
        each = chances.get(kind)
        won = log(factor) if kind == drawn else 0.0
        found.append(0.0 if each is None else won - log(1 + (factor - 1) * each))
    return found


def _bets_of_temperatures(chances: Mapping[str, float], drawn: str, temperatures: Iterable[float]) -> list[float]:
    chance = log(chances[drawn])
    logs = [log(each) for each in chances.values() if each > 0]
    top, found = max(logs), list[float]()
    for temperature in temperatures:
        power = 1 / temperature
        total = fsum([exp(power * (each - top)) for each in logs])
        found.append((power - 1) * chance - power * top - log(total))
    return found


def _bets_of_top_p(chances: Mapping[str, float], drawn: str) -> list[float]:
    """Return by what bets grow that only the likeliest kinds are drawn, as many as it takes to reach a top-p."""
    likeliest = sorted(chances, key=lambda kind: -chances[kind])
    found = []
    for share in _TOP_P:
        mass, inside = 0.0, False
        for kind in likeliest:
            mass += chances[kind]
            inside |= kind == drawn
            if mass >= share:
                break
        found.append(log((1 - _KEPT) * inside / min(mass, 1.0) + _KEPT))
    return found


def mean_capital(capital: Sequence[float]) -> float:
    """Return the mean capital of bets, as a logarithm."""
    top = max(capital)
    return top if top == inf else top + log(fsum([exp(each - top) for each in capital]) / len(capital))


class Draw(msgspec.Struct, frozen=True):
    """One draw: the kind of action that was drawn, and the probabilities of all kinds by which it was."""

    drawn: str
    chances: Mapping[str, float]

    @property
    def possible(self) -> bool:
        """Whether a draw that was read can have been made."""
        return (
            bool(self.chances)
            and {self.drawn, *self.chances} <= {*KINDS}
            and all(0 <= chance <= 1 for chance in self.chances.values())
        )


class DrawTest:
    """The evidence against one model's probabilities so far.

    Attributes:
        decisions: How many draws were tested.
    """

    def __init__(self, kinds: tuple[str, ...]) -> None:
        self.decisions = 0
        self._tilts = kind_bets(kinds)
        own = len(_NEAR_TEMPERATURES) + len(_TOP_P)
        self._capital = [0.0] * (len(_TEMPERATURES) + len(self._tilts) + own)
        self._counts = {name: _Count() for name in (*kinds, _LIKELIEST)}

    def add(self, chances: Mapping[str, float], drawn: str) -> None:
        """Add a draw. `chances` add up to 1; one that was drawn without a chance refutes them."""
        self.decisions += 1
        chance = chances.get(drawn, 0.0)
        likeliest = max(chances, key=lambda kind: chances[kind])
        for kind, each in chances.items():
            self._counts[kind].add(each, drawn=kind == drawn)
        self._counts[_LIKELIEST].add(chances[likeliest], drawn=drawn == likeliest)
        if not chance > 0:
            self._capital = [inf] * len(self._capital)
            return
        grown = self.growth(chances, drawn)
        self._capital = [each + more for each, more in zip(self._capital, grown, strict=True)]

    def growth(self, chances: Mapping[str, float], drawn: str) -> list[float]:
        """Return by what each bet grows with a draw that had a chance, as logarithms."""
        grown = bets_of_kinds(chances, drawn, self._tilts)
        grown += _bets_of_temperatures(chances, drawn, _NEAR_TEMPERATURES)
        return grown + _bets_of_top_p(chances, drawn)

    @property
    def evidence(self) -> float:
        """The mean capital of all bets, as a logarithm; 0 in the beginning."""
        return mean_capital(self._capital)

    @property
    def fails(self) -> bool:
        """Whether the draws do not follow the probabilities."""
        return self.evidence >= -log(LEVEL)

    def worst(self) -> str:
        """Return what was drawn too often or too seldom, in words."""
        name, count = max(self._counts.items(), key=lambda each: abs(each[1].z))
        return f"{name} was drawn {count.drawn:,} times, {count.expected:,.1f} expected"


class _Count:
    """How often something was drawn, and how often that was to be expected."""

    def __init__(self) -> None:
        self.drawn = 0
        self.expected = 0.0
        self.variance = 0.0

    def add(self, chance: float, *, drawn: bool) -> None:
        self.drawn += drawn
        self.expected += chance
        self.variance += chance * (1 - chance)

    @property
    def z(self) -> float:
        return (self.drawn - self.expected) / (self.variance**0.5 or 1e-9)
