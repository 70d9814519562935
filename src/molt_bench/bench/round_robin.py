"""Everybody against everybody on the same cards, seats swapped."""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations
from statistics import NormalDist, fmean, stdev

import msgspec

from molt_bench.agents.registry import make_agent
from molt_bench.errors import ConfigError
from molt_bench.play.match import play_match
from molt_bench.records import MatchResult
from molt_bench.seeds import Seed, seed_pool
from molt_bench.specs import ParticipantSpec

Pairing = tuple[str, str]
_TWO_SIDED_95 = NormalDist().inv_cdf(0.975)


class Standing(msgspec.Struct, frozen=True):
    """How one participant did.

    Attributes:
        id: Who.
        bb_per_100: Big blinds won in 100 hands, mean over all seed pairs.
        half_width: Half of the 95% interval of that mean, infinite where there is only one seed pair.
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
    """Return everybody's result, best first."""
    table = []
    for who in dict.fromkeys(name for pairing in results for name in pairing):
        rates, hands, faults = [], 0, 0
        for pairing, match in results.items():
            if who not in pairing:
                continue
            player = pairing.index(who)
            sign = 1 if player == 0 else -1
            rates += [100 * sign * pair.net / big_blind / pair.hands for pair in match.seed_results]
            hands += match.hands
            faults += sum(fault.player == player for fault in match.faults)
        wide = _TWO_SIDED_95 * stdev(rates) / len(rates) ** 0.5 if len(rates) > 1 else float("inf")
        table.append(Standing(who, fmean(rates), wide, hands, faults))
    return sorted(table, key=lambda standing: -standing.bb_per_100)
