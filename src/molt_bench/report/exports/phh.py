"""PHH, the poker hand history format: TOML that PokerKit replays (Kim 2023, arXiv:2312.11753).

Heads-up, PHH's first player is the big blind and its second the button, who posts the small blind. Blinds are still
listed small first, since PokerKit swaps them for two players.
"""

import json
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final

from molt_bench.poker.actions import OPEN_CARDS
from molt_bench.poker.cards import cards_to_text
from molt_bench.poker.hand import NOBODY, Hand
from molt_bench.report.dealt_hands import DealtHand

_encode: Final = json.JSONEncoder(ensure_ascii=False).encode
#: The actions that have no amount.
_WORDS: Final = {"fold": "f", "check": "cc", "call": "cc"}
#: TOML integers have 64 bits.
_LARGEST: Final = 2**63 - 1


def phh(hands: Iterable[DealtHand]) -> Iterator[str]:
    """Write hands as one .phhs file: one TOML table per hand, numbered from 1."""
    for number, dealt in enumerate(hands, start=1):
        blank = "\n" if number > 1 else ""
        yield f"{blank}[{number}]\n{_fields(dealt)}"


def _fields(dealt: DealtHand) -> str:
    hand = dealt.hand
    rules, stacks, won = hand.rules, hand.starting_stacks, hand.payoffs
    first, second = order = (1 - hand.button, hand.button)
    names = dealt.names
    # With equal blinds PokerKit would let the big blind open; a negative blind is a post, which never opens.
    small = -rules.small_blind if rules.small_blind == rules.big_blind else rules.small_blind
    # An ante that the other seat cannot match is returned.
    trimming = "ante_trimming_status = true\n" if rules.ante else ""
    return f"""variant = "NT"
{trimming}antes = [{rules.ante}, {rules.ante}]
blinds_or_straddles = [{small}, {rules.big_blind}]
min_bet = {_toml(rules.big_blind)}
starting_stacks = [{stacks[first]}, {stacks[second]}]
actions = {_toml([*_actions(hand, order)])}
event = "molt-bench"
hand = {_toml(dealt.number)}
seats = [{first + 1}, {second + 1}]
seat_count = 2
table = {_toml(dealt.table)}
players = {_toml([names[first], names[second]])}
finishing_stacks = [{stacks[first] + won[first]}, {stacks[second] + won[second]}]
_run = {_toml(dealt.run)}
_match = {_toml(dealt.match)}
_seed = {_toml(dealt.seed)}
_seating = {_toml(dealt.seating)}
_forced_fold = {_toml(hand.folded == dealt.forced != NOBODY)}
"""


def _actions(hand: Hand, order: tuple[int, int]) -> Iterator[str]:
    label = {seat: f"p{place}" for place, seat in enumerate(order, start=1)}
    for seat in order:
        yield f"d dh {label[seat]} {cards_to_text(hand.holes[seat])}"
    opened = 0
    for done in hand.log:
        if (count := OPEN_CARDS[done.street]) > opened:
            yield f"d db {cards_to_text(hand.board[opened:count])}"
            opened = count
        word = f"cbr {done.amount}" if done.kind == "raiseTo" else _WORDS[done.kind]
        yield f"{label[done.seat]} {word}"
    if hand.folded == NOBODY:
        # With a seat all-in, cards are shown before the board is run out.
        for seat in order:
            yield f"{label[seat]} sm {cards_to_text(hand.holes[seat])}"
        for before, count in pairwise(OPEN_CARDS.values()):
            if count > opened:
                yield f"d db {cards_to_text(hand.board[before:count])}"


def _toml(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > _LARGEST:
        value = str(value)
    # JSON is valid TOML here, except for the one control character that JSON does not escape.
    return _encode(value).replace("\x7f", "\\u007f")
