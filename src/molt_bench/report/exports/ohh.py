"""Open Hand History, the common JSON format of trackers (hh-specs.handhistory.org, version 1.4.7).

The amount of an action, even of a raise, is what it put in. Uncalled chips are in no pot.
"""

import json
from collections.abc import Iterable, Iterator
from datetime import timedelta
from typing import Any, Final

from molt_bench._version import __version__
from molt_bench.poker.actions import STREETS
from molt_bench.poker.cards import CARD_TEXT
from molt_bench.poker.hand import NOBODY, Hand
from molt_bench.report.exports.chip_flow import BOARD_OF, ChipFlow, chip_flow
from molt_bench.report.exports.dealt_hands import DealtHand
from molt_bench.report.exports.pokerstars import FIRST_HAND

_encode: Final = json.JSONEncoder(ensure_ascii=False).encode
SPEC_VERSION: Final = "1.4.7"
#: Play money in the specification.
PLAY_MONEY: Final = "XPM"


def ohh(hands: Iterable[DealtHand], *, hero: str | None = None) -> Iterator[str]:
    """Write one JSON object per hand, separated by blank lines, with only the hero's cards if a hero is given."""
    for number, dealt in enumerate(hands):
        blank = "\n" if number else ""
        # The rounds are most of the text: they are written as such, which takes half the time of encoding them.
        flow = chip_flow(dealt.hand)
        head, pots = _encode(_head(dealt, hero))[1:-1], _encode(_pots(flow))
        shown = [seat for seat in (0, 1) if hero in (None, dealt.names[seat])]
        rounds = ", ".join(_rounds(dealt.hand, flow, shown))
        yield f'{blank}{{"ohh": {{{head}, "rounds": [{rounds}], "pots": {pots}}}}}\n'


def _head(dealt: DealtHand, hero: str | None) -> dict[str, Any]:
    hand = dealt.hand
    observed = hero not in dealt.names
    return {
        "spec_version": SPEC_VERSION,
        "site_name": "molt-bench",
        "network_name": "molt-bench",
        "internal_version": __version__,
        "tournament": False,
        "game_number": str(dealt.identity),
        "start_date_utc": f"{(FIRST_HAND + timedelta(seconds=dealt.place)).isoformat()}Z",
        "table_name": dealt.table,
        "game_type": "Holdem",
        "bet_limit": {"bet_type": "NL", "bet_cap": 0},
        "table_size": 2,
        "currency": PLAY_MONEY,
        "dealer_seat": hand.button + 1,
        "small_blind_amount": hand.rules.small_blind,
        "big_blind_amount": hand.rules.big_blind,
        "ante_amount": hand.rules.ante,
        "hero_player_id": None if observed or hero is None else dealt.names.index(hero),
        "flags": ["Observed"] if observed else [],
        "players": [
            {"id": seat, "seat": seat + 1, "name": dealt.names[seat], "starting_stack": hand.starting_stacks[seat]}
            for seat in (0, 1)
        ],
    }


def _pots(flow: ChipFlow) -> list[dict[str, Any]]:
    wins = [{"player_id": seat, "win_amount": flow.collected[seat]} for seat in (0, 1) if flow.collected[seat]]
    return [{"number": 0, "amount": flow.pot, "rake": 0, "jackpot": 0, "player_wins": wins}]


def _rounds(hand: Hand, flow: ChipFlow, shown: list[int]) -> Iterator[str]:
    number = 0
    for street in STREETS:
        part = BOARD_OF[street]
        if part.stop > len(hand.board):
            break
        actions = [*_before(hand, flow, shown)] if street == "preflop" else []
        for step in flow.steps:
            if step.street == street:
                actions.append(_action(step.seat, step.verb.title(), step.added, all_in=step.all_in))
        yield _round(number, street.title(), hand.board[part], actions)
        number += 1
    if hand.folded == NOBODY:
        order = (1 - hand.button, hand.button)
        yield _round(number, "Showdown", (), [_cards(seat, "Shows Cards", hand) for seat in order])


def _before(hand: Hand, flow: ChipFlow, shown: list[int]) -> Iterator[str]:
    left = list(hand.starting_stacks)
    for seat in (0, 1):
        if flow.antes[seat]:
            left[seat] -= flow.antes[seat]
            yield _action(seat, "Post Ante", flow.antes[seat], all_in=not left[seat])
    for seat, name in ((hand.button, "Post SB"), (1 - hand.button, "Post BB")):
        if flow.blinds[seat]:
            left[seat] -= flow.blinds[seat]
            yield _action(seat, name, flow.blinds[seat], all_in=not left[seat])
    for seat in shown:
        yield _cards(seat, "Dealt Cards", hand)


def _round(number: int, street: str, board: tuple[int, ...], actions: list[str]) -> str:
    cards = f'"cards": {_listed(board)}, ' if board else ""
    numbered = ", ".join([f'{{"action_number": {at}, {action}}}' for at, action in enumerate(actions)])
    return f'{{"id": {number}, "street": "{street}", {cards}"actions": [{numbered}]}}'


def _action(seat: int, name: str, amount: int, *, all_in: bool) -> str:
    everything = "true" if all_in else "false"
    return f'"player_id": {seat}, "action": "{name}", "amount": {amount}, "is_allin": {everything}'


def _cards(seat: int, name: str, hand: Hand) -> str:
    return f'"player_id": {seat}, "action": "{name}", "cards": {_listed(hand.holes[seat])}'


def _listed(cards: tuple[int, ...]) -> str:
    return '["' + '", "'.join([CARD_TEXT[card] for card in cards]) + '"]'
