"""The names of the matchmakers, which `molt_bench.bench.schedule` holds: what `scheduler.policy` may be."""

from typing import Final

from molt_bench.errors import ConfigError
from molt_bench.suggestions import one_of

#: The matchmaker by which everybody plays the yardstick alone.
GAUNTLET: Final = "gauntlet"
#: The one by which two versions of an agent play everybody else, and each other.
GATE: Final = "gate"
#: All of them; `register_matchmaker` adds those of users.
MATCHMAKER_NAMES: Final = [
    "uncertainty_overlap",
    "information_gain",
    "round_robin",
    "adjacent_pairs",
    "thompson",
    GAUNTLET,
    GATE,
]


def check_matchmaker(name: str) -> None:
    """Raise ConfigError if there is no matchmaker of this name."""
    if name not in MATCHMAKER_NAMES:
        raise ConfigError("scheduler.policy", name, one_of(MATCHMAKER_NAMES, name))
