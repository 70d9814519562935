"""Open Hand History, the common JSON format of trackers (hh-specs.handhistory.org, version 1.4.7).

The amount of an action, even of a raise, is what it put in. Uncalled chips are in no pot.
"""

import json
from collections.abc import Iterable, Iterator
from datetime import timedelta
from functools import lru_cache
from typing import Final

from molt_bench._version import __version__
from molt_bench.poker.cards import CARD_TEXT
from molt_bench.poker.hand import NOBODY, Hand, HandRules
from molt_bench.report.exports.chip_flow import BOARD_OF, ChipFlow, Verb, chip_flow, posts_of
from molt_bench.report.exports.dealt_hands import DealtHand
from molt_bench.report.exports.pokerstars import FIRST_HAND

_encode: Final = json.JSONEncoder(ensure_ascii=False).encode
SPEC_VERSION: Final = "1.4.7"
#: Play money in the specification.
PLAY_MONEY: Final = "XPM"
#: Names of actions.
_VERBS: Final[dict[Verb, str]] = {"fold": "Fold", "check": "Check", "call": "Call", "bet": "Bet", "raise": "Raise"}
_POSTED: Final = {"ante": "Post Ante", "small": "Post SB", "big": "Post BB"}

_name: Final = lru_cache(maxsize=1024)(_encode)


def ohh(hands: Iterable[DealtHand], *, hero: str | None = None) -> Iterator[str]:
    """Write one JSON object per hand, separated by blank lines, with only the hero's cards if a hero is given."""
    for number, dealt in enumerate(hands):
        blank, hand, flow = "\n" if number else "", dealt.hand, chip_flow(dealt.hand)
        shown = [seat for seat in (0, 1) if hero in (None, dealt.names[seat])]
        # What differs from hand to hand is written as text, which takes a fraction of the time of encoding it.
        before, after = _head(dealt.table, dealt.names, hand.rules, hand.button, hero)
        time = (FIRST_HAND + timedelta(seconds=dealt.place)).isoformat()
        wins = [f'{{"player_id": {seat}, "win_amount": {won}}}' for seat, won in enumerate(flow.collected) if won]
        pot = f'{{"number": 0, "amount": {flow.pot}, "rake": 0, "jackpot": 0, "player_wins": [{", ".join(wins)}]}}'
        players = [
            f'{{"id": {seat}, "seat": {seat + 1}, "name": {_name(name)}, "starting_stack": {stack}}}'
            for seat, (name, stack) in enumerate(zip(dealt.names, hand.starting_stacks, strict=True))
        ]
        yield (
            f'{blank}{{"ohh": {{{before}"game_number": "{dealt.identity}", "start_date_utc": "{time}Z", {after}'
            f'"players": [{", ".join(players)}], "rounds": [{", ".join(_rounds(hand, flow, shown))}], '
            f'"pots": [{pot}]}}}}\n'
        )


@lru_cache(maxsize=16)
def _head(table: str, names: tuple[str, str], rules: HandRules, button: int, hero: str | None) -> tuple[str, str]:
    """Write the fields that hands of a game share: those before the number and the time of a hand, and those after."""
    observed = hero not in names
    before = {
        "spec_version": SPEC_VERSION,
        "site_name": "molt-bench",
        "network_name": "molt-bench",
        "internal_version": __version__,
        "tournament": False,
    }
    after = {
        "table_name": table,
        "game_type": "Holdem",
        "bet_limit": {"bet_type": "NL", "bet_cap": 0},
        "table_size": 2,
        "currency": PLAY_MONEY,
        "dealer_seat": button + 1,
        "small_blind_amount": rules.small_blind,
        "big_blind_amount": rules.big_blind,
        "ante_amount": rules.ante,
        "hero_player_id": None if observed or hero is None else names.index(hero),
        "flags": ["Observed"] if observed else [],
    }
    return f"{_encode(before)[1:-1]}, ", f"{_encode(after)[1:-1]}, "


def _rounds(hand: Hand, flow: ChipFlow, shown: list[int]) -> list[str]:
    steps, rounds = flow.by_street(), list[str]()
    for street, part in BOARD_OF.items():
        if part.stop > len(hand.board):
            break
        actions = list[str]()
        if street == "preflop":
            posts = posts_of(hand, flow)
            actions += [_action(post.seat, _POSTED[post.kind], post.chips, post.all_in) for post in posts]
            actions += [_cards(seat, "Dealt Cards", hand) for seat in shown]
        if street in steps:
            actions += [_action(step.seat, _VERBS[step.verb], step.added, step.all_in) for step in steps[street]]
        rounds.append(_round(len(rounds), street.title(), hand.board[part], actions))
    if hand.folded == NOBODY:
        order = (1 - hand.button, hand.button)
        rounds.append(_round(len(rounds), "Showdown", (), [_cards(seat, "Shows Cards", hand) for seat in order]))
    return rounds


def _round(number: int, street: str, board: tuple[int, ...], actions: list[str]) -> str:
    cards = f'"cards": {_listed(board)}, ' if board else ""
    numbered = ", ".join([f'{{"action_number": {at}, {action}}}' for at, action in enumerate(actions)])
    return f'{{"id": {number}, "street": "{street}", {cards}"actions": [{numbered}]}}'


def _action(seat: int, name: str, amount: int, all_in: bool) -> str:  # noqa: FBT001 - the last field, as written
    everything = "true" if all_in else "false"
    return f'"player_id": {seat}, "action": "{name}", "amount": {amount}, "is_allin": {everything}'


def _cards(seat: int, name: str, hand: Hand) -> str:
    return f'"player_id": {seat}, "action": "{name}", "cards": {_listed(hand.holes[seat])}'


def _listed(cards: tuple[int, ...]) -> str:
    return '["' + '", "'.join([CARD_TEXT[card] for card in cards]) + '"]'
