"""Players whose habits are drawn at random, so that nobody has placed them on a ladder: for measuring plans alone."""

from math import exp

from mixing import Chances, Mixer
from readers import score

from molt_bench.agents.scripted import ScriptedAgent
from molt_bench.poker.actions import CALL, CHECK, FOLD, Action
from molt_bench.poker.observation import Observation, raise_by_pot
from molt_bench.seeds import Seed, derive


class Tabled(Mixer):
    """Mixes by the score of its hand; what it asks of it for a call and a bet is drawn, street by street.

    Args:
        draw: Which draw it is.
        wild: How far from a usual player it may be.
        seed: Gives its dice.
        publish: Whether it says how it mixes.
    """

    kind = "tabled"

    def __init__(self, *, draw: int, wild: float, seed: Seed, publish: bool = False) -> None:
        super().__init__(seed=seed, publish=publish)

        def drawn(low: float, high: float, *labels: Seed) -> float:
            return low + (high - low) * derive("tabled", draw, *labels) / 2**256

        def around(middle: float, width: float, *labels: Seed) -> float:
            return middle + wild * width * drawn(-0.5, 0.5, *labels)

        self._calls = [around(0.4, 0.5, "calls", street) for street in range(4)]
        self._bets = [around(0.72, 0.5, "bets", street) for street in range(4)]
        self._slope = 0.02 + wild * drawn(0.0, 0.25, "slope")
        self._bluffs = wild * drawn(0.0, 0.3, "bluffs")
        self._size = int(drawn(35, 140, "size"))

    def chances(self, observation: Observation) -> Chances:
        """Return what it does, and how often."""
        street = max(0, len(observation.board) - 2)
        held = score(observation)
        raises = 0.0
        if observation.max_raise_to:
            raises = self._bluffs + (1 - self._bluffs) * self._above(held, self._bets[street])
        calls = 1.0
        if observation.to_call:
            calls = self._above(held, self._calls[street] + 0.5 * observation.pot_odds)
        passive = CALL if observation.to_call else CHECK
        found = [(raise_by_pot(observation, self._size), raises)] if raises else []
        found += [(passive, (1 - raises) * calls)]
        return (*found, *([(FOLD, (1 - raises) * (1 - calls))] if observation.to_call else []))

    def _above(self, held: float, wanted: float) -> float:
        return 1 / (1 + exp(min(50.0, (wanted - held) / self._slope)))


class Stubborn(ScriptedAgent):
    """Lets go of a hand less willingly the more chips it has put in.

    Args:
        holds: Score that it wants before the flop.
        grip: How much less it wants with all of its chips in.
        size: Percent of the pot that it bets.
        seed: Not used: it does not mix.
    """

    kind = "stubborn"

    def __init__(self, *, holds: float, grip: float, size: int, seed: Seed) -> None:
        super().__init__()
        self._holds, self._grip, self._size = holds, grip, size

    def act(self, observation: Observation) -> Action:
        """Compare the hand with what it wants by now."""
        stack = observation.stacks[observation.seat]
        wanted = self._holds - self._grip * observation.pot / (observation.pot + 2 * stack)
        held = score(observation)
        if observation.max_raise_to and held > wanted + 0.3:
            return raise_by_pot(observation, self._size)
        if not observation.to_call:
            return CHECK
        return CALL if held > wanted + 0.4 * observation.pot_odds else FOLD
