"""Everybody against everybody on the same cards, seats swapped."""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations
from math import inf, sqrt
from statistics import fmean, stdev
from typing import Final

import msgspec

from molt_bench.agents.registry import make_agent
from molt_bench.errors import ConfigError
from molt_bench.play.match import play_match
from molt_bench.records import MatchResult
from molt_bench.seeds import Seed, seed_pool
from molt_bench.specs import ParticipantSpec

Pairing = tuple[str, str]
# The 97.5% quantiles of Student's t with 1 to 10 degrees of freedom, and of the normal distribution.
_T_975: Final = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)
_Z_975: Final = 1.959964


class Standing(msgspec.Struct, frozen=True):
    """How one participant did.

    Attributes:
        id: Who.
        bb_per_100: Big blinds won in 100 hands, mean over all seeds and opponents.
        half_width: Half of the 95% interval of that mean, infinite where there is only one seed.
        hands: Hands played.
        faults: Mistakes made.
    """

    id: str
    bb_per_100: float
    half_width: float
    hands: int
    faults: int


def participants_from(types: Sequence[str]) -> list[ParticipantSpec]:
    """Return the participants of a list of types; a type that stands there twice is told apart by a number."""
    names = [name.strip() for name in types]
    if len(names) < 2 or "" in names:
        raise ConfigError(
            "participants", ",".join(types), "at least two names with commas between, such as random,tight"
        )
    specs = []
    for at, name in enumerate(names):
        again = names[: at + 1].count(name)
        specs.append(ParticipantSpec(id=name if again == 1 else f"{name}-{again}", type=name))
    return specs


def play_round_robin(
    participants: Sequence[ParticipantSpec], *, master_seed: Seed, seeds: int, hands: int
) -> dict[Pairing, MatchResult]:
    """Play one match for each pairing; all of them on the same decks."""
    makers = {spec.id: partial(make_agent, spec, seed=spec.id) for spec in participants}
    for make in makers.values():
        make()  # a participant that cannot play is an error before the first card
    pool = seed_pool(master_seed, seeds)
    return {
        (first, second): play_match((makers[first], makers[second]), seeds=pool, hands=hands)
        for first, second in combinations(makers, 2)
    }


def standings(results: Mapping[Pairing, MatchResult], *, big_blind: int) -> list[Standing]:
    """Return everybody's result, best first.

    The unit is the seed: all opponents were met on its cards, so their results are averaged before anything else.
    """
    table = []
    for who in dict.fromkeys(name for pairing in results for name in pairing):
        by_seed: dict[Seed, list[float]] = {}
        hands = faults = 0
        for pairing, match in results.items():
            if who not in pairing:
                continue
            player = pairing.index(who)
            sign = 1 if player == 0 else -1
            for pair in match.seed_results:
                by_seed.setdefault(pair.seed, []).append(100 * sign * pair.net / big_blind / pair.hands)
            hands += match.hands
            faults += sum(fault.player == player for fault in match.faults)
        rates = [fmean(rates) for rates in by_seed.values()]
        table.append(Standing(who, fmean(rates), half_width_95(rates), hands, faults))
    return sorted(table, key=lambda standing: -standing.bb_per_100)


def half_width_95(values: Sequence[float]) -> float:
    """Return half of the 95% interval of the mean of independent values, infinite where there is only one.

    >>> round(half_width_95([1.0, 2.0, 3.0]), 3)
    2.484
    """
    free = len(values) - 1
    if not free:
        return inf
    return _t_975(free) * stdev(values) / sqrt(len(values))


def _t_975(free: int) -> float:
    if free <= len(_T_975):
        return _T_975[free - 1]
    # Cornish and Fisher's expansion, right to 0.002 there.
    z = _Z_975
    return z + (z**3 + z) / (4 * free) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * free**2)
