"""What could have been drawn from a mix, as a few choices: ranges and many sizes of raises are too many to follow."""

from bisect import bisect_right
from collections.abc import Mapping
from typing import Final, NamedTuple

from molt_bench.poker.actions import Kind
from molt_bench.poker.betting import Betting
from molt_bench.poker.mix import Mix, RaiseRange

#: Sizes of raises are cut at these percentages of the pot after a call, and all-in; what lies between is one choice.
CUTS: Final = (60, 120, 150, 250, 600)
#: Single sizes that are choices of their own; more of them are put together as ranges are.
MOST_ALONE: Final = 8


class Part(NamedTuple):
    """A choice: the kind of action, the mean size of a raise (0 for others), and its probability."""

    kind: Kind
    size: int
    chance: float


class Parts(NamedTuple):
    """The choices of a mix.

    Attributes:
        parts: All of them.
        passive: The place of the fold, and of the check or call.
        alone: The places of single sizes.
        cuts: The sizes at which the next choice begins.
        by_cut: The places of the other raises, by how many cuts are below.
    """

    parts: tuple[Part, ...]
    passive: Mapping[str, int]
    alone: Mapping[int, int]
    cuts: tuple[int, ...]
    by_cut: Mapping[int, int]

    def place_of(self, kind: str, amount: int) -> int:
        """Return which choice an action is that was drawn from the mix."""
        if kind != "raiseTo":
            return self.passive[kind]
        at = self.alone.get(amount)
        return self.by_cut[bisect_right(self.cuts, amount)] if at is None else at


def parts_of(mix: Mix, betting: Betting) -> Parts:
    """Return the choices of a mix at a moment at which all of it is legal."""
    total = mix.total
    parts: list[Part] = []
    passive: dict[str, int] = {}
    alone: dict[int, int] = {}
    singles, ranges = 0, []
    for entry, weight in mix.entries:
        if isinstance(entry, RaiseRange):
            ranges.append((entry.low, entry.high, weight / total))
        elif entry.kind == "raiseTo":
            singles += 1
            ranges.append((entry.amount, entry.amount, weight / total))
        else:
            passive[entry.kind] = len(parts)
            parts.append(Part(entry.kind, 0, weight / total))
    if not ranges:
        return Parts(tuple(parts), passive, alone, (), {})
    sums: dict[int, tuple[float, float]] = {}
    cuts: tuple[int, ...] = ()
    if singles < len(ranges) or singles > MOST_ALONE:
        cuts = _cuts(betting)
    for low, high, chance in ranges:
        if low == high and singles <= MOST_ALONE:
            alone[low] = len(parts)
            parts.append(Part("raiseTo", low, chance))
            continue
        each, start = chance / (high - low + 1), low
        for at in range(bisect_right(cuts, low), len(cuts) + 1):
            last = min(high, cuts[at] - 1) if at < len(cuts) else high
            if last >= start:
                share = each * (last - start + 1)
                before, of_all = sums.get(at, (0.0, 0.0))
                sums[at] = before + share, of_all + share * (start + last) / 2
                start = last + 1
    by_cut = {}
    for at, (chance, of_all) in sums.items():
        by_cut[at] = len(parts)
        parts.append(Part("raiseTo", round(of_all / chance), chance))
    return Parts(tuple(parts), passive, alone, cuts, by_cut)


def _cuts(betting: Betting) -> tuple[int, ...]:
    facing, pot = betting.bets[betting.actor] + betting.to_call, betting.chips + betting.to_call
    most = betting.max_raise_to
    return (*[min(facing + pot * percent // 100, most) for percent in CUTS], most)
