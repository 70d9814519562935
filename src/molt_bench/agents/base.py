"""PokerAgent, the protocol that every agent follows."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol, TypeAlias, runtime_checkable

import msgspec

from molt_bench.poker.actions import Action
from molt_bench.poker.mix import Mix as Mix
from molt_bench.poker.mix import RaiseRange as RaiseRange
from molt_bench.poker.observation import Observation


class Sizes(msgspec.Struct, frozen=True, gc=False):
    """Every `raiseTo` from `low` to `high` chips inclusive, each equally likely."""

    low: int
    high: int


#: What an agent may do at one decision: each action, or range of sizes, with its probability. They add up to 1.
Policy: TypeAlias = Sequence[tuple[Action | Sizes, float]]
#: Returns an agent's policy at a decision; it must not depend on the observation's noise.
PolicyOf: TypeAlias = Callable[[Observation], Policy]


@runtime_checkable
class PokerAgent(Protocol):
    """Anything with a name that answers an observation with an action, or with a mix of actions.

    Whoever mixes says so: `Mix` holds actions and ranges of raises with their weights. The bench writes it down, draws
    one action with its own dice, and plays that. The agent learns which one it was where it learns all that happened:
    in the log of its next observation, and in the result of the hand.

    An agent may also have any of these hooks, plain or async:

    - `reset()`: called before every game. Forget everything: no memory crosses the seat swap.
    - `on_hand_complete(result)`: called after every hand with a `HandResult`.
    - `on_error(message)`: called when an answer was not accepted, before the agent is asked again.
    - `close()`: called once when a game has ended, whether it was finished, given up or interrupted. Release whatever
      the game held. Exceptions are ignored, and an `async` one is cancelled where it waits after an interruption.

    An agent that mixes may publish its probabilities with a plain method `policy(observation)` that returns a `Policy`.
    It is called after the game, on a fresh agent, with the observations of recorded hands but without their noise, so
    it must depend on the observation alone. Its dice are then taken out of its result; see `molt_bench.luck`. Whether
    the agent plays by it is tested in every run; one that fails is not used.
    """

    @property
    def name(self) -> str:
        """Name in records and on screens."""

    def act(self, observation: Observation) -> Action | Mix | Awaitable[Action | Mix]:
        """Choose one of `observation.legal`, or mix them. May be `async`."""
