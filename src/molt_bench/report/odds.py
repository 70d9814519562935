"""The odds, for one who wants to see them at the table."""

from functools import lru_cache
from itertools import combinations
from statistics import fmean

from molt_bench.poker.cards import Board, Hole
from molt_bench.poker.equity import equity
from molt_bench.poker.observation import Observation
from molt_bench.report.naming import hand_name


@lru_cache(maxsize=1000)
def equity_against_any(hole: Hole, board: Board) -> float:
    """Return the exact equity against two cards of which nothing is known.

    >>> from molt_bench.poker.cards import cards_from_text
    >>> round(equity_against_any(cards_from_text("AhAd"), ()), 4)
    0.852
    """
    known = {*hole, *board}
    live = [card for card in range(52) if card not in known]
    return fmean(equity(hole, other, board) for other in combinations(live, 2))


def odds_of(seen: Observation) -> str:
    """Say what the cards are worth against any two others, and what share of the pot a call costs."""
    worth = f"{equity_against_any(seen.cards, seen.board):.0%} against any two cards"
    said = f"You have {hand_name((*seen.cards, *seen.board))}, {worth}" if seen.board else f"You have {worth}"
    return f"{said}; a call needs {seen.pot_odds:.0%}." if seen.to_call else f"{said}."
