"""Hands as rows, as the CSV export and data frames have them."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from molt_bench.luck.cards import hand_terms
from molt_bench.poker.cards import cards_to_text
from molt_bench.poker.hand import NOBODY
from molt_bench.report.chip_flow import all_in_street, final_pot
from molt_bench.report.dealt_hands import DealtHand

#: Every column and its type.
COLUMNS: Final[dict[str, type]] = {
    "run": str,
    "match": int,
    "seed": str,
    "seating": str,
    "hand": int,
    "counts": bool,
    "player_a": str,
    "player_b": str,
    "button": str,
    "small_blind": int,
    "big_blind": int,
    "ante": int,
    "stack_a": int,
    "stack_b": int,
    "cards_a": str,
    "cards_b": str,
    "board": str,
    "actions": str,
    "pot": int,
    "showdown": bool,
    "all_in_street": str,
    "net_a": int,
    "all_in_ev_a": float,
    "luck_adjusted_a": float,
    "faults_a": int,
    "faults_b": int,
    "forced_fold": str,
}


def hand_rows(hands: Iterable[DealtHand]) -> Iterator[dict[str, Any]]:
    """Return the rows of hands, in order."""
    return map(row, hands)


def row(dealt: DealtHand) -> dict[str, Any]:
    """Return one hand from the view of player A, with the types of `COLUMNS`."""
    hand = dealt.hand
    won = hand_terms(hand)
    sign = 1 if dealt.seating == "AB" else -1
    player = dealt.turned(("A", "B"))
    stacks, holes = dealt.turned(hand.starting_stacks), dealt.turned(hand.holes)
    values = (
        dealt.run,
        dealt.match,
        str(dealt.seed),
        dealt.seating,
        dealt.number,
        dealt.counts,
        *dealt.players,
        player[hand.button],
        hand.rules.small_blind,
        hand.rules.big_blind,
        hand.rules.ante,
        *stacks,
        *map(cards_to_text, holes),
        cards_to_text(hand.board),
        dealt.text.split(":")[5],
        final_pot(hand),
        hand.folded == NOBODY,
        all_in_street(hand) or "",
        sign * hand.payoffs[0],
        sign * won.all_in + 0.0,  # no negative zero
        sign * won.adjusted + 0.0,
        *[sum([fault.player == who for fault in dealt.faults]) for who in (0, 1)],
        "" if dealt.forced == NOBODY else player[dealt.forced],
    )
    return dict(zip(COLUMNS, values, strict=True))
