"""The matchmakers by name: ours, and those that users register."""

from molt_bench.bench.schedule.adjacent_pairs import adjacent_pairs
from molt_bench.bench.schedule.gauntlet import gauntlet
from molt_bench.bench.schedule.information_gain import information_gain
from molt_bench.bench.schedule.round_robin import round_robin
from molt_bench.bench.schedule.situation import Matchmaker
from molt_bench.bench.schedule.thompson import thompson
from molt_bench.bench.schedule.uncertainty_overlap import uncertainty_overlap
from molt_bench.config.matchmaker_names import MATCHMAKER_NAMES, check_matchmaker

_MATCHMAKERS: dict[str, Matchmaker] = {
    each.__name__: each
    for each in (uncertainty_overlap, information_gain, round_robin, adjacent_pairs, thompson, gauntlet)
}


def register_matchmaker(name: str, matchmaker: Matchmaker) -> None:
    """Register a matchmaker of your own under a name, which configs then accept as `scheduler.policy`."""
    _MATCHMAKERS[name] = matchmaker
    if name not in MATCHMAKER_NAMES:
        MATCHMAKER_NAMES.append(name)


def matchmaker_named(name: str) -> Matchmaker:
    """Return a matchmaker by its name."""
    check_matchmaker(name)
    return _MATCHMAKERS[name]
