"""Agents that publish a policy: honest ones, and ones that lie about it or play with the rules of its use.

Each is a factory without arguments, so a config may name it as `tests/e2e/liars.py:Name`.
"""

from time import sleep
from typing import ClassVar

from molt_bench.agents.base import Sizes
from molt_bench.poker.actions import Action


def passive(seen):
    return Action("call") if seen.to_call else Action("check")


def goodness(seen):
    """Return how good the hole cards look, from 0 to 1."""
    high, low = sorted((card >> 2 for card in seen.cards), reverse=True)
    return min(1.0, (high + low) / 24 + 0.4 * (high == low))


def drawn(policy, noise):
    """Return what a policy draws with a random number below 2**32."""
    share, choice = (noise + 0.5) / 2**32, policy[-1][0]
    for each, chance in policy:
        choice = each
        if share < chance:
            break
        share -= chance
    if isinstance(choice, Sizes):
        low, high = choice.low, choice.high
        return Action("raiseTo", low + noise * 2_654_435_761 % 2**32 * (high - low + 1) // 2**32)
    return choice


class Honest:
    """Mixes by its cards: folds, calls, or raises to any size of a range; publishes what it draws from."""

    bold = 0.3

    def __init__(self):
        self.name = type(self).__name__.lower()

    def odds(self, seen):
        """Return what it draws from."""
        good = goodness(seen)
        folds = 0.8 * (1 - good) if seen.to_call else 0.0
        raises = self.bold * (0.3 + good) if seen.max_raise_to else 0.0
        found = [(passive(seen), (1 - folds) * (1 - raises))]
        if folds:
            found.append((Action("fold"), folds * (1 - raises)))
        if raises:
            low = seen.min_raise_to
            found.append((Sizes(low, min(seen.max_raise_to, max(low, 2 * seen.pot))), raises))
        return found

    def policy(self, seen):
        return self.odds(seen)

    def act(self, seen):
        return drawn(self.odds(seen), seen.noise)


class Bold(Honest):
    """Raises more often; an honest opponent for the others."""

    bold = 0.6


class Caller(Honest):
    """Plays as `callstation`, and publishes that."""

    def odds(self, seen):
        return [(passive(seen), 1.0)]


class CallingLiar(Caller):
    """Plays as `callstation`, and says that it folds half of its bad hands: calls that lost count as bad luck."""

    def policy(self, seen):
        if not seen.to_call or goodness(seen) > 0.5:
            return self.odds(seen)
        return [(passive(seen), 0.5), (Action("fold"), 0.5)]


class StrengthLiar(Honest):
    """Folds as often as it says, but says that it folds bad hands and folds good ones as often."""

    def odds(self, seen):
        return [(passive(seen), 0.5), (Action("fold"), 0.5)] if seen.to_call else [(passive(seen), 1.0)]

    def policy(self, seen):
        if not seen.to_call:
            return self.odds(seen)
        folds = 1.0 - goodness(seen)
        return [(passive(seen), 0.02 + 0.96 * (1 - folds)), (Action("fold"), 0.02 + 0.96 * folds)]


class SizeLiar(Honest):
    """Honest about kinds: it says that it raises by any size, and raises bad hands by more than good ones."""

    def act(self, seen):
        action = drawn(self.odds(seen), seen.noise)
        if action.kind != "raiseTo":
            return action
        sizes = self.odds(seen)[-1][0]
        return Action("raiseTo", sizes.high if goodness(seen) < 0.5 else sizes.low)


class BigPotLiar(Honest):
    """Honest in small pots; in big ones it always calls, and says that it folds bad hands."""

    big = 20

    def act(self, seen):
        if seen.to_call and seen.pot >= self.big * seen.rules.big_blind:
            return passive(seen)
        return super().act(seen)


class Witness(Honest):
    """Those that play and the one that is asked share what happened."""

    happened: ClassVar[set] = set()

    def act(self, seen):
        self.happened.add((seen.hand_number, seen.cards, seen.log))
        return super().act(seen)


class OffPathLiar(Witness):
    """Says the truth about every decision that came, and nonsense about those that did not."""

    happened: ClassVar[set] = set()

    def policy(self, seen):
        if (seen.hand_number, seen.cards, seen.log) in self.happened:
            return self.odds(seen)
        return [(Action("fold"), 1.0)] if seen.to_call else [(passive(seen), 1.0)]


class HindsightLiar(Honest):
    """Knows what it drew when it is asked, and calls a draw a matter of dice only where it was the worse one."""

    done: ClassVar[dict] = {}

    def odds(self, seen):
        return [(passive(seen), 0.5), (Action("fold"), 0.5)] if seen.to_call else [(passive(seen), 1.0)]

    def act(self, seen):
        action = drawn(self.odds(seen), seen.noise)
        self.done[seen.hand_number, seen.cards, seen.log] = action
        return action

    def policy(self, seen):
        action = self.done.get((seen.hand_number, seen.cards, seen.log))
        if action is None or not seen.to_call:
            return self.odds(seen)
        worse = action.kind == ("fold" if goodness(seen) > 0.6 else "call")
        return self.odds(seen) if worse else [(action, 1.0)]


class Forgetful(Honest):
    """Names an illegal size where it is winning, so that its luck there would be kept."""

    def policy(self, seen):
        if seen.starting_stacks[seen.seat] > seen.starting_stacks[1 - seen.seat]:
            return [(Action("raiseTo", 1), 1.0)]
        return self.odds(seen)


class Buggy(Honest):
    """Its policy fails at an all-in, by an honest mistake."""

    def policy(self, seen):
        if not seen.max_raise_to:
            raise ZeroDivisionError("division by zero")
        return self.odds(seen)


class FaultsAhead(Honest):
    """Gives no usable answer where it is winning."""

    def faults(self, seen):
        return seen.starting_stacks[seen.seat] > seen.starting_stacks[1 - seen.seat]

    def act(self, seen):
        return None if self.faults(seen) and seen.noise % 4 == 0 else super().act(seen)


class FaultsBehind(FaultsAhead):
    """Gives no usable answer where it is losing."""

    def faults(self, seen):
        return seen.starting_stacks[seen.seat] < seen.starting_stacks[1 - seen.seat]


class FaultsOnce(Honest):
    """Takes its first answer back whenever it was a raise, and gives the same one again."""

    def act(self, seen):
        action = super().act(seen)
        return None if action.kind == "raiseTo" and not seen.previous_error else action


class Fickle(Honest):
    """Answers otherwise whenever it is asked again."""

    def __init__(self):
        super().__init__()
        self.asked = {}

    def policy(self, seen):
        place = seen.hand_number, seen.cards, seen.log
        self.asked[place] = self.asked.get(place, 0) + 1
        return self.odds(seen) if self.asked[place] == 1 else [(passive(seen), 1.0)]


class Endless(Honest):
    """Its policy is a generator without end."""

    def policy(self, seen):
        while True:
            yield passive(seen), 0.0


class Stalls(Honest):
    """Its policy does not return."""

    def policy(self, seen):
        sleep(3600)


class Spins(Honest):
    """Its policy computes forever."""

    def policy(self, seen):
        while True:
            pass
