"""Many hands in the notation, read at once: the bytes of all of them as one array.

A list of 100,000 hands is made while a reader waits. Looked at one by one they take four times as long.
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from molt_bench.poker.cards import RANKS, SUITS

Ints: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]

#: Fields of a hand that end in a colon, and those that are used here.
_COLONS: Final = 6
_RULES, _STACKS, _BUTTON, _CARDS, _ACTIONS = range(1, 6)
#: Digits of the longest number of chips, with some room.
_DIGITS: Final = 18


def _table(values: dict[str, int]) -> Ints:
    """Return a number for each byte; -1 for those that mean nothing."""
    table = np.full(256, -1, dtype=np.int64)
    for letter, value in values.items():
        table[ord(letter)] = value
    return table


_RANK_OF: Final = _table({letter: at for at, letter in enumerate(reversed(RANKS))})
_SUIT_OF: Final = _table({letter: at for at, letter in enumerate(SUITS)})
_DIGIT_OF: Final = _table({str(digit): digit for digit in range(10)})


class HandTexts:
    """Hands of the notation as arrays with one element for each hand.

    Attributes:
        folded: Whether it ended with a fold.
        forced: Whether that fold was forced on an agent.
        streets: How many streets followed the first.
        most: What each player can put in: the shorter stack.
        buttons: The seat with the button.
        holes: The starting hands of both seats, as places in a square of 13 ranks, aces first: pairs on its diagonal,
            suited hands above it.

    Raises:
        ValueError: A text is no hand.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        # Numbers of different lengths are read together: room for the longest at the end.
        self._data = np.frombuffer("\n".join([*texts, " " * _DIGITS]).encode("ascii"), dtype=np.uint8)
        self._starts, self._ends = self._fields(len(texts))
        actions = self._of(_ACTIONS)
        last = self._data[actions.ends - 1]
        self.folded: Bools = (last == ord("f")) | (last == ord("F"))
        self.forced: Bools = last == ord("F")
        slashes = np.flatnonzero(self._data == ord("/"))
        self.streets: Ints = np.searchsorted(slashes, actions.ends) - np.searchsorted(slashes, actions.starts)
        self.most = self._shorter_stacks()
        button = self._of(_BUTTON)
        self.buttons: Ints = _DIGIT_OF[self._data[button.starts + 1]]
        cards = self._of(_CARDS)
        _check(cards.ends - cards.starts > len("AhAd|AcAs"))
        self.holes = self._starting_hands(cards.starts), self._starting_hands(cards.starts + len("AhAd|"))

    def _fields(self, many: int) -> tuple[Ints, Ints]:
        """Return where the fields of each hand begin and end, as rows."""
        breaks = np.flatnonzero(self._data == ord("\n"))
        colons = np.flatnonzero(self._data == ord(":"))
        _check(len(breaks) == many and len(colons) == _COLONS * many)
        ends = np.concatenate([colons.reshape(many, _COLONS), breaks[:, None]], axis=1)
        starts = np.concatenate([[0], ends.ravel()[:-1] + 1]).reshape(ends.shape)
        _check(starts <= ends)  # else one line has more colons, and another fewer
        return starts, ends

    def _of(self, field: int) -> "_Spans":
        return _Spans(self._starts[:, field], self._ends[:, field])

    def called(self, at: int) -> int:
        """Return what each player of a hand has put in by a showdown, unless a stack is shorter."""
        fields = self._texts[at].split(":")
        return called(fields[_RULES], fields[_ACTIONS])

    def _shorter_stacks(self) -> Ints:
        stacks = self._of(_STACKS)
        commas = np.flatnonzero(self._data == ord(","))
        _check(len(commas) == len(stacks.starts))
        _check((commas > stacks.starts) & (commas < stacks.ends))
        return np.minimum(self._numbers(_Spans(stacks.starts, commas)), self._numbers(_Spans(commas + 1, stacks.ends)))

    def _numbers(self, spans: "_Spans") -> Ints:
        """Return the numbers written in these places."""
        lengths = spans.ends - spans.starts
        _check((lengths > 0) & (lengths <= _DIGITS))
        found = np.zeros(len(lengths), dtype=np.int64)
        for place in range(int(lengths.max(initial=0))):
            digits = _DIGIT_OF[self._data[spans.starts + place]]
            beyond = place >= lengths
            _check((digits >= 0) | beyond)
            found = np.where(beyond, found, 10 * found + digits)
        return found

    def _starting_hands(self, starts: Ints) -> Ints:
        one, two = (_RANK_OF[self._data[starts + place]] for place in (0, 2))
        suit, other = (_SUIT_OF[self._data[starts + place]] for place in (1, 3))
        _check((one >= 0) & (two >= 0) & (suit >= 0) & (other >= 0) & ((one != two) | (suit != other)))
        high, low = np.minimum(one, two), np.maximum(one, two)
        return np.where(suit == other, 13 * high + low, 13 * low + high)

    def differ(self, these: Ints, those: Ints) -> Bools:
        """Return of each two hands whether their actions differ."""
        actions = self._of(_ACTIONS)
        lengths = (actions.ends - actions.starts)[these]
        found: Bools = lengths != (actions.ends - actions.starts)[those]
        left, place = np.flatnonzero(~found), 0
        while len(left := left[place < lengths[left]]):
            one, two = (self._data[actions.starts[each[left]] + place] for each in (these, those))
            found[left[one != two]] = True
            left, place = left[one == two], place + 1
        return found


class _Spans(NamedTuple):
    """Places in the bytes of all hands, the end excluded."""

    starts: Ints
    ends: Ints


def _check(fine: Any) -> None:
    if not np.all(fine):
        raise ValueError("not a hand")


def called(rules: str, actions: str) -> int:
    """Return what each player has put in by a showdown, unless a stack is shorter: every bet was called.

    >>> called("50/100/10", "r300c/kr600c/kk/kk")
    910
    """
    _, big, ante, *_ = map(int, rules.split("/"))
    first, *later = [street.rpartition("r")[2].rstrip("kc") for street in actions.split("/")]
    return ante + int(first or big) + sum([int(raised or 0) for raised in later])
