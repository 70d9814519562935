"""The rules that a game can set: blinds, ante and raise cap."""

import msgspec

from molt_bench.errors import ConfigError, check_at_least


class HandRules(msgspec.Struct, frozen=True, gc=False):
    """The rules that all hands of a game share.

    Attributes:
        small_blind: Chips the button posts, from 0 to the big blind.
        big_blind: Chips the other seat posts, at least 1; also the smallest bet.
        ante: Chips each seat posts before the blinds.
        raise_cap: Bets and raises allowed on one street; None for no cap. The big blind does not count.
    """

    small_blind: int
    big_blind: int
    ante: int = 0
    raise_cap: int | None = None

    def __post_init__(self) -> None:
        check_at_least(self, big_blind=1, small_blind=0, ante=0)
        if self.small_blind > self.big_blind:
            raise ConfigError("small_blind", self.small_blind, f"at most the big blind ({self.big_blind})")
        cap = self.raise_cap
        if cap is not None and (type(cap) is not int or cap < 1):
            raise ConfigError("raise_cap", cap, "None or a whole number, at least 1")
