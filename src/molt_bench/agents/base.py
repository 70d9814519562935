"""PokerAgent, the protocol that every agent follows."""

from collections.abc import Awaitable
from typing import Protocol, runtime_checkable

from molt_bench.poker.actions import Action
from molt_bench.poker.mix import Mix as Mix
from molt_bench.poker.mix import RaiseRange as RaiseRange
from molt_bench.poker.observation import Observation


@runtime_checkable
class PokerAgent(Protocol):
    """Anything with a name that answers an observation with an action, or with a mix of actions.

    An agent that mixes says so: `Mix` holds actions and ranges of raises with their weights. The bench writes it down,
    draws one action with its own dice, and plays that. The agent learns which one it was where it learns all that
    happened: in the log of its next observation, and in the result of the hand.

    An agent may also have any of these hooks, plain or async:

    - `told_game(facts)`: called before every game with a `GameFacts`: hands, stacks and blinds. Not async.
    - `reset()`: called before every game. Forget everything: no memory crosses the seat swap.
    - `on_hand_complete(result)`: called after every hand with a `HandResult`.
    - `on_error(message)`: called when an answer was not accepted, before the agent is asked again.
    - `close()`: called once when a game has ended, whether it was finished, given up or interrupted. Release whatever
      the game held. Exceptions are ignored, and an `async` one is cancelled where it waits after an interruption.
    """

    @property
    def name(self) -> str:
        """Name in records and on screens."""

    def act(self, observation: Observation) -> Action | Mix | Awaitable[Action | Mix]:
        """Choose one of `observation.legal`, or mix them. May be `async`."""
