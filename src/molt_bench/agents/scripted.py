"""The built-in bots: simple, fast, and the same in every run.

None has a memory: what a bot does depends on the observation alone, and if it mixes, it says so and the bench draws.
`tag` and `blueprint`, the strongest, have their own files.
"""

from functools import lru_cache
from typing import Final, Literal

from molt_bench.agents.base import Mix, RaiseRange
from molt_bench.poker.actions import CALL, CHECK, FOLD, Action
from molt_bench.poker.observation import Observation
from molt_bench.poker.starting_hands import starting_hand

_PASSIVE: Final = {"call": CALL, "check": CHECK}


class ScriptedAgent:
    """Base of the built-in bots."""

    #: Name in configs and on the command line.
    kind: str
    #: The params that a config may give it.
    takes: tuple[str, ...] = ("name",)

    def __init__(self, *, name: str = "") -> None:
        self.name = name or self.kind

    def __repr__(self) -> str:
        return f"{type(self).__name__}(name={self.name!r})"


class RandomAgent(ScriptedAgent):
    """Any legal kind of action with the same chance, then any legal size."""

    kind = "random"

    def act(self, observation: Observation) -> Mix:
        """Mix everything that is legal."""
        passive = "call" if observation.to_call else "check"
        return _anything(passive, observation.min_raise_to, observation.max_raise_to)


class CallStationAgent(ScriptedAgent):
    """Never folds, never raises."""

    kind = "callstation"

    def act(self, observation: Observation) -> Action:
        """Call, or check when it is free."""
        return CALL if observation.to_call else CHECK


class FolderAgent(ScriptedAgent):
    """Gives up every hand, even for free: loses its blinds, 75 big blinds in 100 hands."""

    kind = "folder"

    def act(self, observation: Observation) -> Action:
        """Fold."""
        return FOLD


class ShoverAgent(ScriptedAgent):
    """All-in, every time."""

    kind = "shover"

    def act(self, observation: Observation) -> Action:
        """Raise all-in, or call if no raise is legal."""
        if observation.max_raise_to:
            return Action("raiseTo", observation.max_raise_to)
        return CALL if observation.to_call else CHECK


class ManiacAgent(ScriptedAgent):
    """Bets and raises seven times in ten, half the pot to one and a half pots, and never folds."""

    kind = "maniac"

    def act(self, observation: Observation) -> Action | Mix:
        """Mix a check or call with raises."""
        passive = "call" if observation.to_call else "check"
        if not observation.max_raise_to:
            return _PASSIVE[passive]
        least, most = observation.min_raise_to, observation.max_raise_to
        facing, pot = observation.bets[observation.seat] + observation.to_call, observation.pot + observation.to_call
        low, high = facing + pot // 2, facing + pot * 3 // 2
        return _mostly_raises(passive, min(max(low, least), most), min(max(high, least), most))


class TightAgent(ScriptedAgent):
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


@lru_cache(maxsize=4096)
def _anything(passive: Literal["call", "check"], low: int, high: int) -> Mix:
    """Return the mix of `random`; many decisions share it."""
    raises = [(RaiseRange(low, high), 1)] if high else []
    return Mix([(FOLD, 1), (_PASSIVE[passive], 1), *raises])


@lru_cache(maxsize=4096)
def _mostly_raises(passive: Literal["call", "check"], low: int, high: int) -> Mix:
    """Return the mix of `maniac`."""
    return Mix([(_PASSIVE[passive], 3), (RaiseRange(low, high), 7)])
