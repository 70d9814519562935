"""A finished hand as one line of text, and back.

    7:50/100/0:10000,10000:b0:AhKd|7c7d|2h3h4h5c6d:r300c/kr600c/kk/kk:-900

The fields are: hand number; small blind, big blind and ante (and the raise cap, if any); stacks of seats 0 and 1; the
seat with the button; hole cards of both seats and the board as far as it was dealt; the actions, street by street; net
chips of seat 0. Actions are `f`old, chec`k`, `c`all and `r`aise with the total raised to. A fold that was forced on an
agent after its last fault is written `F`.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from molt_bench.errors import MoltBenchError, RulesError
from molt_bench.poker.actions import CALL, CHECK, FOLD, LETTERS, STREETS, Action, LoggedAction
from molt_bench.poker.betting import NOBODY, Start
from molt_bench.poker.cards import CARD_TEXT, deal_from_text
from molt_bench.poker.hand import Hand
from molt_bench.poker.hand_rules import HandRules
from molt_bench.visible_text import shown

_ACTIONS: Final = {LETTERS[each.kind]: each for each in (FOLD, CHECK, CALL)} | {"F": FOLD}
_LINE: Final = re.compile(
    r"(?P<number>\d+):(?P<small>\d+)/(?P<big>\d+)/(?P<ante>\d+)(?:/(?P<cap>\d+))?:(?P<first>\d+),(?P<second>\d+):b(?P<button>[01]):"
    r"(?P<hole>\w{4})\|(?P<other_hole>\w{4})\|(?P<board>\w*):(?P<actions>(?:[fFkc]|r\d+|/)*):(?P<net>-?\d+)"
)
_ACTION: Final = re.compile(r"([fFkc]|r)(\d*)")


class ParsedHand(NamedTuple):
    """A hand rebuilt from its line: its number in the game, from 1, and the seat whose fold was forced, or `NOBODY`."""

    number: int
    hand: Hand
    forced: int


def hand_to_text(hand: Hand, number: int, *, forced: bool = False) -> str:
    """Write a finished hand; `forced` marks a final fold that the agent did not choose."""
    betting = hand.betting
    start, line = betting.start, actions_to_line(betting.log)
    if forced:
        line = line[:-1] + "F"
    (a, b), (c, d) = hand.holes
    board, text = hand.board, CARD_TEXT
    if len(board) == 5:  # twice as fast, and of many hands
        e, f, g, h, i = board
        opened = f"{text[e]}{text[f]}{text[g]}{text[h]}{text[i]}"
    else:
        opened = "".join([text[card] for card in board]) if board else ""
    cards = f"{text[a]}{text[b]}|{text[c]}{text[d]}|{opened}"
    return f"{number}:{start.text or _start_to_text(start)}{cards}:{line}:{hand.payoffs[0]}"


def _start_to_text(start: Start) -> str:
    """Write rules, stacks and button, once for all hands that begin alike."""
    rules, (first, second) = start.rules, start.stacks
    cap = "" if rules.raise_cap is None else f"/{rules.raise_cap}"
    start.text = f"{rules.small_blind}/{rules.big_blind}/{rules.ante}{cap}:{first},{second}:b{start.button}:"
    return start.text


def actions_to_line(log: Iterable[LoggedAction]) -> str:
    """Write the actions of a hand, with a slash between two streets."""
    line, street = "", STREETS[0]
    for done in log:
        if done.street != street:
            line, street = f"{line}/", done.street
        line += f"r{done.amount}" if done.kind == "raiseTo" else LETTERS[done.kind]
    return line


#: Called with the state before an action, the action, and the number of the hand.
Watch: TypeAlias = Callable[[Hand, Action, int], None]


def hand_from_text(line: str, watch: Watch | None = None) -> ParsedHand:
    """Rebuild a hand by replaying its actions; `watch` is called before each of them.

    >>> parsed = hand_from_text("7:50/100/0:10000,10000:b0:AhKd|7c7d|2h3h4h5c6d:r300c/kr600c/kk/kk:-900")
    >>> parsed.hand.payoffs, len(parsed.hand.log), hand_to_text(parsed.hand, parsed.number)[-10:]
    ((-900, 900), 9, 'kk/kk:-900')

    Raises:
        RulesError: The line has another form, or its hand cannot have happened.
    """
    match = _LINE.fullmatch(line)
    if match is None:
        raise RulesError(f"not a hand: {shown(line)}")
    text, small, big, ante, cap, first, second, button, hole, other_hole, board, actions, _ = match.groups()
    number = int(text)
    try:
        hand = Hand(
            _rules(small, big, ante, cap),
            deal_from_text(hole + other_hole + board),
            (int(first), int(second)),
            button=int(button),
        )
        forced = NOBODY
        apply = hand.apply
        for letter, amount in _ACTION.findall(actions):
            if letter == "F":
                forced = hand.actor
            action = _action(letter, amount)
            if watch is not None and hand.actor != NOBODY:
                watch(hand, action, number)
            apply(action)
    except (MoltBenchError, ValueError) as error:
        raise RulesError(f"this hand cannot have happened as written: {shown(line)}: {error}") from error
    if hand.actor != NOBODY or hand_to_text(hand, number, forced=forced != NOBODY) != line:
        raise RulesError(f"this hand cannot have happened as written: {shown(line)}")
    return ParsedHand(number, hand, forced)


def actions_in(line: str) -> Iterator[tuple[Action, bool]]:
    """Yield the actions in the line of a hand, each with whether it was a forced fold; raises RulesError if it is none.

    >>> [action.kind for action, _ in actions_in("7:50/100/0:10000,10000:b0:AhKd|7c7d|:r300F:100")]
    ['raiseTo', 'fold']
    """
    match = _LINE.fullmatch(line)
    if match is None:
        raise RulesError(f"not a hand: {shown(line)}")
    for letter, amount in _ACTION.findall(match["actions"]):
        yield _action(letter, amount), letter == "F"


def _action(letter: str, amount: str) -> Action:
    return Action("raiseTo", int(amount)) if letter == "r" else _ACTIONS[letter]


@lru_cache(maxsize=64)
def _rules(small: str, big: str, ante: str, cap: str | None) -> HandRules:
    """Read the rules, which the hands of a game share."""
    return HandRules(int(small), int(big), int(ante), None if cap is None else int(cap))
