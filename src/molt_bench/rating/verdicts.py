"""Verdicts: what the margins show about each two neighbours in the ranking.

They are claims that stay valid when you look after every round and stop whenever you like: confidence sequences.
A fixed-sample interval is right 95% of the time if looked at once. Looked at after every round until it shows the
hoped-for result, it can be made wrong as often as you like. Robbins' normal mixture cannot: the likelihood of the data,
averaged over differences drawn from Normal(0, spread), divided by their likelihood without a difference, is a
martingale if there is none, so the probability that it *ever* exceeds 1/error is at most `error` (Ville's inequality;
Robbins 1970; Howard, Ramdas, McAuliffe and Sekhon 2021, equation 14).

Margins are treated as Normal with a known variance; to allow for its estimation, Student's t is converted to the z of
the same probability. See docs/methods.md for what voids this.
"""

from collections.abc import Collection
from itertools import pairwise
from math import erfc, exp, inf, log, log1p, sqrt
from statistics import NormalDist
from typing import Final, Literal, TypeAlias

import msgspec

from molt_bench.rating.margin import MarginModel
from molt_bench.rating.student import Estimate, student_cdf, student_quantile

#: Standard deviation of the mixture, like differences worth finding: this many times the tie margin.
SPREAD: Final = 2.0
_NORMAL: Final = NormalDist()
_LEAST: Final = 1e-300
#: The one above is better; they are too close to matter; it is unknown.
VerdictKind: TypeAlias = Literal["ordered", "tied", "unresolved"]


class Verdict(msgspec.Struct, frozen=True):
    """The verdict on two neighbours: how much more `above` wins from the field, in thousandths of a big blind per hand.

    `sure` is the anytime-valid confidence that `above` is better.
    """

    above: str
    below: str
    lead: Estimate
    sure: float
    kind: VerdictKind


def verdicts(
    model: MarginModel, *, threshold: float, tie_margin: float, apart: Collection[str] = ()
) -> tuple[Verdict, ...]:
    """Return the verdict on every adjacent pair of the ranking of those who are not `apart`.

    `threshold` is the confidence required of all verdicts together; two within `tie_margin` count as tied.
    """
    ranking = [name for name in model.ranking() if name not in apart]
    error = (1 - threshold) / max(1, len(ranking) - 1)
    return tuple(verdict(model, above, below, error=error, tie_margin=tie_margin) for above, below in pairwise(ranking))


def verdict(model: MarginModel, above: str, below: str, *, error: float, tie_margin: float) -> Verdict:
    """Return the verdict on two participants, wrong with probability `error` at most.

    If two are equal, either order would be wrong, so each order gets half of it.
    """
    lead = model.lead(above, below)
    spread = SPREAD * tie_margin
    confidence = sure(lead, spread)
    kind: VerdictKind = "unresolved"
    if confidence >= 1 - error / 2:
        kind = "ordered"
    elif abs(lead.mean) + lead.scale < tie_margin and abs(lead.mean) + radius(lead, spread, error) < tie_margin:
        kind = "tied"
    return Verdict(above, below, lead, confidence, kind)


def surely(share: float) -> str:
    """Format a probability without rounding it to 0% or 100%.

    >>> surely(0.9811), surely(0.99999), surely(0.00001)
    ('98.1%', '>99.9%', '<0.1%')
    """
    if share >= 0.9995:
        return ">99.9%"
    return "<0.1%" if share < 0.0005 else f"{share:.1%}"


def sure(estimate: Estimate, spread: float) -> float:
    """Return the anytime-valid confidence that a number is above 0: from 0 to 1, and 0.5 without evidence.

    It is one minus half the p-value of the mixture, whose standard deviation is `spread`: at 0.95, the chance of ever
    having been wrong is at most 5%.
    """
    if estimate.scale == inf or not estimate.mean:
        return 0.5
    # The z with the same tail probability as this t.
    z = -_NORMAL.inv_cdf(max(_LEAST, student_cdf(-abs(estimate.mean) / estimate.scale, estimate.free)))
    more = (spread / estimate.scale) ** 2  # what the mixture adds to the variance
    against = min(1.0, exp(log1p(more) / 2 - min(700.0, z * z / 2 * more / (1 + more)))) / 2
    return 1 - against if estimate.mean > 0 else against


def radius(estimate: Estimate, spread: float, error: float) -> float:
    """Return half the width of the interval that always holds the number, except with probability `error`."""
    more = 0.0 if estimate.scale == inf else (spread / estimate.scale) ** 2
    if not more:
        return inf
    z = sqrt((2 * log(1 / error) + log1p(more)) * (1 + more) / more)
    # The t with the same tail probability as this z.
    return -student_quantile(max(_LEAST, erfc(z / sqrt(2)) / 2), estimate.free) * estimate.scale
