"""The steps of a finished hand, with all chips accounted for, and the first at which two lines of play diverge."""

from collections.abc import Iterator
from typing import Any, Final

from molt_bench.poker.actions import OPEN_CARDS, STREETS, LoggedAction, Street
from molt_bench.poker.cards import CARD_TEXT
from molt_bench.poker.equity import street_equities
from molt_bench.poker.evaluator import hand_name
from molt_bench.poker.hand import NOBODY, Hand

#: The fields that two equal steps share.
_SAME: Final = ("kind", "seat", "action", "amount")


class _Table:
    """The table at the current step."""

    def __init__(self, hand: Hand) -> None:
        self.stacks = list(hand.starting_stacks)
        self.bets = [0, 0]
        self.pot = 0
        self.street: Street = "preflop"
        self.board: list[str] = []
        self.equities: tuple[float, ...] | None = None

    def pay(self, seat: int, chips: int, *, bet: bool) -> None:
        """Move chips into the pot."""
        self.stacks[seat] -= chips
        self.pot += chips
        self.bets[seat] += chips if bet else 0

    def take(self, seat: int, chips: int) -> None:
        """Move chips out of the pot."""
        self.stacks[seat] += chips
        self.pot -= chips

    @property
    def can_be_won(self) -> int:
        """The pot without what one seat has bet beyond the other's stack, as players see it."""
        (first, second), (behind, other_behind) = self.bets, self.stacks
        return self.pot - max(0, first - second - other_behind, second - first - behind)

    def step(self, kind: str, text: str, **fields: Any) -> dict[str, Any]:
        """Return a step with the current state of the table."""
        share = None
        if self.equities is not None:
            first = self.equities[STREETS.index(self.street)]
            share = [first, 1 - first]
        return {
            "kind": kind,
            "street": self.street,
            **dict.fromkeys(("seat", "action", "amount", "decision")),
            "pot": self.can_be_won,
            "stacks": list(self.stacks),
            "bets": list(self.bets),
            "board": list(self.board),
            "equity": share,
            "text": text,
            "forced": False,
            **fields,
        }


def steps_of(hand: Hand, names: tuple[str, str], *, forced: int = NOBODY) -> list[dict[str, Any]]:
    """Return the steps of a finished hand; `forced` is the seat whose fold was forced, or `NOBODY`."""
    table = _Table(hand)
    told = list(_posts(hand, table, names))
    table.equities = street_equities(hand.holes, hand.board)
    told.append(table.step("deal", "both players are dealt two cards"))
    for at, done in enumerate(hand.log):
        if done.street != table.street:
            told.append(_deal(table, done.street, hand))
        said = _acted(table, names[done.seat], done, forced=done.kind == "fold" and done.seat == forced)
        told.append({**said, "decision": at})
    matched = min(chips - left for chips, left in zip(hand.starting_stacks, table.stacks, strict=True))
    for seat in (0, 1):
        if chips := hand.starting_stacks[seat] - table.stacks[seat] - matched:
            table.take(seat, chips)
            table.bets[seat] = max(0, table.bets[seat] - chips)
            told.append(
                table.step("return", f"{chips:,} uncalled chips return to {names[seat]}", seat=seat, amount=chips)
            )
    told += _ending(hand, table, names)
    return told


def _posts(hand: Hand, table: _Table, names: tuple[str, str]) -> Iterator[dict[str, Any]]:
    rules, order = hand.rules, (hand.button, 1 - hand.button)
    for seat in order:
        if ante := min(rules.ante, table.stacks[seat]):
            table.pay(seat, ante, bet=False)
            yield table.step("ante", f"{names[seat]} posts an ante of {ante:,}", seat=seat, amount=ante)
    for seat, which, size in zip(order, ("small", "big"), (rules.small_blind, rules.big_blind), strict=True):
        if blind := min(size, table.stacks[seat]):
            table.pay(seat, blind, bet=True)
            yield table.step("blind", f"{names[seat]} posts the {which} blind of {blind:,}", seat=seat, amount=blind)


def _acted(table: _Table, name: str, done: LoggedAction, *, forced: bool) -> dict[str, Any]:
    """Move the chips of an action and return its step."""
    seat, facing, added = done.seat, max(table.bets), done.amount - table.bets[done.seat]
    table.pay(seat, added, bet=True)
    all_in = "" if table.stacks[seat] else " and is all-in"
    said = {
        "fold": f"{name} folds{', forced after faults' if forced else ''}",
        "check": f"{name} checks",
        "call": f"{name} calls {added:,}{all_in}",
        "raiseTo": f"{name} {'raises to' if facing else 'bets'} {done.amount:,}{all_in}",
    }[done.kind]
    amount = done.amount if done.kind in ("call", "raiseTo") else None
    return table.step("action", said, seat=seat, action=done.kind, amount=amount, forced=forced)


def _deal(table: _Table, street: Street, hand: Hand) -> dict[str, Any]:
    before, table.street, table.bets = len(table.board), street, [0, 0]
    table.board = [CARD_TEXT[card] for card in hand.board[: OPEN_CARDS[street]]]
    return table.step("deal", f"{street}: {' '.join(table.board[before:])}")


def _ending(hand: Hand, table: _Table, names: tuple[str, str]) -> Iterator[dict[str, Any]]:
    if hand.folded == NOBODY:
        for street in STREETS[STREETS.index(table.street) + 1 :]:
            yield _deal(table, street, hand)
        shown = [f"{names[seat]} shows {hand_name((*hand.holes[seat], *hand.board))}" for seat in (0, 1)]
        table.bets = [0, 0]
        yield table.step("showdown", "; ".join(shown))
    table.bets = [0, 0]
    for seat, won in enumerate(hand.payoffs):
        if chips := hand.starting_stacks[seat] + won - table.stacks[seat]:
            table.take(seat, chips)
            yield table.step("win", f"{names[seat]} wins {chips:,}", seat=seat, amount=chips)


def diverges_at(first: list[dict[str, Any]], second: list[dict[str, Any]]) -> int | None:
    """Return the first step at which two lines of play differ; None if they are the same."""
    for at, (one, two) in enumerate(zip(first, second, strict=False)):
        if any(one[key] != two[key] for key in _SAME):
            return at
    return None if len(first) == len(second) else min(len(first), len(second))
