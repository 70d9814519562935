"""PokerAgent, the one protocol that everything that plays has in common."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol, TypeAlias, runtime_checkable

import msgspec

from molt_bench.poker.actions import Action
from molt_bench.poker.observation import Observation


class Sizes(msgspec.Struct, frozen=True, gc=False):
    """Every `raiseTo` from `low` to `high` chips, both included, each with the same chance."""

    low: int
    high: int


#: What an agent does at one decision: each action, or range of sizes, with its probability. They add up to 1.
Policy: TypeAlias = Sequence[tuple[Action | Sizes, float]]
#: Says what an agent does at a decision before it has drawn; the observation's noise is not to be looked at.
PolicyOf: TypeAlias = Callable[[Observation], Policy]


@runtime_checkable
class PokerAgent(Protocol):
    """Anything with a name that answers an observation with an action.

    An agent may also have any of these hooks, plain or async:

    - `reset()`: called before every game. Forget everything: no memory crosses the seat swap.
    - `on_hand_complete(result)`: called after every hand with a `HandResult`.
    - `on_error(message)`: called when an answer was not taken, before the decision is asked for again.
    - `close()`: called once when a game has ended, however it did: played out, given up or interrupted. Let go of what
      the game held. What it raises is ignored, and after an interruption an `async` one is cancelled where it waits.

    One that mixes may publish how, with a plain method `policy(observation)` that returns a `Policy`. It is asked after
    the game, with the observations of recorded hands and without their noise, so it has to be a function of what the
    observation shows. Its dice can then be taken out of its result; see `molt_bench.luck`.
    """

    @property
    def name(self) -> str:
        """Name in records and on screens."""

    def act(self, observation: Observation) -> Action | Awaitable[Action]:
        """Choose one of `observation.legal`. May be `async`."""
