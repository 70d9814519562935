"""What could have been drawn from a mix, as a few choices: ranges and many sizes of raises are too many to follow."""

from bisect import bisect_right
from collections.abc import Mapping
from typing import Final, NamedTuple

from molt_bench.poker.actions import Kind
from molt_bench.poker.betting import Betting
from molt_bench.poker.mix import Mix, RaiseRange

#: Sizes of raises are cut at these percentages of the pot after a call, and all-in; what lies between is one choice.
_CUTS: Final = (60, 120, 150, 250, 600)


class Choice(NamedTuple):
    """The kind of action, the mean size of a raise (0 for others), and its probability."""

    kind: Kind
    size: int
    chance: float


class Choices(NamedTuple):
    """The choices of a mix: by kind, and for raises by how many `cuts` are no larger."""

    of: Mapping[Kind | int, Choice]
    cuts: tuple[int, ...]

    def of_action(self, kind: Kind, amount: int) -> Choice:
        """Return the choice that an action belongs to which was drawn from the mix."""
        return self.of[bisect_right(self.cuts, amount) if kind == "raiseTo" else kind]


def choices_of(mix: Mix, betting: Betting) -> Choices:
    """Return the choices of a mix at a moment at which all of it is legal."""
    facing, pot = betting.bets[betting.actor] + betting.to_call, betting.chips + betting.to_call
    most = betting.max_raise_to
    cuts = (*[min(facing + pot * percent // 100, most) for percent in _CUTS], most)
    found: dict[Kind | int, Choice] = {}
    raises: dict[int, tuple[float, float]] = {}
    for entry, weight in mix.entries:
        chance = weight / mix.total
        if isinstance(entry, RaiseRange):
            start, high = entry.low, entry.high
        elif entry.kind == "raiseTo":
            start = high = entry.amount
        else:
            found[entry.kind] = Choice(entry.kind, 0, chance)
            continue
        each = chance / (high - start + 1)
        while start <= high:
            at = bisect_right(cuts, start)
            last = min(high, cuts[at] - 1) if at < len(cuts) else high
            share = each * (last - start + 1)
            before, of_all = raises.get(at, (0.0, 0.0))
            raises[at] = before + share, of_all + share * (start + last) / 2
            start = last + 1
    for at, (chance, of_all) in raises.items():
        found[at] = Choice("raiseTo", round(of_all / chance), chance)
    return Choices(found, cuts)
