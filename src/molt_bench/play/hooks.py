"""Hooks of agents: what they are told besides the decisions they are asked for."""

from collections.abc import Collection
from typing import Final, Literal, TypeAlias

import msgspec

from molt_bench.poker.observation import HandResult

Hook: TypeAlias = Literal["reset", "on_hand_complete", "on_error"]
HOOKS: Final[tuple[Hook, ...]] = ("reset", "on_hand_complete", "on_error")

#: The hooks of the agents in seats 0 and 1.
Listening: TypeAlias = tuple[Collection[Hook], Collection[Hook]]


class Notice(msgspec.Struct, frozen=True, gc=False):
    """A hook for the driver to call on the agent in `seat`; its answer is ignored."""

    seat: int
    hook: Hook
    arguments: tuple[HandResult | str, ...] = ()
