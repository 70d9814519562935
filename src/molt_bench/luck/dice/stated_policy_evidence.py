"""Evidence against a stated policy in one game: the decisions that were drawn from it, given to the tests."""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Final

from molt_bench.agents.base import Policy, Sizes
from molt_bench.luck.cards.card_luck import hand_luck
from molt_bench.luck.coefficients import SOLID
from molt_bench.luck.dice.chances import BINS, NoChanceError, PolicyError, checked_chances, prices
from molt_bench.luck.dice.draws import Deal, Decision, Draw, Folds, Policies, values_of
from molt_bench.luck.dice.known_dice import decisions_seen
from molt_bench.luck.dice.stated_policy import StatedPolicy
from molt_bench.luck.dice.stated_policy_check import Evidence, Option, PolicyTest, SizeDrawn
from molt_bench.poker.actions import Action
from molt_bench.poker.observation import PlayedHand
from molt_bench.records import GameRecord

_NONE: Final = [0.0] * BINS


class GameEvidence:
    """The tests of the players of one game whose odds are their own word, among the policies of players A and B."""

    def __init__(self, record: GameRecord, policies: Policies) -> None:
        self._swapped = record.seating == "BA"
        self._policies = [policy if isinstance(policy, StatedPolicy) else None for policy in policies]
        self._tests = [PolicyTest(record.spec.stack) for _ in policies]
        self._faulty = {(fault.player, fault.hand_number) for fault in record.faults if fault.attempt}

    def add_values(self, seat: int, chances: Sequence[float], values: Sequence[float], drawn: int) -> None:
        """Add a decision by what would have come of it: values are chips of seat 0."""
        player = self._player(seat)
        if self._policies[player] is not None:
            self._tests[player].add_values(chances, [-each for each in values] if seat else values, drawn)

    def add_hands(self, hands: Sequence[PlayedHand], *, before: int) -> None:
        """Add the decisions of all hands but the first so many."""
        folds = Folds()
        for at, played in enumerate(hands):
            if at >= before:
                deal = Deal(played.hand.holes, hand_luck(played.hand).equities)
                for seat in (0, 1):
                    policy = self._policies[self._player(seat)]
                    if policy is not None:
                        for decision in decisions_seen(played, seat):
                            self._add(played.number, policy, decision, deal, folds.share(1 - seat))
            folds.add(played.hand)

    def _add(self, number: int, policy: StatedPolicy, decision: Decision, deal: Deal, folds: float) -> None:
        player = self._player(decision[0].seat)
        test = self._tests[player]
        try:
            add_decision(test, policy(decision[0]), decision, deal, folds)
        except NoChanceError as error:
            # Without a fault it is the agent's own answer.
            if (player, number) not in self._faulty:
                test.refute(f"hand {number}: {error}")
            test.leave_out(f"hand {number}: {error}")
        except PolicyError as error:
            test.leave_out(f"hand {number}: {error}")

    def _player(self, seat: int) -> int:
        return 1 - seat if self._swapped else seat

    def found(self) -> tuple[Evidence | None, Evidence | None]:
        """Return what was found of players A and B; None of one that states no odds."""
        first, second = (
            test.evidence() if policy is not None else None
            for test, policy in zip(self._tests, self._policies, strict=True)
        )
        return first, second


def add_decision(test: PolicyTest, policy: Policy, decision: Decision, deal: Deal, folds: float) -> None:
    """Add a decision to a test; raises PolicyError if the odds cannot be right.

    `folds` is the share of raises that the other seat folds to.
    """
    seen, action = decision
    begins = prices(seen)
    fold, passive, raised, sizes, _ = checked_chances(policy, seen, begins, action)
    named: list[tuple[str, int, float]] = [("fold", -1, fold), ("call" if seen.to_call else "check", -1, passive)]
    named += [("raiseTo", price, chance) for price, chance in enumerate(raised)]
    named = [each for each in named if each[2] > 0]
    price = bisect_right(begins, action.amount) if action.kind == "raiseTo" else -1
    drawn = next(at for at, each in enumerate(named) if each[:2] == (action.kind, price))
    if len(named) == 1 and price < 0:
        return  # it was certain
    means = [size / chance if chance > 0 else 0.0 for size, chance in zip(sizes, raised, strict=True)]
    means[-1] = float(begins[-1])
    values = values_of([_one(*each[:2], means) for each in named], seen, deal, folds, SOLID.actions)
    options = [Option(*each, value) for each, value in zip(named, values, strict=True)]
    test.add(options, drawn, _size(policy, action, options) if price >= 0 else None)


def _one(kind: str, price: int, means: Sequence[float]) -> Draw:
    """Return a draw that is certain: this kind of action, and of raises the mean size of those by this price."""
    if price < 0:
        return Draw(float(kind == "fold"), float(kind != "fold"), _NONE, _NONE)
    raised = [float(each == price) for each in range(BINS)]
    return Draw(0.0, 0.0, raised, [each * mean for each, mean in zip(raised, means, strict=True)])


def _size(policy: Policy, action: Action, options: Sequence[Option]) -> SizeDrawn:
    """Return where the size of a raise lies among the stated ones."""
    below = own = whole = 0.0
    for choice, chance in policy:
        if isinstance(choice, Sizes):
            low, high = choice.low, choice.high
        elif choice.kind == "raiseTo":
            low = high = choice.amount
        else:
            continue
        each = chance / (high - low + 1)
        whole += chance
        below += each * max(0, min(high + 1, action.amount) - low)
        own += each * (low <= action.amount <= high)
    by_price = [each.value for each in options if each.price >= 0]
    rises = (by_price[-1] > by_price[0]) - (by_price[-1] < by_price[0])
    return SizeDrawn(below / whole, min(1.0, (below + own) / whole), rises)
