"""The built-in bots: simple, fast, and the same in every run.

None has a memory: what a bot does depends on the observation and, if it mixes, on the observation's noise and its own
seed. `tag` and `blueprint`, the strongest, have their own files.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final, overload

from molt_bench.agents.base import Policy, Sizes
from molt_bench.agents.starting_hands import starting_hand
from molt_bench.poker.actions import CALL, CHECK, FOLD, Action
from molt_bench.poker.observation import Observation
from molt_bench.seeds import Seed, derive

_MASK: Final = (1 << 64) - 1


class ScriptedAgent:
    """Base of the built-in bots. Two of a kind with equal seeds throw the same dice, if they mix."""

    #: Name in configs and on the command line.
    kind: str
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

    #: The chance of each kind of action where it may raise, and where it may not.
    CHANCES: Final = (1 / 3, 1 / 2)

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
        of_three, of_two = self.CHANCES
        if not observation.max_raise_to:
            return (FOLD, of_two), (passive, of_two)
        sizes = Sizes(observation.min_raise_to, observation.max_raise_to)
        return (FOLD, of_three), (passive, of_three), (sizes, of_three)


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


class PotRaises(Sequence[tuple[Action | Sizes, float]]):
    """The policy of a bot that raises by any percentage of the pot in a range, and else checks or calls.

    It is a hundred sizes at every decision, so they are listed only when somebody reads them.

    Attributes:
        passive: The check or call.
        facing: The bet that a raise adds to.
        pot: The pot after a call.
        least: The least legal size.
        most: The most legal size.
    """

    __slots__ = ("_choices", "facing", "least", "most", "passive", "pot")

    #: The percentages of the pot, all equally likely.
    PERCENTS: Final = (50, 150)
    passive_chance: Final = 0.3
    raise_chance: Final = 0.7

    def __init__(self, observation: Observation) -> None:
        self.passive = CALL if observation.to_call else CHECK
        self.facing = observation.bets[observation.seat] + observation.to_call
        self.pot = observation.pot + observation.to_call
        self.least, self.most = observation.min_raise_to, observation.max_raise_to
        self._choices: tuple[tuple[Action | Sizes, float], ...] = ()

    @staticmethod
    def chance_of(times: int) -> float:
        """Return the probability of a size that so many percentages lead to."""
        return times * PotRaises.raise_chance / 101

    @property
    def distinct(self) -> bool:
        """Whether different percentages lead to different sizes, but for the least and the most legal one."""
        return 100 <= self.pot < 1 << 40

    def times(self, size: int) -> int:
        """Return how many percentages lead to a legal size, if different ones lead to different sizes."""
        low, high = self.PERCENTS
        # The percentages that lead to less than the size, and to no more than it.
        less, upto = (-(-100 * (each - self.facing) // self.pot) - 1 for each in (size, size + 1))
        first = low - 1 if size <= self.least else less
        last = high if size >= self.most else upto
        return max(0, min(last, high) - max(first, low - 1)) if self.least <= size <= self.most else 0

    def _listed(self) -> tuple[tuple[Action | Sizes, float], ...]:
        if not self._choices:
            low, high = self.PERCENTS
            facing, pot, least, most = self.facing, self.pot, self.least, self.most
            # `raise_by_pot` written out.
            sizes = Counter([min(max(facing + pot * each // 100, least), most) for each in range(low, high + 1)])
            raises = [(Action("raiseTo", size), self.chance_of(times)) for size, times in sizes.items()]
            self._choices = (self.passive, self.passive_chance), *raises
        return self._choices

    def __len__(self) -> int:
        return len(self._listed())

    @overload
    def __getitem__(self, at: int) -> tuple[Action | Sizes, float]: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[tuple[Action | Sizes, float], ...]: ...
    def __getitem__(self, at: int | slice) -> Any:
        return self._listed()[at]

    def __iter__(self) -> Iterator[tuple[Action | Sizes, float]]:
        return iter(self._listed())


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
        return PotRaises(observation)


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
