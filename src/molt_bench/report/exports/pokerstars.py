"""Hand histories in the PokerStars format, which trackers and PokerKit read.

A chip is written as a dollar: many trackers refuse histories of play money. A site shows its customer only their own
cards and those shown down. With a hero, so does this export; without one it holds the cards of both seats. Times are
made up, since records hold none.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Final

from molt_bench.poker.actions import STREETS
from molt_bench.poker.cards import CARD_TEXT
from molt_bench.poker.evaluator import hand_name
from molt_bench.poker.hand import NOBODY, Hand
from molt_bench.report.exports.chip_flow import BOARD_OF, ChipFlow, ChipMove, chip_flow
from molt_bench.report.exports.dealt_hands import DealtHand, plain_name

#: The time of the first hand of a run; one hand per second follows.
FIRST_HAND: Final = datetime(2000, 1, 1)
#: Characters with a meaning around names in this format.
_SPECIAL: Final = ":()[]#*'\""
#: How lines, and what follows a name and a colon, begin: "Seat 1: calls" must not be a player who calls.
_WORDS: Final = re.compile(
    "_|call|check|fold|bet|raise|post|show|muck|collect|doesn|said|seat|dealt|uncalled|board|total|table|rake|poker",
    re.IGNORECASE,
)
_FOLDED: Final = {
    "preflop": "before Flop",
    "flop": "on the Flop",
    "turn": "on the Turn",
    "river": "on the River",
}


@lru_cache(maxsize=1024)
def player_name(name: str) -> str:
    """Return a name that nothing in this format can be confused with: `_` in front of it means nothing else.

    >>> player_name("tag"), player_name("callstation"), player_name("_x: y")
    ('tag', '_callstation', '__x%3A y')
    """
    plain = plain_name(name, _SPECIAL)
    return f"_{plain}" if _WORDS.match(plain) else plain


def pokerstars(hands: Iterable[DealtHand], *, hero: str | None = None) -> Iterator[str]:
    """Write hands with two blank lines after each, with only the hero's cards if a hero is given."""
    for dealt in hands:
        names = tuple([player_name(name) for name in dealt.names])
        shown = [seat for seat in (0, 1) if hero is None or dealt.names[seat] == hero]
        yield "\n".join([*_lines(dealt, names, shown), "", "", ""])


def _lines(dealt: DealtHand, names: tuple[str, ...], shown: list[int]) -> Iterator[str]:
    hand, flow = dealt.hand, chip_flow(dealt.hand)
    rules, button = hand.rules, hand.button
    time = str(FIRST_HAND + timedelta(seconds=dealt.place)).replace("-", "/")
    stakes = f"{_usd(rules.small_blind)}/{_usd(rules.big_blind)} USD"
    yield f"PokerStars Hand #{dealt.identity}:  Hold'em No Limit ({stakes}) - {time} ET"
    yield f"Table '{plain_name(dealt.table, _SPECIAL)}' 2-max Seat #{button + 1} is the button"
    for seat in (0, 1):
        yield f"Seat {seat + 1}: {names[seat]} ({_usd(hand.starting_stacks[seat])} in chips)"
    yield from _posts(hand, flow, names)
    yield "*** HOLE CARDS ***"
    for seat in shown:
        yield f"Dealt to {names[seat]} [{_cards(hand.holes[seat])}]"
    yield from _play(hand, flow, names)
    held = [hand_name((*hole, *hand.board)) for hole in hand.holes] if hand.folded == NOBODY else []
    yield from _ending(hand, flow, names, held)
    yield from _summary(hand, flow, names, held)


def _posts(hand: Hand, flow: ChipFlow, names: tuple[str, ...]) -> Iterator[str]:
    stacks = hand.starting_stacks
    for seat in (0, 1):
        if flow.antes[seat]:
            yield f"{names[seat]}: posts the ante {_usd(flow.antes[seat])}{_all_in(flow.antes[seat] == stacks[seat])}"
    for seat, blind in ((hand.button, "small"), (1 - hand.button, "big")):
        if flow.blinds[seat]:
            everything = flow.antes[seat] + flow.blinds[seat] == stacks[seat]
            yield f"{names[seat]}: posts {blind} blind {_usd(flow.blinds[seat])}{_all_in(everything)}"


def _play(hand: Hand, flow: ChipFlow, names: tuple[str, ...]) -> Iterator[str]:
    for street in STREETS:
        part = BOARD_OF[street]
        if part.stop > len(hand.board):
            return
        if street == "flop":
            yield f"*** FLOP *** [{_cards(hand.board[part])}]"
        elif part.stop:
            yield f"*** {street.upper()} *** [{_cards(hand.board[: part.start])}] [{_cards(hand.board[part])}]"
        for step in flow.steps:
            if step.street == street:
                yield f"{names[step.seat]}: {_done(step)}"
        if street == hand.street and any(flow.returned):
            # After the last decision, and before the board is run out.
            chips = max(flow.returned)
            yield f"Uncalled bet ({_usd(chips)}) returned to {names[flow.returned.index(chips)]}"


def _done(step: ChipMove) -> str:
    if step.verb == "raise":
        return f"raises {_usd(step.above)} to {_usd(step.total)}{_all_in(step.all_in)}"
    if step.verb in ("bet", "call"):
        return f"{step.verb}s {_usd(step.added)}{_all_in(step.all_in)}"
    return f"{step.verb}s"


def _ending(hand: Hand, flow: ChipFlow, names: tuple[str, ...], held: list[str]) -> Iterator[str]:
    if hand.folded == NOBODY:
        yield "*** SHOW DOWN ***"
        for seat in (1 - hand.button, hand.button):
            yield f"{names[seat]}: shows [{_cards(hand.holes[seat])}] ({held[seat]})"
    for seat in (0, 1):
        if flow.collected[seat]:
            yield f"{names[seat]} collected {_usd(flow.collected[seat])} from pot"
            if hand.folded != NOBODY:
                yield f"{names[seat]}: doesn't show hand"


def _summary(hand: Hand, flow: ChipFlow, names: tuple[str, ...], held: list[str]) -> Iterator[str]:
    yield "*** SUMMARY ***"
    yield f"Total pot {_usd(flow.pot)} | Rake $0"
    if hand.board:
        yield f"Board [{_cards(hand.board)}]"
    for seat in (0, 1):
        place = "(button) (small blind)" if seat == hand.button else "(big blind)"
        yield f"Seat {seat + 1}: {names[seat]} {place} {_fate(hand, flow, seat, held)}"


def _fate(hand: Hand, flow: ChipFlow, seat: int, held: list[str]) -> str:
    if seat == hand.folded:
        return f"folded {_FOLDED[hand.street]}"
    if hand.folded != NOBODY:
        return f"collected ({_usd(flow.collected[seat])})"
    won = f"won ({_usd(flow.collected[seat])})" if flow.collected[seat] else "lost"
    return f"showed [{_cards(hand.holes[seat])}] and {won} with {held[seat]}"


def _usd(chips: int) -> str:
    return f"${chips}"


def _cards(cards: tuple[int, ...]) -> str:
    return " ".join([CARD_TEXT[card] for card in cards])


def _all_in(all_in: bool) -> str:  # noqa: FBT001 - clear where it is called
    return " and is all-in" if all_in else ""
