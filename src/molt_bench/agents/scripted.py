"""The built-in bots: simple, fast, and the same in every run.

None has a memory: what a bot does depends on the observation and, if it mixes, on the observation's noise and its own
seed. `tag` and `blueprint`, the strongest, have their own files.
"""

from abc import ABC, abstractmethod
from typing import Final

from molt_bench.agents.base import Policy, Sizes
from molt_bench.agents.pot_raises import PotRaises
from molt_bench.poker.actions import CALL, CHECK, FOLD, Action
from molt_bench.poker.observation import Observation
from molt_bench.poker.starting_hands import starting_hand
from molt_bench.seeds import Seed, derive

_MASK: Final = (1 << 64) - 1


class ScriptedAgent:
    """Base of the built-in bots. Two of a kind with equal seeds throw the same dice, if they mix."""

    #: Name in configs and on the command line.
    kind: str
    #: The params that a config may give it.
    takes: tuple[str, ...] = ("seed", "name")
    #: Whether what it does depends on its hole cards.
    sees_cards = True

    def __init__(self, *, seed: Seed = 0, name: str = "") -> None:
        self.name = name or self.kind
        self.seed = seed
        self._salt = derive(seed, "agent") & _MASK

    def throw(self, observation: Observation) -> int:
        """Return 64 random bits for this decision of this bot (the SplitMix64 mixer)."""
        bits = (observation.noise ^ self._salt) * 0x9E3779B97F4A7C15 & _MASK
        bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9 & _MASK
        bits = (bits ^ bits >> 27) * 0x94D049BB133111EB & _MASK
        return bits ^ bits >> 31

    def __repr__(self) -> str:
        return f"{type(self).__name__}(seed={self.seed!r}, name={self.name!r})"


class FixedAgent(ScriptedAgent, ABC):
    """Base of the bots that do not mix."""

    @abstractmethod
    def act(self, observation: Observation) -> Action:
        """Choose the action for this observation; there is only one."""

    def policy(self, observation: Observation) -> Policy:
        """Return the one action, which is certain."""
        return ((self.act(observation), 1.0),)


class RandomAgent(ScriptedAgent):
    """Any legal kind of action with the same chance, then any legal size."""

    kind = "random"
    sees_cards = False

    def act(self, observation: Observation) -> Action:
        """Draw a kind, then a size."""
        bits = self.throw(observation)
        kinds = 3 if observation.max_raise_to else 2
        drawn = bits % kinds
        if drawn == 2:
            low, high = observation.min_raise_to, observation.max_raise_to
            return Action("raiseTo", low + (bits >> 8) % (high - low + 1))
        if drawn:
            return CALL if observation.to_call else CHECK
        return FOLD

    def policy(self, observation: Observation) -> Policy:
        """Return the probabilities that `act` draws with."""
        passive = CALL if observation.to_call else CHECK
        if not observation.max_raise_to:
            return (FOLD, 1 / 2), (passive, 1 / 2)
        sizes = Sizes(observation.min_raise_to, observation.max_raise_to)
        return (FOLD, 1 / 3), (passive, 1 / 3), (sizes, 1 / 3)


class CallStationAgent(FixedAgent):
    """Never folds, never raises."""

    kind = "callstation"
    sees_cards = False

    def act(self, observation: Observation) -> Action:
        """Call, or check when it is free."""
        return CALL if observation.to_call else CHECK


class FolderAgent(FixedAgent):
    """Gives up every hand, even for free: loses its blinds, 75 big blinds in 100 hands, to whoever plays on."""

    kind = "folder"
    sees_cards = False

    def act(self, observation: Observation) -> Action:
        """Fold."""
        return FOLD


class ShoverAgent(FixedAgent):
    """All-in, every time."""

    kind = "shover"
    sees_cards = False

    def act(self, observation: Observation) -> Action:
        """Raise all-in, or call if no raise is legal."""
        if observation.max_raise_to:
            return Action("raiseTo", observation.max_raise_to)
        return CALL if observation.to_call else CHECK


class ManiacAgent(ScriptedAgent):
    """Bets and raises seven times in ten, half the pot to one and a half pots, and never folds."""

    kind = "maniac"
    sees_cards = False

    def act(self, observation: Observation) -> Action:
        """Draw whether to raise, and by how much."""
        bits = self.throw(observation)
        if observation.max_raise_to and bits % 10 < 7:
            percent = 50 + (bits >> 8) % 101
            return raise_by_pot(observation, percent)
        return CALL if observation.to_call else CHECK

    def policy(self, observation: Observation) -> Policy:
        """Return the probabilities that `act` draws with."""
        passive = CALL if observation.to_call else CHECK
        if not observation.max_raise_to:
            return ((passive, 1.0),)
        return PotRaises(observation, (50, 150), (0.3, 0.7))


class TightAgent(FixedAgent):
    """Plays few hands: raises premiums with the smallest raise, calls with good ones, and hopes.

    After the flop it checks when that is free, and calls only at pot odds below 0.2.
    """

    kind = "tight"

    PREMIUM = frozenset({"AA", "KK", "QQ", "JJ", "TT", "AKs", "AKo", "AQs"})
    GOOD = frozenset({"99", "88", "77", "66", "AQo", "AJs", "AJo", "ATs", "KQs", "KQo", "KJs", "QJs", "JTs"})

    def act(self, observation: Observation) -> Action:
        """Go by the starting hand before the flop, and by pot odds after it."""
        if not observation.board:
            hand = starting_hand(observation.cards)
            if hand in self.PREMIUM and observation.max_raise_to:
                return Action("raiseTo", observation.min_raise_to)
            wanted = hand in self.PREMIUM or hand in self.GOOD
        else:
            wanted = observation.pot_odds < 0.2
        if not observation.to_call:
            return CHECK
        return CALL if wanted else FOLD


def raise_by_pot(observation: Observation, percent: int) -> Action:
    """Return a raise by `percent` of the pot after a call, or the closest legal raise."""
    facing = observation.bets[observation.seat] + observation.to_call
    amount = facing + (observation.pot + observation.to_call) * percent // 100
    return Action("raiseTo", min(max(amount, observation.min_raise_to), observation.max_raise_to))
