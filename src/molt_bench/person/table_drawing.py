"""The table as text, drawn from nothing but what the person's seat may see."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations
from statistics import fmean
from typing import Final, TypeAlias

import msgspec
from rich import box
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from molt_bench.poker.actions import OPEN_CARDS, STREETS, LoggedAction, Street
from molt_bench.poker.cards import CARD_TEXT, SUITS, Board, Hole
from molt_bench.poker.equity import equity
from molt_bench.poker.evaluator import hand_name, strength
from molt_bench.poker.hand import HandRules
from molt_bench.poker.observation import HandResult, Observation

#: What one seat may see of a hand.
View: TypeAlias = Observation | HandResult

#: Width of the table, in columns.
WIDTH: Final = 65
_SYMBOLS: Final = dict(zip(SUITS, "♣♦♥♠", strict=True))
#: A four-colour deck, as online; without colour the symbols tell suits apart.
_STYLES: Final = {"c": "bold green", "d": "bold blue", "h": "bold red", "s": "bold"}


class Look(msgspec.Struct, frozen=True):
    """How a table is drawn.

    Attributes:
        symbols: Whether the terminal can show suit symbols and frames; otherwise letters and dashes.
        width: Width of the terminal in columns; a table that does not fit loses its frame.
    """

    opponent: str
    rules: HandRules
    symbols: bool = True
    width: int = WIDTH

    def chips(self, amount: int) -> str:
        """Format an amount in chips and big blinds."""
        return f"{amount:,} ({in_big_blinds(amount, self.rules)})"

    def line(self, title: str) -> Text:
        """Return a full-width rule with a title."""
        dash = "━" if self.symbols else "="
        return Text(f"{dash * 2} {title} ".ljust(min(WIDTH, self.width), dash), "bold")


def in_big_blinds(amount: int, rules: HandRules) -> str:
    """Format chips as big blinds.

    >>> in_big_blinds(250, HandRules(50, 100)), in_big_blinds(10_000, HandRules(50, 100))
    ('2.5 bb', '100 bb')
    """
    return f"{amount / rules.big_blind:,.1f}".removesuffix(".0") + " bb"


def cards_shown(cards: tuple[int, ...], look: Look) -> Text:
    """Format cards as `K♥ 7♦` or `Kh 7d`; of two cards the higher comes first."""
    shown = []
    for card in sorted(cards, reverse=True) if len(cards) == 2 else cards:
        text = CARD_TEXT[card]
        rank, suit = text[0], text[1]
        shown.append(Text(rank + (_SYMBOLS[suit] if look.symbols else suit), _STYLES[suit]))
    return Text(" ").join(shown)


def table_of(seen: Observation, look: Look) -> Panel | Table:
    """Draw the table as the seat to act sees it."""
    fits = look.width >= WIDTH
    grid = Table.grid(padding=(0, 2, 0, 0))
    for width in (12, 14, 19, 10):  # wide enough for most contents, so that columns do not jump
        grid.add_column(min_width=width if fits else 0, overflow="fold")
    hidden = Text("▒▒ ▒▒" if look.symbols else "?? ??", "dim")
    board = cards_shown(seen.board, look) if seen.board else Text("-", "dim")
    mine, other = seen.seat, 1 - seen.seat
    grid.add_row(_who(look.opponent, seen, other), hidden, look.chips(seen.stacks[other]), _bet(seen.bets[other]))
    grid.add_row(Text("board", "dim"), board, Text(f"pot {look.chips(seen.pot)}", "bold"), "")
    own = cards_shown(seen.cards, look)
    grid.add_row(_who("you", seen, mine), own, look.chips(seen.stacks[mine]), _bet(seen.bets[mine]))
    if not fits:
        return grid
    frame = box.ROUNDED if look.symbols else box.ASCII
    return Panel(grid, title=Text(seen.street), title_align="left", box=frame, expand=False, border_style="dim")


def _who(name: str, seen: Observation, seat: int) -> Text:
    return Text(name) + Text(" (D)" if seen.button == seat else "", "bold")


def _bet(amount: int) -> str:
    return f"bet {amount:,}" if amount else ""


def choices(seen: Observation) -> Text:
    """List the legal actions with their exact ranges."""
    legal = seen.legal
    said = [("c", f"call {legal.to_call:,}" if legal.to_call else "check")]
    if legal.to_call == seen.stack:
        said = [("c", f"call {legal.to_call:,}, all-in")]
    least, most = legal.min_raise_to, legal.max_raise_to
    if most > least:
        said += [("r", f"{'raise to' if max(seen.bets) else 'bet'} {least:,}-{most:,}"), ("a", "all-in")]
    elif most:
        said += [("a", f"all-in {most:,}")]
    keys = [Text.assemble((f"[{key}]", "bold cyan"), f" {what}") for key, what in (*said, ("f", "fold"), ("?", "help"))]
    return Text("  ").join(keys)


@lru_cache(maxsize=1000)
def _equity_against_any(hole: Hole, board: Board) -> float:
    """Return the exact equity against two unknown cards.

    >>> from molt_bench.poker.cards import cards_from_text
    >>> round(_equity_against_any(cards_from_text("AhAd"), ()), 4)
    0.852
    """
    known = {*hole, *board}
    live = [card for card in range(52) if card not in known]
    return fmean(equity(hole, other, board) for other in combinations(live, 2))


def odds_of(seen: Observation) -> str:
    """Describe the hand: its equity against any two cards, and the pot odds of a call."""
    worth = f"{_equity_against_any(seen.cards, seen.board):.0%} against any two cards"
    held = f"You have {hand_name((*seen.cards, *seen.board))}, {worth}" if seen.board else f"You have {worth}"
    return f"{held}; a call needs {seen.pot_odds:.0%}." if seen.to_call else f"{held}."


def story(view: View, look: Look) -> Iterator[Text]:
    """Yield the hand so far as lines: blinds, actions, each street as it is dealt.

    A later view of the same hand starts with the same lines.
    """
    rules, button = look.rules, view.button
    bets = [max(0, min(rules.big_blind, stack - rules.ante)) for stack in view.starting_stacks]
    bets[button] = min(rules.small_blind, bets[button])
    left = [stack - rules.ante - bet for stack, bet in zip(view.starting_stacks, bets, strict=True)]
    posted = f"{_says(view, look, button, 'post')} {bets[button]:,}, "
    yield Text(f"  {posted}{_says(view, look, 1 - button, 'post', start=False)} {bets[1 - button]:,}.", "dim")
    street: Street = "preflop"
    paid = sum(min(rules.ante, stack) for stack in view.starting_stacks)
    for done in view.log:
        while street != done.street:
            street = STREETS[STREETS.index(street) + 1]
            paid, bets = paid + sum(bets), [0, 0]
            yield _street(view, look, street, paid)
        seat = done.seat
        left[seat] -= done.amount - bets[seat]
        yield Text(f"  {_done(view, look, done, bets, all_in=not left[seat])}")
        bets[seat] = done.amount
    if isinstance(view, HandResult) and view.opponent_cards is not None:
        paid += 2 * min(bets)
        yield from _ending(view, look, street, paid)
    elif isinstance(view, Observation) and street != view.street:
        yield _street(view, look, view.street, paid + sum(bets))


def _ending(result: HandResult, look: Look, street: Street, pot: int) -> Iterator[Text]:
    """Yield the showdown; after an all-in, hands are shown before the rest of the board is dealt."""
    assert result.opponent_cards is not None
    to_come = STREETS[STREETS.index(street) + 1 :]
    share = equity(result.cards, result.opponent_cards, result.board[: OPEN_CARDS[street]]) if to_come else 0.0
    yield Text.assemble(
        "  You show ",
        cards_shown(result.cards, look),
        f", {look.opponent} shows ",
        cards_shown(result.opponent_cards, look),
        f"; your equity is {share:.0%}." if to_come else ".",
    )
    for later in to_come:
        yield _street(result, look, later, pot)


def _street(view: View, look: Look, street: Street, pot: int) -> Text:
    board = cards_shown(view.board[: OPEN_CARDS[street]], look)
    return Text.assemble((f"{street.capitalize()}  ", "bold"), board, f"   pot {look.chips(pot)}")


def _says(view: View, look: Look, seat: int, verb: str, *, start: bool = True) -> str:
    if seat == view.seat:
        return f"{'You' if start else 'you'} {verb}"
    return f"{look.opponent} {verb}{'es' if verb.endswith('ch') else 's'}"


def _done(view: View, look: Look, done: LoggedAction, bets: list[int], *, all_in: bool) -> str:
    chips = ""
    verb: str = done.kind
    if done.kind == "call":
        chips = f" {done.amount - bets[done.seat]:,}"
    elif done.kind == "raiseTo":
        verb = "raise" if max(bets) else "bet"
        chips = f" to {done.amount:,}" if max(bets) else f" {done.amount:,}"
    return f"{_says(view, look, done.seat, verb)}{chips}{', all-in' if all_in else ''}."


def outcome(result: HandResult, look: Look) -> Text:
    """Describe who won how much, and with what hand."""
    net = result.net[result.seat]
    won = f"You {'win' if net > 0 else 'lose'} {look.chips(abs(net))}" if net else "No chips change hands"
    style = "bold green" if net > 0 else "bold red" if net < 0 else "bold"
    if result.opponent_cards is None:
        return Text(f"{won}.", style)
    mine, other = (strength((*cards, *result.board)) for cards in (result.cards, result.opponent_cards))
    yours, theirs = (hand_name((*cards, *result.board)) for cards in (result.cards, result.opponent_cards))
    if mine == other:
        return Text(f"The pot is split: both have {yours}.", style)
    kicker = " with a better kicker" if yours == theirs else ""
    if mine > other:
        return Text(f"{won}: {yours}{kicker} against {theirs}.", style)
    return Text(f"{won}: {look.opponent} has {theirs}{kicker}, you have {yours}.", style)
