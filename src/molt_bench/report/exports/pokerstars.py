"""Hand histories in the PokerStars format, which trackers and PokerKit read.

A chip is written as a dollar: many trackers refuse histories of play money. A site shows its customer only their own
cards and those shown down. With a hero, so does this export; without one it holds the cards of both seats. Times are
made up, since records hold none.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Final, TypeAlias

from molt_bench.poker.cards import CARD_TEXT
from molt_bench.poker.evaluator import hand_name
from molt_bench.poker.hand import NOBODY, Hand
from molt_bench.report.exports.chip_flow import BOARD_OF, ChipFlow, ChipMove, chip_flow, posts_of
from molt_bench.report.exports.dealt_hands import DealtHand
from molt_bench.report.exports.percent_encoding import plain_name

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
_POSTED: Final = {"ante": "the ante", "small": "small blind", "big": "big blind"}
#: What follows an action that leaves chips behind, and one that does not.
_ALL_IN: Final = ("", " and is all-in")

#: Of the players in seats 0 and 1, as this format writes them.
Names: TypeAlias = tuple[str, str]


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
        first, second = dealt.names
        shown = [seat for seat, name in enumerate((first, second)) if hero is None or name == hero]
        yield "\n".join([*_lines(dealt, (player_name(first), player_name(second)), shown), "", "", ""])


def _lines(dealt: DealtHand, names: Names, shown: list[int]) -> list[str]:
    hand, flow = dealt.hand, chip_flow(dealt.hand)
    rules, stacks = hand.rules, hand.starting_stacks
    time = str(FIRST_HAND + timedelta(seconds=dealt.place)).replace("-", "/")
    stakes = f"${rules.small_blind}/${rules.big_blind} USD"
    held = [hand_name((*hole, *hand.board)) for hole in hand.holes] if hand.folded == NOBODY else []
    return [
        f"PokerStars Hand #{dealt.identity}:  Hold'em No Limit ({stakes}) - {time} ET",
        f"Table '{plain_name(dealt.table, _SPECIAL)}' 2-max Seat #{hand.button + 1} is the button",
        f"Seat 1: {names[0]} (${stacks[0]} in chips)",
        f"Seat 2: {names[1]} (${stacks[1]} in chips)",
        *[
            f"{names[post.seat]}: posts {_POSTED[post.kind]} ${post.chips}{_ALL_IN[post.all_in]}"
            for post in posts_of(hand, flow)
        ],
        "*** HOLE CARDS ***",
        *[f"Dealt to {names[seat]} [{_cards(hand.holes[seat])}]" for seat in shown],
        *_play(hand, flow, names),
        *_ending(hand, flow, names, held),
        *_summary(hand, flow, names, held),
    ]


def _play(hand: Hand, flow: ChipFlow, names: Names) -> list[str]:
    lines, steps, board = list[str](), flow.by_street(), hand.board
    for street, part in BOARD_OF.items():
        if part.stop > len(board):
            break
        if street == "flop":
            lines.append(f"*** FLOP *** [{_cards(board[part])}]")
        elif part.stop:
            lines.append(f"*** {street.upper()} *** [{_cards(board[: part.start])}] [{_cards(board[part])}]")
        if street in steps:
            lines += [f"{names[step.seat]}: {_done(step)}" for step in steps[street]]
        if street == hand.street and any(flow.returned):
            # After the last decision, and before the board is run out.
            chips = max(flow.returned)
            lines.append(f"Uncalled bet (${chips}) returned to {names[flow.returned.index(chips)]}")
    return lines


def _done(step: ChipMove) -> str:
    verb = step.verb
    if verb == "raise":
        return f"raises ${step.above} to ${step.total}{_ALL_IN[step.all_in]}"
    if verb in ("bet", "call"):
        return f"{verb}s ${step.added}{_ALL_IN[step.all_in]}"
    return f"{verb}s"


def _ending(hand: Hand, flow: ChipFlow, names: Names, held: list[str]) -> list[str]:
    lines = []
    if hand.folded == NOBODY:
        lines.append("*** SHOW DOWN ***")
        for seat in (1 - hand.button, hand.button):
            lines.append(f"{names[seat]}: shows [{_cards(hand.holes[seat])}] ({held[seat]})")
    for seat, chips in enumerate(flow.collected):
        if chips:
            lines.append(f"{names[seat]} collected ${chips} from pot")
            if hand.folded != NOBODY:
                lines.append(f"{names[seat]}: doesn't show hand")
    return lines


def _summary(hand: Hand, flow: ChipFlow, names: Names, held: list[str]) -> list[str]:
    lines = ["*** SUMMARY ***", f"Total pot ${flow.pot} | Rake $0"]
    if hand.board:
        lines.append(f"Board [{_cards(hand.board)}]")
    for seat in (0, 1):
        place = "(button) (small blind)" if seat == hand.button else "(big blind)"
        lines.append(f"Seat {seat + 1}: {names[seat]} {place} {_fate(hand, flow, seat, held)}")
    return lines


def _fate(hand: Hand, flow: ChipFlow, seat: int, held: list[str]) -> str:
    if seat == hand.folded:
        return f"folded {_FOLDED[hand.street]}"
    if hand.folded != NOBODY:
        return f"collected (${flow.collected[seat]})"
    won = f"won (${flow.collected[seat]})" if flow.collected[seat] else "lost"
    return f"showed [{_cards(hand.holes[seat])}] and {won} with {held[seat]}"


def _cards(cards: tuple[int, ...]) -> str:
    return " ".join([CARD_TEXT[card] for card in cards])
