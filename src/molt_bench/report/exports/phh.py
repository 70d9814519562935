"""PHH, the poker hand history format: TOML that PokerKit replays (Kim 2023, arXiv:2312.11753).

Heads-up, PHH's first player is the big blind and its second the button, who posts the small blind. Blinds are still
listed small first, since PokerKit swaps them for two players.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Final

from molt_bench.poker.cards import cards_to_text
from molt_bench.poker.hand import NOBODY, Hand
from molt_bench.report.exports.chip_flow import BOARD_OF
from molt_bench.report.exports.dealt_hands import DealtHand

_encode: Final = json.JSONEncoder(ensure_ascii=False).encode
#: TOML integers have 64 bits.
_LARGEST: Final = 2**63 - 1


def phh(hands: Iterable[DealtHand]) -> Iterator[str]:
    """Write hands as one .phhs file: one TOML table per hand, numbered from 1."""
    for number, dealt in enumerate(hands, start=1):
        fields = "\n".join([f"{name} = {_toml(value)}" for name, value in _fields(dealt)])
        blank = "\n" if number > 1 else ""
        yield f"{blank}[{number}]\n{fields}\n"


def _fields(dealt: DealtHand) -> Iterator[tuple[str, object]]:
    hand = dealt.hand
    rules, button = hand.rules, hand.button
    order = (1 - button, button)
    # With equal blinds PokerKit would let the big blind open; a negative blind is a post, which never opens.
    small = -rules.small_blind if rules.small_blind == rules.big_blind else rules.small_blind
    yield "variant", "NT"
    if rules.ante:
        yield "ante_trimming_status", True  # an ante that the other seat cannot match is returned
    yield "antes", [rules.ante, rules.ante]
    yield "blinds_or_straddles", [small, rules.big_blind]
    yield "min_bet", rules.big_blind
    yield "starting_stacks", [hand.starting_stacks[seat] for seat in order]
    yield "actions", list(_actions(hand, order))
    yield "event", "molt-bench"
    yield "hand", dealt.number
    yield "seats", [seat + 1 for seat in order]
    yield "seat_count", 2
    yield "table", dealt.table
    yield "players", [dealt.names[seat] for seat in order]
    yield "finishing_stacks", [hand.starting_stacks[seat] + hand.payoffs[seat] for seat in order]
    yield "_run", dealt.run
    yield "_match", dealt.match
    yield "_seed", dealt.seed
    yield "_seating", dealt.seating
    yield "_forced_fold", hand.folded == dealt.forced != NOBODY


def _actions(hand: Hand, order: tuple[int, int]) -> Iterator[str]:
    label = {seat: f"p{place}" for place, seat in enumerate(order, start=1)}
    for seat in order:
        yield f"d dh {label[seat]} {cards_to_text(hand.holes[seat])}"
    opened = 0
    for done in hand.log:
        end = BOARD_OF[done.street].stop
        if end > opened:
            yield f"d db {cards_to_text(hand.board[opened:end])}"
            opened = end
        word = {"fold": "f", "check": "cc", "call": "cc", "raiseTo": f"cbr {done.amount}"}[done.kind]
        yield f"{label[done.seat]} {word}"
    if hand.folded == NOBODY:
        # With a seat all-in, cards are shown before the board is run out.
        for seat in order:
            yield f"{label[seat]} sm {cards_to_text(hand.holes[seat])}"
        for street in BOARD_OF.values():
            if street.stop > opened:
                yield f"d db {cards_to_text(hand.board[street])}"


def _toml(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > _LARGEST:
        value = str(value)
    # JSON is valid TOML here, except for the one control character that JSON does not escape.
    return _encode(value).replace("\x7f", "\\u007f")
