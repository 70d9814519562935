"""PokerAgent, the one protocol that everything that plays has in common."""

from collections.abc import Awaitable
from typing import Protocol, runtime_checkable

from molt_bench.poker.actions import Action
from molt_bench.poker.observation import Observation


@runtime_checkable
class PokerAgent(Protocol):
    """Anything with a name that answers an observation with an action.

    An agent may also have any of these hooks, plain or async:

    - `reset()`: called before every game. Forget everything: no memory crosses the seat swap.
    - `on_hand_complete(result)`: called after every hand with a `HandResult`.
    - `on_error(message)`: called when an answer was not taken, before the decision is asked for again.
    """

    @property
    def name(self) -> str:
        """Name in records and on screens."""

    def act(self, observation: Observation) -> Action | Awaitable[Action]:
        """Choose one of `observation.legal`. May be `async`."""
