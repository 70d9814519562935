"""A mix: actions with weights, of which the bench draws one.

An agent that mixes says so, and the bench draws. So the odds of what was drawn are the stated ones by construction.
A mix is complete before anything is drawn from it, and is taken or refused as a whole.

As text, each entry is its weight and its action as in `molt_bench.poker.notation`, such as `1f,3c,2r300,2r400-9900`.
The mixes of a hand are one line: the index of the decision among the actions of the hand, and the mix, such as
`0:1f,1c;2:1f,1c`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from operator import itemgetter
from typing import Any, Final, Protocol, TypeAlias

import msgspec
from msgspec.structs import force_setattr

from molt_bench.errors import AgentFailed, RulesError
from molt_bench.poker.actions import CALL, CHECK, FOLD, LETTERS, MOST_CHIPS, Action, LegalActions
from molt_bench.visible_text import shown

#: Most entries of a mix.
MOST_ENTRIES: Final = 100
#: The largest weight of an entry.
MOST_WEIGHT: Final = 1_000_000
#: Bits of each random number that a draw takes.
DRAW_BITS: Final = 64

_PASSIVE: Final = {each.kind: (each, LETTERS[each.kind]) for each in (FOLD, CHECK, CALL)}
_CHECK: Final = LETTERS["check"]
_CALL: Final = LETTERS["call"]
_BY_LETTER: Final = {LETTERS[each.kind]: each for each in (FOLD, CHECK, CALL)}
_ENTRY: Final = re.compile(r"([1-9]\d{0,6})(?:([fkc])|r([1-9]\d{0,15})(?:-([1-9]\d{0,15}))?)", re.ASCII)


class RaiseRange(msgspec.Struct, frozen=True, gc=False):
    """Every `raiseTo` from `low` to `high` chips, both included, each as likely as the others."""

    low: int
    high: int


class Legal(Protocol):
    """What is legal at a decision: `LegalActions`, and a moment of the betting."""

    @property
    def to_call(self) -> int:
        """Chips a call costs; 0 when checking is free."""

    @property
    def min_raise_to(self) -> int:
        """The smallest legal raise; 0 if none is."""

    @property
    def max_raise_to(self) -> int:
        """The largest; 0 if none is legal."""


#: What a mix may hold with a weight.
Entry: TypeAlias = Action | RaiseRange


class Mix(msgspec.Struct, frozen=True, gc=False):
    """Actions with whole weights: an agent's answer of which the bench draws one action.

    It takes pairs of an `Action`, or a `RaiseRange`, and a weight from 1 to 1,000,000. An action is drawn with its
    weight's share of all weights, and a range's share is spread evenly over its amounts. No action may be in it twice.

    All other attributes are worked out from the entries. Raises `AgentFailed`, an illegal answer, if it is no mix; that
    each entry is legal is checked when it is played.

    Attributes:
        entries: The actions and ranges with their weights, in the order given.
        total: The sum of the weights.
        text: All of it in one short text.
        passive: The letters of its folds, checks and calls.
        lowest: The smallest amount that it may raise to; 0 if it has no raise.
        highest: The largest; 0 if it has no raise.

    Examples:
        >>> mix = Mix([(Action.call(), 3), (Action.raise_to(600), 1), (RaiseRange(700, 900), 2)])
        >>> mix.text, mix.total
        ('3c,1r600,2r700-900', 6)
    """

    entries: Sequence[tuple[Entry, int]]
    total: int = 0
    text: str = ""
    passive: str = ""
    lowest: int = 0
    highest: int = 0

    def __post_init__(self) -> None:
        """Work out all that follows from the entries; refuse what is no mix."""
        given: Any = self.entries
        if not isinstance(given, list | tuple):
            raise _refused(f"its entries are {shown(given)}, not pairs of an action and its weight")
        if not 1 <= len(given) <= MOST_ENTRIES:
            raise _refused(f"it has {len(given):,} entries; expected 1 to {MOST_ENTRIES}")
        entries: list[tuple[Entry, int]] = []
        raises: list[tuple[int, int]] = []
        total, text, passive = 0, "", ""
        for pair in given:
            entry, weight = _pair(pair)
            total += weight
            if type(entry) is RaiseRange:
                low, high = _sizes(entry.low, entry.high)
                raises.append((low, high))
                text = f"{text},{weight}r{low}-{high}"
            elif type(entry) is not Action:
                raise _refused(f"it has {shown(entry)}, which is neither an Action nor a RaiseRange")
            elif entry.kind == "raiseTo":
                raises.append(_sizes(entry.amount, entry.amount))
                text = f"{text},{weight}r{entry.amount}"
            else:
                entry, letter = _passive(entry)
                if letter in passive:
                    raise _refused(f"it has {entry.kind} twice")
                passive += letter
                text = f"{text},{weight}{letter}"
            entries.append((entry, weight))
        if len(raises) > 1:
            raises.sort()
            twice = next((two[0] for one, two in pairwise(raises) if two[0] <= one[1]), 0)
            if twice:
                raise _refused(f"it has raiseTo {twice} twice")
        force_setattr(self, "entries", tuple(entries))
        force_setattr(self, "total", total)
        force_setattr(self, "text", text[1:])
        force_setattr(self, "passive", passive)
        force_setattr(self, "lowest", raises[0][0] if raises else 0)
        force_setattr(self, "highest", raises[-1][1] if raises else 0)

    def is_legal(self, legal: Legal) -> bool:
        """Return whether all of its entries are legal."""
        if (_CHECK if legal.to_call else _CALL) in self.passive:
            return False
        return not self.highest or (0 < legal.min_raise_to <= self.lowest and self.highest <= legal.max_raise_to)

    def illegal_entry(self, legal: Legal) -> str:
        """Return the first entry that is not legal, such as `raiseTo 50..100`; "" if all are."""
        for entry, weight in self.entries:
            if not Mix(((entry, weight),)).is_legal(legal):
                if isinstance(entry, RaiseRange):
                    return f"raiseTo {entry.low}..{entry.high}"
                return f"raiseTo {entry.amount}" if entry.kind == "raiseTo" else entry.kind
        return ""

    def drawn(self, choice: int, size: int) -> Action:
        """Return the action that two random numbers of 64 bits draw: one for the entry, one for the amount.

        >>> Mix([(FOLD, 1), (RaiseRange(200, 299), 1)]).drawn(2**63, 2**63)
        Action(kind='raiseTo', amount=250)
        """
        left = choice * self.total >> DRAW_BITS
        for entry, weight in self.entries:
            if left < weight:
                if isinstance(entry, RaiseRange):
                    return Action("raiseTo", entry.low + (size * (entry.high - entry.low + 1) >> DRAW_BITS))
                return entry
            left -= weight
        raise ValueError(f"choice {choice}, expected less than 2**{DRAW_BITS}")

    def has(self, kind: str, amount: int = 0) -> bool:
        """Return whether an action can be drawn from it."""
        if kind != "raiseTo":
            return any(type(entry) is Action and entry.kind == kind for entry, _ in self.entries)
        return any(
            entry.low <= amount <= entry.high if isinstance(entry, RaiseRange) else entry == Action("raiseTo", amount)
            for entry, _ in self.entries
        )


def is_allowed(answer: Action | Mix, legal: LegalActions) -> bool:
    """Return whether an answer may be played: an action that is legal, or a mix of nothing else."""
    return answer.is_legal(legal) if isinstance(answer, Mix) else legal.allows(answer)


def _pair(pair: Any) -> tuple[Any, int]:
    """Return an entry, whatever it is, and its weight."""
    if not isinstance(pair, list | tuple) or len(pair) != 2:
        raise _refused(f"an entry is {shown(pair)}, not a pair of an action and its weight")
    entry, weight = pair
    if type(weight) is not int or not 1 <= weight <= MOST_WEIGHT:
        raise _refused(f"a weight is {shown(weight)}; expected a whole number from 1 to {MOST_WEIGHT:,}")
    return entry, weight


def _sizes(low: Any, high: Any) -> tuple[int, int]:
    """Return the amounts of a raise, if they can be any."""
    if type(low) is not int or type(high) is not int or not 0 < low <= high <= MOST_CHIPS:
        said = shown(low) if low is high else f"{shown(low)}..{shown(high)}"
        raise _refused(f"it has raiseTo {said}; expected whole chips, the smaller amount first")
    return low, high


def _passive(action: Action) -> tuple[Action, str]:
    """Return a fold, check or call as it is compared with, and its letter."""
    found = _PASSIVE.get(action.kind) if type(action.kind) is str else None
    if found is None:
        raise _refused(f"it has the unknown kind {shown(action.kind)}")
    return found


def _refused(why: str) -> AgentFailed:
    return AgentFailed("illegal", f"the mix is not legal: {why}")


def mix_from_text(text: str) -> Mix:
    """Read a mix as `Mix.text` writes it; raises RulesError if it is none.

    >>> mix_from_text("1f,2r300-400").entries[1]
    (RaiseRange(low=300, high=400), 2)
    """
    entries: list[tuple[Entry, int]] = []
    for part in text.split(","):
        match = _ENTRY.fullmatch(part)
        if match is None:
            raise RulesError(f"not a mix: {shown(text)}")
        weight, letter, low, high = match.groups()
        if letter:
            entries.append((_BY_LETTER[letter], int(weight)))
        elif high:
            entries.append((RaiseRange(int(low), int(high)), int(weight)))
        else:
            entries.append((Action("raiseTo", int(low)), int(weight)))
    try:
        return Mix(tuple(entries))
    except AgentFailed as failure:
        raise RulesError(f"not a mix: {shown(text)}: {failure}") from None


def mixes_to_text(mixes: Mapping[int, Mix]) -> str:
    """Write the mixes of a hand, by the indices of their decisions, in ascending order."""
    return ";".join([f"{at}:{mix.text}" for at, mix in mixes.items()])


def mixes_from_text(line: str) -> dict[int, Mix]:
    """Read the mixes of a hand; raises RulesError if the line is none of `mixes_to_text`.

    >>> sorted(mixes_from_text("0:1f,1c;2:1f,3k"))
    [0, 2]
    """
    found: dict[int, Mix] = {}
    for part in line.split(";") if line else ():
        at, colon, text = part.partition(":")
        if not colon or not at.isdecimal() or not at.isascii() or len(at) > 6:
            raise RulesError(f"not the mixes of a hand: {shown(line)}")
        found[int(at)] = mix_from_text(text)
    if mixes_to_text(dict(_ascending(found.items()))) != line:
        raise RulesError(f"not the mixes of a hand: {shown(line)}")
    return found


def _ascending(items: Iterable[tuple[int, Mix]]) -> list[tuple[int, Mix]]:
    return sorted(items, key=itemgetter(0))
