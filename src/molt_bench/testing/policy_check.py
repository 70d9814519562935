"""Whether an agent draws as its published policy says, by the games of its check."""

from collections.abc import Iterable, Iterator
from math import fsum, sqrt
from typing import Final

from molt_bench.agents.base import Policy, PolicyOf, Sizes
from molt_bench.luck.dice import TOLERANCE
from molt_bench.luck.walk import walked
from molt_bench.poker.actions import Action, Kind
from molt_bench.poker.observation import Observation
from molt_bench.records import GameRecord
from molt_bench.seeds import derive
from molt_bench.testing.findings import Check

DRAWS: Final = "it draws as its published policy says"
#: Into how many equally likely parts draws are sorted, and chi-squared that one right policy in a million exceeds.
_PARTS: Final = 40
_TOO_UNEVEN: Final = 97.0
#: Draws of each part that can be expected at least, for a verdict.
_ENOUGH: Final = 5
#: Standard errors that a kind of action may be off: one right policy in two million is further off.
_FAR_OFF: Final = 5.0
_ORDER: Final[tuple[Kind, ...]] = ("fold", "check", "call", "raiseTo")


def policy_check(policy: PolicyOf, games: Iterable[GameRecord]) -> Check:
    """Compare what player A did in some games with its policy."""
    draws = _Draws()
    for seen, action in _decisions(games):
        try:
            draws.add(list(policy(seen)), action)
        except Exception as error:  # foreign code: it may raise or return anything
            return Check(DRAWS, (f"its policy failed in hand {seen.hand_number}: {type(error).__name__}: {error}",))
    return Check(DRAWS, draws.problems())


class _Draws:
    """Draws, and the probabilities they are said to come from.

    With the choices in order, folds first and raises by size, a draw falls anywhere between those before it and those
    after it. If the policy is right, all places from 0 to 1 are equally likely.
    """

    def __init__(self) -> None:
        self._places = [0] * _PARTS
        #: By kind: how often it was drawn, how often it should have been, and the variance of that.
        self._kinds = dict.fromkeys(("fold", "raiseTo"), (0, 0.0, 0.0))

    def add(self, policy: Policy, action: Action) -> None:
        """Add a draw; ValueError if it had no chance, or probabilities do not add up to 1."""
        before, own = _place(policy, action)
        if not own > 0:
            raise ValueError(f"it gives {action}, which was done, no chance")
        within = derive("place of a draw", sum(self._places)) / 2**256
        self._places[min(int(_PARTS * (before + own * within)), _PARTS - 1)] += 1
        for kind, (drawn, expected, variance) in self._kinds.items():
            chance = fsum([float(each) for choice, each in policy if _kind(choice) == kind])
            self._kinds[kind] = drawn + (action.kind == kind), expected + chance, variance + chance * (1 - chance)

    def problems(self) -> tuple[str, ...]:
        """Say how draws differ from what they should be by more than chance explains."""
        found, (count, each) = [], (sum(self._places), sum(self._places) / _PARTS)
        for kind, (drawn, expected, variance) in self._kinds.items():
            if abs(drawn - expected) > _FAR_OFF * sqrt(variance) + 1:
                found.append(f"of {count:,} draws, {drawn:,} are {kind}, where {expected:,.0f} should be")
        if not found and each >= _ENOUGH and fsum([(place - each) ** 2 / each for place in self._places]) > _TOO_UNEVEN:
            found.append(
                f"of {count:,} draws, {max(self._places):,} fall into a part that is 1/{_PARTS} of its probabilities, "
                f"where {each:,.0f} should"
            )
        return tuple([f"its `policy` is not what `act` draws from: {each}" for each in found])


def _decisions(games: Iterable[GameRecord]) -> Iterator[tuple[Observation, Action]]:
    """Yield the decisions of player A, each random number that it was given once, whatever the table and opponent."""
    known: set[tuple[int, int, int]] = set()
    for record in games:
        seat = int(record.seating == "BA")
        if any(fault.player == 0 for fault in record.faults):
            continue
        for number, hand, _ in record.replay():
            seats = seat == 0, seat == 1
            for seen, action in walked(hand, number, seats, record.spec.max_actions).decisions:
                which = seat, number, len(seen.log)
                if which not in known:
                    known.add(which)
                    yield seen, action


def _place(policy: Policy, action: Action) -> tuple[float, float]:
    """Return the probability of what comes before an action, and its own; ValueError if they do not add up to 1."""
    before, own, whole = list[float](), list[float](), list[float]()
    for choice, stated in policy:
        chance, kind = float(stated), _kind(choice)
        whole.append(chance)
        if kind == action.kind == "raiseTo":
            low, high = (choice.low, choice.high) if isinstance(choice, Sizes) else (choice.amount, choice.amount)
            each = chance / (high - low + 1)
            before.append(each * max(0, min(high + 1, action.amount) - low))
            own.append(each * (low <= action.amount <= high))
        elif kind == action.kind:
            own.append(chance)
        elif _ORDER.index(kind) < _ORDER.index(action.kind):
            before.append(chance)
    if abs(fsum(whole) - 1) > TOLERANCE:
        raise ValueError(f"its probabilities add up to {fsum(whole):g}, not 1")
    return fsum(before), fsum(own)


def _kind(choice: Action | Sizes) -> Kind:
    return "raiseTo" if isinstance(choice, Sizes) else choice.kind
