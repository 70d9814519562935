"""Hands as the Annual Computer Poker Competition (ACPC) writes them: no limit, two players, the button as small blind.

The big blind is position 0, the button position 1. Checks and calls are both `c`. A raise is written with all chips
that its player has put in since the hand began: `r300c/cr900f`.
"""

from collections.abc import Iterable, Sequence

from molt_bench.poker.actions import OPEN_CARDS, STREETS, LoggedAction, Street
from molt_bench.poker.cards import cards_to_text


def acpc_betting(log: Iterable[LoggedAction], street: Street) -> str:
    """Write the actions so far; `street` is the one that is open, or the river after a showdown.

    >>> acpc_betting([LoggedAction("preflop", 0, "raiseTo", 300), LoggedAction("preflop", 1, "call", 300)], "flop")
    'r300c/'
    """
    text, before, bet = "", 0, 0
    at: Street = "preflop"
    for done in log:
        if done.street != at:
            # Whoever closed a street had put in as much as the other.
            at, before = done.street, before + bet
            text += "/"
        bet = done.amount
        if done.kind == "raiseTo":
            text += f"r{before + bet}"
        else:
            text += "f" if done.kind == "fold" else "c"
    return text + "/" * (STREETS.index(street) - text.count("/"))


def acpc_cards(holes: tuple[str, str], board: Sequence[int]) -> str:
    """Write the hole cards by position, "" where they are not known, and the board street by street.

    >>> acpc_cards(("9s8h", ""), (24, 25, 12, 19))
    '9s8h|/8c8d5c/6s'
    """
    parts = [f"{holes[0]}|{holes[1]}"]
    shown = 0
    for open_cards in OPEN_CARDS.values():
        if shown < open_cards <= len(board):
            parts.append(cards_to_text(board[shown:open_cards]))
            shown = open_cards
    return "/".join(parts)
