"""Hands as rows, as the CSV export and data frames have them."""

from collections.abc import Iterable, Iterator
from typing import Any

from molt_bench.luck.cards import hand_terms
from molt_bench.poker.actions import Street
from molt_bench.poker.cards import cards_to_text
from molt_bench.poker.hand import NOBODY, Hand
from molt_bench.report.dealt_hands import DealtHand


def hand_rows(hands: Iterable[DealtHand]) -> Iterator[dict[str, Any]]:
    """Return the rows of hands, in order."""
    return map(row, hands)


def row(dealt: DealtHand) -> dict[str, Any]:
    """Return one hand from the view of player A."""
    hand, rules = dealt.hand, dealt.hand.rules
    won, sign = hand_terms(hand), 1 if dealt.seating == "AB" else -1
    player = dealt.turned(("A", "B"))
    (stack_a, stack_b), (cards_a, cards_b) = dealt.turned(hand.starting_stacks), dealt.turned(hand.holes)
    return {
        "run": dealt.run,
        "match": dealt.match,
        "seed": str(dealt.seed),
        "seating": dealt.seating,
        "hand": dealt.number,
        "counts": dealt.counts,
        "player_a": dealt.players[0],
        "player_b": dealt.players[1],
        "button": player[hand.button],
        "small_blind": rules.small_blind,
        "big_blind": rules.big_blind,
        "ante": rules.ante,
        "stack_a": stack_a,
        "stack_b": stack_b,
        "cards_a": cards_to_text(cards_a),
        "cards_b": cards_to_text(cards_b),
        "board": cards_to_text(hand.board),
        "actions": dealt.text.split(":")[5],
        "pot": final_pot(hand),
        "showdown": hand.folded == NOBODY,
        "all_in_street": all_in_street(hand) or "",
        "net_a": sign * hand.payoffs[0],
        "all_in_ev_a": sign * won.all_in + 0.0,  # no negative zero
        "luck_adjusted_a": sign * won.adjusted + 0.0,
        "faults_a": sum(fault.player == 0 for fault in dealt.faults),
        "faults_b": sum(fault.player == 1 for fault in dealt.faults),
        "forced_fold": "" if dealt.forced == NOBODY else player[dealt.forced],
    }


def final_pot(hand: Hand) -> int:
    """Return the size of the pot of a finished hand, without chips that were returned."""
    return 2 * min(hand.chips_in(0), hand.chips_in(1))


def all_in_street(hand: Hand) -> Street | None:
    """Return the street on which a seat was all-in and called; None if that did not happen."""
    return hand.street if hand.folded == NOBODY and 0 in hand.limits else None
